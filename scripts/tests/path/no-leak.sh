#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# No read ever returns what the SSD held before: not beside writes, not after a
# power cut, a lost extent or a discard of a part; and none of it gets to the HDD.
# invariant: 6
# cpus: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# poison - an SSD full of something, but for what says that it has no log
poison()
{
	tr '\0' Z </dev/zero | dd of=$SSD bs=1M count=13 iflag=fullblock conv=fsync status=none
	blank_log
}

# iocheck takes whatever is neither a stamp of that sector nor the zeros that were
# there for wrong content
slow_disks hdd_size_mb=16 ssd_size_mb=13 ssd_latency_us=2000 ssd_rate_mbps=200 late=1 ssd_cache_mb=4
poison
make_ssdup policy all drain eager
iocheck "$MODEL" $DEV watch bs=64 seconds=5 &
watch=$!
n=0
while [ $n -lt 2 ] || kill -0 $watch 2>/dev/null; do
	n=$((n + 1))
	io mixed len=20000 max=24 nr=150 seed=$n
done
must wait $watch
for seed in 3 4 5; do
	iocheck "$MODEL" $DEV mixed nr=2000 max=40 errors=1 seed=$seed &
	sleep 0.5
	power_cut $seed
	wait
	must dmsetup remove --retry $NAME
	power_on
	make_ssdup policy all drain eager
	io recover
done
remove_ssdup

make_disks hdd_size_mb=16 ssd_size_mb=13
rm "$MODEL"
poison
make_ssdup policy all drain manual
io random len=8192 bs=32 nr=100
# parts of what is logged, and what lies beside it
io discard start=1003 len=2001
io zero start=5005 len=1111
io write start=6 len=3 bs=3
io verify
# in the midst of those 100 writes
model $SSD fail_read "$(log_sector 1600) 300"
must_not message drain
model $SSD fail_read clear
above "lost extents" "$(stat lost_extents)" 0
message lost_ranges >"$T/lost"
# what is lost is an error; all else is as it was
at=0
while read -r start len; do
	[ "$start" = $at ] || io verify start=$at len=$((start - at))
	io fails start="$start" len="$len" bs="$len"
	at=$((start + len))
done < <(sort -n "$T/lost")
io verify start=$at
! grep -q ZZZZZZZZ $HDD || fail "what the SSD held before is on the HDD"
