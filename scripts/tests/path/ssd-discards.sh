#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Segments that are free are discarded on the SSD, so that it maps next to nothing after a drain;
# not while a read points into them, not when the block layer has switched discards off, and none is
# opened meanwhile.
# invariant: 4
# kernels: 6.12 6.1
# cpus: 2
# seconds: 480
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

FTL=/sys/block/mssd0/ftl

# flash_ssd - 64 MiB, and what a log holds
flash_ssd()
{
	make_disks ssd_size_mb=65 ssd_ftl=1 ssd_dies=4 ssd_block_kb=64 hdd_size_mb=128
	rm -f "$MODEL"
}

# maps_below BYTES - the SSD does, sooner or later
maps_below()
{
	local end=$((SECONDS + 150))

	until [ "$(<$FTL/mapped_bytes)" -lt "$1" ]; do
		[ $SECONDS -lt $end ] || fail "the SSD maps $(<$FTL/mapped_bytes) bytes, not below $1"
		nap 0.01
	done
}

# freed - sectors of the segments freed so far
freed()
{
	echo $(($(stat frees) * $(stat segment_sectors)))
}

# discarded - sectors that the block layer has sent the SSD discards of, since count_anew
discarded()
{
	local stat

	read -ra stat </sys/block/mssd0/stat
	echo $((stat[13] - counted))
}

count_anew()
{
	counted=0
	counted=$(discarded)
}

# until_discarded TEST N - so many sectors are, sooner or later
until_discarded()
{
	local end=$((SECONDS + 150))

	until test "$(discarded)" "$1" "$2"; do
		[ $SECONDS -lt $end ] || fail "$(discarded) sectors are discarded, not $*"
		nap 0.01
	done
}

# the tool discards the SSD before it makes a log, unless told not to; the kernel does not
flash_ssd
io_on $SSD write len=131072 bs=512
rm "$MODEL"
must ssdup format $HDD $SSD --force --no-discard
above "bytes mapped" "$(<$FTL/mapped_bytes)" $((60 << 20))
blank_log
make_ssdup policy all drain manual
remove_ssdup
above "bytes mapped" "$(<$FTL/mapped_bytes)" $((60 << 20))
must ssdup format $HDD $SSD --force
below "bytes mapped" "$(<$FTL/mapped_bytes)" $((2100 << 10))
count_anew
make_ssdup policy all drain manual
is "sectors discarded" "$(discarded)" 0

# a burst and a drain, thrice; a log alone copies nothing
model mssd0 reset 1
for seed in 1 2 3; do
	io random len=131072 bs=16 nr=3000 seed=$seed
	above "bytes mapped" "$(<$FTL/mapped_bytes)" $((20 << 20))
	flush
	maps_below $((2500 << 10))
done
below "write amplification" "$(<$FTL/waf_1e3)" 1021
until_discarded -eq "$(freed)"
is "free segments" "$(stat segments_free)" $(($(stat segments)))
all_home

# while a log that is full rewrites itself, too
knob drain auto
io random len=262144 bs=64 nr=4096 seed=4
below "write amplification" "$(<$FTL/waf_1e3)" 1021
all_home

# what a replay finds is older than the tail, or zeroes
remove_ssdup
make_ssdup policy all drain manual
is "extents" "$(stat extents)" 0
io random len=131072 bs=8 nr=1000 seed=5
remove_ssdup
must_not sh -c "ssdup check --full $SSD | grep -i fault"
# the block layer sends it none
must dmsetup create other --table "0 $(blockdev --getsz $SSD) linear $SSD 0"
minor=$(dmsetup info -c --noheadings -o minor other)
echo 0 >"/sys/block/dm-$minor/queue/discard_max_bytes" || fail "discards cannot be switched off"
count_anew
SSD=/dev/mapper/other make_ssdup policy all drain manual
io verify
before=$(<$FTL/discarded_bytes)
io random len=131072 bs=16 nr=2000 seed=6
flush
nap 1
is "sectors discarded" "$(discarded)" 0
is "bytes discarded" "$(<$FTL/discarded_bytes)" "$before"
above "bytes mapped" "$(<$FTL/mapped_bytes)" $((16 << 20))
# what an earlier life has left is discarded, but for the four segments that are opened first
remove_ssdup
must dmsetup remove other
make_ssdup policy all drain manual
maps_below $((6500 << 10))
all_home

# an SSD that refuses one gets no more for an hour or until a resume, and the log goes on
remove_ssdup
flash_ssd
make_ssdup policy all drain manual
model $SSD fail_write "$(log_sector $(($(segment_data) - 8))) 8"
io write len=64
said "" || :
flush
wait_until frees -eq 1
end=$((SECONDS + 60))
until said "the SSD has failed a discard"; do
	[ $SECONDS -lt $end ] || fail "no word of a discard that failed"
	nap 0.1
done
heal
before=$(discarded)
io write len=64
flush
nap 0.5
is "sectors discarded" "$(discarded)" "$before"
is "mode" "$(stat mode)" 0
must dmsetup suspend $NAME
must dmsetup resume $NAME
until_discarded -gt "$before"
all_home
remove_ssdup

make_disks ssd_size_mb=11
rm "$MODEL"
make_ssdup
first=$(log_sector 0) eighth=$(log_sector 0 8)
remove_ssdup

# a read holds the segment while it is freed
slow_ssd "$first" 8 60000 0
count_anew
make_ssdup policy all drain manual
io write len=256 bs=64
iocheck "$MODEL" $DEV watch len=8 bs=8 seconds=0 >"$T/reads" &
read=$!
wait_until reads_ssd -eq 1
io write len=8
must message drain
is "segments that are not free" "$(($(stat segments) - $(stat segments_free)))" 1
nap 0.5
kill -0 $read || fail "the read was not under way any more"
is "sectors discarded" "$(discarded)" 0
fast_ssd
must wait $read
is "reads" "$(<"$T/reads")" "1 reads"
until_discarded -eq "$(freed)"
io verify
remove_ssdup
must dmsetup remove other

# no segment is opened while it is discarded: writers take the others, and then they wait
SSD=/dev/mssd0
slow_ssd "$eighth" 8 0 60000
count_anew
make_ssdup policy all drain manual
io write start=65536 len=$((64 * ($(log_writes 64) * 3 / 4))) bs=64 &
writer=$!
# a drain may end the wait within some ms
wait_until waited_writes -gt 0
above "free segments" "$(stat segments_free)" 10
# all of its batch has been discarded but those eight sectors, whose discard is under way
segment=$(stat segment_sectors) end=$((SECONDS + 60))
until [ $((segment - $(discarded) % segment)) = 8 ]; do
	[ $SECONDS -lt $end ] || fail "$(discarded) sectors are discarded, and no 8 are held"
	nap 0.01
done
before=$(discarded)
fast_ssd
must wait $writer
until_discarded -gt "$before"
io verify
remove_ssdup
make_ssdup policy all drain manual
all_home
