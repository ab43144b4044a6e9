#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Whatever waits has a cause that the status shows: writes for space, while a
# drain copies and frees; a FLUSH for the HDD; a drain for an idle device.
# invariant: 7
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

slow_disks ssd_size_mb=11 hdd_cache_mb=8 hdd_rate_mbps=2
make_ssdup policy all drain manual
room=$(($(log_writes 64) * 64))
is "what an empty device does" "$(stat drain_state) $(stat wait_cause)" "0 0"
io write len=512 bs=64
is "what a drain by hand does" "$(stat drain_state)" 1

# more than fits: the drain copies while writers wait, and frees what is full
io write start=20000 len=$((2 * room + 4000)) bs=256 depth=16 &
writer=$!
wait_until wait_cause -eq 1
wait_until drain_state -eq 4
wait_until drain_state -eq 6
above "waiting writes" "$(stat waiting_writes)" 0
must wait $writer
is "what is waited for" "$(stat waiting_writes) $(stat wait_cause)" "0 0"
flush
wait_until drain_state -eq 0
above "longest wait in ms" "$(stat longest_wait_ms)" 0
message clear_stats
is "longest wait in ms" "$(stat longest_wait_ms)" 0

# a FLUSH waits until the cache of the HDD is empty
knob policy none
io write len=4096 bs=256
iocheck "$MODEL" $DEV flush &
wait_until waiting_flushes -eq 1
must wait $!
is "flushes that wait" "$(stat waiting_flushes)" 0

# an open segment is left alone until the device has been idle for a while
knob policy all
knob drain auto
io write start=20000 len=64 bs=64
wait_until drain_state -eq 2
wait_until dirty_sectors -eq 0
