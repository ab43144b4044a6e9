#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# While a slow HDD takes a drain, reads return the newest data, and new writes
# over what is draining are neither lost nor undone.
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

slow_disks hdd_spread=1 hdd_rpm=2400 late=1
make_ssdup policy all drain manual drain_depth 32
io write len=65536 bs=2 step=256
message flush &
drain=$!
wait_until drain_reads -gt 0
rounds=0
while kill -0 $drain 2>/dev/null; do
	rounds=$((rounds + 1))
	io write bs=2 step=1024 start=$((rounds % 8 * 128)) len=65536
	io verify len=65536 bs=2 step=256
done
wait $drain || fail "the flush failed"
above "rounds while draining" $rounds 1
flush
io verify len=65536 bs=2 step=256
io_on $HDD verify len=65536 bs=2 step=256
