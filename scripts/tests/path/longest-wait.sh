#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# While writes wait for a full log, so few segments are drained at once that space comes back within
# about 250 ms, once the drain knows how long a segment takes. longest_wait_ms shows the longest wait.
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
	echo "longest wait: $longest ms, $(stat frees) segments freed"
	flush
}

# a segment takes 25 ms, and a part of the log more than half a second
slow_disks hdd_rate_mbps=10
make_ssdup policy all drain manual
burst
above "longest wait, as long as a part of the log takes" "$longest" 500
burst
below "longest wait" "$longest" 400
above "longest wait" "$longest" 0

# a group that was chosen when nobody waited, all of the log, gets smaller: it would take 1500 ms
io write len=$((64 * $(log_writes 64))) bs=64
message clear_stats
message drain start
wait_until drained_sectors -gt 0
message clear_stats
io write start=65536 len=12288 bs=64
above "writes that waited" "$(stat waited_writes)" 0
below "longest wait" "$(stat longest_wait_ms)" 750
all_home
