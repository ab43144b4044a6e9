# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# The systems that are compared, in the guest: how each is put over the modelled
# disks, how it is brought to have everything on the hard disk, and how it goes
# away.  Also used by the demo.  A system is one of
#
#	hdd ssd linear dm-writecache dm-cache bcache dm-writeboost
#
# or the name of one of dm-ssdup's policies; or, with two SSDs, stripe or members: policy all with a
# stripe of both below its log, or with a log on each.  After system_make, $device is what
# is to be written to; sector 0 of it ends up in sector $shift_sectors of $bottom.

name=ssdup
hdd=/dev/mhdd0
ssd=/dev/mssd0
device=''
bottom=$hdd
shift_sectors=0

# now_ms - milliseconds of the clock that the writers use
now_ms()
{
	local up rest

	read -r up rest </proc/uptime
	echo $((10#${up/./} * 10))
}

# field NAME JSON - a number of the writers' line
field()
{
	local rest=${2#*\""$1"\":}

	[ "$rest" != "$2" ] || { echo 0; return; }
	echo "${rest%%[,\}]*}"
}

# dm TABLE - a device-mapper device over all of the hard disk
dm()
{
	dmsetup create $name --table "0 $(blockdev --getsz $hdd) $*"
	device=/dev/mapper/$name
}

# status_field NAME - of the device's status
status_field()
{
	dmsetup status $name | grep -o " $1 [0-9]*" | cut -d' ' -f3
}

# wait_until COMMAND... - poll, not so often that it costs time
wait_until()
{
	until "$@"; do
		sleep 0.02
	done
}

# zero_ends DEVICE - nothing recognizes what was on it
zero_ends()
{
	local mib

	# dm-ssdup knows its logs by the last MiB, too
	for mib in 0 $(($(blockdev --getsize64 "$1") / 1048576 - 1)); do
		dd if=/dev/zero of="$1" bs=1M count=1 seek="$mib" oflag=direct status=none
	done
}

# system_make SYSTEM [KEY VALUE]... - KEYs are dm-ssdup's
system_make()
{
	shift_sectors=0 bottom=$hdd
	case $1 in
	hdd) device=$hdd ;;
	ssd) device=$ssd bottom=$ssd ;;
	linear) dm linear $hdd 0 ;;
	dm-writecache) zero_ends $ssd; dm writecache s $hdd $ssd 4096 0 ;;
	dm-cache) make_cache ;;
	bcache) make_bcache ;;
	stripe) make_stripe; system_make all "${@:2}" ;;
	members) zero_ends /dev/mssd1; system_make all ssd /dev/mssd1 "${@:2}" ;;
	dm-writeboost) zero_ends $ssd; dm writeboost $hdd $ssd 2 writeback_threshold 70 ;;
	*)
		local policy=$1

		shift
		zero_ends $ssd
		dm ssdup $hdd $ssd $((2 + $#)) policy "$policy" "$@"
		stats=/sys/block/$(basename "$(readlink -f "/sys/dev/block/$(dmsetup \
			info -c --noheadings --separator : -o major,minor $name)")")/ssdup
		;;
	esac
}

# As md makes a RAID 0, of chunks of 64 KiB.
make_stripe()
{
	dmsetup create stripe --table \
		"0 $((2 * $(blockdev --getsz /dev/mssd0))) striped 2 128 /dev/mssd0 0 /dev/mssd1 0"
	ssd=/dev/mapper/stripe
}

# The metadata takes the head of the SSD; blocks of 64 KiB, as LVM takes for an
# SSD of this size.
make_cache()
{
	local meta=$((16 * 2048)) all

	all=$(blockdev --getsz $ssd)
	zero_ends $ssd
	dmsetup create cache-meta --table "0 $meta linear $ssd 0"
	dmsetup create cache-data --table "0 $((all - meta)) linear $ssd $meta"
	dm cache /dev/mapper/cache-meta /dev/mapper/cache-data $hdd 128 1 writeback smq 0
}

# Buckets as preset, or smaller where the SSD would have less than the 1024 of them
# that bcache insists on.
make_bcache()
{
	local kib=512

	while [ $kib -gt $(($(blockdev --getsize64 $ssd) >> 20)) ]; do
		kib=$((kib / 2))
	done
	modprobe bcache
	zero_ends $ssd
	zero_ends $hdd
	make-bcache --writeback --bucket ${kib}k -B $hdd -C $ssd >/tmp/make-bcache 2>&1
	echo $hdd >/sys/fs/bcache/register
	echo $ssd >/sys/fs/bcache/register
	wait_until [ -b /dev/bcache0 ]
	bcache=/sys/block/bcache0/bcache
	wait_until grep -qE 'clean|dirty' "$bcache/state"
	device=/dev/bcache0
	shift_sectors=16
}

# system_drain SYSTEM - everything that was written is on the hard disk
system_drain()
{
	case $1 in
	hdd | ssd | linear) ;;
	dm-writecache)
		dmsetup message $name 0 flush
		dmsetup suspend $name
		dmsetup resume $name
		;;
	dm-cache) drain_cache ;;
	bcache)
		# wakes the writeback at once, and lifts its limits
		echo 1 >"$bcache/detach"
		wait_until grep -q "no cache" "$bcache/state"
		;;
	dm-writeboost)
		# a suspend writes out the buffer in memory
		dmsetup suspend $name
		dmsetup resume $name
		dmsetup message $name 0 drop_caches
		;;
	*) dmsetup message $name 0 drain ;;
	esac
	[ "$1" = ssd ] || sync $hdd
}

# Its "cleaner" policy writes back everything that is dirty (field 13).
drain_cache()
{
	dmsetup suspend $name
	dmsetup load $name --table "0 $(blockdev --getsz $hdd) cache \
		/dev/mapper/cache-meta /dev/mapper/cache-data $hdd 128 1 writeback cleaner 0"
	dmsetup resume $name
	wait_until cache_clean
}

cache_clean()
{
	[ "$(status_field extents)" = 0 ]
}

# system_remove SYSTEM
system_remove()
{
	case $1 in
	hdd | ssd | files | logs | classes) ;;
	bcache) remove_bcache ;;
	dm-cache)
		dmsetup remove $name
		dmsetup remove cache-data
		dmsetup remove cache-meta
		;;
	stripe)
		dmsetup remove $name
		dmsetup remove stripe
		ssd=/dev/mssd0
		;;
	*) dmsetup remove $name ;;
	esac
	device=''
}

remove_bcache()
{
	local set

	echo 1 >"$bcache/stop"
	wait_until [ ! -e /sys/block/bcache0 ]
	for set in /sys/fs/bcache/*-*; do
		echo 1 >"$set/stop"
		wait_until [ ! -e "$set" ]
	done
	wait_until disks_free
}

# disks_free - bcache lets go of its disks after its folder is gone
disks_free()
{
	[ "$(</sys/module/ssdup_disks/refcnt)" = 0 ]
}

# count_wrong WRITTEN... - sectors of the bare disk that are not as the writers
# wrote them; of a system whose data begin elsewhere, by way of a linear device
count_wrong()
{
	local line where=$bottom

	if [ $shift_sectors != 0 ]; then
		dmsetup create view --table \
			"0 $(($(blockdev --getsz $hdd) - shift_sectors)) linear $hdd $shift_sectors"
		where=/dev/mapper/view
	fi
	line=$(burst "$@" --verify "$where" | tail -n 1) || true
	[ $shift_sectors = 0 ] || dmsetup remove view
	field wrong_sectors "$line"
}
