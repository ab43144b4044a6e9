#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A log on two SSDs is damaged on either: homes, a header, pages, a whole segment. Each damage is
# named, repair writes to the SSD that has it, and the module finds all that was not hit.
# invariant: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0	# the SSDs go back in time, and the HDD does not

OTHER=/dev/mssd1
KEYS="policy all drain manual autocommit_ms 3600000 ssd $OTHER"

# restore - the log as it was
restore()
{
	local i

	for i in 0 1; do
		must dd if="$T/log$i" of=/dev/mssd$i bs=1M oflag=direct conv=fsync status=none
	done
}

# spoil DISK BYTE - eight bytes there
spoil()
{
	must dd if=/dev/urandom of="$1" bs=8 count=1 seek=$(($2 / 8)) conv=notrunc,fsync status=none
}

# damaged NUMBER CHECK REPAIR - named so, and with these exit codes
damaged()
{
	ssdup_exits "$2" check $HDD $OTHER
	grep -q "^$1 " "$T/out" || fail "$1 is not named: $(<"$T/out")"
	ssdup_exits "$3" repair $OTHER --yes
	[ "$3" != 0 ] || ssdup_exits 0 check $HDD $SSD
}

# accepted COMMAND... - by the device that the module makes of it
accepted()
{
	# shellcheck disable=SC2086
	make_ssdup $KEYS
	"$@"
	is "mode" "$(stat mode)" 0
	! said "mending" || fail "repair left a copy that is bad or old"
	remove_ssdup
}

# live SSD - the first byte, there, of a segment that is live
live()
{
	local before=0 nr=$NR_0

	[ "$1" = 0 ] || { before=$NR_0 nr=$NR_1; }
	sed -n 's/^segment \([0-9]*\): live.*/\1/p' "$T/headers" |
		awk -v from="$before" -v to=$((before + nr)) \
			'$1 >= from && $1 < to { print (2048 + ($1 - from) * 4096) * 512; exit }'
}

make_disks ssd_discard=0 hdd_size_mb=64 ssds=2 ssd_size_mb=34
# shellcheck disable=SC2086
make_ssdup $KEYS
io mixed max=16 nr=3000 seed=5
commits
io mixed max=16 nr=500 seed=6
remove_ssdup
for i in 0 1; do
	must dd if=/dev/mssd$i of="$T/log$i" bs=1M status=none
done
must ssdup dump $SSD superblock >"$T/super"
must ssdup dump $SSD headers >"$T/headers"
NR_0=$(sed -n '/^  SSD 0:/{ s/.* \([0-9]*\) segments.*/\1/p; q }' "$T/super")
NR_1=$(sed -n '/^  SSD 1:/{ s/.* \([0-9]*\) segments.*/\1/p; q }' "$T/super")

spoil $SSD 64
damaged E103 5 0
spoil $OTHER 64
damaged E143 5 0
spoil $OTHER $(($(home 1) * 512 + 64))
damaged E143 5 0
spoil $OTHER $((1024 * 512 + 64))
damaged E143 5 0
accepted io verify

for i in 0 1; do
	disk=/dev/mssd$i
	restore
	from=$(live $i)
	spoil $disk $((from + 64))
	damaged E631 5 0
	accepted io verify
	# of the second page both versions
	restore
	spoil $disk $((from + (8 + 2 * 8) * 512 + 200))
	spoil $disk $((from + (8 + 3 * 8) * 512 + 200))
	damaged E220 6 8
	accepted true
	# all of it: an empty one takes its place, on the same SSD
	restore
	for k in 0 1; do
		must hostile forge /dev/mssd$k record 0x2c 4 0
	done
	must dd if=/dev/zero of=$disk bs=4k count=5 seek=$((from / 4096)) conv=notrunc,fsync \
		status=none
	damaged E637 6 8
	accepted true
done

# what is not there it does not mend, and homes that are gone it does not look for
restore
ssdup_exits 4 repair $SSD --scan --yes
says "--scan finds logs that were on one"
must dd if=/dev/zero of=$OTHER bs=4k count=1 conv=notrunc,fsync status=none
before=$(md5sum <$SSD)
ssdup_exits 3 repair $SSD --yes
is "content" "$(md5sum <$SSD)" "$before"
