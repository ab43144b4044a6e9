#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Two overlapping writes in flight at once, one to the HDD, one to the log: the
# drain of the second waits for the first, so that who has won has won for good.
# invariant: 5
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0

# in_flight N - wait until the HDD has as many writes to do
in_flight()
{
	local writes

	until read -r _ writes <"/sys/block/${HDD##*/}/inflight" && [ "$writes" -ge "$1" ]; do
		sleep 0.001
	done
}

p=65544
# an SSD of 8 GiB has segments of 8 MiB, which take a write of 1 MiB as a whole
slow_disks ssd_size_mb=8194 hdd_rate_mbps=3 hdd_spread=1 late=1
make_ssdup policy none drain manual
for _ in 1 2 3; do
	# the arm is busy for 0.4 s, a direct write waits for it
	knob policy none
	iocheck "$T/busy" $DEV write start=2048 len=2048 bs=2048 &
	in_flight 1
	iocheck "$MODEL" $DEV write start=$p len=8 bs=8 &
	direct=$!
	in_flight 2
	# over it, and a little in front: what an arm on its way comes to first
	knob policy all
	io write start=$((p - 8)) len=16 bs=16
	io write start=90000 len=4096 bs=64
	kill -0 $direct || fail "the direct write was not in flight any more"
	message drain &
	drain=$!
	wait_until drain_state -eq 5
	must wait $direct
	# both are acknowledged: this is how it stays
	io recover start=$((p - 8)) len=16
	must wait $drain
	io verify start=$((p - 8)) len=16
	io_on $HDD verify start=$((p - 8)) len=16
	wait
done

remove_ssdup

# the same without knowing who is where: pairs of writes to one place
slow_disks late=1
make_ssdup policy adaptive
io race start=0 len=4096 bs=8 nr=600
io verify len=4096
flush
io verify len=4096
