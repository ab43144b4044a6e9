#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A segment is not used again while a read still points into it, however late that
# read reaches the SSD.
# invariant: 4
# cpus: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks ssd_size_mb=11
make_ssdup
data=$(log_sector 0)
remove_ssdup
# a read of the log's first place is under way until that table is replaced
slow_ssd "$data" 8 60000 0
make_ssdup policy all drain manual
SSD=/dev/mssd0
io write len=256 bs=64
iocheck "$MODEL" $DEV watch len=8 bs=8 seconds=0 >"$T/reads" &
read=$!
wait_until reads_ssd -eq 1
# newer data elsewhere in the segment: the drain does not read that place too
io write len=8
message drain &
# the drain does not wait for it
must wait $!
kill -0 $read || fail "the read was not under way any more"
is "segments that are not free" "$(($(stat segments) - $(stat segments_free)))" 1
# more than is free
io write start=65536 len=$((64 * ($(log_writes 64) + 100))) bs=512 &
writer=$!
wait_until waiting_writes -gt 0
kill -0 $read || fail "the read was not under way any more"
fast_ssd
must wait $read
must wait $writer
is "reads" "$(<"$T/reads")" "1 reads"
io verify len=256
io verify
remove_ssdup
