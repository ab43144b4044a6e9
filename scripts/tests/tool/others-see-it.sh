#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# With the patch for libblkid, programs that know nothing of dm-ssdup see the log on an SSD, and
# those that would write over it ask first, or refuse.
# programs: script
# made: scripts/packaging/util-linux/build
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# shows TEXT COMMAND... - it prints that
shows()
{
	local text=$1

	shift
	"$@" >"$T/out" 2>&1 </dev/null || :
	grep -qF -- "$text" "$T/out" || { cat "$T/out" >&2; fail "of '$*' we got no '$text'"; }
}

# sees_none DISK - libblkid sees no log there
sees_none()
{
	blkid -p "$1" >"$T/out" 2>&1 || :
	! grep -q ssdup "$T/out" || { cat "$T/out" >&2; fail "it sees a log on $1"; }
}

# refuses TEXT COMMAND... - the same, and it writes nothing
refuses()
{
	shows "$@"
	must cmp "$T/log" $SSD
}

export LD_LIBRARY_PATH=/files
make_disks ssd_size_mb=322
make_ssdup policy all drain manual
io write len=8192
remove_ssdup
must dd if=$SSD of="$T/log" bs=1M status=none
uuid=$(ssdup probe --export $SSD | sed -n 's/^ID_FS_UUID=//p')

shows "UUID=\"$uuid\" TYPE=\"ssdup\" USAGE=\"other\"" blkid -p $SSD
shows 'VERSION="3"' blkid -p $SSD
# lsblk asks udev, which asks libblkid; there is no udev in here
mkdir -p /run/udev/data
blkid -p -o udev $SSD | sed 's/^/E:/' >"/run/udev/data/b$(<"/sys/block/${SSD##*/}/dev")"
shows ssdup lsblk -n -o FSTYPE $SSD
shows "$uuid" lsblk -n -o UUID $SSD
shows ssdup wipefs $SSD
shows "VERSION=\"1\" UUID_SUB=\"$uuid\" TYPE=\"ssdup_hdd\" USAGE=\"other\"" blkid -p $HDD
refuses "appears to contain an existing filesystem (ssdup)" mkfs.xfs $SSD
refuses "appears to contain an existing filesystem (ssdup)" mkfs.btrfs $SSD
# it asks only a terminal
mkdir -p /dev/pts
grep -q " /dev/pts " /proc/mounts || must mount -t devpts none /dev/pts
[ -e /dev/ptmx ] || ln -s pts/ptmx /dev/ptmx
refuses "contains a ssdup file system" script -qec "mkfs.ext4 $SSD" /dev/null

# a checksum that is wrong is no log
printf x | dd of=$SSD bs=1 seek=100 conv=notrunc,fsync status=none
sees_none $SSD
# one without a record has no UUID
must dd if="$T/log" of=$SSD bs=1M oflag=direct status=none
must dd if=/dev/zero of=$SSD bs=4096 seek=128 count=1 oflag=direct conv=notrunc status=none
shows 'TYPE="ssdup"' blkid -p $SSD
! grep -q UUID "$T/out" || fail "a UUID without a record: $(<"$T/out")"

# what wipefs takes is no more than a copy
must dd if="$T/log" of=$SSD bs=1M oflag=direct status=none
must wipefs -q -a $SSD
sees_none $SSD
ssdup_exits 0 repair $SSD --copy 1 --yes
make_ssdup policy all drain manual
io verify
remove_ssdup
# the tool itself uses that library
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD
ssdup_exits 0 drain $NAME
ssdup_exits 0 remove $NAME
ssdup_exits 4 create $NAME --hdd $HDD --ssd $SSD --format
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD --format --force
ssdup_exits 0 remove $NAME

# an SSD with several logs goes by a UUID of its own
blank_log
make_ssdup policy all drain manual max_mb 64
pool=$(stat pool_uuid)
must message log_add 00000000-0000-4000-8000-0000000000bb 65536 8
remove_ssdup
shows "UUID=\"$pool\" TYPE=\"ssdup\"" blkid -p $SSD
is "UUID for udev" "$(ssdup probe --export $SSD | sed -n 's/^ID_FS_UUID=//p')" "$pool"
