#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Data of one class comes faster than a commit can write its entries. A FUA write of another class
# ends nevertheless, after a number of rounds that the rings bound.
# invariant: none
# time: virtual
# seconds: 300
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# A commit has at most 128 pages of each of two classes to write, 16 in a round. A FUA write may
# have to wait for the commit that was under way, and for its own.
MOST=$((2 * (2 * 128 / 16 + 1)))

make_disks instant=0 hdd_size_mb=600 ssd_size_mb=513 ssd_cache_mb=64 ssd_flush_us=100000
make_ssdup policy all drain manual classes b
must message class b 1048576 8192
io random len=1000000 bs=1 nr=120000 depth=256 &
writer=$!
wait_until commits -gt 2
nr=0
while kill -0 $writer 2>/dev/null; do
	before=$(stat commits)
	io write start=$((1048576 + 8 * nr)) len=8 fua=1
	rounds=$(($(stat commits) - before))
	echo "$rounds rounds"
	[ $rounds -le $MOST ] || fail "a FUA write took $rounds rounds of commits, more than $MOST"
	nr=$((nr + 1))
done
wait $writer || fail "the writer ended with status $?"
above "FUA writes beside the writer" $nr 3
above "rounds" "$(stat commits)" $MOST
io verify
