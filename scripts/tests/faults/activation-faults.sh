#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Disks that fail while the log is being read: with a metadata page, a header, or both copies
# of the superblock or of the record unreadable, the log is refused by name and left as it is;
# with one copy, a header of a free segment, data or the HDD unreadable the device comes up.
# invariant: 3 7
# layers: bare linear
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0

# refused TEXT - and all is there once the fault is gone
refused()
{
	must_not dmsetup create $NAME --table "$(table)"
	said "$1" || fail "the kernel said not '$1' but: $(tail -n 1 "$T/said")"
	heal
	make_ssdup policy all drain manual
	is "mode" "$(stat mode)" 0
	io verify
	remove_ssdup
}

make_disks
make_ssdup policy all drain manual
io random len=16384 nr=400 fsync=1
data=$(log_sector 0)
youngest=$((2048 + $(stat seals) * $(stat segment_sectors)))
remove_ssdup

model $SSD fail_read "2056 16"
refused "cannot read the log"
model $SSD fail_read "2048 8"
refused "cannot read the header of segment 0"
second=$(home 1)
for copies in "0 $second" "1024 $((second + 1024))"; do
	for copy in $copies; do
		model $SSD fail_read "$copy 8"
	done
	refused "ssd: cannot read the superblock"
done
model $SSD gone 1
refused "ssd: cannot read the superblock"
model $SSD fail_write "0 2048"
refused "cannot write the record of the log"

for copy in 0 "$second" 1024 $((second + 1024)); do
	model $SSD fail_read "$copy 8"
	make_ssdup policy all drain manual
	must said "a copy of the superblock or of the record is bad or old, mending it"
	heal
	io verify
	remove_ssdup
done

# the header of the youngest segment after a power cut: nothing else tells of that segment
make_ssdup policy all drain manual
io write start=20000 len=64 bs=8 fsync=1
power_cut 1
must dmsetup remove --force $NAME
power_on
youngest=$((youngest + 512))
model $SSD fail_read "$youngest 8"
must_not dmsetup create $NAME --table "$(table)"
must said "cannot read the log"
! dmsetup info $NAME >/dev/null 2>&1 || must dmsetup remove $NAME
heal
make_ssdup policy all drain manual
io recover
all_home
remove_ssdup
# and of one that is free
model $SSD fail_read "$youngest 8"
make_ssdup policy all drain manual
must said "cannot read the header of segment"
heal
io random len=16384 nr=400 seed=2 fsync=1
remove_ssdup

# data are not read before somebody asks
model $SSD fail_read "$data 1"
model $HDD gone 1
make_ssdup policy all drain manual
is "mode" "$(stat mode)" 0
above "dirty sectors" "$(stat dirty_sectors)" 0
io fails start=60000 len=8 bs=8
heal
io verify
all_home
remove_ssdup

# a resume that gets halfway, when a range with many extents has its tree already, and the
# next finds another SSD: of the first nothing is left
make_disks ssd_size_mb=161
rm "$MODEL"
make_ssdup policy all drain manual
io write bs=8 fsync=1
above "extents" "$(stat extents)" 16383
youngest=$((2048 + $(stat seals) * $(stat segment_sectors)))
remove_ssdup
must dmsetup create $NAME --notable
must dmsetup load $NAME --table "$(table policy none drain manual)"
model $SSD fail_read "$((youngest + 8)) 16"
must_not dmsetup resume $NAME
must said "cannot read the log"
heal
blank_log
must dmsetup resume $NAME
must said "formatting the SSD"
is "mode and dirty sectors" "$(stat mode) $(stat dirty_sectors)" "0 0"
must cmp $DEV $HDD
remove_ssdup
