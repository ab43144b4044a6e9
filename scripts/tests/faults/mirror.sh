#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# An SSD has a mirror. Either of the two may fail, as a whole, by flushes or by metadata: the device
# goes on, nothing is lost, and the one that failed is never taken for the other. One that ran alone
# by a word of the table is not mixed with the other one. Both fail: as with an SSD without a mirror.
# invariant: 2 7 10
# kernels: 6.12 6.1 debug
# seconds: 300
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

eio="Input/output error"
OTHER=/dev/mssd1
KEYS="policy all drain manual autocommit_ms 3600000"

# make MAIN OTHER - a device of these two
make()
{
	SSD=$1
	# shellcheck disable=SC2086
	make_ssdup $KEYS mirror "$2"
}

# refused WORDS MAIN OTHER - no device is made of these two, and nothing is written
refused()
{
	local before

	before=$(model mssd0 bytes_written; model mssd1 bytes_written)
	SSD=$2
	# shellcheck disable=SC2086
	must_not dmsetup create $NAME --table "$(table $KEYS mirror "$3")"
	said "$1" || fail "the kernel does not say: $1"
	is "bytes written" "$(model mssd0 bytes_written; model mssd1 bytes_written)" "$before"
}

# content of both is the same, but for the block that says which is which
same()
{
	local i

	for i in 0 1; do
		dd if=/dev/mssd$i of="$T/mssd$i" bs=1M status=none
		dd if=/dev/zero of="$T/mssd$i" bs=4096 seek=1 count=1 conv=notrunc status=none
		dd if=/dev/zero of="$T/mssd$i" bs=4096 seek=$(($(home 1) / 8 + 1)) count=1 \
			conv=notrunc status=none
	done
	must cmp "$T/mssd0" "$T/mssd1"
}

for main in 0 1; do
	main=/dev/mssd$main
	other=$([ $main = /dev/mssd0 ] && echo $OTHER || echo /dev/mssd0)
	for dies in mssd0 mssd1; do
		# as a whole: what was written before, and after
		make_disks ssd_discard=0 ssds=2 ssd_size_mb=34
		rm -f "$MODEL"
		make $main "$other"
		is "mirrors out" "$(stat mirrors_out)" 0
		dmsetup table $NAME | grep -q " mirror " || fail "the table does not name it"
		io write len=8192 bs=64
		message commit
		io random nr=50 bs=8
		model $dies gone 1
		io verify
		io random start=20000 len=8000 nr=50 bs=8
		message commit
		is "mirrors out" "$(stat mirrors_out)" 1
		is "mode" "$(stat mode)$(stat ssds_out)" 00
		said "one of two that hold the same is out" || fail "the kernel does not say so"
		io write start=40000 len=4096 bs=32 fsync=1
		io verify
		remove_ssdup
		# it is back, and is not used
		model $dies gone 0
		make $main "$other"
		is "mirrors out" "$(stat mirrors_out)" 1
		io verify
		message drain
		io_on $HDD verify
		io write start=60000 len=4096 bs=32 fsync=1
		remove_ssdup
		# nor is it alone, by mistake: it does not know
		make "$([ $dies = mssd0 ] && echo $OTHER || echo /dev/mssd0)" -
		io verify
		remove_ssdup
	done
done

# one of the two by flushes, by a record, or by writes of data; then the other one, too
for how in flush record data; do
	make_disks ssd_discard=0 ssds=2 ssd_size_mb=34 ssd_cache_mb=4
	rm -f "$MODEL"
	make /dev/mssd0 $OTHER
	io write len=4096 bs=64 fsync=8
	io random start=8000 len=4000 nr=20 bs=8
	case $how in
	flush) model mssd0 fail_flush 1 ;;
	record) model mssd0 fail_write "0 2048" && message drain ;;
	data) model mssd0 fail_write "0 $(blockdev --getsz /dev/mssd0)" ;;
	esac
	io write start=16000 len=2048 bs=64
	message commit
	is "$how: mirrors out" "$(stat mirrors_out)" 1
	is "$how: mode" "$(stat mode)" 0
	io verify
	# what was in the cache of the one that is left is in doubt when its flush fails
	message commit
	model mssd1 fail_flush 1
	write_fails "$eio" start=30000 len=64 fsync=1
	is "$how: mode" "$(stat mode)" 1
	for i in 0 1; do
		model mssd$i fail_flush 0
		model mssd$i fail_write clear
	done
	remove_ssdup
	make $OTHER /dev/mssd0
	is "$how: mirrors out" "$(stat mirrors_out)" 1
	io verify
	remove_ssdup
done

