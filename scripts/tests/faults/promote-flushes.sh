#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A flush of the SSD fails, and it may have dropped what it had in its cache. Copies of what was
# read are never flushed. So none is read any more: by the log whose flush it was, and by another
# one, before that is told of it. After a reload they are made anew.
# invariant: 9
# cpus: 1
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

B=00000000-0000-4000-8000-0000000000bb
keys=(policy all drain manual autocommit_ms 3600000 clean 50 promote 1000T)

stat_b()
{
	cat "/sys/block/dm-$(dmsetup info -c --noheadings -o minor other)/ssdup/$1"
}

make_b()
{
	dmsetup create other --table \
		"0 $LEN ssdup $HDD_B $SSD $((2 + ${#keys[@]})) log $B ${keys[*]}" ||
		fail "no second device: $(dmesg | tail -n 3)"
}

# few - 16 small reads of the first device
few()
{
	io verify len=65536 bs=8 step=4096
}

few_b()
{
	must iocheck "$T/model-b" /dev/mapper/other verify len=65536 bs=8 step=4096
}

# few_b_from NR - few of the second device; so many of them are from copies
few_b_from()
{
	local before

	before=$(stat_b reads_promoted)
	few_b
	is "reads of copies, of the second device" $(($(stat_b reads_promoted) - before)) "$1"
}

# copied - both devices have copies of what they read
copied()
{
	for _ in 1 2; do
		few
		few_b
	done
	wait_until clean_map_bytes -eq $((88 * 16))
	until [ "$(stat_b clean_map_bytes)" = $((88 * 16)) ]; do
		nap 0.1
	done
	few_b_from 16
}

make_disks hdds=2 ssd_size_mb=258 hdd_cache_mb=4 ssd_cache_mb=4
HDD_B=/dev/mhdd1
# what is read lies on the HDDs
must io_on $HDD write len=65536 bs=256
must iocheck "$T/model-b" $HDD_B write len=65536 bs=256
make_ssdup max_mb 128 "${keys[@]}"
A=$(stat log_uuid)
must message log_add $B "$LEN" 1
make_b
copied

# --- the other log's flush: nobody has told this one, and its next one would succeed ---
io write start=100000 len=8
must iocheck "$T/model-b" /dev/mapper/other write start=100000 len=8
model $SSD fail_flush 1
must_get "Input/output error" iocheck "$MODEL" $DEV flush
model $SSD fail_flush 0
is "mode of the log whose flush failed" "$(stat mode)" 1
is "mode of the other one" "$(stat_b mode)" 0
is "clean sectors of the other one" "$(stat_b clean_sectors)" 128
few_b_from 0

# --- its own ---
wait_until clean_segments -eq 0
before=$(stat reads_promoted)
few
is "reads of copies" "$(stat reads_promoted)" "$before"

# --- when the other one is told, it forgets them ---
must_get "Input/output error" iocheck "$T/model-b" /dev/mapper/other flush
is "mode of the other one" "$(stat_b mode)" 1
until [ "$(stat_b clean_segments)" = 0 ]; do
	nap 0.1
done
few_b_from 0

# --- after a reload ---
must dmsetup remove --retry other
remove_ssdup
make_ssdup log "$A" "${keys[@]}"
make_b
copied
is "mode" "$(stat mode)" 0
is "mode of the other one" "$(stat_b mode)" 0
must dmsetup remove --retry other
remove_ssdup
