#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Spoiled images of an SSD, also of a log with classes: each is refused by name with nothing
# written, or accepted with every sector some version of itself. The debug kernel, on which
# each takes some times as long, has the first of them.
# invariant: 7
# kernels: debug 6.12
# seconds: 400
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

[ "$SSDUP_KERNEL" = debug ] && images=32 || images=100
images=${1:-$images}

make_disks hdd_size_mb=1 ssd_size_mb=34 hdd_discard=1
for what in images classes; do
	hostile $what $HDD $SSD "$images" "${2:-1}" >"$T/verdicts" || fail "the $what"
	sed 1d "$T/verdicts"
	head -n 1 "$T/verdicts"
	[ "$images" -ge 100 ] || continue
	read -r accepted _ refused _ <"$T/verdicts"
	above "$what accepted" "$accepted" $((images / 10))
	above "$what refused" "$refused" $((images / 10))
	above "kinds of refusals" $(($(wc -l <"$T/verdicts") - 1)) 4
done
