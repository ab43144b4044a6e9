#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# An SSD that is away for a moment, as one behind a network may be: writes go to the
# HDD or wait, pages are written again, a drain tries again, and the log goes on. A
# flush that fails is final, and so is an absence of more than a minute.
# invariant: 2 7
# seconds: 300
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0

eio="Input/output error"
options=(policy all drain manual autocommit_ms 3600000)

# two_pages START - of entries that are not durable; their data is on the SSD
two_pages()
{
	local all

	all=$(($(model mssd0 bytes_written) + 200 * 4096))
	io random start="$1" len=4096 nr=200
	# what has ended in memory goes there by itself
	until [ "$(model mssd0 bytes_written)" -ge $all ]; do
		nap 0.01
	done
}

# is_logged - the log takes writes, now or soon
is_logged()
{
	local before i

	before=$(stat writes_ssd)
	for ((i = 0; i < 1000; i++)); do
		io write start=60000 len=8 bs=8
		[ "$(stat writes_ssd)" = "$before" ] || return 0
		nap 0.1
	done
	fail "the log stays shut"
}

make_disks ssd_cache_mb=4 ssd_size_mb=35
make_ssdup "${options[@]}"
io write len=2048 bs=64 fsync=1
all="2048 $(($(blockdev --getsz $SSD) - 2048))"
for status in transport timeout resource; do
	model $SSD fail_status $status
	model $SSD fail_write "$all"
	direct=$(stat writes_hdd)
	# too long to end in memory
	io random start=16384 len=8192 bs=72 nr=50
	is "direct writes" "$(stat writes_hdd)" $((direct + 50))
	iocheck "$MODEL" $DEV write len=64 bs=8 &
	wait_until wait_cause -eq 5
	is "mode" "$(stat mode)" 0
	model $SSD fail_write clear
	must wait $!
	is_logged
	io verify
done

# who is suspended meanwhile finds it open as well
for segment in $(($(stat seals))) $(($(stat seals) + 1)); do
	model $SSD fail_write "$(log_sector 0 $segment) $(segment_data)"
done
io write start=50000 len=72 bs=72
must dmsetup suspend $NAME
model $SSD fail_write clear
must dmsetup resume $NAME
is_logged

# pages
two_pages 32768
model $SSD fail_write "$all"
errors=$(stat ssd_errors)
iocheck "$MODEL" $DEV flush &
wait_until ssd_errors -gt $((errors + 2))
is "mode" "$(stat mode)" 0
model $SSD fail_write clear
must wait $!
is "mode" "$(stat mode)" 0
reboot 1 "${options[@]}"
io recover

# reads of a drain: nothing is lost
model $SSD fail_read "$all"
must_get "$eio" message drain
is "mode" "$(stat mode)" 0
is "lost ranges" "$(message lost_ranges)" none
model $SSD fail_read clear
all_home

# a flush is not sent again: nobody knows what the SSD has dropped with it
two_pages 32768
model $SSD fail_flush 1
must_get "$eio" iocheck "$MODEL" $DEV flush
is "mode" "$(stat mode)" 1
model $SSD fail_flush 0
must_get "$eio" iocheck "$MODEL" $DEV flush
must_get "Read-only file system" message drain
remove_ssdup
make_ssdup "${options[@]}"
io recover
flush
remove_ssdup

# more than a minute, for pages and for what must go to the log
make_ssdup "${options[@]}"
two_pages 32768
io write len=64 bs=8
model $SSD fail_write "$all"
iocheck "$MODEL" $DEV flush 2>"$T/flush" &
write_fails "$eio" len=72 bs=72
is "mode" "$(stat mode)" 1
must_not wait $!
model $SSD fail_write clear
flush
remove_ssdup

# FUA may be a flush where another layer is between
DISK=$SSD SSD=/dev/mapper/other
must dmsetup create other --table "0 $(blockdev --getsz $DISK) linear $DISK 0"
make_ssdup "${options[@]}"
two_pages 32768
model $DISK fail_write "$all"
errors=$(stat ssd_errors)
must_get "$eio" iocheck "$MODEL" $DEV flush
is "tries" "$(($(stat ssd_errors) - errors))" 1
is "mode" "$(stat mode)" 1
model $DISK fail_write clear
flush
remove_ssdup
must dmsetup remove other
SSD=$DISK
