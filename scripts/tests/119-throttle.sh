#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The log is full, and many write more than the HDD takes. Space comes back a group at a time, but
# the last segments are handed out at a rate, so a process that writes little does not wait for a
# group. Nothing that is freed stays unused.
# invariant: none
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# a segment of 4 MiB takes more than 100 ms, and no group may take more than 250
slow_disks hdd_size_mb=512 ssd_size_mb=132 hdd_rate_mbps=40
make_ssdup policy all full block
all=$(log_writes 64)
io write len=$((64 * all)) bs=64
io random bs=64 nr=$((2 * all)) depth=8 start=262144 len=524288 &
many=$!
wait_until waited_writes -gt 100
message clear_stats
io write start=917504 len=320 bs=8 depth=1
longest=$(stat longest_wait_ms)
echo "longest wait of 40 small writes and those beside: $longest ms"
above "writes that waited" "$(stat waited_writes)" 0
below "longest wait" "$longest" 60
wait $many
below "free segments after the writes" "$(stat segments_free)" 8
all_home
