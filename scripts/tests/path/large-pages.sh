#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Nothing depends on the size of the kernel's pages: the log is laid out in blocks of
# 4 KiB, and it is such blocks that a disk may refuse. "make arm64" runs this with pages
# of 16 and of 64 KiB.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# byte SECTOR OFFSET BYTES - a number on the SSD
byte()
{
	od -An -t "u$3" -j $(($1 * 512 + $2)) -N "$3" $SSD | tr -d ' '
}

make_disks
make_ssdup policy all drain manual
# below a page of any kernel, across its borders, and whole ones
io random len=8192 max=9 nr=200 seed=1
io write start=8192 len=2048 bs=128
io write start=12289 len=1031 bs=7
io discard start=8200 len=40
io verify
commits

# the copies of the superblock and of the record, the first header, and the first page, in one
# of its two slots, are where format.rst has them
must cmp -n 8 -i 0:$(($(home 1) * 512)) $SSD $SSD
for sector in 1024 $(($(home 1) + 1024)); do
	is "magic of the record in sector $sector" "$(byte $sector 0 4)" $((0x53444c47))
done
is "magic of the header" "$(byte 2048 0 4)" $((0x53444c48))
page="$(byte 2056 0 4) $(byte 2064 0 4)"
[[ $page == *$((0x53444c50))* ]] || fail "no page of the log, but $page"

# a replay reads what has been written, page by page
reboot 1 policy all drain manual
io recover
io verify

# The HDD has bad blocks near its start and its end, and one that refuses writes: that one
# stays in the log. The HDD answers elsewhere, so it is not gone.
model $HDD fail_read "64 8"
model $HDD fail_read "$((LEN - 64)) 8"
model $HDD fail_write "8193 1"
must_not message drain
above "unwritable extents" "$(stat unwritable_extents)" 0
below "dirty sectors" "$(stat dirty_sectors)" 9
model $HDD fail_read clear
model $HDD fail_write clear
all_home
remove_ssdup

# the log of a kernel with pages of another size: see scripts/arm64
for log in /files/log-*; do
	[ -e "$log" ] || continue
	echo "the log of ${log#*/log-}"
	must tar -xf "$log" -C "$T"
	must dd if="$T/hdd" of=$HDD bs=64k conv=fsync status=none
	must dd if="$T/ssd" of=$SSD bs=64k conv=fsync status=none
	make_ssdup policy all drain manual
	above "dirty sectors of ${log#*/log-}" "$(stat dirty_sectors)" 0
	cp "$T/content" "$MODEL"
	all_home
	remove_ssdup
done

# one that others are to read
[ -e /files/keep-log ] || exit 0
make_disks
rm "$MODEL"
make_ssdup policy all drain manual
io random len=16384 max=64 nr=200 seed=3
io discard start=3000 len=100
io zero start=5000 len=77
remove_ssdup
must dd if=$HDD of="$T/hdd" bs=64k conv=sparse status=none
must dd if=$SSD of="$T/ssd" bs=64k conv=sparse status=none
cp "$MODEL" "$T/content"
must tar -C "$T" -cf "/out/log-$SSDUP_KERNEL" hdd ssd content
