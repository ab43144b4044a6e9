#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Of two overlapping log writes the one that ended last has won, now and after a
# replay, also when it got its place in the log first.
# invariant: 3 5
# cpus: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks ssd_size_mb=35
make_ssdup
data=$(log_sector 0)
remove_ssdup
# a write to the log's first place is under way until that table is replaced; it is too long to end
# in memory
slow_ssd "$data" 128 0 60000 0
make_ssdup policy all drain manual
iocheck "$MODEL" $DEV write len=128 bs=128 &
first=$!
wait_until writes_ssd -eq 1
io write start=64 len=128 bs=128
kill -0 $first || fail "the first write was not the slow one"
fast_ssd
must wait $first
io recover
io verify len=192
for life in 1 2; do
	commits
	remove_ssdup
	make_ssdup policy all drain manual
	io verify
done
is "writes of life $life" "$(stat writes_ssd)" 0
all_home
remove_ssdup
