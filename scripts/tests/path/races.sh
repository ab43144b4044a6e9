#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Everything at once on a kernel that watches itself: writers, readers, discards,
# zeroes, flushes, drains, knobs, status, tracing, suspends, reloads; and between
# rounds the device is removed with what is not written back, and made again.
# Content stays right, and the kernel reports nothing. An argument is the seconds
# to go on for.
# invariant: 1
# kernels: debug
# cpus: 4
# nice: 10
# seconds: 1200
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

duration=${1:-100}
round=50
span=16384
go=$T/go

# pick WORD... - one of them
pick()
{
	shift $((RANDOM % $#))
	echo "$1"
}

# doze - up to a second
doze()
{
	sleep "0.$((RANDOM % 10))"
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
	turn policy all none adaptive watermark balance
	turn drain auto eager manual
	turn autocommit_ms 1 100 2000
	turn clean_percent 0 50 90
	turn promote 0 1000T 1000T
	turn ssd_budget 0 0 1M
	sleep 0.2
}

# Classes are refused if the log has one only.
messages()
{
	message "$(pick drain commit commit clear_stats lost_ranges forget)"
	message drain "$(pick start start pause)"
	message set policy "$(pick all adaptive)"
	message class "$(pick default a b)"
	message class "$(pick default a b)" $((RANDOM % (4 * span))) $((RANDOM % span + 1))
	doze
}

readers_of_state()
{
	dmsetup status $NAME
	dmsetup table $NAME
	dmsetup table --inactive $NAME
	cat "$SYS"/*
	sleep 0.2
}

tables()
{
	doze
	dmsetup suspend ${NOFLUSH:+--noflush} $NAME
	dmsetup resume $NAME
	doze
	dmsetup reload $NAME --table "$(table clean "$(pick 0 50 90)" \
		policy "$(pick all watermark adaptive balance)" "${classes[@]}")"
	case $((RANDOM % 4)) in
	0) dmsetup clear $NAME ;;
	1) ;;
	*) dmsetup suspend ${NOFLUSH:+--noflush} $NAME ;;
	esac
	dmsetup resume $NAME
	NOFLUSH=$(pick 1 "")
}

tracing()
{
	pick 0 1 >/sys/kernel/tracing/events/ssdup/enable
	tail -n 100 /sys/kernel/tracing/trace
	sleep 1
}

# overwrites, watchers - reads while the same sectors are written, in flight at once
overwrites()
{
	iocheck "$MODEL.w" $DEV random start=$((4 * span)) len=2048 bs=8 nr=500 seed=$RANDOM ||
		echo overwrites >>"$T/wrong"
}

watchers()
{
	iocheck "$MODEL.w" $DEV watch start=$((4 * span)) len=2048 bs=16 seconds=3 \
		seed=$RANDOM || echo watchers >>"$T/wrong"
}

# repeat COMMAND - until the round is over
repeat()
{
	while [ -e "$go" ]; do
		"$1"
	done
}

# one_round SECONDS - all of them
one_round()
{
	local n writers=() helpers=() quiet

	: >"$go"
	for n in 0 1 2 3; do
		iocheck "$MODEL.$n" $DEV stress start=$((n * span)) len=$span max=200 \
			fua=$((n == 3)) seed=$RANDOM seconds="$1" &
		writers+=($!)
	done
	for quiet in overwrites watchers watchers; do
		repeat $quiet >/dev/null &
		helpers+=($!)
	done
	for quiet in knobs messages readers_of_state tables tracing; do
		repeat $quiet >/dev/null 2>&1 &
		helpers+=($!)
	done
	for n in 0 1 2 3; do
		wait "${writers[n]}" || echo "writer $n" >>"$T/wrong"
	done
	rm "$go"
	wait "${helpers[@]}"
	[ ! -s "$T/wrong" ] || fail "found something wrong: $(cat "$T/wrong")"
}

# verify DEVICE
verify()
{
	local n

	for n in 0 1 2 3; do
		must iocheck "$MODEL.$n" "$1" verify start=$((n * span)) len=$span
	done
	must iocheck "$MODEL.w" "$1" verify start=$((4 * span)) len=2048
}

# Four processors may share what is left of one: that is no hang.
echo 900 >/proc/sys/kernel/hung_task_timeout_secs
echo 300 >/sys/module/rcupdate/parameters/rcu_cpu_stall_timeout
echo 900 >/sys/module/workqueue/parameters/watchdog_thresh

# In the kernel that looks for data races: only our modules are instrumented, so
# more accesses may be watched than one in 4000, and for longer: another processor
# of a machine that shares its host needs its time to come by.
kcsan=/sys/module/kcsan/parameters
if [ -d $kcsan ]; then
	echo 500 >$kcsan/skip_watch
	echo 3000 >$kcsan/udelay_task
	echo 1000 >$kcsan/udelay_interrupt
fi

make_disks ssd_size_mb=13 hdd_discard=1
classes=(classes a:late+b)
make_ssdup "${classes[@]}"
must iocheck "$MODEL.w" $DEV write start=$((4 * span)) len=2048
NOFLUSH=
rounds=0 carried_over=0
end=$((SECONDS + duration))
while left=$((end - SECONDS)); [ $left -gt 0 ]; do
	one_round $((left < round ? left : round))
	rounds=$((rounds + 1))
	echo 0 >/sys/kernel/tracing/events/ssdup/enable
	# Another policy than balance has no price.
	knob ssd_budget 0
	knob policy all
	knob drain manual
	iocheck "$MODEL.w" $DEV random start=$((4 * span)) len=2048 bs=8 nr=100 || fail "last writes"
	[ "$(stat dirty_sectors)" = 0 ] || carried_over=$((carried_over + 1))
	remove_ssdup
	# What the log holds keeps it from another number of classes.
	classes=(classes a:late+b)
	[ $((RANDOM % 3)) != 0 ] || classes=()
	make_ssdup "${classes[@]}"
	verify $DEV
done
above "rounds with something to carry over" $carried_over 0
flush
verify $DEV
remove_ssdup
verify $HDD
[ ! -d $kcsan ] || grep -E 'watchpoints|races' /sys/kernel/debug/kcsan
echo "$rounds rounds, $carried_over with something to carry over"
