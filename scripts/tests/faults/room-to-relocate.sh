#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The log is full, writes wait, and the HDD refuses blocks of the oldest segments. A drain
# relocates these to the segments that writers leave, and writers do not take them meanwhile:
# so every group of segments becomes free, however long the HDD takes to refuse.
# invariant: 7
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

must modprobe dm-delay
make_disks ssd_size_mb=11
must dmsetup create other --table "0 $LEN linear $HDD 0"
DISK=$HDD HDD=/dev/mapper/other
refuse_late 100 {8..999..88}
make_ssdup policy all drain manual autocommit_ms 1
room=$(($(log_writes 8) * 8))
io write len=$room bs=8
is "free segments" "$(stat segments_free)" 2

# twice as much as the log holds: each group is drained while others wait
must timeout 100 iocheck "$MODEL" $DEV write start=$room len=$((room * 2)) bs=8 depth=64
is "waiting writes and error of drains" "$(stat waiting_writes) $(stat drain_errno)" "0 0"
above "unwritable extents" "$(stat unwritable_extents)" 11
io verify

refuse_late 0
all_home
remove_ssdup
must dmsetup remove other
