#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# invariant: none
# time: virtual
# seconds: 600
# programs: fio
# Twelve logs of unequal rate share an SSD that was full before. With discards the SSD copies next to
# nothing, and reads wait half as long for it.
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

FTL=/sys/block/mssd0/ftl
LOGS=12 SSD_MB=16 HDD_MB=64

# devices ON CLEAN - a device for each log, on slices of the disks; with or without discards, and
# the key
devices()
{
	local i

	slow_disks ssd_size_mb=$((LOGS * SSD_MB)) ssd_ftl=1 ssd_aged=1 ssd_discard="$1" ssd_dies=4 \
		ssd_block_kb=64 hdd_size_mb=$((LOGS * HDD_MB)) hdd_cache_mb=64 hdd_rpm=15000 \
		hdd_rate_mbps=800 hdd_seek_track_us=10 hdd_seek_avg_us=20 hdd_seek_full_us=30
	for ((i = 0; i < LOGS; i++)); do
		must dmsetup create ssd$i --table \
			"0 $((SSD_MB << 11)) linear /dev/mssd0 $((i * SSD_MB << 11))"
		must dmsetup create hdd$i --table \
			"0 $((HDD_MB << 11)) linear /dev/mhdd0 $((i * HDD_MB << 11))"
		must ssdup format /dev/mapper/hdd$i /dev/mapper/ssd$i --force >"$T/format"
		must dmsetup create log$i --table "0 $((HDD_MB << 11)) ssdup /dev/mapper/hdd$i \
			/dev/mapper/ssd$i 4 policy all clean $2"
	done
}

no_devices()
{
	local i

	for ((i = 0; i < LOGS; i++)); do
		must dmsetup remove --retry log$i ssd$i hdd$i
	done
}

# writes SECONDS - two logs at each of the rates 1, 2, 4 ... 32
writes()
{
	local i jobs=()

	for ((i = 0; i < LOGS; i++)); do
		jobs+=("--name=log$i" "--filename=/dev/mapper/log$i" "--rate=$((512 << i / 2))k")
	done
	must fio --direct=1 --ioengine=libaio --iodepth=4 --rw=randwrite --bs=32k --time_based \
		--runtime="$1" --output="$T/fio" "${jobs[@]}"
}

# p99 - microseconds
p99()
{
	local ns nr left

	left=$(($(awk '{ n += $2 } END { print n }' $FTL/read_latency) / 100))
	while read -r ns nr; do
		left=$((left - nr))
		[ $left -gt 0 ] || break
	done < <(sort -rn $FTL/read_latency)
	echo $((ns / 1000))
}

devices 0 0
writes 2
model mssd0 reset 1
writes 4
without=$(p99) waf=$(<$FTL/waf_1e3)
above "write amplification without discards" "$waf" 2000
no_devices

# clean data takes part of what the SSD has to spare
for clean in 0 50; do
	devices 1 $clean
	writes 2
	model mssd0 reset 1
	writes 4
	echo "write amplification $waf and $(<$FTL/waf_1e3), p99 of reads $without and $(p99) us"
	below "write amplification, clean $clean" "$(<$FTL/waf_1e3)" $((clean ? 1301 : 1151))
	below "us of the slowest read in a hundred" "$(p99)" $((without / 2 + 1))
	no_devices
done
