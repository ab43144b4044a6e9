#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A database on btrfs: what was committed is there after each power cut, and
# btrfs check has nothing to say.
# invariant: 2
# seconds: 200
#
# Usage in a machine by hand: fs/btrfs-cuts.sh [SEED...]
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
# shellcheck source=scripts/tests/fs-cuts.sh
. /ssdup/scripts/tests/fs-cuts.sh

[ $# -gt 0 ] || set -- 7 8 9
must modprobe btrfs
make_disks hdd_size_mb=256 ssd_size_mb=11 hdd_cache_mb=16 ssd_cache_mb=4
fs_cuts "mkfs.btrfs -q" "btrfs check" defaults "$@"
