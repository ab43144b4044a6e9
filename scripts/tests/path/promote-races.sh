#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A copy of what was read is under way to the SSD while its sectors are written, or while all that
# is clean is forgotten; or a direct write to them was under way before. Then it is not read.
# invariant: 4 9
# cpus: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# late READ WRITE - those of the disk below "other" take so many ms more, or until this comes again
late()
{
	must dmsetup reload other --table \
		"0 $(blockdev --getsz "$DISK") delay $DISK 0 $1 $DISK 0 $2"
	must dmsetup suspend other
	must dmsetup resume other
}

# put_other DISK - "other" lies over it
put_other()
{
	DISK=$1
	must modprobe dm-delay
	must dmsetup create other --table \
		"0 $(blockdev --getsz "$DISK") delay $DISK 0 0 $DISK 0 0"
}

# known - the places are read from the HDD, and are known from then on
known()
{
	io verify len=2048 bs=8 step=128
	nap 0.2
}

# under_way START - what is read there has been copied, and the SSD does not have it yet
under_way()
{
	open_one
	late 0 60000
	copied=$(stat promoted_sectors)
	held=$(stat clean_sectors)
	io verify start="$1" len=8 bs=8
	is "sectors held" $(($(stat clean_sectors) - held)) 8
}

# open_one - there is a segment for copies, with one in it
open_one()
{
	[ "$(stat clean_segments)" = 0 ] || return 0
	io verify start=1024 len=8 bs=8
	wait_until clean_map_bytes -eq 88
}

# settled - it has it, but of that nothing is clean
settled()
{
	wait_until promoted_sectors -eq $((copied + 8))
	late 0 0
	wait_until clean_sectors -eq "$held"
}

# reading START - the HDD is being read there, for a copy
reading()
{
	late 60000 0
	dd if=$DEV of=/dev/null bs=4096 count=1 skip=$(($1 / 8)) iflag=direct status=none &
	reader=$!
	wait_until clean_sectors -eq 8
}

make_disks ssd_size_mb=129 hdd_discard=1
put_other "$SSD"
SSD=/dev/mapper/other
make_ssdup policy none clean 50 promote 1000T
io write len=2048 bs=8
known

# --- it is what it should be when nobody interferes ---
open_one
before=$(stat reads_promoted)
io verify start=1024 len=8 bs=8
is "reads of copies" $(($(stat reads_promoted) - before)) 1

# --- written meanwhile: all of it, its end, its middle; by a discard ---
under_way 0
io write start=0 len=8 bs=8
settled
io verify start=0 len=8 bs=8

under_way 128
io write start=134 len=2 bs=2
settled
io verify start=128 len=8 bs=8

under_way 256
io write start=259 len=1 bs=1
settled
io verify start=256 len=8 bs=8

under_way 384
io discard start=384 len=8
settled
io verify start=384 len=8 bs=8

# --- all that is clean is forgotten meanwhile, and the HDD is written by itself ---
must message forget
segments=$(stat segments)
wait_until segments_free -eq "$segments"
under_way 640
must message forget
# it is not opened before the copy is there
is "free segments" "$(stat segments_free)" $((segments - 1))
io_on $HDD write start=640 len=8 bs=8
late 0 0
wait_until segments_free -eq "$segments"
is "clean sectors" "$(stat clean_sectors)" 0
io verify start=640 len=8 bs=8

# --- its segment is, because the key changes ---
under_way 896
knob promote 0
knob clean_percent 0
wait_until clean_segments -eq 0
late 0 0
wait_until segments_free -eq "$segments"
is "clean sectors" "$(stat clean_sectors)" 0
remove_ssdup
SSD=$DISK
must dmsetup remove other

# --- a direct write was under way ---
put_other "$HDD"
HDD=/dev/mapper/other
make_ssdup policy none drain manual clean 50 promote 1000T
known
late 0 60000
writes=$(stat writes_hdd)
iocheck "$MODEL.w" $DEV write start=768 len=8 bs=8 &
writer=$!
wait_until writes_hdd -eq $((writes + 1))
reads=$(stat reads_hdd)
for _ in 1 2 3; do
	must dd if=$DEV of=/dev/null bs=4096 count=1 skip=96 iflag=direct status=none
done
is "reads of the HDD" $(($(stat reads_hdd) - reads)) 3
is "sectors held" "$(stat clean_sectors)" 0
kill -0 $writer || fail "the write was not under way any more"
late 0 0
must wait $writer
must iocheck "$MODEL.w" $DEV verify start=768 len=8 bs=8
wait_until clean_map_bytes -eq 88
before=$(stat reads_promoted)
must iocheck "$MODEL.w" $DEV verify start=768 len=8 bs=8
is "reads of copies" $(($(stat reads_promoted) - before)) 1

# --- all that is clean is forgotten while the HDD is read for a copy ---
must message forget
reading 1024
must message forget
late 0 0
must wait $reader
wait_until clean_sectors -eq 0
is "clean segments" "$(stat clean_segments)" 0

# --- a write to the log meanwhile ---
reading 1152
knob policy all
must iocheck "$MODEL.w" $DEV write start=1152 len=8 bs=8
late 0 0
must wait $reader
wait_until clean_sectors -eq 0
must iocheck "$MODEL.w" $DEV verify start=1152 len=8 bs=8
flush
must iocheck "$MODEL.w" $DEV verify start=1152 len=8 bs=8
remove_ssdup
