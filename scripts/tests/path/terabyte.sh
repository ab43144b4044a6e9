#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A log of 1 TiB, 4095 segments: an activation reads a header of each and the live pages, and the
# device takes little memory before the first write.
# invariant: none
# mem: 4096
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# available - memory of the machine, in KiB
available()
{
	awk '/^MemAvailable/ { print $2 }' /proc/meminfo
}

# activate - the device, and what that reads and takes
activate()
{
	local before

	model $SSD reset 1
	before=$(available)
	make_ssdup policy all drain manual
	taken=$((before - $(available)))
	is "segments" "$(stat segments)" 4095
	[ $taken -lt $((32 << 10)) ] || fail "$taken KiB of memory before the first write"
}

make_disks ssd_size_mb=$((1 << 20)) hdd_size_mb=4096
activate
# the table and the resume each see that both homes are blank
[ "$(model $SSD bytes_read)" -lt $((4 << 20)) ] ||
	fail "a new log reads $(model $SSD bytes_read) bytes"
for at in 0 1000000 2000000; do
	io write start=$at len=8192 bs=8
done
must message commit
remove_ssdup
activate
# a header with the first pages is 12 KiB, and 3072 writes are 25 pages of two slots
[ "$(model $SSD bytes_read)" -le $(((4095 * 12 + 4 * 256) << 10)) ] ||
	fail "an activation reads $(model $SSD bytes_read) bytes"
[ "$(model $SSD reads)" -lt $((4095 + 64)) ] || fail "$(model $SSD reads) reads"
io verify
all_home
