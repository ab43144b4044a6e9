#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A read beside a write gets old data or new, never what the log held before:
# an extent is visible only when its data is on the SSD.
# invariant: 1 6
# cpus: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

slow_disks ssd_size_mb=11 ssd_latency_us=3000 ssd_read_latency_us=50 ssd_rate_mbps=100 late=1
make_ssdup policy all drain eager
# segments full of other sectors' stamps
io write start=65536 len=16384 bs=256
io write len=2048 bs=64
n=0
# a slow machine needs more than the 6 s of one turn
while [ $n -lt 3 ]; do
	iocheck "$MODEL" $DEV watch len=2048 bs=8 seconds=6 >>"$T/reads" &
	watch=$!
	iocheck "$MODEL" $DEV watch len=2048 bs=64 seed=2 seconds=6 >>"$T/reads" &
	other=$!
	while kill -0 $watch 2>/dev/null; do
		n=$((n + 1))
		io random len=2048 bs=8 nr=200 seed=$n depth=8
	done
	must wait $watch
	must wait $other
done
above "reads" "$(awk '{ n += $1 } END { print n }' "$T/reads")" 100
io verify len=2048
flush
io verify len=2048
