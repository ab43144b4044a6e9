#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# An SSD may lose what is in its cache, and tell nobody. So copies of what was read are not read
# from there before a flush that began behind them; and not at all if the SSD has failed something
# meanwhile, of this log or another one, or if that flush fails. What was flushed is read.
# invariant: 9
# cpus: 1
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

B=00000000-0000-4000-8000-0000000000bb
# a guard would serve some of the reads
keys=(policy all drain manual autocommit_ms 3600000 clean 50 promote 1000T guard 0)

# late MS - flushes of the SSD take so much more, or until this comes again
late()
{
	must dmsetup reload other --table \
		"0 $(blockdev --getsz $DISK) delay $DISK 0 0 $DISK 0 0 $DISK 0 $1"
	must dmsetup suspend other
	must dmsetup resume other
}

# files DEVICE - its folder in sysfs
files()
{
	echo "/sys/block/dm-$(dmsetup info -c --noheadings -o minor "$1")/ssdup"
}

# of DEVICE FIELD - a value of its status
of()
{
	cat "$(files "$1")/$2"
}

# few DEVICE - 16 small reads of it
few()
{
	must iocheck "$T/model-$1" "/dev/mapper/$1" verify len=65536 bs=8 step=4096
}

# promoted DEVICE COMMAND... - the reads of copies of the device that it makes
promoted()
{
	local before

	before=$(of "$1" reads_promoted)
	"${@:2}"
	PROMOTED=$(($(of "$1" reads_promoted) - before))
}

# from_copies DEVICE NR - so many of few are
from_copies()
{
	promoted "$1" few "$1"
	is "reads of copies of $1" $PROMOTED "$2"
}

# written DEVICE - the SSD has got copies of few, none of which was there
written()
{
	must dmsetup message "$1" 0 forget
	few "$1"
	few "$1"
	SYS=$(files "$1") wait_until clean_map_bytes -eq $((88 * 16))
	is "clean sectors of $1" "$(of "$1" clean_sectors)" 128
}

# until_promoted DEVICE COMMAND... - some of its reads are of copies; at most 60 s
until_promoted()
{
	local end=$((SECONDS + 60))

	while promoted "$@"; [ $PROMOTED = 0 ]; do
		[ $SECONDS -lt $end ] || fail "waited in vain for copies: $*"
		nap 0.1
	done
}

# served DEVICE - until it reads them
served()
{
	until_promoted "$1" few "$1"
	from_copies "$1" 16
}

# blocks START NR - one read of so many blocks
blocks()
{
	must iocheck "$T/model-$NAME" $DEV verify start="$1" len=$(($2 * 8)) bs=$(($2 * 8))
}

must modprobe dm-delay
make_disks hdds=2 ssd_size_mb=258 hdd_cache_mb=4 ssd_cache_mb=4
# what is read lies on the HDDs
must iocheck "$T/model-$NAME" $HDD write len=65536 bs=256
must iocheck "$T/model-b" /dev/mhdd1 write len=65536 bs=256
DISK=$SSD
must dmsetup create other --table "0 $(blockdev --getsz $DISK) delay $DISK 0 0 $DISK 0 0 $DISK 0 0"
SSD=/dev/mapper/other
make_ssdup max_mb 128 "${keys[@]}"
must message log_add $B "$LEN" 1
dmsetup create b --table "0 $LEN ssdup /dev/mhdd1 $SSD $((2 + ${#keys[@]})) log $B ${keys[*]}" ||
	fail "no second device: $(dmesg | tail -n 3)"

# --- they are read when they were flushed, and not before ---
late 60000
written $NAME
from_copies $NAME 0
nap 2
from_copies $NAME 0
late 0
served $NAME

# --- of two that lie beside each other on the SSD, too, one was flushed ---
must message forget
blocks 0 1
until_promoted $NAME blocks 0 1
late 60000
blocks 8 1
blocks 8 1
wait_until clean_map_bytes -eq $((88 * 2))
promoted $NAME blocks 0 2
is "reads of copies" $PROMOTED 0
promoted $NAME blocks 0 1
is "reads of copies" $PROMOTED 1
late 0
until_promoted $NAME blocks 0 2
is "reads of copies" $PROMOTED 1

# --- the device is suspended before they are flushed ---
late 3000
written $NAME
must dmsetup suspend $NAME
must dmsetup resume $NAME
late 60000
written $NAME
from_copies $NAME 0
late 0
served $NAME

# --- the SSD fails something before they are flushed, of this log or another one ---
io write start=100000 len=8
must iocheck "$T/model-b" /dev/mapper/b write start=100000 len=8
for n in $NAME b; do
	written b
	served b
	late 60000
	written $NAME
	model $DISK fail_read "0 $(blockdev --getsz $DISK)"
	must_not iocheck "$T/model-$n" "/dev/mapper/$n" verify start=100000 len=8
	model $DISK fail_read clear
	late 0
	wait_until clean_segments -eq 0
	from_copies b 16
	written $NAME
	served $NAME
done

# --- a discard is such a failure, too ---
written b
late 60000
written $NAME
# no segment can be written, or discarded; the other log's copies are given up
model $DISK fail_write "2048 $(($(blockdev --getsz $DISK) - 2048))"
must dmsetup message b 0 forget
end=$((SECONDS + 20))
until said "has failed a discard"; do
	[ $SECONDS -lt $end ] || fail "no discard has failed"
	nap 0.1
done
model $DISK fail_write clear
late 0
wait_until clean_segments -eq 0
from_copies $NAME 0
written $NAME
served $NAME

# --- it is away while they are made: the log goes on ---
errors=$(stat ssd_errors)
model $DISK fail_status transport
model $DISK fail_write "0 $(blockdev --getsz $DISK)"
model $DISK fail_flush 1
blocks 16 1
blocks 16 1
wait_until ssd_errors -gt "$errors"
nap 2
model $DISK fail_flush 0
model $DISK fail_write clear
model $DISK fail_status medium
wait_until clean_segments -eq 0
is "mode" "$(stat mode)" 0
written $NAME
served $NAME

# --- their flush fails ---
late 60000
written $NAME
model $DISK fail_flush 1
late 0
wait_until mode -eq 1
model $DISK fail_flush 0
wait_until clean_segments -eq 0
few $NAME

# --- and those of the other log go with it ---
is "mode of the other one" "$(of b mode)" 1
SYS=$(files b) wait_until clean_segments -eq 0
few b
must dmsetup remove --retry b
remove_ssdup
must dmsetup remove other
