#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# invariant: none
#
# The tool ssdup against the kernel: it formats as the kernel does, creates what may
# be created and refuses the rest, tells how a device is, drains, detaches a mounted
# device, removes.

# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# exits CODE COMMAND... - it ends with that exit code; what it says goes to $T/stderr
exits()
{
	local code=$1 r=0

	shift
	"$@" 2>"$T/stderr" || r=$?
	[ "$r" = "$code" ] || fail "exit code $r, not $code, of: $*: $(cat "$T/stderr")"
}

# refuses CODE TEXT COMMAND...
refuses()
{
	local code=$1 text=$2

	shift 2
	exits "$code" "$@"
	grep -qF -- "$text" "$T/stderr" || fail "of '$*' we got: $(cat "$T/stderr")"
}

# on_hdd TEXT - somewhere in its first 8 MiB; all are read, or dd would complain
on_hdd()
{
	dd if=$HDD bs=1M count=8 iflag=direct status=none | tr -d '\0' | grep -a "$1" >/dev/null
}

# homes_of DISK FILE - its first and its last MiB, with a hole between
homes_of()
{
	local copy mib

	rm -f "$2"
	for copy in 0 1; do
		mib=$(($(home $copy) / 2048))
		must dd if="$1" of="$2" bs=1M count=1 skip=$mib seek=$mib iflag=direct \
			conv=notrunc status=none
	done
}

# no_log_in FILE - of homes_of
no_log_in()
{
	must cmp -n "$(blockdev --getsize64 $SSD)" "$1" /dev/zero
}

# field NAME - of the status as JSON
field()
{
	sed -nE "s/^ *\"$1\": \"?([^\",]*)\"?,?$/\1/p" "$T/json" | head -n 1
}

make_disks ssd_size_mb=34

# what_is FILE - superblock and record in it, but for what its last use has
# left, for the pool's UUID, and for the generations: with a UUID that is given they are new ones
what_is()
{
	ssdup dump "$1" superblock | grep -v "flags" | sed 's/pool .*//; s/tail .*//'
}

# the same as the kernel's own formatting, but for the UUIDs unless they are given
make_ssdup
homes_of $SSD "$T/kernel"
uuid=$(stat log_uuid)
remove_ssdup
blank_log
must ssdup format $HDD $SSD --uuid "$uuid"
homes_of $SSD "$T/tool"
what_is "$T/kernel" >"$T/x"
what_is "$T/tool" | must diff "$T/x" -

