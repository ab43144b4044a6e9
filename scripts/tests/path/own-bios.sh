#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Writes of the page cache wait for a drain, or for a resume, and hold all bios that the kernel has
# set aside for everybody, while it has no memory for more. A drain of zeroes and discards, and a
# replay, have bios of their own.
# invariant: 8
# kernels: debug
# cpus: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# fail_bios PERCENT - so many allocations of a bio fail, whoever asks
fail_bios()
{
	local start end

	read -r start end < <(awk '$3 == "bio_alloc_bioset" { start = $1; next }
		start && $1 != start { print "0x" start, "0x" $1; exit }' /proc/kallsyms)
	[ -n "$end" ] || fail "the kernel has no bio_alloc_bioset"
	fail_memory 0
	echo "$start" >/sys/kernel/debug/failslab/require-start
	echo "$end" >/sys/kernel/debug/failslab/require-end
	echo 0 >/sys/kernel/debug/failslab/reject-start
	echo 0 >/sys/kernel/debug/failslab/reject-end
	echo "$1" >/sys/kernel/debug/failslab/probability
}

# buffered START - write pages there through the page cache, until they are on the device
buffered()
{
	dd if=/dev/urandom of=$DEV bs=4k seek=$(($1 / 8)) count=32 conv=notrunc,fsync status=none
}

# ends PID WHAT - within 30 s
ends()
{
	local i

	for ((i = 0; i < 300; i++)); do
		kill -0 "$1" 2>/dev/null || { wait "$1" || fail "status $? of: $2"; return; }
		nap 0.1
	done
	fail_memory 0
	fail "waits for bios: $2"
}

make_disks hdd_discard=1
make_ssdup policy all drain manual
io write len=2048 bs=64
io zero len=1024
io discard start=1024 len=512
# nearly full: most of what comes now waits for the drain
io write start=8192 len=$((8 * ($(log_writes 8) - 2048 / 8 - 4))) bs=8
is "segments freed" "$(stat frees)" 0
fail_bios 100
buffered 65536 &
ends $! "page writeback into a full log"
fail_memory 0
above "writes that waited" "$(stat waited_writes)" 0
flush
io verify len=65536
remove_ssdup
rm "$MODEL"

make_disks
make_ssdup policy all drain manual
io write len=8192 bs=8
commits
must dmsetup reload $NAME --table "$(table policy all drain manual)"
must dmsetup suspend --noflush $NAME
fail_bios 100
buffered 65536 &
writer=$!
nap 1
dmsetup resume $NAME &
ends $! "a replay"
ends $writer "page writeback into a suspended device"
fail_memory 0
io verify len=65536
