#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A database on xfs: what was committed is there after each power cut, and
# xfs_repair has nothing to say.
# invariant: 2
# seconds: 200
#
# Usage in a machine by hand: fs/xfs-cuts.sh [SEED...]
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
# shellcheck source=scripts/tests/fs-cuts.sh
. /ssdup/scripts/tests/fs-cuts.sh

[ $# -gt 0 ] || set -- 4 5 6
must modprobe xfs
make_disks hdd_size_mb=320 ssd_size_mb=11 hdd_cache_mb=16 ssd_cache_mb=4
fs_cuts "mkfs.xfs -q" "xfs_repair -n" defaults "$@"
