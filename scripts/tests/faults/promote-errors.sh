#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# No error of the SSD reaches a reader whose data is copied, or was: the HDD has it. An error of the
# HDD does, and leaves nothing behind.
# invariant: 7 9
# layers: bare linear
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

keys=(policy none clean 50 promote 1000T)

# few - 16 small reads
few()
{
	io verify len=65536 bs=8 step=4096
}

# copy_all [MORE] - the SSD has what they read, and so many copies more that were cut
copy_all()
{
	few
	few
	wait_until clean_map_bytes -eq $((88 * (16 + ${1:-0})))
	is "clean sectors" "$(stat clean_sectors)" 128
}

make_disks ssd_size_mb=129
make_ssdup "${keys[@]}"
io write len=65536 bs=256
nap 0.2

# --- the HDD fails what is to be copied, more often than there are slots ---
few
model $HDD fail_read "0 65536"
for n in {0..47}; do
	must_not iocheck "$MODEL" $DEV verify start=$((4096 * (n % 16))) len=8 bs=8
done
is "clean sectors" "$(stat clean_sectors)" 0
is "copied" "$(stat promoted_sectors)" 0
model $HDD fail_read clear
copy_all

# --- the SSD fails a copy that is read: the HDD has it, and it is copied again ---
model $SSD fail_read "0 $(blockdev --getsz $SSD)"
io verify len=8 bs=8
is "errors" "$(stat ssd_errors)" 1
model $SSD fail_read clear
copy_all 1
few
is "errors" "$(stat ssd_errors)" 1

# --- it fails to take them: nothing is clean after 16 of them ---
must message forget
wait_until segments_free -eq "$(stat segments)"
model $SSD fail_write "0 $(blockdev --getsz $SSD)"
errors=$(stat ssd_errors)
few
wait_until clean_sectors -eq 0
# with the one before that
is "errors of the SSD" $(($(stat ssd_errors) - errors)) 15
must said "too many errors of the SSD with clean data: none is kept"
model $SSD fail_write clear
few
nap 0.2
is "clean sectors" "$(stat clean_sectors)" 0
is "mode" "$(stat mode)" 0
must dmsetup suspend $NAME
must dmsetup resume $NAME
copy_all

# --- a flush of the HDD fails: what it had in its cache may be gone, so nothing is clean ---
io write len=8 bs=8
model $HDD fail_flush 1
must_not dmsetup message $NAME 0 commit
wait_until clean_sectors -eq 0
wait_until clean_segments -eq 0
model $HDD fail_flush 0
copy_all

# --- the SSD is gone while they are made, and while they are read ---
must message forget
for n in 1 2; do
	errors=$(stat ssd_errors)
	model $SSD gone 1
	few
	few
	model $SSD gone 0
	above "errors" "$(stat ssd_errors)" "$errors"
	must dmsetup suspend $NAME
	must dmsetup resume $NAME
	copy_all
done
is "mode" "$(stat mode)" 0
remove_ssdup
