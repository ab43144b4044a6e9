#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The tool makes a log on several SSDs. From then on one of them finds the others, in whatever order
# they are named: to create, check, dump, export, for ssduptab, for one more HDD. What is no pool is
# refused by name, and nothing is written.
# invariant: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
# shellcheck source=scripts/tests/superblock.sh
. /ssdup/scripts/tests/superblock.sh

OTHER=/dev/mssd1
HDD_B=/dev/mhdd1
SET=-opolicy=all,drain=manual

# content - what all SSDs hold
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

# record save|restore NAME - both copies of the log's, on the first SSD
record()
{
	local copy place

	for copy in 0 1; do
		place=$((($(home $copy) + 1024) / 8))
		if [ "$1" = save ]; then
			must dd if=$SSD of="$T/$2$copy" skip=$place bs=4096 count=1 iflag=direct \
				status=none
		else
			must dd if="$T/$2$copy" of=$SSD seek=$place bs=4096 count=1 oflag=direct \
				conv=notrunc status=none
		fi
	done
}

# is_left - nobody has written to the SSDs since $before was taken
is_left()
{
	is "content" "$(content)" "$before"
}

make_disks ssd_discard=0 hdds=2 ssds=2 ssd_size_mb=40
for disk in $HDD:aaaaaaaa $HDD_B:bbbbbbbb; do
	echo "naa.5000c500${disk#*:}" >"/sys/block/$(basename "${disk%:*}")/wwid"
done

# what cannot be one
must_not ssdup create $NAME --hdd $HDD --ssd $SSD -o ssd=$OTHER
[[ $(<"$T/stderr") == *"--ssd names each SSD"* ]] || fail "create says: $(<"$T/stderr")"
ssdup_exits 4 create $NAME --hdd $HDD --ssd $SSD --ssd $SSD
ssdup_exits 4 create $NAME --hdd $HDD --ssd $SSD --ssd $HDD
read -ra nine < <(printf -- "--ssd $SSD %.0s" 1 2 3 4 5 6 7 8 9)
ssdup_exits 2 create $NAME --hdd $HDD "${nine[@]}"
says "on 8 SSDs at most"

# a new one, which the second of its SSDs says as well
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD --ssd $OTHER $SET
find_sys
uuid=$(<"$SYS/log_uuid")
record save old
io write len=20000
commits
ssdup_exits 0 list
says "${SSD#/dev/},${OTHER#/dev/}"
ssdup_exits 0 status $NAME
says "${SSD#/dev/} ("
says "${OTHER#/dev/} ("
ssdup_exits 0 status --json $NAME
tr -d ' \n' <"$T/out" | grep -q '"ssds":\[{[^]]*},{[^]]*}\]' || fail "JSON: $(<"$T/out")"
ssdup_exits 0 metrics
says 'disk="ssd1"} 1'
says "ssd=\"${SSD#/dev/},${OTHER#/dev/}\""
ssdup_exits 0 remove $NAME
before=$(content)
for disk in "$SSD" "$OTHER"; do
	ssdup_exits 0 probe $disk
	ssdup_exits 0 probe $disk --export
	says "ID_FS_TYPE=ssdup"
	says "SSDUP_LOGS=$uuid"
	ssdup_exits 0 check $HDD $disk
	ssdup_exits 0 dump $disk
	says "nr_ssds 2, ssd_index"
	ssdup_exits 0 repair --dry-run $disk
	says "nothing to repair"
	ssdup_exits 4 create other --hdd $HDD_B --ssd $disk
	ssdup_exits 4 create other --hdd $HDD_B --ssd $disk --format
	ssdup_exits 0 pool status $disk
	says "$uuid"
done
ssdup_exits 0 pool list
says "$OTHER"
is_left

# what is on the HDD afterwards is what a drain would have put there
must dd if=$HDD of="$T/hdd" bs=1M status=none
must cp "$T/hdd" "$T/parts"
ssdup_exits 0 export "$T/hdd" $OTHER

# the newest record counts, whichever SSD has it
must cp "$T/parts" "$T/again"
record save new
record restore old
ssdup_exits 5 check $OTHER
says "E143 ssd-behind"
says "dm-ssdup accepts it"
ssdup_exits 0 export "$T/again" $SSD
must cmp "$T/hdd" "$T/again"
record restore new
is_left

# without one SSD, the other one gives what it has: no sector is on both
for disk in "$SSD:$OTHER" "$OTHER:$SSD"; do
	hide "${disk#*:}"
	ssdup_exits 3 export "$T/parts" "${disk%:*}"
	says "is not there"
	ssdup_exits 6 check --ssd "${disk%:*}" --lost-ssd
	says "E144 ssd-lost"
	says "dm-ssdup refuses it: on several SSDs, of which one is missing"
	ssdup_exits 3 dump "${disk%:*}"
	ssdup_exits 0 dump "${disk%:*}" --lost-ssd
	says "incompat 0x2"
	must_not cmp -s "$T/hdd" "$T/parts"
	ssdup_exits 6 export "$T/parts" "${disk%:*}" --lost-ssd --hdd-was-written
	show
done
must cmp "$T/hdd" "$T/parts"
is_left

# images find nobody
must dd if=$SSD of="$T/0" bs=1M status=none
must dd if=$OTHER of="$T/1" bs=1M status=none
ssdup_exits 0 check --ssd "$T/1" --ssd "$T/0"
must dd if=/dev/zero of="$T/blank" bs=1M count=40 status=none
ssdup_exits 4 check --ssd "$T/0" --ssd "$T/blank"
says "E147 ssd-blank"

