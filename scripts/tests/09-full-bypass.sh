#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full bypass: with no segment free, what overlaps nothing in the log goes to the
# HDD at once; what does overlap waits.
# cpus: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks ssd_size_mb=10
make_ssdup policy all full bypass drain manual
io write len=$((8 * $(log_writes 8))) bs=8
is "free segments" "$(stat segments_free)" 2
is "writes past the log" "$(stat writes_hdd)" 0
io random start=65536 len=32768 bs=64 nr=100
is "writes past the log" "$(stat writes_hdd)" 100
is "writes that waited" "$(stat waited_writes)" 0
is "waiting writes" "$(stat waiting_writes)" 0
io verify

# over the log: it waits, which makes the drain begin
model $HDD fail_flush 1
io write len=4096 bs=64 depth=64 &
writer=$!
wait_until waiting_writes -eq 64
io write start=100000 len=4096 bs=64
kill -0 $writer || fail "a write over a full log did not wait"
model $HDD fail_flush 0
must wait $writer
is "waited" "$(stat waited_writes)" 64
all_home
