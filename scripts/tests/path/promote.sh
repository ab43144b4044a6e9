#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What the HDD is read for again is copied to the SSD, and read from there, until it is written,
# or until its segment goes. The budget, the key clean and writers limit it.
# invariant: 9
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# few - small reads here and there, of 64 blocks
few()
{
	io verify len=65536 bs=8 step=1024
}

# hdd_reads COMMAND... - the reads of the HDD that it makes
hdd_reads()
{
	local before

	before=$(model $HDD reads)
	must "$@"
	HDD_READS=$(($(model $HDD reads) - before))
}

# copied - what was read is on the SSD: copies are written behind the readers
copied()
{
	wait_until clean_sectors -eq "$1"
}

make_disks ssd_size_mb=129 hdd_size_mb=256 hdd_discard=1
must_not dmsetup create $NAME --table "$(table policy none promote 1T)"
make_ssdup policy none clean 50
must_not sh -c "echo 1.2.3 >$SYS/promote"
io write len=65536 bs=256
few
few
is "copied sectors" "$(stat promoted_sectors)" 0

# --- at the second read; nothing else is read for that ---
knob promote 1000T
is "the account" "$(stat promote_left_sectors)" 0
nap 0.2
hdd_reads few
is "reads of the HDD" $HDD_READS 64
is "copied sectors" "$(stat promoted_sectors)" 0
before=$(model $SSD bytes_written)
hdd_reads few
is "reads of the HDD, to be copied" $HDD_READS 64
copied 512
is "copied sectors" "$(stat promoted_sectors)" 512
# and what was left of a header
is "bytes written to the SSD" $(($(model $SSD bytes_written) - before)) $((512 * 512 + 3 * 4096))
hdd_reads few
is "reads of the HDD, of what was copied" $HDD_READS 0
is "reads of copies" "$(stat reads_promoted)" 64
is "clean reads" "$(stat reads_clean)" 64
is "free segments" "$(stat segments_free)" "$(stat segments)"
is "clean segments" "$(stat clean_segments)" 1

# --- long reads are not, and of a run only the first 256 KiB ---
for _ in 1 2 3; do
	io verify start=65536 len=8192 bs=256
done
for _ in 1 2 3; do
	io verify start=66560 len=4096 bs=8
done
is "copied sectors" "$(stat promoted_sectors)" 1024

# --- what is written, on any route, is not read from a copy ---
io write start=0 len=8 bs=8
knob policy all
io write start=1024 len=4 bs=4
knob policy none
io discard start=2048 len=8
copied $((1024 - 8 - 4 - 8))
few
io verify len=4096 bs=1
flush
few

# --- forgotten: by a message, without the key clean, by a suspend ---
message forget
copied 0
hdd_reads few
is "reads of the HDD, of what was forgotten" $HDD_READS 64
copied 512
must dmsetup suspend $NAME
io_on $HDD write len=65536 bs=256 fsync=1
must dmsetup resume $NAME
copied 0
few
copied 512
must_not sh -c "echo 0 >$SYS/clean_percent"
knob promote 0
knob clean_percent 0
wait_until clean_segments -eq 0
few
few
is "copied sectors, without the key" "$(stat clean_sectors)" 0

# --- no more than a quarter of what may be clean ---
knob clean_percent 20
knob promote 1000T
nap 0.2
most=$(($(stat segments) / 5))
most=$(((most + 3) / 4))
for _ in 1 2; do
	io verify start=131072 len=53760 bs=64 step=192
done
above "copied sectors" "$(stat promoted_sectors)" $((most * $(segment_data)))
below "segments with copies" "$(stat clean_segments)" $((most + 1))
io verify
remove_ssdup
must io_on $HDD verify
