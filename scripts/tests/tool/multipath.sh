#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A path of a multipath device is nobody's HDD or SSD, whether its device is there yet or not: with
# the path the device would fail. Nothing is made of it, and nothing is written to it.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# is_path DISK VALUE - what 60-multipath.rules has left of it with udev
is_path()
{
	local number

	number=$(tr -d '\n' <"/sys/block/${1##*/}/dev")
	mkdir -p /run/udev/data
	printf 'I:1\nE:DM_MULTIPATH_DEVICE_PATH=%s\n' "$2" >"/run/udev/data/b$number"
}

make_disks
export SSDUP_TAB=$T/tab
echo "$NAME $HDD $SSD policy=all,drain=manual" >"$SSDUP_TAB"
md5sum $HDD $SSD >"$T/before"
for disk in $HDD $SSD; do
	# 2: multipathd waits for a second path
	for value in 1 2; do
		is_path "$disk" $value
		ssdup_exits 4 create $NAME --hdd $HDD --ssd $SSD
		says "$disk: a path of a multipath device"
		ssdup_exits 4 create -a
		ssdup_exits 4 format $HDD $SSD
		ssdup_exits 3 tab --ready $NAME
		says "$disk, is a path of a multipath device, which is not there"
		ssdup_exits 1 tab --check
		says "$disk, is a path of a multipath device: name that"
		DEVNAME=$disk DM_MULTIPATH_DEVICE_PATH=$value ssdup_exits 3 tab --udev
	done
	is_path "$disk" 0
done
md5sum -c --quiet "$T/before" || fail "something was written"
! dmsetup info $NAME >/dev/null 2>&1 || fail "a device was made"
DEVNAME=$HDD DM_MULTIPATH_DEVICE_PATH=0 ssdup_exits 0 tab --udev
says "SSDUP_ROLE=hdd"
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD
rm -r /run/udev
