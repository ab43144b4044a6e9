#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What the HDD fails is the error of who asked for it, and of nobody else: direct
# writes and reads, FLUSHes, drains. What was logged stays in the log for so long.
# invariant: 4 7
# layers: bare linear
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

eio="Input/output error" enodata="No data available"

make_disks
make_ssdup policy none drain manual
io write len=4096 bs=64 fsync=1

# a sector, written and read directly
model $HDD fail_write "1003 1"
write_fails "$enodata" start=1000 len=8
io write start=1008 len=8
model $HDD fail_write clear
model $HDD fail_read "1003 1"
io fails start=1000 len=8 bs=8 errno=61
io verify start=1008 len=3088
model $HDD fail_read clear
io write start=1000 len=8
is "mode and errors of drains" "$(stat mode) $(stat hdd_errors)" "0 0"

# a FLUSH: the next one flushes again
model $HDD fail_flush 1
must_get "$eio" iocheck "$MODEL" $DEV flush
model $HDD fail_flush 0
io flush
is "mode and errors" "$(stat mode) $(stat hdd_errors)" "0 1"

# one that failed for a message: the next FLUSH tells of the direct writes, once
io write start=512 len=64
model $HDD fail_flush 1
must_get "$eio" message commit
model $HDD fail_flush 0
must_get "$eio" iocheck "$MODEL" $DEV flush
io flush
is "errors" "$(stat hdd_errors)" 2

# the flush of a drain: all of the group is drained anew
knob policy all
io write start=8192 len=2048 bs=64
model $HDD fail_flush 1
must_get "$eio" message drain
wait_until drain_state -eq 7
is "mode and error" "$(stat mode) $(stat drain_errno)" "0 5"
is "segments freed" "$(stat frees)" 0
drained=$(stat drained_sectors)
must said "a drain failed (-5), next try in 5000 ms"
io write start=10240 len=64 bs=8
io verify
model $HDD fail_flush 0
all_home
is "sectors drained anew" "$(($(stat drained_sectors) - drained))" $((2048 + 64))

# more blocks than can be moved: given up, nothing is freed
io write start=8192 len=4096 bs=64
model $HDD fail_write "0 $LEN"
must_get "$eio" message drain
is "mode and error" "$(stat mode) $(stat drain_errno)" "0 5"
is "unwritable blocks" "$(stat unwritable_extents)" 64
is "dirty sectors" "$(stat dirty_sectors)" 4096
io verify
model $HDD fail_write clear
all_home
remove_ssdup

# second_batch MS - the HDD takes so long for the second batch of a drain
second_batch()
{
	must dmsetup reload other <<-TABLE
		0 5120 linear $DISK 0
		5120 6144 delay $DISK 5120 0 $DISK 5120 $1 $DISK 5120 0
		11264 $((LEN - 11264)) linear $DISK 11264
	TABLE
	must dmsetup suspend other
	must dmsetup resume other
}

# a flush that fails for somebody else while a drain copies: what the drain has
# copied up to then may be gone
make_disks
rm "$MODEL"
must modprobe dm-delay
must dmsetup create other --table "0 $LEN linear $HDD 0"
DISK=$HDD HDD=/dev/mapper/other
second_batch 3600000
make_ssdup policy none drain manual
io write start=50000 len=8
knob policy all
io write len=11264 bs=256
message drain start
wait_until drained_sectors -eq 5120
model $DISK fail_flush 1
must_get "$eio" message commit
model $DISK fail_flush 0
is "segments freed by then" "$(stat frees)" 0
second_batch 0
wait_until drain_errno -eq 5
is "segments freed by then" "$(stat frees)" 0
flush
# the open segment perhaps once: it comes after the others
above "sectors drained" "$(stat drained_sectors)" $((2 * 11264 - $(segment_data)))
io_on $DISK verify
remove_ssdup
must dmsetup remove other
