#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Each disk a RAID 1 of md: what one leg fails nobody notices, what both fail ends as
# with a bare disk. But md tells nobody of a FLUSH that failed (see admin-guide.rst), and
# an array whose last leg failed takes no more writes until it is assembled anew.
# invariant: 2 7
# seconds: 300
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0

eio="Input/output error" hdd="" ssd=""

# assemble KIND LEG... - the array md_KIND of these disks, the first of them complete
#
# Without metadata on the legs: mdadm is not needed, and a sector of the array is the
# same sector of its legs.
assemble()
{
	local md=/sys/block/md_$1/md leg slot=0 size

	echo "md_$1" >/sys/module/md_mod/parameters/new_array || fail "no array md_$1"
	shift
	size=$(($(blockdev --getsz "/dev/$1") / 2))
	set_md "$md" metadata_version none
	set_md "$md" level raid1
	set_md "$md" raid_disks 2
	set_md "$md" component_size $size
	for leg; do
		set_md "$md" new_dev "$(<"/sys/block/$leg/dev")"
		set_md "$md" "dev-$leg/size" $size
		set_md "$md" "dev-$leg/slot" $slot
		slot=$((slot + 1))
	done
	set_md "$md" resync_start none
	set_md "$md" array_state active
}

# set_md DIR FILE VALUE
set_md()
{
	echo "$3" >"$1/$2" || fail "md does not take $3 for $2"
}

# failed KIND - of md_KIND, the legs that md has given up
failed()
{
	local leg

	for leg in "/sys/block/md_$1"/md/dev-*; do
		[[ $(<"$leg/state") != *faulty* ]] || echo "${leg##*/dev-}"
	done
}

# stop - take the arrays apart; what one of them had left stays in $hdd and $ssd
stop()
{
	local kind leg end

	for kind in hdd ssd; do
		[ -d "/sys/block/md_$kind" ] || continue
		for leg in m${kind}0 m${kind}1; do
			[[ " $(failed $kind) " == *$leg* ]] || printf -v $kind %s "$leg"
		done
		set_md "/sys/block/md_$kind/md" array_state clear
		end=$((SECONDS + 60))
		while [ -d "/sys/block/md_$kind" ]; do
			[ $SECONDS -lt $end ] || fail "md_$kind is still there"
			nap 0.01
		done
	done
}

# anew - two arrays of new disks
anew()
{
	stop
	HDD=/dev/mhdd0
	make_disks hdds=2 ssds=2 hdd_cache_mb=4 ssd_cache_mb=4
	rm -f "$MODEL"
	assemble hdd mhdd0 mhdd1
	assemble ssd mssd0 mssd1
	HDD=/dev/md_hdd SSD=/dev/md_ssd
}

# both KIND FILE VALUE - of the two legs
both()
{
	model "m${1}0" "$2" "$3"
	model "m${1}1" "$2" "$3"
}

trap 'tear_down; stop; modprobe -r ssdup-disks 2>/dev/null' EXIT
must modprobe raid1

# a leg of each that fails what it is asked: reads, writes, all
for fault in fail_read fail_write gone; do
	anew
	# reads go to the other one
	set_md /sys/block/md_hdd/md dev-mhdd0/state writemostly
	make_ssdup policy all drain manual
	io write len=4096 bs=64 fsync=1
	what="0 $LEN"
	[ $fault != gone ] || what=1
	model mhdd1 $fault "$what"
	model mssd0 $fault "$what"
	io verify
	io random start=8192 len=8192 nr=50 fsync=1
	knob policy none
	io random start=32768 len=8192 nr=50 fsync=1
	all_home
	io random len=8192 nr=20 seed=2 fsync=1
	io verify
	is "mode and errors" "$(stat mode) $(stat ssd_errors) $(stat hdd_errors)" "0 0 0"
	is "what is lost" "$(message lost_ranges)" none
	is "failed legs" "$(failed hdd) $(failed ssd)" "mhdd1 mssd0"
	remove_ssdup
done

