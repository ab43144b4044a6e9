#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Data of a class that is drained late: an idle device keeps it in the log, and what is
# discarded before its drain never reaches the HDD. Its segments become free by themselves, also
# while drains are paused.
# invariant: none
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0

# written - sectors of data that the HDD has got
written()
{
	local -a fields

	read -r -a fields <"/sys/block/${HDD##*/}/stat"
	echo "${fields[6]}"
}

# held NAME - sectors that the log holds of a class
held()
{
	awk -v name="$1" '$1 == name { print $3 }' "$SYS/classes"
}

slow_disks hdd_discard=1
make_ssdup policy all classes scratch:late
must message class scratch
io write len=4096 bs=64
must message class default
io write start=4096 len=4096 bs=64
until [ "$(held default)" = 0 ]; do
	nap 0.01
done
is "sectors that the HDD has got" "$(written)" 4096
is "late sectors of an idle device" "$(held scratch)" 4096
io verify
io discard len=4096

# several times what the log holds
must message drain pause
must message class scratch
for ((i = 0; i < 12; i++)); do
	io write start=16384 len=8192 bs=128
	io discard start=16384 len=8192
done
is "writes that waited" "$(stat waited_writes)" 0
must message drain start
io verify
flush
is "sectors that the HDD has got" "$(written)" 4096
io verify
io_on $HDD verify

# when a part of the log is full it is drained, and no more than that
must message class scratch
io write start=32768 len=20480 bs=128
until [ "$(held scratch)" -lt 20480 ]; do
	nap 0.01
done
nap 3
above "late sectors that stay" "$(held scratch)" 4096
all_home
