#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# dm-log-writes under both disks: replayed to points that agree with the flushes
# of each and are otherwise independent of each other, the pair holds everything
# that was flushed before, and of the rest old or new.
# Then under an SSD and its mirror, which go at two moments between the same two flushes.
# invariant: 2
# seconds: 300
#
# Usage in a machine by hand: power/log-writes.sh [POINTS-OF-A-STAGE [SEED]]
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0	# the disks go at two moments, and a guard needs the order between them

points=${1:-3}
seed=${2:-1}
stage=0
checked=0
kinds=()

# mark - this moment is called $stage in all logs
mark()
{
	local log

	for log in $logs; do
		must dmsetup message "logged-$log" 0 mark "stage$stage"
	done
}

# write_stage - both routes, over each other and over what is there; none of it
# is promised before the flush at the end
write_stage()
{
	stage=$((stage + 1))
	knob policy all
	io random len=16384 bs=8 nr=80 seed=$((seed + stage))
	knob policy none
	io random start=8192 len=16384 bs=8 nr=60 seed=$((seed + stage + 100))
	io zero start=$((stage * 512)) len=100
	knob policy all
	io mixed start=4096 len=16384 max=40 nr=60 seed=$((seed + stage + 200))
	must cp "$MODEL" "$T/model.$stage"
	io flush
	mark
	kinds[stage]='write'
}

# fua_stage - promised one by one; looked at when they are done
fua_stage()
{
	stage=$((stage + 1))
	knob policy all
	io random len=24576 bs=4 nr=20 fua=1 seed=$((seed + stage))
	knob policy none
	io random len=24576 bs=4 nr=20 fua=1 seed=$((seed + stage + 100))
	must cp "$MODEL" "$T/model.$stage"
	mark
	kinds[stage]=fua
}

drain_stage()
{
	stage=$((stage + 1))
	must cp "$MODEL" "$T/model.$stage"
	must message drain
	mark
	kinds[stage]=drain
}

# point STAGE HDD-FROM HDD-TO SSD-FROM SSD-TO - the power goes somewhere between
# those stages' ends
point()
{
	local hdd ssd at=$1

	checked=$((checked + 1))
	seed=$((seed + 1))
	rm -f "$T/hdd" "$T/ssd"
	must truncate -s $((LEN * 512)) "$T/hdd"
	must truncate -s $((SSD_LEN * 512)) "$T/ssd"
	echo "stage $at, ${kinds[at]}, seed $seed:"
	must logwrites /dev/ram0 cut "$T/hdd" "from=stage$2" "to=stage$3" seed=$seed
	must logwrites /dev/ram1 cut "$T/ssd" "from=stage$4" "to=stage$5" seed=$((seed + 7))
	hdd=$(losetup -f --show "$T/hdd") || fail "no loop device"
	ssd=$(losetup -f --show "$T/ssd") || fail "no loop device"
	HDD=$hdd SSD=$ssd make_ssdup policy all drain manual
	must cp "$T/model.$at" "$T/model.now"
	must iocheck "$T/model.now" $DEV recover
	if [ $((seed % 4)) = 0 ]; then
		flush
		must iocheck "$T/model.now" "$hdd" verify
	fi
	remove_ssdup
	must losetup -d "$hdd" "$ssd"
}

logs="hdd ssd"
make_disks hdd_size_mb=16 ssd_size_mb=11 hdd_cache_mb=16 ssd_cache_mb=4
SSD_LEN=$(blockdev --getsz $SSD)
must modprobe brd rd_nr=2 rd_size=131072
must modprobe loop
must modprobe dm-log-writes
must dmsetup create logged-hdd --table "0 $LEN log-writes $HDD /dev/ram0"
must dmsetup create logged-ssd --table "0 $SSD_LEN log-writes $SSD /dev/ram1"
HDD=/dev/mapper/logged-hdd SSD=/dev/mapper/logged-ssd
make_ssdup policy all drain manual autocommit_ms 100
mark
write_stage
write_stage
drain_stage
fua_stage
write_stage
drain_stage
above "segments freed" "$(stat frees)" 1
remove_ssdup
must dmsetup remove logged-hdd
must dmsetup remove logged-ssd

