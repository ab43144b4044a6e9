#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# With no segment free, and by policy balance, what overlaps nothing in the log goes to an HDD with a
# cache at once; what does overlap waits.
# invariant: none
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks ssd_size_mb=11
make_ssdup policy all drain manual
io write len=$((8 * $(log_writes 8))) bs=8
is "free segments" "$(stat segments_free)" 2
is "writes past the log" "$(stat writes_hdd)" 0
knob policy balance
io random start=65536 len=32768 bs=64 nr=100
is "writes past the log" "$(stat writes_hdd)" 100
is "writes that waited" "$(stat waited_writes)" 0
is "waiting writes" "$(stat waiting_writes)" 0
io verify

# over the log: it waits, which makes the drain begin
model $HDD fail_flush 1
io write len=4096 bs=64 depth=64 &
writer=$!
wait_until waiting_writes -eq 64
io write start=100000 len=4096 bs=64
kill -0 $writer || fail "a write over a full log did not wait"
model $HDD fail_flush 0
must wait $writer
all_home

# by policy all they wait for a drain that fails; by balance they need not
remove_ssdup
rm "$MODEL"
make_disks ssd_size_mb=11 hdd_cache_mb=0
make_ssdup policy all drain manual
io write len=$((8 * $(log_writes 8))) bs=8
model $HDD fail_write "0 65536"
io write start=65536 len=4096 bs=64 depth=64 &
writer=$!
wait_until drain_errno -eq 5
wait_until waiting_writes -eq 64
knob policy balance
must wait $writer
above "writes past the log" "$(stat writes_hdd)" 63
model $HDD fail_write clear
all_home

# without the policy they wait for the drain, and without a cache of the HDD, too
remove_ssdup
rm "$MODEL"
# less than fits, because the end of a segment splits a write
fill()
{
	make_ssdup policy all drain manual
	io write len=65536 bs=64
	io write len=65536 bs=64
	io write len=$((64 * ($(log_writes 64) - $(stat segments) - 2048))) bs=64
}
for cache in 8 0; do
	for policy in balance all; do
		slow_disks ssd_size_mb=81 hdd_cache_mb=$cache
		rm -f "$MODEL"
		fill
		knob policy $policy
		io random start=98304 len=32768 bs=8 nr=512 depth=16
		echo "cache $cache, $policy: $(stat waited_writes) waited, $(stat writes_hdd) past the log"
		case $policy/$cache in
		balance/8)
			below "writes that waited" "$(stat waited_writes)" 16
			above "writes past a full log" "$(stat writes_hdd)" 400
			;;
		*)
			above "writes that waited" "$(stat waited_writes)" 0
			is "writes past a full log" "$(stat writes_hdd)" 0
			;;
		esac
		past=$(stat writes_hdd)
		io random start=65536 len=32768 bs=512 nr=60
		[ $policy/$cache != balance/8 ] || above "large ones" "$(stat writes_hdd)" "$past"
		all_home
		# when there is room again, the policy decides
		[ $policy = balance ] || is "writes past the log" "$(stat writes_hdd)" 0
		remove_ssdup
	done
done
