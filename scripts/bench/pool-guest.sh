#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Usage (in the guest): pool-guest.sh DISKS | logs
#
# The guest's part of scripts/bench/pool: a line for each workload, "beside DISKS PATTERN HOW
# MB/s...", or for each number of logs, "logs N KIB US US": memory of
# each, and the time of activation of the first and of the last one.

set -euo pipefail
# shellcheck source=scripts/bench/systems.sh
. "${BASH_SOURCE[0]%/*}/systems.sh"
# shellcheck source=scripts/bench/disks.sh
. "${BASH_SOURCE[0]%/*}/disks.sh"

round=0
HALF_MB=512
HDD_MB=1088

# uuid NUMBER - of a log of this round: no UUID comes back to an SSD
uuid()
{
	printf '00000000-0000-4000-8000-%010x%02x\n' $round "$1"
}

# device NAME HDD SSD [KEY VALUE]...
device()
{
	dmsetup create "$1" --table "0 $(blockdev --getsz "$2") ssdup $2 $3 $(($# - 3)) ${*:4}"
}

# add NUMBER HDD - one more log, for this HDD
add()
{
	dmsetup message d0 0 log_add "$(uuid "$1")" "$(blockdev --getsz "$2")" 8
}

# make HOW - device d0, and d1 where there are two
make()
{
	case $1 in
	alone | logs) zero_ends $ssd; device d0 /dev/mhdd0 $ssd max_mb $HALF_MB ;;
	partitions)
		for i in 0 1; do
			dmsetup create "p$i" --table \
				"0 $((HALF_MB * 2048)) linear $ssd $((i * HALF_MB * 2048))"
			zero_ends "/dev/mapper/p$i"
			device "d$i" "/dev/mhdd$i" "/dev/mapper/p$i"
		done
		;;
	esac
	if [ "$1" = logs ]; then
		add 1 /dev/mhdd1
		device d1 /dev/mhdd1 $ssd log "$(uuid 1)" max_mb $HALF_MB
	fi
}

unmake()
{
	local d

	for d in d0 d1 p0 p1; do
		[ ! -b /dev/mapper/$d ] || dmsetup remove $d
	done
}

# mbps JSON
mbps()
{
	echo $(($(field bytes "$1") * 1000 / $(field ns "$1")))
}

# beside DISKS PATTERN HOW
beside()
{
	local i pids=() line=()

	# What disks have seen before would count too.
	# shellcheck disable=SC2046
	modprobe ssdup-disks hdds=2 hdd_size_mb=$HDD_MB ssd_size_mb=$((2 * HALF_MB)) \
		$(disk_parameters "$1")
	make "$3"
	for i in 0 1; do
		[ -b "/dev/mapper/d$i" ] || continue
		burst --pattern "$2" --procs 16 --request 256k --size 1g --seed $((i + 1)) \
			"/dev/mapper/d$i" >"/tmp/burst$i" &
		pids+=($!)
	done
	wait "${pids[@]}"
	for i in "${!pids[@]}"; do
		line+=("$(mbps "$(<"/tmp/burst$i")")")
	done
	echo "beside $1 $2 $3 ${line[*]}"
	for i in "${!pids[@]}"; do
		dmsetup message "d$i" 0 drain
	done
	unmake
	modprobe -r ssdup-disks
}

# free_kib - with nothing in the page cache
free_kib()
{
	local name kib rest

	echo 3 >/proc/sys/vm/drop_caches
	while read -r name kib rest; do
		[ "$name" != MemFree: ] || echo "$kib"
	done </proc/meminfo
}

# logs N - all are made anew, and hold nothing
logs()
{
	local i before start first took=()

	round=$((round + 1))
	for ((i = 0; i < $1; i++)); do
		dmsetup create "h$i" --table "0 32768 linear $hdd $((i * 32768))"
	done
	zero_ends $ssd
	device d0 /dev/mapper/h0 $ssd max_mb 1024
	first=$(cat "/sys/block/dm-$(dmsetup info -c --noheadings -o minor d0)/ssdup/log_uuid")
	for ((i = 1; i < $1; i++)); do
		add "$i" "/dev/mapper/h$i"
	done
	dmsetup remove d0
	before=$(free_kib)
	for ((i = 0; i < $1; i++)); do
		start=${EPOCHREALTIME/./}
		if [ "$1" = 1 ]; then
			device d0 /dev/mapper/h0 $ssd
		elif [ "$i" = 0 ]; then
			device d0 /dev/mapper/h0 $ssd log "$first"
		else
			device "d$i" "/dev/mapper/h$i" $ssd log "$(uuid "$i")"
		fi
		took+=($((${EPOCHREALTIME/./} - start)))
	done
	echo "logs $1 $(((before - $(free_kib)) / $1)) ${took[0]} ${took[-1]}"
	for ((i = 0; i < $1; i++)); do
		dmsetup remove "d$i"
		dmsetup remove "h$i"
	done
}

modprobe dm-ssdup
if [ "$1" = logs ]; then
	# shellcheck disable=SC2046
	modprobe ssdup-disks hdd_size_mb=1088 ssd_size_mb=4097 $(disk_parameters nvme)
	for n in 1 2 12 64; do
		logs $n
	done
	exit
fi
for pattern in random mixed contiguous; do
	for how in alone partitions logs; do
		beside "$1" $pattern $how
	done
done
