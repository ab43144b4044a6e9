#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# An SSD for two HDDs, by the tool alone: a log is added while another one is in use and while none
# is, found by the HDD, by its UUID and by ssduptab, looked at, exported, mended and forgotten. What
# the other log holds is never touched.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
# shellcheck source=scripts/tests/superblock.sh
. /ssdup/scripts/tests/superblock.sh

HDD_B=/dev/mhdd1
# a discard would take the headers of what is freed, at any time
SET=-opolicy=all,drain=manual

# this_hdd DISK [DIGITS] - what the disk in the slot says of itself, if anything
this_hdd()
{
	echo "${2:+naa.5000c500$2}" >"/sys/block/${1##*/}/wwid"
}

# io_b ARG... - io, to the other device
io_b()
{
	iocheck "$T/model-b" /dev/mapper/other "$@" || fail "io_b $*"
}

# uuid_of DEVICE - of its log
uuid_of()
{
	cat "/sys/block/dm-$(dmsetup info -c --noheadings -o minor "$1")/ssdup/log_uuid"
}

# column LOG NAME - what "ssdup pool status" says of a log
column()
{
	ssdup pool status $SSD --json >"$T/pool" || fail "pool status: $(<"$T/pool")"
	tr -d '\n' <"$T/pool" | grep -o '{[^{}]*}' | grep "\"log\": *$1," |
		sed -n "s/.*\"$2\": *\"\{0,1\}\([^\",}]*\).*/\1/; s/ *\$//p"
}

# lose_record - both copies of that of log 1
lose_record()
{
	local copy

	for copy in 0 1; do
		must dd if=/dev/urandom of=$SSD bs=4096 count=1 oflag=direct conv=notrunc \
			status=none seek=$((($(home $copy) + 1024 + 8) / 8))
	done
}

make_disks ssd_discard=0 hdds=2 ssd_size_mb=130
this_hdd $HDD aaaaaaaa
this_hdd $HDD_B bbbbbbbb

# there is no log yet, or it is this HDD's
ssdup_exits 4 create other --hdd $HDD_B --ssd $SSD --add
says "holds no log yet"
ssdup_exits 3 pool status $SSD
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD $SET
A=$(uuid_of $NAME)
find_sys
ssdup_exits 4 create x --hdd $HDD --ssd $SSD --add
says "in use by $NAME"
ssdup_exits 4 create other --hdd $HDD_B --ssd $SSD
says "is wwn:naa.5000c500bbbbbbbb, and the log on $SSD is for wwn:naa.5000c500aaaaaaaa"
ssdup_exits 4 create other --hdd $HDD_B --ssd $SSD --format --force
says "in use by $NAME"
for words in "--hdd $HDD_B --ssd $SSD --add --format" "--add" "--uuid $A --add" \
	"--hdd $HDD_B --ssd $SSD --add -olog=$A"; do
	# shellcheck disable=SC2086
	ssdup_exits 2 create other $words
done

# all of the SSD is taken: the first device is reloaded, and goes on
io write len=16384
ssdup_exits 0 create other --hdd $HDD_B --ssd $SSD --add $SET
B=$(uuid_of other)
dmsetup table $NAME | grep -q " log $A" || fail "the table: $(dmsetup table $NAME)"
! dmsetup table $NAME | grep -q max_mb || fail "the table: $(dmsetup table $NAME)"
is "its segments" "$(stat segments)" 16
is "logs" "$(pool_logs)" 2
io verify
io_b write len=8192
io write start=20000 len=5000
io_b verify
ssdup_exits 0 pool status $SSD
says wwn:naa.5000c500aaaaaaaa
says wwn:naa.5000c500bbbbbbbb
is "the device of log 1" "$(column 1 device)" other
is "what log 1 holds" "$(column 1 dirty)" $((8192 * 512))
ssdup_exits 0 pool list
says $SSD
ssdup_exits 4 pool forget $SSD 1
says "is active, as other"
ssdup doctor >"$T/out" || :
! grep -q "^wrong *HDD" "$T/out" || fail "the doctor: $(<"$T/out")"

# each is found by its HDD; the other one's is not taken
ssdup_exits 0 remove other
ssdup_exits 0 remove $NAME
ssdup_exits 4 create other --hdd $HDD_B --ssd $SSD -olog="$A"
says "is wwn:naa.5000c500bbbbbbbb, and the log on $SSD is for wwn:naa.5000c500aaaaaaaa"
ssdup_exits 3 create other --hdd $HDD_B --ssd $SSD -olog=00000000-0000-4000-8000-000000000001
says "holds no log of that UUID"
ssdup_exits 4 create other --hdd $HDD_B --ssd $SSD --add
says "holds a log for $HDD_B already (UUID $B)"
ssdup_exits 4 create other --hdd $HDD_B --ssd "UUID=$A" --add
says "holds a log for $HDD_B already (UUID $B)"
ssdup_exits 0 create other --hdd $HDD_B --ssd $SSD $SET
ssdup_exits 0 create $NAME --hdd $HDD --ssd "UUID=$A" $SET
io verify
io_b verify
ssdup_exits 0 remove other
ssdup_exits 0 remove $NAME

