#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Segments open and close while writes are in flight. A write to an older segment that ends
# after a newer one over the same sectors does not win: it is written again, to a younger
# segment. So what is read is what a replay, a power cut and the HDD have. What is held back is too
# long to end in memory.
# invariant: 3 4 5
# cpus: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0

# slow MS SECTORS PLACE... - the SSD takes so long for writes to so many sectors at each place
slow()
{
	local ms=$1 len=$2 place at=0

	shift 2
	for place; do
		echo "$at $((place - at)) linear /dev/mssd0 $at"
		echo "$place $len delay /dev/mssd0 $place 0 /dev/mssd0 $place $ms /dev/mssd0 $place 0"
		at=$((place + len))
	done >"$T/table"
	echo "$at $((SIZE - at)) linear /dev/mssd0 $at" >>"$T/table"
	must dmsetup reload other "$T/table"
	must dmsetup suspend other
	must dmsetup resume other
}

# let_go - what the SSD holds back it writes
let_go()
{
	must dmsetup reload other --table "0 $SIZE linear /dev/mssd0 0"
	must dmsetup suspend other
	must dmsetup resume other
}

# fresh - an empty log, whose first segment is segment 0
fresh()
{
	[ ! -e $DEV ] || remove_ssdup
	blank_log
	make_ssdup policy all drain manual autocommit_ms 3600000
}

# fill - the rest of segment 0, in which ENTRIES of 128 sectors are; the next one opens
fill()
{
	io write start=2048 len=$((room - 128 * $1)) bs=8
	io write start=1024 len=8
	is "segments that are not free" "$(($(stat segments) - $(stat segments_free)))" 2
}

# content DEVICE - of the first sectors
content()
{
	dd if="$1" bs=512 count=512 iflag=direct status=none | md5sum
}

# stays - the same is read now, after power cuts and replays, and from the HDD
stays()
{
	local seed now

	now=$(content $DEV)
	commits
	for seed in 1 2; do
		reboot $seed policy all drain manual autocommit_ms 3600000
		is "content after a power cut" "$(content $DEV)" "$now"
	done
	flush
	is "content after a drain" "$(content $DEV)" "$now"
	is "content of the HDD" "$(content $HDD)" "$now"
	io recover len=512
}

# again N - so many writes were overtaken, and routed again
again()
{
	is "writes that were routed again" "$(stat waited_writes)" "$1"
}

make_disks ssd_cache_mb=4 ssd_size_mb=35
SIZE=$(blockdev --getsz $SSD)
must modprobe dm-delay
must dmsetup create other --table "0 $SIZE linear /dev/mssd0 0"
SSD=/dev/mapper/other
make_ssdup
data=$(log_sector 0) next=$(log_sector 0 1) room=$(segment_data)
io write len=4096 bs=64
flush

# a write to segment 0 is held back; the one over it in segment 1 ends first
fresh
slow 60000 128 "$data"
iocheck "$MODEL" $DEV write len=128 bs=128 &
first=$!
wait_until writes_ssd -eq 1
fill 1
io write start=64 len=128 bs=128
kill -0 $first || fail "the first write was not the slow one"
# of these two segments the older one cannot be drained yet, so none is
message drain &
flush=$!
sleep 0.5
is "sectors drained" "$(stat drained_sectors)" 0
again 0
let_go
must wait $first
must wait $flush
again 1
stays

# the same, and a FUA write: it is durable when it ends, where it was written at last
fresh
slow 60000 128 "$data"
iocheck "$MODEL" $DEV write len=128 bs=128 fua=1 &
first=$!
wait_until writes_ssd -eq 1
fill 1
io write start=64 len=128 bs=128
let_go
must wait $first
again 1
now=$(content $DEV)
reboot 3 policy all drain manual
is "content after a power cut" "$(content $DEV)" "$now"
io recover

# the newer write ends last: it has won without more ado
fresh
slow 60000 128 "$next"
iocheck "$MODEL" $DEV write len=128 bs=128 &
io write start=2048 len=$((room - 128)) bs=8
must wait $!
iocheck "$MODEL" $DEV write start=64 len=128 bs=128 &
second=$!
wait_until segments_sealed -eq 1
io write start=1024 len=8
kill -0 $second || fail "the second write was not the slow one"
let_go
must wait $second
again 0
io verify len=1024
stays

# zeroes are newer: they are logged at once
fresh
io write len=128 bs=128
slow 60000 128 $((data + 128))
iocheck "$MODEL" $DEV write len=128 bs=128 &
first=$!
wait_until writes_ssd -eq 2
fill 2
io zero start=32 len=64
let_go
must wait $first
again 1
stays

# the power goes while it is in flight: the newer one, which is durable, stays
fresh
slow 60000 128 "$data"
iocheck "$MODEL" $DEV write len=128 bs=128 errors=1 &
first=$!
wait_until writes_ssd -eq 1
fill 1
io write start=64 len=128 bs=128 fsync=1
power_cut 5
let_go
must wait $first
must dmsetup remove --force $NAME
power_on
make_ssdup policy all drain manual
io recover len=512
stays

# many at once: every other segment is slow, and two processes write to the same sectors
fresh
places=()
for ((i = 0; i < $(stat segments); i += 2)); do
	places+=("$(log_sector 0 $i)")
done
slow 100 "$room" "${places[@]}"
overtaken=0
# on a slow machine a round may overtake none
for ((round = 1; round <= 3 || (round <= 20 && overtaken == 0); round++)); do
	for n in 1 2; do
		iocheck "$T/any.$n" $DEV random len=512 bs=72 nr=110 depth=32 seed=$((10 * round + n)) &
		writer[n]=$!
	done
	must wait "${writer[1]}"
	must wait "${writer[2]}"
	overtaken=$((overtaken + $(stat waited_writes)))
	above "segments sealed" "$(stat seals)" 5
	now=$(content $DEV)
	commits
	reboot $round policy all drain manual autocommit_ms 3600000
	is "content after a power cut" "$(content $DEV)" "$now"
	flush
	is "content of the HDD" "$(content $HDD)" "$now"
done
above "writes that were routed again" $overtaken 0
remove_ssdup
