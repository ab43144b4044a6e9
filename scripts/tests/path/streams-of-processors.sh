#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A stream is one whichever processors send it. Of a load that goes on for long
# not every stream is looked at, and yet it is noticed when they change.
# invariant: none
# cpus: 4
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks instant=1 ssd_size_mb=161
make_ssdup policy watermark drain manual

# on CPU WORDS... - a burst of one processor
on()
{
	local cpu=$1

	shift
	taskset -c "$cpu" burst --procs 1 "$@" $DEV >/dev/null || fail "burst on $cpu"
}

# Each of its writes comes from another processor than the one before.
for ((i = 0; i < 128; i++)); do
	on $((i % 4)) --pattern contiguous --request 64k --size 64k --offset $((i * 64))k
done
is "streams" "$(stat streams)" 1
is "percentage of a stream that wanders" "$(stat random_percentage_1e4)" 0
for ((i = 0; i < 128; i++)); do
	on $((i % 4)) --pattern contiguous --request 4k --size 4k --offset $((i * 37 % 128 * 512))k
done
is "streams" "$(stat streams)" 2
above "percentage of scattered writes" "$(stat random_percentage_1e4)" 9000
is "route" "$(stat route)" ssd
remove_ssdup

# Many more than are sampled at once, in much less time than they take to be sampled.
make_ssdup policy none
must burst --pattern uniform --procs 4 --request 4k --span 64m --size 128m $DEV >"$T/burst"
above "percentage of random writes" "$(stat random_percentage_1e4)" 9000
above "streams looked at" "$(stat streams)" 100
below "streams looked at" "$(stat streams)" 240
# The rest is over: its first write sees to that, and those after it are looked at.
nap 1
must burst --pattern contiguous --procs 1 --request 64k --size 16m $DEV >"$T/burst"
is "percentage of sequential writes" "$(stat random_percentage_1e4)" 0
