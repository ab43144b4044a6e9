#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# While a device is written, read, flushed and drained, one of its disks loses its cache, at any time,
# and fails its flushes for a while. Afterwards each sector has a version that is allowed: that of the
# last flush that succeeded, or a later one. What the SSD has lost may be unreadable until the table
# is loaded anew, but is never something else, and never reaches the HDD.
# invariant: 4 10
# cpus: 2
# seconds: 300
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

rounds=${ROUNDS:-10}
RANDOM=${SEED:-1}
keys=(autocommit_ms 200)

make_disks ssd_discard=0 ssd_size_mb=34 hdd_cache_mb=4 ssd_cache_mb=4
lost=0
for ((round = 0; round < rounds; round++)); do
	disk=$SSD
	((round % 2)) && disk=$HDD
	policy=all
	((round % 3)) || policy=balance
	make_ssdup policy $policy "${keys[@]}"
	iocheck "$MODEL" $DEV stress len="$LEN" max=256 seconds=2 seed=$((RANDOM + 1)) errors=1 \
		2>"$T/stress" &
	stress=$!
	nap 0.$((RANDOM % 5 + 3))
	((RANDOM % 2)) && dmsetup message $NAME 0 drain start
	model $disk fail_flush 1
	model $disk lose_cache 1
	nap 0.$((RANDOM % 4 + 1))
	# without one that fails, nobody could know of it
	dmsetup message $NAME 0 commit 2>"$T/flush" || :
	model $disk fail_flush 0
	wait $stress
	dmsetup message $NAME 0 drain 2>"$T/flush" || :
	[ "$(stat lost_extents)" = 0 ] || lost=$((lost + 1))
	remove_ssdup
	make_ssdup policy all "${keys[@]}"
	is "mode" "$(stat mode)" 0
	io recover
	flush
	io verify
	io_on $HDD verify
	remove_ssdup
done
echo "$lost of $rounds rounds have lost something"
above "rounds in which something was lost" $lost 0
