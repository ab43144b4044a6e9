#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The power goes at each step of adding, of forgetting and of activating a log, and then at any moment
# while three logs share an SSD and segments go from one to the other. All come back, and have all
# that was promised.
# invariant: 2 3 4
# seconds: 600
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
# shellcheck source=scripts/tests/superblock.sh
. /ssdup/scripts/tests/superblock.sh

B=00000000-0000-4000-8000-0000000000bb
D=00000000-0000-4000-8000-0000000000dd
C=
KEYS="policy all autocommit_ms 50"
CUTS=${1:-40}
all=/sys/module/ssdup_disks/parameters

io_b()
{
	iocheck "$T/model-b" /dev/mapper/other "$@"
}

io_d()
{
	iocheck "$T/model-d" /dev/mapper/third "$@"
}

# table_of HDD UUID [KEY VALUE]...
table_of()
{
	echo "0 $LEN ssdup $1 $SSD $# log ${*:2}"
}

# make_a [MB], make_b [MB], make_d [MB] - the three devices
make_a()
{
	# shellcheck disable=SC2086
	make_ssdup log "$A" $KEYS max_mb "${1:-6}"
}

make_b()
{
	# shellcheck disable=SC2086
	dmsetup create other --table "$(table_of /dev/mhdd1 $B $KEYS max_mb "${1:-6}")" ||
		fail "no second device: $(dmesg | tail -n 3)"
}

make_d()
{
	# shellcheck disable=SC2086
	dmsetup create third --table "$(table_of /dev/mhdd2 $D $KEYS max_mb "${1:-6}")" ||
		fail "no third device: $(dmesg | tail -n 3)"
}

# remove_all - those that there are
remove_all()
{
	local name

	for name in $NAME other third; do
		! dmsetup info "$name" >/dev/null 2>&1 || must dmsetup remove --retry "$name"
	done
}

# new_uuid - C is one that no log had
new_uuid()
{
	C=$(</proc/sys/kernel/random/uuid)
}

# goes_at STEP MESSAGE... - the power does, in that message
goes_at()
{
	local step=$1

	shift
	echo "$step 1 $((RANDOM % 100))" >$all/cut_at || fail "cut_at does not take $step"
	message "$@" 2>/dev/null || :
	until [ "$(<$all/cut_at)" = "done $step" ]; do
		nap 0.01
	done
	remove_all
	power_on
	echo off >$all/cut_at
	make_a
	io recover
	make_b
	io_b recover || fail "$step: lost by the neighbour"
	must dmsetup remove --retry other
}

slow_disks hdds=3 hdd_size_mb=9 ssd_size_mb=20 ssd_cache_mb=4 hdd_cache_mb=4
# shellcheck disable=SC2086
make_ssdup $KEYS max_mb 6
A=$(stat log_uuid)
must message log_add $B "$LEN" 1
make_b
io write len=4096
must io_b write len=4096 fsync=1
must dmsetup remove --retry other

# a log that comes and goes, beside one that is not active
for step in add_begin add_between add_record logs_between add_done; do
	new_uuid
	goes_at $step log_add "$C" 131072 8
	# whether it is there, the superblock says
	case $(pool_logs) in
	2) must message log_add "$C" 131072 8 ;;
	3) [ $step = logs_between ] || [ $step = add_done ] || fail "$step: it is there" ;;
	*) fail "$step: $(pool_logs) logs" ;;
	esac
	must message log_forget "$C"
done
for step in forget_begin logs_between forget_done; do
	new_uuid
	must message log_add "$C" 131072 8
	goes_at $step log_forget "$C"
	case $(pool_logs) in
	2) [ $step != forget_begin ] || fail "$step: it is gone" ;;
	3) must message log_forget "$C" ;;
	*) fail "$step: $(pool_logs) logs" ;;
	esac
done
make_b

# the power goes while a log is activated, beside one that writes
for step in load_super load_headers replay_segment replay_done epoch_begin epoch_between epoch_done; do
	io write len=2048 fsync=1
	must io_b write len=2048 start=8192 fsync=1
	must dmsetup remove --retry other
	{ iocheck "$MODEL" $DEV random len=16384 nr=400 bs=8 fsync=1 errors=1 >"$T/a" 2>&1 || :; } &
	echo "$step 1 $((RANDOM % 100))" >$all/cut_at || fail "cut_at does not take $step"
	# shellcheck disable=SC2086
	dmsetup create other --table "$(table_of /dev/mhdd1 $B $KEYS max_mb 6)" 2>/dev/null || :
	until [ "$(<$all/cut_at)" = "done $step" ]; do
		nap 0.01
	done
	wait
	remove_all
	power_on
	echo off >$all/cut_at
	make_b
	make_a
	io recover
	io_b recover || fail "$step: lost by the log that was activated"
done
must message log_add $D "$LEN" 1
make_d

# any moment: sizes change from one time to the next, so that segments change hands
for ((i = 0; i < CUTS; i++)); do
	{ io_b random len=16384 nr=$((10 + RANDOM % 400)) bs=8 fsync=1 errors=1 seed=$i >"$T/b" 2>&1 || :; } &
	{ iocheck "$MODEL" $DEV random len=16384 nr=$((10 + RANDOM % 400)) bs=8 fsync=1 errors=1 seed=$i >"$T/a" 2>&1 || :; } &
	{ io_d random len=16384 nr=$((10 + RANDOM % 400)) bs=8 fsync=1 errors=1 seed=$i >"$T/d" 2>&1 || :; } &
	nap "0.$((RANDOM % 4))$((RANDOM % 10))"
	power_cut $((RANDOM % 1000))
	wait
	remove_all
	power_on
	case $((i % 3)) in
	0) make_a $((3 + i % 5)); make_b $((7 - i % 5)); make_d 5 ;;
	1) make_b $((3 + i % 4)); make_d $((7 - i % 4)); make_a 6 ;;
	2) make_d 7; make_a $((3 + i % 5)); make_b $((7 - i % 5)) ;;
	esac
	io recover
	io_b recover || fail "cut $i: lost by the second log"
	io_d recover || fail "cut $i: lost by the third log"
done
flush
must dmsetup message other 0 drain
must dmsetup message third 0 drain
io verify
io_b verify || fail "lost by the second log, drained"
io_d verify || fail "lost by the third log, drained"
