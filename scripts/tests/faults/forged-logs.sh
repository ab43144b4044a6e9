#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A log that this code cannot use is refused by name, though its checksums are
# right, and nothing is written; one whose counters are used up can be read.
# invariant: 3 7
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

at=0 top=$((1 << 56)) generations=$((1 << 39))	# the highest, see core/codec.h

# restore - the log as it was
restore()
{
	must dd if="$T/log" of=$SSD bs=1M oflag=direct conv=fsync status=none
}

# forged TEXT WHAT AT BYTES VALUE - in the log as it was; see tools/hostile
forged()
{
	local text=$1

	shift
	restore
	must hostile forge $SSD "$@"
	log_refused "$text"
}

make_disks ssd_size_mb=17
make_ssdup policy all drain manual
io random len=65536 nr=200
above "sealed segments" "$(stat segments_sealed)" 0
remove_ssdup
must dd if=$SSD of="$T/log" bs=1M status=none

# the superblock
forged "unknown format version (fault 4)" super 0x0c 4 4
forged "unknown format version (fault 4)" super0 0x0c 4 4
forged "unknown format version (fault 4)" super1 0x0c 4 4
forged "unknown format version (fault 4)" super 0x0c 4 1
forged "unknown incompatible feature (fault 5)" super 0x20 8 0x8000000000000000
forged "unknown incompatible feature (fault 5)" super1 0x20 8 16
# several SSDs, without a word of them
forged "impossible geometry (fault 7)" super 0x20 8 2
forged "impossible geometry (fault 7)" super1 0x20 8 2
forged "unknown feature that forbids writing (fault 6)" super 0x18 8 2
forged "impossible geometry (fault 7)" super 0x58 4 263
forged "impossible geometry (fault 7)" super 0x50 4 513
forged "impossible geometry (fault 7)" super 0x48 8 0x8000000000000000
forged "generation zero, used twice or out of range (fault 8)" super 0x38 8 $((top + 1))
forged "made for a larger SSD (fault 10)" super 0x40 8 $((17 * 2048 + 8))
forged "of two logs (fault 21)" super1 0x28 8 1
forged "without a valid record of the log (fault 36)" super 0x28 8 1
# the record
forged "impossible geometry (fault 7)" record 0x2a 2 0
forged "impossible geometry (fault 7)" record 0x2a 2 9
# a second class, without a tail
forged "generation zero, used twice or out of range (fault 8)" record 0x2a 2 2
forged "impossible geometry (fault 7)" record 0x50 4 3
forged "generation zero, used twice or out of range (fault 8)" record 0x30 8 $((top + 1))
forged "generation zero, used twice or out of range (fault 8)" record 0x38 8 $((top + 1))
forged "generation zero, used twice or out of range (fault 8)" record 0x48 8 0
forged "generation zero, used twice or out of range (fault 8)" record 0x60 8 0
forged "generation zero, used twice or out of range (fault 8)" record0 0x60 8 0
forged "made for a larger HDD (fault 9)" record 0x40 8 $((LEN + 8))
forged "of two logs (fault 21)" record1 0x18 8 1
forged "without a valid record of the log (fault 36)" record 0x08 8 1
forged "header of an epoch yet to come (fault 19" record 0x38 8 0
# headers
forged "generation zero, used twice or out of range (fault 8" header1 0x28 8 0
forged "generation zero, used twice or out of range (fault 8" header1 0x3e 2 1
forged "generation zero, used twice or out of range (fault 8" header1 0x28 8 $((generations + 1))
forged "generation zero, used twice or out of range (fault 8" header1 0x28 8 1
forged "header of an epoch yet to come (fault 19" header0 0x30 8 9
forged "a segment's header that was durable is damaged (fault 37" header0 0x08 8 1
forged "a segment's header that was durable is damaged (fault 37" header0 0x38 4 1

# a page that has gone bad in both slots, after a clean suspend
restore
must dd if=/dev/zero of=$SSD bs=4k seek=257 count=2 conv=notrunc,fsync status=none
log_refused "not the pages that the last suspend counted"

# a feature that does not matter does not matter
restore
must hostile forge $SSD super 0x10 8 0xff00000000000001
make_ssdup policy all drain manual
io verify
remove_ssdup

# no epoch left: nothing is logged, and all can be read
restore
must hostile forge $SSD record 0x38 8 $top
make_ssdup policy all drain manual
must said "counters of the log are used up"
is "mode" "$(stat mode)" 1
io verify
remove_ssdup
make_ssdup policy all drain manual
io verify
remove_ssdup

# one generation left: no other segment is opened, none is freed, and nothing is lost
restore
must hostile forge $SSD record 0x48 8 $generations
make_ssdup policy all drain manual
io verify
io write start=65536 len=2400 bs=8 fsync=1
must said "counters of the log are used up"
io verify
remove_ssdup
make_ssdup policy all drain manual
io verify
remove_ssdup

# a log with classes: what says which class a segment has, and what of it is free
rm "$MODEL"
make_disks ssd_size_mb=17
make_ssdup policy all drain manual classes a+b
for class in a b default; do
	message class $class
	io write bs=8 len=64 start=$((++at * 64))
done
is "sectors of the classes" "$(awk '{ print $3 }' "$SYS/classes" | xargs)" "64 64 64"
remove_ssdup
must dd if=$SSD of="$T/log" bs=1M status=none
for value in 0 9; do
	forged "impossible geometry (fault 7)" record 0x2a 2 $value
done
# of a class more, which has no tail; of a class less
for value in 4 2; do
	forged "generation zero, used twice or out of range (fault 8" record 0x2a 2 $value
done
for value in 0 $((top + 1)); do
	forged "generation zero, used twice or out of range (fault 8)" record 0x70 8 $value
done
forged "not the pages that the last suspend counted" record 0x70 8 1000
for value in 0 1 8; do
	forged "generation zero, used twice or out of range (fault 8" header1 0x3e 2 $value
done
# the generation of another class
forged "generation zero, used twice or out of range (fault 8" header1 0x28 8 3
restore
make_ssdup policy all drain manual
io verify
remove_ssdup

# a smaller HDD, a smaller SSD
make_disks hdd_size_mb=63
restore
log_refused "made for a larger HDD (fault 9)"
make_disks ssd_size_mb=16
must dd if="$T/log" of=$SSD bs=1M count=15 conv=fsync status=none
log_refused "made for a larger SSD (fault 10)"