# by ssduptab, with the SSD named by the log or by itself
export SSDUP_TAB=$T/tab
cat >"$SSDUP_TAB" <<END
$NAME $HDD UUID=$A policy=all,drain=manual
other $HDD_B $SSD policy=all,drain=manual
END
ssdup tab --check >"$T/out" || fail "tab --check: $(<"$T/out")"
sed "s|UUID=$A|UUID=$B|" "$SSDUP_TAB" >"$T/wrong"
SSDUP_TAB=$T/wrong ssdup_exits 1 tab --check
says "is wwn:naa.5000c500aaaaaaaa, and the log on UUID=$B is for wwn:naa.5000c500bbbbbbbb"
says "is the SSD of $NAME too"
ssdup_exits 0 create -a
io verify
io_b verify

# all at a time, as at boot
for ((i = 0; i < 10; i++)); do
	ssdup_exits 0 remove other
	ssdup_exits 0 remove $NAME
	ssdup create --tab other >"$T/other" 2>&1 &
	pid=$!
	ssdup_exits 0 create --tab $NAME
	wait $pid || fail "other: $(<"$T/other")"
done
io verify
io_b verify
export DEVNAME=$SSD MAJOR=0 MINOR=0
SSDUP_LOGS=" $A $B" ssdup tab --udev >"$T/out" || fail "tab --udev: $(<"$T/out")"
says "SSDUP_NAME=$NAME other"
says "SSDUP_AUTO=1"
unset DEVNAME MAJOR MINOR

# swapped HDDs
ssdup_exits 0 remove other
ssdup_exits 0 remove $NAME
this_hdd $HDD bbbbbbbb
this_hdd $HDD_B aaaaaaaa
md5sum $HDD $HDD_B $SSD >"$T/before"
ssdup_exits 4 create -a
ssdup_exits 4 create --tab $NAME
says "is wwn:naa.5000c500bbbbbbbb"
dmsetup remove other 2>/dev/null || :
this_hdd $HDD aaaaaaaa
this_hdd $HDD_B bbbbbbbb

# without the kernel
for log in "$A" "$B"; do
	ssdup_exits 0 check $SSD --log "$log"
	ssdup_exits 0 check "UUID=$log"
	ssdup_exits 0 dump $SSD --log "$log" superblock
	says "$log"
done
ssdup_exits 0 check $HDD_B $SSD --log 1
ssdup_exits 4 check $HDD_B $SSD --log 0
ssdup_exits 3 check $SSD --log 2
ssdup_exits 2 check $SSD --log 64
ssdup_exits 2 check $SSD --log x
ssdup_exits 4 export $HDD_B $SSD
says "holds several logs"
ssdup_exits 4 export $HDD $SSD --log "$B"
ssdup probe $SSD --export >"$T/out" || fail "probe"
grep -q "^SSDUP_LOGS= $A $B\$" "$T/out" || fail "probe: $(<"$T/out")"
ssdup_exits 0 export $HDD_B $SSD --log "$B" --clear
iocheck "$T/model-b" $HDD_B verify || fail "the HDD lacks something"
ssdup_exits 0 check $SSD --log "$B"
says "0 extents"
ssdup_exits 0 check $SSD --log "$A"
is "log 1" "$(column 1 state)" empty
is "log 0" "$(column 0 state)" "holds data"

# one home is lost, or the other: both logs are still there
ssdup_exits 0 create other --hdd $HDD_B --ssd $SSD $SET
io_b write len=3000 start=9000
ssdup_exits 0 remove other
must dd if=$SSD of="$T/ssd" bs=1M status=none iflag=direct
must dd if=/dev/urandom of=$SSD bs=1M count=1 oflag=direct conv=notrunc status=none
ssdup_exits 5 create other --hdd $HDD_B --ssd $SSD
ssdup_exits 4 repair $SSD --yes --copy 1
says "holds several logs"
ssdup_exits 5 check $SSD --copy 1 --log "$B"
ssdup_exits 0 repair $SSD --yes --copy 1 --log "$B"
ssdup_exits 0 check $SSD --log "$B"
ssdup_exits 0 create other --hdd $HDD_B --ssd $SSD $SET
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD $SET
io verify
io_b verify
ssdup_exits 0 remove other
ssdup_exits 0 remove $NAME
ssdup_exits 0 check $SSD --log "$A"
must dd if="$T/ssd" of=$SSD bs=1M status=none oflag=direct
must dd if=/dev/zero of=$SSD bs=1M count=1 seek=$(($(home 1) / 2048)) oflag=direct conv=notrunc \
	status=none
