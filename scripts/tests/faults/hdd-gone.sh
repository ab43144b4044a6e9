#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The HDD is gone: who needs it gets EIO, the log goes on, a drain waits for it
# without moving anything, and when it is back all of it is written back. No suspend or
# removal waits, whatever is under way.
# invariant: 7
# time: virtual
# layers: bare linear
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

eio="Input/output error"

make_disks
make_ssdup policy all drain manual
io write len=4096 bs=64 fsync=1
model $HDD gone 1
io fails start=50000 len=8 bs=8
io verify len=4096
io write start=4096 len=64 bs=8 fsync=1
must_get "$eio" message drain
wait_until drain_state -eq 7
is "mode and error" "$(stat mode) $(stat drain_errno)" "0 5"
is "unwritable and lost extents" "$(stat unwritable_extents) $(stat lost_extents)" "0 0"
is "dirty sectors" "$(stat dirty_sectors)" 4160
knob policy none
write_fails "$eio" start=50000 len=8
must_get "$eio" iocheck "$MODEL" $DEV flush
io write len=64 bs=8
# it is back: no need to do anything else
model $HDD gone 0
io flush
all_home
remove_ssdup

# in the middle of a drain, with writers waiting and a flush pending
slow_disks ssd_size_mb=11 hdd_rate_mbps=4
for way in "suspend" "suspend --noflush" wipe_table; do
	rm -f "$MODEL"
	make_ssdup policy all drain manual
	io write len=8000 bs=64 fsync=1
	iocheck "$T/other" $DEV write start=30000 len=14000 bs=64 depth=64 errors=1 &
	writer=$!
	wait_until waiting_writes -gt 10
	# over what is in the log: these have no other way
	iocheck "$T/over" $DEV write len=640 bs=64 errors=1 &
	over=$!
	message drain 2>"$T/flush" &
	drain=$!
	wait_until drain_state -eq 4
	model $HDD gone 1
	wait_until drain_state -eq 7
	wait_until wait_cause -eq 4
	SECONDS=0
	# shellcheck disable=SC2086 # a word or two
	must timeout 20 dmsetup $way $NAME
	below "seconds of $way" $SECONDS 10
	must_not wait $drain
	model $HDD gone 0
	if [ "$way" = wipe_table ]; then
		wait $writer $over
		must dmsetup remove --retry $NAME
		make_ssdup policy all
	else
		must dmsetup reload $NAME --table "$(table policy all)"
		must dmsetup resume $NAME
		wait $writer $over
	fi
	io verify start=640 len=7360
	must iocheck "$T/other" $DEV recover start=30000 len=14000
	flush
	io_on $HDD verify start=640 len=7360
	remove_ssdup
done
