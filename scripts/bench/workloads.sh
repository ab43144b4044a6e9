# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
#
# The groups of workloads; those of the paper are in paper.sh.  group_NAME calls "work" for each workload; the steps
# are those of guest.sh.  $full is "yes" in the full form.

GROUPS_ALL="targets small fsync readwrite zipf checkpoint sustained drain untar beside full
	percentages sweep scarce gaps hpio tile beyond cpu memory start reads"
# Those of them that run on any pair of disks, and whose MB/s can be compared.
GROUPS_DISKS="targets small fsync readwrite zipf checkpoint sustained untar full"

# policies - those the module offers, as its code lists them
policies()
{
	sed -nE 's/^SSDUP_POLICY\([A-Z]+, "(.*)",.*/\1/p' "$TOP/dm-ssdup/core/states.h"
}

# short N FULL - a number for the short and one for the full form
short()
{
	if [ "$full" = yes ]; then echo "$2"; else echo "$1"; fi
}

PEERS="hdd ssd dm-writecache dm-cache bcache dm-writeboost"
OURS=$(policies | tr '\n' ' ')
# The short form has the default policy. What the paper did is done with its own policy, too, with
# the bare hard disk and a buffer that takes everything beside them.
MINE=$(short balance "$OURS")
EVERYBODY="$PEERS $MINE"
PAPER="hdd $(short "all adaptive balance" "$OURS")"

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
	local disks

	for disks in ${only_disks:-sata}; do
		targets_on "$disks"
	done
}

# targets_on DISKS
targets_on()
{
	local pattern big="--procs 16 --request 256k --size 1g"

	for pattern in contiguous random mixed strided; do
		work $pattern "$1" 512 -- 1088 "$EVERYBODY" "" \
			"burst --pattern $pattern $big;drain;verify"
	done
	for pattern in $(short "contiguous mixed" "contiguous random mixed strided"); do
		work "$pattern" "$1" 2560 -- 1088 "dm-writecache $MINE" "" \
			"burst --pattern $pattern $big;drain;verify"
	done
	work small "$1" 512 -- 1088 "$EVERYBODY" "" \
		"burst --pattern random --procs 16 --request 4k --size 32m --span 512m;drain;verify"
}

# What users run, on the pairs of disks that are wanted.
each_disk()
{
	local disks workload=$1

	shift
	for disks in ${only_disks:-$(short sata "sata nvme")}; do
		work "$workload-$disks" "$disks" "$@"
	done
}

group_small()
{
	local depth

	for depth in 1 32; do
		each_disk "depth-$depth" 512 -- 1088 "$EVERYBODY" "" \
			"burst --pattern random --procs $depth --request 4k --size $(short 8m 64m) \
			--span 1g;drain;verify"
	done
}

group_fsync()
{
	local request

	for request in 4k 16k; do
		each_disk "fsync-$request" 512 -- 1088 "$EVERYBODY" "" \
			"burst --pattern random --procs 4 --request $request --fsync 1 \
			--size $(short 16m 64m) --span 1g;drain;verify"
	done
}

group_readwrite()
{
	each_disk reads-70 512 -- 1088 "$EVERYBODY" "" \
		"burst --pattern uniform --procs 16 --request 4k --reads 70 \
		--size $(short 8m 32m) --span 1g;drain"
}

group_zipf()
{
	each_disk zipf 512 -- 1088 "$EVERYBODY" "" \
		"burst --pattern zipf --procs 16 --request 4k --size $(short 32m 256m) \
		--span 1g;drain;verify"
}

# A checkpoint every few seconds, each over the one before.
group_checkpoint()
{
	local one="burst --pattern mixed --procs 16 --request 256k --size 256m" gap

	for gap in $(short 2 "0 2"); do
		each_disk "gap-$gap" 512 -- 320 "$EVERYBODY" "" \
			"$one;gap $gap;$one;gap $gap;$one;gap $gap;$one;drain;verify"
	done
}

# Random data of four times the SSD, with the course of time, and of eight times.
group_sustained()
{
	each_disk sustained "$(short 128 512)" -- "$(short 576 2112)" "$EVERYBODY" "" \
		"burst --slice 250 --pattern random --procs 16 --request 256k \
		--size $(short 512m 2g);drain;verify"
	each_disk times-8 "$(short 128 512)" -- "$(short 1088 4160)" "$EVERYBODY" "" \
		"burst --pattern random --procs 16 --request 256k --size $(short 1g 4g);drain;verify"
}

