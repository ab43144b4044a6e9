#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A log says for which HDD it is. Another one of the same size is refused by name by create, tab,
# check, repair and export, doctor tells, and nothing is written; --other-hdd is the way out.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

A=naa.5000c500aaaaaaaa
B=naa.5000c500bbbbbbbb

# this_hdd WWID - another HDD in the slot
this_hdd()
{
	echo "$1" >"/sys/block/${HDD##*/}/wwid"
}

# noted WWID - for which HDD the log is
noted()
{
	[ "$(ssdup dump $SSD superblock | grep -c "hdd_id $1\$")" = 2 ] ||
		fail "not noted in both copies: $1"
}

# disks_as FILE - sums of both
disks_as()
{
	md5sum $HDD $SSD >"$1"
}

make_disks ssd_size_mb=34
this_hdd $A
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD -o policy=all,drain=manual
noted wwn:$A
# drains, commits and a suspend keep it
io write len=8192
must message drain
io write len=4096 start=8192
ssdup_exits 0 remove $NAME
noted wwn:$A
ssdup_exits 0 check $HDD $SSD
says "made for the HDD wwn:$A"

# another one of that size
this_hdd $B
disks_as "$T/before"
ssdup_exits 4 create $NAME --hdd $HDD --ssd $SSD
says "is wwn:$B, and the log on $SSD is for wwn:$A"
export SSDUP_TAB=$T/tab
echo "$NAME $HDD $SSD policy=all,drain=manual" >"$SSDUP_TAB"
ssdup_exits 4 create --tab $NAME
says "is for wwn:$A"
ssdup_exits 1 tab --check
says "is wwn:$B, and the log on $SSD is for wwn:$A"
ssdup_exits 4 check $HDD $SSD
says "E140 hdd-other (refused): made for another HDD; wwn:$A, this one is wwn:$B"
ssdup_exits 4 export $HDD $SSD
says "is wwn:$B, and the log is for wwn:$A"
ssdup_exits 4 export $HDD $SSD --force --clear --discard-unsaved
ssdup_exits 4 repair $SSD --hdd $HDD --yes
says "nothing was written"
! dmsetup info $NAME >"$T/out" 2>&1 || fail "a device was made"
disks_as "$T/after"
must diff "$T/before" "$T/after"

# whoever makes it by hand is told by the doctor
make_ssdup policy all drain manual
ssdup doctor >"$T/out" || :
says "its HDD is wwn:$B, and its log is for wwn:$A"
remove_ssdup

# the HDD was copied to this one
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD --other-hdd -o policy=all,drain=manual
noted wwn:$B
io verify
ssdup_exits 0 remove $NAME
this_hdd $A
ssdup_exits 4 create $NAME --hdd $HDD --ssd $SSD

# a disk that does not say which it is: a warning, and the log goes on to say what it said
this_hdd ""
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD -o policy=all,drain=manual
says "does not say which disk it is; the log on $SSD is for wwn:$B"
ssdup_exits 0 remove $NAME
noted wwn:$B

# export to an image, which is no HDD
truncate -s $((LEN * 512)) "$T/image"
ssdup_exits 0 export "$T/image" $SSD
rm "$T/image"

# to the HDD that has taken its place
this_hdd $A
ssdup_exits 0 export $HDD $SSD --other-hdd --clear
noted wwn:$B

# a log that the kernel made does not know, and learns it from the first create
blank_log
make_ssdup policy all drain manual
ssdup doctor >"$T/out" || :
says "does not say for which HDD it is"
remove_ssdup
noted unknown
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD -o policy=all,drain=manual
noted wwn:$A
ssdup_exits 0 remove $NAME

# a partition is known by its disk, or else by its UUID
this_hdd $A
{
	head -c 440 /dev/zero
	printf '\xef\xbe\xad\xde\0\0\0\0\0\0\x83\0\0\0\0\x08\0\0\0\0\x01\0'
	head -c 48 /dev/zero
	printf '\x55\xaa'
} >"$T/mbr"
must dd if="$T/mbr" of=$HDD bs=512 oflag=direct status=none
must blockdev --rereadpt $HDD
must test -b ${HDD}p1
ssdup_exits 0 format ${HDD}p1 $SSD --force
noted wwn:$A-part1
this_hdd ""
ssdup_exits 0 format ${HDD}p1 $SSD --force
noted partuuid:deadbeef-01
