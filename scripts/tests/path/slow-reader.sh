#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A reader has the HDD to himself for as long as his read takes, behind the writes of others, say.
# invariant: none
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# per_cent_to_ssd - of the sectors that were written since the last clear_stats
per_cent_to_ssd()
{
	local ssd

	ssd=$(stat write_sectors_ssd)
	echo $((100 * ssd / ($(stat write_sectors_hdd) + ssd)))
}

make_disks instant=0 hdd_size_mb=512 ssd_size_mb=97 hdd_cache_mb=8
size=$(blockdev --getsz $HDD)
must modprobe dm-delay
must dmsetup create late <<-TABLE
	0 8192 linear $HDD 0
	8192 8 delay $HDD 8192 60000 $HDD 8192 0
	8200 $((size - 8200)) linear $HDD 8200
TABLE
HDD=/dev/mapper/late
make_ssdup policy balance
dd if="$DEV" of=/dev/null bs=4k skip=1024 count=1 iflag=direct status=none &
reader=$!
wait_until reads_hdd -gt 0
# longer than who has read counts
sleep 0.5
io random start=$((300 * 2048)) len=$((128 * 2048)) bs=512 nr=100 depth=16
kill -0 $reader 2>/dev/null || fail "the HDD was read for a shorter time"
is "per cent to the SSD beside a reader" "$(per_cent_to_ssd)" 100

# the read ends
must dmsetup reload late --table "0 $size linear /dev/mhdd0 0"
must dmsetup suspend late
must dmsetup resume late
must wait $reader
sleep 0.5
message clear_stats
io random start=$((100 * 2048)) len=$((128 * 2048)) bs=512 nr=100 depth=16
below "per cent to the SSD" "$(per_cent_to_ssd)" 100
all_home
