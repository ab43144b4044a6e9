#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A page or a header that was durable has gone bad, and the power had gone before: the log is
# refused by name and nothing is written, where a replay would drop without a word what
# was acknowledged after it. All that is left can be exported, and after a repair the
# device has it.
# invariant: 7
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0

# cut - the power goes and comes back; what is left stays in $T/log
cut()
{
	power_cut 1
	must dmsetup remove --force $NAME
	power_on
	must dd if=$SSD of="$T/log" bs=1M status=none
}

# restore - the log as it was
restore()
{
	must dd if="$T/log" of=$SSD bs=1M oflag=direct conv=fsync status=none
}

# zero SECTOR COUNT - blocks of 4 KiB
zero()
{
	must dd if=/dev/zero of=$SSD bs=4k seek=$(($1 / 8)) count="$2" conv=notrunc,fsync status=none
}

# lose FIRST COUNT - these pages of the log as it was; 8 are in each segment of 4 MiB
lose()
{
	local page segment

	restore
	for ((page = $1; page < $1 + $2; page++)); do
		segment=$((page / 8))
		zero $((2048 + segment * 8192 + 8 + page % 8 * 16)) 2
	done
}

# the_rest DEVICE - it has what the pages in front of page 2 and behind it speak of
the_rest()
{
	io_on "$1" verify len=252
	io_on "$1" verify start=8192 len=$((17 * 126))
}

# metadata - blocks of 4 KiB that were written of it, but for $others
others=0
metadata()
{
	echo $((($(stat ssd_written_sectors) - $(stat write_sectors_ssd)) / 8 - others))
}

page="a page that was durable is damaged (fault 34," damaged="a segment's header that was durable is damaged (fault 37,"
make_disks ssd_size_mb=161 ssd_cache_mb=8
make_ssdup policy all drain manual autocommit_ms 3600000
others=$(metadata)
# a sector an entry, 126 entries a page, and no page is written twice
io write len=252 bs=1
io write start=1000 len=126 bs=1
io write start=8192 len=$((17 * 126)) bs=1
commits
is "pages and headers written" "$(metadata)" $((20 + $(stat seals) + 1))
cut
make_ssdup policy all drain manual
is "extents after the cut" "$(stat extents)" $((20 * 126))
io verify
remove_ssdup

lose 2 1
log_refused "$page"
ssdup_exits 1 create $NAME --hdd $HDD --ssd $SSD
grep -q "log refused: a page that was durable is damaged (fault 34.*see \"ssdup check $SSD\"" "$T/out" || fail "create says: $(cat "$T/out")"
ssdup_exits 6 check $HDD $SSD
grep -q '^E234 ' "$T/out" || fail "check says: $(cat "$T/out")"
ssdup_exits 6 check $SSD --full
grep -q '^E234 ' "$T/out" || fail "check --full says: $(cat "$T/out")"
ssdup_exits 6 export $HDD $SSD
the_rest $HDD
must dd if=/dev/zero of=$HDD bs=1M count=8 conv=fsync status=none
ssdup_exits 8 repair $SSD --dry-run
ssdup_exits 8 repair $SSD --yes
make_ssdup policy all drain manual
is "extents after the repair" "$(stat extents)" $((19 * 126))
the_rest $DEV
flush
the_rest $HDD
remove_ssdup

# several, and the first: there is a page far enough behind
lose 1 3
log_refused "$page"
lose 0 4
log_refused "$page"
# as many behind it as a power cut may leave: nobody can tell
lose 4 1
make_ssdup policy all drain manual
is "extents in front of the gap, and of later segments" "$(stat extents)" $(((4 + 12) * 126))
remove_ssdup

# headers of the first segment, of one in the middle, and of the last: nothing is left of it, or
# a byte is wrong. The segment's first page shows that it was well
for segment in 0 1 2; do
	restore
	header=$((2048 + segment * 8192))
	zero $header 1
	log_refused "$damaged header of segment $segment)"
	restore
	printf x | must dd of=$SSD bs=1 seek=$((header * 512 + 100)) conv=notrunc,fsync status=none
	log_refused "$damaged header of segment $segment)"
done
ssdup_exits 5 check $HDD $SSD
grep -q '^E631 ' "$T/out" || fail "check says: $(cat "$T/out")"
ssdup_exits 0 repair $SSD --yes
make_ssdup policy all drain manual
is "extents after the repair" "$(stat extents)" $((20 * 126))
io verify
remove_ssdup
# also when another epoch has begun since
restore
make_ssdup policy all drain manual
io write start=1000 len=8
commits
cut
for segment in 0 1 2 3; do
	restore
	zero $((2048 + segment * 8192)) 1
	log_refused "$damaged header of segment $segment)"
done
# without that page, later ones tell
for segment in 1 3; do
	restore
	zero $((2048 + segment * 8192)) 3
	[ $segment = 3 ] || log_refused "$damaged segment"
done
make_ssdup policy all drain manual
is "extents but those of the last segment" "$(stat extents)" $((20 * 126))
remove_ssdup

# a page that was written twice, right behind
blank_log
make_ssdup policy all drain manual autocommit_ms 3600000
others=$((others + $(metadata)))
io write len=150 bs=1 fsync=1
io write start=1000 len=10 bs=1 fsync=1
is "pages and headers written" "$(metadata)" 4
cut
lose 0 1
log_refused "$page segment 0, page 0,"
