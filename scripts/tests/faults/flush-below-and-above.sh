#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A flush that fails, at either disk, reaches the file system: fsync fails, and the journal
# of ext4 is aborted, or XFS shut down. Both write their log with PREFLUSH, FUA and data in
# one bio, of which dm core throws the flush's error away.
# invariant: 7
# layers: bare linear
# seconds: 600
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# mount_it - nothing commits but an fsync: what a commit by the clock has made durable no
# flush loses
mount_it()
{
	case $fs in
	ext4) must mount -t ext4 -o data=ordered,barrier=1,commit=3600 $DEV /mnt/s ;;
	xfs) must mount -t xfs $DEV /mnt/s ;;
	esac
}

# begin FS - a file system with a file that is safe, in part in the log; the next blocks of
# its journal were never logged
begin()
{
	local size=64

	fs=$1
	[ "$fs" = ext4 ] || size=320
	make_disks hdd_size_mb=$size ssd_size_mb=33 hdd_cache_mb=16 ssd_cache_mb=8
	make_ssdup policy none drain manual autocommit_ms 3600000
	case $fs in
	ext4) must mkfs.ext4 -q -J size=8 -E lazy_itable_init=0,lazy_journal_init=0 $DEV ;;
	xfs) must mkfs.xfs -q $DEV ;;
	esac
	mount_it
	must dd if=/dev/urandom of=/mnt/s/safe bs=64k count=16 conv=fsync status=none
	knob policy all
	must dd if=/dev/urandom of=/mnt/s/safe bs=64k count=16 seek=16 conv=notrunc,fsync status=none
	md5sum </mnt/s/safe >"$T/safe"
}

# ends_loudly WHAT - an fsync that relies on the flush fails, and so does all that follows
ends_loudly()
{
	must_not xfs_io -c fsync /mnt/s/new
	must_not dd if=/dev/urandom of=/mnt/s/later bs=4k count=1 conv=fsync status=none
	echo "$fs, $1: $(<"$T/stderr")"
}

# safe_is_there - when the disks are well again, and the table is loaded anew
safe_is_there()
{
	heal
	must umount /mnt/s
	message drain
	remove_ssdup
	make_ssdup policy all drain manual
	is "mode" "$(stat mode)" 0
	mount_it
	md5sum </mnt/s/safe | must cmp - "$T/safe"
	must dd if=/dev/urandom of=/mnt/s/later bs=4k count=1 conv=fsync status=none
	must umount /mnt/s
	case $fs in
	# 1: it notes that the error was seen
	ext4) e2fsck -fp $DEV >"$T/fsck" || [ $? = 1 ] || fail "$(<"$T/fsck")" ;;
	xfs) must xfs_repair -n $DEV >"$T/fsck" 2>&1 ;;
	esac
	remove_ssdup
}

mkdir -p /mnt/s
must modprobe ext4
must modprobe xfs
echo 720000 >/proc/sys/fs/xfs/xfssyncd_centisecs
for fs in ext4 xfs; do
	# new data are in the HDD's cache when a drain's flush fails; the fsync comes after it
	begin "$fs"
	knob policy none
	must dd if=/dev/urandom of=/mnt/s/new bs=64k count=16 oflag=direct status=none
	model $HDD fail_flush 1
	must_not message drain
	is "error of the drain" "$(stat drain_errno)" 5
	model $HDD fail_flush 0
	ends_loudly "a drain's flush of the HDD"
	safe_is_there

	# the HDD fails the flush of the fsync, whose log goes to the SSD
	begin "$fs"
	knob policy none
	must dd if=/dev/urandom of=/mnt/s/new bs=64k count=16 oflag=direct status=none
	knob policy all
	model $HDD fail_flush 1
	ends_loudly "the HDD's flush"
	safe_is_there

	# the SSD fails the flush of a commit
	begin "$fs"
	must dd if=/dev/urandom of=/mnt/s/new bs=64k count=16 oflag=direct status=none
	model $SSD fail_flush 1
	ends_loudly "a commit's flush of the SSD"
	is "mode" "$(stat mode)" 1
	safe_is_there
done
