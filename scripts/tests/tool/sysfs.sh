#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Knobs take what they may and refuse the rest; everything can be read by anyone, and
# "ssdup metrics" says the same.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# takes KNOB GOOD BAD...
takes()
{
	local knob=$1 good=$2 value

	shift 2
	knob "$knob" "$good"
	is "$knob" "$(stat "$knob")" "$good"
	for value; do
		! echo "$value" 2>/dev/null >"$SYS/$knob" || fail "$knob takes $value"
		is "$knob" "$(stat "$knob")" "$good"
	done
}

# uuid_at BYTE - the UUID that stands there on the SSD
uuid_at()
{
	local hex

	hex=$(dd if=$SSD bs=1 skip="$1" count=16 status=none | od -An -v -tx1 | tr -d ' \n')
	echo "${hex:0:8}-${hex:8:4}-${hex:12:4}-${hex:16:4}-${hex:20}"
}

# that of the record, and that of the superblock (format.rst)
log_uuid()
{
	uuid_at $((1024 * 512 + 24))
}

pool_uuid()
{
	uuid_at 40
}

make_disks
make_ssdup
for file in "$SYS"/*; do
	mode=$(/usr/bin/busybox stat -c %a "$file")
	case $mode in
	444) must_not sh -c "echo 1 >$file" ;;
	644) ;;
	*) fail "mode of $file is $mode" ;;
	esac
	value=$(<"$file")
	case ${file##*/} in
	hdd_dev | ssd_dev)
		name=${file##*/}
		is "$name" "$value" "$(cat "/sys/block/m${name%_dev}0/dev")"
		;;
	log_uuid) is "log" "$value" "$(log_uuid)" ;;
	pool_uuid) is "pool" "$value" "$(pool_uuid)" ;;
	policy | drain | classes | class_cgroups)
		[[ $value =~ ^[a-z]+$ ]] || fail "$file: $value"
		;;
	*) [[ $value =~ ^[0-9]+$ ]] || fail "$file: $value" ;;
	esac
	is "lines of $file" "$(wc -l <"$file")" 1
done
long=123456789012345678901234567890123456789012345678901234567890
takes policy all some "" ALL "all none" $long
takes policy adaptive
takes drain eager always
takes autocommit_ms 50 0 3600001 x "" -5
takes ssd_budget 0 1 1K 1G
above "commits before" 1 "$(stat commits)"
# autocommit, as the knob says; a drain would commit too
knob policy all
knob drain manual
io random nr=20
wait_until commits -gt 0

# metric NAME - of the only device, whatever its labels
metric()
{
	sed -nE "s/^$1(\{[^}]*\})? //p" "$T/prom"
}

must ssdup metrics --output "$T/prom"
is "devices" "$(metric ssdup_devices)" 1
is "dirty" "$(metric ssdup_dirty_bytes)" $((512 * $(stat dirty_sectors)))
above "dirty" "$(metric ssdup_dirty_bytes)" 0
is "written" "$(metric ssdup_written_bytes_total | tail -n 1)" $((512 * $(stat write_sectors_ssd)))
is "log" "$(metric ssdup_log_size_bytes)" $((512 * $(stat segments) * $(stat segment_sectors)))
is "segment" "$(metric ssdup_segment_size_bytes)" $((512 * $(stat segment_sectors)))
grep -qF "ssdup_info{device=\"$NAME\",uuid=\"$(log_uuid)\",pool=\"$(pool_uuid)\",hdd=\"${HDD#/dev/}\",ssd=\"${SSD#/dev/}\",policy=\"all\",drain=\"manual\"} 1" \
	"$T/prom" || fail "info: $(grep ^ssdup_info "$T/prom")"
is "all files" "$(echo "$T"/prom*)" "$T/prom"
must_get "not a file" ssdup metrics --output /dev/null

remove_ssdup
[ ! -e "$SYS" ] || fail "$SYS is still there"
is "devices" "$(ssdup metrics | tee "$T/prom" | grep -vc '^#')" 1
make_ssdup policy all drain manual
must dmsetup suspend $NAME
is "policy while suspended" "$(stat policy)" all
must dmsetup resume $NAME
must stat mode
io verify

# the folder goes from table to table, with whoever reads and writes it, and with the last one
stop=$T/stop
(
	while [ ! -e "$stop" ]; do
		cat "$SYS"/* >/dev/null 2>&1
		echo 100 >"$SYS/autocommit_ms"
	done
) 2>/dev/null &
reader=$!
exec 5<"$SYS/policy"
for policy in none all balance; do
	must dmsetup reload $NAME --table "$(table policy all)"
	must dmsetup clear $NAME
	reload policy $policy
	is "policy of the table" "$(stat policy)" $policy
done
# a table of another kind has none
must dmsetup reload $NAME --table "0 $LEN linear $HDD 0"
must dmsetup suspend $NAME
must dmsetup resume $NAME
[ ! -e "$SYS" ] || fail "$SYS is there without a table of ours"
! read -r _ <&5 || fail "a file that was open can be read"
exec 5<&-
reload policy none
is "policy of the table" "$(stat policy)" none
touch "$stop"
wait $reader
io verify
remove_ssdup
[ ! -e "$SYS" ] || fail "$SYS is still there"
