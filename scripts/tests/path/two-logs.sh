#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# kernels: 6.12 6.1 debug
# seconds: 300
# Two HDDs share an SSD. Each log has its segments, is drained, reloaded and removed by itself, and
# comes back whichever is there first; what the other one has is held for it meanwhile. A log is
# added and forgotten while the other one works.
# invariant: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
# shellcheck source=scripts/tests/superblock.sh
. /ssdup/scripts/tests/superblock.sh

A='' # UUID of the first log
B=00000000-0000-4000-8000-0000000000bb
HDD_B=/dev/mhdd1

# io_b ARG... - io, to the other device
io_b()
{
	iocheck "$T/model-b" /dev/mapper/other "$@" || fail "io_b $*"
}

# table_b [KEY VALUE]... - its table
table_b()
{
	echo "0 $LEN ssdup $HDD_B $SSD $(($# + 2)) log $B${1:+ $*}"
}

# make_b [KEY VALUE]... - the other device
make_b()
{
	dmsetup create other --table "$(table_b "$@")" || fail "no device: $(dmesg | tail -n 3)"
}

remove_b()
{
	must dmsetup remove --retry other
}

# stat_b FIELD - of the other device
stat_b()
{
	cat "/sys/block/dm-$(dmsetup info -c --noheadings -o minor other)/ssdup/$1"
}

# refused TEXT TABLE - no device is made
refused()
{
	must_not dmsetup create x --table "$2"
	said "$1" || fail "the kernel said not '$1' but: $(tail -n 1 "$T/said")"
}

make_disks hdds=2 ssd_size_mb=130 ssd_discard=0
make_ssdup policy all drain manual max_mb 64
A=$(stat log_uuid)
is "logs" "$(pool_logs)" 1
is "segments of the log" "$(stat segments)" 16
is "free for others" "$(stat pool_segments_free)" 16
io write len=16384

# what is wrong
must_get "Invalid argument" message log_add x 1000 1
must_get "Invalid argument" message log_add $B 0 1
must_get "Invalid argument" message log_add $B 1000 3
must_get "Invalid argument" message log_add $B 1001 8
must_get "File exists" message log_add "$A" 1000 1
must_get "No such file" message log_forget $B
must_get "Device or resource busy" message log_forget "$A"
must_get "Invalid argument" message log_forget "$A" please
refused "log: not on the SSD" "$(table_b)"

must message log_add $B "$LEN" 1
is "logs" "$(pool_logs)" 2
must_get "File exists" message log_add $B "$LEN" 1
refused "log: one of several on the SSD" "0 $LEN ssdup $HDD_B $SSD"
refused "hdd or ssd: in use by" "0 $LEN ssdup $HDD_B $SSD 2 log $A"
refused "hdd or ssd: in use by" "0 $LEN ssdup $HDD $SSD 2 log $B"
make_b max_mb 32 policy all drain manual
is "segments of log b" "$(stat_b segments)" 8
is "free for others" "$(stat pool_segments_free)" 8
refused "hdd or ssd: in use by" "0 $LEN ssdup /dev/mhdd0 $SSD 2 log $B"

# the tool wants to know which
ssdup_exits 4 check $SSD
grep -q "E142 super-logs" "$T/out" || fail "check: $(<"$T/out")"

# both at work
io_b write len=8192 &
pid=$!
io write start=20000 len=16000
wait $pid || fail "writes to the other device"
io verify
io_b verify
must dmsetup message other 0 commit
must message commit
is "left of b" "$(stat_b dirty_sectors)" 8192
flush
io_b verify
must dmsetup message other 0 drain
is "left of b" "$(stat_b dirty_sectors)" 0
io write len=12000 start=3000
io_b write len=4096 start=1000
io verify
io_b verify

# one goes, and comes back
held=$(($(stat_b segments) - $(stat_b segments_free)))
remove_b
is "free for others" "$(stat pool_segments_free)" $((16 - held))
must_get "Directory not empty" message log_forget $B
io write len=12000 start=40000
make_b max_mb 32 policy all drain manual
io_b verify
# what an absent log is promised nobody gets
remove_b
reload log "$A" policy all drain manual max_mb 1000
is "free for others" "$(stat pool_segments_free)" 3
make_b policy all drain manual
is "free for b" "$(stat_b segments_free)" 3
io_b write len=1000 start=3000
remove_b
reload log "$A" policy all drain manual max_mb 64
make_b max_mb 32 policy all drain manual
io_b verify
reload log "$A" policy all drain manual max_mb 80
is "segments of a" "$(stat segments)" 20
io verify
io_b verify
reload log "$A" policy all drain manual max_mb 64
held=$(($(stat_b segments) - $(stat_b segments_free)))
must dmsetup reload other --table "$(table_b policy all drain manual max_mb 1)"
must dmsetup resume other
is "segments of b" "$(stat_b segments)" $((held + 3))
io_b write len=2048 start=30000
io_b verify

