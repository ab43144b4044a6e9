#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# One bad copy of the superblock is mended, two are refused; a first block of
# zeros is a blank SSD.
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# spoil COPY... - copies of the superblock
spoil()
{
	local copy

	for copy; do
		dd if=/dev/urandom of=$SSD bs=8 count=1 seek=$((copy * 8192 + 20)) \
			conv=notrunc,fsync status=none
	done
}

make_disks
make_ssdup policy all drain manual
io random nr=200
remove_ssdup
for copy in 0 1; do
	spoil $copy
	make_ssdup policy all drain manual
	must said "one copy of the superblock is bad or old, mending it"
	io verify
	io random nr=50 seed=$copy
	remove_ssdup
	make_ssdup policy all drain manual
	! said "one copy of the superblock" || fail "copy $copy was not mended"
	io verify
	remove_ssdup
done
dd if=$SSD of="$T/super" bs=4k count=1 status=none
spoil 0 1
must_not dmsetup create $NAME --table "$(table)"
must said "checksum mismatch"
dd if="$T/super" of=$SSD bs=4k conv=notrunc,fsync status=none
make_ssdup policy all drain manual
io verify
flush
remove_ssdup

# given up on purpose: formatted anew, and nothing of the old log comes back
io_on $HDD verify
make_ssdup policy all drain manual
io random nr=100 seed=5
cp "$MODEL" "$T/lost"
remove_ssdup
dd if=/dev/zero of=$SSD bs=4k count=1 conv=notrunc,fsync status=none
make_ssdup
is "dirty sectors of a new log" "$(stat dirty_sectors)" 0
must said "formatting the SSD"
must_not iocheck "$T/lost" $DEV verify
