#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A discard over what the log holds reads as zeros at once, also after the table
# is loaded anew; after the drain too on an HDD that takes discards.
# kernels: 6.12 6.1
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks hdd_discard=1
make_ssdup policy none drain manual
io write len=16384 bs=512
knob policy all
io write len=8192 bs=64
io discard start=1000 len=3001
is "discards" "$(stat discards)" 1
io verify len=8192
# half over the log, half over the HDD: all of it is zeros
io discard start=8000 len=1000
io verify
# newer over a tombstone, and a tombstone over that
io random start=1000 len=2000 bs=8 nr=40 seed=1
io discard start=1500 len=300
io verify
knob policy none
io mixed start=900 len=3200 max=40 nr=40 seed=2
io verify

# as long as the log has it, a replay brings nothing older back
remove_ssdup
make_ssdup policy none drain manual
io verify
io discard start=4500 len=64
remove_ssdup
make_ssdup policy none
io verify
all_home
is "discards to the HDD drained" "$(stat dirty_sectors)" 0

# past the log
io discard start=12000 len=1000
io verify
io_on $HDD verify

# what replaces many extents does so in parts of 1024, for the range is locked meanwhile
remove_ssdup
make_ssdup policy all drain manual range_mb 16
io write len=4000 bs=1
extents=$(stat extents)
above "extents" "$extents" 2048
io discard len=4000
is "parts of a discard" "$(stat discards)" $(((extents + 1023) / 1024))
is "extents that are left" "$(stat extents)" "$(stat discards)"
io verify
remove_ssdup
make_ssdup policy all
io verify
all_home

# an HDD without discards: the logged data does not come back
remove_ssdup
rm "$MODEL"
make_disks hdd_discard=0
make_ssdup policy none drain manual
io write len=1024 bs=128
knob policy all
cp "$MODEL" "$T/first"
io write len=1024 bs=8
io discard len=1024
io verify
remove_ssdup
# drained, the mark would go, for the HDD knows nothing of it
make_ssdup drain manual
io verify
flush
iocheck "$MODEL" $HDD verify len=1024 || iocheck "$T/first" $HDD verify len=1024 ||
	fail "the HDD has what was discarded"
