#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# While a write of one class is in flight, its sectors get another class, and a write of that
# one ends first. The first does not win in the log of its own class: it is written again, to
# the class that holds its sectors. So no class is left with an older copy when the other one
# has been freed.
# cpus: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

keys=(policy all drain manual autocommit_ms 3600000 classes a+b)

# hold_back PLACE... - writes to these places of the SSD end when they are not held back any more
hold_back()
{
	local at=0 place

	for place; do
		echo "$at $((place - at)) linear /dev/mssd0 $at"
		echo "$place 8 delay /dev/mssd0 $place 0 /dev/mssd0 $place 60000 /dev/mssd0 $place 0"
		at=$((place + 8))
	done >"$T/table"
	echo "$at $((SIZE - at)) linear /dev/mssd0 $at" >>"$T/table"
	must dmsetup reload other "$T/table"
	must dmsetup suspend other
	must dmsetup resume other
}

# hold DEFAULT A B - sectors that the log holds of each class
hold()
{
	is "sectors of the classes" "$(awk '{ print $3 }' "$SYS/classes" | xargs)" "$*"
}

content()
{
	dd if="$1" bs=512 count=512 iflag=direct status=none | md5sum
}

make_disks ssd_cache_mb=4
SIZE=$(blockdev --getsz $SSD)
must modprobe dm-delay
must dmsetup create other --table "0 $SIZE linear /dev/mssd0 0"
SSD=/dev/mapper/other
make_ssdup "${keys[@]}"
place=$(log_sector 0) next=$(log_sector 0 1)
hold_back "$place"
# to class b, whose generation is the higher one; then over a part of it to class a
must message class b
iocheck "$MODEL" $DEV write len=8 bs=8 &
first=$!
wait_until writes_ssd -eq 1
must message class a
io write start=4 len=8 bs=8
kill -0 $first || fail "the first write was not the slow one"
hold 0 8 0
hold_back
must wait $first
is "writes that were routed again" "$(stat waited_writes)" 1
hold 0 12 0
now=$(content $DEV)
for seed in 1 2; do
	commits
	reboot $seed "${keys[@]}"
	is "content after a power cut" "$(content $DEV)" "$now"
	hold 0 12 0
done
flush
is "content of the HDD" "$(content $HDD)" "$now"
io recover len=512

# One waits for a full log, and cannot be cut any more. Meanwhile two classes get parts of it: then
# it waits until one of them was drained, and goes to the other
remove_ssdup
dd if=/dev/zero of=/dev/mssd0 bs=4k count=1 oflag=direct status=none
must dmsetup create below --table "0 $LEN linear $HDD 0"
HDD=/dev/mapper/below
hold_back "$place" "$next"
make_ssdup "${keys[@]}" full block
writers=()
for class in a b; do
	must message class $class
	iocheck "$MODEL" $DEV write start=$((8 * ${#writers[@]})) len=8 bs=8 &
	writers+=($!)
	wait_until writes_ssd -eq ${#writers[@]}
done
must message class default
must dmsetup suspend below
iocheck "$MODEL" $DEV write start=4096 len=$((8 * ($(log_writes 8) + 10))) bs=8 depth=1 &
writers+=($!)
wait_until waiting_writes -eq 1
iocheck "$MODEL" $DEV write start=4 len=8 bs=8 &
writers+=($!)
wait_until waiting_writes -eq 2
hold_back
must dmsetup resume below
for writer in "${writers[@]}"; do
	must wait "$writer"
done
is "sectors of the classes" "$(awk 'NR > 1 { print $3 }' "$SYS/classes" | xargs)" "12 0"
now=$(content $DEV)
flush
is "content of the HDD" "$(content $HDD)" "$now"
io recover len=512
all_home
remove_ssdup
must dmsetup remove below
