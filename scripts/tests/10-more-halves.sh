#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Any number of halves: they take turns, are replayed in order, and stay as many.
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks ssd_size_mb=22
for halves in 3 5; do
	dd if=/dev/zero of=$SSD bs=4k count=1 oflag=direct status=none
	make_ssdup policy all drain manual halves $halves
	is "halves" "$(stat halves)" $halves
	half=$(stat half_data_sectors)
	# rewrite the same place in each half
	for ((i = 1; i < halves; i++)); do
		io write len="$half" bs=128
		io random len="$half" bs=8 nr=40 seed=$i
	done
	is "free halves" "$(stat halves_free)" 0
	io verify
	remove_ssdup
	make_ssdup policy all drain manual
	is "halves of the log" "$(stat halves)" $halves
	io verify
	remove_ssdup
	must_not dmsetup create $NAME --table "$(table halves 4)"
	must said "halves: the log on the SSD was made with $halves"
	make_ssdup policy all full block
	io random len=65536 bs=128 nr=300 seed=9
	all_home
	remove_ssdup
done
