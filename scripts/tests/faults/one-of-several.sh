#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# One of three SSDs fails: by a flush, by metadata, or as a whole. The log is read-only, what the other
# SSDs have is read and written back, what only the failed one has is refused, and nothing is lost that
# was durable: with the SSD, or with the next table, all of it is back.
# invariant: 7 10
# kernels: 6.12 debug
# seconds: 300
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

eio="Input/output error"
KEYS="policy all drain manual segment_mb 1 discard off ssd /dev/mssd1 ssd /dev/mssd2"

# shellcheck disable=SC2086
make()
{
	make_ssdup $KEYS
}

# the second SSD has what is from sector 60000 to 120000, and more
fill()
{
	make
	io write len=$((88 * 2048)) bs=256
	commits
	before=$(model mssd1 bytes_written)
	above "bytes on the second SSD" "$before" $((30 << 20))
}

# as a whole
make_disks hdd_size_mb=128 ssds=3 ssd_size_mb=34
fill
model mssd1 gone 1
io verify len=60000
io verify start=$((70 * 2048))
io fails start=90000 len=256 bs=256
must_get "Read-only file system" message flush
is "mode" "$(stat mode)" 1
said "log read-only" || fail "the kernel does not say so"
is "lost ranges" "$(message lost_ranges)" none
iocheck "$MODEL" $HDD verify start=256 len=59000 || fail "the first SSD was not written back"
iocheck "$MODEL" $HDD verify start=$((70 * 2048)) || fail "nor the last one"
io write start=$((100 * 2048)) len=4096 bs=64 fsync=0
io verify len=60000
write_fails "$eio" start=90000 len=8
remove_ssdup
# the others do not make a log
must_not dmsetup create $NAME --table "$(table policy all ssd /dev/mssd2)"
model mssd1 gone 0
make
is "mode" "$(stat mode)" 0
io verify
all_home
remove_ssdup

# by a flush: what it had in its cache is lost, and what the others had is not
make_disks hdd_size_mb=128 ssds=3 ssd_size_mb=34 ssd_cache_mb=4
fill
io write start=$((100 * 2048)) len=2048 bs=8
model mssd0 fail_flush 1
model mssd2 fail_flush 1
must_get "$eio" message commit
is "mode" "$(stat mode)" 1
model mssd0 fail_flush 0
model mssd2 fail_flush 0
io verify len=60000
remove_ssdup
heal
make
io verify len=$((88 * 2048))
remove_ssdup
