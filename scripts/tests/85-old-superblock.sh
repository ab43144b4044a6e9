#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Of two valid copies of the superblock the newer one counts: with the other, a
# half that was freed would come back over what is newer on the HDD.
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# copy_super FROM TO N - copy N of the superblock
copy_super()
{
	dd if="$1" of="$2" bs=4k count=1 skip=$(($3 * 16)) seek=$(($3 * 16)) \
		conv=notrunc,fsync status=none
}

make_disks
make_ssdup policy all drain manual
io write len=2048 bs=64
remove_ssdup
for copy in 0 1; do
	copy_super $SSD "$T/old" $copy
done
make_ssdup policy all drain manual
flush
knob policy none
io write len=2048 bs=64
remove_ssdup
for copy in 0 1; do
	copy_super "$T/old" $SSD $copy
	make_ssdup policy none
	must said "one copy of the superblock is bad or old, mending it"
	is "sectors that came back with copy $copy" "$(stat dirty_sectors)" 0
	io verify
	remove_ssdup
done
