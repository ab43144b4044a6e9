#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The SSD refuses small writes that have ended in memory. They are written once more, or get other
# places, without what was written over them meanwhile, and a FLUSH that succeeds is kept. If it
# refuses all, they are read from memory and drained from there. Until then no FLUSH succeeds, nor
# while the HDD refuses them, too.
# invariant: 1 2 4 7
# cpus: 2
# time: virtual
# layers: bare linear
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0
eio="Input/output error"

# held - a new log, whose first segment the SSD does not take. There is room for four buffers, and
# what one command writes may take two of them.
held()
{
	[ ! -e $DEV ] || remove_ssdup
	[ "$SSD" = "$bare" ] || must dmsetup remove other
	SSD=$bare
	blank_log
	make_ssdup
	data=$(log_sector 0) room=$(segment_data)
	remove_ssdup
	slow_ssd "$data" "$room" 0 3600000
	make_ssdup policy all drain manual autocommit_ms 3600000
}

# refuse SECTORS PLACE... - the SSD refuses so many there, of the first segment
refuse()
{
	local len=$1 at list=""

	shift
	for at; do
		list="$list $((data + at)) $len"
	done
	model "$bare" fail_write "${list# }"
}

# let_go - what the SSD holds back it writes, or refuses
let_go()
{
	must dmsetup reload other --table "0 $(blockdev --getsz "$bare") linear $bare 0"
	must dmsetup suspend other
	must dmsetup resume other
}

# put CHARACTER [WORD]... - a small write of it, always to the same place
put()
{
	printf '%4096s' '' | tr ' ' "$1" |
		must dd of=$DEV bs=4096 seek=1024 oflag=direct iflag=fullblock status=none "${@:2}"
}

make_disks ssd_size_mb=65
bare=$SSD

# one bad place: what is in a buffer with it goes there, and that elsewhere
held
io write len=64 bs=8
refuse 8 16
let_go
io flush
is "mode" "$(stat mode)" 0
above "errors of the SSD" "$(stat ssd_errors)" 0
io verify
power_cut 1
must dmsetup remove --force $NAME
power_on
make_ssdup policy all drain manual
io recover
io verify bs=1
model "$bare" fail_write clear
all_home

# what was written over in the middle, and behind, stays as it is
held
io write len=128 bs=32
io write start=10 len=110 bs=9 step=32
io zero start=122 len=3
refuse 32 0 64
let_go
io flush
is "mode" "$(stat mode)" 0
io verify len=128 bs=1
power_cut 2
must dmsetup remove --force $NAME
power_on
make_ssdup policy all drain manual
io recover
io verify len=128 bs=1
model "$bare" fail_write clear
all_home

# a place that fails once: it is written there again
held
io write len=8
refuse 8 0
let_go
wait_until ssd_errors -gt 0
model "$bare" fail_write clear
io flush
is "mode" "$(stat mode)" 0
is "writes to the log" "$(stat writes_ssd)" 1
all_home

# an SSD that is away for a while: the FLUSH waits for it
held
io write len=40 bs=8
model "$bare" fail_status transport
refuse "$room" 0
let_go
iocheck "$MODEL" $DEV flush &
flush=$!
wait_until ssd_errors -gt 2
kill -0 $flush || fail "the FLUSH has not waited"
io verify len=40
model "$bare" fail_write clear
must wait $flush
is "mode" "$(stat mode)" 0
model "$bare" fail_status medium
all_home

# the SSD refuses everything; the rear part of a write that was written over in front, too
held
io write start=1024 len=64 bs=32
io write start=1024 len=24 bs=8
is "writes to the log" "$(stat writes_ssd)" 5
model "$bare" fail_write "0 $(blockdev --getsz "$bare")"
let_go
must_get "$eio" iocheck "$MODEL" $DEV flush
is "mode" "$(stat mode)" 1
io verify bs=1
io verify start=1043 len=29 bs=29
is "lost ranges" "$(message lost_ranges)" none
must_not message drain
io verify bs=1
io_on $HDD verify start=1024 len=64 bs=1
model "$bare" fail_write clear
held
let_go

# what replaces a write while that is written again may be in memory only: a FLUSH waits for it, and
# so does who would free what both replace
put a conv=fsync
refuse 8 8
must dmsetup reload other --table "0 $data linear $bare 0
$data $room delay $bare $data 0 $bare $data 1000
$((data + room)) $(($(blockdev --getsz "$bare") - data - room)) linear $bare $((data + room))"
must dmsetup suspend other
must dmsetup resume other
put b
wait_until ssd_errors -gt 0
iocheck "$MODEL" $DEV flush &
flush=$!
nap 0.1
put c
must wait $flush
power_cut 3
must dmsetup remove --force $NAME
power_on
model "$bare" fail_write clear
make_ssdup policy all drain manual
content=$(dd if=$DEV bs=1 skip=$((4096 * 1024)) count=1 status=none)
[[ $content == [bc] ]] || fail "what the FLUSH had promised is $content"
held

# it takes no data, but its metadata, and the HDD refuses what would save the data: the FLUSH says
# so, and it can be read
io write len=16 bs=8
refuse "$room" 0
model $HDD fail_write "0 64"
let_go
must_get "$eio" iocheck "$MODEL" $DEV flush
is "mode" "$(stat mode)" 1
must_not message drain
must_get "$eio" iocheck "$MODEL" $DEV flush
io verify len=16
model $HDD fail_write clear
must message drain
io_on $HDD verify len=16
io flush
model "$bare" fail_write clear
