#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The end of the last half is handed out bit by bit until another one is expected to
# be free: writers become slower, and do not stop; overdue, they get all of it.
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks hdd_size_mb=256 ssd_size_mb=64
# a hard disk that can be stopped, so that the half is not free in time
size=$(blockdev --getsz $HDD)
DISK=$HDD
must dmsetup create other --table "0 $size linear $DISK 0"
HDD=/dev/mapper/other
make_ssdup policy all full block drain manual
half=$(stat half_data_sectors)

must dmsetup suspend --noflush other
io write start=0 len=$((3 * half)) bs=64 depth=16 &
writer=$!
wait_until waiting_writes -gt 0
first=$(stat receiving_fill_1e4)
is "free halves" "$(stat halves_free)" 0
# of moments, for each of them waits a while only
wait_until wait_cause -eq 1
above "fill when the first one waits" "$first" 7400
above "what is left then" $((10000 - first)) 1000
wait_until receiving_fill_1e4 -gt $((first + 200))
wait_until waiting_writes -gt 0
above "what is left then" $((10000 - $(stat receiving_fill_1e4))) 200
# overdue
wait_until receiving_fill_1e4 -gt 9950
wait_until waiting_writes -eq 16
is "freed halves" "$(stat frees)" 0

must dmsetup resume other
must wait $writer
is "waiting writes" "$(stat waiting_writes)" 0
above "freed halves" "$(stat frees)" 0
all_home

# who may go to the hard disk instead is not held up
knob full bypass
must dmsetup suspend --noflush other
io write start=$((3 * half)) len=$((half + half * 9 / 10)) bs=64 depth=16
is "waiting writes" "$(stat waiting_writes)" 0
above "fill" "$(stat receiving_fill_1e4)" 8000

# nor, under balance, who finds it cheap: what waits because it was dear looks again
# when a batch of the drain has told its price, here a second each, and not only when a
# half is free
knob full block
io write start=$((5 * half)) len=$((100 * 64)) bs=64 depth=64 &
writer=$!
wait_until receiving_fill_1e4 -gt 9950
sleep 1
waiting=$(stat waiting_writes)
above "waiting writes" "$waiting" 0
knob policy balance
sleep 0.1
is "waiting writes" "$(stat waiting_writes)" "$waiting"
message clear_stats
must dmsetup reload other --table "0 $size delay $DISK 0 0 $DISK 0 1000"
must dmsetup resume other
must wait $writer
is "writes to the hard disk" "$(stat writes_hdd)" "$waiting"
is "freed halves" "$(stat frees)" 0
all_home

# a drain that fails ends the ration for those who wait; they stay in order
knob policy all
must dmsetup suspend --noflush other
io write start=0 len=$((3 * half)) bs=64 depth=16 &
writer=$!
wait_until waiting_writes -gt 0
must dmsetup reload other --table "0 $size error"
must dmsetup resume other
wait_until drain_state -eq 8
wait_until receiving_fill_1e4 -gt 9950
wait_until waiting_writes -eq 16
dd if=/dev/zero of=$DEV bs=512 seek=$((size - 1)) count=1 oflag=direct status=none &
wait_until waiting_writes -eq 17
must dmsetup reload other --table "0 $size linear $DISK 0"
must dmsetup suspend other
must dmsetup resume other
must wait $!
must wait $writer
all_home
remove_ssdup
must dmsetup remove other
