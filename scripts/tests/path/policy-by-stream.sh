#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# watermark and adaptive send random streams to the SSD and sequential ones to
# the HDD, the stream after the one that told.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# shellcheck source=scripts/tests/streams.sh
. /ssdup/scripts/tests/streams.sh

# One stream of 128 writes at a time, so that each verdict can be seen.
random_stream()
{
	io random bs=8 nr=128 seed="$1" start=65536 len=65536 depth=1
}

sequential_stream()
{
	io write start="$1" len=$((128 * 64)) bs=64 depth=1
}

# no write is split between two segments, of 8 MiB here: each part would be a write of its stream
make_disks ssd_size_mb=8194
watch_streams
for policy in watermark adaptive; do
	make_ssdup policy $policy drain manual
	random_stream 1
	is "writes logged by $policy so far" "$(stat writes_ssd)" 0
	one_stream above 9000 ssd
	random_stream 2
	is "writes logged of the second" "$(stat writes_ssd)" 128
	one_stream above 9000 ssd
	sequential_stream 0
	is "writes logged of the third" "$(stat writes_ssd)" 256
	one_stream is 0 hdd
	sequential_stream 16384
	is "writes logged of the fourth" "$(stat writes_ssd)" 256
	one_stream is 0 hdd
	all_home
	remove_ssdup
done

# Between its marks, watermark stays where it is.
make_ssdup policy watermark
for at in 0 32768; do
	# 80 neighbours and 47 that are none: 47 of 127, 37 per cent
	io write start=$at len=$((81 * 8)) bs=8 depth=1
	io write start=$((at + 4096)) len=$((47 * 64)) bs=8 step=64 depth=1
	one_stream is 3701 "$([ $at = 0 ] && echo hdd || echo ssd)"
	[ $at = 32768 ] || { random_stream 3; one_stream above 9000 ssd; }
done
all_home
