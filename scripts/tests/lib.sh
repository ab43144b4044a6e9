# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2086
#
# What the tests share. A test sources this, calls make_disks and make_ssdup,
# and may simply end: a trap takes down what was set up.
#
# "# invariant: N" in a test's head says which invariants of Documentation/design.rst it shows, or
# "none". The table there is made of these lines.
#
# Content is checked by iocheck (tools/iocheck): whatever a test writes with io
# is stamped and remembered, and io verify tells whether all of it is there.

set -u -o pipefail

T=$(mktemp -d /tmp/test.XXXXXX)
MODEL=$T/model
NAME=s
DEV=/dev/mapper/$NAME
HDD=/dev/mhdd0
SSD=/dev/mssd0
LAYER=${LAYER:-bare}	# between dm-ssdup and each of them
LOGGED=0		# kernel messages up to here were looked at
exec {NEVER}<> <(:)	# nobody writes to this; opened here, for it sets $!

fail()
{
	echo "FAIL: $*" >&2
	echo "  at ${BASH_SOURCE[-1]##*/}:${BASH_LINENO[*]}" >&2
	[ ! -e "$DEV" ] || dmsetup status "$NAME" >&2
	exit 1
}

skip()
{
	echo "$*"
	exit 77
}

# must COMMAND... - it succeeds
must()
{
	"$@" || fail "status $? of: $*"
}

# must_not COMMAND... - it fails, and is not killed by a signal
must_not()
{
	local r=0

	"$@" 2>"$T/stderr" || r=$?
	[ "$r" != 0 ] || fail "succeeded: $*"
	[ "$r" -lt 124 ] || fail "status $r of: $*"
}

# must_get ERROR COMMAND... - it fails and says so
must_get()
{
	local error=$1

	shift
	must_not "$@"
	[[ $(<"$T/stderr") == *"$error"* ]] || fail "of '$*' we got: $(<"$T/stderr")"
}

# write_fails ERROR [KEY=VALUE]... - a write does, and leaves the model as it was
write_fails()
{
	local error=$1

	shift
	cp "$MODEL" "$T/before"
	must_get "$error" iocheck "$MODEL" $DEV write "$@"
	cp "$T/before" "$MODEL"
}

# is WHAT GOT WANTED
is()
{
	[ "$2" = "$3" ] || fail "$1 is $2, not $3"
}

# above WHAT GOT LIMIT, below WHAT GOT LIMIT
above()
{
	[ "$2" -gt "$3" ] || fail "$1 is $2, not above $3"
}

below()
{
	[ "$2" -lt "$3" ] || fail "$1 is $2, not below $3"
}

# nap SECONDS - what sleep does, without a process
nap()
{
	read -rt "$1" -u "$NEVER" || :
}

# wait_until FILE OPERATOR VALUE - of the device's files in sysfs, as test(1) has
# it; at most 60 s
wait_until()
{
	local value end=$((SECONDS + 60))

	until read -r value <"$SYS/$1" && test "$value" "$2" "$3"; do
		[ $SECONDS -lt $end ] || fail "waited in vain for: $*"
		nap 0.002
	done
}

# --- Contexts ---

# tear_down - leave nothing behind, whatever the test did
tear_down()
{
	local job mount mounts file name names

	for job in $(jobs -p); do
		kill "$job" 2>/dev/null
	done
	for file in /sys/kernel/debug/fail*/probability; do
		[ ! -e "$file" ] || echo 0 >"$file"
	done
	power_on 2>/dev/null
	heal 2>/dev/null
	mapfile -t mounts </proc/mounts
	for mount in "${mounts[@]}"; do
		read -r _ mount _ <<<"$mount"
		[[ $mount != /mnt* ]] || umount "$mount"
	done
	# one without a table has no node
	mapfile -t names < <(dmsetup info -c --noheadings -o name 2>/dev/null)
	# what is below it first: a job may wait for it, and keep the device open
	for name in other "$NAME"; do
		[[ " ${names[*]} " == *" $name "* ]] || continue
		# what dm-delay holds back it lets go
		[ "$name" != other ] || timeout 10 dmsetup suspend --noflush other 2>/dev/null
		dmsetup resume "$name" 2>/dev/null
	done
	for name in "$NAME" other; do
		[[ " ${names[*]} " != *" $name "* ]] || dmsetup remove --retry "$name" 2>/dev/null
	done
	wait
	uncover 2>/dev/null
	modprobe -r ssdup-disks 2>/dev/null
	rm -rf "$T" /etc/ssduptab
}
trap tear_down EXIT

