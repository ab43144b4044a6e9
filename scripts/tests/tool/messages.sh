#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Each message does what it says; wrong ones are refused with a reason.
# invariant: 7
# time: virtual
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
GUARD=0	# it would get the errors that are for drains

# refused TEXT WORD... - a message
refused()
{
	local text=$1

	shift
	must_not message "$@"
	said "$text" || fail "of '$*' the kernel said not '$text' but: $(tail -n 1 "$T/said")"
}

make_disks
make_ssdup policy all drain manual autocommit_ms 3600000
refused "unknown message" nonsense
refused "commit: takes 0 arguments" commit all
refused "drain: takes 1 arguments" drain start now
refused "drain: not start or pause" drain stop
refused "set: takes 2 arguments" set policy
refused "set policy: policy: not adaptive" set policy both
refused "set colour: unknown key" set colour red
refused "set max_mb: fixed while" set max_mb 8
refused "set autocommit_ms: autocommit_ms: not a number from 1 to 3600000" set autocommit_ms 0
refused "promote: only with clean above 0" set promote 1G
is "policy" "$(stat policy)" all

io random nr=50 len=8192
written=$(stat ssd_written_sectors)
must message commit
above "sectors written by a commit" "$(stat ssd_written_sectors)" "$written"
dirty=$(stat dirty_sectors)
sleep 0.7
is "dirty sectors without a drain" "$(stat dirty_sectors)" "$dirty"
must message drain start
wait_until dirty_sectors -eq 0

must message set drain auto
must message drain pause
io random nr=50 len=8192 seed=2
sleep 0.8
is "dirty sectors while paused" "$(stat dirty_sectors)" "$(stat dirty_sectors)"
above "dirty sectors while paused" "$(stat dirty_sectors)" 0
is "what the drain does" "$(stat drain_state)" 1
# a flush does not mind the pause, nor end it
flush
io random nr=50 len=8192 seed=3
sleep 0.8
above "dirty sectors while paused" "$(stat dirty_sectors)" 0
must message drain start
wait_until dirty_sectors -eq 0

must message set clean 16
is "clean" "$(stat clean_percent)" 16
is "table" "$(dmsetup table $NAME | cut -d' ' -f6-)" \
	"10 policy all drain auto autocommit_ms 3600000 clean 16 guard 0"
above "writes" "$(stat writes_ssd)" 100
must message clear_stats
is "writes after clear_stats" "$(stat writes_ssd)" 0
io verify

# a flush that fails says so
model $HDD fail_flush 1
io random nr=20 len=8192 seed=4
must_not message drain
model $HDD fail_flush 0
all_home
remove_ssdup

# nor is it told of a drain that failed and had begun before: its own comes after
hdd=$HDD
make_disks
rm "$MODEL"
size=$(blockdev --getsz $hdd)
must dmsetup create other --table "0 $size delay $hdd 0 0 $hdd 0 3000 $hdd 0 0"
HDD=/dev/mapper/other
make_ssdup policy all drain manual
io write len=4096 bs=64
model $hdd fail_flush 1
must message drain start
wait_until drain_state -eq 4
message drain &
wait_until hdd_errors -gt 0
model $hdd fail_flush 0
must wait $!
io_on $hdd verify len=4096
remove_ssdup
must dmsetup remove other
HDD=$hdd

# a long one can be interrupted, and the drain goes on
slow_disks hdd_rate_mbps=1
rm "$MODEL"
make_ssdup policy all drain manual
io write len=6144 bs=64
timeout -s INT 0.5 dmsetup message $NAME 0 drain
is "status of an interrupted flush" $? 124
above "dirty sectors then" "$(stat dirty_sectors)" 0
flush
io_on $HDD verify len=6144
