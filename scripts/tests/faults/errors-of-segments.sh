#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What the disks refuse where segments change their state: a header, a copy of the record with
# the tail, a write to a segment that is sealed already, the HDD's flush before the tail. What
# passes is tried again. Nothing becomes free too early, and nothing acknowledged is lost.
# invariant: 7
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

eio="Input/output error"
options=(policy all drain manual autocommit_ms 3600000)

# passes RANGE COMMAND... - the SSD refuses writes there for a while: the command takes as long
passes()
{
	local errors job

	errors=$(stat ssd_errors)
	model $SSD fail_status transport
	model $SSD fail_write "$1"
	shift
	"$@" &
	job=$!
	wait_until ssd_errors -gt $((errors + 2))
	is "segments freed" "$(stat frees)" 0
	heal
	must wait $job
	is "mode" "$(stat mode)" 0
}

make_disks ssd_cache_mb=4 hdd_cache_mb=4
make_ssdup "${options[@]}"
size=$(stat segment_sectors)

# the header of the first segment
io write len=64
passes "2048 8" iocheck "$MODEL" $DEV flush
reboot 1 "${options[@]}"
io recover
is "dirty sectors" "$(stat dirty_sectors)" 64

# a copy of the record with the tail
for copy in $(($(home 1) + 1024)) 1024; do
	io write len=2048 bs=64 fsync=1
	passes "$copy 8" message drain
	above "segments freed" "$(stat frees)" 4
	reboot 2 "${options[@]}"
	is "dirty sectors" "$(stat dirty_sectors)" 0
	io recover
	io verify
done

# the header of the third segment of a commit, for good: what was promised before stays
for which in 2 0; do
	remove_ssdup
	make_disks ssd_cache_mb=4 hdd_cache_mb=4
	rm -f "$MODEL"
	make_ssdup "${options[@]}"
	io write start=20000 len=64 bs=8 fsync=1
	model $SSD fail_write "$((2048 + (which + 1) * size)) 8"
	io write len=$((4 * $(segment_data))) bs=8
	must_get "$eio" iocheck "$MODEL" $DEV flush
	is "mode" "$(stat mode)" 1
	heal
	io verify
	reboot 3 "${options[@]}"
	io recover
	all_home
done
remove_ssdup

# a write to a segment that is sealed already, too long to end in memory: its place stays empty, and
# it gets another one; a discard would be held back like a write
must modprobe dm-delay
for status in medium transport; do
	make_disks ssd_cache_mb=4 ssd_discard=0 ssd_size_mb=35
	rm -f "$MODEL" "$T/first"
	make_ssdup
	data=$(log_sector 0)
	all=$(blockdev --getsz $SSD)
	remove_ssdup
	DISK=$SSD SSD=/dev/mapper/other
	must dmsetup create other <<-TABLE
		0 $data linear $DISK 0
		$data 72 delay $DISK $data 0 $DISK $data 3600000 $DISK $data 0
		$((data + 72)) $((all - data - 72)) linear $DISK $((data + 72))
	TABLE
	make_ssdup "${options[@]}"
	iocheck "$T/first" $DEV write start=50000 len=72 bs=72 &
	first=$!
	wait_until writes_ssd -eq 1
	len=$(segment_data)
	io write len="$len" bs=8 fsync=1
	is "seals" "$(stat seals)" 1
	model $DISK fail_status $status
	model $DISK fail_write "$data 72"
	errors=$(stat ssd_errors)
	must dmsetup suspend --noflush other
	must dmsetup resume other
	wait_until ssd_errors -gt "$errors"
	heal
	must wait $first
	is "mode" "$(stat mode)" 0
	commits
	reboot 4 "${options[@]}"
	io recover len="$len"
	must iocheck "$T/first" $DEV verify start=50000 len=72
	flush
	io_on $HDD verify len="$len"
	must iocheck "$T/first" $HDD verify start=50000 len=72
	remove_ssdup
	must dmsetup remove other
	SSD=$DISK
done

# the flush of one group fails while the next one is copied: neither is freed
make_disks hdd_cache_mb=4
rm "$MODEL"
make_ssdup "${options[@]}"
io write len=$((40 * $(segment_data))) bs=8 fsync=1
model $HDD fail_flush 1
must_get "$eio" message drain
is "mode and segments freed" "$(stat mode) $(stat frees)" "0 0"
above "sectors drained" "$(stat drained_sectors)" 0
model $HDD fail_flush 0
message drain pause
reboot 5 "${options[@]}"
io verify
all_home
