#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Small writes end in memory while the SSD takes none. What is read is what was written, also of
# writes that others have cut, and of discards over them. No drain and no FLUSH goes on without
# them. When there is no room, the next one waits for the SSD. They go there by themselves, many
# in a request.
# invariant: 1 2 4 6
# cpus: 2
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0

# requests - of writes that the SSD has ended
requests()
{
	local stat

	read -ra stat </sys/block/mssd0/stat
	echo "${stat[4]}"
}

# held - a new log, whose first segment the SSD does not take
held()
{
	SSD=/dev/mssd0
	blank_log
	make_ssdup
	data=$(log_sector 0) room=$(segment_data)
	remove_ssdup
	slow_ssd "$data" "$room" 0 3600000
	make_ssdup policy all drain manual autocommit_ms 3600000
}

# let_go - what the SSD holds back it writes
let_go()
{
	fast_ssd
	SSD=/dev/mssd0
}

make_disks ssd_size_mb=65

# they end, and are read, whole and in part; each command may take two of the four buffers
held
io write len=96 bs=8
is "writes to the log" "$(stat writes_ssd)" 12
cmp -s -n 4096 -i $((data * 512)):0 /dev/mssd0 /dev/zero || fail "the SSD has it"
io verify len=96
io verify start=3 len=42 bs=7
# cut in the middle, or behind
io write start=2 len=90 bs=3 step=9
io verify len=96 bs=1
io zero start=52 len=3
io discard start=56 len=4
io verify len=96 bs=1
# a FLUSH waits for them, and a drain
iocheck "$MODEL" $DEV flush len=192 &
flush=$!
message drain &
drain=$!
# no event says that they wait: time for them to go on all the same
sleep 0.5
kill -0 $flush || fail "the FLUSH has not waited"
kill -0 $drain || fail "the drain has not waited"
is "sectors drained" "$(stat drained_sectors)" 0
io verify len=96 bs=1
let_go
must wait $flush
must wait $drain
io verify
io_on $HDD verify len=96 bs=1
remove_ssdup
must dmsetup remove other

# long ones, which lie in several pages
held
io write len=192 bs=64
io write start=5 len=160 bs=9 step=50
io verify len=192
io verify len=192 bs=1
let_go
all_home
remove_ssdup
must dmsetup remove other

# room for 384 KiB: four buffers of 96 KiB, which are not used again before they are written
held
iocheck "$MODEL" $DEV write len=1024 bs=8 depth=1 &
writer=$!
wait_until writes_ssd -ge 4
sleep 0.5
kill -0 $writer || fail "nobody waits for the SSD"
is "writes that have ended" "$(($(stat writes_ssd) <= 97))" 1
let_go
must wait $writer
flush
power_cut 1
must dmsetup remove --force $NAME
power_on
must dmsetup remove other
make_ssdup policy all drain manual
io recover
all_home
remove_ssdup

# by themselves, though nothing is full and nobody commits
make_ssdup policy all drain manual autocommit_ms 3600000
before=$(requests)
io write start=2048 len=8
for _ in {1..1000}; do
	[ "$(requests)" = "$before" ] || break
	nap 0.01
done
is "requests for one write, commits" "$(($(requests) - before)) $(stat commits)" "1 0"

# several in a request: how many is a matter of ticks
before=$(requests)
io write start=4096 len=2048 bs=8 depth=1
flush
below "requests for 256 writes" $(($(requests) - before)) 200
io verify
all_home
remove_ssdup
