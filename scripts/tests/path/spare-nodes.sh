#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Writes to several classes are in flight, each of which splits an extent, and there are more of
# them than nodes in the reserve. Then no memory is left. Each of them ends well: those that the
# reserve is not for have brought a node along.
# invariant: 8
# kernels: debug
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

EACH=200		# writes to each of three classes; a reserve for each segment would do for them
PART=$((EACH * 64))	# sectors of each class

make_disks ssd_size_mb=49
must dmsetup create other --table "0 $(blockdev --getsz $SSD) linear $SSD 0"
SSD=/dev/mapper/other
make_ssdup policy all drain manual autocommit_ms 3600000 classes a+b
must message class a $PART $PART
must message class b $((2 * PART)) $PART
io write len=$((3 * PART)) bs=64
is "sectors of the classes" "$(awk '{ print $3 }' "$SYS/classes" | xargs)" "$PART $PART $PART"

# what the SSD holds back has its place in the log, and no extent yet
before=$(stat writes_ssd)
must dmsetup suspend --nolockfs other
writers=()
for part in 0 1 2; do
	io write start=$((part * PART + 16)) len=$((PART - 48)) bs=8 step=64 depth=$EACH &
	writers+=($!)
done
wait_until writes_ssd -ge $((before + 3 * EACH))
fail_memory 100
# the modelled SSD ends them: what dm-ssdup allocates below that is to fail, too
for file in /sys/kernel/debug/fail*/reject-{start,end}; do
	echo 0 >"$file"
done
must dmsetup resume other
for writer in "${writers[@]}"; do
	wait "$writer" || fail "a writer ended with status $?"
done
fail_memory 0
is "mode" "$(stat mode)" 0
above "extents" "$(stat extents)" $((3 * EACH * 5 / 2))
io verify
all_home
