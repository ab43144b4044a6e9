#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Disks that fail while the log is being read: with a metadata page or both
# superblocks unreadable the log is refused by name and left as it is; with one
# superblock, data or the HDD unreadable the device comes up.
# layers: bare linear
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

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
remove_ssdup

model $SSD fail_read "2048 16"
refused "cannot read the log"
model $SSD fail_read "0 8"
model $SSD fail_read "128 8"
refused "ssd: cannot read the superblock"
model $SSD gone 1
refused "ssd: cannot read the superblock"
model $SSD fail_write "0 2048"
refused "cannot write the superblock"

for copy in 0 128; do
	model $SSD fail_read "$copy 8"
	make_ssdup policy all drain manual
	must said "one copy of the superblock is bad or old, mending it"
	heal
	io verify
	remove_ssdup
done

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
make_disks ssd_size_mb=160
rm "$MODEL"
make_ssdup policy all drain manual range_mb 64
second=$((2048 + ($(blockdev --getsz $SSD) - 2048) / 2 / 8 * 8))
io write bs=8
above "extents" "$(stat extents)" 16383
io write len=$(($(stat half_data_sectors) - LEN + 512)) bs=64 fsync=1
is "seals" "$(stat seals)" 1
remove_ssdup
must dmsetup create $NAME --notable
must dmsetup load $NAME --table "$(table policy none drain manual range_mb 64)"
model $SSD fail_read "$second 16"
must_not dmsetup resume $NAME
must said "cannot read the log"
heal
dd if=/dev/zero of=$SSD bs=64k count=2 conv=fsync 2>/dev/null || fail "dd"
must dmsetup resume $NAME
must said "formatting the SSD"
is "mode and dirty sectors" "$(stat mode) $(stat dirty_sectors)" "0 0"
must cmp $DEV $HDD
remove_ssdup
