#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The power goes at each step while a pool gets an SSD, and while it gives one up, under load of two
# devices. Both come back by what the superblocks say, with all that was promised, and saying the
# same again ends what was begun.
# invariant: 2 3 4
# seconds: 900
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

HDD_B=/dev/mhdd1
NEW=/dev/mssd1
SET=-opolicy=all,autocommit_ms=50
all=/sys/module/ssdup_disks/parameters
STEPS="member_begin member_between member_done ssds_between load_super load_headers replay_segment
	replay_done epoch_begin epoch_between epoch_done suspend_closed suspend_between free_tail"

io_b()
{
	iocheck "$T/model-b" /dev/mapper/other "$@"
}

# make_all SSD - both devices, by what that SSD says
make_all()
{
	ssdup_exits 0 create $NAME --hdd $HDD --ssd "$1" $SET
	ssdup_exits 0 create other --hdd $HDD_B --ssd "$1" $SET
	find_sys
}

# new_pool - of one SSD, with data of two logs
new_pool()
{
	local disk

	make_disks ssd_discard=0 hdds=2 hdd_size_mb=5 ssds=2 ssd_size_mb=20 ssd_cache_mb=4 hdd_cache_mb=4
	for disk in $HDD:aaaaaaaa $HDD_B:bbbbbbbb; do
		echo "naa.5000c500${disk#*:}" >"/sys/block/$(basename "${disk%:*}")/wwid"
	done
	rm -f "$MODEL" "$T/model-b"
	ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD $SET
	ssdup_exits 0 create other --hdd $HDD_B --ssd $SSD --add $SET
	find_sys
	io write len=4096 fsync=1
	must io_b write len=4096 fsync=1
}

# load NUMBER - until the power goes, or for a while
load()
{
	{ io_b random len=8192 nr=300 bs=8 fsync=1 errors=1 seed="$1" >"$T/b" 2>&1 || :; } &
	{ iocheck "$MODEL" $DEV random len=8192 nr=300 bs=8 fsync=1 errors=1 seed="$1" >"$T/a" 2>&1 || :; } &
}

# cut_at STEP NUMBER SSD COMMAND... - of ssdup. Return: did the power go? Then all is back by SSD
cut_at()
{
	local step=$1 number=$2 ssd=$3 name

	shift 3
	load "$number"
	echo "$step $number $((RANDOM % 100))" >$all/cut_at || fail "cut_at does not take $step"
	ssdup "$@" >"$T/out" 2>&1 </dev/null || :
	while [[ $(<$all/cut_at) == cutting* ]]; do
		nap 0.01
	done
	wait
	if [ "$(<$all/cut_at)" != "done $step" ]; then
		echo off >$all/cut_at
		return 1
	fi
	for name in $NAME other; do
		! dmsetup info "$name" >/dev/null 2>&1 || must dmsetup remove --force "$name"
	done
	power_on
	echo off >$all/cut_at
	cuts=$((cuts + 1))
	make_all "$ssd"
	io recover
	io_b recover || fail "$step $number: lost by the second log"
}

# again COMMAND... - what was cut is ended; 4: it had been done
again()
{
	local code=0

	ssdup "$@" >"$T/out" 2>&1 </dev/null || code=$?
	[ $code = 0 ] || [ $code = 4 ] || [ $code = 3 ] || { cat "$T/out"; fail "status $code of: ssdup $*"; }
}

cuts=0
for step in $STEPS; do
	for number in 1 2 4; do
		new_pool
		cut_at "$step" "$number" $SSD pool add $SSD $NEW || break
		again pool add $SSD $NEW
		is "SSDs" "$(wc -w <"$SYS/ssd_dev")" 2
		io random len=8192 nr=200 bs=8 seed=9
		io verify
		cut_at "$step" "$number" $NEW pool remove $NEW $SSD || :
		again pool remove $NEW $SSD
		grep -q "^- " "$SYS/ssd_dev" || fail "$step: SSDs are $(<"$SYS/ssd_dev")"
		must io_b verify
		io verify
		remove_ssdup
		must dmsetup remove --retry other
		make_all $NEW
		io verify
		must io_b verify
		remove_ssdup
		must dmsetup remove --retry other
	done
	! dmsetup info $NAME >/dev/null 2>&1 || remove_ssdup
	! dmsetup info other >/dev/null 2>&1 || must dmsetup remove --retry other
done
above "cuts" $cuts 40
