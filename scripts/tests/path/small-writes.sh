#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# 512-byte aligned I/O of odd sizes, across the borders of ranges and of pages.
# invariant: 1
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks
make_ssdup policy all range_mb 1 drain manual
is "range" "$(stat range_mb)" 1
io random bs=1 nr=200 len=4096 seed=1
io mixed max=31 nr=300 len=16384 seed=2
# borders of ranges, every 2048 sectors: before, across, behind
for at in 2047 4093 6144 8185; do
	io write start=$at len=1 bs=1
	io write start=$((at - 5)) len=13 bs=13
	io write start=$((at - 300)) len=2501 bs=2501
done
io verify
knob policy none
io mixed max=4097 nr=20 len=65536 seed=3
io verify
remove_ssdup

# larger ranges over what smaller ones logged
make_ssdup policy all range_mb 4 drain manual
io verify
io mixed max=100 nr=200 len=32768 seed=4
remove_ssdup
make_ssdup range_mb 1
io verify
all_home
