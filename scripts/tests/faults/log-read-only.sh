#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The SSD takes no more writes: everything that can be is written back, also of younger
# segments and of the open one. What the HDD refuses stays readable and holds up nothing, and
# when all is written back one record empties the log.
# invariant: 7
# seconds: 300
# layers: bare linear
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0

eio="Input/output error" erofs="Read-only file system"

make_disks ssd_size_mb=35
make_ssdup policy all drain manual autocommit_ms 3600000
# ten segments and somewhat more
segments=10
len=$((segments * $(segment_data) + 64))

# fail_data - no data can be written to the open segment, and to those that are opened next
fail_data()
{
	local next

	for ((next = segments; next < segments + 4; next++)); do
		model $SSD fail_write "$(log_sector 0 $next) $(segment_data)"
	done
}

# data writes fail that are too long to end in memory: they end on the HDD, and that is said once
io write len=$len bs=8 fsync=1
is "sealed segments" "$(stat segments_sealed)" $segments
model $HDD fail_write "101 3"
fail_data
io random start=40000 len=8192 bs=72 nr=50
is "mode" "$(stat mode)" 1
must said "log read-only: too many writes of data to the SSD failed"
above "direct writes" "$(stat writes_hdd)" 48
io flush
io verify

# one bad block of the HDD in the oldest segment: all but it is written back, once
must_get "$erofs" message drain
is "error of the drain" "$(stat drain_errno)" 30
is "what the drain does" "$(stat drain_state)" 7
above "errors of the HDD" "$(stat hdd_errors)" 0
is "unwritable extents" "$(stat unwritable_extents)" 0
is "segments freed" "$(stat frees)" 0
io_on $HDD verify len=96
io_on $HDD verify start=104 len=$((len - 104))
io verify
write_fails "$eio" start=$((len - 64)) len=8
drained=$(stat drained_sectors)
sleep 6
is "sectors drained since" "$(stat drained_sectors)" "$drained"

# suspended and resumed, it goes on like that
must dmsetup suspend $NAME
must dmsetup resume $NAME
is "mode" "$(stat mode)" 1
io verify
io random start=40000 len=8192 nr=50 seed=2

# the HDD takes the block: one record empties the log
model $HDD fail_write clear
must message drain
must said "the log is empty"
is "what is left" "$(stat dirty_sectors) $(stat extents) $(stat segments_sealed)" "0 0 0"
io_on $HDD verify
written=$(stat writes_ssd)
io write len=$len bs=8 fsync=1
is "writes to the log" "$(stat writes_ssd)" "$written"
remove_ssdup
model $SSD fail_write clear
make_ssdup policy none
is "mode" "$(stat mode)" 0
is "sectors that come back" "$(stat dirty_sectors)" 0
io verify
remove_ssdup

# not even a record: written back, but not free, and not to be written over
make_ssdup policy all drain manual
io write len=$len bs=8 fsync=1
model $SSD fail_write "0 $(blockdev --getsz $SSD)"
must_not message drain
must_get "$erofs" message drain
must said "the SSD takes no record of it"
is "dirty sectors" "$(stat dirty_sectors)" $len
io_on $HDD verify
write_fails "$eio" len=8
must dmsetup suspend $NAME
must dmsetup resume $NAME
io verify
model $SSD fail_write clear
must message drain
is "dirty sectors" "$(stat dirty_sectors)" 0
io write len=64 bs=8
remove_ssdup

# entries that cannot become durable: FLUSH fails from then on; data that a flush has made durable
# can be read, and written back
make_disks ssd_cache_mb=4
rm "$MODEL"
for fault in flush header page; do
	make_ssdup policy all drain manual autocommit_ms 3600000
	io write len=512 bs=64
	# of the segment that is open, which is one of the first
	[ $fault != flush ] || model $SSD fail_flush 1
	for ((n = 0; n < 4; n++)); do
		at=$((2048 + n * $(stat segment_sectors)))
		[ $fault != header ] || model $SSD fail_write "$at 8"
		[ $fault != page ] || model $SSD fail_write "$((at + 8)) 16"
	done
	must_get "$eio" iocheck "$MODEL" $DEV flush
	is "mode" "$(stat mode)" 1
	what="metadata write to"
	[ $fault != flush ] || what="flush of"
	must said "log read-only: a $what the SSD failed"
	heal
	must_get "$eio" iocheck "$MODEL" $DEV flush
	must_get "$eio" message commit
	if [ $fault = flush ]; then
		# see faults/lost-ssd-cache
		must iocheck "$MODEL" $DEV fails len=512 bs=64
		must_get "$erofs" message drain
	else
		io verify
		must message drain
		io_on $HDD verify len=512
		io flush
	fi
	reboot 1 policy none
	is "mode" "$(stat mode)" 0
	io recover
	remove_ssdup
done

# who asks while a part of it is written back already is told of what fails then
make_disks ssd_size_mb=35
rm "$MODEL"
must modprobe dm-delay
DISK=$HDD HDD=/dev/mapper/other
# the last of what is in the log takes long
last=$((len - 64))
must dmsetup create other <<-TABLE
	0 $last linear $DISK 0
	$last 64 delay $DISK $last 0 $DISK $last 3600000 $DISK $last 0
	$len $((LEN - len)) linear $DISK $len
TABLE
make_ssdup policy all drain manual autocommit_ms 3600000
io write len=$len bs=8 fsync=1
fail_data
io random start=40000 len=8192 bs=72 nr=20
is "mode" "$(stat mode)" 1
message drain start
# all but the last part is on the HDD, so all segments but the last one are written back
until [ "$(model "$DISK" bytes_written)" -ge $((last * 512)) ]; do
	nap 0.1
done
timeout 20 dmsetup message $NAME 0 drain 2>"$T/stderr" &
# no harm if it has not begun by then
sleep 0.5
model $DISK fail_flush 1
must dmsetup suspend other
must dmsetup reload other --table "0 $LEN linear $DISK 0"
must dmsetup resume other
must_not wait $!
model $DISK fail_flush 0
must message drain
must said "the log is empty"
io_on $DISK verify
remove_ssdup
must dmsetup remove other
