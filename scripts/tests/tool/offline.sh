#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The log read without the module: after a power cut it is sound, what export writes
# is what a drain writes; damages are named by their numbers, and mended for the module.
# invariant: 2 7
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0	# the SSD goes back in time, and the HDD does not

# names NUMBER - the output does
names()
{
	grep -q "^$1 " "$T/out" || { cat "$T/out" >&2; fail "$1 is not named"; }
}

# restore - the log as it was
restore()
{
	must dd if="$T/log" of=$SSD bs=1M oflag=direct conv=fsync status=none
}

# spoil BYTE - eight bytes of the SSD
spoil()
{
	must dd if=/dev/urandom of=$SSD bs=8 count=1 seek=$(($1 / 8)) conv=notrunc,fsync \
		status=none
}

# damaged NUMBER CHECK REPAIR - named so, and with these exit codes
damaged()
{
	ssdup_exits "$2" check $HDD $SSD
	names "$1"
	ssdup_exits "$3" repair $SSD --yes
}

# accepted - the module takes what repair left
accepted()
{
	make_ssdup policy all drain manual
	"$@"
	remove_ssdup
}

# header SEGMENT - the first byte of it
header()
{
	echo $(((2048 + $1 * 2048) * 512))
}

# slot SEGMENT PAGE SLOT - the same; segments have 1 MiB
slot()
{
	echo $(($(header "$1") + (8 + (2 * $2 + $3) * 8) * 512))
}

# gone SEGMENT - zeros in place of its header and its two pages
gone()
{
	must dd if=/dev/zero of=$SSD bs=4k count=5 seek=$(($(header "$1") / 4096)) \
		conv=notrunc,fsync status=none
}

# --- What a power cut leaves ---

make_disks hdd_size_mb=16 ssd_size_mb=34 ssd_cache_mb=8 hdd_cache_mb=16 hdd_discard=1
make_ssdup policy none drain manual autocommit_ms 3600000
# what zeros and discards have to take away
io write len=4096 bs=64
knob policy all
io random nr=300 bs=8
io zero start=1000 len=500
io discard start=3000 len=700
io flush
knob policy none
io random start=20000 len=10000 bs=64 nr=20
knob policy all
io mixed max=64 nr=100 seed=2
ssdup_exits 4 repair $SSD --yes
ssdup_exits 4 export "$T/hdd" $SSD
message commit
io mixed max=64 nr=50 seed=3
power_cut 7
must dmsetup remove --force $NAME
power_on

ssdup_exits 0 check $HDD $SSD --data
ssdup_exits 4 check $SSD $SSD
ssdup_exits 0 probe $SSD --export
grep -qx SSDUP_DIRTY=1 "$T/out" || fail "the probe sees nothing dirty"
ssdup_exits 0 dump $SSD --entries
must dd if=$HDD of="$T/hdd" bs=1M status=none
ssdup_exits 0 export "$T/hdd" $SSD
make_ssdup policy all drain manual
io recover
flush
remove_ssdup
must cmp $HDD "$T/hdd"
ssdup_exits 0 probe $SSD --export
grep -qx SSDUP_DIRTY=0 "$T/out" || fail "the probe sees something dirty"

# onto the HDD itself, and the module finds an empty log
make_ssdup policy all drain manual
io mixed max=64 nr=150 seed=4
remove_ssdup

# a sparse image where there is no room for it: nothing is promised, and it can be repeated
mkdir -p /mnt/small
must mount -t tmpfs -o size=512k none /mnt/small
truncate -s 16M /mnt/small/hdd
ssdup_exits 1 export /mnt/small/hdd $SSD --clear
grep -q "no room left where it lies.*the log has not changed" "$T/out" ||
	fail "a full file system is not told of"
! ssdup dump $SSD >/dev/full 2>"$T/out" || fail "a dump that could not be written"
grep -q "cannot write the output: No space left" "$T/out" || fail "a full disk is not told of"
must mount -o remount,size=32m /mnt/small
must dd if=$HDD of=/mnt/small/hdd bs=1M conv=notrunc status=none
ssdup_exits 0 export /mnt/small/hdd $SSD
ssdup_exits 0 export $HDD $SSD --clear
must cmp $HDD /mnt/small/hdd
umount /mnt/small
io_on $HDD verify
make_ssdup policy all drain manual
is "dirty sectors of a cleared log" "$(stat dirty_sectors)" 0
io verify