# a flush that one leg fails, or both: md keeps it to itself
anew
make_ssdup policy all drain manual autocommit_ms 3600000
for legs in "mhdd0 mssd1" "mhdd0 mhdd1 mssd0 mssd1"; do
	io random len=8192 nr=20 fsync=1
	io random start=16384 len=8192 nr=20
	knob policy none
	io random start=32768 len=8192 nr=20
	knob policy all
	for leg in $legs; do
		model "$leg" fail_flush 1
	done
	if iocheck "$MODEL" $DEV flush 2>"$T/stderr"; then
		is "mode" "$(stat mode)" 0
		must said "flush io error"
	else
		# an md that does tell
		above "mode" "$(stat mode)" 0
	fi
	heal
	[ "$(stat mode)" = 0 ] || break
done
io verify
remove_ssdup

# the HDD's legs are both gone: as 54
anew
make_ssdup policy all drain manual
io write len=4096 bs=64 fsync=1
both hdd gone 1
io fails start=50000 len=8 bs=8
io verify len=4096
io write start=4096 len=64 bs=8 fsync=1
must_get "$eio" message drain
wait_until drain_state -eq 7
is "mode and error" "$(stat mode) $(stat drain_errno)" "0 5"
is "what is lost" "$(message lost_ranges)" none
knob policy none
write_fails "$eio" start=50000 len=8
heal
# md has given them up
write_fails "$eio" start=50000 len=8
must_get "$eio" message drain
io verify len=4160
remove_ssdup
stop
assemble hdd "$hdd"
assemble ssd mssd0 mssd1
make_ssdup policy all drain manual
is "mode" "$(stat mode)" 0
all_home
remove_ssdup

# the SSD's legs are both gone: as 53
anew
make_ssdup policy all drain manual
io write len=4096 bs=64 fsync=1
both ssd gone 1
io fails len=8 bs=8
must_get "$eio" message drain
is "mode" "$(stat mode)" 2
is "what is lost" "$(message lost_ranges)" none
write_fails "$eio" len=8
io random start=8192 len=8192 nr=20
io verify start=4096
heal
io verify
remove_ssdup
stop
assemble ssd "$ssd"
assemble hdd mhdd0 mhdd1
make_ssdup policy all drain manual
is "mode" "$(stat mode)" 0
all_home
remove_ssdup
stop

# late_legs MS - flushes are on their way to the SSD's legs for so long
late_legs()
{
	local leg

	for leg in mssd0 mssd1; do
		[ -e /dev/mapper/late-$leg ] || must dmsetup create late-$leg --notable
		must dmsetup reload late-$leg --table "0 $(blockdev --getsz /dev/$leg) \
			delay /dev/$leg 0 0 /dev/$leg 0 0 /dev/$leg 0 $1"
		must dmsetup suspend --noflush late-$leg
		must dmsetup resume late-$leg
	done
}

# the power goes while a flush is under way. md sends the data of a write with PREFLUSH
# beside the flush, not after it: a page that relied on its own would be durable before
# the data that it speaks of
must modprobe dm-delay
for seed in 1 2; do
	HDD=/dev/mhdd0 SSD=/dev/md_ssd
	make_disks hdds=2 ssds=2 ssd_cache_mb=4
	rm -f "$MODEL"
	late_legs 0
	assemble ssd "dm-$(dmsetup info -c --noheadings -o minor late-mssd0)" \
		"dm-$(dmsetup info -c --noheadings -o minor late-mssd1)"
	make_ssdup policy none drain manual autocommit_ms 3600000
	io write len=512 bs=8 fsync=1
	knob policy all
	io write len=512 bs=8
	late_legs 3600000
	cp "$MODEL" "$T/beside"
	iocheck "$T/beside" $DEV flush 2>/dev/null &
	nap 1
	power_cut $seed
	late_legs 0
	wait $!
	remove_ssdup
	stop
	must dmsetup remove late-mssd0 late-mssd1
	power_on
	# after a crash one leg counts
	assemble ssd mssd0
	make_ssdup policy none drain manual
	io recover
	remove_ssdup
	stop
done