# cover - put LAYER over each modelled disk; HDD and SSD are then devices of LAYER
#
# A sector of such a device is the same sector of its disk, so faults are injected as
# they are without it. What a layer does to FLUSH and to errors is what differs.
cover()
{
	local disk

	case $LAYER in
	bare) return ;;
	linear) ;;
	*) fail "no layer $LAYER" ;;
	esac
	for disk in mhdd0 mssd0; do
		must dmsetup create over-$disk --table \
			"0 $(blockdev --getsz /dev/$disk) linear /dev/$disk 0"
	done
	HDD=/dev/mapper/over-mhdd0 SSD=/dev/mapper/over-mssd0
}

# uncover - take the layers away, and let HDD and SSD be the modelled disks
uncover()
{
	local device

	[ "$LAYER" != bare ] || return 0
	HDD=/dev/mhdd0 SSD=/dev/mssd0
	for device in /dev/mapper/over-*; do
		[ ! -e "$device" ] || dmsetup remove --retry "${device##*/}"
	done
}

# make_disks [PARAMETER=VALUE]... - a modelled HDD and SSD, below LAYER; small and
# without delays unless told
make_disks()
{
	uncover
	[ ! -e "$T/text" ] || rm "$T/text"
	[ -d /sys/module/dm_ssdup ] || must modprobe dm-ssdup
	[ ! -d /sys/module/ssdup_disks ] || must modprobe -r ssdup-disks
	must modprobe ssdup-disks hdd_size_mb=64 ssd_size_mb=17 instant=1 "$@"
	read -r LEN <"/sys/block/${HDD##*/}/size"
	cover
}

# make_host_disks HDD-MB SSD-MB - of the host's disk, and not blank: modelled ones are in memory
make_host_disks()
{
	set -- "$1" "$2" "/dev/$(grep -l ssdup-result /sys/block/vd*/serial | cut -d/ -f4)"
	must modprobe dm-ssdup
	must dmsetup create hdd --table "0 $(($1 * 2048)) linear $3 $((1024 * 2048))"
	must dmsetup create ssd --table "0 $(($2 * 2048)) linear $3 $((2048 * 2048))"
	HDD=/dev/mapper/hdd SSD=/dev/mapper/ssd LEN=$(($1 * 2048))
}

# home COPY - first sector of the home with that copy of the superblock; + 1024 is the record
home()
{
	local sectors

	sectors=$(blockdev --getsz $SSD)
	echo $(($1 ? sectors / 2048 * 2048 - 2048 : 0))
}

# blank_log - the SSD is as one that never had a log, and $HDD is no longer that of one
blank_log()
{
	local copy

	ssdup release $HDD --discard-unsaved --force >/dev/null 2>&1 || :
	for copy in 1 0; do
		must dd if=/dev/zero of=$SSD bs=1M count=1 seek=$(($(home $copy) / 2048)) \
			oflag=direct conv=notrunc,fsync status=none
	done
}

# ssdup_exits CODE COMMAND... - of ssdup; its output stays in $T/out
ssdup_exits()
{
	local want=$1 code=0

	shift
	ssdup "$@" >"$T/out" 2>&1 </dev/null || code=$?
	[ "$code" = "$want" ] || { cat "$T/out" >&2; fail "status $code of: ssdup $*"; }
}

# says TEXT - the last ssdup_exits
says()
{
	grep -qF -- "$1" "$T/out" || { cat "$T/out" >&2; fail "it does not say: $1"; }
}

# slow_disks [PARAMETER=VALUE]... - the same, but with their delays
slow_disks()
{
	make_disks instant=0 hdd_cache_mb=0 "$@"
}

# table [KEY VALUE]... - a table line; GUARD is for that key, if a test has it
table()
{
	[ -z "${GUARD:-}" ] || set -- "$@" guard "$GUARD"
	echo "0 $LEN ssdup $HDD $SSD${1:+ $# $*}"
}

