#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A page that a failed commit left behind a gap does not come back when the gap
# has been filled in a later life of the log.
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks
make_ssdup policy all drain manual autocommit_ms 3600000
# a sector an entry, 126 entries a page; page 0 is durable
io write len=126 bs=1 fsync=1
# both slots of page 1; page 2 gets through
model $SSD fail_write "$((2048 + 16)) 16"
io write start=8192 len=252 bs=1
must_not message commit
remove_ssdup
heal
make_ssdup policy all drain manual autocommit_ms 3600000
is "extents of page 0" "$(stat extents)" 126
io recover
# page 1, with other writes
io write start=16384 len=126 bs=1 fsync=1
remove_ssdup
make_ssdup policy all drain manual
is "extents of pages 0 and 1" "$(stat extents)" 252
io verify
# and the page that is next takes the place of the leftover
io write start=20480 len=20 bs=1 fsync=1
remove_ssdup
make_ssdup policy all drain manual
is "extents of three pages" "$(stat extents)" 272
all_home
