#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Nothing stale is read, with all that makes data clean, or copies it, and all that makes it stale,
# at once: writers by every route, readers that know what they may find, drains, segments that are
# opened again, suspends during which the HDD is written by itself, reloads. An argument is the
# seconds to go on for.
# invariant: 1 9
# kernels: debug
# cpus: 4
# nice: 10
# seconds: 900
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

duration=${1:-40}
span=12288	# sectors; three of them are about the log
go=$T/go

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
	turn policy all none balance all none
	turn drain auto eager eager manual
	turn clean_percent 0 10 50 90 90 90
	turn promote 0 1000T 1000T 1000T
	message "$(pick drain drain drain commit commit forget)"
	nap "0.$((RANDOM % 10))"
}

# the HDD gets data of its own, in a part that nobody else writes
tables()
{
	nap "$((RANDOM % 3)).$((RANDOM % 10))"
	if [ $((RANDOM % 2)) = 1 ]; then
		dmsetup reload $NAME --table "$(table policy all clean 90 promote 1000T)"
	fi
	# what the log holds of it counts, whatever the HDD gets
	message drain || return
	dmsetup suspend $NAME || return
	iocheck "$MODEL.h" $HDD write start=$((4 * span)) len=2048 bs=64 fsync=1 ||
		echo "behind" >>"$T/wrong"
	dmsetup resume $NAME
	# so that it becomes clean, too
	echo all >"$SYS/policy"
	iocheck "$MODEL.h" $DEV write start=$((4 * span)) len=2048 bs=8 || echo "before" >>"$T/wrong"
}

# watch N START LEN BS - read it while others write
watch()
{
	iocheck "$MODEL.$1" $DEV watch start="$2" len="$3" bs="$4" seconds=2 seed=$RANDOM ||
		echo "watch $1" >>"$T/wrong"
}

watch_overwrites()
{
	watch w $((3 * span)) 4096 "$(pick 8 16 64 256)"
}

watch_behind()
{
	watch h $((4 * span)) 2048 "$(pick 8 64 256)"
}

overwrites()
{
	iocheck "$MODEL.w" $DEV random start=$((3 * span)) len=4096 bs="$(pick 1 8 8 32)" nr=200 \
		seed=$RANDOM || echo "overwrites" >>"$T/wrong"
}

# repeat COMMAND - until the end
repeat()
{
	while [ -e "$go" ]; do
		"$1"
	done
}

echo 900 >/proc/sys/kernel/hung_task_timeout_secs
echo 300 >/sys/module/rcupdate/parameters/rcu_cpu_stall_timeout
echo 900 >/sys/module/workqueue/parameters/watchdog_thresh

# one_round SECONDS - all of them
one_round()
{
	local n writers=() helpers=() now last=0 copies last_copies=0

	: >"$go"
	for n in 0 1 2; do
		iocheck "$MODEL.$n" $DEV stress start=$((n * span)) len=$span max=200 seed=$RANDOM \
			seconds="$1" &
		writers+=($!)
	done
	for n in knobs tables overwrites watch_overwrites watch_overwrites watch_behind; do
		repeat "$n" >/dev/null 2>&1 &
		helpers+=($!)
	done
	for n in 0 1 2; do
		while kill -0 "${writers[n]}" 2>/dev/null; do
			nap 0.2
			# a reload begins to count anew
			now=$(stat reads_clean 2>/dev/null) || continue
			clean_reads=$((clean_reads + now - (now < last ? 0 : last)))
			last=$now
			copies=$(stat reads_promoted 2>/dev/null) || continue
			copy_reads=$((copy_reads + copies - (copies < last_copies ? 0 : last_copies)))
			last_copies=$copies
		done
		wait "${writers[n]}" || echo "writer $n" >>"$T/wrong"
	done
	rm "$go"
	wait "${helpers[@]}"
	[ ! -s "$T/wrong" ] || fail "found something wrong: $(cat "$T/wrong")"
}

make_disks ssd_size_mb=21 hdd_discard=1
make_ssdup policy all clean 90 promote 1000T
must iocheck "$MODEL.w" $DEV write start=$((3 * span)) len=4096
must iocheck "$MODEL.h" $DEV write start=$((4 * span)) len=2048
# on a busy host there is little in a round
clean_reads=0 copy_reads=0 end=$((SECONDS + duration))
for ((rounds = 0; rounds < 8 || SECONDS < end; rounds++)); do
	[ $SECONDS -lt $end ] || [ $clean_reads -lt 200 ] || [ $copy_reads -lt 20 ] || break
	one_round 20
done
above "reads of clean data" "$clean_reads" 100
above "reads of copies" "$copy_reads" 10
for dev in $DEV $HDD; do
	for n in 0 1 2; do
		must iocheck "$MODEL.$n" "$dev" verify start=$((n * span)) len=$span
	done
	must iocheck "$MODEL.w" "$dev" verify start=$((3 * span)) len=4096
	must iocheck "$MODEL.h" "$dev" verify start=$((4 * span)) len=2048
	knob policy all
	message drain start
	flush
done
remove_ssdup
echo "$rounds rounds, $clean_reads reads of clean data, $copy_reads of copies"
