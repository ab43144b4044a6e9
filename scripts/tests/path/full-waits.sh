#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# With no segment free, writers wait in order, and finish when one is.
# That the log is full is an event, one until a segment is freed.
# invariant: none
# cpus: 2
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks ssd_size_mb=11
# what a drain needs is out of order: so nothing is freed for now
make_ssdup policy all drain manual
model $HDD fail_flush 1
before=$(events)
io write start=65536 len=20480 bs=8 depth=64 &
writer=$!
must timeout 20 dmsetup wait $NAME "$before"
wait_until drain_state -eq 7
wait_until waiting_writes -eq 64
sleep 0.3
is "writes that got a place" "$(stat writes_ssd)" "$(log_writes 8)"
is "direct writes" "$(stat writes_hdd)" 0
is "free segments" "$(stat segments_free)" 2
# another try, every 5 s, has not failed until it has copied
wait_until wait_cause -eq 4
# reads do not wait
io_on $DEV verify len=4096

# other writers queue up behind, also those that would have room
dd if=/dev/zero of=$DEV bs=4k count=1 oflag=direct status=none &
sleep 0.2
kill -0 $! || fail "a later write overtook the waiting ones"
is "events" "$(events)" $((before + 1))
model $HDD fail_flush 0
must wait $writer
must wait $!
above "writes that waited" "$(stat waited_writes)" 30
is "waiting writes" "$(stat waiting_writes)" 0
is "cause of no wait" "$(stat wait_cause)" 0
io write len=8

# full once more is another event
flush
model $HDD fail_flush 1
before=$(events)
io write start=65536 len=24576 bs=64 depth=64 &
writer=$!
must timeout 20 dmsetup wait $NAME "$before"
model $HDD fail_flush 0
must message drain
must wait $writer
all_home
