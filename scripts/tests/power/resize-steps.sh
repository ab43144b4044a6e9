#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The power goes at each step of a device's taking a new size: it has the old one afterwards, or the
# new one, and all that was promised. The log is not empty, nor is it drained before.
# invariant: 2 11
# seconds: 300
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

all=/sys/module/ssdup_disks/parameters
OLD=98304 NEW=131072
KEYS="policy all drain manual"

# start - the device, with the size that the log knows
start()
{
	# shellcheck disable=SC2086
	LEN=$OLD make_ssdup $KEYS
	grown=$(dmesg | grep -c "the HDD has grown")
}

make_disks instant=0 ssd_size_mb=24 ssd_cache_mb=4 hdd_cache_mb=4
DISK=$HDD
HDD=/dev/mapper/volume
passed=0
for step in suspend_commit suspend_flush suspend_closed suspend_between suspend_done load_super \
	load_headers replay_segment replay_done epoch_begin epoch_between epoch_done; do
	must dmsetup create volume --table "0 $OLD linear $DISK 0"
	blank_log
	start
	must dmsetup reload volume --table "0 $NEW linear $DISK 0"
	must dmsetup suspend volume
	must dmsetup resume volume
	io random len=$OLD nr=60 fsync=1
	must dmsetup reload $NAME --table "0 $NEW ssdup $HDD $SSD 4 $KEYS"
	echo "$step 1 $((RANDOM % 100))" >$all/cut_at || fail "cut_at does not take $step"
	{ dmsetup suspend $NAME && dmsetup resume $NAME; } 2>/dev/null || :
	until [ "$(<$all/cut_at)" = "done $step" ]; do
		nap 0.01
	done
	must dmsetup remove --force $NAME
	power_on
	echo off >$all/cut_at
	start
	io recover len=$OLD
	[ "$step" != epoch_done ] || is "messages of a size that is old" "$grown" 0
	flush
	remove_ssdup
	must dmsetup remove volume
	dmesg -C
	passed=$((passed + 1))
done
is "steps" "$passed" 12
