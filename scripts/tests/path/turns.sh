#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The log is full, and some write more than the HDD takes. A process that writes little does not
# wait behind one that has many writes waiting, nor behind 63 others that stream, whatever is
# written, and who was away is not served before all others.
# invariant: none
# time: virtual
# seconds: 300
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

slow_disks hdd_size_mb=512 ssd_size_mb=133 hdd_rate_mbps=40
make_ssdup policy all
all=$(log_writes 64)
io write len=$((64 * all)) bs=64

# one process has 256 writes of 256 KiB waiting, more than a pass brings back, and another one writes
# 10 times 4 KiB: in the order in which they come, each would wait for 64 MiB
io write bs=512 depth=256 start=262144 len=358400 &
many=$!
wait_until waiting_writes -gt 200
begun=${EPOCHREALTIME/./}
io write start=917504 len=80 bs=8 depth=1
took=$(((${EPOCHREALTIME/./} - begun) / 1000))
echo "10 small writes took $took ms"
below "time of the small writes" "$took" 3000
must wait $many

# one has written for a while, and another one comes that writes as much as is left: they end
# together, as who was away has saved nothing up
message clear_stats
io write bs=512 depth=128 start=262144 len=358400 &
one=$!
wait_until write_sectors_ssd -gt 200000
begun=${EPOCHREALTIME/./}
io write bs=512 depth=128 start=655360 len=102400 &
must wait $!
other=$((${EPOCHREALTIME/./} - begun))
must wait $one
both=$((${EPOCHREALTIME/./} - begun))
echo "who came took $((other / 1000)) ms, and both $((both / 1000)) ms"
above "per cent of the time that who came took" $((100 * other / both)) 50
all_home
remove_ssdup

# 63 writers and a small one over a full log: nobody waits longer than 250 ms and a pass
rm -f "$MODEL"
make_disks instant=0 hdd_size_mb=512 ssd_size_mb=97 hdd_cache_mb=0
make_ssdup
# the speed of a drain is learnt
io random len=$((256 * 2048)) bs=512 nr=200 depth=16
all_home
message clear_stats
io random len=$((384 * 2048)) bs=256 nr=1500 depth=63 &
many=$!
wait_until waiting_writes -gt 32
io random start=$((400 * 2048)) len=$((64 * 2048)) bs=8 nr=100 depth=1
must wait $many
longest=$(stat longest_wait_ms)
echo "longest wait for space: $longest ms"
below "longest wait" "$longest" 1000
all_home
