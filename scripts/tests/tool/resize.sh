#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# An HDD grows below its device. That is told, the device keeps its size until somebody wants the
# new one, also when it is made anew, and takes it with a file system mounted and writes under way.
# It does not shrink, and a log does not take another HDD for one that has grown.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

MB48=98304 MB56=114688 MB64=131072

# size SECTORS - the HDD has now; a device without a file system on it is the "disk" of LVM
size()
{
	must dmsetup reload volume --table "0 $1 linear $DISK 0"
	must dmsetup suspend volume
	must dmsetup resume volume
}

# device_is SECTORS
device_is()
{
	is "sectors of the device" "$(blockdev --getsz $DEV)" "$1"
}

make_disks ssd_size_mb=40
DISK=$HDD
must dmsetup create volume --uuid test-volume --table "0 $MB48 linear $DISK 0"
HDD=/dev/mapper/volume
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD -o policy=all,drain=manual
find_sys
ssdup_exits 0 resize $NAME
says "has the size of its HDD"

# --- it has grown ---
io random len=$MB48 nr=100
size $MB64
ssdup_exits 0 status $NAME
says '16.0 MiB more than the device: see "ssdup resize"'
ssdup doctor >"$T/out" 2>&1 </dev/null || :
says "its HDD has 16.0 MiB more: \"ssdup resize $NAME\""
ssdup_exits 0 remove $NAME
ssdup_exits 0 check $HDD $SSD
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD -o policy=all,drain=manual,guard=0
says "its HDD has grown, and the device has not; \"ssdup resize $NAME\" lets it"
said "the HDD has grown by 32768 sectors, and the device has not" || fail "the kernel does not say it"
device_is $MB48
find_sys
io verify

# --- it takes the new size beside writes: without a guard, when the log is empty ---
{ iocheck "$T/other" $DEV random start=65536 len=32768 nr=1000 bs=8 && touch "$T/done"; } &
writer=$!
ssdup_exits 0 resize $NAME
says "now has 64.0 MiB"
must wait $writer
device_is $MB64
find_sys
is "policy" "$(stat policy)" all
io write start=$MB48 len=$((MB64 - MB48)) bs=64
must iocheck "$T/other" $DEV verify start=65536 len=32768
commits
ssdup_exits 0 remove $NAME
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD -o policy=all,drain=manual
device_is $MB64
find_sys
io verify start=$MB48 len=$((MB64 - MB48)) bs=64
flush
io_on $HDD verify start=$MB48 len=$((MB64 - MB48)) bs=64

# --- it does not shrink ---
size $MB56
ssdup_exits 4 resize $NAME
says "its HDD has 8.0 MiB less than the device, which cannot shrink"
ssdup doctor >"$T/out" 2>&1 </dev/null || :
says "its HDD has 8.0 MiB less"
ssdup_exits 0 remove $NAME
md5sum $HDD $SSD >"$T/before"
ssdup_exits 4 create $NAME --hdd $HDD --ssd $SSD
says "it is another one, or was made smaller"
must_not dmsetup create $NAME --table "0 $MB56 ssdup $HDD $SSD"
said "made for a larger HDD (fault 9)" || fail "the kernel does not say it"
must md5sum -c --quiet "$T/before"
size $MB64

# --- a file system grows with it ---
blank_log
size $MB48
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD -o policy=all
must mkfs.ext4 -q $DEV
must mkdir -p "$T/mnt"
must mount $DEV "$T/mnt"
must dd if=/dev/urandom of="$T/mnt/file" bs=1M count=8 status=none
sum=$(md5sum <"$T/mnt/file")
size $MB64
ssdup_exits 0 resize $NAME
must resize2fs $DEV
must dd if=/dev/urandom of="$T/mnt/more" bs=1M count=40 status=none
is "the file" "$(md5sum <"$T/mnt/file")" "$sum"
must umount "$T/mnt"
must e2fsck -f -n $DEV
ssdup_exits 0 remove $NAME

# --- a larger HDD, of which nothing says that it is the same ---
blank_log
size $MB48
GUARD=0
LEN=$MB48
make_ssdup policy all drain manual
io write start=4096 len=1024 bs=8
remove_ssdup
size $MB64
ssdup_exits 4 create $NAME --hdd $HDD --ssd $SSD
says "if it is that one and has grown, say --other-hdd"
LEN=$MB64
log_refused "of a device of $MB48 sectors, must be drained before it grows"
LEN=$MB48
make_ssdup policy all drain manual
io verify start=4096 len=1024 bs=8
flush
remove_ssdup
LEN=$MB64
make_ssdup policy all drain manual
said "the device grows from $MB48 sectors to $MB64" || fail "the kernel does not say it"
io write start=$MB48 len=1024 bs=8
commits
remove_ssdup
