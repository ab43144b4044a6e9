#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The tool makes a log on an SSD with a mirror. From then on either finds the other one. One that is
# known to be out is done without; one of which that is not known, and two that ran apart, only by a
# word. What the tool writes is on both.
# invariant: 2
# seconds: 240
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

OTHER=/dev/mssd1
HDD_B=/dev/mhdd1
SET=-opolicy=all,drain=manual

content()
{
	cat $SSD $OTHER | md5sum
}

# hide DISK - nobody finds it; show - it is there again
hide()
{
	hidden=$1
	must dd if="$1" of="$T/hidden" bs=4096 count=1 iflag=direct status=none
	must dd if=/dev/zero of="$1" bs=4096 count=1 oflag=direct conv=notrunc status=none
}
show()
{
	must dd if="$T/hidden" of="$hidden" bs=4096 count=1 oflag=direct conv=notrunc status=none
}

# same - but for the block that says which is which, both hold the same
same()
{
	local i

	for i in 0 1; do
		dd if=/dev/mssd$i of="$T/mssd$i" bs=1M status=none
		dd if=/dev/zero of="$T/mssd$i" bs=4096 seek=1 count=1 conv=notrunc status=none
		dd if=/dev/zero of="$T/mssd$i" bs=4096 seek=$(($(home 1) / 8 + 1)) count=1 \
			conv=notrunc status=none
	done
	must cmp "$T/mssd0" "$T/mssd1"
}

make_disks ssd_discard=0 hdds=2 ssds=2 ssd_size_mb=40
for disk in $HDD:aaaaaaaa $HDD_B:bbbbbbbb; do
	echo "naa.5000c500${disk#*:}" >"/sys/block/$(basename "${disk%:*}")/wwid"
done

# what cannot be one
must_not ssdup create $NAME --hdd $HDD --ssd $SSD -o mirror=$OTHER
[[ $(<"$T/stderr") == *"--mirror names that"* ]] || fail "create says: $(<"$T/stderr")"
ssdup_exits 2 create $NAME --hdd $HDD --mirror $OTHER --ssd $SSD
ssdup_exits 2 create $NAME --hdd $HDD --ssd $SSD --mirror $OTHER --mirror $OTHER
ssdup_exits 4 create $NAME --hdd $HDD --ssd $SSD --mirror $SSD
ssdup_exits 4 create $NAME --hdd $HDD --ssd $SSD --mirror $HDD
must dd if=/dev/urandom of=$OTHER bs=4096 count=1 oflag=direct status=none
ssdup_exits 4 create $NAME --hdd $HDD --ssd $SSD --mirror $OTHER
must dd if=/dev/zero of=$OTHER bs=4096 count=1 oflag=direct status=none
truncate -s 40M "$T/a"
truncate -s 41M "$T/b"
ssdup_exits 4 format $HDD --ssd "$T/a" --mirror "$T/b"
says "not of the size of"

# a new one, which the kernel takes as it is
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD --mirror $OTHER $SET
dmsetup table $NAME | grep -q " mirror [0-9]" || fail "the table is $(dmsetup table $NAME)"
find_sys
uuid=$(<"$SYS/log_uuid")
io write len=20000
commits
ssdup_exits 0 list
says "${SSD#/dev/},${OTHER#/dev/}"
ssdup_exits 0 status $NAME
says "${SSD#/dev/} ("
says "${OTHER#/dev/} ("
ssdup_exits 0 metrics
says 'disk="ssd_mirror"} 1'
ssdup_exits 0 remove $NAME
same

# either finds the other one, which is not to be made anew
before=$(content)
for disk in "$SSD" "$OTHER"; do
	ssdup_exits 0 probe "$disk"
	ssdup_exits 0 check $HDD "$disk"
	ssdup_exits 0 dump "$disk"
	ssdup_exits 4 repair --dry-run "$disk"
	says "the other one is its repair"
	ssdup_exits 4 create other --hdd $HDD_B --ssd "$disk"
	ssdup_exits 4 create other --hdd $HDD_B --ssd "$disk" --format
	ssdup_exits 0 pool status "$disk"
	says "$uuid"
done
is "content" "$(content)" "$before"
for way in "$OTHER" "$SSD" UUID=$uuid; do
	ssdup_exits 0 create $NAME --hdd $HDD --ssd "$way" $SET
	io verify
	ssdup_exits 0 remove $NAME
done

# what the tool writes alone is on both: the log of another HDD, and that it is empty
ssdup_exits 0 create other --hdd $HDD_B --ssd $OTHER --add $SET
must iocheck "$T/model-b" /dev/mapper/other write len=3000
ssdup_exits 0 remove other
same
ssdup_exits 0 create other --hdd $HDD_B --ssd $SSD $SET
must iocheck "$T/model-b" /dev/mapper/other verify
ssdup_exits 0 detach other
must dmsetup remove other
same
must dd if=$HDD of="$T/hdd" bs=1M status=none
must cp "$T/hdd" "$T/again"
ssdup_exits 0 export "$T/hdd" $OTHER

# what one cannot read the other one has
model mssd0 fail_read "2048 $(blockdev --getsz $SSD)"
ssdup_exits 0 export "$T/again" $SSD
model mssd0 fail_read clear
must cmp "$T/hdd" "$T/again"

