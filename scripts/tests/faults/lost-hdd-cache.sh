#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# An HDD loses its cache, with what a drain has written there, and tells somebody else: by a flush
# that fails for a device on another partition of it, directly or below another layer; or only by a
# request that fails. The drain's own flush succeeds then, and the group may not be freed: it is
# copied again. If the HDD goes on to fail requests of others, a drain ends all the same.
# invariant: 4 10
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0

eio="Input/output error"
keys=(policy all drain manual autocommit_ms 3600000)
disk=$HDD

# late NAME DEVICE [FLUSH-MS [AT LEN WRITE-MS]] - /dev/mapper/NAME is the device, whose flushes take so
# long, or writes to these sectors
late()
{
	local len

	len=$(blockdev --getsz "$2")
	if [ $# -gt 3 ]; then
		cat <<-TABLE
			0 $4 delay $2 0 0 $2 0 0 $2 0 $3
			$4 $5 delay $2 $4 0 $2 $4 $6 $2 $4 $3
			$(($4 + $5)) $((len - $4 - $5)) delay $2 $(($4 + $5)) 0 $2 $(($4 + $5)) 0 $2 $(($4 + $5)) $3
		TABLE
	else
		echo "0 $len delay $2 0 0 $2 0 0 $2 0 ${3:-0}"
	fi >"$T/table"
	dmsetup info "$1" >/dev/null 2>&1 || must dmsetup create "$1" "$T/table"
	must dmsetup reload "$1" "$T/table"
	must dmsetup suspend "$1"
	must dmsetup resume "$1"
}

# written_twice - what the drain wrote was lost, and written again
written_twice()
{
	must wait $drain
	is "mode" "$(stat mode)" 0
	is "dirty sectors" "$(stat dirty_sectors)" 0
	above "drained sectors" "$(stat drained_sectors)" $((2 * 1024 - 1))
	io_on "$HDD" verify
	io verify
}

# drain_begins - and is in front of its flush of the HDD
drain_begins()
{
	message clear_stats
	message drain 2>"$T/drain" &
	drain=$!
	wait_until drain_state -eq 6
	wait_until drained_sectors -eq 1024
	nap 0.2
}

# other_flush_fails DEVICE - a flush of the HDD for that device, which is of ours, with its cache gone
other_flush_fails()
{
	model $disk lose_cache 1
	model $disk fail_flush 1
	must_get "$eio" iocheck "$T/model-b" "$1" flush
	model $disk fail_flush 0
}

must modprobe dm-delay

# --- two devices on two halves of the HDD, as partitions and as linear layers ---
for layer in partition linear; do
	make_disks hdd_cache_mb=16 ssd_size_mb=34 ssds=2
	half=$((LEN / 2))
	if [ $layer = partition ]; then
		# two primary ones, of type 83
		printf '\0\0\0\0\x83\0\0\0\0\x08\0\0\0\xf0\0\0\0\0\0\0\x83\0\0\0\0\xf8\0\0\0\xf0\0\0' |
			must dd of=$disk bs=1 seek=446 conv=notrunc status=none
		printf '\x55\xaa' | must dd of=$disk bs=1 seek=510 conv=notrunc,fsync status=none
		must blockdev --rereadpt $disk
		a=${disk}p1 b=${disk}p2
	else
		must dmsetup create half-a --table "0 $half linear $disk 0"
		must dmsetup create half-b --table "0 $half linear $disk $half"
		a=/dev/mapper/half-a b=/dev/mapper/half-b
	fi
	rm -f "$MODEL" "$T/model-b"
	# no layer above a partition, or it would be one of them: then the SSD is late
	HDD=$a
	LEN=$(blockdev --getsz $a)
	if [ $layer = linear ]; then
		late late $a 3000
		HDD=/dev/mapper/late
	fi
	make_ssdup "${keys[@]}"
	dmsetup create other --table "0 $(blockdev --getsz $b) ssdup $b /dev/mssd1 2 policy none" ||
		fail "no second device: $(dmesg | tail -n 3)"
	# A is on the HDD for good
	io write len=1024 bs=64
	flush
	io flush
	io write len=1024 bs=64
	commits
	must iocheck "$T/model-b" /dev/mapper/other write len=64
	if [ $layer = linear ]; then
		drain_begins
		other_flush_fails /dev/mapper/other
		written_twice
		# a user of this one relied on nothing that was lost
		io flush
	else
		# its direct writes go with the cache, too: this one's FLUSH fails once
		knob policy none
		io write start=4096 len=64
		other_flush_fails /dev/mapper/other
		must_get "$eio" iocheck "$MODEL" $DEV flush
		io flush
		io write start=4096 len=64
		all_home
	fi
	must dmsetup remove --retry other
	remove_ssdup
	for name in late half-a half-b; do
		dmsetup remove --retry $name 2>/dev/null
	done
	HDD=$disk
done

# --- it fails a write of the group, and says nothing of its cache ---
make_disks hdd_cache_mb=16 ssd_size_mb=34
rm -f "$MODEL"
late late $disk 0 2048 8 2000
HDD=/dev/mapper/late
make_ssdup "${keys[@]}"
for ((i = 0; i < 2; i++)); do
	io write len=1024 bs=64
	io write start=2048 len=8
	[ $i = 1 ] || flush
	io flush
done
before=$(model $disk bytes_written)
message drain 2>"$T/drain" &
drain=$!
# all but one block, which is written apart, is in the cache
until [ "$(model $disk bytes_written)" -ge $((before + 1024 * 512)) ]; do
	nap 0.1
done
model $disk lose_cache 1
model $disk fail_status timeout
model $disk fail_write "2048 8"
# the block moves to the open segment
must_not wait $drain
is "mode" "$(stat mode)" 0
is "dirty sectors" "$(stat dirty_sectors)" 8
model $disk lose_cache 1
io_on $disk verify len=1024
model $disk fail_write clear
late late $disk
flush
model $disk lose_cache 1
io_on $disk verify
io verify

# --- somebody's reads fail again and again: drains end ---
late late $disk 300
model $disk fail_read "100000 8"
(
	# until one succeeds
	while ! dd if=$DEV of=/dev/null bs=4096 count=1 skip=12500 iflag=direct 2>"$T/dd"; do
		grep -q "Connection timed out" "$T/dd" || break
		nap 0.01
	done
) &
reader=$!
for ((i = 0; i < 3; i++)); do
	io write len=1024 bs=64
	must timeout 20 dmsetup message $NAME 0 drain
done
above "requests that failed" "$(stat reads_hdd)" 20
must kill $reader
model $disk fail_read clear
late late $disk
is "mode" "$(stat mode)" 0
all_home
remove_ssdup
must dmsetup remove late
