#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A page of which every write is still under way does not part a FLUSH from the
# page behind it: a replay that ended there would lose what was promised.
# invariant: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# a segment has several pages, and room for one of entries that are too long to end in memory
make_disks ssd_discard=0 ssd_size_mb=8194
make_ssdup
data=$(log_sector 0)
remove_ssdup
# the log's first page worth of places takes no write before it is told to
slow_ssd "$data" $((126 * 65)) 0 3600000
make_ssdup policy all drain manual autocommit_ms 3600000
iocheck "$MODEL" $DEV write len=$((126 * 65)) bs=65 depth=126 errors=1 &
wait_until writes_ssd -eq 126
io write start=16384 len=64 bs=1
io flush start=16384 len=64
is "extents" "$(stat extents)" 64
power_cut 1
must dmsetup suspend other
must dmsetup resume other
wait
must dmsetup remove --retry $NAME
power_on
# a discard would be held back like the writes
make_ssdup policy all drain manual
above "extents" "$(stat extents)" 63
io recover
all_home
remove_ssdup
