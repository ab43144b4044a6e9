#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Usage (in the guest): guest.sh MB CACHE-MB PART...
#
# The part of the demo that runs in the machine.  A PART is PATTERN:POLICY, a
# burst of MB MiB with an SSD for half of it and a hard disk with a cache of
# CACHE-MB, or "files", the tree of files on ext4.  Speaks in lines for
# scripts/demo/run:
#
#   @burst PATTERN POLICY MB/S SSD-PERMILLE DRAINED-MS SEEKS LONGEST-MS WRONG
#   @files COUNT MIB SSD-PERMILLE FAULT... (a FAULT for everything that differs)
#
# WRONG is the number of sectors that the bare HDD does not hold as they were
# written.

set -Eeuo pipefail

trap 'echo "the demo stopped: line $LINENO: $BASH_COMMAND"' ERR

# shellcheck source=scripts/bench/systems.sh
. "${BASH_SOURCE[0]%/*}/../bench/systems.sh"

model=/sys/block/mhdd0/model
mb=$1 cache_mb=$2
shift 2

# ssd_permille - the share of the data written so far that went to the SSD
ssd_permille()
{
	local to_ssd to_hdd

	to_ssd=$(<"$stats/write_sectors_ssd")
	to_hdd=$(<"$stats/write_sectors_hdd")
	echo $((1000 * to_ssd / (to_ssd + to_hdd)))
}

# one_burst PATTERN POLICY - write, drain, remove, check
one_burst()
{
	local job line drained share seeks

	job=(--pattern "$1" --procs 16 --request 256k --size "${mb}m"
	     --stamp "$((++stamp))")
	system_make "$2"
	echo 1 >$model/reset
	line=$(burst "${job[@]}" "$device")
	system_drain "$2"
	drained=$(($(now_ms) - $(field start_ms "$line")))
	share=$(ssd_permille)
	seeks=$(<$model/seeks)
	system_remove "$2"
	echo "@burst $1 $2 $(field mb_s "$line") $share $drained $seeks" \
		"$(field longest_ms "$line") $(count_wrong "${job[@]}")"
}

stamp=0
modprobe dm-mod
modprobe ssdup-disks hdd_size_mb=$((mb + 64)) ssd_size_mb=$((mb / 2)) \
	hdd_rpm=7200 hdd_rate_mbps=180 hdd_nominal_gb=1000 hdd_cache_mb="$cache_mb" \
	ssd_rate_mbps=450 ssd_latency_us=60
modprobe dm-ssdup
for part; do
	case $part in
	files)
		# shellcheck source=scripts/demo/files.sh
		. "${BASH_SOURCE[0]%/*}/files.sh"
		;;
	*) one_burst "${part%:*}" "${part#*:}" ;;
	esac
done
