#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A write to the guarded range is in the HDD's cache only when the guard closes, or opens, and the
# power goes when the member block has just got its checksums. The device comes back: they are of
# what is durable, not of what the cache had.
# invariant: 11
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

all=/sys/module/ssdup_disks/parameters

# goes_in STATE COMMAND... - the power does, in the change of the guard from there that it makes
goes_in()
{
	is "guard" "$(stat guard)" "$1"
	echo "guard_member 1 $seed" >$all/cut_at || fail "cut_at does not take the step"
	io write start=16 len=8 bs=8
	"${@:2}" 2>/dev/null || :
	until [ "$(<$all/cut_at)" = "done guard_member" ]; do
		nap 0.01
	done
	must dmsetup remove --force $NAME
	power_on
	echo off >$all/cut_at
	make_ssdup policy none drain eager
	io recover len=2048
	flush
}

# logs_one - a write to the log, which closes the guard
logs_one()
{
	knob policy all
	io write start=1024 len=8 bs=8 errors=1
}

make_disks hdd_cache_mb=4
make_ssdup policy none drain eager
io write len=2048 bs=64 fsync=1
for seed in 1 2 3 4 5 6; do
	goes_in 0 logs_one

	logs_one
	wait_until guard -eq 2
	commits
	wait_until dirty_sectors -eq 0
	knob policy none
	goes_in 2 dmsetup suspend $NAME
done
