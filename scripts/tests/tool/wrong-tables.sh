#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A table that makes no sense is refused with a text that names the key and the
# reason, and nothing was written.
# invariant: none
# kernels: 6.12 6.1
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# refused TEXT REST - the table whose arguments are REST
refused()
{
	must_not dmsetup create $NAME --table "0 ${len:-$LEN} ssdup $2"
	said "$1" || fail "of '$2' the kernel said not '$1' but: $(tail -n 1 "$T/said")"
}

# bad KEY VALUE TEXT
bad()
{
	refused "$1: $3" "$HDD $SSD 2 $1 $2"
}

make_disks
refused "usage: <hdd> <ssd>" ""
refused "usage: <hdd> <ssd>" "$HDD"
refused "hdd: no such device" "/dev/none $SSD"
refused "ssd: no such device" "$HDD /dev/none"
refused "ssd: the same device as hdd" "$HDD $HDD"
len=$((LEN + 8)) refused "hdd: smaller than the table says" "$HDD $SSD"
for rest in "x" "-1 policy all" "1 policy" "3 policy all drain" "4 policy all" "2 policy all drain" \
	"30 policy all" "0 policy all"; do
	refused "#args: not the number" "$HDD $SSD $rest"
done
refused "colour: unknown key" "$HDD $SSD 2 colour red"
refused "full: unknown key" "$HDD $SSD 4 policy all full block"
refused "drain: given twice" "$HDD $SSD 4 drain auto drain eager"
bad policy some "not adaptive, watermark, all, none or balance"
for value in 0 3600001 many -1; do
	bad autocommit_ms $value "not a number from 1 to 3600000"
done
bad clean 91 "not a per cent"
bad max_mb 67108865 "not a number up to 67108864"
bad drain never "not auto, eager or manual"
bad autocommit_ms 0 "not a number"
bad guard 2 "not 0 or 1"
bad override yes "not none, host, hdd or both"
bad host node7 "not a lower-case UUID"
bad host 00000000-0000-0000-0000-000000000000 "not a lower-case UUID"
for value in 1 1K 0.5G -1G 1dwpds 2048T; do
	bad ssd_budget "$value" "not 0, bytes as 200G (or M, T), or drive writes as 0.5dwpd"
done
refused "ssd_budget: only with policy balance or none" "$HDD $SSD 4 policy all ssd_budget 1G"
is "bytes written to the SSD" "$(model $SSD bytes_written)" 0
is "bytes written to the HDD" "$(model $HDD bytes_written)" 0
make_disks ssd_size_mb=9
refused "ssd: too small for 32 segments" "$HDD $SSD"
is "bytes written to the SSD" "$(model $SSD bytes_written)" 0
make_disks

# and the largest and smallest values that are right
make_ssdup policy watermark autocommit_ms 1 drain eager
io random nr=100
all_home
