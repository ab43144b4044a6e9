#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A power cut at any moment of a drain loses nothing that was flushed: a segment is
# freed only after its data is durable on the HDD, whose cache is volatile. Nor does
# one while a segment is sealed, or its header or the tail is written.
# invariant: 2 3 4
# cpus: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks ssd_cache_mb=4 hdd_cache_mb=32
make_ssdup policy all drain manual
for seed in 1 2 3 4 5 6; do
	# a batch has 256 of them at most
	io random len=32768 bs=4 nr=2000 seed=$seed
	io flush
	message drain 2>/dev/null &
	case $seed in
	1) wait_until drained_sectors -gt $((300 * 4)) ;;
	2) wait_until frees -gt 0 ;;
	3) wait $! ;;
	*) sleep "0.0$seed" ;;
	esac
	power_cut $seed
	wait
	must dmsetup remove --retry $NAME
	power_on
	make_ssdup policy all drain manual
	io recover len=32768
done

# cut_at STEP COUNT SEED
cut_at()
{
	echo "$1 $2 $3" >/sys/module/ssdup_disks/parameters/cut_at || fail "no cut at $1"
}

seed=10
for step in commit_header seal_begin seal_between seal_done free_tail free_between free_done; do
	for count in 1 2 3; do
		seed=$((seed + 1))
		io random len=32768 bs=4 nr=300 seed=$seed fsync=1
		cut_at $step $count $seed
		# many segments are opened and sealed, and freed in more than two groups
		while iocheck "$MODEL" $DEV random len=32768 bs=64 nr=100 seed=$seed errors=1 \
			fsync=1 2>/dev/null && message drain 2>/dev/null; do
			:
		done
		# the disks are decided about in the background
		until [ "$(</sys/module/ssdup_disks/parameters/cut_at)" = "done $step" ]; do
			nap 0.01
		done
		must dmsetup remove --retry $NAME
		power_on
		make_ssdup policy all drain manual
		io recover len=32768
		io verify len=32768
	done
done

# and a segment that was freed is never replayed over what went past it to the HDD
flush
knob policy none
io write len=32768 bs=512 fsync=1
power_cut 9
must dmsetup remove --retry $NAME
power_on
make_ssdup policy none
io recover len=32768
all_home
