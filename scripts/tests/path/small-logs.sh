#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A log of three segments has one for writers. When that is full, nothing is sealed that a drain could
# free: so it is sealed for the write that waits, whatever the keys, and whoever reads meanwhile. A log
# with fewer segments takes nothing, and all goes to the HDD. A suspend ends.
# invariant: none
# cpus: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

B=00000000-0000-4000-8000-0000000000bb

# reader - somebody reads the HDD a hundred times a second
reader()
{
	while dd if=$DEV of=/dev/null bs=4096 count=1 skip=12500 iflag=direct status=none; do
		nap 0.01
	done
}

# ends COMMAND... - within ten seconds
ends()
{
	must timeout 10 "$@"
}

make_disks hdd_cache_mb=4 ssd_cache_mb=4 ssd_size_mb=34
for keys in "policy all drain manual" "policy all drain auto" "policy balance drain manual" \
	"policy all drain manual clean 50"; do
	# shellcheck disable=SC2086
	make_ssdup max_mb 1 $keys
	is "segments for $keys" "$(stat segments)" 3
	reader &
	reader=$!
	ends iocheck "$MODEL" $DEV write len=$((4 * $(segment_data))) bs=64
	ends iocheck "$MODEL" $DEV write len=$((3 * $(segment_data))) bs=8 depth=64
	must kill $reader
	# by balance some go past it
	[[ $keys == *balance* ]] || above "freed segments" "$(stat frees)" 2
	io verify
	flush
	remove_ssdup
done

# --- by balance others pass, and a write over the log waits for a drain ---
make_ssdup policy all max_mb 1 drain manual
io write len=$(($(segment_data) / 64 * 64)) bs=64
knob policy balance
io write start=65536 len=64 bs=64
above "direct writes" "$(stat writes_hdd)" 0
ends iocheck "$MODEL" $DEV write len="$(segment_data)" bs=64
ends dmsetup suspend $NAME
must dmsetup resume $NAME
io write len=$(($(segment_data) / 64 * 64)) bs=64
io write start=65536 len=64 bs=64
iocheck "$MODEL" $DEV write len=64 bs=64 &
writer=$!
ends dmsetup suspend $NAME
must dmsetup resume $NAME
must wait $writer
all_home
remove_ssdup

# --- what a log needs is promised to it; a table with more classes needs more ---
make_disks hdds=2 ssd_size_mb=34 hdd_cache_mb=4 ssd_cache_mb=4
rm "$MODEL"
make_ssdup policy all max_mb 1000
segments=$(stat segments)
must_not message log_add $B "$LEN" 1
reload policy all max_mb $((segments - 3))
find_sys
is "segments" "$(stat segments)" $((segments - 3))
must message log_add $B "$LEN" 1
for classes in "" "classes x" "classes x+y"; do
	# shellcheck disable=SC2086
	set -- log $B policy all drain manual $classes
	dmsetup create other --table "0 $LEN ssdup /dev/mhdd1 $SSD $# $*" ||
		fail "no second device: $(dmesg | tail -n 3)"
	ends iocheck "$T/model-b" /dev/mapper/other write len=8192 bs=64
	ends iocheck "$T/model-b" /dev/mapper/other random len=8192 nr=50
	must iocheck "$T/model-b" /dev/mapper/other verify
	ends dmsetup suspend other
	must dmsetup resume other
	must dmsetup message other 0 drain
	must iocheck "$T/model-b" /dev/mhdd1 verify
	must dmsetup remove --retry other
done
said "and it needs" || fail "the kernel does not say that a log has too few segments"
