#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# btrfs on the device: files are the same after drains, remounts and replays, on
# the bare HDD too, and fsck has nothing to say.
# invariant: 1
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks hdd_size_mb=256 ssd_size_mb=33 hdd_cache_mb=16 ssd_cache_mb=4
must modprobe btrfs
make_ssdup
fs_test "mkfs.btrfs -q" "btrfs check" ro,nologreplay
