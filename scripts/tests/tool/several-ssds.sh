#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The tool reads logs on one SSD. Of each SSD of a log on several it says which one it is, and what it
# has; it changes none of them. A device on several SSDs is listed,
# looked at, tuned and drained like any other.
# invariant: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# content - what both SSDs hold
content()
{
	cat /dev/mssd0 /dev/mssd1 | md5sum
}

make_disks ssds=2
must_not ssdup create $NAME --hdd $HDD --ssd $SSD -o ssd=/dev/mssd1
[[ $(<"$T/stderr") == *"no device with several SSDs"* ]] || fail "create says: $(<"$T/stderr")"
make_ssdup policy all drain manual ssd /dev/mssd1
io write len=20000
commits
ssdup_exits 0 list
says "$NAME"
ssdup_exits 0 status $NAME
ssdup_exits 0 status --json $NAME
must message set max_wait_ms 100
remove_ssdup
before=$(content)

for number in 0 1; do
	disk=/dev/mssd$number
	ssdup_exits 4 check $disk
	says "SSD number $number of 2"
	ssdup_exits 4 repair $disk
	ssdup_exits 4 repair --scan $disk
	ssdup_exits 6 repair --copy 1 $disk
	ssdup_exits 4 export $HDD $disk
	ssdup_exits 5 create $NAME --hdd $HDD --ssd $disk
	ssdup_exits 0 probe $disk
	says "a log that cannot be used"
	ssdup_exits 0 probe --export $disk
	says "ID_FS_TYPE=ssdup"
	ssdup_exits 4 dump $disk
done
is "content" "$(content)" "$before"
make_ssdup policy all drain manual ssd /dev/mssd1
io verify
ssdup_exits 0 sync $NAME
all_home