ssdup_exits 0 create other --hdd $HDD_B --ssd $SSD $SET
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD $SET
io verify
io_b verify
must dmsetup message other 0 drain
ssdup_exits 0 remove other
ssdup_exits 0 remove $NAME
ssdup_exits 0 check $SSD --log "$A"
ssdup_exits 0 check $SSD --log "$B"

# it is forgotten, and another one added, with no device there
ssdup_exits 4 pool forget $SSD "$A"
says "holds data"
ssdup_exits 0 pool forget $SSD "$B"
ssdup_exits 3 pool forget $SSD "$B"
ssdup_exits 4 pool forget $SSD "$A"
says "holds no other log"
ssdup_exits 0 check $SSD
ssdup_exits 0 create other --hdd $HDD_B --ssd $SSD --add $SET
[ "$(uuid_of other)" != "$B" ] || fail "the same log again"
B=$(uuid_of other)
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD $SET
find_sys
io verify
io_b write len=4096

# a device that cannot be made leaves no log
ssdup_exits 0 detach other
says "now a plain mapping"
iocheck "$T/model-b" /dev/mapper/other verify || fail "the HDD lacks something"
must dmsetup remove other
is "logs" "$(pool_logs)" 1
must blockdev --setro $HDD_B
ssdup_exits 4 create other --hdd $HDD_B --ssd $SSD --add $SET
must blockdev --setrw $HDD_B
is "logs" "$(pool_logs)" 1
! dmsetup info other >"$T/out" 2>&1 || fail "a device was made"

# the last but one, whose record is damaged in both copies
ssdup_exits 0 create other --hdd $HDD_B --ssd $SSD --add $SET
B=$(uuid_of other)
io_b write len=100 start=60000
ssdup_exits 0 remove other
lose_record
ssdup_exits 0 remove $NAME
# the headers of its segments say what it was
ssdup_exits 4 repair $SSD --scan --yes
says "two logs have had number 1: say with --uuid which it is"
ssdup_exits 8 repair $SSD --scan --yes --uuid "$B"
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD $SET
find_sys
io verify
ssdup_exits 0 create other --hdd $HDD_B --ssd $SSD $SET
# sector 0 does not fit in the member block, and was in the record
io_b verify start=1 len=65536
ssdup_exits 0 remove other
lose_record
io verify
is "log 1" "$(column 1 state)" damaged
ssdup_exits 4 pool forget $SSD 1
says "remove their devices first"
ssdup_exits 4 create other --hdd $HDD_B --ssd $SSD --add
says "holds log 1, which is damaged"
ssdup_exits 0 remove $NAME
ssdup_exits 4 create other --hdd $HDD_B --ssd $SSD --add
says "holds log 1, which is damaged"
ssdup_exits 6 check $SSD --log 1
ssdup_exits 6 repair $SSD --log 1 --yes
ssdup_exits 0 check $SSD --log "$A"
ssdup_exits 4 pool forget $SSD 1
says "holds data"
ssdup_exits 0 pool forget $SSD 1 --discard-unsaved
# its sector 0 was on the SSD only
ssdup_exits 6 release $HDD_B --discard-unsaved
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD $SET
find_sys
io verify
is "segments" "$(stat segments)" 32

# what others happen to leave is no part: 32 segments are 10 for each of three
ssdup_exits 0 drain $NAME
ssdup_exits 0 remove $NAME
blank_log
must dmsetup create hdd-c --table "0 $((LEN / 2)) linear $HDD_B $((LEN / 2))"
must dmsetup create hdd-b --table "0 $((LEN / 2)) linear $HDD_B 0"
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD $SET
find_sys
for name in b c; do
	ssdup_exits 0 create "$name" --hdd "/dev/mapper/hdd-$name" --ssd $SSD --add $SET
done
says "its log has 40.0 MiB of the 128.0 MiB of the SSD"
is "segments" "$(stat segments)" 10
io verify
ssdup_exits 0 drain $NAME
for name in c b $NAME hdd-c hdd-b; do
	must dmsetup remove --retry "$name"
done

# disks that do not say which they are: the log that is left is not for the HDD of a stale line
this_hdd $HDD
this_hdd $HDD_B
blank_log
ssdup_exits 0 create $NAME --hdd $HDD --ssd $SSD $SET
A=$(uuid_of $NAME)
ssdup_exits 0 create other --hdd $HDD_B --ssd $SSD --add $SET
says "log $A does not say for which HDD it is"
cat >"$SSDUP_TAB" <<END
$NAME $HDD $SSD policy=all
other $HDD_B $SSD policy=all
END
io write len=1000
ssdup_exits 0 detach other
must dmsetup remove other
ssdup_exits 0 remove $NAME
ssdup_exits 1 tab --check
says "nothing says that its log is for $HDD_B"
ssdup_exits 4 create --tab other
says "nothing says that this one is for $HDD_B"
ssdup_exits 4 create --tab $NAME
sed -i "s|$SSD|UUID=$A|; /^other/d" "$SSDUP_TAB"
ssdup_exits 0 create -a
io verify
