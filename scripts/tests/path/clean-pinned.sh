#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A read of clean data that takes a minute holds up neither drains nor the writes that need the
# room, but its segment is not opened before it has ended.
# invariant: 4 9
# cpus: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks ssd_size_mb=11
make_ssdup
data=$(log_sector 0)
remove_ssdup
slow_ssd "$data" 8 0 0
make_ssdup policy all drain manual clean 90
segments=$(stat segments)
io write len=256 bs=64
flush
is "clean sectors" "$(stat clean_sectors)" 256
# a read of the log's first place is under way until that table is replaced
dmsetup table other | sed "s|\(delay [^ ]* [0-9]*\) 0|\1 60000|" >"$T/slow"
must dmsetup reload other "$T/slow"
must dmsetup suspend other
must dmsetup resume other
iocheck "$MODEL" $DEV watch len=8 bs=8 seconds=0 >"$T/reads" &
read=$!
wait_until reads_clean -eq 1
# what it reads is stale meanwhile, and its segment in the way
io write len=8 bs=8
must message forget
is "clean segments" "$(stat clean_segments)" 0
wait_until segments_free -eq $((segments - 2))
for round in 1 2; do
	io write start=65536 len=$((($(log_writes 64) - 64) * 64)) bs=64
	flush
	io verify start=65536 len=$((($(log_writes 64) - 64) * 64)) bs=64
done
wait_until segments_free -eq $((segments - 1))
kill -0 $read || fail "the read was not under way any more, in round $round"
SSD=/dev/mssd0 fast_ssd
must wait $read
is "reads" "$(<"$T/reads")" "1 reads"
wait_until segments_free -eq "$segments"
io verify
all_home
remove_ssdup
