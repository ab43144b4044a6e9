#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# While the log is not empty, the HDD says that it is a member of a device, and nothing else. After
# a drain it is what the device was. An HDD that somebody has written to meanwhile is refused.
# invariant: 11
# layers: bare linear
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=1

RANGE=256	# sectors that are guarded

# shows MEMBER - does the HDD? And nothing else is recognised
shows()
{
	local found=0

	must blockdev --flushbufs $HDD
	[[ $(dd if=$HDD bs=8 count=1 iflag=fullblock status=none | tr -d '\0') != SSDUPHDD ]] || found=1
	is "a member block on the HDD" $found "$1"
	[ "$1" = 0 ] || must_not blkid -p $HDD
}

# in_range - write, read and discard what is guarded, on either route, and across its end
in_range()
{
	local policy

	for policy in none all balance; do
		knob policy $policy
		io write start=$((RANGE - 64)) len=128 bs=128
		io write len=$RANGE bs=3
		io write start=0 len=1 bs=1
		io verify len=$((RANGE + 128)) bs=1
		io verify len=$((RANGE + 128)) bs=$((RANGE + 128))
		io zero start=64 len=64
		io discard start=200 len=100
		io verify
	done
}

make_disks hdd_discard=1
make_ssdup policy none drain manual
io write len=$RANGE bs=8
io write start=$RANGE len=4096 bs=64
is "guard" "$(stat guard)" 0

# --- it closes with the first write to the log, and opens when all is on the HDD ---
knob policy all
io write start=8192 len=64 bs=8
wait_until guard -eq 2
commits
is "guard after a commit" "$(stat guard)" 2
shows 1
in_range
commits
shows 1
all_home
is "guard after a drain" "$(stat guard)" 0
shows 0
in_range
all_home
shows 0

# --- it was opened by a drain, and a commit is expected already: that one closes it ---
knob policy all
knob autocommit_ms 3600000
nap 1.5
io write start=8192 len=64 bs=8
wait_until guard -eq 2
flush
is "guard after a drain" "$(stat guard)" 0
io write start=8192 len=64 bs=8
nap 0.2
is "guard before a commit" "$(stat guard)" 0
commits
is "guard after it" "$(stat guard)" 2
shows 1
flush

# --- what is read again is copied, but not what the guard has served ---
remove_ssdup
make_ssdup policy all drain manual clean 50 promote 1000T
io write start=8192 len=64 bs=8
wait_until guard -eq 2
commits
for _ in 1 2 3 4; do
	io verify start=$((RANGE - 32)) len=64 bs=64
	io verify start=$((2 * RANGE)) len=1024 bs=64
	nap 0.3
done
above "copied sectors" "$(stat promoted_sectors)" 0
above "reads of copies" "$(stat reads_promoted)" 0
flush
remove_ssdup
make_ssdup policy all drain manual

# --- what was drained while it was closed ---
knob policy all
io write len=$((2 * RANGE)) bs=8
io write start=8192 len=64 bs=8
commits
knob drain eager
wait_until dirty_sectors -eq 0
is "guard of a log that is soon used again" "$(stat guard)" 2
io verify
shows 1
# a head that does not fit in the member block is in the record
must dd if=/dev/urandom of="$T/head" bs=512 count=1 status=none
must dd if="$T/head" of=$DEV bs=512 count=1 oflag=direct conv=notrunc,fsync status=none
wait_until dirty_sectors -eq 0
shows 1
must cmp -n 512 "$T/head" $DEV
power_cut 1
must dmsetup remove --force $NAME
power_on
make_ssdup policy all drain manual
must cmp -n 512 "$T/head" $DEV
flush
shows 0
must cmp -n 512 "$T/head" $HDD
io write len=8 bs=8
all_home

# --- a table that wants none, and a log that is not empty ---
io write start=64 len=4096 bs=8
commits
shows 1
remove_ssdup
GUARD=0
make_ssdup policy all drain manual
GUARD=1
is "guard of a table without" "$(stat guard)" 0
shows 0
io verify
commits
remove_ssdup
make_ssdup policy all drain manual
is "guard of a log without" "$(stat guard)" 2
shows 1
io verify

# --- a read-only table shows the device, and changes nothing ---
remove_ssdup
before=$(model $HDD bytes_written)
must dmsetup create --readonly $NAME --table "$(table policy all drain manual)"
find_sys
io verify
is "bytes written to the HDD" "$(model $HDD bytes_written)" "$before"
remove_ssdup

# --- an HDD that was written to, that is old, or another log's ---
must dd if=$HDD of="$T/old" bs=512 count=$RANGE iflag=direct status=none
must dd if=/dev/zero of=$HDD bs=4096 count=1 oflag=direct status=none
log_refused "not the HDD as the log left it"
make_ssdup policy all drain manual override hdd
is "guard" "$(stat guard)" 2
io write len=$RANGE bs=8
all_home
io write start=64 len=64 bs=8
commits
remove_ssdup
must dd if=$HDD of="$T/now" bs=512 count=$RANGE iflag=direct status=none
must dd if="$T/old" of=$HDD bs=512 count=$RANGE oflag=direct status=none
log_refused "not the HDD as the log left it"
must_not dmsetup create $NAME --table "$(table policy all drain manual override hdd)"
! dmsetup info $NAME >/dev/null 2>&1 || must dmsetup remove $NAME
must dd if="$T/now" of=$HDD bs=512 count=$RANGE oflag=direct status=none
make_ssdup policy all drain manual
all_home
io write start=64 len=64 bs=8
commits
remove_ssdup
HDD=none blank_log
must_not dmsetup create $NAME --table "$(table policy all drain manual)"
said "this one is a member of another log" || fail "the kernel said: $(tail -n 1 "$T/said")"

# --- zeroes over the end of the range, in a log from before, now for an HDD without that command ---
make_disks hdd_discard=1
rm "$MODEL"
GUARD=0
make_ssdup policy all drain manual
io write len=2048 bs=64
io zero start=128 len=1024
commits
remove_ssdup
must dd if=$HDD of="$T/hdd" bs=1M status=none
must dd if=$SSD of="$T/ssd" bs=1M status=none
make_disks
must dd if="$T/hdd" of=$HDD bs=1M conv=fsync status=none
must dd if="$T/ssd" of=$SSD bs=1M conv=fsync status=none
# what they are to replace
must dd if=/dev/urandom of=$HDD bs=1M count=1 conv=notrunc,fsync status=none
GUARD=1
make_ssdup policy all drain manual
flush
io verify len=2048
io_on $HDD verify len=2048
