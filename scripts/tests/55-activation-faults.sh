#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Disks that fail while the log is being read: with a metadata page or both
# superblocks unreadable the log is refused by name and left as it is; with one
# superblock, data or the HDD unreadable the device comes up.
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
