#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A log that this code cannot use is refused by name, though its checksums are
# right, and nothing is written; one whose counters are used up can be read.
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

top=4611686018427387904		# 2^62

# restore - the log as it was
restore()
{
	must dd if="$T/log" of=$SSD bs=1M oflag=direct conv=fsync status=none
}

# refused TEXT
refused()
{
	local before

	before=$(model $SSD bytes_written)
	must_not dmsetup create $NAME --table "$(table policy all drain manual)"
	said "$1" || fail "the kernel said not '$1' but: $(tail -n 1 "$T/said")"
	is "bytes written to the SSD" "$(model $SSD bytes_written)" "$before"
	# what was refused by its first resume is there still
	! dmsetup info $NAME >/dev/null 2>&1 || must dmsetup remove $NAME
}

# forged TEXT COPIES AT BYTES VALUE - in the log as it was, of which no such case has
# changed more than the superblocks
forged()
{
	local text=$1

	shift
	must dd if="$T/log" of=$SSD bs=1M count=1 oflag=direct conv=fsync status=none
	must hostile forge $SSD "$@"
	refused "$text"
}

make_disks ssd_size_mb=16
make_ssdup policy all drain manual
io random nr=200
remove_ssdup
must dd if=$SSD of="$T/log" bs=1M status=none

forged "unknown format version (fault 4)" 01 0x0c 4 2
forged "unknown format version (fault 4)" 0 0x0c 4 2
forged "unknown format version (fault 4)" 1 0x0c 4 2
forged "unknown incompatible feature (fault 5)" 01 0x20 8 0x8000000000000000
forged "unknown incompatible feature (fault 5)" 1 0x20 8 1
forged "unknown feature that forbids writing (fault 6)" 01 0x18 8 2
forged "impossible geometry (fault 7)" 01 0x6c 4 263
forged "impossible geometry (fault 7)" 01 0x60 8 0x8000000000000000
forged "generation zero, used twice or out of range (fault 8)" 01 0x110 8 1
forged "generation zero, used twice or out of range (fault 8)" 01 0x40 8 $((top + 1))
forged "made for an HDD of another size (fault 9)" 01 0x48 8 $((LEN + 8))
forged "made for a larger SSD (fault 10)" 01 0x50 8 $((16 * 2048 + 8))
forged "copies of the superblock are of two logs (fault 21)" 1 0x28 8 1
forged "page of an epoch yet to come" 01 0x40 8 0

# a page that has gone bad in both slots, after a clean suspend
restore
must dd if=/dev/zero of=$SSD bs=4k seek=258 count=2 conv=notrunc,fsync status=none
refused "not the pages that the last suspend counted"

# a feature that does not matter does not matter
restore
must hostile forge $SSD 01 0x10 8 0xff00000000000001
make_ssdup policy all drain manual
io verify
remove_ssdup

# no epoch left: nothing is logged, and all can be read
restore
must hostile forge $SSD 01 0x40 8 $top
make_ssdup policy all drain manual
must said "counters of the log are used up"
is "mode" "$(stat mode)" 1
io verify
remove_ssdup
make_ssdup policy all drain manual
io verify
remove_ssdup

# no generation left: a half cannot be freed, and nothing of it is lost
restore
must hostile forge $SSD 01 0x110 8 $top
make_ssdup policy all drain manual
io verify
io random nr=100 seed=2 fsync=1
must_not message flush
must said "counters of the log are used up"
io verify
remove_ssdup
make_ssdup policy all drain manual
io verify
remove_ssdup

# a smaller HDD, a smaller SSD
make_disks hdd_size_mb=63
restore
refused "made for an HDD of another size (fault 9)"
make_disks ssd_size_mb=15
must dd if="$T/log" of=$SSD bs=1M count=15 conv=fsync status=none
refused "made for a larger SSD (fault 10)"
