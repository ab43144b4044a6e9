#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The error of a flush reaches both who waits for a FLUSH and who writes with FUA: of a bio
# with data, PREFLUSH and FUA device mapper throws the status of the FLUSH away. And a FUA
# write to the log does not wait for the HDD.
# invariant: 2 7
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0

eio="Input/output error" erofs="Read-only file system"

# flush_fails, fua_fails - the next one does, and is not written
flush_fails()
{
	must_get "$eio" iocheck "$MODEL" $DEV flush
}

fua_fails()
{
	write_fails "$eio" start=30000 len=8 fua=1
}

must modprobe dm-delay
make_disks hdd_cache_mb=4 ssd_cache_mb=4

# a FLUSH that failed at the HDD owes a FUA write its error, whatever way that takes
for policy in none all; do
	make_ssdup policy none drain manual autocommit_ms 3600000
	io write len=64
	model $HDD fail_flush 1
	flush_fails
	model $HDD fail_flush 0
	knob policy $policy
	fua_fails
	io write start=30000 len=8 fua=1
	io flush
	remove_ssdup
done

# so does one that failed at the SSD; what is not durable is lost, and each FLUSH says so
make_ssdup policy all drain manual autocommit_ms 3600000
io write len=64
model $SSD fail_flush 1
flush_fails
model $SSD fail_flush 0
is "mode" "$(stat mode)" 1
fua_fails
flush_fails
fua_fails
must_get "$erofs" message drain
flush_fails
must iocheck "$MODEL" $DEV fails len=64
remove_ssdup
io_on $HDD recover

# a commit by the clock fails, and a drain writes back what is durable: that a FLUSH finds nothing
# to do is no reason for it to succeed
make_ssdup policy all drain auto autocommit_ms 100
for ((n = 0; n < 8; n++)); do
	model $SSD fail_write "$((2056 + n * $(stat segment_sectors))) 16"
done
io write len=64
wait_until mode -eq 1
model $SSD fail_write clear
wait_until dirty_sectors -eq 0
io write start=30000 len=8 fua=1
io flush
io verify
remove_ssdup

# a dm device below throws away the status of a PREFLUSH in front of data, too: one page of
# entries is not written when the flush before it fails
must dmsetup create under --table "0 $(blockdev --getsz $SSD) linear $SSD 0"
ssd=$SSD SSD=/dev/mapper/under
make_ssdup policy all drain manual autocommit_ms 3600000
before=$(model $ssd bytes_written)
io write len=64
model $ssd fail_flush 1
flush_fails
model $ssd fail_flush 0
is "mode" "$(stat mode)" 1
is "bytes written, all of them data" "$(($(model $ssd bytes_written) - before))" $((64 * 512))
must_get "$erofs" message drain
remove_ssdup
io_on $HDD recover
SSD=$ssd
must dmsetup remove under

# the commit of a suspend fails: the next table does not have the data, and says so
make_ssdup policy all drain manual autocommit_ms 3600000
io write len=64 fsync=1
io write len=64
model $SSD fail_flush 1
must dmsetup reload $NAME --table "$(table policy all drain manual)"
must dmsetup suspend $NAME
model $SSD fail_flush 0
must dmsetup resume $NAME
find_sys
is "mode" "$(stat mode)" 0
flush_fails
fua_fails
io recover
io write start=30000 len=8 fua=1
io flush

# the same, also when the next table cannot be resumed at once: the one that owes is gone then
io write len=64
model $SSD fail_flush 1
must dmsetup reload $NAME --table "$(table policy all drain manual)"
must dmsetup suspend $NAME
model $SSD fail_flush 0
model $SSD fail_read "0 8"
model $SSD fail_read "$(home 1) 8"
must_not dmsetup resume $NAME
model $SSD fail_read clear
must dmsetup resume $NAME
find_sys
flush_fails
fua_fails
io recover
io flush
remove_ssdup

# a FLUSH waits for the HDD, a FUA write to the log beside it does not
must dmsetup create late --table "0 $(blockdev --getsz $HDD) delay $HDD 0 0 $HDD 0 0 $HDD 0 5000"
HDD=/dev/mapper/late
make_ssdup policy none drain manual autocommit_ms 3600000
io write len=64
knob policy all
iocheck "$MODEL" $DEV flush &
flush=$!
wait_until waiting_flushes -eq 1
io write start=30000 len=8 fua=1
is "waiting flushes" "$(stat waiting_flushes)" 1
must wait $flush
remove_ssdup
must dmsetup remove late
