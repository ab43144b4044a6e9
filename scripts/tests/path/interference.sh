#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# R of an SSD with flash memory is what reads of it cost the writes to it: none before they begin,
# then as much as the throughput says, and none again soon after they have ended.
# invariant: none
# time: virtual
# seconds: 300
# mem: 2048
# programs: fio
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# work NAME OPTION... - fio at the device, until it is killed
work()
{
	fio --name="$1" --filename=$DEV --direct=1 --ioengine=libaio --iodepth=16 \
		--time_based --runtime=600 --output="$T/$1" "${@:2}" &
}

# written SECONDS - sectors that the log gets in that time
written()
{
	local before

	before=$(stat write_sectors_ssd)
	sleep "$1"
	echo $(($(stat write_sectors_ssd) - before))
}

make_disks instant=0 hdd_size_mb=1024 ssd_size_mb=769 ssd_ftl=1 ssd_block_kb=64 \
	ssd_rate_mbps=112 ssd_latency_us=60
make_ssdup policy all drain manual
is "interference before anybody writes" "$(stat ssd_interference_1e4)" 10000
io write len=$((16 * 2048)) bs=512
# too long to end in memory
work writer --bs=36k --rw=randwrite --offset=64m --size=900m
writer=$!
sleep 0.5
alone=$(written 1.5)
is "interference without readers" "$(stat ssd_interference_1e4)" 10000
ssdup_exits 0 status $NAME
! grep -q "disturbed:" "$T/out" || fail "it is disturbed by nobody"
work reader --bs=16k --iodepth=32 --rw=randread --size=16m
reader=$!
# R is what a second was like, by the machine's clock: what went before has to go out of it first
sleep 1
beside=$(written 1.5)
r=$(stat ssd_interference_1e4)
ssdup_exits 0 status $NAME
says "disturbed: writes to the SSD take"
above "interference, by throughput" "$r" $((9000 * alone / beside))
below "interference, by throughput" "$r" $((10500 * alone / beside))
above "interference" "$r" 15000
kill -INT $reader
wait $reader
sleep 2
below "interference after the readers" "$(stat ssd_interference_1e4)" 12000
kill -INT $writer
wait $writer
sleep 1.5
is "interference when nobody writes" "$(stat ssd_interference_1e4)" 10000
