#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The power goes while two SSDs that hold the same are made, and at random moments and each step of
# loads, when both are well or one has failed before. Nothing is lost that was promised, whichever of
# the two is asked, and what was read after the cut is read from the other one, too.
# invariant: 2 3 5
# time: virtual
# seconds: 900
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

all=/sys/module/ssdup_disks/parameters
OTHER=/dev/mssd1
KEYS="policy all"

# made_until NUMBER - a new log, and a cut at that request; false: it was made before that
made_until()
{
	echo "request $1 $1" >$all/cut_at || fail "cut_at does not take request"
	# shellcheck disable=SC2086
	dmsetup create $NAME --table "$(table $KEYS mirror $OTHER)" 2>/dev/null || :
	while [[ $(<$all/cut_at) == cutting* ]]; do
		nap 0.01
	done
	! dmsetup info $NAME >/dev/null 2>&1 || must dmsetup remove --force $NAME
	[ "$(<$all/cut_at)" = "done request" ] || return 1
	power_on
	echo off >$all/cut_at
}

# requests - that the disks have got, ever
requests()
{
	cat /sys/block/{mhdd0,mssd0,mssd1}/stat | awk '{ all += $1 + $5 + $12 + $16 } END { print all }'
}

# each write of making them, which come last; the next attempt makes them, or finds them
modprobe dm-ssdup
make_disks ssd_discard=0 hdd_size_mb=5 ssds=2 ssd_size_mb=34 ssd_cache_mb=4
before=$(requests)
# shellcheck disable=SC2086
make_ssdup $KEYS mirror $OTHER
last=$(($(requests) - before))
remove_ssdup
cuts=0
for ((number = last - 60; number < last + 20; number++)); do
	make_disks ssd_discard=0 hdd_size_mb=5 ssds=2 ssd_size_mb=34 ssd_cache_mb=4
	rm -f "$MODEL"
	made_until "$number" || break
	# shellcheck disable=SC2086
	make_ssdup $KEYS mirror $OTHER
	is "mirrors out" "$(stat mirrors_out)" 0
	io write len=2048 fsync=1
	# shellcheck disable=SC2086
	reboot 7 $KEYS mirror $OTHER
	io recover
	remove_ssdup
	cuts=$((cuts + 1))
done
echo off >$all/cut_at
! dmsetup info $NAME >/dev/null 2>&1 || remove_ssdup
echo "$cuts cuts while they were made"
above "cuts while they were made" $cuts 40
below "cuts while they were made" $cuts 79

# what was read after a cut, with the pages of both in flight, does not change with the SSD
for seed in {1..16}; do
	slow_disks ssd_discard=0 hdd_size_mb=5 ssds=2 ssd_size_mb=34
	rm -f "$MODEL"
	# shellcheck disable=SC2086
	make_ssdup $KEYS drain manual mirror $OTHER
	io mixed max=32 nr=60 seed="$seed"
	io flush
	echo "commit_sent 1 $seed" >$all/cut_at
	io random nr=40 bs=8 fsync=1 seed="1$seed" 2>/dev/null &
	wait
	while [[ $(<$all/cut_at) == cutting* ]]; do
		nap 0.01
	done
	[ "$(<$all/cut_at)" = "done commit_sent" ] || fail "the power did not go: $(<$all/cut_at)"
	must dmsetup remove --force $NAME
	power_on
	echo off >$all/cut_at
	# shellcheck disable=SC2086
	make_ssdup $KEYS drain manual mirror $OTHER
	is "mirrors out" "$(stat mirrors_out)" 0
	io recover
	SSD=/dev/mssd$((seed % 2))
	remove_ssdup
	# shellcheck disable=SC2086
	make_ssdup $KEYS drain manual mirror -
	io verify
	message drain
	io_on $HDD verify
	SSD=/dev/mssd0
	remove_ssdup
done

# both are well, or the same one of the two fails before that
cuts_test mirror=1 1 15
above "cuts" "$(cuts_seen)" 30
cuts_test mirror=1 dies=1 1000 30
above "cuts with one that fails" "$(cuts_seen)" 60
cuts_test mirror=1 dies=1 ssds=2 2000 15
above "cuts of two with mirrors" "$(cuts_seen)" 30
