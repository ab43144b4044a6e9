#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The SSD loses its cache, and a flush of it fails. What no flush had made durable is lost then: the
# SSD would return what lay there before. So it is neither read nor written to the HDD, which keeps
# what it has; it is counted and listed, and the next table goes on with what was durable.
# invariant: 3 10
# time: virtual
# layers: bare linear
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0

B=00000000-0000-4000-8000-0000000000bb
eio="Input/output error" erofs="Read-only file system"
# the first write to a place: a drain has it; B is there
keys=(policy all drain manual autocommit_ms 3600000)

# fill_log DEVICE MODEL - each place of the SSD has held something else
fill_log()
{
	local len

	len=$(($(stat segments) * $(segment_data) / 2))
	for start in 60000 90000 60000 90000; do
		must iocheck "$2" "$1" write start=$start len=$((len < 30000 ? len : 30000)) bs=64
		must dmsetup message "${1##*/}" 0 drain
	done
}

# versions - A everywhere on the HDD; then B, durable in the log from 2000 on; then C over some of it
versions()
{
	io write len=64
	io write start=2000 len=128
	flush
	cp "$MODEL" "$T/old"
	io write start=2000 len=128 bs=8
	commits
	io write len=64 bs=8
	io write start=2064 len=64 bs=8
}

# lost - what a failed flush leaves of them
lost()
{
	is "mode" "$(stat mode)" 1
	must iocheck "$MODEL" $DEV fails len=64 bs=8
	must iocheck "$MODEL" $DEV fails start=2064 len=64 bs=8
	io verify start=2000 len=64
	io verify start=60000
	must_get "$erofs" message drain
	must_get "$erofs" message drain
	is "lost blocks" "$(stat lost_extents)" 16
	# an extent a line
	message lost_ranges | awk '{ n += $2 } END { exit n != 128 }' ||
		fail "the lost ranges are $(message lost_ranges)"
	said "128 sectors are lost" || fail "the kernel does not say what is lost"
	must iocheck "$MODEL" $DEV fails len=64 bs=8
	must iocheck "$T/old" $HDD verify len=64
	must iocheck "$T/old" $HDD verify start=2064 len=64
	write_fails "$eio" len=8
}

# goes_on [KEY VALUE]... - with another table, from what was durable
goes_on()
{
	remove_ssdup
	make_ssdup "${keys[@]}" "$@"
	is "mode" "$(stat mode)" 0
	io recover
	# of the log, not of before
	must_not iocheck "$T/old" $DEV verify start=2064 len=64
	io write len=64
	all_home
}

make_disks ssd_discard=0 ssd_cache_mb=4 hdd_cache_mb=4
make_ssdup "${keys[@]}"
fill_log $DEV "$MODEL"

# --- a FLUSH fails ---
versions
model $SSD lose_cache 1
model $SSD fail_flush 1
must_get "$eio" iocheck "$MODEL" $DEV flush
model $SSD fail_flush 0
lost
goes_on

# --- that of a drain fails: it comes before anything is copied ---
versions
model $SSD lose_cache 1
model $SSD fail_flush 1
must message drain start
wait_until mode -eq 1
model $SSD fail_flush 0
lost
goes_on
remove_ssdup

# --- what ends while a flush is under way is not durable by that ---
must modprobe dm-delay
DISK=$SSD SSD=/dev/mapper/late
must dmsetup create late --table "0 $(blockdev --getsz $DISK) delay $DISK 0 0 $DISK 0 0 $DISK 0 1000"
make_ssdup "${keys[@]}"
io write len=64 bs=8
flush
cp "$MODEL" "$T/old"
io write start=4096 len=64 bs=8
message commit &
committer=$!
nap 0.3
io write len=64 bs=8
must wait $committer
model $DISK lose_cache 1
model $DISK fail_flush 1
must_get "$eio" iocheck "$MODEL" $DEV flush
model $DISK fail_flush 0
must iocheck "$MODEL" $DEV fails len=64 bs=8
io verify start=4096 len=64
must_get "$erofs" message drain
must iocheck "$T/old" $HDD verify len=64
remove_ssdup
SSD=$DISK
must dmsetup remove late

# --- that of another log: nothing of this one is drained, though it was not told by its own ---
make_disks ssd_discard=0 hdds=2 ssd_size_mb=34 ssd_cache_mb=4 hdd_cache_mb=4
rm "$MODEL"
make_ssdup "${keys[@]}" max_mb 16
A=$(stat log_uuid)
fill_log $DEV "$MODEL"
must message log_add $B "$LEN" 1
dmsetup create other --table "0 $LEN ssdup /dev/mhdd1 $SSD 6 log $B policy all guard 0" ||
	fail "no second device: $(dmesg | tail -n 3)"
versions
must iocheck "$T/model-b" /dev/mapper/other write len=64
model $SSD lose_cache 1
model $SSD fail_flush 1
must_get "$eio" iocheck "$T/model-b" /dev/mapper/other flush
model $SSD fail_flush 0
lost
must_get "$eio" iocheck "$MODEL" $DEV flush
must dmsetup remove --retry other
goes_on max_mb 16 log "$A"

# --- that of another pool, on another partition of the SSD ---
if [ "$LAYER" = bare ]; then
	remove_ssdup
	make_disks ssd_discard=0 hdds=2 ssd_size_mb=36 ssd_cache_mb=4 hdd_cache_mb=4
	rm "$MODEL"
	# two of 17 MiB, from 1 MiB and from 18 MiB on, of type 83
	printf '\0\0\0\0\x83\0\0\0\0\x08\0\0\0\x88\0\0\0\0\0\0\x83\0\0\0\0\x90\0\0\0\x88\0\0' |
		must dd of=$SSD bs=1 seek=446 conv=notrunc status=none
	printf '\x55\xaa' | must dd of=$SSD bs=1 seek=510 conv=notrunc,fsync status=none
	must blockdev --rereadpt $SSD
	DISK=$SSD SSD=${SSD}p1
	make_ssdup "${keys[@]}"
	fill_log $DEV "$MODEL"
	dmsetup create other --table "0 $LEN ssdup /dev/mhdd1 ${DISK}p2 4 policy all guard 0" ||
		fail "no second device: $(dmesg | tail -n 3)"
	versions
	must iocheck "$T/model-c" /dev/mapper/other write len=64
	model $DISK lose_cache 1
	model $DISK fail_flush 1
	must_get "$eio" iocheck "$T/model-c" /dev/mapper/other flush
	model $DISK fail_flush 0
	lost
	must dmsetup remove --retry other
	goes_on
	remove_ssdup
	SSD=$DISK
	make_disks ssd_discard=0 ssd_cache_mb=4 hdd_cache_mb=4
	rm "$MODEL"
	make_ssdup "${keys[@]}"
fi

# --- the SSD refuses metadata, and flushes: nothing is lost ---
io write len=64 bs=8
io write start=2000 len=128 bs=8
model $SSD fail_write "0 $(blockdev --getsz $SSD)"
if [ "$LAYER" = bare ]; then
	must_not message commit
	is "mode" "$(stat mode)" 1
	io verify
	model $SSD fail_write clear
	all_home
fi
model $SSD fail_write clear
