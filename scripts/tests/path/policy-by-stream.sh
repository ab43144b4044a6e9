#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# watermark and adaptive send random streams to the SSD and sequential ones to
# the HDD, the stream after the one that told.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

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
for policy in watermark adaptive; do
	make_ssdup policy $policy drain manual
	is "first route" "$(stat route)" hdd
	random_stream 1
	is "streams of $policy" "$(stat streams)" 1
	above "percentage of a random stream" "$(stat random_percentage_1e4)" 9000
	is "route after a random stream" "$(stat route)" ssd
	is "writes logged by $policy so far" "$(stat writes_ssd)" 0
	random_stream 2
	is "writes logged of the second" "$(stat writes_ssd)" 128
	sequential_stream 0
	is "percentage of a sequential stream" "$(stat random_percentage_1e4)" 0
	is "writes logged of the third" "$(stat writes_ssd)" 256
	is "route after a sequential stream" "$(stat route)" hdd
	sequential_stream 16384
	is "writes logged of the fourth" "$(stat writes_ssd)" 256
	all_home
	remove_ssdup
done

# Between its marks, watermark stays where it is.
make_ssdup policy watermark
for at in 0 32768; do
	# 80 neighbours and 47 that are none: 47 of 127, 37 per cent
	io write start=$at len=$((81 * 8)) bs=8 depth=1
	io write start=$((at + 4096)) len=$((47 * 64)) bs=8 step=64 depth=1
	below "percentage" "$(stat random_percentage_1e4)" 4500
	above "percentage" "$(stat random_percentage_1e4)" 3000
	is "route between the marks" "$(stat route)" "$([ $at = 0 ] && echo hdd || echo ssd)"
	[ $at = 32768 ] || { random_stream 3; is "route" "$(stat route)" ssd; }
done
all_home
