#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A FLUSH covers what the HDD was sent under an earlier table, be it of another
# target.
# invariant: 2
# cpus: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks ssd_cache_mb=8 hdd_cache_mb=16
for seed in 1 2 3; do
	must dmsetup create $NAME --table "0 $LEN linear $HDD 0"
	io random len=8192 bs=8 nr=100 seed=$seed
	reload policy none
	io flush
	reboot $seed policy none
	io recover
	io verify
	remove_ssdup
done
