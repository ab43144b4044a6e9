#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# One bad copy of the superblock, or of the log's record, is mended, two are refused; what was
# overwritten at the beginning alone is no blank SSD.
# invariant: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# spoil SECTOR... - blocks there
spoil()
{
	local sector

	for sector; do
		dd if=/dev/urandom of=$SSD bs=8 count=1 seek=$((sector * 64 + 20)) \
			conv=notrunc,fsync status=none
	done
}

# both copies of the superblock, and of the record
make_disks
second=$(home 1)
super=(0 "$second") record=(1024 $((second + 1024)))
make_ssdup policy all drain manual
io random nr=200
remove_ssdup
for copy in "${super[@]}" "${record[@]}"; do
	spoil "$copy"
	make_ssdup policy all drain manual
	must said "a copy of the superblock or of the record is bad or old, mending it"
	io verify
	io random nr=50 seed="$copy"
	remove_ssdup
	make_ssdup policy all drain manual
	! said "a copy of the superblock" || fail "the copy at $copy was not mended"
	io verify
	remove_ssdup
done
# one of each at once
spoil 0 $((second + 1024))
make_ssdup policy all drain manual
must said "mending it"
io verify
remove_ssdup
dd if=$SSD of="$T/log" bs=1M status=none
spoil "${super[@]}"
must_not dmsetup create $NAME --table "$(table)"
must said "checksum mismatch"
dd if="$T/log" of=$SSD bs=1M conv=notrunc,fsync status=none
spoil "${record[@]}"
must_not dmsetup create $NAME --table "$(table)"
must said "without a valid record of the log"
dd if="$T/log" of=$SSD bs=1M conv=notrunc,fsync status=none
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
must_not dmsetup create $NAME --table "$(table)"
must said "overwritten at the beginning of the SSD, but not at its end (fault 39)"
blank_log
make_ssdup
is "dirty sectors of a new log" "$(stat dirty_sectors)" 0
must said "formatting the SSD"
must_not iocheck "$T/lost" $DEV verify