# a sector that one of them cannot read
make_disks ssd_discard=0 ssds=2 ssd_size_mb=34
rm -f "$MODEL"
make /dev/mssd0 $OTHER
io write len=4096 bs=64
message commit
# 256 KiB of data, which it lacks
bad=$(($(log_sector 0 0) + 1024))
must dd if=/dev/urandom of=/dev/mssd0 bs=512 seek=$bad count=512 oflag=direct conv=notrunc status=none
model mssd0 fail_read "$bad 512"
io verify
model mssd0 fail_read clear
for i in 0 1; do
	must dd if=/dev/mssd$i of="$T/part$i" bs=512 skip=$bad count=512 iflag=direct status=none
done
must cmp "$T/part0" "$T/part1"
is "mode" "$(stat mode)$(stat mirrors_out)" 00
# neither of them can: that is an error, and nothing is made of it
model mssd0 fail_read "$bad 512"
model mssd1 fail_read "$bad 512"
reads=0
for ((at = 0; at < 4096; at += 64)); do
	dd if=$DEV of=/dev/null bs=32k skip=$((at / 64)) count=1 iflag=direct status=none 2>"$T/err" ||
		reads=$((reads + 1))
done
is "reads that fail" $reads 8
model mssd1 fail_read clear
io verify
# pages, too, and it cannot be written there
model mssd0 fail_read "$(log_sector 0 0) 2048"
model mssd0 fail_write "$bad 512"
io verify
model mssd0 fail_write clear
message drain
io_on $HDD verify
is "mode" "$(stat mode)$(stat mirrors_out)" 00
remove_ssdup
# and when the log is read
make /dev/mssd0 $OTHER
io verify
remove_ssdup

# what is no pair; a new one needs both
make_disks ssd_discard=0 ssds=2 ssd_size_mb=34
rm -f "$MODEL"
refused "a new log needs both" /dev/mssd0 -
# shellcheck disable=SC2086
must_not dmsetup create $NAME --table "$(table $KEYS mirror /dev/mssd0)"
make /dev/mssd0 $OTHER
io write len=4096 bs=64
remove_ssdup
same
# shellcheck disable=SC2086
must_not dmsetup create $NAME --table "$(table $KEYS)"
said "a mirror and the table names none" || fail "without its mirror: $(<"$T/said")"
ssdup_exits 0 check $HDD /dev/mssd0
ssdup_exits 4 repair $OTHER --yes
# by a word, one alone; the other one is out then
make $OTHER -
is "mirrors out" "$(stat mirrors_out)" 1
io write start=8000 len=2048 bs=64
remove_ssdup
make /dev/mssd0 $OTHER
io verify
remove_ssdup
# by mistake, each of them
make /dev/mssd0 -
remove_ssdup
refused "ran apart" /dev/mssd0 $OTHER
refused "ran apart" $OTHER /dev/mssd0
# a blank one takes no place
make $OTHER -
message drain
remove_ssdup
make_disks ssd_discard=0 ssds=2 ssd_size_mb=34
rm -f "$MODEL"
make /dev/mssd0 $OTHER
io write len=4096 bs=64
remove_ssdup
must dd if=/dev/zero of=/dev/mssd1 bs=1M count=34 conv=fsync status=none
refused "one of the two SSDs is blank" /dev/mssd0 $OTHER
make /dev/mssd0 -
remove_ssdup
make /dev/mssd0 $OTHER
is "mirrors out" "$(stat mirrors_out)" 1
io verify
remove_ssdup

# two devices use them, in either order: who is out is so for both, and for the next table of each
make_disks ssd_discard=0 hdds=2 ssds=2 ssd_size_mb=66
rm -f "$MODEL"
B=00000000-0000-4000-8000-0000000000bb
SSD=/dev/mssd0
# shellcheck disable=SC2086
make_ssdup $KEYS max_mb 24 mirror $OTHER
A=$(stat log_uuid)
must message log_add $B "$LEN" 1
must dmsetup create other --table "0 $LEN ssdup /dev/mhdd1 $OTHER 12 log $B policy all drain manual \
	autocommit_ms 3600000 guard 1 mirror /dev/mssd0"
io write len=4096 bs=64
iocheck "$T/b" /dev/mapper/other write len=4096 bs=64 || fail "a write to the other one"
message commit
must_not dmsetup create third --table "0 $LEN ssdup /dev/mhdd1 $OTHER 4 log $B mirror -"
model mssd0 gone 1
iocheck "$T/b" /dev/mapper/other write start=8000 len=800 bs=8 fsync=1 || fail "the other one fails"
is "mirrors out" "$(stat mirrors_out)" 1
io write start=8000 len=800 bs=8 fsync=1
io verify
iocheck "$T/b" /dev/mapper/other verify || fail "the other one has not got it"
SSD=$OTHER
# shellcheck disable=SC2086
reload $KEYS max_mb 24 log "$A" mirror -
io verify
must dmsetup remove --retry other
message drain
io_on $HDD verify
is "mode" "$(stat mode)$(stat ssds_out)" 00
