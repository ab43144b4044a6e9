#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# An SSD of ssduptab that was replaced or erased: no boot makes a new log there, for the HDD lacks
# what the old one held. Nothing is written to either disk until somebody says so.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks
export SSDUP_TAB=$T/tab
echo "$NAME $HDD $SSD policy=all,drain=manual" >"$SSDUP_TAB"
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD -opolicy=all,drain=manual
io write len=2048
ssdup_exits 0 remove $NAME
must dd if=$SSD of="$T/log" bs=1M iflag=direct status=none

must dd if=/dev/zero of=$SSD bs=1M count=17 oflag=direct conv=notrunc,fsync status=none
md5sum $HDD $SSD >"$T/before"
for how in "-a" "--tab $NAME" "$NAME"; do
	# shellcheck disable=SC2086
	ssdup_exits 4 create $how
	says "$HDD: is the HDD of log"
	! dmsetup info $NAME >/dev/null 2>&1 || fail "a device was made by $how"
	md5sum -c --quiet "$T/before" || fail "something was written by $how"
done

# it comes back
must dd if="$T/log" of=$SSD bs=1M oflag=direct conv=notrunc,fsync status=none
ssdup_exits 0 create -a
find_sys
io verify
flush
ssdup_exits 0 remove $NAME

# it is replaced, and the HDD lacks nothing
must dd if=/dev/zero of=$SSD bs=1M count=17 oflag=direct conv=notrunc,fsync status=none
ssdup_exits 4 create -a
says "$SSD: holds no log, and a line of $T/tab makes none"
says "ssdup format $HDD $SSD"
ssdup_exits 0 format $HDD $SSD
ssdup_exits 0 create -a
find_sys
io verify
