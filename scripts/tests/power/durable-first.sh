#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What must be durable before something else is written: a segment's header before a page, or
# a replay would take the segment for a free or a damaged one; and what has replaced data of a
# group before the tail that frees the group.
# invariant: 2 4
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# late MS COUNT - the headers of so many segments take so long, and a flush does not
late()
{
	local n at=0 header

	for ((n = 0; n < $2; n++)); do
		header=$((2048 + n * segment))
		echo "$at $((header - at)) linear /dev/mssd0 $at"
		echo "$header 8 delay /dev/mssd0 $header 0 /dev/mssd0 $header $1 /dev/mssd0 $header 0"
		at=$((header + 8))
	done >"$T/table"
	echo "$at $((size - at)) linear /dev/mssd0 $at" >>"$T/table"
	must dmsetup reload other "$T/table"
	must dmsetup suspend other
	must dmsetup resume other
}

# fresh - an empty log, whose first segment is segment 0
fresh()
{
	flush
	remove_ssdup
	blank_log
	make_ssdup policy all drain manual autocommit_ms 3600000
}

make_disks ssd_cache_mb=4 hdd_cache_mb=16
size=$(blockdev --getsz $SSD)
must modprobe dm-delay
must dmsetup create other --table "0 $size linear /dev/mssd0 0"
SSD=/dev/mapper/other
make_ssdup
segment=$(stat segment_sectors)

# each header comes to the SSD when the flush of its commit has passed
fresh
late 200 8
for seed in 1 2 3 4 5 6 7 8; do
	io write start=$((seed * 64)) len=64 bs=64 fsync=1
	reboot $seed policy all drain manual autocommit_ms 3600000
	is "segments that are not free" "$(($(stat segments) - $(stat segments_free)))" $seed
	io recover
done

# the power goes while the first of three headers is on its way
fresh
late 3600000 1
io write start=1024 len=$((3 * segment)) bs=64
iocheck "$MODEL" $DEV flush 2>"$T/flush" &
flush=$!
# no event says that nothing follows the other headers: time for it to do so all the same
sleep 1
power_cut 1
must dmsetup suspend other
must dmsetup resume other
must_not wait $flush
must dmsetup remove --force $NAME
power_on
late 0 0
make_ssdup policy all drain manual autocommit_ms 3600000
is "extents" "$(stat extents)" 0
io recover

# what was promised is written again, which is not promised yet, and its first place is freed
io write len=8192 bs=64 fsync=1
io write len=8192 bs=64
echo "free_between 1 5" >/sys/module/ssdup_disks/parameters/cut_at || fail "no cut"
must message drain start
# the disks are decided about in the background
until [ "$(</sys/module/ssdup_disks/parameters/cut_at)" = "done free_between" ]; do
	nap 0.01
done
must dmsetup remove --retry $NAME
power_on
make_ssdup policy all drain manual
io recover
all_home
remove_ssdup
