#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# An SSD with anything else on it than this HDD's log is refused, and left as it
# is; so are disks that another device uses.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0	# the log of another HDD is what this is about

# refused TEXT [KEY VALUE]... - and the SSD is untouched
refused()
{
	local text=$1 before

	shift
	before=$(model $SSD bytes_written)
	must_not dmsetup create $NAME --table "$(table "$@")"
	said "$text" || fail "the kernel said not '$text' but: $(tail -n 1 "$T/said")"
	is "bytes written to the SSD" "$(model $SSD bytes_written)" "$before"
}

# poke SECTOR-OF-4K - write something there
poke()
{
	echo 'this is my data' | dd of=$SSD bs=4k seek="$1" conv=sync,fsync status=none
}

make_disks hdds=2 ssds=2
# in a home of 256 blocks, of which 128 to 191 are records
for block in 0 1 9 127 192 255 $((16 * 256)) $((17 * 256 - 1)); do
	poke $block
	refused "not a dm-ssdup superblock"
	must dd if=/dev/zero of=$SSD bs=4k seek=$block count=1 conv=fsync status=none
done
model $SSD fail_read "1000 1"
refused "cannot read the superblock"
model $SSD fail_read clear
must mkfs.ext4 -q $SSD
# its first KiB is zero, but not its first block
refused "not a dm-ssdup superblock"
blank_log
# the superblock of format 1: its magic, checksum and version
printf '1L-PUDSS\x5c\x3b\xb7\xa6\x01' | dd of=$SSD bs=4k conv=sync,fsync status=none
refused 'unknown format version (fault 4)'
blank_log

make_ssdup policy all
io random nr=100
commits
for disks in "$HDD /dev/mssd1" "/dev/mhdd1 $SSD" "$SSD $HDD"; do
	must_not dmsetup create other --table "0 16384 ssdup $disks"
	must said "in use by the dm-ssdup device"
done
# two pairs side by side are no trouble
must dmsetup create other --table "0 $LEN ssdup /dev/mhdd1 /dev/mssd1"
must dmsetup remove other
remove_ssdup

# a log of a larger HDD, with or without dirty data
dd if=$SSD of="$T/log" bs=1M status=none
make_disks hdd_size_mb=63
dd if="$T/log" of=$SSD bs=1M conv=fsync status=none
refused "made for a larger HDD"
make_disks ssd_size_mb=16
dd if="$T/log" of=$SSD bs=1M count=16 conv=fsync status=none
refused "made for a larger SSD"
make_disks ssd_size_mb=18
dd if="$T/log" of=$SSD bs=1M conv=fsync status=none
make_ssdup
# a new log on it would have others
is "sectors of a segment" "$(stat segment_sectors)" 512
! said "mending it" || fail "in an SSD that has grown the second home is not found"
remove_ssdup
# the second home has moved to the new end: zeros at the beginning do not make the SSD a blank one
dd if=/dev/zero of=$SSD bs=1M count=1 conv=fsync status=none
refused "overwritten at the beginning of the SSD, but not at its end"
ssdup_exits 0 repair $SSD --copy 1 --yes
# nor does a second home that cannot be read
dd if=/dev/zero of=$SSD bs=1M count=1 conv=fsync status=none
model $SSD fail_read "$(home 1) 8"
refused "overwritten at the beginning of the SSD, but not at its end"
model $SSD fail_read clear
# a disk whose end is that of a partition with a log has no log, and is not blank
must dmsetup create other --table "0 $(($(blockdev --getsz $SSD) - 8192)) linear $SSD 8192"
disk=$SSD SSD=/dev/mapper/other
blank_log
make_ssdup
remove_ssdup
must dmsetup remove other
SSD=$disk
ssdup_exits 3 check $SSD
refused "not a dm-ssdup superblock"
blank_log
make_ssdup
must said "formatting the SSD"
remove_ssdup

# both copies of the superblock are damaged
printf 'a' | dd of=$SSD bs=1 seek=100 conv=notrunc,fsync status=none
printf 'a' | dd of=$SSD bs=1 seek=$(($(home 1) * 512 + 100)) conv=notrunc,fsync status=none
refused "checksum mismatch"
