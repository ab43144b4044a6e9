#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Policy balance uses both disks for a burst of either order, sends small scattered writes, those
# that are flushed at once, and what is beside a reader to the SSD alone, and drains for what is
# written over a full log. Everything is found wherever it went. A policy that changes in the middle
# of a burst leaves no write behind.
# invariant: 3
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# share LEAST MOST - per cent of the sectors that went to the SSD since the last clear_stats
share()
{
	local hdd ssd

	hdd=$(stat write_sectors_hdd) ssd=$(stat write_sectors_ssd)
	above "per cent to the SSD" $((100 * ssd / (hdd + ssd))) "$1"
	below "per cent to the SSD" $((100 * ssd / (hdd + ssd))) "$2"
	message clear_stats
}

make_disks instant=0 hdd_size_mb=512 ssd_size_mb=97 hdd_cache_mb=8
make_ssdup policy balance
is "policy" "$(stat policy)" balance

# more than the log holds, in either order
io write len=$((160 * 2048)) bs=512 depth=16
share 20 80
flush
message clear_stats
io random start=$((160 * 2048)) len=$((256 * 2048)) bs=512 nr=320 depth=16
share 20 90
flush
message clear_stats
# what was discarded is in no window
io discard start=$((440 * 2048)) len=$((8 * 2048))
io write start=$((440 * 2048)) len=$((64 * 2048)) bs=512 depth=16
share 20 80
flush
message clear_stats
io random len=$((256 * 2048)) bs=8 nr=4000 depth=32
share 90 101
io random len=$((256 * 2048)) bs=8 nr=2000 depth=4 fua=1
flush
message clear_stats
for ((n = 0; n < 200; n++)); do
	io write start=$((400000 + n * 8)) len=8 bs=8 depth=1 fsync=1
done
share 90 101
all_home

# a reader has the HDD to himself, as long as the log has room
message clear_stats
dd if="$DEV" of=/dev/null bs=1M count=256 iflag=direct status=none &
reader=$!
wait_until reads_hdd -gt 0
io random start=$((300 * 2048)) len=$((128 * 2048)) bs=512 nr=100 depth=16
kill -0 $reader 2>/dev/null || fail "the HDD was read for a shorter time"
share 95 101
must wait $reader
all_home

# the log is full of what is written again: space has to come from a drain
message clear_stats
io write start=$((16 * 2048)) len=$((160 * 2048)) bs=512 depth=16
io write start=$((16 * 2048)) len=$((160 * 2048)) bs=512 depth=16
io random start=$((16 * 2048)) len=$((160 * 2048)) bs=64 nr=3000 depth=64
above "sectors drained" "$(stat drained_sectors)" 0
all_home

# the same by hand: nothing but the writes themselves asks for the drain that they need
for pass in 1 2; do
	knob drain manual
	io write start=$((16 * 2048)) len=$((64 * 2048)) bs=512 depth=16 &
	for ((n = 0; n < 300; n++)); do
		kill -0 $! 2>/dev/null || break
		sleep 0.1
	done
	kill -0 $! 2>/dev/null && fail "pass $pass waits for a drain that nobody asks for"
	must wait $!
done
knob drain auto
all_home

# the log is full of what the HDD would take long for
io random len=$((256 * 2048)) bs=8 nr=30000 depth=64
knob policy adaptive
io random len=$((256 * 2048)) bs=8 nr=500 depth=64
knob policy balance
all_home

# windows come and go in the middle of a burst, and so does the device
for policy in balance all balance none balance; do
	io random start=$((16 * 2048)) len=$((256 * 2048)) bs=128 nr=2500 depth=64 &
	sleep 0.05
	knob policy $policy
	sleep 0.05
	must dmsetup suspend $NAME
	must dmsetup resume $NAME
	must wait $!
done
for policy in adaptive balance all balance; do
	io random start=$((16 * 2048)) len=$((256 * 2048)) bs=128 nr=2500 depth=64 &
	sleep 0.05
	NOFLUSH=1 reload policy $policy
	must wait $!
done
all_home
