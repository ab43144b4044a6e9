#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A discard over what the log holds reads as zeros at once, also after the table
# is loaded anew; after the drain too on an HDD that takes discards.
# invariant: 3
# kernels: 6.12 6.1
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks hdd_discard=1
make_ssdup policy none drain manual
io write len=16384 bs=512
knob policy all
io write len=8192 bs=64
logged=$(stat writes_ssd)
io discard start=1000 len=3001
is "writes to the log" "$(($(stat writes_ssd) - logged))" 1
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

# of a discard the log takes what it holds, and the HDD the rest: what is written there
# later goes where it would have gone
knob drain manual
knob policy all
io write start=4000 len=16 bs=16
io write start=9000 len=8 bs=8
io write start=9008 len=8 bs=8
knob policy none
io discard len=16384
is "sectors in the log" "$(stat dirty_sectors)" 32
is "extents in the log" "$(stat extents)" 2
logged=$(stat writes_ssd)
io write start=5000 len=4000 bs=100
io write start=9016 len=1000 bs=100
is "writes drawn to the log" "$(stat writes_ssd)" "$logged"
io write start=4008 len=8 bs=8
is "writes over the log" "$(stat writes_ssd)" $((logged + 1))
io verify
remove_ssdup
make_ssdup policy none drain manual
io verify
all_home

# what replaces many extents does so in parts of 1024, for the range is locked meanwhile
remove_ssdup
rm "$MODEL"
make_disks hdd_discard=1 ssd_size_mb=8194
# whole requests of 2048 sectors fit in a segment of 8 MiB, which an SSD of 8 GiB has
make_ssdup policy all drain manual
# behind the guarded range, at the end of which requests are split
io write start=256 len=4000 bs=1
is "extents" "$(stat extents)" 4000
logged=$(stat writes_ssd)
io discard start=256 len=4000
is "parts of a discard" "$(($(stat writes_ssd) - logged))" 4
is "extents that are left" "$(stat extents)" 4
io verify
remove_ssdup
make_ssdup policy all
io verify
all_home

# so does what is written over many: a large write is one part for each 1024 of them
remove_ssdup
make_ssdup policy all drain manual
io write start=256 len=4000 bs=1
is "extents" "$(stat extents)" 4000
logged=$(stat writes_ssd)
io write start=256 len=2048 bs=2048
is "parts of a write" "$(($(stat writes_ssd) - logged))" 2
is "extents that are left" "$(stat extents)" 1954
# one that replaces fewer is whole
io write start=256 len=2048 bs=2048
is "parts of both" "$(($(stat writes_ssd) - logged))" 3
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
# drained, the tombstone would go, for the HDD knows nothing of it
make_ssdup drain manual
io verify
flush
iocheck "$MODEL" $HDD verify len=1024 || iocheck "$T/first" $HDD verify len=1024 ||
	fail "the HDD has what was discarded"