# log_refused TEXT - no device is made, the kernel says why, and nothing is written to the SSD
log_refused()
{
	local before

	before=$(model $SSD bytes_written)
	must_not dmsetup create $NAME --table "$(table policy all drain manual)"
	said "$1" || fail "the kernel said not '$1' but: $(tail -n 1 "$T/said")"
	is "bytes written to the SSD" "$(model $SSD bytes_written)" "$before"
	# what was refused by its first resume is there still
	! dmsetup info $NAME >/dev/null 2>&1 || must dmsetup remove $NAME
}

# make_ssdup [KEY VALUE]... - the device
make_ssdup()
{
	dmsetup create "$NAME" --table "$(table "$@")" ||
		fail "no device: $(dmesg | tail -n 3)"
	find_sys
}

# find_sys - SYS is the folder in sysfs of the device that was made
find_sys()
{
	SYS=/sys/block/dm-$(dmsetup info -c --noheadings -o minor "$NAME")/ssdup
}

remove_ssdup()
{
	must dmsetup remove --retry "$NAME"
}

# reload [KEY VALUE]... - another table while the device is in use
reload()
{
	must dmsetup reload "$NAME" --table "$(table "$@")"
	must dmsetup suspend ${NOFLUSH:+--noflush} "$NAME"
	must dmsetup resume "$NAME"
}

# --- The device ---

# stat FILE - a file of the device's folder in sysfs
stat()
{
	local value

	read -r value <"$SYS/$1" && echo "$value"
}

# knob FILE VALUE
knob()
{
	echo "$2" >"$SYS/$1" || fail "$1 does not take $2"
}

# events - raised so far, as dmsetup wait counts them
events()
{
	dmsetup info -c --noheadings -o events "$NAME"
}

# raises_event COMMAND... - one came during the command, or comes soon
raises_event()
{
	local before

	before=$(events)
	must "$@"
	timeout 20 dmsetup wait "$NAME" "$before" || fail "no event from: $*"
}

message()
{
	dmsetup message "$NAME" 0 "$@"
}

# flush - all of it to the HDD
flush()
{
	must message drain
	is "sectors left after a flush" "$(stat dirty_sectors)" 0
}

# commits - everything written so far is durable
commits()
{
	must message commit
}

