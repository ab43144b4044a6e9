#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A machine of 256 MB that swaps to the device, with more data than it has memory,
# under a burst to the same device, with a log that fills up: it goes on, kills
# nobody, and keeps all data. It boots with more, for its root file system is in
# memory twice then, and what is too much is taken away. The disks are parts of the
# host's, for modelled ones are in memory.
# invariant: 8
# mem: 512
# seconds: 180
# cpus: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# 236 MiB of 256 are left by a kernel; this one has its root file system there too
read -r _ total _ </proc/meminfo
root=$(du -xsm / | cut -f1)
taken=$((total / 1024 - root - 236))
above "MiB too many" $taken 0
mkdir -p /mnt/taken
must mount -t ramfs none /mnt/taken
must dd if=/dev/zero of=/mnt/taken/file bs=1M count=$taken status=none

make_host_disks 320 12
blank_log
make_ssdup policy all
# swap below, the burst above
must dmsetup create other --table "0 $((256 * 2048)) linear $DEV 0"
must mkswap /dev/mapper/other >/dev/null
must swapon /dev/mapper/other

iocheck "$MODEL" $DEV stress start=$((260 * 2048)) len=$((48 * 2048)) max=256 seconds=12 &
burst=$!
mkdir -p /mnt/ram
must mount -t tmpfs -o size=90% none /mnt/ram
dd if=/dev/urandom of=/mnt/ram/base bs=1M count=8 status=none || fail "no base"
read -r _ available _ < <(grep MemAvailable /proc/meminfo)
files=$((available / 8192 + 8))
above "files" $files 10
for ((n = 0; n < files; n++)); do
	(echo $n; cat /mnt/ram/base) >/mnt/ram/$n || fail "file $n"
done
above "sectors swapped out" "$(stat write_sectors_ssd)" 65536
for ((n = 0; n < files; n++)); do
	(echo $n; cat /mnt/ram/base) | cmp - /mnt/ram/$n || fail "file $n is not what it was"
done
must wait $burst
above "segments freed" "$(stat frees)" 5
! dmesg | grep -iE 'out of memory|oom-kill' || fail "somebody was killed"
umount /mnt/ram
must swapoff /dev/mapper/other
must dmsetup remove other
io verify start=$((260 * 2048)) len=$((48 * 2048))
flush
remove_ssdup
must dmsetup remove hdd
must dmsetup remove ssd
