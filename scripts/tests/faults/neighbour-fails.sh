#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Another target of the same table keeps it from being resumed: it can be tried
# again, or replaced, as often as it takes.
# invariant: 7
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# with_neighbour - a table whose second target waits until the device "other",
# which has the same store, is suspended
with_neighbour()
{
	table "$@"
	echo "$LEN 8192 snapshot /dev/mhdd1 /dev/mssd1 P 8"
}

# new_device - without a table
new_device()
{
	must dmsetup create $NAME --notable
	find_sys
}

# fails_to_resume - and as often as one likes
fails_to_resume()
{
	for _ in 1 2 3; do
		must_not dmsetup resume $NAME
		must said "until source is suspended"
	done
}

make_disks hdds=2 ssds=2
make_ssdup policy all drain manual
io random len=16384 nr=200 fsync=1
remove_ssdup
must modprobe dm-snapshot
must dmsetup create other --table "0 8192 snapshot /dev/mhdd1 /dev/mssd1 P 8"

new_device
with_neighbour policy all drain manual | must dmsetup load $NAME
fails_to_resume
# another table in its place
must dmsetup load $NAME --table "$(table policy all drain manual)"
must dmsetup resume $NAME
is "mode" "$(stat mode)" 0
io verify
io random len=16384 nr=50 seed=2 fsync=1
remove_ssdup

new_device
with_neighbour policy all drain manual | must dmsetup load $NAME
fails_to_resume
# the neighbour lets go
must dmsetup suspend other
must dmsetup resume $NAME
is "threads" "$(grep -ls '^ssdup-wb' /proc/[0-9]*/comm | wc -l)" 1
io verify len=16384
io random len=16384 nr=50 seed=3 fsync=1
message drain
io verify len=16384
must io_on $HDD verify len=16384
remove_ssdup
must dmsetup remove other
