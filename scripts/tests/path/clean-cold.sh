#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The HDD may be written by itself while the device is suspended, has another table, is removed, or
# the machine is off. What was clean before is not read after that.
# invariant: 9
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

keys=(policy all drain manual clean 90)

# fill - 4096 sectors are clean, and no others
fill()
{
	io write len=4096 bs=8
	flush
	is "clean sectors" "$(stat clean_sectors)" 4096
	io verify
}

# behind - the HDD is written without the device
behind()
{
	io_on $HDD write len=4096 bs=64 fsync=1
}

# cold - what it has got is read
cold()
{
	is "clean sectors" "$(stat clean_sectors)" 0
	is "clean segments" "$(stat clean_segments)" 0
	io verify
}

make_disks
make_ssdup "${keys[@]}"
for way in "" --noflush; do
	fill
	must dmsetup suspend $way $NAME
	behind
	must dmsetup resume $NAME
	cold

	fill
	must dmsetup reload $NAME --table "$(table "${keys[@]}")"
	must dmsetup suspend $way $NAME
	behind
	must dmsetup resume $NAME
	cold
done

fill
remove_ssdup
behind
make_ssdup "${keys[@]}"
cold

fill
power_cut 1
must dmsetup remove --force $NAME
power_on
behind
make_ssdup "${keys[@]}"
cold

# a table without the key
fill
must dmsetup reload $NAME --table "$(table policy all)"
must dmsetup suspend $NAME
behind
must dmsetup resume $NAME
cold
all_home
remove_ssdup
