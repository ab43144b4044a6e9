#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Requests to the first sectors of the HDD are in flight while its guard closes and opens: the
# change waits for them, and they get what the device has.
# invariant: 11
# cpus: 4
# kernels: debug
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=1

# a write to the range is at the HDD, which holds back writes only, when a commit closes the guard:
# what the HDD is read for must have it
make_disks
must modprobe dm-delay
size=$(blockdev --getsz $HDD)
must dmsetup create other --table "0 $size linear $HDD 0"
HDD=/dev/mapper/other
make_ssdup policy none drain manual
io write len=256 bs=8
commits
must dmsetup reload other --table "0 $size delay /dev/mhdd0 0 0 /dev/mhdd0 0 600 /dev/mhdd0 0 0"
must dmsetup suspend other
must dmsetup resume other
iocheck "$MODEL" $DEV write start=64 len=8 bs=8 &
writer=$!
wait_until writes_hdd -eq 33
knob policy all
must dd if=/dev/zero of=$DEV bs=4096 seek=4096 count=1 oflag=direct conv=notrunc status=none
kill -0 $writer || fail "the write was not in flight any more"
commits
is "guard" "$(stat guard)" 2
must wait $writer
must dmsetup reload other --table "0 $size linear /dev/mhdd0 0"
must dmsetup suspend other
must dmsetup resume other
io verify len=256 bs=8
flush
io verify len=256 bs=1

# and over and over, beside readers who know what they may find
for n in 0 1 2 3; do
	iocheck "$MODEL" $DEV watch len=256 bs=8 seconds=600 seed=$n >>"$T/reads" &
	readers[n]=$!
done
knob drain eager
for ((n = 0; n < 40; n++)); do
	[ $((n % 3)) = 0 ] && policy=none || policy=all
	knob policy "$policy"
	io random len=4096 nr=30 seed=$n fsync=7
	must message drain
	io verify len=256 bs=8
done
for n in 0 1 2 3; do
	kill "${readers[n]}"
	must wait "${readers[n]}"
done
all_home
