#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Beside writers that keep the log full, who writes little and waits for each flush has a place for
# it, and not a pass of the drain to wait for. But who fills all that is kept for him leaves space
# to the others.
# invariant: none
# time: virtual
# seconds: 200
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# number NAME WORD... - of what burst has printed
number()
{
	local name=$1

	shift
	[[ $* =~ \"$name\":\ *([0-9]+) ]] || fail "no $name in $*"
	echo "${BASH_REMATCH[1]}"
}

# beside REQUEST... - 8 writers of pages for 4 s, beside one that writes REQUEST and flushes
beside()
{
	burst --pattern uniform --procs 8 --request 16k --size 1g --span 2g --ms 4000 $DEV \
		>"$T/pages" &
	commits=$(burst --pattern contiguous --procs 1 --offset 3g --fsync 1 --ms 4000 "$@" $DEV)
	must wait $!
	commits=$(number requests "$commits")
	pages=$(number requests "$(cat "$T/pages")")
	echo "$commits commits beside $pages pages"
}

make_disks instant=0 hdd_size_mb=4096 ssd_size_mb=160
make_ssdup
must burst --pattern random --procs 8 --request 64k --size 160m --offset 2g $DEV >/dev/null
beside --request 8k --size 64m
above "commits" "$commits" 1200
above "pages beside them" "$pages" 2000
beside --request 256k --size 512m
above "pages beside large commits" "$pages" 700

# and what was learnt of the disks is right: both are used
flush
message clear_stats
must burst --pattern random --procs 16 --request 256k --size 96m --offset 1g $DEV >/dev/null
above "sectors to the SSD" "$(stat write_sectors_ssd)" $((20 * 2048))
remove_ssdup
