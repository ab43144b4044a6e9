#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# One of three SSDs fails as a whole, or flushes of two do. The log is read-only, what the other SSDs
# have is read and written back, what only the failed one has is refused, and nothing is lost that was
# durable: with the SSD, or with the next table, all of it is back.
# invariant: 7 10
# kernels: 6.12 debug
# seconds: 300
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

eio="Input/output error"
KEYS="policy all drain manual segment_mb 1 discard off autocommit_ms 3600000 ssd /dev/mssd1 ssd /dev/mssd2"

# fill - segment K has the sectors from K * DATA on; SSDs take turns
fill()
{
	# shellcheck disable=SC2086
	make_ssdup $KEYS
	DATA=$(segment_data)
	io write len=$((40 * DATA)) bs=8 depth=1
	commits
}

# of SSD COMMAND [KEY=VALUE]... - io of what is on it, but for the first and the last segment of all
of()
{
	local k

	for k in {3..35}; do
		[ $((k % 3)) != "$1" ] || io "$2" start=$((k * DATA)) len="$DATA" "${@:3}"
	done
}

# as a whole
make_disks hdd_size_mb=128 ssds=3 ssd_size_mb=34
fill
model mssd1 gone 1
of 0 verify
of 1 fails bs=8
of 2 verify
# the first may find that out
must_not message flush
must_get "Read-only file system" message flush
is "mode" "$(stat mode)" 1
said "log read-only" || fail "the kernel does not say so"
is "lost ranges" "$(message lost_ranges)" none
for k in 3 5 33 35; do
	iocheck "$MODEL" $HDD verify start=$((k * DATA)) len="$DATA" ||
		fail "segment $k was not written back"
done
io write start=$((100 * 2048)) len=4096 bs=64
of 0 verify
write_fails "$eio" start=$((4 * DATA)) len=8
remove_ssdup
# the others do not make a log
must_not dmsetup create $NAME --table "$(table policy all ssd /dev/mssd2)"
model mssd1 gone 0
# shellcheck disable=SC2086
make_ssdup $KEYS
is "mode" "$(stat mode)" 0
io verify
all_home
remove_ssdup

# by flushes: what two had in their caches may be lost, and what was durable is not
make_disks hdd_size_mb=128 ssds=3 ssd_size_mb=34 ssd_cache_mb=4
fill
io write start=$((100 * 2048)) len=$((6 * DATA)) bs=8 depth=1
model mssd0 fail_flush 1
model mssd2 fail_flush 1
must_get "$eio" message commit
is "mode" "$(stat mode)" 1
heal
for k in 0 1 2; do
	of $k verify
done
# segments 40 to 45: what is on the second SSD is in no doubt, and gets to the HDD
new=$((100 * 2048))
for k in 0 3; do
	io verify start=$((new + k * DATA)) len="$DATA"
done
for k in 1 2 4 5; do
	io fails start=$((new + k * DATA)) len="$DATA" bs=8
done
must_not message flush
for k in 0 3; do
	iocheck "$MODEL" $HDD verify start=$((new + k * DATA)) len="$DATA" ||
		fail "segment $((40 + k)) was not written back"
done
remove_ssdup
# shellcheck disable=SC2086
make_ssdup $KEYS
for k in 0 1 2; do
	of $k verify
done
