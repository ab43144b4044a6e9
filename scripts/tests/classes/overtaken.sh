#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# While a write of one class is in flight, its sectors get another class, and a write of that
# one ends first. The first does not win in the log of its own class: it is written again, to
# the class that holds its sectors. So no class is left with an older copy when the other one
# has been freed.
# invariant: 3
# cpus: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

keys=(policy all drain manual autocommit_ms 3600000 classes a+b)

# other TABLE - what lies between dm-ssdup and the SSD
other()
{
	must dmsetup reload other "$@"
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

# begin - new disks and a device; the first write to the log stays in flight. It is too long to end
# in memory.
begin()
{
	local place

	make_disks ssd_cache_mb=4 ssd_size_mb=35
	SIZE=$(blockdev --getsz /dev/mssd0)
	must dmsetup create other --table "0 $SIZE linear /dev/mssd0 0"
	make_ssdup "${keys[@]}"
	place=$(log_sector 0)
	other <<-TABLE
		0 $place linear /dev/mssd0 0
		$place 128 delay /dev/mssd0 $place 0 /dev/mssd0 $place 60000 /dev/mssd0 $place 0
		$((place + 128)) $((SIZE - place - 128)) linear /dev/mssd0 $((place + 128))
	TABLE
}

# it_ends - that write does
it_ends()
{
	kill -0 "$first" || fail "the first write was not the slow one"
	other --table "0 $SIZE linear /dev/mssd0 0"
	wait_until waited_writes -eq 1
	wait_until waiting_writes -eq 0
	must wait "$first"
}

end()
{
	remove_ssdup
	must dmsetup remove other
}

must modprobe dm-delay
SSD=/dev/mapper/other
begin
# to class b, whose generation is the higher one; then over a part of it to class a
must message class b
iocheck "$MODEL" $DEV write len=128 bs=128 &
first=$!
wait_until writes_ssd -eq 1
must message class a
io write start=64 len=128 bs=128
hold 0 128 0
it_ends
hold 0 192 0
now=$(content $DEV)
for seed in 1 2; do
	commits
	reboot $seed "${keys[@]}"
	is "content after a power cut" "$(content $DEV)" "$now"
	hold 0 192 0
done
flush
is "content of the HDD" "$(content $HDD)" "$now"
io recover len=512
end

# Two classes get parts of what such a write is over: it waits until one of them was drained.
# The HDD refuses the block of one, which stays in the log: then it is the other one.
for bad in 0 128; do
	begin
	iocheck "$MODEL" $DEV write start=64 len=128 bs=128 &
	first=$!
	wait_until writes_ssd -eq 1
	must message class a
	io write len=128 bs=128
	must message class b
	io write start=128 len=128 bs=128
	hold 0 128 128
	model $HDD fail_write "$bad 128"
	it_ends
	hold 0 $((bad ? 0 : 192)) $((bad ? 192 : 0))
	io recover len=256
	model $HDD fail_write clear
	all_home
	end
done
