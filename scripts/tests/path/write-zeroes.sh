#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Write-zeroes reads as zeros whatever the route, and is on the HDD after a drain,
# which keeps its space there.
# invariant: 3 7
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0

for discard in 0 1; do
	make_disks hdd_discard=$discard ssd_discard=$discard
	make_ssdup policy none drain manual
	io write len=16384 bs=512
	io zero start=100 len=5000
	io verify
	knob policy all
	io write len=8192 bs=32
	io zero start=1001 len=4003
	io zero start=6000 len=4000
	io verify
	io random start=1000 len=1000 bs=8 nr=20 seed=1
	must blkdiscard -z -o $((2048 * 512)) -l $((512 * 512)) $DEV
	io zero start=2048 len=512
	remove_ssdup
	make_ssdup policy none
	io verify
	all_home
	remove_ssdup
	rm "$MODEL"
done

# of zeroes, too, the log takes what it holds. A drain writes them back a batch at a time, and
# stops between two.
make_disks hdd_discard=1 ssd_size_mb=65
size=$(blockdev --getsz $HDD)
DISK=$HDD
must dmsetup create other --table "0 $size linear $DISK 0"
HDD=/dev/mapper/other
make_ssdup policy all drain manual
# behind the guarded range, at the end of which requests are split
io write start=256 len=32768 bs=1024
io zero start=256 len=65536
is "sectors in the log" "$(stat dirty_sectors)" 32768
# one for each range
is "extents in the log" "$(stat extents)" 5
tracing=/sys/kernel/tracing
must dmsetup suspend --noflush other
echo >$tracing/trace
echo 1 >$tracing/events/ssdup/ssdup_step/enable || fail "the module tells of no steps"
must message drain start
# the first batch is under way, for as long as the disk is stopped
until grep -q ' drain_written$' $tracing/trace; do
	nap 0.01
done
echo 0 >$tracing/events/ssdup/ssdup_step/enable
must message drain pause
must dmsetup resume other
wait_until drain_state -eq 1
above "sectors drained" "$(stat drained_sectors)" 0
below "sectors drained" "$(stat drained_sectors)" 16384
is "sectors in the log" "$(stat dirty_sectors)" 32768
io verify
all_home
remove_ssdup
must dmsetup remove other
HDD=$DISK
rm "$MODEL"

# zeroes in the log of an HDD that is replaced by one without a command for them
make_disks hdd_discard=1
make_ssdup policy all drain manual
io write len=8192 bs=64
io zero start=1001 len=4003
io zero start=5999 len=9
remove_ssdup
for disk in $HDD $SSD; do
	must dd if="$disk" of="$T/${disk##*/}" bs=1M status=none
done
make_disks
for disk in $HDD $SSD; do
	must dd if="$T/${disk##*/}" of="$disk" bs=1M conv=fsync status=none
done
make_ssdup policy all drain manual
io verify
all_home
remove_ssdup
rm "$MODEL"

# or by one that has the command in its limits and refuses it
make_disks hdd_discard=1
make_ssdup policy all drain manual
io write len=8192 bs=64
io zero start=1001 len=4003
model $HDD no_zeroes 1
flush
is "extents that the HDD refused" "$(stat unwritable_extents)" 0
model $HDD no_zeroes 0
io verify
all_home
remove_ssdup
rm "$MODEL"

# an HDD that would give the space of zeroes away: who zeroes may have asked to keep it
make_disks
must modprobe sd_mod
must modprobe scsi_debug dev_size_mb=64 lbpws=1 delay=0
driver=/sys/bus/pseudo/drivers/scsi_debug
# its disk comes in its own time
until disk=$(echo $driver/adapter*/host*/target*/*/block/sd*) &&
	blockdev --getsz "/dev/${disk##*/}" >/dev/null 2>&1; do
	nap 0.1
done
HDD=/dev/${disk##*/}
make_ssdup policy all drain manual
io write len=8192 bs=64
all_home
is "the HDD's space" "$(<$driver/map)" 0-8191
io write len=8192 bs=64
must blkdiscard -z -o $((1000 * 512)) -l $((4000 * 512)) $DEV
io zero start=1000 len=4000
all_home
is "the HDD's space after zeroes" "$(<$driver/map)" 0-8191
remove_ssdup
must modprobe -r scsi_debug
