#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# One of three SSDs fails as a whole, or flushes or pages of some do. These take no writes any more, and
# the others go on. What is on them is read and written back, what cannot be read is refused, and
# nothing is lost that was durable: with the SSD, or with the next table, all of it is back.
# invariant: 7 10
# kernels: 6.12 debug
# seconds: 450
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

eio="Input/output error"
PART=256
KEYS="policy all drain manual autocommit_ms 3600000 ssd /dev/mssd1 ssd /dev/mssd2"

# put FROM TO - parts FROM to TO of the device are written, each by one write, and so on one SSD, but
# for those at the end of a segment
put()
{
	local before now k ssd

	for ((k = $1; k <= $2; k++)); do
		for ssd in 0 1 2; do
			read -r "before[ssd]" <"/sys/block/mssd$ssd/model/bytes_written"
		done
		io write start=$((k * PART)) len=$PART bs=$PART depth=1
		WHERE[k]="two"
		for ssd in 0 1 2; do
			read -r now <"/sys/block/mssd$ssd/model/bytes_written"
			# pages and records are small
			[ $((now - before[ssd])) -lt $((PART * 512)) ] || WHERE[k]=$ssd
		done
	done
}

# on SSD FROM TO - PARTS are those that are there
on()
{
	local k

	PARTS=()
	for ((k = $2; k <= $3; k++)); do
		[ "${WHERE[k]}" != "$1" ] || PARTS+=("$k")
	done
}

# few - is there an SSD that has few parts? Which one takes a write depends on how long others took
few()
{
	local ssd

	for ssd in 0 1 2; do
		on $ssd 0 $LAST
		[ ${#PARTS[@]} -gt 5 ] || return 0
	done
	return 1
}

# fill - LAST is the last part
fill()
{
	WHERE=()
	# shellcheck disable=SC2086
	make_ssdup $KEYS
	for ((LAST = 35; LAST < 300; LAST += 36)); do
		put $((LAST - 35)) $LAST
		few || break
	done
	commits
	for ssd in 0 1 2; do
		on $ssd 0 $LAST
		above "parts on SSD $ssd" ${#PARTS[@]} 5
	done
}

# of SSD COMMAND [KEY=VALUE]... - io of the first parts there
of()
{
	local k

	on "$1" 0 $LAST
	for k in "${PARTS[@]}"; do
		io "$2" start=$((k * PART)) len=$PART "${@:3}"
	done
}

# home SSD FROM TO - they are on the HDD
home()
{
	local k

	on "$1" "$2" "$3"
	for k in "${PARTS[@]}"; do
		iocheck "$MODEL" $HDD verify start=$((k * PART)) len=$PART ||
			fail "part $k was not written back"
	done
}

# as a whole
make_disks ssd_discard=0 hdd_size_mb=128 ssds=3 ssd_size_mb=34
fill
model mssd1 gone 1
of 0 verify
of 1 fails bs=8
of 2 verify
# the first may find that out
must_not message drain
must_get "Read-only file system" message drain
is "mode" "$(stat mode)" 0
is "SSDs out" "$(stat ssds_out)" 1
said "takes no writes any more" || fail "the kernel does not say so"
is "lost ranges" "$(message lost_ranges)" none
home 0 0 $LAST
home 2 0 $LAST
logged=$(stat write_sectors_ssd)
io write start=$((100 * 2048)) len=4096 bs=64 fsync=8
is "new data in the log" $(($(stat write_sectors_ssd) - logged)) 4096
io verify start=$((100 * 2048)) len=4096
message commit
of 0 verify
on 1 0 $LAST
write_fails "$eio" start=$((PARTS[-1] * PART)) len=8
message set drain auto
must_get "Read-only file system" message drain
io verify start=$((100 * 2048)) len=4096
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
make_disks ssd_discard=0 hdd_size_mb=128 ssds=3 ssd_size_mb=34 ssd_cache_mb=4
fill
put 400 423
model mssd0 fail_flush 1
model mssd2 fail_flush 1
must_get "$eio" message commit
is "mode" "$(stat mode)" 0
is "SSDs out" "$(stat ssds_out)" 2
heal
for k in 0 1 2; do
	of $k verify
done
# of the parts since, what is on the second SSD is in no doubt, and gets to the HDD
on 1 400 423
for k in "${PARTS[@]}"; do
	io verify start=$((k * PART)) len=$PART
done
for ssd in 0 2; do
	on $ssd 400 423
	for k in "${PARTS[@]}"; do
		io fails start=$((k * PART)) len=$PART bs=8
	done
done
must_not message drain
home 1 400 423
# it is no clean log, as pages of two SSDs are missing
remove_ssdup
# shellcheck disable=SC2086
make_ssdup $KEYS
is "mode" "$(stat mode)" 0
for k in 0 1 2; do
	of $k verify
done
put 450 470
model mssd0 fail_flush 1
model mssd2 fail_flush 1
must_get "$eio" message commit
heal
put 500 510
message commit
on 1 500 510
above "parts on the second SSD" ${#PARTS[@]} 8
# the last one
model mssd1 fail_flush 1
put 511 511
must_get "$eio" message commit
is "mode" "$(stat mode)" 1
said "log read-only" || fail "the kernel does not say so"
heal
remove_ssdup
# shellcheck disable=SC2086
make_ssdup $KEYS
for k in 0 1 2; do
	of $k verify
done
for k in {500..510}; do
	io verify start=$((k * PART)) len=$PART
done
remove_ssdup

# by a page, while it is gone: when it is back, another drain finds all of it
make_disks ssd_discard=0 hdd_size_mb=128 ssds=3 ssd_size_mb=34
rm "$MODEL"
fill
put 400 423
model mssd1 gone 1
must_get "$eio" message commit
is "SSDs out" "$(stat ssds_out)" 1
must_get "Read-only file system" message drain
home 0 400 423
home 2 400 423
is "error of the drain" "$(stat drain_errno)" 30
model mssd1 gone 0
must message drain
is "error of the drain" "$(stat drain_errno)" 0
home 1 0 $LAST
home 1 400 423
# one more FLUSH may say that something was not durable for a while
iocheck "$MODEL" $DEV flush 2>/dev/null || :
must message commit
io flush
io verify
# the next table has it back
remove_ssdup
# shellcheck disable=SC2086
make_ssdup $KEYS
is "SSDs out" "$(stat ssds_out)" 0
put 100 110
io verify
must message drain
