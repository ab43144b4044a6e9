# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2317
#
# Tests of the tool as it is typed, run by tests/cli: logs, what is written, and what is refused and
# left as it is.

test_format_looks_at_the_hdd_first()
{
	local size

	a_log
	for size in 0 1 511; do
		image small "$size"
		unchanged exits 4 "$ssdup" format small ssd --force
		errs "small: too small for an HDD: $size bytes"
	done
	image small 512
	exits 0 "$ssdup" format small ssd --force
	exits 0 "$ssdup" check small ssd
}

test_format_refuses_an_hdd_with_a_log()
{
	a_log
	image blank 64M
	exits 4 "$ssdup" format ssd blank
	errs "ssd: holds an empty log of dm-ssdup: is it the SSD?"
	[ "$(stat -c %b blank)" = 0 ] || fail "the blank image was written to"
	exits 0 "$ssdup" format ssd blank --force

	# one that is damaged is one all the same, and nobody knows what it holds
	image blank 64M
	spoil ssd
	exits 4 "$ssdup" format ssd blank
	# the word for the log of the SSD says nothing of this one
	exits 4 "$ssdup" format ssd blank --force --discard-unsaved
	errs "is it the SSD? Swap the two. To give the log up, zero the first and the last MiB"
	[ "$(stat -c %b blank)" = 0 ] || fail "the blank image was written to"
	dd if=/dev/zero of=ssd bs=1M count=1 conv=notrunc status=none
	dd if=/dev/zero of=ssd bs=1M count=1 seek=63 conv=notrunc status=none
	exits 0 "$ssdup" format ssd blank
	# too short for a superblock: it has none
	image blank 64M
	image short 2048
	exits 0 "$ssdup" format short blank
}

# the HDD first, or each by its name
test_disks_have_one_order()
{
	local names

	a_log
	for names in "hdd ssd" "--hdd hdd --ssd ssd" "--ssd ssd --hdd hdd" "ssd --hdd hdd" \
			"hdd --ssd ssd"; do
		# shellcheck disable=SC2086
		{
			exits 0 "$ssdup" format $names --force
			says "ssd: an empty log"
			unchanged exits 0 "$ssdup" check $names
			unchanged exits 0 "$ssdup" export $names
			says "hdd: 0 B written"
		}
	done
	for names in ssd "--ssd ssd"; do
		# shellcheck disable=SC2086
		{
			unchanged exits 0 "$ssdup" check $names
			unchanged exits 0 "$ssdup" repair $names -y
			unchanged exits 0 "$ssdup" dump $names headers
		}
	done
	for command in format export; do
		unchanged exits 2 "$ssdup" "$command" ssd
		errs "missing HDD: both disks are named, the HDD first"
		unchanged exits 2 "$ssdup" "$command" --hdd hdd
		errs "missing SSD"
		unchanged exits 2 "$ssdup" "$command" --ssd ssd
		errs "missing HDD"
		unchanged exits 2 "$ssdup" "$command" hdd ssd more
		errs 'unexpected argument "more"'
	done
	unchanged exits 2 "$ssdup" check --hdd hdd
	errs "missing SSD"
	unchanged exits 2 "$ssdup" repair --ssd ssd ssd
	# swapped: the log is on the one that is named as the HDD
	unchanged exits 4 "$ssdup" format ssd hdd
	errs "is it the SSD? Swap the two"
	unchanged exits 3 "$ssdup" check ssd hdd
	unchanged exits 3 "$ssdup" export ssd hdd
}

test_a_new_log_was_never_used()
{
	a_log
	exits 0 "$ssdup" check hdd ssd
	says "never used"
	exits 0 "$ssdup" probe ssd
	says "never used, empty"
	exits 0 "$ssdup" probe --export ssd
	says "SSDUP_CLEAN=1"
	says "SSDUP_DIRTY=0"
}

