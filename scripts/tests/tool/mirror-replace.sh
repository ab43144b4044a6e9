#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Another SSD takes the place of one of two that hold the same, while two devices write and verify:
# one that failed, one that works, one that is not there. Then it has everything: the other one may
# die. Until then it does not count, it may fail, and the power may go. The old one is nobody's.
# invariant: 2
# kernels: 6.12 6.1 debug
# seconds: 300
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

OTHER=/dev/mssd1
NEW=/dev/mssd2
HDD_B=/dev/mhdd1
SET=-opolicy=all

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

# some_writes - until the first device has got more of them
some_writes()
{
	wait_until write_sectors_ssd -gt $(($(stat write_sectors_ssd) + 960))
}

# writers begin|end - two loops of writes that are read back, one on each device
writers()
{
	local dev

	if [ "$1" = begin ]; then
		for dev in $NAME other; do
			(
				n=0
				while [ ! -e "$T/stop" ]; do
					iocheck "$T/model-$dev" /dev/mapper/"$dev" random nr=60 bs=8 \
						start=$((n % 8 * 4000)) len=4000 seed=$n &&
						iocheck "$T/model-$dev" /dev/mapper/"$dev" verify ||
						exit 1
					n=$((n + 1))
				done
			) >"$T/loop-$dev" 2>&1 &
			pids+=($!)
		done
		return
	fi
	touch "$T/stop"
	for dev in "${pids[@]}"; do
		wait "$dev" || fail "a writer: $(tail -n 5 "$T"/loop-*)"
	done
	pids=()
	rm "$T/stop"
}

verify()
{
	local dev

	for dev in $NAME other; do
		must iocheck "$T/model-$dev" /dev/mapper/"$dev" verify
	done
}

make_disks ssd_discard=0 hdds=2 ssds=4 ssd_size_mb=40
for disk in $HDD:aaaaaaaa $HDD_B:bbbbbbbb; do
	echo "naa.5000c500${disk#*:}" >"/sys/block/$(basename "${disk%:*}")/wwid"
done
pids=()
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD --mirror $OTHER $SET -o max_mb=16
ssdup_exits 0 create other --hdd $HDD_B --ssd $OTHER --add $SET
find_sys
uuid=$(<"$SYS/log_uuid")
writers begin
some_writes

# what cannot be one
ssdup_exits 4 pool replace $SSD $OTHER $SSD
ssdup_exits 4 pool replace $SSD $OTHER $HDD_B
ssdup_exits 4 pool replace $SSD - $NEW
is "out" "$(stat mirrors_out)" 0

# one that works
ssdup_exits 0 pool replace $SSD $OTHER $NEW
is "out" "$(stat mirrors_out)" 0
ssdup_exits 0 list
says "${SSD#/dev/},${NEW#/dev/}"
some_writes
# it has everything
model mssd0 gone 1
wait_until mirrors_out -eq 1
some_writes
writers end
verify
ssdup_exits 0 remove other
ssdup_exits 0 remove $NAME
model mssd0 gone 0
ssdup_exits 0 create $NAME --hdd $HDD --ssd UUID="$uuid" $SET
ssdup_exits 0 create other --hdd $HDD_B --ssd $NEW $SET
find_sys
verify

# one that failed; the one that went first is not the log's any more
ssdup_exits 3 probe $OTHER
writers begin
ssdup_exits 0 pool replace $NEW $SSD $OTHER
is "out" "$(stat mirrors_out)" 0
model mssd2 gone 1
wait_until mirrors_out -eq 1
some_writes
writers end
verify
is "mode" "$(stat mode)" 0
ssdup_exits 0 remove other
ssdup_exits 0 remove $NAME

# until it has everything it does not count, whoever says so; it may fail, and it goes on
make_disks ssd_discard=0 ssds=3 ssd_size_mb=40
rm -f "$MODEL"
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD --mirror $OTHER $SET,drain=manual
find_sys
uuid=$(<"$SYS/log_uuid")
io write len=9000
must_not dmsetup message $NAME 0 mirror 0 whole
must_not dmsetup message $NAME 0 mirror 0 fill
said "names no SSD that can be filled" || fail "the kernel does not say so"
must_not dmsetup message $NAME 0 mirror 1 fill
must_not dmsetup message $NAME 0 mirror 0 empty
must_not dmsetup message $NAME 0 mirror 0 out 2
model mhdd0 fail_write "0 $LEN"
ssdup_exits 8 pool replace $SSD $OTHER $NEW
is "out" "$(stat mirrors_out)" 1
left=$(dmsetup message $NAME 0 mirror 0 left)
above "what is left" "$left" 8999
must_not dmsetup message $NAME 0 mirror 0 whole
said "has something on the other SSD alone" || fail "the kernel does not say so"
# what comes now is on both, and is not waited for
io random start=20000 len=9000 nr=300 bs=8
message commit
is "what is left" "$(dmsetup message $NAME 0 mirror 0 left)" "$left"
model mhdd0 fail_write clear
# it lacks a write: it does not count, and nobody notices
model mssd2 fail_write "0 $(blockdev --getsz $NEW)"
io write start=40000 len=80
io verify
said "the new one has failed" || fail "the kernel does not say so"
model mssd2 fail_write clear
message drain
message forget
must_not dmsetup message $NAME 0 mirror 0 whole
said "is not filled, or has failed" || fail "the kernel does not say so"
is "mode" "$(stat mode)" 0
# what is open is on one alone, too; and one that is called out is not filled any more
message drain
message forget
io write start=45000 len=80
must dmsetup message $NAME 0 mirror 0 fill
must_not dmsetup message $NAME 0 mirror 0 whole
said "has something on the other SSD alone" || fail "the kernel does not say so"
message drain
message forget
must dmsetup message $NAME 0 mirror 0 out 1
must_not dmsetup message $NAME 0 mirror 0 whole
# neither at the next start
io write start=50000 len=4000
ssdup_exits 0 remove $NAME
ssdup_exits 0 check $NEW
for disk in $SSD $OTHER $NEW UUID=$uuid; do
	ssdup_exits 0 create $NAME --hdd $HDD --ssd "$disk" $SET,drain=manual
	is "out" "$(stat mirrors_out)" 1
	io verify
	ssdup_exits 0 remove $NAME
