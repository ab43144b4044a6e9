#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Write-zeroes reads as zeros whatever the route, and is on the HDD after a drain.
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

for discard in 0 1; do
	make_disks hdd_discard=$discard ssd_discard=$discard
	make_ssdup policy none range_mb 1 drain manual
	io write len=16384 bs=512
	io zero start=100 len=5000
	io verify
	knob policy all
	io write len=8192 bs=32
	io zero start=1001 len=4003
	io zero start=6000 len=4000
	io verify
	io random start=1000 len=1000 bs=8 nr=20 seed=1
	must blkdiscard -z -o $((2048 * 512)) -l $((512 * 512)) $DEV
	io zero start=2048 len=512
	remove_ssdup
	make_ssdup policy none
	io verify
	all_home
	remove_ssdup
	rm "$MODEL"
done
