#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Rewrites across routes and segments: never older over newer, wherever the older
# and the newer one went.
# invariant: 1 3 4
# kernels: 6.12 6.1
# cpus: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0

make_disks ssd_size_mb=33
make_ssdup policy none drain manual

# HDD, then log over it, then HDD-bound over that: the last has to be logged too
io write len=4096 bs=64
knob policy all
io random len=4096 bs=8 nr=150 seed=1
io verify len=4096
knob policy none
direct=$(stat writes_hdd)
logged=$(stat writes_ssd)
io write len=4096 bs=512
above "writes logged because of an overlap" "$(stat writes_ssd)" "$logged"
io verify len=4096
# partly over the log, partly not
io mixed len=8192 nr=200 seed=2
io verify len=8192
above "writes that overlapped nothing" "$(stat writes_hdd)" "$direct"

# newer over what sealed segments and over what the open one holds
knob policy all
io write start=16384 len=8192 bs=128
above "sealed segments" "$(stat segments_sealed)" 10
io random start=16384 len=8192 bs=4 nr=300 seed=3
io random start=24064 len=512 bs=4 nr=100 seed=4
io verify
knob policy none
io random start=16384 len=8192 bs=8 nr=100 seed=5
io verify

# rewrites while segments drain
message drain &
while kill -0 $! 2>/dev/null; do
	io mixed start=16384 len=8192 nr=30 seed=$RANDOM
done
wait $! || fail "flush"
all_home
# and what was logged is direct again
logged=$(stat writes_ssd)
io mixed start=16384 len=8192 nr=100 seed=6
is "writes logged after the flush" "$(stat writes_ssd)" "$logged"
io_on $HDD verify
remove_ssdup

# segments that were overwritten as a whole become free without a flush of the HDD
make_disks ssd_size_mb=33 ssd_cache_mb=4 hdd_cache_mb=4
rm "$MODEL"
make_ssdup policy all drain manual
len=$(segment_data) nr=$(($(stat segments) / 2 + 4))
for ((i = 0; i < nr; i++)); do
	io write len="$len" bs=8
done
flushes=$(model $HDD flushes)
message drain start
wait_until frees -eq $nr
is "flushes of the HDD" "$(($(model $HDD flushes) - flushes))" 1
power_cut 1
must dmsetup remove --force $NAME
power_on
io_on $HDD verify
make_ssdup policy all drain manual
is "extents" "$(stat extents)" 0
