# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# The demo's tree of files, sourced by guest.sh: ext4 on the device, a tree
# copied onto it, part of it while everything goes to the HDD and part while
# everything goes to the SSD, some files written over by the other way; a drain;
# and on the bare HDD fsck and every file's sum against those of the originals.

tree=/tmp/tree
mnt=/mnt/ssdup

sizes=(5003 12289 31000 65536 99991 300007 1048576 3000001)

# make_files FOLDER SKIP - files of the folder's size; by few commands, since
# starting one is what costs under emulation
make_files()
{
	local bytes=$((sizes[$1] * 24))

	dd if=/tmp/blob of=/tmp/part bs=64k iflag=skip_bytes,count_bytes \
		skip="$2" count=$((bytes < 6291456 ? bytes : 6291456)) status=none
	split -a 3 -b "${sizes[$1]}" /tmp/part "$tree/$1/file-"
}

# make_tree - 8 folders
make_tree()
{
	local i

	head -c 8388608 /dev/urandom >/tmp/blob
	for i in "${!sizes[@]}"; do
		mkdir -p "$tree/$i/deep"
		make_files "$i" $((i * 1001))
		echo "$i" >"$tree/$i/deep/small"
		: >"$tree/$i/deep/empty"
	done
}

# write_tree - copy the tree onto the file system by both ways, then write over
# what came by the one way by the other
write_tree()
{
	cp -a "$tree"/[0-3] $mnt/
	sync
	dmsetup message "$name" 0 set policy all
	cp -a "$tree"/[4-7] $mnt/
	make_anew 2
	sync
	dmsetup message "$name" 0 set policy none
	make_anew 5
	rm -rf "$mnt/3" "$tree/3"
	cp -a "$tree/1" "$tree/again"
	cp -a "$tree/1" $mnt/again
	sync
}

# make_anew FOLDER - new contents of the same length for its files, in place
make_anew()
{
	local file

	make_files "$1" 2000003
	for file in "$tree/$1"/file-*; do
		dd if="$file" of="$mnt/${file#"$tree"/}" bs=64k conv=notrunc \
			status=none
	done
}

# compare_tree - prints a word for everything that is not as it should be
compare_tree()
{
	local fault=()

	(cd $tree && find . -type f | sort) >/tmp/want
	(cd $mnt && find . -path ./lost+found -prune -o -type f -print | sort) >/tmp/have
	cmp -s /tmp/want /tmp/have || fault+=(names)
	mapfile -t -O ${#fault[@]} fault < <(cd $mnt &&
		sha256sum --quiet -c /tmp/sums 2>/dev/null | sed 's/: .*//')
	printf '%s\n' ${fault[@]+"${fault[@]}"}
}

# files - the whole of it, and the line that tells
files()
{
	local share mib faults

	make_tree
	system_make none
	mkfs.ext4 -q -E lazy_itable_init=1 "$device"
	mkdir -p $mnt
	mount -t ext4 "$device" $mnt
	write_tree
	(cd $tree && find . -type f -exec sha256sum {} +) >/tmp/sums
	umount $mnt
	share=$(ssd_permille)
	system_drain none
	system_remove none
	# what the kernel may have read of the bare disk before is old
	blockdev --flushbufs "$hdd"
	e2fsck -fn "$hdd" >/tmp/fsck 2>&1 || faults=fsck
	mount -t ext4 -o ro "$hdd" $mnt
	faults="${faults:-} $(compare_tree | tr '\n' ' ')"
	mib=$(du -sm $tree | cut -f1)
	echo "@files $(wc -l </tmp/sums) $mib $share ${faults:-}"
	umount $mnt
}
files
