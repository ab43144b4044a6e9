#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Usage (in the guest): guest.sh MIB:KIB...
#
# The guest's part of scripts/recovery/run.  One line each: MIB KIB extents,
# microseconds, bytes read from the SSD, KiB of memory, MiB of the SSD.
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
# shellcheck source=scripts/lab/guest/memory.sh
. /ssdup/scripts/lab/guest/memory.sh

# fill MIB KIB - that much in the log, each write of that size
fill()
{
	[ "$1" != 0 ] || return 0
	must fio --name=fill --filename=$DEV --rw=randwrite --bs="$2k" --size="$1m" --direct=1 \
		--ioengine=libaio --iodepth=32 --refill_buffers=0 --output="$T/fio"
}

# measure MIB KIB
measure()
{
	local before begin us ssd_mb=$(($1 * 9 / 8 + 24))

	make_disks instant=0 hdd_size_mb=16384 ssd_size_mb=$ssd_mb
	make_ssdup policy all drain manual autocommit_ms 1000
	fill "$1" "$2"
	remove_ssdup
	before=$(free_kib)
	model $SSD reset 1
	begin=$(date +%s%N)
	make_ssdup policy all drain manual
	us=$((($(date +%s%N) - begin) / 1000))
	echo "$1 $2 $(stat extents) $us $(model $SSD bytes_read) $((before - $(free_kib))) $ssd_mb"
	is "dirty sectors" "$(stat dirty_sectors)" $(($1 * 2048))
	remove_ssdup
	must modprobe -r ssdup-disks
}

for what; do
	measure "${what%:*}" "${what#*:}"
done
