#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Everything at once on a kernel that watches itself: writers, readers, discards,
# zeroes, flushes, drains, knobs, status, suspends, reloads. Content stays right,
# and the kernel reports nothing.
# kernels: debug
# cpus: 4
# seconds: 400
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

span=16384
duration=${SSDUP_STRESS_SECONDS:-60}

# pick WORD... - one of them
pick()
{
	shift $((RANDOM % $#))
	echo "$1"
}

# turn KNOB VALUE... - to one of them
turn()
{
	local knob=$1

	shift
	pick "$@" >"$SYS/$knob"
}

knobs()
{
	while :; do
		turn policy all none adaptive watermark
		turn full block bypass
		turn drain auto eager manual
		turn drain_depth_reads 1 7 256 1024
		turn stream_length_writes 8 32 128
		turn autocommit_ms 1 100 2000
		sleep 0.3
	done 2>/dev/null
}

drains()
{
	while :; do
		message "$(pick flush commit clear_stats)"
		message drain "$(pick start pause)"
		sleep "0.$((RANDOM % 6))"
	done 2>/dev/null
}

readers_of_state()
{
	while :; do
		dmsetup status $NAME
		dmsetup table $NAME
		message lost_ranges
		cat "$SYS"/*
		sleep 0.2
	done >/dev/null 2>&1
}

tables()
{
	local noflush=()

	while :; do
		sleep 1
		dmsetup suspend "${noflush[@]}" $NAME
		dmsetup resume $NAME
		sleep 0.5
		dmsetup reload $NAME --table "$(table range_mb "$(pick 1 2 4)" full "$(pick block bypass)")"
		dmsetup suspend "${noflush[@]}" $NAME
		dmsetup resume $NAME
		[ ${#noflush[@]} = 0 ] && noflush=(--noflush) || noflush=()
	done
}

make_disks ssd_size_mb=12 hdd_discard=1
make_ssdup
writers=()
for n in 0 1 2 3; do
	iocheck "$MODEL.$n" $DEV stress start=$((n * span)) len=$span max=200 seed=$RANDOM \
		seconds="$duration" &
	writers+=($!)
done
helpers=()
for helper in knobs drains readers_of_state tables; do
	$helper &
	helpers+=($!)
done
failed=0
for n in 0 1 2 3; do
	wait "${writers[n]}" || failed=1
done
kill "${helpers[@]}"
wait "${helpers[@]}" 2>/dev/null
dmsetup resume $NAME
[ $failed = 0 ] || fail "a writer found something wrong"
must message flush
for n in 0 1 2 3; do
	must iocheck "$MODEL.$n" $DEV verify start=$((n * span)) len=$span
	must iocheck "$MODEL.$n" $HDD verify start=$((n * span)) len=$span
done
remove_ssdup
