#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The power goes at each step while another SSD takes the place of one of two that hold the same,
# under load of two devices, and the one that goes may die with it. What was promised is there on what
# counts, saying the same again ends what was begun, and then the new one has everything.
# invariant: 2 3 4
# seconds: 900
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

HDD_B=/dev/mhdd1
OTHER=/dev/mssd1
NEW=/dev/mssd2
SET=-opolicy=all,autocommit_ms=50,drain=manual
all=/sys/module/ssdup_disks/parameters
STEPS="member_begin member_between member_done epoch_begin epoch_between epoch_done load_headers
	replay_done suspend_closed suspend_between free_tail seal_between commit_flushed"

io_b()
{
	iocheck "$T/model-b" /dev/mapper/other "$@"
}

# make_all - both devices, of what counts
make_all()
{
	ssdup_exits 0 create $NAME --hdd $HDD --ssd UUID="$uuid" $SET
	ssdup_exits 0 create other --hdd $HDD_B --ssd UUID="$uuid_b" $SET
	find_sys
}

remove_all()
{
	! dmsetup info $NAME >/dev/null 2>&1 || remove_ssdup
	! dmsetup info other >/dev/null 2>&1 || must dmsetup remove --retry other
}

# new_pool - of an SSD and its mirror, with data of two logs
new_pool()
{
	local disk

	make_disks ssd_discard=0 hdds=2 hdd_size_mb=5 ssds=3 ssd_size_mb=20 ssd_cache_mb=4 hdd_cache_mb=4
	for disk in $HDD:aaaaaaaa $HDD_B:bbbbbbbb; do
		echo "naa.5000c500${disk#*:}" >"/sys/block/$(basename "${disk%:*}")/wwid"
	done
	rm -f "$MODEL" "$T/model-b"
	ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD --mirror $OTHER $SET
	ssdup_exits 0 create other --hdd $HDD_B --ssd $SSD --add $SET
	find_sys
	uuid=$(<"$SYS/log_uuid")
	uuid_b=$(cat /sys/block/dm-"$(dmsetup info -c --noheadings -o minor other)"/ssdup/log_uuid)
	io write len=4096 fsync=1
	must io_b write len=4096 fsync=1
}

# load NUMBER - until the power goes, or for a while
load()
{
	{ io_b random len=8192 nr=300 bs=8 fsync=1 errors=1 seed="$1" >"$T/b" 2>&1 || :; } &
	{ iocheck "$MODEL" $DEV random len=8192 nr=300 bs=8 fsync=1 errors=1 seed="$1" >"$T/a" 2>&1 || :; } &
}

# replace - 4, 3: it had been done
replace()
{
	local code=0

	ssdup pool replace UUID="$uuid" $OTHER $NEW >"$T/out" 2>&1 </dev/null || code=$?
	[ $code = 0 ] || [ $code = 4 ] || [ $code = 3 ] || { cat "$T/out"; fail "replace: status $code"; }
}

# cut_at STEP NUMBER DIES - while it is replaced. Return: did the power go? Then all is back
cut_at()
{
	local step=$1 number=$2 dies=$3 name

	load "$number"
	echo "$step $number $((RANDOM % 100))" >$all/cut_at || fail "cut_at does not take $step"
	ssdup pool replace $SSD $OTHER $NEW >"$T/out" 2>&1 </dev/null || :
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
	[ "$dies" = none ] || model "$dies" gone 1
	power_on
	echo off >$all/cut_at
	cuts=$((cuts + 1))
	make_all
	io recover
	io_b recover || fail "$step $number: lost by the second log"
	[ "$dies" = none ] || model "$dies" gone 0
}

cuts=0
for step in $STEPS; do
	numbers="1 2 4"
	[ "${step%_*}" != member ] || numbers="1 2 3 4 5 6 7 8"
	for number in $numbers; do
		new_pool
		# By then the one that is replaced is out.
		dies=none
		case $step-$number in
		epoch*-[24] | suspend*-[24] | load*-[24] | free*-[24]) dies=mssd1 ;;
		esac
		cut_at "$step" "$number" $dies || break
		io random len=8192 nr=100 bs=8 seed=9
		replace
		[ "$(stat mirrors_out)" = 0 ] || fail "$step $number: not whole: $(<"$T/out")"
		dmsetup table $NAME | grep -q "$(lsblk -dno MAJ:MIN $NEW | tr -d ' ')" ||
			fail "$step: the table is $(dmsetup table $NAME)"
		io verify
		# it has everything
		model mssd0 gone 1
		io random len=8192 nr=100 bs=8 seed=10
		must io_b random len=8192 nr=100 bs=8 seed=10 fsync=1
		io verify
		must io_b verify
		remove_all
		make_all
		io verify
		must io_b verify
		remove_all
		model mssd0 gone 0
	done
	echo off >$all/cut_at
	remove_all
done
above "cuts" $cuts 20
