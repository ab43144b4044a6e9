#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A power cut takes the page of a segment, and not that of the next one. The empty segment is
# not opened again before the tail has passed it: without its header, a replay would take the
# other segment for the rest of a damaged log.
# invariant: 2 4
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks ssd_cache_mb=4
make_ssdup
page=$((2048 + $(stat segment_sectors) + 8)) room=$(segment_data)
remove_ssdup
# the page of segment 1 is held back
slow_ssd "$page" 16 0 3600000 0
make_ssdup policy all drain manual autocommit_ms 3600000
io write len="$room" bs=8 fsync=1
io write start="$room" len=$((room + 8)) bs=8
iocheck "$MODEL" $DEV flush 2>"$T/flush" &
flush=$!
# no event says that the other page is there
sleep 1
power_cut 1
must dmsetup suspend other
must dmsetup resume other
must_not wait $flush
must dmsetup remove --force $NAME
power_on
fast_ssd
make_ssdup policy all drain manual autocommit_ms 3600000
is "extents of the segments 0 and 2" "$(stat extents)" $((room / 8 + 1))
is "segments that are not free" "$(($(stat segments) - $(stat segments_free)))" 3
io recover

# writers fill all that is theirs; the last one is kept for who flushes, for a while after a flush
for ((n = 3; $(stat segments_free) > 2; n++)); do
	[ "$(stat segments_free)" -gt 3 ] || nap 0.2
	io write start=$((n * room)) len="$room" bs=8 fsync=1
done
is "fill of the open segment" "$(stat open_fill_1e4)" 10000
# and a drain moves more blocks than the next segment takes
model $HDD fail_write "$((3 * room)) 512"
echo "free_tail 1 7" >/sys/module/ssdup_disks/parameters/cut_at || fail "no cut at free_tail"
must_not message drain
above "blocks that were moved" "$(stat unwritable_extents)" $((room / 8))
is "free segments" "$(stat segments_free)" 0
# the disks are decided about in the background
until [ "$(</sys/module/ssdup_disks/parameters/cut_at)" = "done free_tail" ]; do
	nap 0.01
done
must dmsetup remove --retry $NAME
power_on
heal
make_ssdup policy all drain manual
io recover
all_home
remove_ssdup
