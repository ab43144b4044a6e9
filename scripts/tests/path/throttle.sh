#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The log is full, and some write more than the HDD takes. Space comes back a group at a time, but
# the last segments are handed out at a rate, so nobody waits for a group. A process that writes
# little does not wait behind one that has many writes waiting.
# invariant: none
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# a segment of 4 MiB takes more than 100 ms, and no group may take more than 250
slow_disks hdd_size_mb=512 ssd_size_mb=133 hdd_rate_mbps=40
make_ssdup policy all full block
all=$(log_writes 64)

# beside DEPTH - one process has that many writes of 32 KiB waiting, and another one writes 40 times
# 4 KiB; then how long that took, ms
beside()
{
	local many begun

	io random bs=64 nr=$((all / 2)) depth="$1" start=262144 len=524288 &
	many=$!
	wait_until waiting_writes -gt $(($1 / 2))
	message clear_stats
	begun=${EPOCHREALTIME/./}
	io write start=917504 len=320 bs=8 depth=1
	took=$(((${EPOCHREALTIME/./} - begun) / 1000))
	longest=$(stat longest_wait_ms)
	echo "depth $1: 40 small writes took $took ms, the longest wait was $longest ms"
	above "writes that waited" "$(stat waited_writes)" 0
	wait $many
}

io write len=$((64 * all)) bs=64

beside 8
below "longest wait" "$longest" 60
# in the order in which they come, each waits for 2 MiB
beside 64
below "time of the small writes" "$took" 500
all_home
