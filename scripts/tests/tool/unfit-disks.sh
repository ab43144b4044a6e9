#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Disks that no device should be made of are refused by name, before anything is written: zoned ones,
# read-only ones, memory as the SSD, and an SSD whose blocks are too large for what the HDD holds. The
# device has the hints of its HDD, whatever the SSD likes.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# refused WORDS COMMAND... - of ssdup
refused()
{
	local words=$1

	shift
	ssdup_exits 4 "$@"
	says "$words"
}

# both WORDS HDD SSD - create and format refuse these, and nothing was written
both()
{
	local before other

	before=$(content "$2") other=$(content "$3")
	refused "$1" create $NAME --hdd "$2" --ssd "$3"
	refused "$1" format "$2" "$3"
	is "content of $2" "$(content "$2")" "$before"
	is "content of $3" "$(content "$3")" "$other"
}

# content DEVICE - what changes when it is written to: its sum, or for large ones the writes and
# discards that the kernel has counted, which it does not for memory
content()
{
	local stat

	case $1 in
	/dev/nullb*)
		read -ra stat <"/sys/class/block/${1##*/}/stat"
		echo "${stat[4]} ${stat[11]}"
		;;
	*) cksum <"$1" ;;
	esac
}

# hint FILE DEVICE - of its queue
hint()
{
	cat "/sys/dev/block/$(lsblk -dno MAJ:MIN "$2" | tr -d ' ')/queue/$1"
}

make_disks
must blockdev --setro $HDD
both "$HDD: is read-only" $HDD $SSD
must blockdev --setrw $HDD
must blockdev --setro $SSD
both "$SSD: is read-only" $HDD $SSD
must blockdev --setrw $SSD

must modprobe brd rd_nr=1 rd_size=$((17 * 1024))
both "/dev/ram0: is memory" $HDD /dev/ram0
ssdup_exits 0 create $NAME --hdd $HDD --ssd /dev/ram0 --volatile-ssd
ssdup_exits 0 remove $NAME
ssdup_exits 0 format $HDD /dev/ram0 --volatile-ssd --force
must modprobe -r brd

if modprobe null_blk nr_devices=1 zoned=1 memory_backed=1 gb=1 zone_size=64; then
	both "/dev/nullb0: a zoned disk (host-managed)" /dev/nullb0 $SSD
	both "/dev/nullb0: a zoned disk (host-managed)" $HDD /dev/nullb0
	must_not dmsetup create $NAME --table \
		"0 $(blockdev --getsz /dev/nullb0) ssdup /dev/nullb0 $SSD"
	must said "zoned"
	must modprobe -r null_blk
else
	fail "no null_blk"
fi

# --- blocks ---
make_disks ssd_block_size=4096
must mkfs.ext4 -q -b 1024 $HDD
both "holds ext4, and the device would have blocks of 4096 bytes instead of 512" $HDD $SSD
ssdup_exits 0 format $HDD $SSD --block-size 4096
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD
ssdup_exits 0 remove $NAME
blank_log
must dd if=/dev/zero of=$HDD bs=1M count=1 conv=notrunc,fsync status=none
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD
ssdup_exits 0 remove $NAME

# --- hints: stripes of 64 KiB over two, and of 1 MiB over three ---
make_disks
must dmsetup create other --table "0 131072 striped 2 128 $HDD 0 $HDD 65536"
must dmsetup create stripes --table "0 30720 striped 3 2048 $SSD 0 $SSD 10240 $SSD 20480"
SSD=/dev/mapper/stripes HDD=/dev/mapper/other
make_ssdup policy all
for file in minimum_io_size optimal_io_size read_ahead_kb; do
	is "$file" "$(hint $file $DEV)" "$(hint $file $HDD)"
done
is "minimum_io_size" "$(hint minimum_io_size $DEV)" 65536
is "optimal_io_size" "$(hint optimal_io_size $DEV)" 131072
is "alignment" "$(cat "${SYS%/ssdup}/alignment_offset")" 0
io write len=2048
all_home
remove_ssdup
must dmsetup remove stripes
