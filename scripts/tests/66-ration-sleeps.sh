#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A write that waits for its ration of the last half sleeps until it is handed out: nobody
# looks after it in between.
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

tracing=/sys/kernel/tracing
make_disks hdd_size_mb=256 ssd_size_mb=64
# a hard disk that is stopped, so that all of the ration is handed out
size=$(blockdev --getsz $HDD)
DISK=$HDD
must dmsetup create other --table "0 $size linear $DISK 0"
HDD=/dev/mapper/other
make_ssdup policy all full block drain manual
half=$(stat half_data_sectors)

must dmsetup suspend --noflush other
echo >$tracing/trace
echo 1 >$tracing/events/workqueue/workqueue_execute_start/enable
io write start=0 len=$((3 * half)) bs=256 &
writer=$!
wait_until receiving_fill_1e4 -gt 9950
echo 0 >$tracing/events/workqueue/workqueue_execute_start/enable
cat $tracing/trace >"$T/trace"
waited=$(stat waited_writes)
looks=$(grep -c 'function ssdup_wait_work' "$T/trace")
echo "$looks looks after $waited writes"
above "writes that waited" "$waited" 30
# when it comes, when it is time, and when the drain is found to take longer
above "looks after them" "$looks" "$waited"
below "looks after them" "$looks" $((8 * waited))

must dmsetup resume other
must wait $writer
is "waiting writes" "$(stat waiting_writes)" 0
all_home
remove_ssdup
must dmsetup remove other
