#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# invariant: none
# time: virtual
# Policy balance keeps both disks busy with a sequential burst and with a random
# one, shares a front's chunks out, sends small random writes and those that are
# flushed at once to the SSD alone, and everything is found wherever it went.
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# sent - sectors written to the HDD and to the SSD since the last clear_stats
sent()
{
	echo "$(stat write_sectors_hdd) $(stat write_sectors_ssd)"
}

# share LEAST MOST - per cent of the sectors that went to the SSD
share()
{
	local hdd ssd

	read -r hdd ssd < <(sent)
	above "per cent to the SSD" $((100 * ssd / (hdd + ssd))) "$1"
	below "per cent to the SSD" $((100 * ssd / (hdd + ssd))) "$2"
	message clear_stats
}

make_disks instant=0 hdd_size_mb=512 ssd_size_mb=97 hdd_cache_mb=8
make_ssdup policy balance
is "policy" "$(stat policy)" balance

# more than the log holds, in either order
io write len=$((160 * 2048)) bs=512 depth=16
share 25 75
flush
message clear_stats
io random start=$((160 * 2048)) len=$((256 * 2048)) bs=512 nr=320 depth=16
share 25 75
flush
message clear_stats
io random len=$((256 * 2048)) bs=8 nr=4000 depth=32
# there was little to choose from: one stream in four was judged
below "streams judged" "$(stat streams)" 16
share 95 101
io random len=$((256 * 2048)) bs=8 nr=2000 depth=4 fua=1
flush
message clear_stats
# what was durable at once is off the disks' queues like everything else, and what was
# discarded never was there
io discard start=$((440 * 2048)) len=$((8 * 2048))
io write start=$((440 * 2048)) len=$((64 * 2048)) bs=512 depth=16
share 25 75
flush
message clear_stats

# a log the HDD is flushed behind every few writes: nothing for the HDD to flush
for n in 1 2 3 4 5 6 7 8; do
	io write start=$((n * 40000)) len=256 bs=8 depth=1 fsync=1
done
message clear_stats
for ((n = 0; n < 200; n++)); do
	io write start=$((400000 + n * 8)) len=8 bs=8 depth=1 fsync=1
done
share 60 101
all_home

# a log that is full of what the HDD would take long for: it waits, and ends
io random len=$((256 * 2048)) bs=8 nr=30000 depth=64
knob policy adaptive
io random len=$((256 * 2048)) bs=8 nr=500 depth=64
knob policy balance
all_home
remove_ssdup

# a front, while writes look random and far more waits at the HDD than at the SSD: what is to
# come at the SSD counts, too
rm -f "$MODEL"
make_disks instant=0 hdd_size_mb=512 ssd_size_mb=97
make_ssdup policy balance
io random len=$((64 * 2048)) bs=8 nr=1024 depth=16
above "streams judged" "$(stat streams)" 0
above "of it random" "$(stat random_percentage_1e4)" 5000
message clear_stats
for n in 0 1 2 3; do
	dd if="$DEV" of=/dev/null bs=4M skip=$((80 + n * 12)) count=12 iflag=direct status=none &
done
io write start=$((20 * 8192)) len=$((24 * 8192)) bs=512 step=8192 depth=1
kill -0 %1 %2 %3 %4 2>/dev/null || fail "the HDD was not busy for all of it"
wait
read -r to_hdd to_ssd < <(sent)
above "sectors to the HDD" "$to_hdd" 511
above "sectors to the SSD" "$to_ssd" 511
all_home
remove_ssdup

# with one request after the other balance judges one stream in four, the others all
rm -f "$MODEL"
make_disks instant=1 hdd_size_mb=512 ssd_size_mb=97
make_ssdup policy none
io write len=$((16 * 2048)) bs=8 depth=1
knob policy balance
io verify len=$((16 * 2048)) bs=8 depth=1
io random start=$((64 * 2048)) len=$((64 * 2048)) bs=8 nr=2000 depth=1
knob policy adaptive
message clear_stats
io random start=$((256 * 2048)) len=$((64 * 2048)) bs=8 nr=$((16 * 128)) depth=1
above "streams judged" "$(stat streams)" 11
all_home
