#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A table is loaded and resumed while one allocation fails, a later one each time:
# it is refused for want of memory or works, leaves nothing behind, and the next
# try finds what the log holds. A reload that fails leaves the old table at work.
# invariant: 8
# kernels: debug
# seconds: 240
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks
make_ssdup policy all drain manual
io random bs=8 nr=600
remove_ssdup
fail_memory 0

hostile starve $HDD $SSD "$MODEL" >"$T/counts" || fail "tables without memory"
cat "$T/counts"
{
	read -r _ _ tables _
	read -r _ _ reloads _
} <"$T/counts"
above "tables refused" "$tables" 15
above "reloads refused" "$reloads" 5

make_ssdup policy all drain manual
io verify
all_home
remove_ssdup
must modprobe -r dm-ssdup
