#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Two HDDs share an SSD, and one of them dies while fio writes to both devices. The other device
# writes, drains and verifies as if nothing had happened, and takes the dead one's place when its
# log is forgotten.
# invariant: none
# programs: fio
# seconds: 120
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

B=00000000-0000-4000-8000-0000000000bb

# fio_on DEVICE - more than its log holds, and read again
fio_on()
{
	fio --name=x --filename="$1" --rw=randwrite --bs=16k --size=48m --direct=1 --iodepth=8 \
		--ioengine=libaio --io_size=96m --verify=crc32c --do_verify=1 --verify_fatal=1 \
		--randseed=7 --output="$2"
}

make_disks hdds=2 ssd_size_mb=66
make_ssdup max_mb 24
A=$(stat log_uuid)
must message log_add $B "$LEN" 1
dmsetup create other --table "0 $LEN ssdup /dev/mhdd1 $SSD 4 log $B max_mb 24" ||
	fail "no second device: $(dmesg | tail -n 3)"
fio_on /dev/mapper/other "$T/b" 2>/dev/null &
b=$!
fio_on $DEV "$T/a" &
a=$!
nap 0.5
model /dev/mhdd1 fail_write "0 $LEN"
model /dev/mhdd1 fail_read "0 $LEN"
wait $a || fail "the other device: $(<"$T/a")"
is "mode" "$(stat mode)" 0
is "errors of disks" "$(stat hdd_errors)$(stat ssd_errors)" 00
io write len="$LEN"
flush
io verify
io_on $HDD verify

# what waits for the dead HDD gets errors, and whoever is left gets its part of the SSD
ssdup_exits 0 remove other --force
! wait $b || fail "a dead HDD takes everything"
until ! dmsetup info other >"$T/info" 2>&1; do
	nap 0.1
done
must_get "Directory not empty" message log_forget $B
must message log_forget $B force
reload log "$A"
is "segments for others" "$(stat pool_segments_free)" 0
io verify
