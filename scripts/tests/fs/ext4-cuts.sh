#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A database on ext4, with data=ordered and data=journal: what was committed is
# there after each power cut, and fsck has nothing to say.
# invariant: 2
# seconds: 200
#
# Usage in a machine by hand: fs/ext4-cuts.sh [SEED...]
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
# shellcheck source=scripts/tests/fs-cuts.sh
. /ssdup/scripts/tests/fs-cuts.sh

[ $# -gt 0 ] || set -- 1 2 3
must modprobe ext4
for data in ordered journal; do
	make_disks ssd_size_mb=11 hdd_cache_mb=16 ssd_cache_mb=4
	fs_cuts "mkfs.ext4 -q -E lazy_itable_init=0" "e2fsck -fn" data=$data "$@"
done
