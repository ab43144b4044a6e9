#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Memory that can only be had by writing through the device: swap on it, with
# segments that fill up, and file data that is written back under pressure.
# While the device is suspended there is none of that: a resume does not ask for it.
# invariant: 8
# cpus: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks hdd_size_mb=256 ssd_size_mb=11
make_ssdup policy all
must mkswap $DEV >/dev/null
mkdir -p /run/cgroup
mount -t cgroup2 none /run/cgroup || skip "no cgroups in this kernel"
echo +memory >/run/cgroup/cgroup.subtree_control || skip "no memory control in this kernel"
must swapon $DEV
mkdir -p /run/cgroup/small
# high, not max: under max, reclaim that waits for a drain may end in an OOM kill
echo 24M >/run/cgroup/small/memory.high
mkdir -p /mnt/ram
must mount -t tmpfs none /mnt/ram
(
	echo $BASHPID >/run/cgroup/small/cgroup.procs
	for n in 1 2 3; do
		dd if=/dev/urandom of=/mnt/ram/$n bs=1M count=16 status=none || exit 1
		md5sum <"/mnt/ram/$n" >"$T/$n"
	done
	for n in 1 2 3; do
		md5sum </mnt/ram/$n | cmp - "$T/$n" || exit 1
	done
) || fail "memory that was swapped out is not what it was"
above "sectors swapped out" "$(stat write_sectors_ssd)" 16384
above "segments freed" "$(stat frees)" 60
umount /mnt/ram
must swapoff $DEV
rmdir /run/cgroup/small
umount /run/cgroup

# while it is suspended nothing can be swapped out to it: a resume gets its memory without,
# and for the extents of the log, which may be too many, it does not try for ever
tracing=/sys/kernel/tracing
# so that they are there still, however long that takes
knob drain manual
io write len=8192 bs=4
echo 1 >$tracing/events/kmem/mm_page_alloc/enable
echo 1 >$tracing/events/kmem/kmem_cache_alloc/enable
echo 1 >$tracing/events/ssdup/ssdup_step/enable
reload policy all
echo 0 >$tracing/events/kmem/mm_page_alloc/enable
echo 0 >$tracing/events/kmem/kmem_cache_alloc/enable
echo 0 >$tracing/events/ssdup/ssdup_step/enable
sed -n '/ dmsetup-.* load_super$/,/ epoch_done$/{/ dmsetup-.* mm_page_alloc:/p}' \
	$tracing/trace >"$T/pages"
above "allocations of pages by a resume" "$(wc -l <"$T/pages")" 1
! grep -E 'GFP_(KERNEL|USER|HIGHUSER|IO)|GFP_NOFS' "$T/pages" || fail "a resume waits for I/O"
grep 'call_site=ssdup_add_array' $tracing/trace >"$T/nodes"
above "allocations of nodes by a resume" "$(wc -l <"$T/nodes")" 1
! grep -v __GFP_RETRY_MAYFAIL "$T/nodes" || fail "a resume does not give up"
io verify len=8192
