#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The HDD can be read, and refuses every write; a segment has fewer blocks than may be refused in
# a row. A drain does not move one segment after the other round and round: it fails, and waits.
# So the writes that wait for it do not hold up a suspend, and all is well when the HDD is.
# invariant: 7 8
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks ssd_size_mb=11
make_ssdup policy all autocommit_ms 1
below "blocks of a segment" $(($(segment_data) / 8)) 64
room=$(($(log_writes 8) * 8))
model $HDD fail_write "0 $LEN"
knob drain manual
io write len=$room bs=8
iocheck "$T/waits" $DEV write len=8 &
waits=$!
wait_until drain_errno -eq 5
wait_until drain_state -eq 7
is "blocks that moved" "$(stat unwritable_extents)" 64
# it tries again each 5 s
nap 19
below "blocks that moved" "$(stat unwritable_extents)" $((64 * 6))
above "segments freed" "$(stat frees)" 0
is "waiting writes" "$(stat waiting_writes)" 1

must timeout 20 dmsetup suspend $NAME
must_not wait $waits
must dmsetup resume $NAME
io verify

# a block that is taken begins the count anew
model $HDD fail_write clear
all_home
for block in 0 328 656; do
	model $HDD fail_write "$block 320"
done
moved=$(stat unwritable_extents)
io write len=976 bs=8
must_not message drain
is "blocks that moved" "$(($(stat unwritable_extents) - moved))" 120
is "error of the drain" "$(stat drain_errno)" 0
io verify
model $HDD fail_write clear
all_home
