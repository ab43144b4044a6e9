#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# invariant: none
# time: virtual
# seconds: 300
# programs: fio
# One sequential log is as fast on an SSD with flash memory as on one without, within 1 %. Random
# writes are slower by what they copy, and reads wait meanwhile. Logs that share the SSD cost
# copies unless each is a stream.
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

FTL=/sys/block/mssd0/ftl

# kb_s OPTION... - how fast fio reads or writes the SSD
kb_s()
{
	local field=48

	[[ $* != *rw=*read* ]] || field=7
	must fio --name=speed --filename=$SSD --direct=1 --ioengine=libaio --minimal "$@" \
		--output="$T/fio"
	head -n 1 "$T/fio" | cut -d';' -f$field
}

# slowest_us NUMBER - so many reads took about so long, or longer
slowest_us()
{
	local ns nr left=$1

	while read -r ns nr; do
		left=$((left - nr))
		[ $left -gt 0 ] || break
	done < <(sort -rn $FTL/read_latency)
	echo $((ns / 1000))
}

# near WHAT GOT WANTED PERCENT
near()
{
	above "$1 times 100" $(($2 * 100)) $(($3 * (100 - $4)))
	below "$1 times 100" $(($2 * 100)) $(($3 * (100 + $4)))
}

# flash_disks [PARAMETER=VALUE]... - eight dies program 64 KiB in 600 us and erase it in 150
flash_disks()
{
	slow_disks ssd_size_mb=128 ssd_ftl=1 ssd_block_kb=64 ssd_die_erase_us=150 "$@"
}

sequential=(--rw=write --bs=256k --iodepth=16 --size=128m --loops=2)
reads=(--rw=randread --bs=4k --iodepth=1 --size=16m)

slow_disks ssd_size_mb=128
plain=$(kb_s "${sequential[@]}")
plain_reads=$(kb_s "${reads[@]}")
flash_disks
near "speed of one log" "$(kb_s "${sequential[@]}")" "$plain" 1
near "speed of reads" "$(kb_s "${reads[@]}")" "$plain_reads" 1
idle=$(slowest_us 40)

# what is written at random keeps the dies busy, and nobody programs more than they can
flash_disks ssd_aged=1
speed=$(kb_s --rw=randwrite --bs=4k --iodepth=16 --size=128m --io_size=32m)
programmed=$((speed * $(<$FTL/waf_1e3) / 1000))
most=$((8 * 64 * 1000000 / 750))
above "KiB programmed a second" $programmed $((most * 85 / 100))
below "KiB programmed a second" $programmed $most
model mssd0 reset 1
before=$(model mssd0 bytes_written)
fio --name=writer --filename=$SSD --direct=1 --ioengine=libaio --rw=randwrite --bs=4k \
	--iodepth=16 --size=128m --runtime=60 --time_based --output="$T/writer" &
writer=$!
until [ "$(model mssd0 bytes_written)" -gt "$before" ]; do
	nap 0.01
done
kb_s "${reads[@]}" --size=4m >"$T/speed"
kill -INT $writer
wait $writer
above "us of the slowest reads in a hundred" "$(slowest_us 10)" $((4 * idle))

# logs - four that share the SSD, at rates of 1, 2, 4 and 8
logs()
{
	must fio --filename=$SSD --direct=1 --ioengine=libaio --rw=write --size=32m --iodepth=4 \
		--runtime=2 --time_based --output="$T/fio" \
		--name=one --bs=4k --name=two --bs=8k --offset=32m \
		--name=three --bs=16k --offset=64m --name=four --bs=32k --offset=96m
}

flash_disks ssd_spare_percent=10 ssd_streams=4
logs
above "write amplification together" "$(<$FTL/waf_1e3)" 1300
flash_disks ssd_spare_percent=10 ssd_streams=4
for i in 0 1 2 3; do
	echo $((i * 65536)) 65536 $((i + 1)) >$FTL/stream_ranges
done
logs
is "bytes copied apart" "$(<$FTL/copied_bytes)" 0
