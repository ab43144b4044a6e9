#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The drain has to move what the HDD refuses, and the ring of entries that are not
# durable is full: the first of them is still being written. That is no lack of space:
# the drain waits with the writers, and goes on with them. Another class has a ring of its own,
# and its writes do not wait behind those.
# invariant: 7
# cpus: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# large enough for the ring to be full before the log is
make_disks ssd_discard=0 hdd_size_mb=256 ssd_size_mb=241
make_ssdup
len=$(segment_data)
data=$(log_sector 0 1) beside=$(log_sector 288 2)
remove_ssdup
# the first place of segment 1 takes a write, and keeps it; a place of segment 2 keeps one for 20 s;
# these are too long to end in memory
must modprobe dm-delay
must dmsetup create other <<-TABLE
	0 $data linear $SSD 0
	$data 72 delay $SSD $data 0 $SSD $data 3600000
	$((data + 72)) $((beside - data - 72)) linear $SSD $((data + 72))
	$beside 72 delay $SSD $beside 0 $SSD $beside 20000
	$((beside + 72)) $(($(blockdev --getsz $SSD) - beside - 72)) linear $SSD $((beside + 72))
TABLE
SSD=/dev/mapper/other
# it would keep a discard, too
make_ssdup policy all drain manual autocommit_ms 3600000 classes a
must message class a 400000 20000
model $HDD fail_write "1001 3"

# all of segment 0, and the first place of segment 1
io write len="$len" bs=8 fsync=1
iocheck "$MODEL" $DEV write start="$len" len=72 bs=72 &
fill=$!
wait_until seals -eq 1
wait_until writes_ssd -eq $((len / 8 + 1))
# segment 2 is of class a
io write start=400000 len=72 bs=72
# the ring has 128 pages of 126 entries
iocheck "$MODEL" $DEV write start=300000 len=$((128 * 126 + 200)) bs=1 depth=64 &
writer=$!
wait_until wait_cause -eq 2
# two writes, one of which the SSD refuses: so it is tried again with those that wait
model mssd0 fail_write "$(log_sector 72 2) 72"
logged=$(stat writes_ssd)
iocheck "$MODEL" $DEV write start=400072 len=144 bs=72 &
beside=$!
wait_until writes_ssd -eq $((logged + 2))
must wait $beside
is "errors of the SSD" "$(stat ssd_errors)" 1
model mssd0 fail_write clear
# the ring of class a fills, too, and its writes go on when its own first page is complete
iocheck "$MODEL" $DEV write start=401000 len=72 bs=72 &
beside=$!
wait_until writes_ssd -eq $((logged + 3))
wait_until waiting_writes -eq 64
iocheck "$MODEL" $DEV write start=402000 len=$((128 * 126 + 200)) bs=1 depth=64 &
writer_a=$!
wait_until waiting_writes -gt 64
must wait $beside
must wait $writer_a
is "writes that still wait, for another class" "$(stat waiting_writes)" 64

message drain 2>"$T/flush" &
drain=$!
wait_until hdd_errors -gt 0
# no event says that it does not give up: time for it to do so all the same
sleep 1
is "blocks moved" "$(stat unwritable_extents)" 0
is "what the drain does" "$(stat drain_state) $(stat drain_errno)" "4 0"
above "waiting writes" "$(stat waiting_writes)" 0

# the write ends
must dmsetup suspend other
must dmsetup resume other
must wait $fill
must wait $writer
must_not wait $drain
above "blocks moved" "$(stat unwritable_extents)" 0
is "what the drain has met" "$(stat drain_errno)" 0
above "segments freed" "$(stat frees)" 0
io verify
model $HDD fail_write clear
all_home
remove_ssdup
must dmsetup remove other
