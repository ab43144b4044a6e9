#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# xfs on the device: files are the same after drains, remounts and replays, on
# the bare HDD too, and fsck has nothing to say.
# invariant: 1
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks hdd_size_mb=320 ssd_size_mb=33 hdd_cache_mb=16 ssd_cache_mb=4
must modprobe xfs
make_ssdup
fs_test "mkfs.xfs -q" "xfs_repair -n" ro,norecovery
