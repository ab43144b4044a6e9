#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The log is full, the HDD refuses blocks of it, and the power goes each time that a drain has
# relocated one: what was left to relocated blocks is soon used up. A drain frees one segment
# after the other then, so that the next block finds room again.
# invariant: 7
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

must modprobe dm-delay
make_disks ssd_size_mb=11
must dmsetup create other --table "0 $LEN linear $HDD 0"
DISK=$HDD HDD=/dev/mapper/other
# a batch has 256 blocks, and so one of those that the HDD refuses
options=(policy all drain manual autocommit_ms 1)
make_ssdup "${options[@]}"
data=$(segment_data) segments=$(stat segments)
is "blocks of a segment" $((data / 8)) 61
io write len=$((data * (segments - 2))) bs=8 fsync=1
is "free segments" "$(stat segments_free)" 2
refuse_late 1000 $((6 * data + 8)) $((12 * data + 8)) $((18 * data + 8)) $((24 * data + 8))

for cut in 1 2 3; do
	message drain start
	wait_until unwritable_extents -eq 1
	nap 0.5
	reboot $cut "${options[@]}"
	io recover
	above "free segments after cut $cut" "$(stat segments_free)" 0
done
must_not message drain
is "error of the drain" "$(stat drain_errno)" 0
above "free segments" "$(stat segments_free)" $((segments - 3))
io verify

refuse_late 0
all_home
remove_ssdup
must dmsetup remove other
