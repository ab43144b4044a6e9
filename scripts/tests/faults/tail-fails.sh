#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Segments behind a tail that did not become durable are still in the log: what goes
# to the HDD over them would be undone by a replay, so nothing does.
# invariant: 3 4 7
# layers: bare linear
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks
make_ssdup policy all drain manual
io write len=2048 bs=64 fsync=1
# both copies of the record
model $SSD fail_write "1024 16"
must_not message drain
is "mode" "$(stat mode)" 1
is "segments freed" "$(stat frees)" 0
is "dirty sectors" "$(stat dirty_sectors)" 2048
io verify
# each of these either fails or is there for good
iocheck "$MODEL" $DEV write len=512 bs=64 errors=1
iocheck "$MODEL" $DEV discard start=1024 len=64 errors=1
# below dm-linear a write with FUA may be a flush, of which a FLUSH is told
iocheck "$MODEL" $DEV flush 2>"$T/flush" || [ $SSD != /dev/mssd0 ] || fail "$(<"$T/flush")"
io random start=16384 len=8192 nr=100 fsync=1
io recover
model $SSD fail_write clear
reboot 1 policy none drain manual
io recover len=2048
io verify
io write len=2048 bs=64
all_home

# the SSD takes it again before the table is loaded anew: what the suspend writes
# agrees with itself, whichever copy was not written
for copy in $(($(home 1) + 1024)) 1024; do
	knob policy all
	io write len=2048 bs=64 fsync=1
	message clear_stats
	model $SSD fail_write "$copy 8"
	must_not message drain
	message drain pause
	is "mode" "$(stat mode)" 1
	is "segments freed" "$(stat frees)" 0
	model $SSD fail_write clear
	remove_ssdup
	make_ssdup policy none drain manual
	is "mode" "$(stat mode)" 0
	io verify
	all_home
done

# one copy has the higher tail when the power goes: what it frees is on the HDD
knob policy all
io write len=2048 bs=64 fsync=1
message clear_stats
model $SSD fail_write "1024 8"
must_not message drain
is "segments freed" "$(stat frees)" 0
model $SSD fail_write clear
reboot 2 policy none drain manual
# all but perhaps the open segment
below "dirty sectors" "$(stat dirty_sectors)" $((2048 % $(segment_data) + 1))
io verify
io random len=2048 nr=50
io verify
all_home
