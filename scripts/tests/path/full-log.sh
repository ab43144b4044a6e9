#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full bypass and full balance: with no segment free, what overlaps nothing in the log goes to the
# HDD at once; what does overlap waits.
# invariant: none
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks ssd_size_mb=11
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

# full balance: under any policy writes go past a full log if the HDD has a cache, which puts them in
# order. Else they wait for the drain.
dmsetup remove $NAME
rm "$MODEL"
slow_disks ssd_size_mb=81 hdd_cache_mb=8
make_ssdup policy all drain manual segment_mb 2
# less than fits, because the end of a segment splits a write
fill()
{
	io write len=65536 bs=64
	io write len=65536 bs=64
	io write len=$((64 * ($(log_writes 64) - $(stat segments) - 2048))) bs=64
}
fill
io random start=98304 len=32768 bs=8 nr=512 depth=16
below "small writes that waited" "$(stat waited_writes)" 16
above "writes past a full log" "$(stat writes_hdd)" 0

# when there is room again, the policy decides
flush
past=$(stat writes_hdd)
fill
is "writes past the log, which has room again" "$(stat writes_hdd)" "$past"
io random start=65536 len=32768 bs=512 nr=60
above "large writes past a full log" "$(stat writes_hdd)" "$past"
all_home

dmsetup remove $NAME
rm "$MODEL"
slow_disks ssd_size_mb=81
make_ssdup policy all drain manual segment_mb 2
fill
io random start=98304 len=32768 bs=8 nr=512 depth=16
above "writes that waited" "$(stat waited_writes)" 0
is "writes past a full log" "$(stat writes_hdd)" 0
all_home
