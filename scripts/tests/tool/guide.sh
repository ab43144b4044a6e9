#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Every command of the administrator's guide, as it is printed and in its order, does what
# it says; what is written meanwhile is on the bare HDD at the end.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

NAME=burst
DEV=/dev/mapper/$NAME
make_disks hdd_size_mb=256 ssd_size_mb=65
mkdir -p /dev/disk/by-id
ln -s $HDD /dev/disk/by-id/ata-HDD
ln -s $SSD /dev/disk/by-id/nvme-SSD
touch /etc/fstab
export TERM=linux
page_blocks admin-guide.rst
ran=0
# shellcheck disable=SC2154 # they come with the guide
for block in $blocks; do
	run_block "$block"
	ran=$((ran + 1))
	if awk '$2 == "/srv/burst" { found = 1 } END { exit !found }' /proc/mounts; then
		must dd if=/dev/urandom of="/srv/burst/$block" bs=64k count=20 status=none
		must dd if=/dev/urandom of="/srv/burst/$block" bs=4k count=30 seek=80 \
			conv=notrunc,fsync status=none
		tree /srv/burst >"$T/tree"
	fi
done
above "blocks of commands" $ran 15
must mount -o ro $HDD /mnt
tree /mnt | must cmp - "$T/tree"
above "files" "$(wc -l <"$T/tree")" 8
must umount /mnt
