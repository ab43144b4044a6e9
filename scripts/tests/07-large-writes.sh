#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Bios of 1 MiB and more into tiny halves, also larger than what is left of one.
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks ssd_size_mb=10
make_ssdup policy all full block
below "a half" "$(stat half_data_sectors)" 9216
# 4 MiB writes, 16 MiB in all: nearly four halves
io write len=32768 bs=8192 depth=4
above "halves sealed" "$(stat seals)" 2
# leave a remainder of odd size in each half
io mixed max=1500 nr=60 seed=1 len=65536
io write start=40001 len=20000 bs=3001 depth=8
all_home

# the same when the receiving half is nearly full and no other is free
message set drain manual
half=$(stat half_data_sectors)
io write start=65536 len=$((2 * half - 3000)) bs=64 &
writer=$!
wait $writer || fail "writer"
io write start=65536 len=8192 bs=4096 depth=2
all_home
