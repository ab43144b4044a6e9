#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A write is cut where the range of a class begins and ends. On disks with blocks of 4096 bytes a
# range within a block is refused, and whatever else cuts a write, the log can be read again.
# invariant: 7
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# refused START LEN - as a range
refused()
{
	must_not message class scratch "$1" "$2"
	said "message class scratch: start or length is not a multiple of the logical block size" ||
		fail "of $1 $2 the kernel said: $(tail -n 1 "$T/said")"
}

for blocks in "4096 512" "512 4096" "512 512"; do
	read -r hdd ssd <<<"$blocks"
	make_disks hdd_block_size="$hdd" ssd_block_size="$ssd"
	unit=$(((hdd > ssd ? hdd : ssd) / 512))
	make_ssdup policy all drain manual classes scratch
	if [ $unit = 8 ]; then
		refused 1004 996
		refused 1004 32
		refused 1000 31
		must message class scratch 1008 992
	else
		must message class scratch 1004 996
	fi
	io write start=1000 len=32 bs=32
	is "sectors of scratch" "$(awk '$1 == "scratch" { print $3 }' "$SYS/classes")" \
		$((unit == 8 ? 24 : 28))
	io mixed align=$unit max=200 nr=300 len=4096 seed=$unit
	remove_ssdup
	make_ssdup policy all drain manual classes scratch
	io verify
	all_home
	remove_ssdup
	rm "$MODEL"
done
