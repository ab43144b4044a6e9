#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The data path while allocations fail: all of them, so that nothing but what was
# set aside keeps it going, and then some, of the module and of its thread. It is
# slower, and that is all.
# invariant: 8
# kernels: debug
# cpus: 2
# seconds: 240
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# within SECONDS COMMAND... - it ends, well, and in time; if not, memory comes back
within()
{
	local job watchdog ended status=0

	sleep "$1" &
	watchdog=$!
	shift
	"$@" &
	job=$!
	wait -n -p ended $job $watchdog || status=$?
	if [ "$ended" = $watchdog ]; then
		fail_memory 0
		fail "waits for memory: $*"
	fi
	kill $watchdog
	wait $watchdog 2>/dev/null
	[ $status = 0 ] || fail "status $status of: $*"
}

# no_errors - nothing was counted as one, nothing changed the mode
no_errors()
{
	is "the mode" "$(stat mode)" 0
	is "errors" "$(($(stat ssd_errors) + $(stat hdd_errors) + $(stat lost_extents)))" 0
}

# An SSD is found blank all the same: without eight pages side by side it is read by blocks.
make_disks hdd_discard=1
fail_memory 0
echo 3 >/sys/kernel/debug/fail_page_alloc/min-order
echo 100 >/sys/kernel/debug/fail_page_alloc/probability
reads=$(model $SSD reads)
make_ssdup policy all drain manual
fail_memory 0
above "reads of a blank SSD" $(($(model $SSD reads) - reads)) 383

# Each write cuts something that the log holds, so it has to go there, and takes
# nodes; there are more of them than nodes set aside, in a log that is far from
# full. Nodes come back by a drain, and nothing but the want of them starts one.
io write start=0 len=20000 bs=64
fail_memory 100
within 60 io mixed start=0 len=20000 max=16 nr=600
above "writes that waited" "$(stat waited_writes)" 0
above "segments freed" "$(stat frees)" 0
within 60 io verify
within 60 commits
within 60 message drain
within 60 io mixed max=200 nr=100 seed=2
within 60 io zero start=5000 len=3000
within 60 io write start=0 len=20000 bs=64 fua=1
within 60 io verify
no_errors

# Half of them, then also whatever the thread calls outside the module.
for who in "" "$(grep -ls '^ssdup-wb' /proc/[0-9]*/comm | cut -d / -f 3)"; do
	# shellcheck disable=SC2086 # a process or none
	fail_memory 50 $who
	knob drain eager
	io stress max=100 seconds=5 seed=$RANDOM len=30000
	within 60 message drain
	no_errors
done
fail_memory 100
remove_ssdup
fail_memory 0
make_ssdup
io verify
all_home
remove_ssdup
# says so if an extent is left
must modprobe -r dm-ssdup
