#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Of an HDD whose log is not empty nobody can mount what it held, and it says whose it is. Without
# its SSD it can be released. One that was written to is refused, but for a word.
# programs: mkswap sfdisk
# invariant: 11
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# luks DEVICE - the head of an encrypted volume, as far as it is recognised
luks()
{
	printf 'LUKS\xba\xbe\0\x01' | dd of="$1" conv=notrunc,fsync status=none
}

# table_of LABEL DEVICE
table_of()
{
	echo ",8M" | sfdisk -q -X "$1" "$2"
}

# recognised DEVICE - by libblkid; TYPE or PTTYPE is in $T/kind
recognised()
{
	must blockdev --flushbufs "$1"
	blkid -p -o export "$1" 2>/dev/null | grep -E '^(TYPE|PTTYPE)=' >"$T/kind"
}

mkdir -p /mnt/s
modprobe loop
make_disks hdd_size_mb=320
make_ssdup policy all drain manual
for make in "mkfs.ext4 -q -F" "mkfs.xfs -q -f" "mkfs.btrfs -q -f" "mkswap -q" "table_of gpt" \
	"table_of dos" luks; do
	# shellcheck disable=SC2086 # words
	must $make $DEV
	recognised $DEV || fail "$make: not recognised on the device"
	cp "$T/kind" "$T/made"
	commits
	! recognised $HDD || fail "$make: on the bare HDD there is $(<"$T/kind")"
	must_not mount $HDD /mnt/s
	ssdup_exits 0 probe $HDD
	says "the HDD of log $(stat log_uuid)"
	remove_ssdup
	# as a machine sees it that knows nothing of dm-ssdup
	! recognised $HDD || fail "$make: on the HDD of a dirty log there is $(<"$T/kind")"
	must_not mount $HDD /mnt/s
	ssdup_exits 4 release $HDD
	make_ssdup policy all drain manual
	flush
	recognised $HDD || fail "$make: not recognised on the HDD after a drain"
	must cmp "$T/kind" "$T/made"
	must dd if=/dev/zero of=$DEV bs=1M count=1 oflag=direct conv=notrunc status=none
	flush
done

# --- the SSD is lost ---
must mkfs.ext4 -q -F $DEV
must mount $DEV /mnt/s
plant /mnt/s/1
must umount /mnt/s
flush
must mount $DEV /mnt/s
plant /mnt/s/2
must umount /mnt/s
commits
remove_ssdup
must dd if=$SSD of="$T/ssd" bs=1M status=none
HDD=none blank_log
uuid=$(ssdup probe --export $HDD | sed -n 's/^SSDUP_MEMBER=//p')
ssdup_exits 4 create $NAME --hdd $HDD --ssd $SSD
says "is the HDD of log $uuid"
ssdup_exits 4 format $HDD $SSD
says "is the HDD of log $uuid"
ssdup_exits 4 release $HDD
says "give the data up with --discard-unsaved"
ssdup_exits 0 release $HDD --discard-unsaved
says "now check it (fsck)"
e2fsck -fy $HDD >"$T/fsck" 2>&1 || [ $? = 1 ] || fail "e2fsck: $(<"$T/fsck")"
must mount $HDD /mnt/s
tree /mnt/s/1 >"$T/tree"
above "files" "$(wc -l <"$T/tree")" 30
# --- and comes back ---
echo "written meanwhile" >/mnt/s/new
must umount /mnt/s
must dd if="$T/ssd" of=$SSD bs=1M conv=fsync status=none
ssdup_exits 4 create $NAME --hdd $HDD --ssd $SSD
says "was written to since"
ssdup_exits 4 export $HDD $SSD
says "--hdd-was-written"
must mount $HDD /mnt/s
is "what was written meanwhile" "$(</mnt/s/new)" "written meanwhile"
must umount /mnt/s
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD --hdd-was-written -o drain=manual
flush
ssdup_exits 0 remove $NAME

# --- without the module ---
ssdup_exits 3 release $HDD --discard-unsaved
make_ssdup policy all drain manual
must mkfs.ext4 -q -F $DEV
must mount $DEV /mnt/s
plant /mnt/s/3
tree /mnt/s >"$T/tree"
must umount /mnt/s
commits
remove_ssdup
must truncate -s 320M "$T/image"
ssdup_exits 0 export "$T/image" $SSD
must dd if=$HDD of="$T/image" bs=1M status=none
ssdup_exits 0 export $HDD $SSD
says "stays the HDD of the log"
must_not mount $HDD /mnt/s
for to in "$T/image" $HDD; do
	[ "$to" = $HDD ] && clear=(--clear) || clear=()
	ssdup_exits 0 export "$to" $SSD "${clear[@]}"
	must e2fsck -fn "$to" >"$T/fsck"
	[ "$to" = $HDD ] && loop=() || loop=(-o loop)
	must mount "${loop[@]}" "$to" /mnt/s
	tree /mnt/s | must cmp - "$T/tree"
	must umount /mnt/s
done
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD -o guard=1
must mount $DEV /mnt/s
tree /mnt/s | must cmp - "$T/tree"
must umount /mnt/s
# an image of another HDD
must mkfs.ext4 -q -F $DEV
commits
remove_ssdup
must mkfs.ext4 -q -F "$T/image"
cp "$T/image" "$T/before"
ssdup_exits 4 export "$T/image" $SSD
must cmp "$T/image" "$T/before"