# Readers and writers while the system is drained, and after: writers that compute in
# between, and some that fill the log meanwhile.
group_drain()
{
	local fill="burst --pattern random --procs 16 --request 64k --size 128m --span 1g"
	local others="--pattern uniform --procs 4 --request 4k --span 1g --size 16m --ms 4000"

	each_disk readers 512 -- 1088 "$EVERYBODY" "drain manual" \
		"$fill;during $others --reads 100;drain"
	each_disk writers 512 -- 1088 "$EVERYBODY" "drain manual" \
		"$fill;during $others --jitter 1000;drain"
	each_disk overload 512 -- 1088 "$EVERYBODY" "drain manual" \
		"$fill;during $others;drain"
}

# Two loads at once, while the log is full: a reader of its own part of the disk beside
# random writers; and while it has room: a database's log beside its pages.  What fills the
# log before lies elsewhere, or writes over it would have to go there too.
group_beside()
{
	work_beside "$EVERYBODY" "$(short 20 60)000"
}

# work_beside SYSTEMS MS
work_beside()
{
	local ms=$2 random="burst --pattern random --procs 16 --request 256k"

	each_disk reader 512 -- 4160 "$1" "" "$random --size 1g --offset 3g;forget;\
reader --bs=256k --iodepth=4 --offset=2g --size=1g --runtime=$((ms / 1000 - 1));\
$random --size 2g --ms $ms;join"
	each_disk database 512 -- 4480 "$1" "" "$random --size 256m --offset 4160m;forget;\
aside --pattern contiguous --procs 1 --request 8k --fsync 1 --size 64m --offset 4g --ms $ms;\
burst --pattern uniform --procs 8 --request 16k --size 2g --span 4g --ms $ms;join"
}

# On pairs of disks that nobody has chosen: what writers do, what is beside what, and pauses.
group_family()
{
	local pattern seed one="burst --pattern mixed --procs 16 --request 256k --size 256m"
	local systems="hdd dm-writecache dm-cache balance" only_disks
	local big="--procs 16 --request 256k --size 1g"

	for seed in "${family[@]}"; do
		for pattern in contiguous random mixed strided; do
			work $pattern "family$seed" 512 -- 1088 "$systems" "" \
				"burst --pattern $pattern $big;drain"
		done
		work small "family$seed" 512 -- 1088 "$systems" "" \
			"burst --pattern random --procs 16 --request 4k --size 32m --span 512m;drain"
		work gaps "family$seed" 512 -- 1088 "$systems" "" \
			"$one;gap 2;$one;gap 2;$one;gap 2;$one;drain"
		only_disks="family$seed"
		work_beside "$systems" 10000
	done
}

# How long a writer waits once the log is full.
group_full()
{
	local random="burst --pattern random --procs 16 --request 256k"

	each_disk writers 512 -- "$(short 3136 9280)" "$EVERYBODY" "" \
		"$random --size 1g;forget;$random --size $(short 2g 8g) --offset 1g \
		--ms $(short 10000 60000);drain"
}

group_untar()
{
	each_disk untar 512 -- 1088 "$EVERYBODY" "" "untar;drain"
}

# What a request costs: instructions of the whole machine, on disks that take no
# time.  Nothing is drained meanwhile.
group_cpu()
{
	local mb one systems

	systems=$(short "linear hdd dm-writecache none adaptive $MINE" "linear $PEERS $OURS")
	mb=$(short 32 128)
	one="burst --pattern uniform --procs 1 --request 4k --size ${mb}m"
	work write-4k instant 512 -- 320 "$systems" "drain manual" \
		"prefill;$one --span 256m"
	work read-4k instant 512 -- 320 "$systems" "drain manual" \
		"prefill;$one --span 256m --reads 100"
	work read-logged-4k instant 512 -- 320 "$systems" "drain manual" \
		"prefill;burst --pattern random --procs 1 --request 4k --size ${mb}m;forget;$one --reads 100"
	work write-256k instant 512 -- 320 "$systems" "drain manual" \
		"prefill;burst --pattern contiguous --procs 1 --request 256k --size 256m"
}

# Memory while the SSD is filled with small writes.
group_memory()
{
	local systems

	systems=$(short "hdd dm-writecache dm-cache bcache all adaptive $MINE" "$EVERYBODY")
	work fill-4k instant 512 -- 576 "$systems" "drain manual" \
		"prefill;memory --pattern random --procs 4 --request 4k --size $(short 192m 384m) --span 512m"
	work fill-256k instant 512 -- 576 "$systems" "drain manual" \
		"prefill;memory --pattern random --procs 4 --request 256k --size 384m"
}

