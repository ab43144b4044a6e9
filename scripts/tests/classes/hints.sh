#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The hint of a file gives new data its class, from Linux 6.9 on: before the job, and behind a
# range and what the log holds. The tool passes the key on as it is.
# invariant: none
# kernels: 6.12 6.1
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

none=1 short=2 medium=3 long=4

# hold DEFAULT JOB SHORT LONG - sectors that the log holds of each class
hold()
{
	is "sectors of the classes" "$(awk '{ print $3 }' "$SYS/classes" | xargs)" "$*"
}

[ "$SSDUP_KERNEL" != 6.1 ] || skip "no hints in bios before Linux 6.9"
make_disks
classes="job+short:late:hint=short+long:hint=long"
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD --policy all -o drain=manual,classes=$classes
find_sys
is "the table" "$(dmsetup table $NAME | grep -o 'classes .*')" "classes $classes"
io write len=64 bs=8
hold 64 0 0 0
io write start=64 len=64 bs=8 hint=$short
hold 64 0 64 0
io write start=128 len=64 bs=8 hint=$long
hold 64 0 64 64
# no class has these
io write start=192 len=64 bs=8 hint=$medium
io write start=256 len=64 bs=8 hint=$none
hold 192 0 64 64
must message class job
io write start=320 len=64 bs=8
io write start=384 len=64 bs=8 hint=$short
hold 192 64 128 64
must message class long 512 64
io write start=448 len=128 bs=128 hint=$short
hold 192 64 192 128
# what the log holds keeps its class
io write len=64 bs=8 hint=$short
hold 192 64 192 128
io verify
all_home