# --- Damages ---

io mixed max=16 nr=500 seed=5
commits
io random nr=10 seed=6
remove_ssdup
dd if=$SSD of="$T/log" bs=1M status=none
must ssdup dump $SSD headers >"$T/headers"
live=$(sed -n 's/^segment \([0-9]*\): live.*/\1/p' "$T/headers" | head -n 1)
spoil 64
damaged E103 5 0
accepted io verify
spoil $(($(home 1) * 512 + 64))
damaged E103 5 0
restore
must dd if=/dev/zero of=$SSD bs=4k count=1 seek=$(($(home 1) / 8)) conv=notrunc,fsync \
	status=none
damaged E101 5 0
restore
must hostile forge $SSD super1 0x38 8 0
damaged E131 5 0
must hostile forge $SSD super1 0x54 4 9
damaged E107 5 0
spoil $((1024 * 512 + 64))
damaged E503 5 0
must hostile forge $SSD record1 0x30 8 1
damaged E531 5 0
must hostile forge $SSD record1 0x60 8 0
damaged E508 5 0
accepted io verify
restore
must hostile forge $SSD record 0x58 8 1
damaged E233 5 0
accepted io verify
restore
must hostile forge $SSD super 0x0c 4 4
damaged E104 4 4
restore
must hostile forge $SSD super 0x20 8 16
damaged E105 4 4
restore
must hostile forge $SSD super 0x18 8 2
damaged E106 4 4
restore
must hostile forge $SSD record 0x40 8 $((LEN + 8))
ssdup_exits 4 check $HDD $SSD
names E109
restore
must hostile forge $SSD record 0x38 8 0
damaged E619 6 8
accepted true
restore
spoil $(($(header "$live") + 64))
damaged E631 5 0
accepted io verify
restore
spoil $(($(slot "$live" 1 1) + 200))
damaged E220 6 8
accepted true
# not suspended cleanly: what follows the page shows that it was durable
restore
must hostile forge $SSD record 0x2c 4 0
spoil $(($(slot "$live" 1 1) + 200))
damaged E234 6 8
accepted true
restore
must hostile forge $SSD record 0x2c 4 0
gone "$live"
damaged E637 6 8
accepted true

# --- What the SSD cannot read ---

restore
model $SSD fail_read "$(home 1) 1"
ssdup_exits 5 check $SSD
names E130
model $SSD fail_read clear
model $SSD fail_read "$(($(home 1) + 1024)) 1"
ssdup_exits 5 check $SSD
names E530
model $SSD fail_read clear
model $SSD fail_read "$(($(header "$live") / 512)) 1"
ssdup_exits 5 check $SSD
names E631
model $SSD fail_read clear
model $SSD fail_read "$(($(slot "$live" 0 0) / 512)) 1"
ssdup_exits 5 check $SSD
names E230
model $SSD fail_read clear
must dd if=$HDD of="$T/hdd" bs=1M status=none
ssdup dump $SSD extents | sed -n 's/.* at SSD sector //p' | head -n 1 >"$T/sector"
model $SSD fail_read "$(cat "$T/sector") 1"
ssdup_exits 6 check $SSD --data
names E401
ssdup_exits 6 export "$T/hdd" $SSD --clear
is "ranges lost" "$(grep -c '^lost: HDD sectors' "$T/out")" 1
model $SSD fail_read clear
ssdup_exits 0 export "$T/hdd" $SSD
make_ssdup policy all drain manual
all_home
remove_ssdup
must cmp $HDD "$T/hdd"

# --- On disks that the module refuses it on ---

make_disks hdd_size_mb=16 ssd_size_mb=34 hdd_block_size=4096 ssd_block_size=4096
restore
ssdup_exits 4 check $SSD --data
names E111
must dd if=/dev/zero of=$HDD bs=1M count=16 conv=fsync status=none
cp "$T/hdd" "$T/again"
ssdup_exits 0 export "$T/again" $SSD
must cmp "$T/hdd" "$T/again"
ssdup_exits 0 export $HDD $SSD
ssdup dump $SSD extents | sed -n 's/^extent \([0-9]*\) + \([0-9]*\): data.*/\1 \2/p' >"$T/extents"
above "extents" "$(wc -l <"$T/extents")" 100
while read -r start len; do
	must cmp -n $((len * 512)) -i $((start * 512)) $HDD "$T/hdd"
done < <(head -n 20 "$T/extents")
