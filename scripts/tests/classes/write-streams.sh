#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Each class is a write stream of the SSD: its data, headers and metadata pages arrive in it, and
# what belongs to no class in none. Classes beyond the streams that the SSD has, and a log without
# classes, name no stream.
# invariant: none
# kernels: newest
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0

page=4096

# arrived - what the SSD got since it was reset: "STREAM BYTES" for each stream
arrived()
{
	model $SSD stream_bytes | xargs
}

# write_classes - 64 sectors of the first class, 128 of the second, 256 of the third, durable
write_classes()
{
	model $SSD reset 1
	must message class default
	io write len=64 bs=8
	must message class a
	io write start=1024 len=128 bs=8
	must message class b
	io write start=2048 len=256 bs=8
	must message commit
}

keys=(policy all drain manual autocommit_ms 3600000)
make_disks ssd_size_mb=65 ssd_ftl=1 ssd_dies=4 ssd_block_kb=64 ssd_streams=8
is "streams of the SSD" "$(<"/sys/block/${SSD#/dev/}/queue/max_write_streams")" 8
make_ssdup "${keys[@]}" classes a+b
write_classes
is "streams and bytes" "$(arrived)" \
	"1 $((64 * 512 + 2 * page)) 2 $((128 * 512 + 2 * page)) 3 $((256 * 512 + 2 * page))"
io verify
# a drain writes the record, which is of all classes
must message drain
is "streams" "$(arrived | xargs -n 2 | cut -d' ' -f1 | xargs)" "0 1 2 3"
remove_ssdup

# the SSD has fewer
make_disks ssd_size_mb=65 ssd_ftl=1 ssd_dies=4 ssd_block_kb=64 ssd_streams=2
make_ssdup "${keys[@]}" classes a+b
write_classes
is "streams and bytes" "$(arrived)" \
	"0 $((256 * 512 + 2 * page)) 1 $((64 * 512 + 2 * page)) 2 $((128 * 512 + 2 * page))"
remove_ssdup

# one class is what the SSD takes all data for anyway
make_disks ssd_size_mb=65 ssd_ftl=1 ssd_dies=4 ssd_block_kb=64 ssd_streams=8
make_ssdup "${keys[@]}"
model $SSD reset 1
io write len=64 bs=8
must message commit
is "streams and bytes" "$(arrived)" "0 $((64 * 512 + 2 * page))"
remove_ssdup

# device mapper hands no streams on: nothing below it gets one
must dmsetup create below --table "0 $(blockdev --getsz $SSD) linear $SSD 0"
minor=$(dmsetup info -c --noheadings -o minor below)
is "streams of a dm device" "$(<"/sys/block/dm-$minor/queue/max_write_streams")" 0
must dmsetup remove below
