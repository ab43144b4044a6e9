# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What tests see of the streams that a policy evaluates: its tracepoint; behind lib.sh.

TRACING=/sys/kernel/tracing

# watch_streams - note the streams from here on; the module is loaded
watch_streams()
{
	echo 1 >$TRACING/events/ssdup/ssdup_stream/enable
	echo >$TRACING/trace
}

# streams - their random percentages in 1/10000, and the disks of the streams after them
streams()
{
	sed -nE 's/.* ssdup_stream: .* percentage ([0-9]+) .* next ([a-z]+).*/\1 \2/p' $TRACING/trace
	echo >$TRACING/trace
}

# one_stream is|above PERCENTAGE DISK - there was one since the last call
one_stream()
{
	streams >"$T/streams"
	is "streams" "$(wc -l <"$T/streams")" 1
	read -r percentage next <"$T/streams"
	"$1" "percentage of the stream" "$percentage" "$2"
	is "disk of the next stream" "$next" "$3"
}
