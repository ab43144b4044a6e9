#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Suspends and removals do not wait for a drain, not even while writers wait for
# log space and the HDD takes nothing; no write is lost.
# invariant: 7
# cpus: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks ssd_size_mb=11
make_ssdup policy all drain manual
len=$((2 * 64 * $(log_writes 64)))
# NOFLUSH: those that wait are handed back, and sent again to the new table
for NOFLUSH in yes ""; do
	model $HDD fail_flush 1
	io write start=20000 len=$len bs=64 depth=64 errors=1 &
	io write start=60000 len=10000 bs=64 depth=64 &
	writer=$!
	wait_until waiting_writes -gt 20
	SECONDS=0
	reload policy balance
	below "seconds of a suspend" $SECONDS 15
	must wait $writer
	model $HDD fail_flush 0
	wait
	io verify start=60000 len=10000
	must message drain
	reload policy all drain manual
done

# removed and made again while a drain cannot go on
model $HDD fail_write "0 $LEN"
io write start=60000 len=8192 bs=64
must_not message drain
SECONDS=0
remove_ssdup
below "seconds of a removal" $SECONDS 15
model $HDD fail_write clear
make_ssdup
io verify start=60000
flush
io verify start=60000
io_on $HDD verify start=60000
