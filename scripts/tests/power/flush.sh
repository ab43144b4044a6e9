#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What was written before a completed FLUSH is there after a power cut, whatever
# its route; every other sector is old or new. The SSD's cache is volatile too.
# invariant: 2
# kernels: 6.12 6.1
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks ssd_cache_mb=8 hdd_cache_mb=16
make_ssdup policy all drain manual autocommit_ms 3600000
for seed in 1 2 3 4 5; do
	knob policy all
	io random len=8192 bs=4 nr=100 seed=$seed
	knob policy none
	io random start=6144 len=8192 bs=8 nr=50 seed=$seed
	io flush
	# none of this is promised
	io random start=6144 len=4096 bs=8 nr=30 seed=$((seed + 10))
	knob policy all
	io mixed len=8192 max=24 nr=100 seed=$((seed + 20))
	io zero start=$((seed * 100)) len=50
	[ $((seed % 2)) = 0 ] || message commit
	io mixed len=8192 max=24 nr=20 seed=$((seed + 30))
	reboot $seed policy all drain manual autocommit_ms 3600000
	io recover
	io verify
done

# entries of more pages than a round of a commit has: 20 of 126, where a round takes 16
knob policy all
io write start=9000 len=2520 bs=1 depth=16
io flush
reboot 6 policy all drain manual autocommit_ms 3600000
io recover
io verify
flush
io verify
io_on $HDD verify
