#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The power goes at each step of a log on three SSDs, and at random moments of loads on two and on
# three of them, each with a cache of its own: nothing is lost that was promised, and a new log is
# there as a whole, or is made again.
# invariant: 2 3 4
# time: virtual
# seconds: 900
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

all=/sys/module/ssdup_disks/parameters
KEYS="policy all ssd /dev/mssd1 ssd /dev/mssd2"

# format_cut STEP NUMBER - a new log, and a cut when that step comes so often
format_cut()
{
	echo "$1 $2 $((RANDOM % 100))" >$all/cut_at || fail "cut_at does not take $1"
	# shellcheck disable=SC2086
	dmsetup create $NAME --table "$(table $KEYS)" 2>/dev/null || :
	while [[ $(<$all/cut_at) == cutting* ]]; do
		nap 0.01
	done
	[ "$(<$all/cut_at)" = "done $1" ] || return 1
	! dmsetup info $NAME >/dev/null 2>&1 || must dmsetup remove --force $NAME
	power_on
	echo off >$all/cut_at
}

# each step of making a log, and the next attempt is cut, too: in the end there is one
modprobe dm-ssdup
cuts=0
for again in 0 1 3 5; do
	for step in format_record format_between ssds_between; do
		for number in {1..12}; do
			make_disks hdd_size_mb=16 ssds=3 ssd_cache_mb=4
			format_cut $step "$number" || break
			[ $again = 0 ] || format_cut ssds_between $again || :
			echo off >$all/cut_at
			! dmsetup info $NAME >/dev/null 2>&1 || must dmsetup remove --retry $NAME
			# shellcheck disable=SC2086
			make_ssdup $KEYS
			io write len=2048 fsync=1
			reboot 7 policy all ssd /dev/mssd1 ssd /dev/mssd2
			io recover
			remove_ssdup
			cuts=$((cuts + 1))
		done
		! dmsetup info $NAME >/dev/null 2>&1 || must dmsetup remove --retry $NAME
	done
done
is "cuts of new logs" $cuts 60

cuts_test ssds=3 steps=1 0 80
above "cuts at steps" "$(cuts_seen)" 79
cuts=0
for profile in 0 1 2 3 4 5; do
	cuts_test ssds=$((2 + profile % 2)) profile=$profile $((profile * 100)) 8
	cuts=$((cuts + $(cuts_seen)))
done
above "cuts" $cuts 60
# one of them fails before that, as a whole or by its flushes
cuts_test ssds=3 dies=1 5000 20
above "cuts with an SSD that fails" "$(cuts_seen)" 20
# three classes on each
cuts_test ssds=2 classes=1 3000 10
