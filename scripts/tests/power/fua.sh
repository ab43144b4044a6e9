#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A completed FUA write is there after a power cut without any FLUSH.
# invariant: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks ssd_cache_mb=8 hdd_cache_mb=16
make_ssdup policy all drain manual autocommit_ms 3600000
for seed in 1 2 3 4; do
	knob policy all
	io random len=8192 bs=4 nr=60 seed=$seed
	io random len=8192 bs=4 nr=60 seed=$((seed + 10)) fua=1
	io random len=8192 bs=4 nr=60 seed=$((seed + 20))
	knob policy none
	io random start=16384 len=8192 bs=8 nr=60 seed=$seed
	io random start=16384 len=8192 bs=8 nr=60 seed=$((seed + 10)) fua=1
	is "flushes" "$(stat flushes)" 0
	reboot $seed policy all drain manual autocommit_ms 3600000
	io recover
done
all_home
