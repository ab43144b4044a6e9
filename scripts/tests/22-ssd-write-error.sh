#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# An SSD that refuses writes: nothing new is logged, what was acknowledged stays,
# writes that overlap none of it go to the HDD; the mode says so, once.
# layers: bare linear
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks
make_ssdup policy all drain manual
io write len=2048 bs=64 fsync=1
model $SSD fail_write "$(log_sector 2048) 4096"
# the mode changes, which is an event
raises_event io random start=16384 len=8192 nr=100
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

# a metadata write that fails: the flush that needed it says so
io write len=512 bs=64
model $SSD fail_write "2048 $(($(log_sector 0) - 2048))"
model $SSD fail_write "$(($(log_sector 0) + $(stat half_data_sectors))) 400"
must_not iocheck "$MODEL" $DEV flush
is "mode" "$(stat mode)" 1
io verify
