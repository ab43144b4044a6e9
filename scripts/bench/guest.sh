#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Usage (in the guest): guest.sh UNITS
#
# The part of the bench that runs in the machine.  UNITS is a file; each line is
# one workload for one system:
#
#	GROUP|WORKLOAD|SYSTEM|DISKS|SSD-MB|HDD-MB|KEYS|STEP;STEP...
#
# KEYS are dm-ssdup's keys and values beside the policy.  A STEP is a word and its
# arguments, see step_* here and in steps.sh.  Says "@start" before each unit, and "@result"
# with a line of JSON after it.

set -Eeuo pipefail
trap 'echo "stopped: line $LINENO: $BASH_COMMAND"' ERR

# shellcheck source=scripts/bench/systems.sh
. "${BASH_SOURCE[0]%/*}/systems.sh"
FAMILY=/files/family
# shellcheck source=scripts/bench/disks.sh
. "${BASH_SOURCE[0]%/*}/disks.sh"
# shellcheck source=scripts/bench/steps.sh
. "${BASH_SOURCE[0]%/*}/steps.sh"
# shellcheck source=scripts/lab/guest/memory.sh
. "${BASH_SOURCE[0]%/*}/../lab/guest/memory.sh"

state=/tmp/outcome
stamp=0

# model DISK NAME - a counter of a modelled disk
model()
{
	echo $(($(<"/sys/block/$1/model/$2")))
}

# busy_ms - how long the processor has worked
busy_ms()
{
	local -a cpu

	read -ra cpu </proc/stat
	echo $(($(now_ms) - 10 * (cpu[4] + cpu[5])))
}

# add NAME VALUE - to the result
add()
{
	result+=",\"$1\":$2"
}

# step_burst OPTION... - the writers
step_burst()
{
	stamp=$((stamp + 1))
	line=$(burst --state $state --stamp $stamp "$@" "$device")
	written=("--stamp" "$stamp" "$@")
}

# step_forget - what was done so far is not part of the result
step_forget()
{
	rm -f $state
}

# step_gap SECONDS - nobody writes
step_gap()
{
	sleep "$1"
}

# add_flash - what the SSD's flash memory did, if it has any
add_flash()
{
	local name

	[ -e /sys/block/mssd0/ftl ] || return 0
	for name in nand copied erased discarded; do
		add ssd_$name $(($(</sys/block/mssd0/ftl/${name}_bytes)))
	done
}

# step_drain - the writers are done: bring everything to the hard disk
step_drain()
{
	local begin start

	begin=$(field start_ms "$line")
	start=$(now_ms)
	system_drain "$system"
	add drain_ms $(($(now_ms) - start))
	add drained_ms $(($(now_ms) - begin))
	add hdd_ops "$(model mhdd0 operations)"
	add hdd_seeks "$(model mhdd0 seeks)"
	add hdd_busy_ms $(($(model mhdd0 busy_us) / 1000))
	add hdd_written $(($(model mhdd0 bytes_written)))
	add ssd_written $(($(model mssd0 bytes_written)))
	add ssd_read $(($(model mssd0 bytes_read)))
	add ssd_busy_ms $(($(model mssd0 busy_us) / 1000))
	add_flash
}

# step_verify - what the last burst wrote is on the bare disk
step_verify()
{
	verify=yes
}

# run_unit - the steps of a unit, whose words are set; "prefill" comes before the
# system is made
run_unit()
{
	local steps step line='' written=() verify=no result='' busy extra

	rm -f $state
	read -ra extra <<<"$keys"
	# shellcheck disable=SC2046 # a list of words
	modprobe ssdup-disks hdd_size_mb="$hdd_mb" ssd_size_mb="$ssd_mb" \
		$(disk_parameters "$disks")
	[[ $work != prefill* ]] || step_prefill
	system_make "$system" ${extra[@]+"${extra[@]}"}
	echo 1 >/sys/block/mhdd0/model/reset
	echo 1 >/sys/block/mssd0/model/reset
	busy=$(busy_ms)
	IFS=';' read -ra steps <<<"${work#prefill;}"
	for step in "${steps[@]}"; do
		read -ra step <<<"$step"
		"step_${step[0]}" "${step[@]:1}"
	done
	add cpu_ms $(($(busy_ms) - busy))
	system_remove "$system"
	[ $verify = no ] || add wrong_sectors "$(count_wrong "${written[@]}")"
	modprobe -r ssdup-disks
	line="{\"group\":\"$group\",\"workload\":\"$workload\",\"system\":\"$system\",\
\"disks\":\"$disks\",\"ssd_mb\":$ssd_mb,\"keys\":\"$keys\",\"kernel\":\"$(uname -r)\",${line#\{}"
	echo "@result ${line%\}}$result}"
}

modprobe dm-mod
modprobe dm-ssdup
if [ -e /files/dm-writeboost.ko ]; then
	modprobe dm-snapshot
	insmod /files/dm-writeboost.ko
fi
# Short lists of free pages: whom it falls to, at any time, to empty a long one works for half a
# millisecond, and then 32 others go first: its request took 14.
echo 1000000 >/proc/sys/vm/percpu_pagelist_high_fraction
# a kernel still has work of its own in its first seconds, which halved the speed of a unit
sleep 10
while IFS='|' read -r group workload system disks ssd_mb hdd_mb keys work <&3; do
	echo "@start $group $workload $system"
	run_unit
done 3<"$1"
