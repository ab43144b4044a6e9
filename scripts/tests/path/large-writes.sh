#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Bios of 1 MiB and more into tiny segments, also larger than what is left of one.
# invariant: 1
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks ssd_size_mb=11
make_ssdup policy all
below "a segment" "$(stat segment_sectors)" 1024
# 4 MiB writes, 16 MiB in all: more than the log holds
io write len=32768 bs=8192 depth=4
above "segments sealed" "$(stat seals)" "$(stat segments)"
# leave a remainder of odd size in each segment
io mixed max=1500 nr=60 seed=1 len=65536
io write start=40001 len=20000 bs=3001 depth=8
all_home

# the same when the open segment is nearly full and no other is free
message set drain manual
waited=$(stat waited_writes)
io write start=65536 len=$((8 * ($(log_writes 8) - 1))) bs=8
is "writes that waited" "$(stat waited_writes)" "$waited"
is "free segments" "$(stat segments_free)" 2
io write start=65536 len=8192 bs=4096 depth=2
above "writes that waited" "$(stat waited_writes)" "$waited"
all_home
