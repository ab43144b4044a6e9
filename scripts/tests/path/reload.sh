#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Tables are loaded anew in the middle of a burst, with and without flushing;
# nobody notices. A suspended device holds writers and lets them go on.
# invariant: 2
# kernels: 6.12 6.1
# cpus: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks ssd_size_mb=11
make_ssdup policy all
for n in 0 1; do
	iocheck "$MODEL.$n" $DEV stress start=$((n * 20000)) len=16384 max=64 seed=$n \
		seconds=8 &
	jobs[n]=$!
done
tables=("policy all" "policy none" "policy watermark"
	"drain eager clean 50 policy all" "policy all drain eager")
for ((i = 0; i < 10; i++)); do
	NOFLUSH=$((i % 2 ? 0 : 1))
	[ $NOFLUSH = 1 ] || unset NOFLUSH
	read -ra keys <<<"${tables[i % 5]}"
	reload "${keys[@]}"
	sleep 0.2
done
must dmsetup suspend $NAME
must_not message drain
must dmsetup resume $NAME
must message drain
for n in 0 1; do
	wait "${jobs[n]}" || fail "writer $n"
done
message drain
for n in 0 1; do
	must iocheck "$MODEL.$n" $HDD verify start=$((n * 20000)) len=16384
done
is "the table" "$(dmsetup table $NAME | cut -d' ' -f6-)" "4 policy all drain eager"
