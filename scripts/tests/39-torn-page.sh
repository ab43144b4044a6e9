#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The power goes while a metadata page is written again with more entries: what
# its durable version said is still there.
# invariant: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

slow_disks ssd_latency_us=15000 ssd_cache_mb=4 hdd_cache_mb=16
make_ssdup policy all drain manual autocommit_ms 3600000
# seeds with which the SSD keeps or loses each sector by itself
for seed in 28 29 32 40 44 45 57 66 67 73; do
	# entries beyond the page's first sector
	io random start=8192 len=4096 bs=1 nr=40 depth=40 seed=$seed
	# each of these is durable when it ends: data, then its page
	iocheck "$MODEL" $DEV random len=4096 bs=1 nr=500 depth=1 fua=1 errors=1 seed=$seed &
	wait_until pages_written -gt 2
	sleep "0.0$((seed % 7))"
	power_cut $seed
	wait
	must dmsetup remove --retry $NAME
	power_on
	make_ssdup policy all drain manual autocommit_ms 3600000
	io recover len=12288
done
above "extents" "$(stat extents)" 200
flush
io_on $HDD verify len=12288
