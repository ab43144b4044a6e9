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
PART=256
KEYS="policy all drain manual segment_mb 1 discard off autocommit_ms 3600000 ssd /dev/mssd1 ssd /dev/mssd2"

# put FROM TO - parts FROM to TO of the device are written, each by one write, and so on one SSD
put()
{
	local before now k ssd

	for ((k = $1; k <= $2; k++)); do
		before=$(written)
		io write start=$((k * PART)) len=$PART bs=$PART depth=1
		now=$(written)
		for ssd in 0 1 2; do
			# pages and records are small
			[ $(($(field $ssd "$now") - $(field $ssd "$before"))) -lt $((PART * 512)) ] ||
				WHERE[k]=$ssd
		done
	done
}

# written - bytes that each SSD has got, ever
written()
{
	echo "$(model mssd0 bytes_written) $(model mssd1 bytes_written) $(model mssd2 bytes_written)"
}

field()
{
	cut -d ' ' -f $(($1 + 1)) <<<"$2"
}

# on SSD FROM TO - those of the parts that are there
on()
{
	local k

	for ((k = $2; k <= $3; k++)); do
		[ "${WHERE[k]}" != "$1" ] || echo "$k"
	done
}

# few - is there an SSD that has few parts? Which one takes a write depends on how long others took
few()
{
	local ssd

	for ssd in 0 1 2; do
		[ "$(on $ssd 0 $LAST | wc -l)" -gt 5 ] || return 0
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
		above "parts on SSD $ssd" "$(on $ssd 0 $LAST | wc -l)" 5
	done
}

# of SSD COMMAND [KEY=VALUE]... - io of the first parts there
of()
{
	local k

	for k in $(on "$1" 0 $LAST); do
		io "$2" start=$((k * PART)) len=$PART "${@:3}"
	done
}

# home SSD FROM TO - they are on the HDD
home()
{
	local k

	for k in $(on "$1" "$2" "$3"); do
		iocheck "$MODEL" $HDD verify start=$((k * PART)) len=$PART ||
			fail "part $k was not written back"
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
home 0 0 $LAST
home 2 0 $LAST
io write start=$((100 * 2048)) len=4096 bs=64
of 0 verify
write_fails "$eio" start=$(($(on 1 0 $LAST | tail -n 1) * PART)) len=8
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
put 400 423
model mssd0 fail_flush 1
model mssd2 fail_flush 1
must_get "$eio" message commit
is "mode" "$(stat mode)" 1
heal
for k in 0 1 2; do
	of $k verify
done
# of the parts since, what is on the second SSD is in no doubt, and gets to the HDD
for k in $(on 1 400 423); do
	io verify start=$((k * PART)) len=$PART
done
for k in $(on 0 400 423) $(on 2 400 423); do
	io fails start=$((k * PART)) len=$PART bs=8
done
must_not message flush
home 1 400 423
remove_ssdup
# shellcheck disable=SC2086
make_ssdup $KEYS
for k in 0 1 2; do
	of $k verify
done