for ((at = 1; at <= stage; at++)); do
	before=$((at - 1))
	point $at $at $at $at $at
	[ "${kinds[at]}" != fua ] || continue
	for ((n = 0; n < points; n++)); do
		case ${kinds[at]}$((n % 2)) in
		write*) point $at $before $at $before $at ;;
		# the HDD's flush comes before the SSD's free record
		drain0) point $at $before $at $before $before ;;
		drain1) point $at $at $at $before $at ;;
		esac
	done
done
modprobe -r brd
echo "$checked points"

# flushes LOG STAGE - the entry behind each flush of that stage, and behind both of its marks
flushes()
{
	logwrites "$1" list | awk -v from="stage$(($2 - 1))" -v to="stage$2" '
		$NF == from { on = 1; print $1 + 1 }
		$NF == to { print $1 + 1; exit }
		on && / flush/ { print $1 + 1 }'
}

# twins STAGE - the power goes between two flushes, of each of the two somewhere else
twins()
{
	local at=$1 i n first
	local -a a b loop

	mapfile -t a < <(flushes /dev/ram0 "$at")
	mapfile -t b < <(flushes /dev/ram1 "$at")
	is "flushes of both" ${#a[@]} ${#b[@]}
	checked=$((checked + 1))
	seed=$((seed + 1))
	n=$((seed * 7 % (${#a[@]} - 1)))
	for i in 0 1; do
		rm -f "$T/ssd$i"
		must truncate -s $((SSD_LEN * 512)) "$T/ssd$i"
	done
	echo "stage $at, between flushes $n and $((n + 1)) of ${#a[@]}, seed $seed:"
	must logwrites /dev/ram0 cut "$T/ssd0" "from=${a[n]}" "to=${a[n + 1]}" seed=$seed
	must logwrites /dev/ram1 cut "$T/ssd1" "from=${b[n]}" "to=${b[n + 1]}" seed=$((seed + 7))
	for i in 0 1; do
		loop[i]=$(losetup -f --show "$T/ssd$i") || fail "no loop device"
	done
	first=$((seed % 2))
	SSD=${loop[first]} make_ssdup policy all drain manual mirror "${loop[1 - first]}"
	must cp "$T/model.$at" "$MODEL"
	io recover
	remove_ssdup
	# each has what was made of that, without the other one
	for i in 0 1; do
		SSD=${loop[i]} make_ssdup policy all drain manual mirror "${loop[1 - i]}"
		must dmsetup message $NAME 0 mirror 0 out $((seed / 2 % 2))
		is "out" "$(stat mirrors_out)" 1
		io verify
		remove_ssdup
	done
	for i in 0 1; do
		must losetup -d "${loop[i]}"
	done
}

logs="ssd0 ssd1"
HDD=/dev/mhdd0
stage=0
make_disks hdd_size_mb=16 ssds=2 ssd_size_mb=11 ssd_cache_mb=4
must modprobe brd rd_nr=2 rd_size=131072
for i in 0 1; do
	must dmsetup create logged-ssd$i --table "0 $SSD_LEN log-writes /dev/mssd$i /dev/ram$i"
done
rm -f "$MODEL"
SSD=/dev/mapper/logged-ssd0 make_ssdup policy all drain manual autocommit_ms 20 mirror \
	/dev/mapper/logged-ssd1
mark
for i in 1 2; do
	stage=$((stage + 1))
	io random len=16384 bs=8 nr=200 seed=$((seed + stage))
	io mixed start=4096 len=16384 max=40 nr=100 seed=$((seed + stage + 200))
	must cp "$MODEL" "$T/model.$stage"
	io flush
	mark
done
remove_ssdup
for i in 0 1; do
	must dmsetup remove logged-ssd$i
done
for ((n = 0; n < 4 * points; n++)); do
	twins $((n % 2 + 1))
done
modprobe -r brd
echo "$checked points"