# one that cannot be replayed keeps what it has
remove_b
free=$(stat pool_segments_free)
must blockdev --flushbufs $SSD
size=$(stat segment_sectors)
for ((i = 0; i < 32; i++)); do
	uuid=$(od -An -v -tx1 -j$(((2048 + i * size) * 512 + 24)) -N16 $SSD)
	[ "${uuid// /}" != "${B//-/}" ] ||
		model $SSD fail_read "$((2048 + i * size + 8)) 16"
done
must_not dmsetup create other --table "$(table_b policy all drain manual)"
said "cannot read the log" || fail "the kernel does not say why"
is "free for others" "$(stat pool_segments_free)" "$free"
model $SSD fail_read clear
make_b max_mb 32 policy all drain manual
io_b verify

# what the tool must not touch
# a head of an HDD that does not fit in the member block would be lost with the records
io_b zero len=1
io zero len=1
remove_b
reload_a=(log "$A" policy all drain manual max_mb 64)
commits
remove_ssdup
must dd if=$SSD of="$T/ssd" bs=1M status=none iflag=direct
for words in "repair $SSD --scan --yes" "repair $SSD --yes" "repair $SSD --copy 1 --yes" \
	"export $HDD $SSD" "format $HDD $SSD --force --discard-unsaved" \
	"create x --hdd $HDD --ssd $SSD --format --force --discard-unsaved"; do
	# shellcheck disable=SC2086
	ssdup_exits 4 $words
done
# both superblocks are gone, or all of both homes: the headers say which logs there were
for bytes in 4k 1M; do
	must dd if="$T/ssd" of=$SSD bs=1M oflag=direct status=none
	for copy in 0 1; do
		must dd if=/dev/urandom of=$SSD bs=$bytes seek=$(($(home $copy) * 512)) count=1 \
			oflag=direct,seek_bytes conv=notrunc status=none
	done
	must_not dmsetup create $NAME --table "$(table "${reload_a[@]}")"
	if [ $bytes = 4k ]; then
		ssdup_exits 0 repair $SSD --scan --yes
	else
		ssdup_exits 8 repair $SSD --scan --yes
	fi
done
rm "$T/ssd"
make_ssdup "${reload_a[@]}"
make_b max_mb 32 policy all drain manual
io verify
io_b verify

# both in every order, with one missing, and after a power cut
for order in "a b" "b a" "a" "b"; do
	commits
	must dmsetup message other 0 commit
	[ "$order" != "b a" ] || power_cut 1
	remove_ssdup
	remove_b
	power_on
	refused "log: one of several on the SSD" "$(table)"
	for who in $order; do
		case $who in
		a) make_ssdup log "$A" max_mb 64 policy all drain manual && io verify ;;
		b) make_b max_mb 32 policy all drain manual && io_b verify ;;
		esac
	done
	[[ $order == *a* ]] || make_ssdup log "$A" max_mb 64 policy all drain manual
	[[ $order == *b* ]] || make_b max_mb 32 policy all drain manual
	io write len=3000 start=$((RANDOM % 50000))
	io_b write len=1500 start=$((RANDOM % 50000))
	io verify
	io_b verify
done

# one host has all logs of an SSD
remove_b
make_b max_mb 32 host 00000000-0000-4000-8000-00000000000b policy all drain manual
power_cut 1
remove_b
remove_ssdup
power_on
must_not dmsetup create $NAME --table "$(table log "$A" max_mb 64)"
said "another host has a log of the SSD active" || fail "the kernel does not say why"
make_ssdup log "$A" max_mb 64 override host policy all drain manual
make_b max_mb 32 override host policy all drain manual
io recover
must io_b recover

# without max_mb each has an equal part; a full one waits for itself alone
reload log "$A" policy all drain manual
must dmsetup reload other --table "$(table_b policy all drain auto)"
must dmsetup resume other
[ "$(stat segments)" -le 16 ] || fail "an unequal part: $(stat segments)"
io_b random len=65536 nr=3000 bs=8
io_b verify
io verify
must dmsetup message other 0 drain
remove_b

# it is forgotten, and its segments are for others
must message log_forget $B
must_get "File exists" message log_add $B "$LEN" 1
must_get "Device or resource busy" message log_forget "$A" force
must_get "Invalid argument" message log_forget 00000000-0000-0000-0000-000000000000
is "logs" "$(pool_logs)" 1
refused "log: not on the SSD" "$(table_b)"
free=$(stat pool_segments_free)
above "segments that are free" "$free" 15
reload policy all drain manual
is "segments of a" "$(stat segments)" 32
io verify
io write len=30000
io verify

# with all segments leased there is no room for another log
is "free for others" "$(stat pool_segments_free)" 0
B=00000000-0000-4000-8000-0000000000b2
must_get "No space left" message log_add $B "$LEN" 1
reload policy all drain manual max_mb 64
must message log_add $B "$LEN" 1
rm "$T/model-b"
make_b policy all drain manual
io_b write len=100
io_b verify len=100
remove_b
must message log_forget $B force
must_not message log_forget "$A" force
remove_ssdup
make_ssdup policy all
io verify
