#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# While a slow HDD takes a drain, reads return the newest data, and new writes
# over what is draining are neither lost nor undone.
# invariant: 1
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

slow_disks hdd_spread=1 hdd_rpm=1800 late=1
make_ssdup policy all drain manual
io write len=65536 bs=2 step=64
message drain &
drain=$!
wait_until drained_sectors -gt 0
rounds=0
turn=0
# a quarter of it at a time, half of that written again
while :; do
	start=$((turn % 4 * 16384))
	io write start=$((start + turn % 2 * 64)) len=16384 bs=2 step=128
	io verify start=$start len=16384 bs=2 step=64
	turn=$((turn + 1))
	kill -0 $drain 2>/dev/null || break
	rounds=$((rounds + 1))
done
wait $drain || fail "the flush failed"
above "rounds while draining" $rounds 1
flush
io verify len=65536 bs=2 step=64
io_on $HDD verify len=65536 bs=2 step=64
