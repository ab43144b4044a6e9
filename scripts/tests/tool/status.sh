#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The status line is a fixed list of plain integers that agrees with sysfs; the
# table line says what was given or set, and makes the same device again.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks
make_ssdup policy all drain manual to_ssd_above 50
io write len=4096 bs=64
io random nr=100 seed=3 fsync=1
io verify len=8192
line=$(dmsetup status $NAME)
[[ $line =~ ^0\ $LEN\ ssdup(\ [0-9]+)+$ ]] || fail "status: $line"
read -ra field <<<"${line#* ssdup }"
is "fields" ${#field[@]} 68
names=(mode policy route random_percentage_1e4 threshold_1e4 segments segments_free
	segments_sealed open_fill_1e4 dirty_sectors extents waiting_writes drain_errno writes_hdd
	writes_ssd write_sectors_hdd write_sectors_ssd reads_hdd reads_ssd read_sectors_hdd
	read_sectors_ssd discards flushes waited_writes streams streams_ssd commits
	pages_written seals frees drained_sectors drain_writes drain_reads ssd_errors
	hdd_errors unwritable_extents lost_extents drain_state wait_cause waiting_flushes
	home_sectors read_only longest_wait_ms ssd_discarded_sectors ssd_written_sectors
	ssd_budget_sectors ssd_left_sectors ssd_price_ns pool_logs pool_segments
	pool_segments_free clean_segments clean_sectors clean_map_bytes reads_clean
	read_sectors_clean clean_errors reads_again read_sectors_again promote_sectors
	promoted_sectors promote_left_sectors reads_promoted guard ssd_interference_1e4 ssds_out
	ssd_read_interference_1e4 mirrors_out)
for i in "${!names[@]}"; do
	value=$(stat "${names[i]}")
	case ${names[i]} in
	policy) value=2 ;;
	route) value=1 ;;
	esac
	is "field $i, ${names[i]}" "${field[i]}" "$value"
done
is "fill" $((field[8] > 0 && field[8] < 10000)) 1

line=$(dmsetup table $NAME)
is "table" "${line#* ssdup * * }" "6 policy all to_ssd_above 50 drain manual"
message set full bypass
message set to_ssd_above 60
line=$(dmsetup table $NAME)
remove_ssdup
must dmsetup create $NAME --table "$line"
is "table made again" "$(dmsetup table $NAME)" "$line"
is "full" "$(stat full)" bypass
io verify

# the field of what is no more keeps its place
is "sectors home" "$(stat home_sectors)" 0

# that segments are freed is an event
raises_event flush
remove_ssdup

# loaded beside a live table, but not active: "Fail" or numbers, no crash
make_ssdup
must dmsetup reload $NAME --table "$(table policy all)"
must dmsetup status --inactive $NAME
must dmsetup table --inactive $NAME
must dmsetup clear $NAME
all_home
