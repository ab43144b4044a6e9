#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The device's limits are the stricter of both disks'; each mix of block sizes works.
# A write that may not block need not.
# invariant: none
# programs: fio
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

for blocks in "512 4096" "4096 512"; do
	read -r hdd ssd <<<"$blocks"
	make_disks hdd_block_size="$hdd" ssd_block_size="$ssd"
	block=$((hdd > ssd ? hdd : ssd))
	make_ssdup policy all
	is "logical block size" "$(blockdev --getss $DEV)" $block
	queue=${SYS%/ssdup}/queue
	below "longest request" "$(<"$queue/max_sectors_kb")" 1281
	must_not dd if=/dev/zero of=$DEV bs=512 count=1 oflag=direct status=none
	io mixed align=$((block / 512)) max=64 nr=100 len=16384 seed=1 fsync=1
	io verify
	must dmsetup remove $NAME
	make_ssdup policy all
	io verify
	all_home
	must fio --name=nowait --filename=$DEV --direct=1 --rw=randwrite --bs=4k --size=4m \
		--ioengine=pvsync2 --nowait=1
	remove_ssdup
	rm "$MODEL"
done

# a log made for 512-byte blocks does not fit disks that want 4096
make_disks
make_ssdup policy all
io random nr=10 len=4096
remove_ssdup
dd if=$SSD of="$T/log" bs=1M count=16 status=none
make_disks hdd_block_size=4096
dd if="$T/log" of=$SSD bs=1M status=none conv=fsync
must_not dmsetup create $NAME --table "$(table)"
must said "made for smaller logical blocks"
