#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# ext4 on the device: files are the same after drains, remounts and replays, on
# the bare HDD too, and fsck has nothing to say.
# invariant: 1
# kernels: 6.12 6.1
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks hdd_size_mb=128 ssd_size_mb=33 hdd_cache_mb=16 ssd_cache_mb=4
must modprobe ext4
make_ssdup
fs_test "mkfs.ext4 -q -E lazy_itable_init=0" "e2fsck -fn" ro,noload
