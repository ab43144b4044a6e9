#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A log says which host has it active, until a clean suspend. When that host goes down with it, no
# other one takes the log without being told to: not the kernel, and not the tool, which writes
# nothing then. A device that was suspended while another host used its log is not resumed.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

A=00000000-0000-4000-8000-00000000000a
B=00000000-0000-4000-8000-00000000000b

# this_machine ID NAME - we are on another one
this_machine()
{
	echo "$1" >/etc/machine-id
	echo "$2" >/proc/sys/kernel/hostname
}

# has_log TEXT - both copies of the record say so of the host
has_log()
{
	is "copies with '$1'" "$(ssdup dump $SSD superblock | grep -c "  host $1")" 2
}

# nobody_has_log - they name none
nobody_has_log()
{
	is "copies with a host" "$(ssdup dump $SSD superblock | grep -c "  host ")" 0
}

# goes_down - with the device active
goes_down()
{
	power_cut 1
	remove_ssdup
	power_on
}

echo node-a >/proc/sys/kernel/hostname
make_disks
make_ssdup host $A policy all drain manual
io write len=8192
has_log "$A, node-a"
dmsetup table $NAME | grep -q "host $A" || fail "the table has lost it"

# what is suspended is free for all
must dmsetup suspend $NAME
nobody_has_log
must dmsetup resume $NAME
has_log "$A, node-a"
remove_ssdup
nobody_has_log
make_ssdup host $B
has_log "$B, node-a"
remove_ssdup

# it goes down
make_ssdup host $A policy all drain manual
io write len=8192 start=8192
# a reload by hand need not say it again
reload policy all drain manual
has_log "$A, node-a"
io write len=8192 start=16384
commits
goes_down
echo node-b >/proc/sys/kernel/hostname
log_refused "ssd: log active on another host, or was when that went down: node-a; see override (fault 41)"
must_not dmsetup create $NAME --table "$(table host $B override hdd)"
must_not dmsetup create $NAME --readonly --table "$(table host $B)"
make_ssdup host $A policy all drain manual
io verify
commits
goes_down

# it is taken over
make_ssdup host $B override host policy all drain manual
has_log "$B, node-b"
io verify
io write len=8192 start=8192
commits
goes_down
must_not dmsetup create $NAME --table "$(table host $A)"
# by whom is nobody's business
make_ssdup override host
nobody_has_log
io verify
goes_down
make_ssdup host $A policy all drain manual
io verify
remove_ssdup

# any bytes in the name
printf 'node\033[2J' >/proc/sys/kernel/hostname
make_ssdup host $A policy all drain manual
goes_down
log_refused 'went down: node\e[2J; see'
ssdup dump $SSD superblock | grep -q "host $A, node?\[2J" || fail "not told: $A"

# --- The tool says it by itself ---

this_machine aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa node-a
ssdup_exits 4 create $NAME --hdd $HDD --ssd $SSD
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD --take-over -o policy=all,drain=manual
find_sys
io write len=8192
commits
goes_down
this_machine bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb node-b
must md5sum $HDD $SSD >"$T/before"
ssdup_exits 4 create $NAME --hdd $HDD --ssd $SSD
says "$SSD: holds a log that is active on node-a, or was when that went down"
export SSDUP_TAB=$T/tab
echo "$NAME $HDD $SSD policy=all,drain=manual" >"$SSDUP_TAB"
ssdup_exits 4 create --tab $NAME
says "active on node-a"
ssdup_exits 4 create --all
ssdup_exits 1 tab --check
says "the log on $SSD is active on node-a"
ssdup_exits 4 check $HDD $SSD
says "E541 host-other (refused)"
says "dm-ssdup refuses it: active on another host"
ssdup_exits 4 export $HDD $SSD --force --clear --discard-unsaved
says "the log is active on node-a"
ssdup_exits 4 repair $SSD --yes
says "the log is active on node-a"
ssdup_exits 4 format $HDD $SSD --force --discard-unsaved
says "active on node-a"
ssdup_exits 4 create $NAME --hdd $HDD --ssd $SSD --format --force --discard-unsaved
says "active on node-a"
! dmsetup info $NAME >"$T/out" 2>&1 || fail "a device was made"
must md5sum $HDD $SSD >"$T/after"
must diff "$T/before" "$T/after"
# the node that went down is back
this_machine aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa node-a
ssdup_exits 0 check $HDD $SSD
ssdup_exits 0 tab --check
this_machine bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb node-b
ssdup_exits 0 create --tab $NAME --take-over
find_sys
io verify
commits
goes_down
this_machine aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa node-a
truncate -s $((LEN * 512)) "$T/image"
ssdup_exits 4 export "$T/image" $SSD
ssdup_exits 0 export "$T/image" $SSD --take-over
rm "$T/image"
must dd if=/dev/zero of=$SSD bs=512 seek=$(($(home 1) + 1024)) count=8 oflag=direct \
	conv=notrunc status=none
ssdup_exits 4 repair $SSD --yes
ssdup_exits 0 repair $SSD --yes --take-over
# it is for the tool to say who may
ssdup_exits 4 create $NAME --hdd $HDD --ssd $SSD
ssdup_exits 0 export $HDD $SSD --clear --take-over
nobody_has_log
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD
ssdup_exits 0 remove $NAME
# a machine that does not say which it is
echo uninitialized >/etc/machine-id
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD
nobody_has_log
io verify
ssdup_exits 0 remove $NAME

# --- Suspended here, used elsewhere: the record is a later one ---

rm "$MODEL"
make_disks
make_ssdup host $A policy all drain manual
io write len=8192
must dmsetup suspend $NAME
must dd if=$SSD of="$T/then" bs=1M status=none iflag=direct
for i in 1 2 3 4; do
	must dmsetup resume $NAME
	must dmsetup suspend $NAME
done
must dd if=$SSD of="$T/record" bs=4096 skip=128 count=1 status=none iflag=direct
must dmsetup resume $NAME
remove_ssdup
must dd if="$T/then" of=$SSD bs=1M oflag=direct status=none
make_ssdup host $A policy all drain manual
must dmsetup suspend $NAME
for copy in 0 1; do
	must dd if="$T/record" of=$SSD bs=512 seek=$(($(home $copy) + 1024)) conv=notrunc \
		oflag=direct status=none
done
must_get "Device or resource busy" dmsetup resume $NAME
said "somebody has used the log since the suspend" || fail "the kernel does not say why"
must dmsetup remove $NAME
make_ssdup host $A policy all drain manual
io verify
remove_ssdup

# nor is one SSD two devices at once: neither would know what the other one does
LAYER=linear
make_disks
make_ssdup policy all drain manual
must_not dmsetup create other --table "0 $LEN ssdup /dev/mhdd0 /dev/mssd0"
said "the SSD is in use as another device" || fail "the kernel does not say why"
remove_ssdup
