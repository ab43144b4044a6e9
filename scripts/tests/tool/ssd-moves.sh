#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A pool gets an SSD, and gives one up, while two devices write to it and verify what they read. At
# each step a reload by what the superblock says finds all of it. What an SSD had is where it was.
# invariant: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

HDD_B=/dev/mhdd1
SSD_B=/dev/mssd1
SSD_C=/dev/mssd2
SET=-opolicy=all

# left NUMBER - sectors that the first device has on an SSD
left()
{
	dmsetup message $NAME 0 ssd_left "$1"
}

# load - both devices are written to and read back all the time
load()
{
	rm -f "$T/stop"
	for one in "$NAME:$T/model" "other:$T/model-b"; do
		while [ ! -e "$T/stop" ]; do
			iocheck "${one#*:}" "/dev/mapper/${one%%:*}" write len=4000 && continue
			touch "$T/load-failed"
			break
		done &
	done
}

stop_load()
{
	touch "$T/stop"
	wait
	[ ! -e "$T/load-failed" ] || fail "a write or a read failed"
}

verify()
{
	io verify
	must iocheck "$T/model-b" /dev/mapper/other verify
}

# again SSD - both devices are made anew, by what the superblock says
again()
{
	ssdup_exits 0 remove $NAME
	ssdup_exits 0 remove other
	ssdup_exits 0 check $HDD "$1" --log 0
	ssdup_exits 0 check $HDD_B "$1" --log 1
	ssdup_exits 0 dump "$1" --log 1
	says "incompat 0x7"
	says "classes on "
	ssdup_exits 0 create $NAME --hdd $HDD --ssd "$1" $SET
	ssdup_exits 0 create other --hdd $HDD_B --ssd "$1" $SET
	find_sys
	verify
}

make_disks ssd_discard=0 hdds=2 ssds=3 ssd_size_mb=40
for disk in $HDD:aaaaaaaa $HDD_B:bbbbbbbb; do
	echo "naa.5000c500${disk#*:}" >"/sys/block/$(basename "${disk%:*}")/wwid"
done
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD $SET
ssdup_exits 0 create other --hdd $HDD_B --ssd $SSD --add $SET
find_sys
io write len=20000
must iocheck "$T/model-b" /dev/mapper/other write len=20000

# what cannot be one, and what cannot go
ssdup_exits 4 pool add $SSD $HDD_B
ssdup_exits 4 pool add $SSD $SSD
ssdup_exits 3 pool remove $SSD $SSD_B
must_not dmsetup message $NAME 0 ssd_state 0 leaves
must_not dmsetup message $NAME 0 ssd_state 1 used
must_not dmsetup message $NAME 0 ssd_add 2 11111111-1111-1111-1111-111111111111 16
must_not dmsetup message $NAME 0 ssd_add 1 11111111-1111-1111-1111-111111111111 1

# one more, for a log that holds something, under load
load
ssdup_exits 0 pool add $SSD $SSD_B
says "is SSD 1 now"
is "SSDs" "$(<"$SYS/ssd_dev")" "$(lsblk -dno MAJ:MIN $SSD | tr -d ' ') $(lsblk -dno MAJ:MIN $SSD_B | tr -d ' ')"
for ((i = 0; i < 1200 && $(left 1) < 1000; i++)); do
	nap 0.05
done
above "what is on the new one" "$(left 1)" 999
stop_load
verify
again $SSD_B

# the first one goes
load
ssdup_exits 0 pool remove $SSD_B $SSD
says "written back in"
is "SSDs" "$(<"$SYS/ssd_dev")" "- $(lsblk -dno MAJ:MIN $SSD_B | tr -d ' ')"
is "left" "$(left 0)" 0
ssdup_exits 3 probe $SSD
stop_load
verify
again $SSD_B

# another one takes its place, and the other one goes
load
ssdup_exits 0 pool replace $SSD_B $SSD_B $SSD_C
stop_load
verify
again $SSD_C

# one that was there before comes back, and stays although it was to leave
load
ssdup_exits 0 pool add $SSD_C $SSD
must dmsetup message $NAME 0 ssd_state 0 leaves
ssdup_exits 0 pool status $SSD
says "SSD 0: $SSD_C, leaves"
ssdup_exits 0 pool add $SSD_C $SSD_C
stop_load
verify

# one that leaves is drained whatever is paused, and gets no new data
must dmsetup message $NAME 0 drain pause
must dmsetup message $NAME 0 ssd_state 0 leaves
for ((i = 0; i < 1200 && $(left 0) > 0; i++)); do
	nap 0.05
done
io write start=60000 len=8000
is "what is on the SSD that leaves" "$(left 0)" 0
above "what is on the other one" "$(left 1)" 7999
io verify
must dmsetup message $NAME 0 ssd_state 0 used
must dmsetup message $NAME 0 drain start
again $SSD

# a second one, while a log that is not active holds data of before the first one came
ssdup_exits 0 remove other
ssdup_exits 0 remove $NAME
make_disks ssd_discard=0 hdds=2 ssds=3 ssd_size_mb=40
for disk in $HDD:aaaaaaaa $HDD_B:bbbbbbbb; do
	echo "naa.5000c500${disk#*:}" >"/sys/block/$(basename "${disk%:*}")/wwid"
done
rm "$MODEL" "$T/model-b"
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD $SET,drain=manual
ssdup_exits 0 create other --hdd $HDD_B --ssd $SSD --add $SET,drain=manual
find_sys
io write len=4000
must iocheck "$T/model-b" /dev/mapper/other write len=4000
ssdup_exits 0 pool add $SSD $SSD_B
io write start=4000 len=4000
must iocheck "$T/model-b" /dev/mapper/other write start=4000 len=4000
must_not dmsetup message $NAME 0 ssd_add 2 11111111-1111-1111-1111-111111111111 16
ssdup_exits 0 remove other
ssdup_exits 4 pool add $SSD $SSD_C
says "a log without a device holds data"
must_not dmsetup message $NAME 0 ssd_add 2 11111111-1111-1111-1111-111111111111 16
ssdup_exits 0 create other --hdd $HDD_B --ssd $SSD $SET,drain=manual
ssdup_exits 0 pool add $SSD $SSD_C
is "SSDs" "$(wc -w <"$SYS/ssd_dev")" 3
io write start=8000 len=4000
must iocheck "$T/model-b" /dev/mapper/other write start=8000 len=4000
again $SSD_C
# the number of one that a table names is not another one's
must dmsetup message $NAME 0 ssd_state 1 leaves
for ((i = 0; i < 200; i++)); do
	! dmsetup message $NAME 0 ssd_state 1 unused 2>/dev/null || break
	nap 0.05
done
must_not dmsetup message $NAME 0 ssd_add 1 11111111-1111-1111-1111-111111111111 76
ssdup_exits 0 pool remove $SSD $SSD_B
is "SSDs" "$(<"$SYS/ssd_dev")" "$(lsblk -dno MAJ:MIN $SSD | tr -d ' ') - $(lsblk -dno MAJ:MIN $SSD_C | tr -d ' ')"
ssdup_exits 3 probe $SSD_B
verify
ssdup_exits 0 sync $NAME
ssdup_exits 0 sync other
verify
ssdup_exits 0 detach other
ssdup_exits 0 detach $NAME
