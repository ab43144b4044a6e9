#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The modelled SSD's flash memory counts what it programs, copies and erases, as theory has it;
# discards save copies, and data are what they were without it.
# invariant: none
# kernels: 6.12 6.1 debug
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# 256 superblocks of 64 pages, and a spare area of 18
flash_disks()
{
	make_disks ssd_size_mb=64 ssd_ftl=1 ssd_dies=4 ssd_block_kb=64 "$@"
	FTL=/sys/block/mssd0/ftl
	rm -f "$MODEL"
}

# ftl FILE - of the SSD's flash memory
ftl()
{
	cat "$FTL/$1"
}

# waf LEAST MOST - write amplification in thousandths since the last reset
waf()
{
		above "write amplification" "$(ftl waf_1e3)" $(($1 - 1))
	below "write amplification" "$(ftl waf_1e3)" $(($2 + 1))
	model mssd0 reset 1
}

all=131072

make_disks
[ ! -e /sys/block/mssd0/ftl ] || fail "flash memory without ssd_ftl"
must_not modprobe -r ssdup-disks ssd_ftl=1

flash_disks
is "superblocks" "$(ftl superblocks)" 274
is "bytes of a superblock" "$(ftl superblock_bytes)" 262144
for _ in 1 2 3; do
	io_on $SSD write len=$all bs=512
done
is "bytes mapped" "$(ftl mapped_bytes)" $((all * 512))
is "bytes written" "$(ftl host_bytes)" $((3 * all * 512))
is "bytes copied" "$(ftl copied_bytes)" 0
above "bytes erased" "$(ftl erased_bytes)" $((all * 900))
waf 1000 1000
# a sector costs a page
io_on $SSD write start=3 len=1 bs=1
waf 8000 8000
io_on $SSD verify

# one that has been written at random: the closed form for 272 superblocks gives 7.68
flash_disks ssd_aged=1
is "bytes mapped" "$(ftl mapped_bytes)" $((all * 512))
io_on $SSD random len=$all bs=8 nr=16384
waf 7290 8060
io_on $SSD verify

# what is discarded reads as zeroes and is spare area, which theory has at 1.19; a page that is
# discarded in part stays
io_on $SSD discard start=4 len=$((all / 2 - 4))
is "bytes discarded" "$(ftl discarded_bytes)" $((all * 256 - 4096))
io_on $SSD verify
io_on $SSD random start=$((all / 2)) len=$((all / 2)) bs=8 nr=16384
model mssd0 reset 1
io_on $SSD random start=$((all / 2)) len=$((all / 2)) bs=8 nr=8192 seed=2
waf 1130 1250
io_on $SSD verify
echo 1 >/sys/module/ssdup_disks/parameters/erase_all
is "bytes mapped after erase_all" "$(ftl mapped_bytes)" $((all * 512))

# a discard is in a volatile cache like a write: after a cut it may have happened or not
flash_disks ssd_cache_mb=16
io_on $SSD write len=16384 bs=64 fsync=1
io_on $SSD discard start=2000 len=9000
power_cut 7
power_on
io_on $SSD recover
io_on $SSD discard start=2000 len=9000
io_on $SSD flush
power_cut 8
power_on
io_on $SSD recover

# ranges that are written as a stream
flash_disks ssd_streams=2
echo 800 80 2 >$FTL/stream_ranges
echo 1600 160 1 >$FTL/stream_ranges
if [ -e /sys/block/mssd0/queue/max_write_streams ]; then
	is "streams" "$(</sys/block/mssd0/queue/max_write_streams)" 2
fi
is "stream_ranges" "$(ftl stream_ranges)" "800 80 2
1600 160 1"
must_not sh -c "echo 0 8 3 >$FTL/stream_ranges"
free=$(ftl free_superblocks)
io_on $SSD write len=2400 bs=8
is "superblocks open or full" $((free - $(ftl free_superblocks))) $((2160 / 512 + 3))
echo clear >$FTL/stream_ranges
is "stream_ranges" "$(ftl stream_ranges)" ""

# no spare area, blocks that are no multiple of what a die programs, and a disk without bandwidth
modprobe -r ssdup-disks
must_not modprobe ssdup-disks ssd_size_mb=64 ssd_ftl=1 ssd_spare_percent=0
must_not modprobe ssdup-disks ssd_size_mb=64 ssd_ftl=1 ssd_block_kb=100
must_not modprobe ssdup-disks ssd_rate_mbps=0
