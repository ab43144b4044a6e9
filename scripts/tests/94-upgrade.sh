#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A log of format 1, as an earlier version has left it: module and tool refuse it by name, and
# an upgrade brings all of it to the HDD. Then the module uses the SSD, under the same UUID.
# invariant: none
# programs: xz
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

uuid=f4c9c730-827d-4684-aaed-42ec15fe5b6d
# of the HDD when all is on it, as the version that wrote the log read it
sum=d955a65b11fabb03ae32256fa8edc413bf8cc1a8e72ee7df550a54768964a96e

# the_old_log - on the SSD, and nothing on the HDD
the_old_log()
{
	grep -v '^#' /ssdup/scripts/tests/format-1-log | base64 -d | xz -d >"$T/ssd" ||
		fail "the image cannot be unpacked"
	must dd if="$T/ssd" of=$SSD bs=1M oflag=direct conv=fsync status=none
	must dd if=/dev/zero of=$HDD bs=1M count=16 oflag=direct conv=fsync status=none
}

# refuses COMMAND... - with the way out, and nothing is written
refuses()
{
	local before

	before=$(model $SSD bytes_written)
	ssdup_exits 4 "$@"
	grep -q "ssdup upgrade" "$T/out" || { cat "$T/out" >&2; fail "no word of upgrade"; }
	is "bytes written to the SSD" "$(model $SSD bytes_written)" "$before"
}

hdd_sum()
{
	dd if=$HDD bs=1M iflag=direct status=none | sha256sum | cut -d ' ' -f 1
}

make_disks hdd_size_mb=16 ssd_size_mb=9
the_old_log
must_not dmsetup create $NAME --table "$(table policy all)"
said "of format 1" || fail "the kernel said: $(tail -n 1 "$T/said")"
refuses check $SSD
refuses dump $SSD
refuses repair $SSD --yes
refuses export $HDD $SSD
refuses format $HDD $SSD
refuses create $NAME --hdd $HDD --ssd $SSD
ssdup_exits 0 probe --export $SSD
grep -qx "ID_FS_UUID=$uuid" "$T/out" || fail "the probe says: $(cat "$T/out")"
echo "$NAME $HDD $SSD" >"$T/tab"
SSDUP_TAB=$T/tab ssdup_exits 1 tab --check
grep -q "ssdup upgrade" "$T/out" || fail "the check of the tab says: $(cat "$T/out")"

# not while a device uses one of them, and not without being asked to
must dmsetup create other --table "0 $LEN linear $HDD 0"
ssdup_exits 4 upgrade $HDD $SSD --yes
must dmsetup remove other
ssdup_exits 4 upgrade $HDD $SSD
ssdup_exits 4 upgrade $SSD $SSD --yes

# an SSD that cannot be read in the middle of the data: the log stays
model $SSD fail_read "14284 8"
ssdup_exits 6 upgrade $HDD $SSD --yes
grep -q "the log has not changed" "$T/out" || fail "an unreadable SSD: $(cat "$T/out")"
model $SSD fail_read clear
model $HDD fail_flush 1
ssdup_exits 1 upgrade $HDD $SSD --yes
model $HDD fail_flush 0
ssdup_exits 0 upgrade $HDD "UUID=$uuid" --yes
is "the HDD" "$(hdd_sum)" $sum
ssdup_exits 0 check $HDD $SSD --full
ssdup_exits 0 upgrade $HDD $SSD

make_ssdup policy all drain manual
is "UUID" "$(stat log_uuid)" $uuid
is "extents" "$(stat extents)" 0
is "what is read" "$(dd if=$DEV bs=1M iflag=direct status=none | sha256sum | cut -d ' ' -f 1)" $sum
io write len=1024 bs=64
flush
remove_ssdup
ssdup_exits 0 check $HDD $SSD --full
