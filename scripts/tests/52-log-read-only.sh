#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The SSD takes no more writes: everything that can be is brought home, also of
# younger halves and of the open one, what cannot go home stays readable and
# holds up nothing, and when all is home one record empties the log.
# seconds: 300
# layers: bare linear
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

eio="Input/output error" erofs="Read-only file system"

make_disks
make_ssdup policy all drain manual autocommit_ms 3600000
half=$(stat half_data_sectors)
len=$((half + 4000))
second=$((2048 + (($(blockdev --getsz $SSD) - 2048) / 2 / 8 * 8) * 2 - half))

# data writes fail: they end on the HDD, and that is said once
io write len=$len bs=64 fsync=1
is "free halves" "$(stat halves_free)" 0
model $HDD fail_write "1001 3"
model $SSD fail_write "$second $half"
io random start=40000 len=8192 nr=50
is "mode" "$(stat mode)" 1
must said "log read-only: too many writes of data to the SSD failed"
above "direct writes" "$(stat writes_hdd)" 48
io flush
io verify

# one bad block of the HDD in the oldest half: all but it goes home, once
must_get "$erofs" message flush
is "error of the drain" "$(stat drain_errno)" 30
is "what the drain does" "$(stat drain_state)" 8
above "errors of the HDD" "$(stat hdd_errors)" 0
is "pinned extents" "$(stat pinned_extents)" 0
is "freed halves" "$(stat frees)" 0
io_on $HDD verify len=1000
io_on $HDD verify start=1008 len=$((len - 1008))
io verify
write_fails "$eio" start=$((len - 64)) len=8
drained=$(stat drained_sectors)
sleep 6
is "sectors drained since" "$(stat drained_sectors)" "$drained"

# suspended and resumed, it goes on like that
must dmsetup suspend $NAME
must dmsetup resume $NAME
is "mode" "$(stat mode)" 1
io verify
io random start=40000 len=8192 nr=50 seed=2

# the HDD takes the block: all is home, and the log is empty by one record
model $HDD fail_write clear
must message flush
must said "the log is empty"
is "what is left" "$(stat dirty_sectors) $(stat extents) $(stat halves_sealed)" "0 0 0"
io_on $HDD verify
written=$(stat writes_ssd)
io write len=$len bs=64 fsync=1
is "writes to the log" "$(stat writes_ssd)" "$written"
remove_ssdup
model $SSD fail_write clear
make_ssdup policy none
is "mode" "$(stat mode)" 0
is "sectors that come back" "$(stat dirty_sectors)" 0
io verify
remove_ssdup

# not even a superblock: home, but not free, and not to be written over
make_ssdup policy all drain manual
io write len=$len bs=64 fsync=1
model $SSD fail_write "0 $(blockdev --getsz $SSD)"
must_not message flush
must_get "$erofs" message flush
must said "the SSD takes no record of it"
is "dirty sectors" "$(stat dirty_sectors)" $len
io_on $HDD verify
write_fails "$eio" len=8
must dmsetup suspend $NAME
must dmsetup resume $NAME
io verify
model $SSD fail_write clear
must message flush
is "dirty sectors" "$(stat dirty_sectors)" 0
io write len=64 bs=8
remove_ssdup

# entries that cannot become durable: FLUSH fails from then on, for what the SSD
# had in its cache may be gone; but the data can be read, and brought home
make_disks ssd_cache_mb=4
rm "$MODEL"
for fault in flush page; do
	make_ssdup policy all drain manual autocommit_ms 3600000
	io write len=512 bs=64
	if [ $fault = flush ]; then
		model $SSD fail_flush 1
	else
		model $SSD fail_write "2048 $(($(log_sector 0) - 2048))"
		model $SSD fail_write "$((second - 400)) 400"
	fi
	must_get "$eio" iocheck "$MODEL" $DEV flush
	is "mode" "$(stat mode)" 1
	must said "log read-only: a metadata write to the SSD failed"
	heal
	must_get "$eio" iocheck "$MODEL" $DEV flush
	must_get "$eio" message commit
	io verify
	must message flush
	io_on $HDD verify len=512
	io flush
	reboot 1 policy none
	is "mode" "$(stat mode)" 0
	io recover
	remove_ssdup
done

# who asks while half of it is home already is told of what fails then
make_disks
rm "$MODEL"
must modprobe dm-delay
DISK=$HDD HDD=/dev/mapper/other
# the last of what is in the second half takes long
last=$((len - 2048))
must dmsetup create other <<-TABLE
	0 $last linear $DISK 0
	$last 2048 delay $DISK $last 0 $DISK $last 3600000 $DISK $last 0
	$len $((LEN - len)) linear $DISK $len
TABLE
make_ssdup policy all drain manual autocommit_ms 3600000
io write len=$len bs=64 fsync=1
model $SSD fail_write "$second $half"
io random start=40000 len=8192 nr=20
is "mode" "$(stat mode)" 1
message drain start
# all was read, so the first half is home
wait_until drain_reads -eq $(((len + 63) / 64))
timeout 20 dmsetup message $NAME 0 flush 2>"$T/stderr" &
# no harm if it has not begun by then
sleep 0.5
model $DISK fail_flush 1
must dmsetup suspend other
must dmsetup reload other --table "0 $LEN linear $DISK 0"
must dmsetup resume other
must_not wait $!
model $DISK fail_flush 0
must message flush
must said "the log is empty"
io_on $DISK verify
remove_ssdup
must dmsetup remove other
