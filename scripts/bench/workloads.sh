# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
#
# The groups of workloads.  group_NAME calls "work" for each workload; the steps
# are those of guest.sh.  $full is "yes" in the full form.

GROUPS_ALL="targets"

# policies - those the module offers, as its code lists them
policies()
{
	sed -n '/policies\[\] = {/,/}/s/.*"\(.*\)".*/\1/p' "$TOP/dm-ssdup/args.c"
}

PEERS="hdd ssd dm-writecache dm-cache bcache dm-writeboost"
OURS=$(policies | tr '\n' ' ')

# work NAME DISKS SSD-MB... -- HDD-MB SYSTEMS KEYS STEPS - a unit for each size of
# the SSD and each system; the bare hard disk needs but one, and the bare SSD one
# that holds everything
work()
{
	local workload=$1 disks=$2 sizes=() size system first=yes mb

	shift 2
	while [ "$1" != -- ]; do
		sizes+=("$1")
		shift
	done
	for size in "${sizes[@]}"; do
		for system in $3; do
			mb=$size
			case $system in
			hdd | ssd | linear) [ $first = yes ] || continue ;;
			esac
			[ "$system" != ssd ] || mb=$2
			unit "$group|$workload|$system|$disks|$mb|$2|$4|$5"
		done
		first=no
	done
}


# The table of "what to reach".
group_targets()
{
	local pattern big="--procs 16 --request 256k --size 1g"

	for pattern in contiguous random mixed strided; do
		work $pattern sata 512 2560 -- 1088 "$PEERS $OURS" "" \
			"burst --pattern $pattern $big;drain;verify"
	done
	work small sata 512 -- 1088 "$PEERS $OURS" "" \
		"burst --pattern random --procs 16 --request 4k --size 32m --span 1g;drain;verify"
}
