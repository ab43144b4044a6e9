#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# An SSD that refuses a write: it takes another place in the log. One that refuses
# many: nothing new is logged, what was acknowledged stays, writes that overlap none
# of it go to the HDD; the mode says so, once. The writes are too long to end in memory.
# invariant: 7
# layers: bare linear
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0

make_disks ssd_size_mb=66
make_ssdup policy all drain manual
io write len=2048 bs=8 fsync=1
logged=$(stat writes_ssd)

# one bad place
model $SSD fail_write "$(log_sector 2048) 8"
io write start=1024 len=144 bs=72
is "writes to the log" "$(stat writes_ssd)" $((logged + 2))
is "errors, mode" "$(stat ssd_errors) $(stat mode)" "1 0"
io flush
io verify
# three, of which two are enough for what the HDD can take
model $SSD fail_write "$(log_sector $((2048 + 3 * 72))) 216"
io write start=1024 len=72 bs=72
is "writes to the log and the HDD" "$(stat writes_ssd) $(stat writes_hdd)" "$((logged + 3)) 0"
model $SSD fail_write "$(log_sector $((2048 + 7 * 72))) 144"
io write start=8192 len=72 bs=72
is "writes to the log and the HDD" "$(stat writes_ssd) $(stat writes_hdd)" "$((logged + 3)) 1"
is "errors, mode" "$(stat ssd_errors) $(stat mode)" "6 0"
# the log has none of those places, and all of the data
model $SSD fail_write clear
io flush
io verify
remove_ssdup
make_ssdup policy all drain manual
io verify
is "dirty sectors" "$(stat dirty_sectors)" 2048

for segment in 1 2 3; do
	model $SSD fail_write "$(log_sector 0 $segment) $(segment_data)"
done
# the mode changes, which is an event
raises_event io random start=16384 len=8192 bs=72 nr=100
is "mode" "$(stat mode)" 1
must said "log read-only"
above "writes to the HDD instead" "$(stat writes_hdd)" 99
above "errors of the SSD" "$(stat ssd_errors)" 0
io random start=32768 len=8192 nr=100 seed=2
! said "log read-only" || fail "said twice"
io verify
# over what is in the log: an error, and what was there stays
cp "$MODEL" "$T/before"
must_not iocheck "$MODEL" $DEV write len=64 bs=8
cp "$T/before" "$MODEL"
io verify

# the SSD refuses everything: what is not in the log goes on
model $SSD gone 1
io fails len=8 bs=8
io random start=32768 len=8192 nr=20 seed=3
io verify start=2048
model $SSD gone 0
model $SSD fail_write clear
io verify
remove_ssdup
make_ssdup policy all drain manual autocommit_ms 3600000
is "mode" "$(stat mode)" 0
io random len=4096 nr=50 seed=4
all_home

# a metadata write that fails, of a header or of a page of a segment that has one: the flush that
# needed it says so
for durable in 0 1; do
	[ $durable = 0 ] || io write len=72 bs=72 fsync=1
	io write len=72 bs=72
	model $SSD fail_write "2048 $(($(blockdev --getsz $SSD) - 2048))"
	must_not iocheck "$MODEL" $DEV flush
	is "mode" "$(stat mode)" 1
	io verify
	model $SSD fail_write clear
	flush
	io_on $HDD verify
	remove_ssdup
	make_ssdup policy all drain manual autocommit_ms 3600000
	io verify
done