test_too_small_for_a_log()
{
	local size command

	image hdd 256M
	for size in 0 100 511 4095; do
		image ssd "$size"
		for command in probe check dump repair; do
			exits 3 "$ssdup" "$command" ssd
			errs "too small for one"
		done
		exits 3 "$ssdup" export hdd ssd
	done
	for size in 0 100 4096 1M 10485759; do
		image ssd "$size"
		unchanged exits 4 "$ssdup" format hdd ssd
		errs "too small for a log"
	done
	image ssd 10485760
	exits 0 "$ssdup" format hdd ssd
	# the beginning of one is one of which the rest is lost
	truncate -s 100 ssd
	exits 6 "$ssdup" check ssd
	errs "too small for one"
	exits 0 "$ssdup" probe ssd
}

test_a_dry_repair_exits_as_the_real_one()
{
	a_log
	exits 0 "$ssdup" repair ssd --dry-run
	# a superblock that can be written anew
	dd if=/dev/zero of=ssd bs=1 seek="$SECOND_HOME" count=4096 conv=notrunc status=none
	unchanged exits 5 "$ssdup" repair ssd --dry-run
	exits 0 "$ssdup" repair ssd --yes
	exits 0 "$ssdup" repair ssd --dry-run
}

# another_version - a log in ssd of which both superblocks say version 1, with a right checksum
another_version()
{
	local block

	a_log
	for block in 0 $((SECOND_HOME / 4096)); do
		printf '1L-PUDSS\x5c\x3b\xb7\xa6\x01' |
			dd of=ssd bs=4k seek=$block conv=sync,notrunc status=none
	done
}

test_another_version_is_refused()
{
	local command

	another_version
	for command in check dump "repair -y" "export --hdd hdd"; do
		# shellcheck disable=SC2086
		unchanged exits 4 "$ssdup" $command ssd
		errs 'unknown format version: another ssdup is needed'
	done
}

# what may not be on the HDD yet goes by a word of its own
test_force_gives_up_no_data()
{
	another_version
	unchanged exits 4 "$ssdup" format hdd ssd --force
	errs "give it up with --discard-unsaved"
	exits 0 "$ssdup" format hdd ssd --discard-unsaved

	spoil ssd
	unchanged exits 4 "$ssdup" format hdd ssd --force
	errs "give it up with --discard-unsaved"
	exits 0 "$ssdup" format hdd ssd --discard-unsaved

	# a boot loader stands where the first copy was, and the second is whole
	head -c 512 /dev/urandom | dd of=ssd conv=notrunc status=none
	unchanged exits 4 "$ssdup" format hdd ssd --force
	errs "overwritten at the beginning of the SSD, but not at its end; see \"ssdup check --copy 1\""
	exits 5 "$ssdup" check ssd --copy 1
	# a part of the word is another word
	unchanged exits 2 "$ssdup" format hdd ssd --discard
	errs "unknown option --discard: is it --discard-unsaved?"
	unchanged exits 2 "$ssdup" export --hdd=hdd --ssd ssd --clear --disc
	unchanged exits 2 "$ssdup" format --hd hdd --ss=ssd
	errs "unknown option --hd: is it --hdd?"
	exits 0 "$ssdup" format --hdd=hdd --ssd ssd --discard-unsaved

	# an empty log holds none
	unchanged exits 4 "$ssdup" format hdd ssd
	errs "--force replaces it"
	exits 0 "$ssdup" format hdd ssd --force

	# nor does a file system: the word for a log is not enough for it
	image ssd 64M
	mke2fs -q -F ssd
	unchanged exits 4 "$ssdup" format hdd ssd --discard-unsaved
	errs "holds ext2"
	exits 0 "$ssdup" format hdd ssd --force
	# it writes no log without --format
	exits 2 "$ssdup" create x --hdd hdd --ssd ssd --discard-unsaved
	errs "goes with --format"
}

test_uuids_are_uuids()
{
	local n nil=00000000-0000-0000-0000-000000000000

	for n in 1 2 3 4; do
		a_log
		grep -qE 'UUID [0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}:' out ||
			fail "no random UUID of RFC 4122: $(cat out)"
	done
	for n in $nil 2c05d183-70ea-475b-8f78-433d6a933be 2c05d183 ""; do
		unchanged exits 2 "$ssdup" format hdd ssd --force --uuid "$n"
		errs "--uuid: not a UUID that a log can have"
	done
}

