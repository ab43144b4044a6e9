#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What was written back is still read from the SSD, until it is written again, or until the log
# needs its room. Every way to write makes it stale. The key, a full log and memory limit it.
# invariant: 9
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# hdd_reads COMMAND... - the reads of the HDD that it makes
hdd_reads()
{
	local before

	before=$(model $HDD reads)
	must "$@"
	HDD_READS=$(($(model $HDD reads) - before))
}

# from_ssd [KEY=VALUE]... - that much is right, and the HDD is not asked
from_ssd()
{
	hdd_reads io verify "$@"
	is "reads of the HDD, of $*" $HDD_READS 0
}

# from_hdd [KEY=VALUE]... - that much is right, and comes from the HDD alone
from_hdd()
{
	local before

	before=$(stat reads_ssd)
	hdd_reads io verify "$@"
	above "reads of the HDD, of $*" $HDD_READS 0
	is "reads of the SSD, of $*" "$(stat reads_ssd)" "$before"
}

# clean_is SECTORS
clean_is()
{
	is "clean sectors" "$(stat clean_sectors)" "$1"
}

make_disks hdd_discard=1
make_ssdup policy all drain manual
# by default nothing is clean
io write len=1024 bs=8
flush
clean_is 0
is "clean segments" "$(stat clean_segments)" 0
from_hdd len=1024 bs=8

# --- what was written back is read from the SSD ---
knob clean_percent 50
io write len=4096 bs=8
flush
clean_is 4096
above "clean segments" "$(stat clean_segments)" 0
above "bytes of the map" "$(stat clean_map_bytes)" $((512 * 48))
is "free segments" "$(stat segments_free)" "$(stat segments)"
is "extents" "$(stat extents)" 0
before=$(stat reads_clean)
from_ssd len=4096 bs=8
is "clean reads" $(($(stat reads_clean) - before)) 512
# in one read, too, although the places on the SSD are others
from_ssd len=4096 bs=2048

# --- what is written, on any route, is not ---
knob policy none
io write start=64 len=8 bs=8
clean_is 4088
from_hdd start=64 len=8 bs=8
from_ssd len=64 bs=8
from_ssd start=72 len=1024 bs=8
# in the middle of an extent: the longer side stays
io write start=83 len=1 bs=1
clean_is 4084
from_ssd start=84 len=4 bs=1
from_hdd start=80 len=3 bs=1
# too little is clean on either side: the HDD serves it all
from_hdd start=64 len=24 bs=24
knob policy all
io write start=128 len=8 bs=8
is "dirty sectors" "$(stat dirty_sectors)" 8
clean_is 4076
from_ssd start=96 len=128 bs=8
# discards and zeroes, of what is dirty too
io discard start=128 len=16
clean_is 4068
io zero start=256 len=64
clean_is 4004
io verify len=4096 bs=8
io verify len=4096 bs=2048
flush
# a discard leaves nothing that is clean
clean_is 4004
io verify len=4096 bs=2048

# --- a read across dirty, clean and other sectors ---
message forget
clean_is 0
is "clean segments" "$(stat clean_segments)" 0
from_hdd len=4096
io write start=0 len=16384 bs=64 step=192
flush
io write start=64 len=16320 bs=64 step=192
io verify len=16384 bs=2048
io verify len=16384 bs=96
io verify len=16384 bs=1

# --- no more than the key says, and the oldest go ---
flush
segments=$(stat segments)
knob clean_percent 10
wait_until clean_segments -le $((segments / 10))
is "clean segments" "$(stat clean_segments)" $((segments / 10))
io write len=$((segments * $(segment_data) / 2)) bs=64
flush
wait_until clean_segments -eq $((segments / 10))
from_hdd len=64 bs=64
from_ssd start=$((segments * $(segment_data) / 2 - 64)) len=64 bs=64
io verify
knob clean_percent 0
wait_until clean_segments -eq 0
clean_is 0
is "bytes of the map" "$(stat clean_map_bytes)" 0
must_not sh -c "echo 91 >$SYS/clean_percent"

# --- a log that was all but filled with clean data takes as much as an empty one ---
knob clean_percent 90
io write len=$((($(log_writes 64) - 32) * 64)) bs=64
flush
above "clean segments" "$(stat clean_segments)" $((segments * 3 / 4))
hdd=$(stat writes_hdd) waited=$(stat waited_writes)
# FUA, as fast as the SSD takes it: what ends in memory comes faster than segments are forgotten
io write start=65536 len=$((($(log_writes 64) - 32) * 64)) bs=64 depth=8 fua=1
is "writes to the HDD" "$(stat writes_hdd)" "$hdd"
above "dirty sectors" "$(stat dirty_sectors)" $((segments * $(segment_data) * 3 / 4))
is "waits" "$(stat waited_writes)" "$waited"
all_home
remove_ssdup
