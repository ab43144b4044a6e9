#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What the HDD is read for again is copied to the SSD, and read from there, until it is written,
# or until its segment goes. The budget, the key clean and writers limit it.
# invariant: 9
# cpus: 1
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# few - small reads here and there, of 16 blocks: there are slots for all of them
few()
{
	io verify len=65536 bs=8 step=4096
}

# hdd_reads COMMAND... - the reads of the HDD that it makes
hdd_reads()
{
	local before

	before=$(model $HDD reads)
	must "$@"
	HDD_READS=$(($(model $HDD reads) - before))
}

# copied NR - so many copies are on the SSD: they are written behind the readers. The map has a node
# of 88 bytes for each, also after it was cut
copied()
{
	wait_until clean_map_bytes -eq $((88 * $1))
}

# clean_is SECTORS
clean_is()
{
	is "clean sectors" "$(stat clean_sectors)" "$1"
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
nap 0.2
hdd_reads few
is "reads of the HDD" $HDD_READS 16
is "copied sectors" "$(stat promoted_sectors)" 0
before=$(model $SSD bytes_written)
hdd_reads few
is "reads of the HDD, to be copied" $HDD_READS 16
copied 16
clean_is 128
is "copied sectors" "$(stat promoted_sectors)" 128
# and what was left of a header
is "bytes written to the SSD" $(($(model $SSD bytes_written) - before)) $((128 * 512 + 3 * 4096))
hdd_reads few
is "reads of the HDD, of what was copied" $HDD_READS 0
is "reads of copies" "$(stat reads_promoted)" 16
is "clean reads" "$(stat reads_clean)" 16
is "free segments" "$(stat segments_free)" "$(stat segments)"
is "clean segments" "$(stat clean_segments)" 1

# --- long reads are not, and of a run no more than the first 256 KiB ---
for _ in 1 2 3; do
	io verify start=65536 len=8192 bs=256
done
is "copied sectors" "$(stat promoted_sectors)" 128
for _ in 1 2 3; do
	io verify start=66560 len=4096 bs=8
done
nap 0.2
above "copied sectors" "$(stat promoted_sectors)" 128
below "copied sectors" "$(stat promoted_sectors)" $((128 + 512 + 1))
must message forget

# --- what is written, on any route, is not read from a copy ---
few
copied 16
io write start=0 len=8 bs=8
knob policy all
io write start=4096 len=4 bs=4
knob policy none
io discard start=8192 len=8
clean_is $((128 - 8 - 4 - 8))
few
io verify len=16384 bs=1
flush
few

# --- forgotten: by a message, without the key clean, by a suspend ---
must message forget
clean_is 0
hdd_reads few
is "reads of the HDD, of what was forgotten" $HDD_READS 16
copied 16
must dmsetup suspend $NAME
io_on $HDD write len=65536 bs=256 fsync=1
must dmsetup resume $NAME
clean_is 0
few
copied 16
must_not sh -c "echo 0 >$SYS/clean_percent"
knob promote 0
knob clean_percent 0
wait_until clean_segments -eq 0
few
few
nap 0.2
clean_is 0

# --- no more than what the account has ---
knob clean_percent 50
knob promote 1G
before=$(stat promoted_sectors) begin=$SECONDS
for _ in 1 2; do
	io verify len=65536 bs=8 step=256
	nap 0.2
done
# it earns 25 sectors in a second, and a copy may take it below zero
below "copied sectors" $(($(stat promoted_sectors) - before)) $((25 * (SECONDS - begin + 2) + 9))

# --- no more than a quarter of what may be clean ---
must message forget
knob clean_percent 20
knob promote 1000T
nap 0.2
most=$(($(stat segments) / 5))
most=$(((most + 3) / 4))
before=$(stat promoted_sectors)
for _ in 1 2 3 4 5 6; do
	io verify start=131072 len=53760 bs=64 step=192
done
above "copied sectors" $(($(stat promoted_sectors) - before)) $((most * $(segment_data)))
wait_until clean_segments -le $most
above "segments with copies" "$(stat clean_segments)" 0
io verify
remove_ssdup
must io_on $HDD verify

# --- metadata of a file system, at the first read: a directory in a group of its own ---
rm -f "$MODEL"
make_ssdup policy none
mkdir -p /mnt/s
must mkfs.ext4 -q -O ^flex_bg -b 4096 -g 2048 $DEV
must mount $DEV /mnt/s
mkdir /mnt/s/{1..16}
must umount /mnt/s
remove_ssdup
make_ssdup policy none clean 50 promote 1000T
must mount -o noatime,inode_readahead_blks=1 $DEV /mnt/s
ls /mnt/s >"$T/tree"
nap 0.2
before=$(stat promoted_sectors)
ls -a /mnt/s/9 >"$T/tree"
wait_until promoted_sectors -ge $((before + 8))
must umount /mnt/s
