#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Tracepoints tell of streams, routes, seals and drains; the block layer's and
# blktrace show the remaps. A drain's writes are synchronous while somebody waits for it.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0	# its writes are not those of a drain

tracing=/sys/kernel/tracing
make_disks ssd_size_mb=35
[ -d $tracing/events/ssdup ] || fail "no tracepoints"
make_ssdup policy watermark drain manual
# small buffers, and many: what is traced is soon in its file
blktrace -d $SSD -d $HDD -D "$T" -b 4 -n 128 2>/dev/null >&2 &
blktrace=$!
echo 1 >$tracing/events/ssdup/enable
echo 1 >$tracing/events/block/block_bio_remap/enable
# it has begun when it sees what is read
until [ -s "$T/mssd0.blktrace.0" ] && [ -s "$T/mhdd0.blktrace.0" ]; do
	for disk in $SSD $HDD; do
		must dd if="$disk" of=/dev/null bs=4k count=64 iflag=direct status=none
	done
done
echo >$tracing/trace
# the block layer sees no remap of what ends in memory
io random nr=512 depth=1 len=65536 bs=72
knob policy all
flush
echo 0 >$tracing/events/ssdup/enable
echo 0 >$tracing/events/block/block_bio_remap/enable
cat $tracing/trace >"$T/trace"
kill -INT $blktrace
wait $blktrace

# seen COUNT-AT-LEAST REGEX
seen()
{
	local n

	n=$(grep -cE "$2" "$T/trace")
	above "lines with '$2'" "$n" $(($1 - 1))
}

seen 4 'ssdup_stream: [0-9]+:[0-9]+ percentage [0-9]+ threshold [0-9]+ next (ssd|hdd)'
seen 16 'ssdup_route: .* stream hdd way hdd'
seen 40 'ssdup_route: .* stream ssd way log'
seen 1 'ssdup_open: .* segment 0 generation 1 entries 0'
seen 1 'ssdup_seal: .* segment 0 generation 1 entries [1-9]'
seen 1 'ssdup_drain: .* segment 0 from [0-9]+: [0-9]+ pieces in [0-9]+ runs'
seen 1 'ssdup_free: .* segment 0 generation 1'
seen 64 "block_bio_remap: .* <- \\($(tr : , <"${SYS%/ssdup}/dev")\\)"
blkparse -q -D "$T" -i mssd0 >"$T/ssd"
blkparse -q -D "$T" -i mhdd0 >"$T/hdd"
above "remaps to the SSD in blktrace" "$(grep -c ' A ' "$T/ssd")" 40
above "remaps to the HDD in blktrace" "$(grep -c ' A ' "$T/hdd")" 15
io verify

# drain_writes FLAGS MESSAGE... - all that a drain sends to the HDD for a message has those
drain_writes()
{
	local flags=$1

	shift
	io random nr=64 depth=1 len=65536
	echo >$tracing/trace
	echo 1 >$tracing/events/block/block_bio_queue/enable
	must message "$@"
	wait_until dirty_sectors -eq 0
	echo 0 >$tracing/events/block/block_bio_queue/enable
	grep "block_bio_queue: $(blockdev_number $HDD) W.*\[ssdup-wb" $tracing/trace >"$T/trace"
	seen 1 "[0-9] $flags "
	is "other writes of a drain" "$(grep -cvE "[0-9] $flags " "$T/trace")" 0
}

# blockdev_number DISK - as the block layer's tracepoints have it
blockdev_number()
{
	tr : , <"/sys/block/${1##*/}/dev"
}

drain_writes WS drain
drain_writes W drain start
