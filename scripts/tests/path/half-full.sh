#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A busy device is drained when half of its log is full, and no more segments at once; an idle one
# is drained however little it holds.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0

# groups - freed so far, in this module's life
groups()
{
	awk '$1 == "free_tail" { print $2 }' /sys/module/ssdup_disks/parameters/steps
}

# fill SEGMENTS - so many, one after the other
fill()
{
	io write len=$(($1 * $(segment_data))) bs=8
	is "writes that waited" "$(stat waited_writes)" 0
}

make_disks
# A disk whose reads take long, but whose writes do not: while one of them is under way, the
# device is busy.
must modprobe dm-delay
must dmsetup create other --table "0 $LEN linear $HDD 0"
DISK=$HDD
HDD=/dev/mapper/other
make_ssdup policy all
must dmsetup reload other --table "0 $LEN delay $DISK 0 60000 $DISK 0 0"
must dmsetup suspend other
must dmsetup resume other
is "segments" "$(stat segments)" 60
dd if=$DEV of=/dev/null bs=4k skip=10000 count=1 iflag=direct status=none &
read=$!
wait_until reads_hdd -eq 1

# less than half of 60 segments
fill 25
sleep 1
is "sectors drained" "$(stat drained_sectors)" 0
fill 10
wait_until segments_sealed -eq 0
drained=$(stat drained_sectors)
fill 25
sleep 1
is "sectors drained" "$(stat drained_sectors)" "$drained"

# the log is drained in groups that are half of it at most; the open segment is one by itself
knob drain manual
flush
fill 40
# no event says that the thread knows that nobody writes any more
sleep 0.3
before=$(groups)
flush
above "groups" $(($(groups) - before)) 2
kill -0 $read || fail "the device was not busy any more"
must dmsetup reload other --table "0 $LEN linear $DISK 0"
must dmsetup suspend other
must dmsetup resume other
must wait $read

# idle, the log is emptied, though it is not half full
knob drain auto
fill 2
wait_until dirty_sectors -eq 0
all_home
remove_ssdup
must dmsetup remove other
HDD=$DISK
