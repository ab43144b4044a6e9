#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A half is not used again while a read still points into it, however late that
# read reaches the SSD.
# cpus: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks ssd_size_mb=10
# reads of the SSD are 1.5 s under way, writes are not
must modprobe dm-delay
must dmsetup create other --table \
	"0 $(blockdev --getsz $SSD) delay $SSD 0 1500 $SSD 0 0"
SSD=/dev/mapper/other
make_ssdup policy all drain manual
SSD=/dev/mssd0
half=$(stat half_data_sectors)
io write len=256 bs=64
message flush &
drain=$!
sleep 1.2
# the drain has its data in 0.3 s; this read will be there 1.2 s after that
iocheck "$MODEL" $DEV verify len=256 bs=64 &
read=$!
# the drain says what it waits for
wait_until drain_state -eq 7
must wait $drain
# twice around
io write start=65536 len=$((2 * half - 2000)) bs=512
must wait $read
io verify start=65536 len=256
remove_ssdup
