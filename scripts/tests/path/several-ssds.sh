#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# kernels: 6.12 6.1 debug
# A log on three SSDs of different sizes: its segments run on from one to the next, writes, reads,
# drains, discards and commits find theirs, and a reload or another activation finds all of it. An
# SSD that is missing, blank, swapped, of another log or on the same disk is refused by name, and
# nothing is written.
# invariant: 1 2
# seconds: 300
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

KEYS="policy all drain manual"
MORE="ssd /dev/mssd1 ssd /dev/mssd2"

# written - bytes that each SSD has got, ever
written()
{
	echo "$(model mssd0 bytes_written) $(model mssd1 bytes_written) $(model mssd2 bytes_written)"
}

# refused TEXT SSD [KEY VALUE]... - no device is made, and nothing is written
refused()
{
	local before text=$1 SSD=$2

	before=$(written)
	# shellcheck disable=SC2086
	must_not dmsetup create $NAME --table "$(table "${@:3}" $KEYS)"
	said "$text" || fail "the kernel said not '$text' but: $(tail -n 1 "$T/said")"
	is "bytes written" "$(written)" "$before"
	! dmsetup info $NAME >/dev/null 2>&1 || must dmsetup remove $NAME
}

# shellcheck disable=SC2086
make()
{
	make_ssdup $MORE $KEYS "$@"
}

make_disks hdds=2 hdd_size_mb=128 ssds=4 ssd_size_mb=34 ssd_cache_mb=4 hdd_cache_mb=4
make
is "segments" "$(stat segments)" 48
is "table" "$(dmsetup table $NAME | grep -o ' ssd [0-9:]*' | wc -l)" 2
is "SSDs" "$(stat ssd_dev | wc -w)" 3
io write len=$((80 * 2048))
io verify
message commit
before=$(written)
for each in $before; do
	above "bytes on each SSD" "$each" $((18 << 20))
done
io write len=20000 start=9000 bs=24
io verify
# shellcheck disable=SC2086
reload $MORE $KEYS clean 50
io verify
remove_ssdup

# what is no pool
refused "one is missing: number 2, " /dev/mssd0 ssd /dev/mssd1
refused "is missing: number 1, " /dev/mssd0
refused "is missing: number 0, " /dev/mssd2
refused "another place" /dev/mssd0 ssd /dev/mssd2 ssd /dev/mssd1
refused "this one is blank" /dev/mssd0 ssd /dev/mssd1 ssd /dev/mssd2 ssd /dev/mssd3
refused "this one is blank" /dev/mssd0 ssd /dev/mssd1 ssd /dev/mssd3
refused "the same disk" /dev/mssd0 ssd /dev/mssd1 ssd /dev/mssd1
refused "the same device as hdd" /dev/mssd0 ssd $HDD
refused "no such device" /dev/mssd0 ssd /dev/none

# another log's
HDD=/dev/mhdd1 SSD=/dev/mssd3 make_ssdup policy all
remove_ssdup
refused "other SSDs than this one" /dev/mssd0 ssd /dev/mssd1 ssd /dev/mssd3

! dmsetup create $NAME --table "$(table policy all ssd /dev/mssd1 ssd /dev/mssd2 classes a+b)" ||
	fail "nine classes were made"
said "classes: at most 2 on 3 SSDs" || fail "the kernel said: $(tail -n 1 "$T/said")"
make
io verify
flush
io verify
is "dirty" "$(stat dirty_sectors)" 0
io_on $HDD verify
# what is free may be discarded, and is used again
# shellcheck disable=SC2086
message set drain auto
io write len=$((60 * 2048))
io verify
remove_ssdup
make
io verify

# a part of the room is a part of each SSD
flush
remove_ssdup
before=$(written)
make max_mb 48
is "segments" "$(stat segments)" 24
io write len=$((28 * 2048))
commits
read -r a b c <<<"$before"
read -r d e f <<<"$(written)"
for each in $((d - a)) $((e - b)) $((f - c)); do
	above "bytes on each SSD" "$each" $((1 << 20))
done
is "writes that waited" "$(stat waited_writes)" 0
io verify
remove_ssdup

# what is written over stays on its SSD: when that is full it is drained, though another one has room,
# and with nothing else to do
for policy in all balance; do
	make_disks hdd_size_mb=128 ssds=2 ssd_size_mb=34 ssd_discard=0 hdd_cache_mb=4
	make_ssdup policy all drain manual ssd /dev/mssd1
	io write len=256 bs=256
	message set policy $policy
	# at the same place again and again
	io random len=256 bs=256 nr=300 depth=1
	above "segments freed" "$(stat frees)" 0
	io verify len=256
	remove_ssdup
done

# one SSD is too small for four of the segments of 8 MiB that 8 GiB have
make_disks ssds=2 ssd_size_mb=8194
must dmsetup create small --table "0 24576 linear /dev/mssd1 0"
must_not dmsetup create $NAME --table "$(SSD=/dev/mssd0 table policy all ssd /dev/mapper/small)"
said "one of them is too small beside the others" || fail "the kernel does not say so"
ssdup_exits 4 format --hdd $HDD --ssd /dev/mssd0 --ssd /dev/mapper/small
says "each holds at least 4 segments of 8 MiB"
! dmsetup info $NAME >/dev/null 2>&1 || fail "a device was made"
is "bytes written" "$(model mssd0 bytes_written) $(model mssd1 bytes_written)" "0 0"
must dmsetup remove small

# two paths to one disk, which is blank: they are not two SSDs
make_disks hdds=1 ssds=2
for each in one two; do
	must dmsetup create $each --table "0 $(blockdev --getsz /dev/mssd1) linear /dev/mssd1 0"
done
must_not dmsetup create $NAME \
	--table "$(SSD=/dev/mapper/one table policy all ssd /dev/mapper/two)"
said "two of the SSDs are one" || fail "the kernel does not say so"
! dmsetup info $NAME >/dev/null 2>&1 || must dmsetup remove $NAME
must dmsetup remove one
must dmsetup remove two
SSD=/dev/mssd0 make_ssdup policy all ssd /dev/mssd1
