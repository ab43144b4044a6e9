#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What the SSD cannot read is not written: the HDD keeps the older data that it has there,
# while all around it is written back. A large stretch takes the drain several tries.
# invariant: 7
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0

# hdd_has FILE - what stands on the HDD now, past the page cache
hdd_has()
{
	must dd if=$HDD of="$1" bs=1M count=8 iflag=direct status=none
}

# stays_old SECTOR SECTORS - on the HDD
stays_old()
{
	hdd_has "$T/now"
	must cmp -n $(($2 * 512)) "$T/old" "$T/now" $(($1 * 512)) $(($1 * 512))
}

# older - data on the HDD, with the log empty; a segment has room for all that is written to it: 8 MiB,
# as on an SSD of 8 GiB
older()
{
	make_ssdup policy none drain manual
	io write len=16384 bs=64
	hdd_has "$T/old"
	knob policy all
}

make_disks ssd_size_mb=8194
older
io write start=80 len=80 bs=16
io write start=4096 len=8192 bs=64
io write start=12288 len=64 bs=64
model $SSD fail_read "$(log_sector 24) 1"
model $SSD fail_read "$(log_sector 80) 8192"
for ((try = 0; try < 20; try++)); do
	must_not message drain
	[ "$(stat dirty_sectors)" != 8200 ] || break
done
is "dirty sectors" "$(stat dirty_sectors)" 8200
is "blocks that are lost" "$(stat lost_extents)" 1025
must said "a drain failed (-5)"
is "mode" "$(stat mode)" 0
stays_old 104 8
stays_old 4096 8192
model $SSD fail_read clear
io fails start=104 len=8 bs=8
io fails start=4096 len=8192 bs=8
for part in "0 104" "112 3984" "12288 4096"; do
	read -r start len <<<"$part"
	io verify start="$start" len="$len"
	io_on $HDD verify start="$start" len="$len"
done
io write start=104 len=8
io write start=4096 len=8192 bs=64
all_home
remove_ssdup

# in a log that is read-only it is not lost yet, and stays there
make_disks ssd_size_mb=8194
rm "$MODEL"
older
io write start=80 len=80 bs=16
model $SSD fail_read "$(log_sector 24) 1"
model $SSD fail_write "0 $(blockdev --getsz $SSD)"
io random start=8000 len=8192 nr=20
is "mode" "$(stat mode)" 1
must_not message drain
stays_old 104 8
io_on $HDD verify len=104
io_on $HDD verify start=112 len=16272
model $SSD fail_read clear
must_not message drain
io_on $HDD verify len=16384
