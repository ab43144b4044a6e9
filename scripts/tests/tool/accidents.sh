#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What people do to an SSD by mistake: mkfs, mkswap, wipefs, a partition table, zeros. Nobody takes
# the SSD for a blank one, and repair brings the log back from its second home.
# invariant: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

MB=322	# mkfs.xfs wants 300

# restore - the log as it was
restore()
{
	must dd if="$T/log" of=$SSD bs=1M oflag=direct conv=fsync status=none
}

# accident NAME COMMAND... - it happens to a log that holds something
accident()
{
	local name=$1 status=0

	shift
	restore
	"$@" >"$T/out" 2>&1 || { cat "$T/out" >&2; fail "$name"; }
	must_not dmsetup create $NAME --table "$(table)"
	must said "overwritten at the beginning of the SSD, but not at its end (fault 39)"
	ssdup_exits 5 create $NAME --hdd $HDD --ssd $SSD
	ssdup_exits 4 format $HDD $SSD --force
	ssdup_exits 4 check $HDD $SSD
	ssdup repair $SSD --copy 1 --yes >"$T/out" 2>&1 || status=$?
	# 8: metadata was hit, and repair says of which writes
	[ $status = 0 ] || [ $status = 8 ] || { cat "$T/out" >&2; fail "$name: repair: $status"; }
	[ -z "$(blkid -p -o value -s TYPE $SSD)" ] || fail "$name: marks of others are left"
	make_ssdup policy all drain manual
	! said "mending it" || fail "$name: repair left a copy that is bad or old"
	above "extents after $name" "$(stat extents)" $((extents / 2))
}

# new_gpt - what a partitioner writes: a protective MBR, and 33 sectors at either end
new_gpt()
{
	{
		head -c 446 /dev/zero
		printf '\0\0\x02\0\xee\xff\xff\xff\x01\0\0\0\xff\xff\xff\xff'
		head -c 48 /dev/zero
		printf '\x55\xaaEFI PART'
		head -c $((33 * 512 - 8)) /dev/urandom
	} | dd of=$SSD bs=512 conv=fsync
	head -c $((33 * 512)) /dev/urandom |
		dd of=$SSD bs=512 seek=$((MB * 2048 - 33)) conv=fsync
}

make_disks ssd_size_mb=$MB
make_ssdup policy all drain manual
io random len=65536 nr=400
io write start=70000 len=61072
extents=$(stat extents)
remove_ssdup
must dd if=$SSD of="$T/log" bs=1M status=none

# those that write to the first MiB, and to the last 64 KiB: nothing is lost
accident "a new GPT" new_gpt
io verify
remove_ssdup
accident "zeros over the first MiB" dd if=/dev/zero of=$SSD bs=1M count=1 conv=fsync
io verify
remove_ssdup
accident "zeros over 64 KiB at each end" \
	sh -c "dd if=/dev/zero of=$SSD bs=64k count=1 conv=fsync &&
		dd if=/dev/zero of=$SSD bs=64k count=1 seek=$((MB * 16 - 1)) conv=fsync"
io verify
remove_ssdup
accident "mkswap and wipefs" sh -c "mkswap $SSD && wipefs -a $SSD"
io verify
remove_ssdup

# those that write to many places: what they have hit is lost, and the log is there
accident mkfs.ext4 mkfs.ext4 -q -F -E nodiscard $SSD
remove_ssdup
accident mkfs.xfs mkfs.xfs -q -f -K $SSD
remove_ssdup

# it zeroes both homes, and writes to neither's beginning: only the headers are left
restore
must mkfs.btrfs -q -f -K $SSD
log_refused "not a dm-ssdup superblock (fault 2)"
ssdup_exits 4 create $NAME --hdd $HDD --ssd $SSD
ssdup_exits 4 format $HDD $SSD
ssdup_exits 8 repair $SSD --scan --yes
[ -z "$(blkid -p -o value -s TYPE $SSD)" ] || fail "btrfs is still there"
make_ssdup policy all drain manual
above "extents after mkfs.btrfs" "$(stat extents)" $((extents / 2))
remove_ssdup

# given up on purpose
restore
must dd if=/dev/zero of=$SSD bs=1M count=1 conv=fsync status=none
ssdup_exits 4 format $HDD $SSD --discard-unsaved
says "if that data is given up, see \"ssdup release\""
ssdup_exits 0 release $HDD --discard-unsaved
ssdup_exits 0 format $HDD $SSD --discard-unsaved
make_ssdup policy all drain manual
is "extents of a new log" "$(stat extents)" 0
remove_ssdup
