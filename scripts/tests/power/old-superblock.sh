#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Of two valid copies of the log's record the newer one counts: with the other, segments that
# were freed would come back over what is newer on the HDD.
# invariant: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# copy_record FROM TO N - copy N of the record
copy_record()
{
	local block=$((($(home "$3") + 1024) / 8))

	dd if="$1" of="$2" bs=4k count=1 skip=$block seek=$block \
		conv=notrunc,fsync status=none
}

make_disks
make_ssdup policy all drain manual
io write len=2048 bs=64
remove_ssdup
for copy in 0 1; do
	copy_record $SSD "$T/old" $copy
done
make_ssdup policy all drain manual
flush
knob policy none
io write len=2048 bs=64
remove_ssdup
for copy in 0 1; do
	copy_record "$T/old" $SSD $copy
	make_ssdup policy none
	must said "a copy of the superblock or of the record is bad or old, mending it"
	is "sectors that came back with copy $copy" "$(stat dirty_sectors)" 0
	io verify
	remove_ssdup
done
