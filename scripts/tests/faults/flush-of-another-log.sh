#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Two logs share an SSD, and a flush of one fails. The SSD may have dropped data of the other one,
# and its next flush succeeds. So both logs are read-only at once, and that one's FLUSH fails, too. A
# reload begins anew.
# invariant: 3
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0

B=00000000-0000-4000-8000-0000000000bb

stat_b()
{
	cat "/sys/block/dm-$(dmsetup info -c --noheadings -o minor other)/ssdup/$1"
}

make_disks hdds=2 ssd_size_mb=34 hdd_cache_mb=4 ssd_cache_mb=4
make_ssdup policy all drain manual max_mb 16 autocommit_ms 3600000
A=$(stat log_uuid)
must message log_add $B "$LEN" 1
dmsetup create other --table "0 $LEN ssdup /dev/mhdd1 $SSD 10 log $B policy all drain manual guard 0 \
	autocommit_ms 3600000" || fail "no second device"
io write len=4096
must iocheck "$T/model-b" /dev/mapper/other write len=4096
must dmsetup message other 0 commit
must iocheck "$T/model-b" /dev/mapper/other write len=2048 start=50000

model $SSD fail_flush 1
must_get "Input/output error" iocheck "$MODEL" $DEV flush
model $SSD fail_flush 0
is "mode of the log whose flush failed" "$(stat mode)" 1
is "mode of the other one" "$(stat_b mode)" 1
must_get "Input/output error" iocheck "$T/model-b" /dev/mapper/other flush
said "a flush of the SSD failed for another log" || fail "the kernel does not say why"
# what was durable goes to its HDD
must_get "Read-only file system" dmsetup message other 0 drain
must iocheck "$T/model-b" /dev/mapper/other fails start=50000 len=2048
must iocheck "$T/model-b" /dev/mhdd1 verify len=4096

# a log that comes now has nothing to fear, and one that is reloaded neither; what a read-only log
# has stays its own until then
free=$(stat pool_segments_free)
must dmsetup remove --retry other
is "free segments of the SSD" "$(stat pool_segments_free)" "$free"
dmsetup create other --table "0 $LEN ssdup /dev/mhdd1 $SSD 8 log $B policy all drain manual guard 0" ||
	fail "no second device"
must iocheck "$T/model-b" /dev/mapper/other recover
must iocheck "$T/model-b" /dev/mapper/other write len=2048
must iocheck "$T/model-b" /dev/mapper/other flush
is "mode" "$(stat_b mode)" 0
must dmsetup remove --retry other
must_get "Read-only file system" message drain
remove_ssdup
make_ssdup log "$A" policy all drain manual
is "mode" "$(stat mode)" 0
