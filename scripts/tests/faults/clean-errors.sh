#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# No reader of clean data sees an error of the SSD: the HDD serves it. After 16 errors, or when the
# log takes no more writes, nothing is clean until a resume.
# invariant: 7 9
# layers: bare linear
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

keys=(policy all drain manual clean 90)

# fill - 4096 sectors are clean
fill()
{
	io write len=4096 bs=64
	flush
	is "clean sectors" "$(stat clean_sectors)" 4096
}

make_disks
make_ssdup "${keys[@]}"
fill

# a bad sector: once, and then the HDD has that part
model $SSD fail_read "$(log_sector 70) 1"
before=$(model $HDD reads)
io verify len=4096 bs=64
is "errors of the SSD" "$(stat ssd_errors)" 1
is "reads of the HDD" $(($(model $HDD reads) - before)) 1
is "clean sectors" "$(stat clean_sectors)" $((4096 - 64))
io verify len=4096 bs=64
io verify len=4096 bs=2048
is "errors" "$(stat ssd_errors)" 1
is "mode" "$(stat mode)" 0

# both disks fail it: then it is an error
model $HDD fail_read "200 1"
model $SSD fail_read "$(log_sector 200) 1"
must_not iocheck "$MODEL" $DEV verify start=192 len=64 bs=64
is "errors" "$(stat ssd_errors)" 2
heal
io verify len=4096 bs=64

# an SSD that has gone
message forget
fill
model $SSD gone 1
io verify len=4096 bs=64
above "errors" "$(stat ssd_errors)" 15
below "errors" "$(stat ssd_errors)" 25
must said "too many errors of the SSD with clean data: none is kept"
wait_until clean_segments -eq 0
is "clean sectors" "$(stat clean_sectors)" 0
is "mode" "$(stat mode)" 0
model $SSD gone 0
io verify len=4096 bs=8
io write len=4096 bs=64
flush
is "clean segments" "$(stat clean_segments)" 0
must dmsetup suspend $NAME
must dmsetup resume $NAME
fill

# many reads in flight when it goes
for depth in 1 2; do
	iocheck "$MODEL" $DEV watch len=4096 bs=8 seconds=100 seed=$depth >>"$T/reads" &
	readers+=($!)
done
wait_until reads_clean -gt 100
model $SSD gone 1
wait_until clean_segments -eq 0
# from now on they read from the HDD
before=$(stat reads_hdd)
wait_until reads_hdd -gt $((before + 1000))
for reader in "${readers[@]}"; do
	kill "$reader"
	must wait "$reader"
done
model $SSD gone 0
reload "${keys[@]}"
fill

# the SSD takes no more writes
model $SSD fail_write "0 $(blockdev --getsz $SSD)"
iocheck "$MODEL" $DEV write start=8192 len=64 bs=8 errors=1 fsync=1 2>/dev/null
wait_until mode -eq 1
wait_until clean_segments -eq 0
io verify len=4096 bs=64
message drain
is "clean segments" "$(stat clean_segments)" 0
heal
remove_ssdup
