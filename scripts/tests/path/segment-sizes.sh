#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Segments of either size take turns, and are replayed in order.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# They are as large as leaves 32 of them: sizes of the SSD, and what it is divided into.
while read -r mb segments sectors; do
	make_disks ssd_size_mb="$mb"
	make_ssdup
	is "segments of $mb MiB" "$(stat segments) $(stat segment_sectors)" "$segments $sectors"
	remove_ssdup
done <<-SIZES
	10 32 512
	17 60 512
	18 32 1024
	67 32 4096
SIZES

segments=32
for mb in 1 2; do
	make_disks ssd_size_mb=$((segments * mb + 2))
	rm -f "$MODEL"
	make_ssdup policy all drain manual
	is "segments" "$(stat segments) $(stat segment_sectors)" "$segments $((2048 * mb))"
	# rewrite the same place in each segment
	len=$(segment_data)
	for ((i = 3; i < segments; i++)); do
		io write len="$len" bs=64
		[ $((i % 5)) != 0 ] || io random len="$len" bs=8 nr=10 seed="$i"
	done
	is "writes that waited" "$(stat waited_writes)" 0
	below "free segments" "$(stat segments_free)" 4
	io verify
	remove_ssdup
	make_ssdup policy all drain manual
	is "segments" "$(stat segments) $(stat segment_sectors)" "$segments $((2048 * mb))"
	below "free segments" "$(stat segments_free)" 4
	io verify
	remove_ssdup
	make_ssdup policy all
	io random len=65536 bs=128 nr=300 seed=9
	all_home
	remove_ssdup
done
