#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A drain takes along what the receiving half holds, in one pass over the HDD and
# only once; after a flush of the HDD that failed, all of it is written again.
# cpus: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# fill_both - the sealed half has every other block, the receiving one the rest
fill_both()
{
	local half seal=$(($(stat seals) + 1))

	half=$(($(stat half_data_sectors) * 3 / 4 / 64 * 64))
	io write start=0 len=$((half * 2)) bs=64 step=128
	# past the end of the half: the next one opens
	io write start=100000 len=$((half / 2)) bs=64
	is "seals" "$(stat seals)" $seal
	io write start=64 len=$((half - 64)) bs=64 step=128
}

make_disks
make_ssdup policy all drain manual
fill_both
dirty=$(stat dirty_sectors)
message clear_stats
flush
is "halves freed" "$(stat frees)" 2
is "sectors drained" "$(stat drained_sectors)" "$dirty"
# neighbours of both halves were written together
below "writes to the HDD" "$(stat drain_writes)" $((dirty / 128))
all_home

# flushes of the HDD fail: nothing that was written there counts
fill_both
dirty=$(stat dirty_sectors)
message clear_stats
model $HDD fail_flush 1
must_not message flush
# nor is it tried again by itself
message drain pause
is "halves freed" "$(stat frees)" 0
is "sectors drained" "$(stat drained_sectors)" "$dirty"
model $HDD fail_flush 0
message clear_stats
flush
is "sectors drained once more" "$(stat drained_sectors)" "$dirty"
all_home

# rewritten while the first version is under way: the second one is drained too
fill_both
message flush &
for n in 1 2 3; do
	io random start=0 len=20000 bs=24 nr=40 seed=$n
done
wait $!
all_home

# while the HDD is flushed for a half that writers wait for, what comes next is read, and
# then written as what goes along
remove_ssdup
must dmsetup create other --table "0 $(blockdev --getsz $HDD) linear $HDD 0"
HDD=/dev/mapper/other
make_ssdup policy all full block drain manual
half=$(stat half_data_sectors)
must dmsetup suspend --noflush other
io write start=0 len=$((half * 9 / 4 / 64 * 64)) bs=64 depth=1 &
writer=$!
# all of the log is handed out: the next one has no room, and stays
wait_until receiving_fill_1e4 -gt 9960
wait_until waiting_writes -eq 1
must dmsetup resume other
must wait $writer
wait_until home_sectors -gt 0
above "halves freed" "$(stat frees)" 0
below "sectors of the next half that are home" "$(stat home_sectors)" 8193
io write start=0 len=4096 bs=64
all_home
remove_ssdup
must dmsetup remove other
