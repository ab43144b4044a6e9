#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The power goes at the very step or request it was told, and stays off; steps
# are counted whichever of the two modules came first.
# invariant: none
# kernels: 6.12 6.1
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

all=/sys/module/ssdup_disks/parameters

# passed STEP - how often
passed()
{
	awk -v step="$1" '$1 == step { print $2 }' $all/steps
}

# goes_at WHAT COMMAND... - the command fails for a power cut there
goes_at()
{
	local what=$1 state step

	shift
	echo "$what 1 7" >$all/cut_at || fail "cut_at does not take $what"
	read -r state step <$all/cut_at
	is "what cut_at waits for" "$step" "$what"
	# a request may come of itself, such as a discard of what was freed
	[ "$what" = request ] || is "cut_at" "$state" armed
	must_not "$@"
	# the disks are decided about in the background
	until [ "$(cat $all/cut_at)" = "done $what" ]; do
		sleep 0.01
	done
	is "power of the HDD" "$(model $HDD power_cut)" 1
	is "power of the SSD" "$(model $SSD power_cut)" 1
	remove_ssdup
	power_on
	make_ssdup policy all drain manual
}

slow_disks ssd_cache_mb=4 hdd_cache_mb=16
make_ssdup policy all drain manual
above "passings of format_done" "$(passed format_done)" 0
io write len=64 fsync=1
goes_at commit_page iocheck "$MODEL" $DEV write len=64 fsync=1
above "passings of commit_page" "$(passed commit_page)" 1
above "passings of request" "$(passed request)" 8
goes_at free_tail message drain
goes_at free_between message drain
for step in commit_header seal_begin seal_between seal_done; do
	goes_at $step iocheck "$MODEL" $DEV write len=1024 bs=64 fsync=1
	above "passings of $step" "$(passed $step)" 0
done
goes_at request iocheck "$MODEL" $DEV write len=64 fsync=1
echo 0 >$all/steps
is "passings of request" "$(passed request)" 0
remove_ssdup

# without dm-ssdup, and dm-ssdup after the disks
must modprobe -r dm-ssdup
echo "free_drop 1 1" >$all/cut_at || fail "cut_at needs dm-ssdup"
is "cut_at" "$(cat $all/cut_at)" "armed free_drop"
for bad in "nonsense 1 1" "request 0 1" "request 1" "format_done 1"; do
	! echo "$bad" >$all/cut_at 2>/dev/null || fail "cut_at takes $bad"
done
must modprobe dm-ssdup
make_ssdup policy all drain manual
is "passings of replay_done" "$(passed replay_done)" 1
is "cut_at" "$(cat $all/cut_at)" "armed free_drop"
echo off >$all/cut_at
is "cut_at" "$(cat $all/cut_at)" off
flush
remove_ssdup
echo 1 >$all/erase_all
is "bytes that differ from zeros" "$(cmp -n $((LEN * 512)) $HDD /dev/zero | wc -c)" 0
is "bytes that differ from zeros" "$(cmp -n 8388608 $SSD /dev/zero | wc -c)" 0
make_ssdup policy all drain manual
