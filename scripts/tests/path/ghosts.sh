#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What a read cache on the SSD would serve is counted, and what it would write for that: metadata of
# file systems from the first miss on, other small reads from the second, long or sequential ones
# never. Nothing is copied.
# invariant: none
# cpus: 1
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# counts AGAIN PROMOTED - sectors, since the last clear_stats
counts()
{
	is "sectors read again" "$(stat read_sectors_again)" "$1"
	is "sectors to be written" "$(stat promote_sectors)" "$2"
	must message clear_stats
}

make_disks ssd_size_mb=129 hdd_size_mb=256
make_ssdup policy none ghosts 1
io write len=65536 bs=256
must message clear_stats
commits
before=$(model $SSD bytes_written)

# small reads here and there: the first pass, the second, the third
for want in "0 0" "0 2016" "504 0"; do
	io verify start=1024 len=64512 bs=8 step=1024
	# shellcheck disable=SC2086 # two words
	counts $want
done
# a pass over all of it, twice
for _ in 1 2; do
	io verify len=65536 bs=8
	below "sectors read again" "$(stat read_sectors_again)" 2048
	io verify len=65536 bs=256
done
below "sectors to be written" "$(stat promote_sectors)" 4096
is "bytes written to the SSD" "$(model $SSD bytes_written)" "$before"

# without the key nothing is counted; with it what was known still is
knob ghosts 0
must message clear_stats
io verify start=1024 len=64512 bs=8 step=1024
counts 0 0
knob ghosts 1
io verify start=1024 len=1024 bs=8 step=1024
is "reads again" "$(stat reads_again)" 1
must message clear_stats

# the files of a tree, which are looked for twice
mkdir -p /mnt/s
must mkfs.ext4 -q $DEV
must mount $DEV /mnt/s
for dir in {1..40}; do
	mkdir "/mnt/s/$dir"
	for file in {1..40}; do
		: >"/mnt/s/$dir/$file"
	done
done
for round in 1 2; do
	must umount /mnt/s
	must mount -o noatime $DEV /mnt/s
	must message clear_stats
	ls -lR /mnt/s >"$T/find"
	read_hdd[round]=$(stat reads_hdd)
	again[round]=$(stat reads_again)
done
above "files" "$(wc -l <"$T/find")" 1600
above "reads of the second round, of 100" $((100 * again[2] / read_hdd[2])) 80
must umount /mnt/s
remove_ssdup
