#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A log on two equal SSDs takes writes nearly twice as fast as on one of them, and a drain of both has
# what is spread over them in the order of the HDD.
# invariant: none
# time: virtual
# seconds: 300
# mem: 2048
# programs: fio
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# speed SIZE [KEY VALUE]... - sectors that the log gets in a second of random writes
speed()
{
	local before

	make_disks instant=0 hdd_size_mb=1024 ssds=2 ssd_size_mb=513 ssd_rate_mbps=120 \
		ssd_latency_us=60
	make_ssdup policy all drain manual "${@:2}"
	fio --name=w --filename=$DEV --direct=1 --ioengine=libaio --rw=randwrite --bs="$1" \
		--iodepth=32 --time_based --runtime=600 --output="$T/fio" &
	sleep 0.5
	before=$(stat write_sectors_ssd)
	sleep 1
	SPEED=$(($(stat write_sectors_ssd) - before))
	kill -INT $!
	wait $!
	remove_ssdup
}

for size in 256k 16k; do
	speed $size
	one=$SPEED
	speed $size ssd /dev/mssd1
	echo "$size: $one sectors a second with one SSD, $SPEED with two"
	above "per cent of one SSD, $size" $((100 * SPEED / one)) 190
done

# one stream, whose writes take turns: a drain joins them again
make_disks hdd_size_mb=256 ssds=2 ssd_size_mb=65
make_ssdup policy all drain manual ssd /dev/mssd1
io write len=$((32 * 2048)) bs=128 depth=8
before=$(model mhdd0 writes)
message drain
below "writes of 64 KiB as requests of the HDD" $(($(model mhdd0 writes) - before)) 300