# said TEXT - the kernel has said it since the last time we asked
said()
{
	local heard

	# no process substitution, which would set $!
	dmesg >"$T/said"
	mapfile -t heard <"$T/said"
	printf '%s\n' "${heard[@]:LOGGED}" >"$T/said"
	LOGGED=${#heard[@]}
	[[ $(<"$T/said") == *"$1"* ]]
}

# --- The disks ---

# model DISK FILE [VALUE] - read or write a file of a modelled disk, or of the one
# below DISK
model()
{
	local disk=${1##*/} file

	disk=${disk#over-}
	if [ $# = 2 ]; then
		mapfile -t file <"/sys/block/$disk/model/$2" && printf '%s\n' "${file[@]}"
	else
		echo "$3" >"/sys/block/$disk/model/$2" || fail "$1: $2 does not take $3"
	fi
}

power_cut()
{
	echo "$1" >/sys/module/ssdup_disks/parameters/power_cut_all
}

power_on()
{
	echo 1 >/sys/module/ssdup_disks/parameters/power_on_all
}

# heal - no injected fault is left
heal()
{
	local disk file

	for disk in /sys/block/m[hs][ds]d[0-9]/model; do
		for file in fail_read fail_write; do
			echo clear >"$disk/$file"
		done
		echo medium >"$disk/fail_status"
		for file in fail_flush drop_flush no_zeroes gone; do
			echo 0 >"$disk/$file"
		done
	done
}

# segment_pages - the metadata pages of a segment (format.rst)
segment_pages()
{
	echo $((($(stat segment_sectors) - 8 + 1023) / 1024))
}

# segment_data - the sectors of data that a segment has room for
segment_data()
{
	echo $(($(stat segment_sectors) - 8 - 16 * $(segment_pages)))
}

# log_writes BS - the writes of BS sectors that an empty log takes before others wait: the last
# two segments are for what a drain relocates. Of 8 sectors exactly so many; longer ones may be
# split where a segment ends.
log_writes()
{
	echo $((($(stat segments) - 2) * $(segment_data) / $1))
}

# slow_ssd AT LEN READ-MS WRITE-MS [FLUSH-MS] - reads and writes of these sectors of the SSD take as
# long; SSD is the device on which they do, which is called other
slow_ssd()
{
	local at=$1 len=$2

	must modprobe dm-delay
	must dmsetup create other <<-TABLE
		0 $at linear $SSD 0
		$at $len delay $SSD $at $3 $SSD $at $4${5:+ $SSD $at $5}
		$((at + len)) $(($(blockdev --getsz $SSD) - at - len)) linear $SSD $((at + len))
	TABLE
	SSD=/dev/mapper/other
}

# fast_ssd - what slow_ssd holds back ends now
fast_ssd()
{
	must dmsetup reload other --table "0 $(blockdev --getsz /dev/mssd0) linear /dev/mssd0 0"
	must dmsetup suspend other
	must dmsetup resume other
}

# log_sector POS [SEGMENT] - where on the SSD a place in a segment's data is
log_sector()
{
	local segment

	segment=$(stat segment_sectors)
	echo $((2048 + (${2:-0} + 1) * segment - $(segment_data) + $1))
}

# reboot SEED [KEY VALUE]... - the power goes and comes back; the device is made
# anew from what is left
reboot()
{
	local seed=$1

	shift
	power_cut "$seed"
	must dmsetup remove --force "$NAME"
	power_on
	make_ssdup "$@"
}

# --- Memory ---

# find_symbols - the addresses of our modules' functions, in order, as $T/text and
# $T/disks; kept until the modules are loaded anew, for the kernel's list is long
find_symbols()
{
	awk -v text="$T/text" -v disks="$T/disks" '$2 != "t" && $2 != "T" { next }
		$4 == "[dm_ssdup]" { print "0x" $1 | "sort >" text }
		$4 == "[ssdup_disks]" { print "0x" $1 | "sort >" disks }' /proc/kallsyms
}

# fail_memory PERCENT [PID...] - so many of the allocations fail that dm-ssdup
# makes, those that may sleep too; of PID, all its allocations. Not those of the
# modelled disks, which are no part of what is tested.
fail_memory()
{
	local percent=$1 kind dir file pid filter=N

	[ -d /sys/kernel/debug/failslab ] || skip "no allocations that fail in this kernel"
	shift
	[ -s "$T/text" ] || find_symbols
	for pid; do
		echo 1 >"/proc/$pid/make-it-fail"
		filter=Y
	done
	for kind in failslab fail_page_alloc; do
		dir=/sys/kernel/debug/$kind
		echo 0 >"$dir/probability"
		[ $filter = N ] && head -n 1 "$T/text" >"$dir/require-start" ||
			echo 0 >"$dir/require-start"
		[ $filter = N ] && tail -n 1 "$T/text" >"$dir/require-end" ||
			echo 0xffffffffffffffff >"$dir/require-end"
		head -n 1 "$T/disks" >"$dir/reject-start"
		tail -n 1 "$T/disks" >"$dir/reject-end"
		echo 32 >"$dir/stacktrace-depth"
		echo $filter >"$dir/task-filter"
		echo N >"$dir/ignore-gfp-wait"
		for file in interval:1 times:-1 verbose:0 "probability:$percent"; do
			echo "${file#*:}" >"$dir/${file%:*}"
		done
	done
	echo 0 >/sys/kernel/debug/fail_page_alloc/min-order
}

# --- File systems ---

# plant DIR - a small tree of files, some rewritten and some removed again
plant()
{
	local i

	must mkdir -p "$1/a/b/c" "$1/small"
	must cp /usr/bin/bash "$1/a/b/c/"
	must dd if=/dev/urandom of="$1/a/random" bs=64k count=40 status=none
	for ((i = 0; i < 60; i++)); do
		echo "file $i $RANDOM" >"$1/small/$i" || fail "small file $i"
	done
	must dd if=/dev/urandom of="$1/a/random" bs=4k count=3 seek=100 conv=notrunc,fsync status=none
	must truncate -s 3M "$1/a/sparse"
	must dd if=/dev/urandom of="$1/a/sparse" bs=5000 count=1 seek=300 conv=notrunc status=none
	must rm "$1/small/1"* "$1/a/b/c/bash"
	must cp /usr/bin/cmp "$1/a/b/"
}

# tree DIR - every file of it with its checksum
tree()
{
	(cd "$1" && find . -type f -exec md5sum {} + | sort -k 2)
}

# fs_test MKFS FSCK MOUNT-OPTIONS-OF-THE-BARE-HDD - a tree of files compared after
# a drain, a remount with a replay, a fsck, and from the bare HDD; all strings
fs_test()
{
	local mkfs=$1 fsck=$2 bare=$3

	mkdir -p /mnt/s
	must $mkfs $DEV >"$T/mkfs"
	must mount $DEV /mnt/s
	plant /mnt/s/1
	message drain &
	plant /mnt/s/2
	wait $!
	tree /mnt/s >"$T/tree"
	must umount /mnt/s
	above "files" "$(wc -l <"$T/tree")" 80
	remove_ssdup
	make_ssdup policy all
	must $fsck $DEV >"$T/fsck"
	must mount $DEV /mnt/s
	tree /mnt/s | must cmp - "$T/tree"
	plant /mnt/s/3
	must rm -r /mnt/s/2
	must fstrim /mnt/s
	tree /mnt/s >"$T/tree"
	must umount /mnt/s
	flush
	must mount $DEV /mnt/s
	tree /mnt/s | must cmp - "$T/tree"
	must umount /mnt/s
	flush
	remove_ssdup
	must $fsck $HDD >"$T/fsck"
	must mount -o "$bare" $HDD /mnt/s
	tree /mnt/s | must cmp - "$T/tree"
	must umount /mnt/s
}

# --- Content ---

# io COMMAND [KEY=VALUE]... - see tools/iocheck
io()
{
	must iocheck "$MODEL" "$DEV" "$@"
}

# io_on DEVICE COMMAND [KEY=VALUE]...
io_on()
{
	local dev=$1

	shift
	must iocheck "$MODEL" "$dev" "$@"
}

# cuts_test [KEY=VALUE]... FIRST COUNT - see tools/cuts; its last line stays in $T/cuts
cuts_test()
{
	must modprobe dm-ssdup
	# the console is too slow for the errors of so many cuts
	dmesg -n 1
	must cuts "$@" | tee "$T/cuts"
}

# cuts_seen - by the last cuts_test
cuts_seen()
{
	sed -n '$s/.* \([0-9]*\) cuts,.*/\1/p' "$T/cuts"
}

# refuse_late MS SECTOR... - $DISK refuses the blocks there, each after MS ms; "other" lies on it.
# Without a SECTOR it refuses none
refuse_late()
{
	local at=0 block ms=$1

	shift
	# shellcheck disable=SC2153
	model "$DISK" fail_write clear
	for block; do
		model "$DISK" fail_write "$block 8"
		echo "$at $((block - at)) linear $DISK $at"
		echo "$block 8 delay $DISK $block 0 $DISK $block $ms"
		at=$((block + 8))
	done >"$T/table"
	echo "$at $((LEN - at)) linear $DISK $at" >>"$T/table"
	must dmsetup reload other "$T/table"
	must dmsetup suspend other
	must dmsetup resume other
}

# page_blocks PAGE - the blocks of commands that a page of Documentation/ prints, as functions, and
# their names in $blocks
page_blocks()
{
	/ssdup/Documentation/guide-commands "/ssdup/Documentation/$1" >"$T/page" ||
		fail "no commands in $1"
	# shellcheck source=/dev/null
	. "$T/page"
}

# run_block NAME - in this shell, whose variables the next ones use
run_block()
{
	"$1" >"$T/output" 2>&1 </dev/null || fail "status $? of $(declare -f "$1"; cat "$T/output")"
}

# all_home - drained, and the bare HDD has everything
all_home()
{
	io verify
	flush
	io verify
	io_on $HDD verify
}
