#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# An SSD has a mirror. Either of the two may fail, as a whole, by flushes or by metadata: the device
# goes on, nothing is lost, and the one that failed is never taken for the other. One that ran alone
# by a word of the table is not mixed with the other one. Both fail: as with an SSD without a mirror.
# invariant: 2 7 10
# kernels: 6.12 6.1 debug
# seconds: 300
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

OTHER=/dev/mssd1
KEYS="policy all drain manual segment_mb 1 discard off autocommit_ms 3600000"

# make MAIN OTHER - a device of these two
make()
{
	SSD=$1
	# shellcheck disable=SC2086
	make_ssdup $KEYS mirror "$2"
}

# refused WORDS MAIN OTHER - no device is made of these two, and nothing is written
refused()
{
	local before

	before=$(cat /dev/mssd0 /dev/mssd1 | md5sum)
	SSD=$2
	# shellcheck disable=SC2086
	must_not dmsetup create $NAME --table "$(table $KEYS mirror "$3")"
	said "$1" || fail "the kernel does not say: $1"
	is "content" "$(cat /dev/mssd0 /dev/mssd1 | md5sum)" "$before"
}

# content of both is the same, but for the block that says which is which
same()
{
	local i

	for i in 0 1; do
		dd if=/dev/mssd$i of="$T/mssd$i" bs=1M status=none
		dd if=/dev/zero of="$T/mssd$i" bs=4096 seek=1 count=1 conv=notrunc status=none
		dd if=/dev/zero of="$T/mssd$i" bs=4096 seek=$(($(home 1) / 8 + 1)) count=1 \
			conv=notrunc status=none
	done
	must cmp "$T/mssd0" "$T/mssd1"
}

for main in 0 1; do
	main=/dev/mssd$main
	other=$([ $main = /dev/mssd0 ] && echo $OTHER || echo /dev/mssd0)
	for dies in mssd0 mssd1; do
		# as a whole: what was written before, and after
		make_disks ssds=2 ssd_size_mb=34
		rm -f "$MODEL"
		make $main "$other"
		is "mirrors out" "$(stat mirrors_out)" 0
		dmsetup table $NAME | grep -q " mirror " || fail "the table does not name it"
		io write len=8192 bs=64
		message commit
		io random nr=50 bs=8
		model $dies gone 1
		io verify
		io random start=20000 len=8000 nr=50 bs=8
		message commit
		is "mirrors out" "$(stat mirrors_out)" 1
		is "mode" "$(stat mode)$(stat ssds_out)" 00
		said "one of two that hold the same is out" || fail "the kernel does not say so"
		io write start=40000 len=4096 bs=32 fsync=1
		io verify
		remove_ssdup
		# it is back, and is not used
		model $dies gone 0
		make $main "$other"
		is "mirrors out" "$(stat mirrors_out)" 1
		io verify
		message flush
		io_on $HDD verify
		io write start=60000 len=4096 bs=32 fsync=1
		remove_ssdup
		# nor is it alone, by mistake: it does not know
		make "$([ $dies = mssd0 ] && echo $OTHER || echo /dev/mssd0)" -
		io verify
		remove_ssdup
	done
done
date