done
hide $SSD
ssdup_exits 3 create $NAME --hdd $HDD --ssd $NEW $SET --lost-ssd
show
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD $SET,drain=manual
# it goes on where it stopped
model mhdd0 fail_write "0 $LEN"
ssdup_exits 8 pool replace $SSD $OTHER $NEW
is "out" "$(stat mirrors_out)" 1
model mhdd0 fail_write clear
ssdup_exits 0 pool replace $SSD $OTHER $NEW
is "out" "$(stat mirrors_out)" 0
io verify
io write start=60000 len=4000
# what is clean there is on both, too
message drain
model mssd0 gone 1
io verify
io write start=70000 len=80
is "out" "$(stat mirrors_out)" 1
is "mode" "$(stat mode)" 0
ssdup_exits 0 remove $NAME
ssdup_exits 0 create $NAME --hdd $HDD --ssd $NEW $SET
io verify
ssdup_exits 0 remove $NAME

# a log that goes while it is filled; one that comes; OLD that is there and that nobody wipes
make_disks ssd_discard=0 hdds=2 ssds=3 ssd_size_mb=40
for disk in $HDD:aaaaaaaa $HDD_B:bbbbbbbb; do
	echo "naa.5000c500${disk#*:}" >"/sys/block/$(basename "${disk%:*}")/wwid"
done
rm -f "$MODEL" "$T/model-other"
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD --mirror $OTHER $SET,drain=manual -o max_mb=16
ssdup_exits 0 create other --hdd $HDD_B --ssd $SSD --add $SET,drain=manual
find_sys
uuid=$(<"$SYS/log_uuid")
uuid_b=$(cat /sys/block/dm-"$(dmsetup info -c --noheadings -o minor other)"/ssdup/log_uuid)
io write len=4000
must iocheck "$T/model-other" /dev/mapper/other write len=4000
model mhdd0 fail_write "0 $LEN"
ssdup_exits 8 pool replace $OTHER $SSD $NEW
model mhdd0 fail_write clear
# a device that is made meanwhile has not looked yet
ssdup_exits 0 remove other
ssdup_exits 0 create other --hdd $HDD_B --ssd $OTHER $SET,drain=manual
message drain
message forget
must_not dmsetup message $NAME 0 mirror 0 whole
must iocheck "$T/model-other" /dev/mapper/other write len=4000 seed=7 fsync=1
must dmsetup message $NAME 0 mirror 0 out 0
must iocheck "$T/model-other" /dev/mapper/other write len=4000 seed=8
message drain
must dmsetup message other 0 drain
message forget
must dmsetup message other 0 forget
must dmsetup suspend other
must dmsetup message $NAME 0 mirror 0 fill
must_not dmsetup message $NAME 0 mirror 0 whole
must dmsetup remove other
must dmsetup message $NAME 0 mirror 0 whole
is "out" "$(stat mirrors_out)" 0
io write start=8000 len=4000
# all of it is on the new one, also the record of the log that went
model mssd1 gone 1
io write start=16000 len=4000
ssdup_exits 0 create other --hdd $HDD_B --ssd UUID="$uuid_b" $SET,drain=manual
must iocheck "$T/model-other" /dev/mapper/other verify
io verify
ssdup_exits 0 remove other
ssdup_exits 0 remove $NAME
# the one that was replaced knows nothing of that
model mssd1 gone 0
ssdup_exits 3 check $SSD
says "another one has taken its place"
ssdup_exits 0 create $NAME --hdd $HDD --ssd UUID="$uuid" $SET
io verify
# but it is an SSD as good as any
ssdup_exits 0 create other --hdd $HDD_B --ssd UUID="$uuid_b" $SET
ssdup_exits 0 pool replace $NEW $SSD $SSD
is "out" "$(stat mirrors_out)" 0
model mssd2 gone 1
io write start=20000 len=400
io verify
must iocheck "$T/model-other" /dev/mapper/other verify
ssdup_exits 0 remove other
ssdup_exits 0 remove $NAME
