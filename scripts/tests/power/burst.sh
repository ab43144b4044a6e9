#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The power goes in the middle of a burst of writes, flushes, discards and
# zeroes over both routes, with segments turning over: every sector is one of
# those versions that may be there.
# invariant: 2 3
# cpus: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# burst N SEED - in its own part of the disk, with its own model
burst()
{
	iocheck "$MODEL.$1" $DEV stress start=$(($1 * 20000)) len=16384 max=64 \
		seed="$2" seconds=60 errors=1
}

# Writes take a while, so that some are under way when the power goes. On an HDD that knows no
# discards, one that is found after the cut, without the write that was to follow, would
# bring back what was there before.
slow_disks ssd_size_mb=11 ssd_cache_mb=4 ssd_latency_us=1000 hdd_cache_mb=16 hdd_rpm=30000 \
	hdd_discard=1
make_ssdup policy all drain eager autocommit_ms 100
for seed in 1 2 3 4 5 6; do
	for n in 0 1; do
		burst $n $seed &
	done
	knob policy none
	sleep 0.2
	knob policy all
	sleep "0.$((seed * 13 % 10))"
	power_cut $seed
	wait
	must dmsetup remove --retry $NAME
	power_on
	make_ssdup policy all drain eager autocommit_ms 100
	for n in 0 1; do
		must iocheck "$MODEL.$n" $DEV recover start=$((n * 20000)) len=16384
		must iocheck "$MODEL.$n" $DEV verify start=$((n * 20000)) len=16384
	done
done
flush
for n in 0 1; do
	must iocheck "$MODEL.$n" $HDD verify start=$((n * 20000)) len=16384
done
