#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A flush that fails may have dropped what others had in the cache, and the next one,
# which finds nothing to do, succeeds. So whoever relies on a flush of the same disk is
# told of it, whatever the order in which they began and ended.
# invariant: 7
# time: virtual
# layers: bare linear
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0

eio="Input/output error"

# late DISK MS - a device over the disk whose flushes are on their way for so long
late()
{
	must dmsetup create "late-${1##*/}" --table \
		"0 $(blockdev --getsz "$1") delay $1 0 0 $1 0 0 $1 0 $2"
}

# make_late - dm-ssdup over those that there are
make_late()
{
	local hdd=$HDD ssd=$SSD

	[ ! -e "/dev/mapper/late-${hdd##*/}" ] || HDD=/dev/mapper/late-${hdd##*/}
	[ ! -e "/dev/mapper/late-${ssd##*/}" ] || SSD=/dev/mapper/late-${ssd##*/}
	make_ssdup policy all drain manual autocommit_ms 3600000
	HDD=$hdd SSD=$ssd
}

# begin_freeing - a drain has copied its group, and is at what frees it
begin_freeing()
{
	message drain start
	wait_until drain_state -eq 6
}

# flush_beside - a FLUSH in the background
flush_beside()
{
	iocheck "$MODEL" $DEV flush 2>"$T/flush" &
	flush=$!
}

# is_told - it has failed
is_told()
{
	must_not wait $flush
	[[ $(<"$T/flush") == *"$eio"* ]] || fail "of the FLUSH we got: $(<"$T/flush")"
}

must modprobe dm-delay
make_disks hdd_cache_mb=4 ssd_cache_mb=4

# the record that frees segments fails, which is a flush below perhaps, and with it what was
# written meanwhile: of that nothing becomes durable any more, and it is lost if it may be a flush
late $HDD 500
make_late
io write len=1024 bs=64
begin_freeing
io write start=20000 len=64 bs=8
model $SSD fail_write "$(($(home 1) + 1024)) 8"
wait_until mode -eq 1
model $SSD fail_write clear
is "segments freed" "$(stat frees)" 0
must_get "$eio" iocheck "$MODEL" $DEV flush
must_get "$eio" message commit
if [ "$LAYER" = linear ]; then
	must iocheck "$MODEL" $DEV fails start=20000 len=64 bs=8
	must_get "Read-only file system" message drain
	io_on $HDD verify len=1024
else
	io verify
	must message drain
	io flush
fi
remove_ssdup
io_on $HDD recover

# a drain's flush fails while a FLUSH is under way that succeeds
make_late
io write len=1024 bs=64
commits
knob policy none
io write start=20000 len=64
begin_freeing
model $HDD fail_flush 1
nap 0.25
flush_beside
wait_until drain_errno -eq 5
model $HDD fail_flush 0
is_told
write_fails "$eio" start=40000 len=8 fua=1
io flush
is "segments freed" "$(stat frees)" 0
all_home

# a write with FUA fails, which is a flush below perhaps, while a drain copies
io write start=20000 len=64
io flush
knob policy all
io write len=1024 bs=64
commits
frees=$(stat frees)
begin_freeing
knob policy none
model $HDD fail_write "30003 1"
must_get "No data available" iocheck "$MODEL" $DEV write start=30000 len=8 fua=1
model $HDD fail_write clear
wait_until drain_errno -eq 5
is "segments freed" "$(stat frees)" "$frees"
all_home
remove_ssdup

# a FLUSH fails at the HDD, and is told only when its commit has ended, long after the
# drain has flushed the HDD
late $SSD 2000
make_late
io write len=1024 bs=64
begin_freeing
io write start=20000 len=64 bs=8
model $HDD fail_flush 1
flush_beside
wait_until hdd_errors -eq 1
model $HDD fail_flush 0
wait_until drain_errno -eq 5
is "segments freed" "$(stat frees)" 0
is_told
all_home
remove_ssdup
must dmsetup remove "late-${SSD##*/}" "late-${HDD##*/}"