# by any of them, in any order, by UUID, and at boot
for way in "--ssd $OTHER" "--ssd $OTHER --ssd $SSD" "--uuid $uuid"; do
	[[ $way == --uuid* ]] && way="--ssd UUID=$uuid"
	# shellcheck disable=SC2086
	ssdup_exits 0 create $NAME --hdd $HDD $way $SET
	io verify
	ssdup_exits 0 remove $NAME
done
echo "$NAME $HDD UUID=$uuid policy=all,drain=manual" >/etc/ssduptab
ssdup_exits 0 tab --ready $NAME
ssdup_exits 0 tab --check
# whichever of them comes last, the line is the device's
for spec in "$SSD" "$OTHER" UUID=$uuid; do
	echo "$NAME $HDD $spec policy=all,drain=manual" >/etc/ssduptab
	for disk in "$SSD" "$OTHER"; do
		ssdup_exits 0 probe "$disk" --export
		mapfile -t known <"$T/out"
		env "${known[@]}" DEVNAME="$disk" ssdup tab --udev >"$T/udev" || fail "$spec: $disk"
		grep -qx "SSDUP_NAME=$NAME *" "$T/udev" || fail "$spec: $disk: $(<"$T/udev")"
	done
done
before=$(content)
hide $OTHER
ssdup_exits 3 tab --ready $NAME
says "is one of 2 SSDs of a log; number 1"
ssdup_exits 3 create --tab $NAME
show
is_left
ssdup_exits 0 create --tab $NAME
io verify

# one more HDD, while it is in use and while it is not; what the kernel refuses leaves no log
find_sys
ssdup_exits 1 create other --hdd $HDD_B --ssd $OTHER --add -oclasses=a+b+c+d
says "classes: at most 4 on 2 SSDs"
is "logs" "$(pool_logs)" 1
ssdup_exits 0 create other --hdd $HDD_B --ssd $OTHER --add $SET
must iocheck "$T/model-b" /dev/mapper/other write len=3000
ssdup_exits 0 remove other
ssdup_exits 0 remove $NAME
ssdup_exits 0 create other --hdd $HDD_B --ssd $SSD $SET
must iocheck "$T/model-b" /dev/mapper/other verify
ssdup_exits 0 detach other
must dmsetup remove other
ssdup_exits 0 create other --hdd $HDD_B --ssd $SSD --add $SET
ssdup_exits 0 detach other
must dmsetup remove other

# what the image has, the HDD gets, too
ssdup_exits 0 create --tab $NAME
ssdup_exits 0 sync $NAME
io verify
ssdup_exits 0 detach $NAME
must cmp "$T/hdd" $HDD
must dmsetup remove $NAME
for disk in "$SSD" "$OTHER"; do
	ssdup_exits 3 probe $disk
done

# format does it as well
ssdup_exits 0 format $HDD --ssd $OTHER --ssd $SSD
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD $SET
io verify
io write len=8000
ssdup_exits 0 remove $NAME

# who gives up what one SSD holds does not give up the log on the other one
truncate -s 40M "$T/a" "$T/b"
ssdup_exits 0 format "$T/hdd" --ssd "$T/b"
must dd if=/dev/urandom of="$T/a" bs=1M count=1 conv=notrunc status=none
ssdup_exits 4 format "$T/hdd" --ssd "$T/a" --ssd "$T/b" --force
ssdup_exits 4 format "$T/hdd" --ssd "$T/b" --ssd "$T/a" --force
says "$T/b: holds a damaged log: of other SSDs"
ssdup_exits 0 check --ssd "$T/b"
ssdup_exits 0 format "$T/hdd" --ssd "$T/a" --ssd "$T/b" --force --discard-unsaved

# no word makes one SSD pass for all, or for another one: nothing is read, or written, elsewhere
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD $SET
io write len=8000
ssdup_exits 0 remove $NAME
must dd if=$SSD of="$T/0" bs=1M status=none
must cp "$T/0" "$T/2"
before=$(content)
hide $OTHER
for words in "repair --yes" "export $T/again" "check --ssd" dump; do
	# shellcheck disable=SC2086
	must_not ssdup $words $OTHER --copy 1
done
must_not ssdup export "$T/again" --ssd "$T/0" --ssd "$T/2" --copy 0 --clear
must_not ssdup export "$T/again" --ssd $OTHER --ssd $SSD --copy 1 --clear
show
is_left
must cmp "$T/0" "$T/2"
ln "$T/a" "$T/link"
ssdup_exits 4 format "$T/hdd" --ssd "$T/a" --ssd "$T/link" --force --discard-unsaved
says "on the same disk as the SSD"

# one of them is lost for good: what the page says. When it comes back it has nothing
hide $SSD
ssdup_exits 3 create $NAME --hdd $HDD --ssd $OTHER $SET
ssdup_exits 4 create $NAME --format --hdd $HDD --ssd $OTHER --ssd $SSD --force $SET
ssdup_exits 6 check --ssd $OTHER --lost-ssd
ssdup_exits 6 export $HDD --ssd $OTHER --lost-ssd --clear
ssdup_exits 6 export $HDD --ssd $OTHER --lost-ssd --clear --discard-unsaved --hdd-was-written
show
ssdup_exits 5 check --ssd $OTHER
says ": 0 extents"
says "dm-ssdup accepts it"
ssdup_exits 0 create $NAME --format --hdd $HDD --ssd $OTHER --ssd $SSD --discard-unsaved $SET
ssdup_exits 0 remove $NAME

# three, of which the last one finds the others
make_disks ssd_discard=0 ssds=3 ssd_size_mb=20
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD --ssd $OTHER --ssd /dev/mssd2 $SET
io write len=20000
ssdup_exits 0 remove $NAME
ssdup_exits 0 check --ssd $OTHER
ssdup_exits 0 create $NAME --hdd $HDD --ssd /dev/mssd2 $SET
io verify
ssdup_exits 0 remove $NAME