# at boot
echo "$NAME $HDD UUID=$uuid policy=all,drain=manual" >/etc/ssduptab
ssdup_exits 0 tab --ready $NAME
ssdup_exits 0 tab --check
for disk in "$SSD" "$OTHER"; do
	ssdup_exits 0 probe "$disk" --export
	mapfile -t known <"$T/out"
	env "${known[@]}" DEVNAME="$disk" ssdup tab --udev >"$T/udev" || fail "$disk"
	grep -qx "SSDUP_NAME=$NAME *" "$T/udev" || fail "$disk: $(<"$T/udev")"
done

# one is not there, and nobody knows why: it may have run alone
for disk in "$SSD:$OTHER" "$OTHER:$SSD"; do
	hide "${disk#*:}"
	before=$(content)
	ssdup_exits 3 tab --ready $NAME
	says "may have run alone"
	ssdup_exits 3 create --tab $NAME
	says "--lost-ssd"
	ssdup_exits 3 check "${disk%:*}"
	ssdup_exits 0 check --ssd "${disk%:*}" --lost-ssd
	is "content" "$(content)" "$before"
	show
done

# one fails: from then on the other one is used, with it and without it, and no word is needed
for dies in 0 1; do
	disk=/dev/mssd$((1 - dies))
	ssdup_exits 0 create --tab $NAME
	io verify
	model mssd$dies gone 1
	io random nr=50 bs=8
	message commit
	ssdup_exits 8 list
	says "mirror out"
	ssdup_exits 8 status $NAME
	says "what it holds has one copy"
	io verify
	ssdup_exits 0 remove $NAME
	ssdup_exits 0 create --tab $NAME
	io verify
	ssdup_exits 0 remove $NAME
	model mssd$dies gone 0
	ssdup_exits 0 tab --ready $NAME
	ssdup_exits 0 create --tab $NAME
	is "out" "$(stat mirrors_out)" 1
	io verify
	ssdup_exits 0 remove $NAME
	ssdup_exits 0 check "$disk"
	ssdup_exits 0 check /dev/mssd$dies
	[ $dies = 1 ] && break
	ssdup_exits 0 create --tab $NAME
	ssdup_exits 0 sync $NAME
	ssdup_exits 0 detach $NAME
	must dmsetup remove $NAME
	model mssd$dies gone 0
	must dd if=/dev/zero of=$SSD bs=1M count=40 oflag=direct status=none
	must dd if=/dev/zero of=$OTHER bs=1M count=40 oflag=direct status=none
	ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD --mirror $OTHER $SET
	find_sys
	uuid=$(<"$SYS/log_uuid")
	echo "$NAME $HDD UUID=$uuid policy=all,drain=manual" >/etc/ssduptab
	io write len=9000
	ssdup_exits 0 remove $NAME
done

# each alone, by a word: the two ran apart, and "check" says what each has
ssdup_exits 0 create $NAME --hdd $HDD --ssd UUID="$uuid" $SET
ssdup_exits 0 sync $NAME
ssdup_exits 0 detach $NAME
must dmsetup remove $NAME
for disk in $SSD $OTHER; do
	must dd if=/dev/zero of="$disk" bs=1M count=40 oflag=direct status=none
done
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD --mirror $OTHER $SET
uuid=$(<"$SYS/log_uuid")
io write len=9000
ssdup_exits 0 remove $NAME
hide $OTHER
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD --lost-ssd $SET
is "out" "$(stat mirrors_out)" 1
io verify
io write start=20000 len=4096
ssdup_exits 0 remove $NAME
show
cp "$MODEL" "$T/model-a"
hide $SSD
ssdup_exits 0 create $NAME --hdd $HDD --ssd $OTHER --lost-ssd $SET
io_on /dev/mapper/$NAME write start=40000 len=80
ssdup_exits 0 remove $NAME
show
before=$(content)
for disk in $SSD $OTHER; do
	ssdup_exits 3 create $NAME --hdd $HDD --ssd "$disk" $SET
	says "ran apart"
	ssdup_exits 4 check "$disk"
	says "$SSD and $OTHER hold the same log, and ran apart"
	says "$SSD has more"
	grep -q "^$SSD: .* not got: [1-9][0-9]*, of 2.0 MiB" "$T/out" || fail "$(<"$T/out")"
	grep -q "^$OTHER: .* not got: [1-9][0-9]*, of 40.0 KiB" "$T/out" || fail "$(<"$T/out")"
done
for way in "$SSD --ssd $OTHER" "UUID=$uuid"; do
	# shellcheck disable=SC2086
	ssdup_exits 3 create $NAME --hdd $HDD --ssd $way --lost-ssd $SET
done
is "content" "$(content)" "$before"
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD --lost-ssd $SET
cp "$T/model-a" "$MODEL"
io verify
ssdup_exits 0 remove $NAME
# that was said once, and cannot be taken back
ssdup_exits 0 create $NAME --hdd $HDD --ssd $OTHER --lost-ssd $SET
io verify
ssdup_exits 0 remove $NAME
ssdup_exits 0 create $NAME --hdd $HDD --ssd UUID="$uuid" $SET
io verify
ssdup_exits 0 pool replace $SSD - $OTHER
is "out" "$(stat mirrors_out)" 0
io verify
ssdup_exits 0 remove $NAME
