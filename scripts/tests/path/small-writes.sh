#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# 512-byte aligned I/O of odd sizes, across the borders of ranges and of pages.
# invariant: 1
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks
make_ssdup policy all drain manual
io random bs=1 nr=200 len=4096 seed=1
io mixed max=31 nr=300 len=16384 seed=2
# borders of ranges, every 8192 sectors: before, across, behind
for at in 8191 16381 24576 32761; do
	io write start=$at len=1 bs=1
	io write start=$((at - 5)) len=13 bs=13
	io write start=$((at - 300)) len=2501 bs=2501
done
io verify
knob policy none
io mixed max=4097 nr=20 len=65536 seed=3
io verify
remove_ssdup

# The HDD has grown to 65 GiB, so its ranges are larger. Entries of the log are cut at the borders of
# those that they were written for, and what is written now is not.
must modprobe dm-zero
size=$(blockdev --getsz $HDD) large=$((65 << 21)) DISK=$HDD
must dmsetup create other --table "0 $size linear $DISK 0
	$size $((large - size)) zero"
HDD=/dev/mapper/other
make_ssdup policy all drain manual
io verify
io mixed max=100 nr=200 len=32768 seed=4
logged=$(stat writes_ssd)
for _ in 1 2 3 4 5 6 7 8 9 10; do
	io write start=8184 len=16 bs=16
done
# but at the end of a segment
below "parts of ten writes over a border that is none" $(($(stat writes_ssd) - logged)) 13
io verify
remove_ssdup
make_ssdup
io verify
flush
remove_ssdup
must dmsetup remove other
HDD=$DISK
io_on $HDD verify