# How long a device takes to start, by what it holds.
group_start()
{
	local mb

	for mb in 64 256 1024; do
		work "fill-4k-$mb" sata 1280 -- 1088 "dm-writecache all" "drain manual" \
			"burst --pattern random --procs 16 --request 4k --size ${mb}m --span 1g;restart"
	done
	work "fill-256k-$mb" sata 1280 -- 1088 "dm-writecache all" "drain manual" \
		"burst --pattern random --procs 16 --request 256k --size ${mb}m;restart"
}

# Reads of what was written back: all of it at once, by the part of the log that may be clean;
# beside the drain; the files of a tree; and in order.
group_reads()
{
	local part request random="--pattern random --procs 16"

	for request in 256k 64k; do
		each_disk "back-$request" 512 -- 576 "hdd ssd dm-cache bcache" "" \
			"burst $random --request $request --size 384m;back $random --request $request --size 384m"
		for part in 0 50 90; do
			each_disk "back-$request" 512 -- 576 "all balance" "clean $part" \
				"burst $random --request $request --size 384m;back $random --request $request --size 384m"
		done
	done
	for part in 0 90; do
		for request in 512m 768m 1g; do
			each_disk "restart-$request" 512 -- 1088 \
				"$([ $part = 0 ] && echo "hdd dm-cache bcache ")balance" "clean $part" \
				"burst $random --request 256k --size $request;\
beside $random --request 256k --size $request"
		done
		# a burst into a log that the one before has filled, and that was drained
		each_disk again 512 -- 1088 "all balance" "clean $part" \
			"burst $random --request 256k --size 448m;drain;forget;\
burst $random --request 256k --size 384m --offset 600m"
	done
	# 100 000 files, which are looked for twice
	for part in 0 90; do
		each_disk find 512 -- 1088 "$([ $part = 0 ] && echo "hdd ssd dm-cache ")all balance" \
			"clean $part" "files 100 2"
	done
	# a file of many writers, written back and read in order
	for part in 0 90; do
		for request in 1 16; do
			each_disk "in-order-$request" 512 -- 1088 \
				"$([ $part = 0 ] && echo "hdd ssd dm-cache bcache ")balance" "clean $part" \
				"burst --pattern contiguous --procs 16 --request 256k --size 448m;\
in-order $request 448"
		done
	done
}

# Who read in order, by how far the page cache reads ahead (0: directly), and by scheduler
group_ordered()
{
	local part request

	each_disk ordered-1-128-none 512 -- 1088 "hdd balance" "" "ordered 1 128 none"
	for part in 0 128 1024 4096 16384; do
		for request in mq-deadline none; do
			each_disk "ordered-16-$part-$request" 512 -- 1088 "hdd balance" "" \
				"ordered 16 $part $request"
		done
	done
}

# What is read again: 20 000 files that are looked for the fourth time, and reads of which few places
# get most, for the fourth time too; of dm-ssdup without copies and with them
group_copies()
{
	local keys

	for keys in "" "clean 90 promote 64T"; do
		each_disk hot 512 -- 1088 "$([ "$keys" ] || echo "hdd ssd dm-cache bcache ")balance" \
			"$keys" "burst --pattern contiguous --procs 4 --request 1m --size 900m;hot 4"
		each_disk find-4 512 -- 1088 "$([ "$keys" ] || echo "hdd ssd dm-cache bcache ")balance" \
			"$keys" "files 20 4"
	done
}

# The experiments of the LiU paper (Fig. 4, Tables I to III) in shape: programs that write, and read
# what they wrote, alone and beside another one; of the HDD also with the page cache reading ahead
group_liu()
{
	local part n systems

	for part in "" "clean 90"; do
		systems="$([ "$part" ] && echo all || echo hdd dm-cache bcache) balance"
		liu_work "$systems" "$part" 0
		for n in 9 16 25; do
			each_disk "bt-$n" 512 -- 1088 "$systems" "$part" "mpi bt $n 225 0"
		done
	done
	liu_work hdd "" 4096
}

# liu_work SYSTEMS KEYS READ-AHEAD
liu_work()
{
	local kind mb other name

	while read -r kind mb other; do
		name=mpi-$kind${other:+-beside-$other}
		[ "$3" = 0 ] || name=ahead-$name
		each_disk "$name" 512 -- 1088 "$1" "$2" "mpi $kind 14 $mb $3 $other"
	done <<-END
		io-test 448
		ior 448
		io-test 224 io-test
		io-test 224 ior
	END
}

# shellcheck source=scripts/bench/paper.sh
. "$BENCH/paper.sh"
