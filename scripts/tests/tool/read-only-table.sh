#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A read-only table writes to neither disk: it replays the log for reading, refuses writes,
# drains nothing and mends nothing. What it cannot read without writing it refuses by name.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# sums - of all that the disks hold
sums()
{
	md5sum $HDD $SSD
}

# not_written - they hold what they held when the sums were taken
not_written()
{
	sums | must cmp - "$T/sums"
}

# create_read_only [KEY VALUE]...
create_read_only()
{
	must dmsetup create -r $NAME --table "$(table "$@")"
	find_sys
}

# a log that a power cut has left, on disks that are write-protected
make_disks
make_ssdup policy none drain manual
io write len=8192 bs=64
knob policy all
io random len=16384 nr=200 fsync=1
power_cut 1
remove_ssdup
power_on
must blockdev --setro $HDD
must blockdev --setro $SSD
sums >"$T/sums"
create_read_only policy all drain eager
is "mode and drain_state" "$(stat mode) $(stat drain_state)" "0 8"
is "read-only device" "$(blockdev --getro $DEV)" 1
above "dirty sectors" "$(stat dirty_sectors)" 0
io verify

# what the kernel lets through: a device on top does not know
must dmsetup create other --table "0 $LEN linear $DEV 0"
for what in "" seek=8000; do
	# shellcheck disable=SC2086 # nothing, or a word
	must_not dd if=/dev/zero of=/dev/mapper/other bs=4k count=1 oflag=direct $what
done
flushes=$(stat flushes)
must dd if=/dev/null of=/dev/mapper/other conv=fsync,notrunc 2>"$T/dd"
above "flushes" "$(stat flushes)" "$flushes"
must dmsetup remove other
must message commit
is "lost ranges" "$(message lost_ranges)" none
must_get "Read-only file system" message drain
must said "message drain: the table is read-only"
must_get "Read-only file system" message drain start
must_get "Read-only file system" message drain pause
knob policy balance
must dmsetup suspend $NAME
must dmsetup resume $NAME
io verify
remove_ssdup
not_written

# a copy of the record that cannot be read is not mended
model $SSD fail_read "1024 8"
create_read_only
heal
must said "a copy of the superblock or of the record is bad or old"
io verify
remove_ssdup
not_written

# from one to the other and back, while the device is in use
must blockdev --setrw $HDD
must blockdev --setrw $SSD
make_ssdup policy all drain manual
exec 5<$DEV
io random len=16384 nr=50 seed=2
must dmsetup reload -r $NAME --table "$(table policy all drain eager)"
must dmsetup suspend $NAME
sums >"$T/sums"
must dmsetup resume $NAME
is "read-only device" "$(blockdev --getro $DEV)" 1
io verify
must dmsetup suspend $NAME
not_written
must dmsetup reload $NAME --table "$(table policy all drain manual)"
must dmsetup resume $NAME
exec 5<&-
is "read-only device" "$(blockdev --getro $DEV)" 0
io random len=16384 nr=50 seed=3
all_home
remove_ssdup

# no log
blank_log
must_not dmsetup create -r $NAME --table "$(table)"
must said "ssd: no log, and a read-only table makes none"
for copy in 0 1; do
	must cmp -n $((1 << 20)) -i $(($(home $copy) * 512)):0 $SSD /dev/zero
done
