#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# create says which line of ssduptab makes the device at boot, with names that last, and --save adds
# it, once. The doctor tells of devices without a line.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks
export SSDUP_TAB=$T/tab
rm -rf /dev/disk
mkdir -p /dev/disk/by-id
ln -sf $HDD "/dev/disk/by-id/ata-disk one"
printf '# no end' >"$SSDUP_TAB"

ssdup_exits 2 create $NAME --save
says "--save goes with --hdd and --ssd"
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD -opolicy=all,drain=manual
find_sys
uuid=$(stat log_uuid)
line="$NAME /dev/disk/by-id/ata-disk\\040one UUID=$uuid policy=all,drain=manual"
says "not made at boot without a line in $SSDUP_TAB (--save adds it): $line"
is "the file" "$(<"$SSDUP_TAB")" "# no end"
ssdup doctor >"$T/out" || :
says "$NAME: no line in $SSDUP_TAB"
ssdup_exits 0 remove $NAME

ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD -opolicy=all,drain=manual --save
says "now has the line"
is "the file" "$(<"$SSDUP_TAB")" "# no end
$line"
ssdup doctor >"$T/out" || :
says "$NAME: has a line in $SSDUP_TAB"
io write len=64
ssdup_exits 0 remove $NAME
# a name that is given and lasts stays
ssdup_exits 0 create $NAME --hdd "/dev/disk/by-id/ata-disk one" --ssd "UUID=$uuid" --save
says "has a line of that name already"
ssdup_exits 0 remove $NAME
ssdup_exits 0 create -a
io verify
is "lines" "$(wc -l <"$SSDUP_TAB")" 2
rm -r /dev/disk
