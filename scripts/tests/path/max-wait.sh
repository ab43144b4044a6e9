#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The key max_wait_ms: while writes wait for a full log, so few segments are drained at once
# that space comes back within about that time. longest_wait_ms shows the longest wait.
# invariant: none
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# burst - writes that find the log full; then the longest wait
burst()
{
	message clear_stats
	is "longest wait of an empty log" "$(stat longest_wait_ms)" 0
	io write len=$((2 * 64 * $(log_writes 64))) bs=64
	above "writes that waited" "$(stat waited_writes)" 0
	longest=$(stat longest_wait_ms)
	echo "max_wait_ms $(stat max_wait_ms): $longest ms, $(stat frees) segments freed"
	flush
}

# a segment takes 25 ms
slow_disks hdd_rate_mbps=10
make_ssdup policy all full block drain manual max_wait_ms 60000
burst
above "longest wait, as long as a part of the log takes" "$longest" 500
knob max_wait_ms 100
burst
# what the disk does with a segment has been learnt
message clear_stats
burst
below "longest wait" "$longest" 250
above "longest wait" "$longest" 0

# a group that was chosen when nobody waited gets smaller
knob max_wait_ms 100
io write len=$((64 * $(log_writes 64))) bs=64
message drain start
wait_until drain_writes -gt 0
message clear_stats
io write start=65536 len=4096 bs=64
above "writes that waited" "$(stat waited_writes)" 0
below "longest wait" "$(stat longest_wait_ms)" 300
all_home
