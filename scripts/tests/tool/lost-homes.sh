#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Superblock and record are gone from both ends of the SSD. The headers of the segments say what
# they were, and repair --scan brings the log back. What was drained before the last segment was
# opened does not come back.
# invariant: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# lose BYTES - as many from the beginning of both homes; what is there now is no log's
lose()
{
	local copy

	for copy in 0 1; do
		must dd if=/dev/urandom of=$SSD bs="$1" count=1 conv=notrunc status=none \
			oflag=direct,seek_bytes seek=$(($(home $copy) * 512))
	done
}


make_disks ssd_discard=0
make_ssdup policy all drain manual
io write len=8192
flush
# these open segments, and note how far the log is drained
io write len=16384 start=16384
commits
knob policy none
io write len=4096
remove_ssdup
must dd if=$SSD of="$T/log" bs=1M status=none
ssdup_exits 4 repair $SSD --scan --yes
says "has superblock and record"
must cmp "$T/log" $SSD

# one home is enough
must dd if=/dev/urandom of=$SSD bs=1M count=1 conv=notrunc oflag=direct status=none
ssdup_exits 4 repair $SSD --scan --yes
says "repair it with --copy 1"

# only the records are left
must dd if="$T/log" of=$SSD bs=1M oflag=direct status=none
lose 512K
ssdup_exits 3 check $HDD $SSD
must_not dmsetup create $NAME --table "$(table)"
must dd if=$SSD of="$T/lost" bs=1M status=none
ssdup_exits 5 repair $SSD --scan --dry-run
ssdup_exits 4 repair $SSD --scan
must cmp "$T/lost" $SSD
ssdup_exits 0 repair $SSD --scan --hdd $HDD --yes
make_ssdup policy all drain manual
io verify
remove_ssdup

# nothing is left of either
must dd if="$T/log" of=$SSD bs=1M oflag=direct status=none
lose 1M
ssdup_exits 8 repair $SSD --scan --dry-run
ssdup_exits 8 repair $SSD --scan --hdd $HDD --yes
says "the record is gone: what was drained after segment"
make_ssdup policy all drain manual
! said "mending it" || fail "repair left a copy that is bad or old"
# its content does not fit in the member block, and was in the record
grep -q "of the first sector are lost with the record" "$T/said" || fail "the kernel does not say it"
io verify start=1 len=16384
flush
io verify start=1 len=16384
remove_ssdup

# another one was here before
blank_log
make_ssdup policy all drain manual
io write len=4096
remove_ssdup
uuid=$(ssdup probe --export $SSD | sed -n 's/^ID_FS_UUID=//p')
lose 1M
ssdup_exits 4 repair $SSD --scan --yes
says "say with --uuid"
ssdup_exits 3 repair $SSD --scan --yes --uuid 00000000-0000-4000-8000-000000000001
ssdup_exits 8 repair $SSD --scan --yes --uuid "$uuid"
make_ssdup policy all drain manual
io verify
remove_ssdup

# there never was one
must sh -c "dd if=/dev/urandom of=$SSD bs=1M count=17 oflag=direct status=none"
ssdup_exits 3 repair $SSD --scan --yes
says "no segment has a header of a log"
