# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
#
# The SSDUP+ paper's experiments, sourced by workloads.sh.  Sizes are scaled down
# (the paper wrote 8 to 40 GB to two I/O nodes), SSDs and gaps with them, so that
# what is compared is shape and ratio.  Requests of processes on many machines
# reach an I/O node out of step; a random wait before each stands for that, with a
# mean of half a millisecond for each process: a quarter of the time that the disk
# takes for one request of everybody, whatever their number.
#
# "all" is what the paper calls OrangeFS-BB, "watermark" is SSDUP, "adaptive" is
# SSDUP+, "hdd" is plain OrangeFS.

# jitter PROCS [KIB] - the options for processes with requests of that size
jitter()
{
	echo "--jitter $((500 * $1 * ${2:-256} / 256))"
}

# procs_list FIRST LAST - powers of two; in the short form every other one
procs_list()
{
	local n=$1 step

	step=$(short 4 2)
	while [ "$n" -le "$2" ]; do
		echo "$n"
		n=$((n * step))
	done
}

# Fig. 5: random percentages of the patterns; Fig. 6: of strided by processes.  A
# stream must be few of the places, or what is random has neighbours by chance.  And
# no write may be split, as those to small segments are: its parts follow each other.
group_percentages()
{
	local pattern procs size=512m span

	for pattern in contiguous strided random mixed; do
		span=
		[ $pattern != random ] || span="--span 2g"
		work "$pattern-16" paper 512 -- 2112 none "" \
			"streams;burst --pattern $pattern --procs 16 --size $size $span $(jitter 16);percentage"
	done
	for procs in $(short "8 128" "8 32 64 128"); do
		work "strided-$procs" paper 512 -- 576 none "" \
			"streams;burst --pattern strided --procs $procs --size $size $(jitter "$procs");percentage"
	done
}

# three OPTIONS - the three instances of Fig. 9 and 10, one after the other, with
# the paper's proportions of 16, 16 and 8 GB
three()
{
	local mb step pattern

	mb=$(short 64 256)
	echo "burst --pattern contiguous --size $((2 * mb))m $*;" \
		"burst --pattern strided --size $((2 * mb))m --offset $((2 * mb))m $*;" \
		"burst --pattern random --size ${mb}m --offset $((4 * mb))m $*"
}

# Fig. 9: throughput and use of the SSD by processes, the SSD large enough.
group_sweep()
{
	local procs mb

	mb=$(short 384 1408)
	for procs in $(procs_list 8 "$(short 128 512)"); do
		work "procs-$procs" paper "$mb" -- "$mb" "$PAPER" "" \
			"$(three --procs "$procs" "$(jitter "$procs")");drain"
	done
}

# Fig. 11: two bursts at once, SSD half the data.
group_scarce()
{
	local mb first second

	mb=$(short 256 1024)
	second="--and --pattern random --procs 16 --size ${mb}m --offset ${mb}m --seed 2"
	for first in contiguous random; do
		work "$first+random" paper "$mb" -- $((2 * mb + 64)) "$PAPER dm-writecache" "" \
			"burst --pattern $first --procs 16 --size ${mb}m $second;drain"
	done
}

# Fig. 12: two random bursts with time to compute between, SSD half the data.  The
# paper's bursts took some 50 s each and the gaps were 0 to 30 s.
group_gaps()
{
	local mb gap one

	mb=$(short 256 1024)
	one="burst --pattern random --procs 16 --size ${mb}m"
	for gap in 0 $(short 2 "2 4 6"); do
		work "gap-$gap" paper "$mb" -- $((2 * mb + 64)) "$PAPER dm-writecache" "" \
			"$one;gap $gap;$one --offset ${mb}m --seed 2;drain"
	done
}

# Fig. 13: HPIO, 32 processes, c-c and c-nc at once, no spacing.
group_hpio()
{
	local kb mb

	mb=$(short 128 512)
	for kb in $(short "32 256" "32 64 128 256"); do
		work "region-$kb" paper $((2 * mb + 192)) -- $((2 * mb + 64)) "$PAPER" "" \
			"burst --pattern contiguous --procs 32 --request ${kb}k --size ${mb}m \
			$(jitter 32 "$kb") --and --pattern hpio --procs 32 --request ${kb}k --size ${mb}m \
			--offset ${mb}m $(jitter 32 "$kb");drain"
	done
}

# Fig. 14: MPI-Tile-IO, two instances at once: 1 x n tiles, and about as many
# side by side as above each other.  A row of a tile is 64 elements of 4 KiB.
group_tile()
{
	local procs mb across

	mb=$(short 128 512)
	for procs in $(short "16 64" "16 32 64 128"); do
		across=4
		[ "$procs" -lt 64 ] || across=8
		work "procs-$procs" paper $((2 * mb + 192)) -- $((2 * mb + 64)) "$PAPER" "" \
			"burst --pattern tile --procs $procs --tiles-x 1 --size ${mb}m \
			$(jitter "$procs") --and --pattern tile --procs $procs --tiles-x $across --size ${mb}m \
			--offset ${mb}m $(jitter "$procs");drain"
	done
}

# Fig. 15: random data up to many times the SSD.
group_beyond()
{
	local times

	for times in $(short "1 8" "1 2 4 8 16"); do
		work "times-$times" paper 128 -- $((128 * times + 64)) "hdd all adaptive balance" "" \
			"burst --pattern random --procs 16 --size $((128 * times))m;drain"
	done
}

# FlashStager, Fig. 2 to 6: writers stage arrays on the SSD, and a reader for some of them reads
# each as soon as it is there.  The paper's arrays have 128 to 1024 squared doubles, 128 KiB to 8
# MiB, and go to three SSDs in a stripe.  Here they have a quarter of that, and go to one; and to two,
# in a stripe, and as two of a log.
group_flashstager()
{
	local array=512 staged
	# what the SSD gives before anybody reads there
	local alone="burst --pattern contiguous --procs 60 --request 16k --size 60m;forget"

	for staged in 10 20 30; do
		array_bench "staged-$staged" $array $staged
	done
	for array in 32 128 2048; do
		array_bench "array-$array" $array 10
	done
	# GTS: 32 writers compute, write a checkpoint after each time step, or each fifth
	for array in $(short "2 7" "2 4 5 7"); do
		gts "gts-$array" "$array" 400
		gts "gts-fifth-$array" "$array" 2000
	done
}

# array_bench NAME KIB STAGED - arrays of that size, and so many writers for a reader
array_bench()
{
	work "$1" ftl 1024 -- 1088 "ssd all balance" "drain manual" \
		"$alone;staging --pattern contiguous --procs 60 --request 16k --size 480m --array $2k \
--staged $3"
	work "$1" two 1024 -- 1088 "stripe members" "drain manual" \
		"$alone;staging --pattern contiguous --procs 60 --request 16k --size 480m --array $2k \
--staged $3"
}

# gts NAME MIB THINK - a writer's part of a checkpoint, and the ms before each
gts()
{
	work "$1" ftl 1024 -- 1088 "ssd all balance" "drain manual" \
		"$alone;staging --pattern contiguous --procs 32 --request 16k --size $((32 * 4 * $2))m \
--array $2m --staged 32 --think $3"
	work "$1" two 1024 -- 1088 "stripe members" "drain manual" \
		"$alone;staging --pattern contiguous --procs 32 --request 16k --size $((32 * 4 * $2))m \
--array $2m --staged 32 --think $3"
}
