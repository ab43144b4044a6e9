#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Sectors that the HDD refuses stay in the log: flush says so, they are counted
# and readable, also after the table is loaded anew; all the rest is drained.
# When the HDD takes them again, they are written back.
# invariant: 7
# layers: bare linear
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks
make_ssdup policy all drain manual
io write len=8192 bs=64
io random start=16384 len=8192 nr=100
model $HDD fail_write "1001 3"
model $HDD fail_write "17000 1"
io write start=16992 len=16 bs=16
must_not message drain
above "unwritable extents" "$(stat unwritable_extents)" 1
above "errors of the HDD" "$(stat hdd_errors)" 1
below "dirty sectors" "$(stat dirty_sectors)" 33
above "dirty sectors" "$(stat dirty_sectors)" 3
is "mode" "$(stat mode)" 0
above "free segments" "$(stat segments_free)" $(($(stat segments) - 3))
io verify

# the segments they came from serve again, they are passed on
for n in 1 2 3; do
	io random start=32768 len=8192 bs=64 nr=150 seed=$n
	must_not message drain
	io verify
done
remove_ssdup
make_ssdup policy all drain manual
above "dirty sectors" "$(stat dirty_sectors)" 3
io verify
# newer data over an unwritable place
io write start=1000 len=8
must_not message drain
io verify

model $HDD fail_write clear
all_home
