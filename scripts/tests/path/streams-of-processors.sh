#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A stream is one whichever processors send it. Of a load that goes on for long
# not every stream is looked at, and yet it is noticed when they change.
# invariant: none
# cpus: 4
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
# shellcheck source=scripts/tests/streams.sh
. /ssdup/scripts/tests/streams.sh

make_disks instant=1 ssd_size_mb=161
watch_streams
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
one_stream is 0 hdd
for ((i = 0; i < 128; i++)); do
	on $((i % 4)) --pattern contiguous --request 4k --size 4k --offset $((i * 37 % 128 * 512))k
done
one_stream above 9000 ssd
remove_ssdup

# Many more than are sampled at once, in much less time than they take to be sampled.
make_ssdup policy none
must burst --pattern uniform --procs 4 --request 4k --span 64m --size 128m $DEV >"$T/burst"
streams >"$T/many"
above "streams looked at" "$(wc -l <"$T/many")" 100
below "streams looked at" "$(wc -l <"$T/many")" 240
read -r percentage _ < <(tail -n 1 "$T/many")
above "percentage of random writes" "$percentage" 9000
# The rest is over: its first write sees to that, and those after it are looked at.
nap 1
must burst --pattern contiguous --procs 1 --request 64k --size 16m $DEV >"$T/burst"
read -r percentage _ < <(streams | tail -n 1)
is "percentage of sequential writes" "$percentage" 0
