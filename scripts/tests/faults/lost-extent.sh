#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What the SSD cannot give back reads as EIO until it is overwritten, whatever
# happens in between, and lost_ranges lists it; nothing else is touched.
# invariant: 3 7
# layers: bare linear
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks
make_ssdup policy none drain manual
io write len=4096 bs=64
is "lost ranges" "$(message lost_ranges)" none
knob policy all
io write start=80 len=80 bs=16
io write start=2000 len=640 bs=64
model $SSD fail_read "$(log_sector 24) 1"
io fails start=96 len=32 bs=32
must_not message drain
is "lost ranges" "$(message lost_ranges)" "104 8"
is "lost extents" "$(stat lost_extents)" 1
is "mode" "$(stat mode)" 0
model $SSD fail_read clear

# not older data, not zeros: an error, for good
check_lost()
{
	io fails start=104 len=8 bs=8
	io fails start=96 len=32 bs=32
	io verify len=104
	io verify start=112 len=3984
}
check_lost
remove_ssdup
make_ssdup policy none drain manual
is "lost ranges" "$(message lost_ranges)" "104 8"
check_lost
must_not message drain
check_lost
reboot 1 policy none drain manual
check_lost

io write start=104 len=4
is "lost ranges" "$(message lost_ranges)" "108 4"
io fails start=108 len=4 bs=4
io write start=108 len=4
is "lost ranges" "$(message lost_ranges)" none
all_home

# the power goes when what is lost is logged anew, and the segment that held the data is not free
# yet: of the two, the younger segment's counts
remove_ssdup
make_disks
rm "$MODEL"
make_ssdup policy all drain manual
io write len=640 bs=16
model $SSD fail_read "$(log_sector 24) 1"
echo "free_tail 1 7" >/sys/module/ssdup_disks/parameters/cut_at || fail "no cut at free_tail"
must_not message drain
# the disks are decided about in the background
until [ "$(</sys/module/ssdup_disks/parameters/cut_at)" = "done free_tail" ]; do
	nap 0.01
done
remove_ssdup
power_on
heal
make_ssdup policy all drain manual
is "lost ranges after a power cut" "$(message lost_ranges)" "24 8"
io fails start=24 len=8 bs=8
io verify len=24
io verify start=32 len=608
