#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The key parts, which can be set at any time: a busy device is drained when this part of
# its log is full, and no more segments at once; an idle one is drained whatever it is.
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
make_ssdup policy all parts 2
must dmsetup reload other --table "0 $LEN delay $DISK 0 60000 $DISK 0 0"
must dmsetup suspend other
must dmsetup resume other
is "segments" "$(stat segments)" 60
dd if=$DEV of=/dev/null bs=4k skip=10000 count=1 iflag=direct status=none &
read=$!
wait_until reads_hdd -eq 1

# less than a part of 30 segments
fill 25
sleep 1
is "sectors drained" "$(stat drained_sectors)" 0
# a part has 20, and 12
knob parts 3
wait_until segments_sealed -eq 0
drained=$(stat drained_sectors)
fill 10
sleep 1
is "sectors drained" "$(stat drained_sectors)" "$drained"
knob parts 8
wait_until segments_sealed -eq 0
is "table" "$(dmsetup table $NAME | cut -d' ' -f6-)" "6 policy all parts 8 guard 0"

# the log is drained, in groups that are a part of the log at most
knob drain manual
flush
for parts in 2 4 16; do
	knob parts $parts
	fill 40
	sleep 0.3
	before=$(groups)
	flush
	part=$((60 / parts))
	taken[parts]=$(($(groups) - before))
	# the open segment is one by itself
	above "groups of up to $part" "${taken[parts]}" $(((39 + part - 1) / part))
done
below "groups, with 2 parts" "${taken[2]}" "${taken[16]}"
kill -0 $read || fail "the device was not busy any more"
must dmsetup reload other --table "0 $LEN linear $DISK 0"
must dmsetup suspend other
must dmsetup resume other
must wait $read

# idle, the log is emptied, though no part is full
knob parts 2
knob drain auto
fill 2
wait_until dirty_sectors -eq 0
all_home
remove_ssdup
must dmsetup remove other
HDD=$DISK
