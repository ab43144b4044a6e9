#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A table whose resume another target has made fail takes no messages: a drain would wait
# for a thread that nobody wakes, and keep the table from being resumed or replaced.
# invariant: 8
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks hdds=2 ssds=2
make_ssdup policy all drain manual
io random len=16384 nr=50 fsync=1
remove_ssdup
must modprobe dm-snapshot
# a snapshot whose store another one has is not resumed before that one is suspended
must dmsetup create other --table "0 8192 snapshot /dev/mhdd1 /dev/mssd1 P 8"
must dmsetup create $NAME --notable
find_sys
must dmsetup load $NAME <<EOF
$(table policy all drain manual)
$LEN 8192 snapshot /dev/mhdd1 /dev/mssd1 P 8
EOF
must_not dmsetup resume $NAME
must said "until source is suspended"

for words in flush commit "drain start" "drain pause" "set drain auto" lost_ranges; do
	# shellcheck disable=SC2086 # they are words
	must_get "busy" timeout 20 dmsetup message $NAME 0 $words
	must said "messages need a device that is resumed"
done

must dmsetup suspend other
must dmsetup resume $NAME
is "lost ranges" "$(message lost_ranges)" none
io verify len=16384
flush
must io_on $HDD verify len=16384
must dmsetup suspend $NAME
must_get "busy" timeout 20 dmsetup message $NAME 0 drain
must dmsetup resume $NAME
remove_ssdup
must dmsetup remove other
