#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A page that a failed commit left behind a gap does not come back in a later life of the
# log, not even when its segment is opened again, and the gap is filled.
# invariant: 2 4
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# header - of segment 0
header()
{
	dd if=$SSD bs=512 skip=2048 count=1 iflag=direct status=none
}

# segments with several pages
make_disks ssd_size_mb=161
make_ssdup policy all drain manual autocommit_ms 3600000
# a sector an entry, 126 entries a page; page 0 is durable
io write len=126 bs=1 fsync=1
# both slots of page 1; page 2 gets through
model $SSD fail_write "$((2056 + 16)) 16"
io write start=8192 len=252 bs=1
must_not message commit
remove_ssdup
heal
make_ssdup policy all drain manual autocommit_ms 3600000
is "extents of page 0" "$(stat extents)" 126
io recover
# other writes open the next segment
io write start=16384 len=126 bs=1 fsync=1
remove_ssdup
make_ssdup policy all drain manual
is "extents of both segments" "$(stat extents)" 252
all_home
# and when the first segment is opened again, its first pages take the place of the old ones
header >"$T/header"
for ((n = $(stat segments) - 2; n > 0; n--)); do
	io write start=16384 len=8 bs=8
	flush
done
header | must cmp - "$T/header"
io write len=252 bs=1 fsync=1
must_not cmp <(header) "$T/header"
remove_ssdup
make_ssdup policy all drain manual
is "extents of two pages" "$(stat extents)" 252
all_home
