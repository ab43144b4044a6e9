#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A log that moves to disks with smaller blocks takes writes of these, and is
# accepted the next time; one that moves to larger blocks is refused.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks hdd_size_mb=16 hdd_block_size=4096 ssd_block_size=4096
make_ssdup policy all drain manual
io random nr=100 align=8
remove_ssdup
dd if=$SSD of="$T/log" bs=1M status=none
dd if=$HDD of="$T/hdd" bs=1M status=none

make_disks hdd_size_mb=16
dd if="$T/log" of=$SSD bs=1M conv=fsync status=none
dd if="$T/hdd" of=$HDD bs=1M conv=fsync status=none
make_ssdup policy all drain manual
io mixed start=1 len=16001 max=7 nr=300
remove_ssdup
make_ssdup policy all drain manual
all_home
remove_ssdup
dd if=$SSD of="$T/log" bs=1M status=none

make_disks hdd_size_mb=16 hdd_block_size=4096
dd if="$T/log" of=$SSD bs=1M conv=fsync status=none
must_not dmsetup create $NAME --table "$(table)"
must said "made for smaller logical blocks"
