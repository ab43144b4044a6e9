#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The key thrift: with a price the SSD gets small scattered writes as before, but sequential ones
# no more; and an HDD that has little to do gets what it can take.
# invariant: none
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# share LEAST MOST - per cent of the sectors that went to the SSD; then a new count
share()
{
	local hdd ssd

	hdd=$(stat write_sectors_hdd)
	ssd=$(stat write_sectors_ssd)
	above "per cent to the SSD" $((100 * ssd / (hdd + ssd))) "$1"
	below "per cent to the SSD" $((100 * ssd / (hdd + ssd))) "$2"
	message clear_stats
}

# sequential START DEPTH - 64 MiB behind the first START MiB, which nobody wrote
sequential()
{
	io write start=$(($1 * 2048)) len=$((64 * 2048)) bs=512 depth="$2"
}

make_disks instant=0 hdd_size_mb=512 ssd_size_mb=385
make_ssdup drain manual
sequential 0 16
share 30 101

# a lone writer, whom the HDD keeps up with
knob thrift 5
above "price" "$(stat ssd_price_ns)" 0
sequential 128 1
share -1 25
# but both disks are busy
sequential 192 16
share 20 101

knob thrift 100
sequential 256 16
share -1 25
# but for those that try the HDD
io random start=$((320 * 2048)) len=$((192 * 2048)) bs=8 nr=4000 depth=32
share 80 101
# a write that is worth the HDD does not wait for a drain of all that the log holds
message drain start
wait_until drain_state -eq 4
begun=${EPOCHREALTIME/./}
io write start=$((100 * 2048)) len=512 bs=512 depth=1
below "ms that a write took beside a drain" $(((${EPOCHREALTIME/./} - begun) / 1000)) 1500
all_home
