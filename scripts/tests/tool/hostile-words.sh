#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Tables, messages and writes to sysfs files of random bytes, long strings and
# numbers at every limit: what is taken is what the manual says, a refused table
# writes nothing, and the device reads right.
# invariant: none
# kernels: debug
# seconds: 300
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

cases=${1:-300}

make_disks hdd_size_mb=2 ssd_size_mb=10 hdd_discard=1
hostile words $HDD $SSD "$cases" "${2:-1}" >"$T/counts" || fail "the words"
cat "$T/counts"
[ "$cases" -ge 100 ] || exit 0
read -r _ _ _ tables _ messages _ files _ <"$T/counts"
above "tables taken" "$tables" $((cases / 20))
above "messages taken" "$messages" $((cases / 30))
above "writes to files taken" "$files" $((cases / 30))
