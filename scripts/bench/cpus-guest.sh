#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Usage (in the guest): cpus-guest.sh N
#
# The guest's part of scripts/bench/cpus: a line for each system with its name, N,
# and nanoseconds and number of the writes.

set -euo pipefail
# shellcheck source=scripts/bench/systems.sh
. "${BASH_SOURCE[0]%/*}/systems.sh"

# null_device NAME - a device of 640 MiB, all of whose memory is taken
null_device()
{
	local dir=/sys/kernel/config/nullb/$1

	mkdir "$dir"
	echo 640 >"$dir/size"
	echo "$cpus" >"$dir/submit_queues"
	echo 1 >"$dir/memory_backed"
	echo 0 >"$dir/irqmode"
	echo 1 >"$dir/power"
	dd if=/dev/zero of="/dev/$1" bs=1M count=640 oflag=direct status=none
}

cpus=$1
modprobe null_blk nr_devices=0
grep -q ' /sys/kernel/config ' /proc/mounts || mount -t configfs none /sys/kernel/config
modprobe dm-ssdup
hdd=/dev/nullb0 ssd=/dev/nullb1 bottom=$hdd
null_device nullb0
null_device nullb1
for system in hdd linear dm-writecache none all adaptive balance; do
	case $system in
	hdd | linear | dm-writecache) system_make "$system" ;;
	*) system_make "$system" drain manual ;;
	esac
	line=$(burst --pattern uniform --procs "$cpus" --request 4k --span 512m \
		--size $((32 * cpus))m "$device")
	echo "$system $cpus $(field ns "$line") $(field requests "$line")"
	system_remove "$system"
done
