#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# dm-log-writes under both disks: replayed to points that agree with the flushes
# of each and are otherwise independent of each other, the pair holds everything
# that was flushed before, and of the rest old or new.
# invariant: 2
# seconds: 200
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

# mark - this moment is called $stage in both logs
mark()
{
	must dmsetup message logged-hdd 0 mark "stage$stage"
	must dmsetup message logged-ssd 0 mark "stage$stage"
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
	must message flush
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
