#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The map of what is clean takes no more than a 256th of the RAM, whatever the key allows: here that
# is for less than half of the log, in blocks of 4 KiB. The oldest gives way; what is forgotten gives
# its memory back; and all reads are right.
# invariant: 8 9
# mem: 512
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_host_disks 320 320
blank_log
make_ssdup policy all drain manual clean 90
read -r _ kib _ </proc/meminfo
limit=$((kib * 1024 / 256))
len=$((240 * 2048))

io write len=$len bs=8 depth=16
flush
wait_until clean_map_bytes -le $limit
above "bytes of the map" "$(stat clean_map_bytes)" $((limit * 3 / 4))
# 52 bytes a block
above "clean sectors" "$(stat clean_sectors)" $((limit * 6 / 52))
below "clean sectors" "$(stat clean_sectors)" $((limit * 8 / 50))
below "clean segments" "$(stat clean_segments)" $(($(stat segments) / 2))

# the youngest is there, the oldest is not
reads=$(stat reads_hdd)
io verify start=$((len - 8192)) len=8192 bs=8
is "reads of the HDD" "$(stat reads_hdd)" "$reads"
io verify len=8192 bs=8
is "reads of the HDD" "$(stat reads_hdd)" $((reads + 1024))
io verify len=$len bs=2048

# a second round does not add to it
io write len=$len bs=8 depth=16
flush
wait_until clean_map_bytes -le $limit
io verify len=$len bs=512
message forget
is "bytes of the map" "$(stat clean_map_bytes)" 0
is "extents" "$(stat extents)" 0
remove_ssdup
must dmsetup remove hdd ssd
