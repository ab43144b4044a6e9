#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A device removed with dirty data has all of it when it is made again, over
# sealed segments, rewrites and many short lives.
# invariant: 2 3
# kernels: 6.12 6.1
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# more than a part of the log is used, and no write waits
make_disks ssd_size_mb=21
for life in 1 2 3 4 5; do
	make_ssdup policy all drain manual
	[ $life = 1 ] || io verify
	io mixed len=16384 max=64 nr=70 seed=$life
	[ $life != 3 ] || io write len=15000 bs=128
	dirty=$(stat dirty_sectors)
	extents=$(stat extents)
	remove_ssdup
	make_ssdup policy none drain manual
	is "dirty sectors of life $life" "$(stat dirty_sectors)" "$dirty"
	is "extents of life $life" "$(stat extents)" "$extents"
	io verify
	io random start=4096 len=32768 bs=16 nr=40 seed=$life
	is "writes that waited" "$(stat waited_writes)" 0
	remove_ssdup
done
make_ssdup drain manual
above "sealed segments" "$(stat segments_sealed)" $(($(stat segments) / 2))
is "free segments" "$(stat segments_free)" $(($(stat segments) - $(stat segments_sealed)))
is "fill of the open segment" "$(stat open_fill_1e4)" 0
all_home
remove_ssdup
make_ssdup
is "dirty sectors after a drain" "$(stat dirty_sectors)" 0
io verify
# a table without the module's memory: loaded anew, nothing is lost either
io random len=8192 nr=100 seed=77
remove_ssdup
must modprobe -r dm-ssdup
must modprobe dm-ssdup
make_ssdup
all_home
