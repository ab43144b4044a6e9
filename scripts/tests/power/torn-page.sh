#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The power goes while a metadata page is written again with more entries: what
# its durable version said is still there.
# invariant: 2
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

at=/sys/module/ssdup_disks/parameters/cut_at

slow_disks ssd_latency_us=15000 ssd_cache_mb=4 hdd_cache_mb=16
make_ssdup policy all drain manual autocommit_ms 3600000
# seeds with which the SSD keeps or loses each sector by itself
for seed in 28 29 32 40 44 45 57 66 67 73; do
	# entries beyond the page's first sector
	io random start=8192 len=4096 bs=1 nr=40 depth=40 seed=$seed
	# each of these is durable when it ends: data, then its page; one of these pages is under way
	# when the power goes
	echo "commit_sent $((2 + seed % 7)) $seed" >$at || fail "cut_at takes no commit_sent"
	io random len=4096 bs=1 nr=500 depth=1 fua=1 errors=1 seed=$seed
	until [ "$(<$at)" = "done commit_sent" ]; do
		sleep 0.01
	done
	must dmsetup remove --retry $NAME
	power_on
	make_ssdup policy all drain manual autocommit_ms 3600000
	io recover len=12288
done
above "extents" "$(stat extents)" 200
flush
io_on $HDD verify len=12288
