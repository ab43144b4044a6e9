#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Every command of the page about a server with many HDDs, with three of them and two SSDs. One HDD
# dies under load, and the devices beside it go on.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks hdds=3 ssds=2 ssd_size_mb=130
mkdir -p /dev/disk/by-id
for i in 1 2 3; do
	ln -s "/dev/mhdd$((i - 1))" "/dev/disk/by-id/wwn-HDD$i"
	echo "naa.5000c5000000000$i" >"/sys/block/mhdd$((i - 1))/wwid"
done
for i in 1 2; do
	ln -s "/dev/mssd$((i - 1))" "/dev/disk/by-id/nvme-SSD$i"
done

# io_n NUMBER ARG... - io, to device hddNUMBER
io_n()
{
	iocheck "$T/model-$1" "/dev/mapper/hdd$1" "${@:2}" || fail "io to hdd$1: ${*:2}"
}

# load WORK - each device for a while
load()
{
	local i

	for i in 1 2 3; do
		io_n "$i" "$@"
	done
}

page_blocks server.rst
# shellcheck disable=SC2154,SC2086 # they come with the page
set -- $blocks
[ $# = 7 ] || fail "$# blocks of commands"
# names; both SSDs for all
run_block "$1"
run_block "$2"
load write len=4096
ssdup_exits 0 tab --check
for i in 1 2 3; do
	ssdup_exits 0 remove hdd$i
	ssdup_exits 0 create --tab hdd$i
done
load verify
for i in 1 2 3; do
	ssdup_exits 0 detach hdd$i
	must dmsetup remove hdd$i
done
rm /etc/ssduptab
shift
# devices, ssduptab
for block in "$2" "$3"; do
	run_block "$block"
done
load write len=4096
load verify
ssdup_exits 0 tab --check

# the server starts anew
for i in 1 2 3; do
	ssdup_exits 0 remove hdd$i
done
ssdup_exits 0 create -a
load verify

# an HDD dies; the others neither fail nor lose
model /dev/mhdd2 fail_write "0 $LEN"
model /dev/mhdd2 fail_read "0 $LEN"
must dmsetup message hdd3 0 set policy none
! dd if=/dev/urandom of=/dev/mapper/hdd3 bs=1M count=1 seek=40 oflag=direct 2>"$T/dd" ||
	fail "a dead HDD takes writes"
io_n 1 write len=8192 start=20000
io_n 2 write len=8192 start=20000
must dmsetup message hdd1 0 drain
io_n 1 verify
io_n 2 verify
model /dev/mhdd2 fail_write clear
model /dev/mhdd2 fail_read clear
must dd if=/dev/zero of=/dev/mhdd2 bs=1M oflag=direct count=$((LEN / 2048)) status=none
echo naa.5000c50000000004 >/sys/block/mhdd2/wwid
run_block "$4"
rm "$T/model-3"
io_n 3 write len=4096
load verify

# another SSD
run_block "$5"
load verify
run_block "$6"
load verify
ssdup_exits 0 tab --check
ssdup_exits 0 pool list