# what holds something is refused, also what nobody knows: another cache, a database, noise
blank_log
must dd if=/dev/urandom of=$SSD bs=1M count=2 oflag=direct status=none
homes_of $SSD "$T/noise"
refuses 4 "is not blank" ssdup format $HDD $SSD
refuses 4 "is not blank" ssdup create $NAME --hdd $HDD --ssd $SSD --format
homes_of $SSD "$T/x"
must cmp "$T/noise" "$T/x"
must ssdup format $HDD $SSD --force
blank_log
must ssdup format $HDD $SSD
refuses 4 "an empty log" ssdup format $HDD $SSD
refuses 4 "the same device" ssdup format $SSD $SSD
must mkfs.ext4 -q -F -E nodiscard $SSD
refuses 4 "overwritten at the beginning of the SSD, but not at its end" ssdup format $HDD $SSD --force
refuses 5 "overwritten at the beginning" ssdup create $NAME --hdd $HDD --ssd $SSD
blank_log
must mkfs.ext4 -q -F $SSD
refuses 4 "holds ext4" ssdup format $HDD $SSD
refuses 4 "holds ext4" ssdup create $NAME --hdd $HDD --ssd $SSD
must mkdir -p /mnt/s
must mount $SSD /mnt/s
refuses 4 "mounted on /mnt/s" ssdup format $HDD $SSD --force
must umount /mnt/s
refuses 4 "the same device" ssdup create $NAME --hdd $HDD --ssd /dev/../dev/${HDD##*/}
refuses 3 "no such device" ssdup create $NAME --hdd /dev/none --ssd $SSD
must dmsetup create $NAME --table "0 65536 linear $HDD 0"
must dmsetup create other --table "0 65536 linear $HDD 65536"
refuses 4 "on the same disk (${HDD##*/})" ssdup create x --hdd /dev/mapper/$NAME --ssd /dev/mapper/other
must dmsetup remove other
must dmsetup remove $NAME
refuses 2 "missing --ssd" ssdup create $NAME --hdd $HDD
refuses 2 "missing --hdd" ssdup create $NAME --ssd $SSD
refuses 3 "no such device" ssdup status $NAME
none=UUID=2c05d183-70ea-475b-8f78-433d6a933bed
echo "$NAME $HDD $none" >"$T/tab"
SSDUP_TAB=$T/tab refuses 3 "$NAME: the SSD, $none, is not there" ssdup create $NAME
SSDUP_TAB=$T/tab refuses 3 "$NAME: the SSD, $none, is not there" ssdup create -a

# a faulty line hides its HDD all the same, and the kernel's log says what is wrong with it
echo "$NAME $HDD $none policy=all, drain=manual" >"$T/tab"
SSDUP_TAB=$T/tab DEVNAME=$HDD ssdup tab --udev >"$T/out" 2>&1 || fail "$(cat "$T/out")"
grep -qx SSDUP_ROLE=hdd "$T/out" || fail "the HDD of a faulty line: $(cat "$T/out")"
exits 0 grep -q SSDUP_LINKS "$T/out"
exits 1 grep -q SSDUP_AUTO "$T/out"
dmesg | grep "$T/tab line 1: more than four fields; no device is made, its HDD ($HDD)" >/dev/null ||
	fail "nothing of the faulty line in the kernel's log: $(dmesg | tail -n 3)"

echo "a few bytes" >"$T/short"
refuses 3 "too small for one" ssdup check "$T/short"
must ssdup format $HDD $SSD --force
refuses 4 "is it the SSD" ssdup create $NAME --hdd $SSD --ssd $HDD
refuses 2 "policy: not" ssdup create $NAME --hdd $HDD --ssd $SSD --policy fast
exits 1 dmsetup info $NAME
blank_log
refuses 2 "depth: unknown key" ssdup create $NAME --hdd $HDD --ssd $SSD -o depth=3
homes_of $SSD "$T/tool"
no_log_in "$T/tool"

# a blank SSD is formatted on the way
must ssdup create $NAME --hdd $HDD --ssd $SSD --policy all -o drain=manual,autocommit_ms=300
find_sys
is "policy" "$(stat policy)" all
is "autocommit_ms" "$(stat autocommit_ms)" 300
is "size of a segment" "$(stat segment_sectors)" 2048
is "UUID" "$(dmsetup info -c --noheadings -o uuid $NAME)" "SSDUP-$(stat log_uuid)"
refuses 4 "there already" ssdup create $NAME --hdd $HDD --ssd $SSD
refuses 4 "in use by $NAME" ssdup format $HDD $SSD --force

# the tab with disks that are there: those that fit, those that do not
echo "$NAME $HDD UUID=$(stat log_uuid)" >"$T/tab"
SSDUP_TAB=$T/tab must ssdup tab --check
echo "$NAME $SSD $HDD" >"$T/tab"
SSDUP_TAB=$T/tab exits 1 ssdup tab --check >"$T/out"
grep -qF "[E] the HDD, $SSD, holds a log: is it the SSD?" "$T/out" || fail "$(cat "$T/out")"

# status
io write len=4096 bs=64
must ssdup status | tee "$T/words"
grep -qE "dirty: +2.0 MiB of .* not on the HDD yet" "$T/words" || fail "words of the status"
grep -qE "reads: +[0-9]+ of the SSD, [0-9]+ of the HDD" "$T/words" || fail "no reads in the status"
ssdup status $NAME --json >"$T/json" || fail "no JSON"
for f in mode dirty_sectors segments segments_free extents writes_ssd longest_wait_ms; do
	is "$f as JSON" "$(field $f)" "$(stat $f)"
done
is "policy as JSON" "$(field policy)" all
is "log_uuid as JSON" "$(field log_uuid)" "$(stat log_uuid)"

# set
must ssdup set $NAME autocommit_ms=17 clean=20
is "autocommit_ms" "$(stat autocommit_ms)" 17
is "clean" "$(stat clean_percent)" 20
refuses 2 "clean: not" ssdup set $NAME clean=maybe
refuses 2 "unknown key" ssdup set $NAME depth=1

# drain
must ssdup drain $NAME
is "dirty" "$(stat dirty_sectors)" 0
io write start=8192 len=4096 bs=64
must ssdup sync $NAME
is "dirty" "$(stat dirty_sectors)" 0
io_on $HDD verify

# a HDD that fails is told by the exit code, and detach leaves all as it was
io write start=16384 len=64 bs=64
model $HDD fail_flush 1
refuses 8 "stay in the log" ssdup sync $NAME
exits 8 ssdup status $NAME
refuses 8 "stay in the log" ssdup detach $NAME
is "policy" "$(stat policy)" all
model $HDD fail_flush 0
must ssdup sync $NAME
exits 0 ssdup status $NAME

# remove leaves the log, create finds it
io write start=20000 len=2048 bs=64
must ssdup remove $NAME
refuses 4 "with data that may not be on its HDD" ssdup format $HDD $SSD
uuid=$(ssdup probe --export $SSD | sed -n 's/^ID_FS_UUID=//p')
must ssdup create $NAME --uuid "$uuid" --hdd $HDD --policy all
find_sys
is "dirty" "$(stat dirty_sectors)" 2048
io verify
must ssdup remove $NAME

# an interrupted drain ends with 7 and goes on; --wait-below does not wait for all
make_disks
# an HDD that can be stopped, so that it copies as long as is wanted
must dmsetup create other --table "0 $LEN linear $HDD 0"
must ssdup create $NAME --hdd /dev/mapper/other --ssd $SSD --policy all -o drain=manual
find_sys
: >"$MODEL"
io write len=8192 bs=64
must dmsetup suspend --noflush other
ssdup drain $NAME 2>"$T/stderr" &
wait_until drain_state -eq 4
kill -INT $!
r=0
wait $! || r=$?
is "exit code" $r 7
must dmsetup resume other
grep -q "interrupted with .* left" "$T/stderr" || fail "$(cat "$T/stderr")"
wait_until dirty_sectors -eq 0
io write len=256 bs=64
before=$(stat seals)
must ssdup drain $NAME --wait-below 1M
is "seals for what is below already" "$(stat seals)" "$before"
is "dirty" "$(stat dirty_sectors)" 256

# nor does it end above that, with what was written while it drained
must ssdup drain $NAME
io write len=8192 bs=64
wait_until guard -eq 2
must dmsetup suspend --noflush other
ssdup drain $NAME --wait-below 1M 2>"$T/stderr" &
wait_until drain_state -eq 4
io write start=10000 len=4096 bs=64
must dmsetup resume other
r=0
wait $! || r=$?
is "exit code" $r 0
below "dirty" "$(stat dirty_sectors)" 2049
must ssdup remove $NAME
must dmsetup remove other

# a device in use is removed by force only, and is gone when it is closed
must ssdup create $NAME --hdd $HDD --ssd $SSD
exec 5<$DEV
refuses 4 "in use" ssdup remove $NAME
must ssdup remove $NAME --force | tee "$T/words"
grep -q "removed when nobody uses it any more" "$T/words" || fail "words of a forced removal"
must_get "Input/output error" dd of="$T/x" bs=4k count=1 <&5
exec 5<&-
# by a worker of the kernel
for ((n = 0; n < 200; n++)); do
	dmsetup info $NAME >"$T/words" 2>&1 || break
	sleep 0.1
done
exits 1 dmsetup info $NAME

# what is left is told as the removal has left it
for drains in 0 1; do
	must ssdup create $NAME --hdd $HDD --ssd $SSD --policy all -o drain=manual
	find_sys
	io write len=64 bs=64
	[ $drains = 0 ] || must ssdup drain $NAME
	must ssdup remove $NAME | tee "$T/words.$drains"
done
grep -q "its log holds up to 32.0 KiB that the HDD lacks" "$T/words.0" || fail "words of a removal"
grep -q "all of it is on the HDD" "$T/words.1" || fail "words of a removal that drained"

# the UUID of a log stands for one disk: what lies on another is one with it, a copy is not
uuid=$(ssdup probe --export $SSD | sed -n 's/^ID_FS_UUID=//p')
must dmsetup create other --table "0 $(cat /sys/block/${SSD##*/}/size) linear $SSD 0"
ssdup probe "UUID=$uuid" >"$T/words" || fail "a log that lies on another"
grep -q '^/dev/dm-' "$T/words" || fail "not the device on top: $(cat "$T/words")"
must dd if=$SSD of=$HDD bs=1M count=1 oflag=direct status=none
refuses 4 "$HDD" ssdup probe "UUID=$uuid"
grep -q "two disks.*/dev/dm-" "$T/stderr" || fail "$(cat "$T/stderr")"
must dmsetup remove other
refuses 4 "$SSD" ssdup probe "UUID=$uuid"
grep -q "two disks.*$HDD" "$T/stderr" || fail "$(cat "$T/stderr")"
echo "x $HDD UUID=$uuid" >"$T/tab"
r=0
SSDUP_TAB=$T/tab ssdup tab --ready >"$T/words" || r=$?
is "exit code" $r 3
grep -q "x: the SSD, UUID=$uuid, is there twice" "$T/words" || fail "$(cat "$T/words")"

# sync takes along what is mounted from a volume on the device, and is not held up by a
# file of it that is mounted elsewhere
make_disks
must ssdup create $NAME --hdd $HDD --ssd $SSD --policy all
must dmsetup create other --table "0 65536 linear $DEV 0"
must mkfs.ext4 -q -F /dev/mapper/other 8M
must mount /dev/mapper/other /mnt/s
echo "only in memory" >/mnt/s/file
must ssdup sync $NAME
on_hdd "only in memory" || fail "a file system on a volume is not synced"
must umount /mnt/s
must dmsetup remove other
must mkfs.ext4 -q -F $DEV 8M
must mount $DEV /mnt/s
echo "in memory again" >/mnt/s/file
touch "$T/file"
must mount -o bind /mnt/s/file "$T/file"
must ssdup sync $NAME
on_hdd "in memory again" || fail "a mounted file system is not synced"
must umount "$T/file"
must umount /mnt/s
must ssdup remove $NAME

# detach a mounted device: the same files, no log, a plain HDD
make_disks
must ssdup create $NAME --hdd $HDD --ssd $SSD --policy all
must mkfs.ext4 -q -F $DEV
must mount $DEV /mnt/s
plant /mnt/s/1
must ssdup detach $NAME
[[ $(dmsetup table $NAME) == "0 $LEN linear "* ]] || fail "table: $(dmsetup table $NAME)"
plant /mnt/s/2
tree /mnt/s >"$T/tree"
refuses 3 "not a device of dm-ssdup any more" ssdup status $NAME
homes_of $SSD "$T/tool"
no_log_in "$T/tool"
must umount /mnt/s
must dmsetup remove $NAME
must mount $HDD /mnt/s
tree /mnt/s | must cmp - "$T/tree"
must umount /mnt/s
