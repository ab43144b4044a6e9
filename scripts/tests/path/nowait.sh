#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Reads and writes that must not wait, and that a disk sends back for want of a tag, are
# counted when they get through, and then once.
# invariant: none
# programs: fio
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

slow_disks hdd_depth=1
echo 2 >/sys/block/${HDD##*/}/queue/nomerges
echo none >/sys/block/${HDD##*/}/queue/scheduler
make_ssdup policy none drain manual
message clear_stats
model $HDD reset 1
must fio --name=nowait --filename=$DEV --direct=1 --rw=randrw --bs=4k --size=8m --numjobs=4 \
	--ioengine=pvsync2 --nowait=1 --ignore_error=EAGAIN,EAGAIN --output="$T/fio"
above "requests sent back" "$(sed -n 's/.* errors *: total=\([0-9]*\).*/\1/p' "$T/fio" |
	awk '{ n += $1 } END { print n + 0 }')" 10
above "writes" "$(stat writes_hdd)" 10
is "writes" "$(stat writes_hdd)" "$(model $HDD writes)"
is "reads" "$(stat reads_hdd)" "$(model $HDD reads)"
is "sectors written" "$(stat write_sectors_hdd)" $(($(stat writes_hdd) * 8))
