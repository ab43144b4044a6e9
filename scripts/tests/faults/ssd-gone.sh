#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The SSD is gone: what is only there reads as EIO, all else goes on, nothing is
# given up, nothing hangs, and with the SSD all of it is back. No suspend or
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
model $SSD gone 1
io fails len=8 bs=8
is "mode" "$(stat mode)" 0
must_get "$eio" message drain
is "mode" "$(stat mode)" 2
must said "log failed: the SSD does not answer a drain's reads"
wait_until drain_state -eq 8
is "lost ranges" "$(message lost_ranges)" none
write_fails "$eio" len=8
io random start=8192 len=8192 nr=20 fsync=1
io verify start=4096
must_get "$eio" message drain
# it is back: reads are right at once, drains with the next table
model $SSD gone 0
io verify
must_get "$eio" message drain
reload policy all
is "mode" "$(stat mode)" 0
all_home
remove_ssdup

# in the middle of a drain, with writers waiting and a flush pending
slow_disks ssd_size_mb=11 hdd_rate_mbps=4
for way in "suspend" "suspend --noflush" wipe_table; do
	rm -f "$MODEL" "$T/other"
	make_ssdup policy all drain manual
	io write len=8000 bs=64 fsync=1
	iocheck "$T/other" $DEV write start=30000 len=14000 bs=64 depth=64 errors=1 &
	writer=$!
	wait_until waiting_writes -gt 10
	message drain 2>"$T/flush" &
	drain=$!
	wait_until drain_state -eq 4
	model $SSD gone 1
	SECONDS=0
	# shellcheck disable=SC2086 # a word or two
	must timeout 20 dmsetup $way $NAME
	below "seconds of $way" $SECONDS 10
	must_not wait $drain
	model $SSD gone 0
	if [ "$way" = wipe_table ]; then
		wait $writer
		must dmsetup remove --retry $NAME
		make_ssdup policy all
	else
		must dmsetup reload $NAME --table "$(table policy all)"
		must dmsetup resume $NAME
		wait $writer
	fi
	is "mode" "$(stat mode)" 0
	is "lost ranges" "$(message lost_ranges)" none
	io verify len=8000
	must iocheck "$T/other" $DEV recover start=30000 len=14000
	flush
	io_on $HDD verify len=8000
	remove_ssdup
done
