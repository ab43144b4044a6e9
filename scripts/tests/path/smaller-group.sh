#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A write splits an extent of a drain group before the drain takes it, and the rear part comes
# later. Then writes begin to wait, and the drain lets most of the group go. The rear part of what
# stays is drained all the same.
# invariant: 4
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

must modprobe dm-delay
make_disks ssd_size_mb=11
must dmsetup create other --table "0 $LEN linear $HDD 0"
DISK=$HDD HDD=/dev/mapper/other
# A batch has 256 extents. The HDD takes a while for the first batch, those below 2048, and holds
# the third one back.
must dmsetup reload other <<-TABLE
	0 2048 delay $DISK 0 0 $DISK 0 3000 $DISK 0 0
	2048 2136 linear $DISK 2048
	4184 2000 delay $DISK 4184 0 $DISK 4184 3600000 $DISK 4184 0
	6184 $((LEN - 6184)) linear $DISK 6184
TABLE
must dmsetup suspend other
must dmsetup resume other
make_ssdup policy all drain manual
data=$(segment_data)
# the first segment has the extent that will be split, and the log is nearly full
io write start=4120 len=64 bs=64
io write len=4120 bs=8
io write start=4184 len=$((data * ($(stat segments) - 5) - 4184)) bs=8
# the thread looks, and some time later it knows that nobody writes: the group is large
message drain pause
nap 0.3
message drain start
wait_until drain_state -eq 4
nap 0.3
io write start=4140 len=8
is "sectors drained" "$(stat drained_sectors)" 0

# now the fourth batch was taken, too
wait_until drained_sectors -ge 4096
nap 0.5
io write start=40000 len=$((4 * data)) bs=8 depth=16 &
writes=$!
wait_until waiting_writes -gt 0
is "segments freed" "$(stat frees)" 0
must dmsetup reload other --table "0 $LEN linear $DISK 0"
must dmsetup suspend other
must dmsetup resume other
must wait $writes
all_home
remove_ssdup
must dmsetup remove other
