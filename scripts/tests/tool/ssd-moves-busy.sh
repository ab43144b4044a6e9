#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# fio writes and verifies through two devices, by windows, while an SSD comes, another one is replaced,
# and one goes: all of it ends although what fio writes overlaps what is on the SSD that leaves.
# invariant: 2
# programs: fio
# time: virtual
# cpus: 4
# seconds: 300
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

HDD_B=/dev/mhdd1
SET=-opolicy=balance,autocommit_ms=50

# fio_on DEVICE FILE - again and again, until it is told to stop
fio_on()
{
	while [ ! -e "$T/stop" ]; do
		fio --name=x --filename="$1" --rw=randwrite --bs=16k --size=24m --direct=1 --iodepth=16 \
			--ioengine=libaio --io_size=24m --verify=crc32c --do_verify=1 --verify_fatal=1 \
			--output="$2" || touch "$T/failed"
	done
}

slow_disks hdds=2 ssds=4 ssd_size_mb=40 ssd_cache_mb=4 hdd_cache_mb=16
for disk in $HDD:aaaaaaaa $HDD_B:bbbbbbbb; do
	echo "naa.5000c500${disk#*:}" >"/sys/block/$(basename "${disk%:*}")/wwid"
done
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD $SET
ssdup_exits 0 create other --hdd $HDD_B --ssd $SSD --add $SET
find_sys
fio_on $DEV "$T/a" &
fio_on /dev/mapper/other "$T/b" &
nap 1
ssdup_exits 0 pool add $SSD /dev/mssd1
nap 1
ssdup_exits 0 pool replace $SSD $SSD /dev/mssd2
nap 1
ssdup_exits 0 pool add /dev/mssd1 /dev/mssd3
nap 1
ssdup_exits 0 pool remove /dev/mssd1 /dev/mssd1
is "SSDs" "$(wc -w <"$SYS/ssd_dev")" 3
nap 1
touch "$T/stop"
wait
[ ! -e "$T/failed" ] || fail "fio: $(<"$T/a") $(<"$T/b")"
is "mode" "$(stat mode)" 0
is "errors of disks" "$(stat hdd_errors)$(stat ssd_errors)" 00