test_the_only_log_is_not_forgotten()
{
	local log

	a_log
	exits 0 "$ssdup" pool status ssd
	says empty
	exits 0 "$ssdup" pool status ssd --json
	says '"log": 0'
	unchanged exits 4 "$ssdup" pool forget ssd 0 --discard-unsaved
	errs "holds no other log"
	unchanged exits 3 "$ssdup" pool forget ssd 1 --discard-unsaved
	errs "holds no log that is called 1"
	for log in x 64 -- 00000000-0000-0000-0000-000000000000; do
		unchanged exits 2 "$ssdup" pool forget ssd "$log"
		unchanged exits 2 "$ssdup" check ssd --log "$log"
	done
	exits 0 "$ssdup" check ssd --log 0
	exits 3 "$ssdup" check ssd --log 1
	exits 3 "$ssdup" pool status hdd
	for log in "" list\ ssd status forget\ ssd frobnicate\ ssd; do
		# shellcheck disable=SC2086
		exits 2 "$ssdup" pool $log
	done
}

test_a_missing_image_is_no_missing_disk()
{
	a_log
	exits 3 "$ssdup" export new.img ssd
	errs "truncate -s 268435456 new.img"
	! grep -q lsblk err || fail "$(cat err)"
	exits 3 "$ssdup" check none.img
	errs "no such file or device"
	exits 3 "$ssdup" check /dev/none
	errs lsblk
	exits 0 truncate -s 268435456 new.img
	exits 0 "$ssdup" export new.img ssd
}

# a_large_log SIZE - all holes but for its first and its last MiB
a_large_log()
{
	image ssd "$1"
	image hdd 256M
	shift
	exits 0 "$ssdup" format hdd ssd "$@"
}

test_format_writes_two_mib()
{
	local uuid=2c05d183-70ea-475b-8f78-433d6a933bed

	a_large_log 8T
	a_large_log 8T --uuid "$uuid"
	exits 0 "$ssdup" format hdd ssd --uuid "$uuid" --force
	# two homes, in blocks of 512 bytes; a file system takes a few for itself
	[ "$(stat -c %b ssd)" -le 8192 ] || fail "$(stat -c %b ssd) blocks"
}

# its metadata is 128 GiB of holes
test_time_depends_on_what_the_log_holds()
{
	local command

	a_large_log 8T
	for command in check "check --full" dump "dump --full" "repair -y"; do
		# shellcheck disable=SC2086
		exits 0 timeout 20 "$ssdup" $command ssd
	done
	exits 2 "$ssdup" check ssd --quick
	# a page of zeros is no hole: what is behind holes is found
	printf x | dd of=ssd bs=1 seek=$(((1 << 30) + (1 << 20) + 4096 + 4096)) conv=notrunc status=none
	exits 0 timeout 20 "$ssdup" check ssd --full
}

# long_check OPTION... - it sees that it has run for seconds, with a chunk to read in each segment
long_check()
{
	local child

	"$ssdup" check ssd --full "$@" >out 2>err &
	child=$!
	# until it has read a megabyte; it has gigabytes to read
	until grep -q '^rchar: [0-9]\{7\}' "/proc/$child/io" 2>/dev/null; do
		kill -0 "$child" 2>/dev/null || fail "it has ended, and said: $(cat err)"
		sleep 0.01
	done
	kill -STOP "$child"
	sleep 3
	kill -CONT "$child"
	wait "$child" || fail "exit code $?"
}

test_a_long_check_says_how_far_it_is()
{
	a_large_log 2T
	python3 -c 'import os
fd = os.open("ssd", os.O_WRONLY)
for segment in range(8191):
	os.pwrite(fd, b"x", (segment << 28) + (1 << 20) + 8192)'
	long_check
	grep -q "^ssdup check: ssd: [0-9]* % of the metadata looked at$" err || fail "$(cat err)"
	long_check -q
	silent err
}
