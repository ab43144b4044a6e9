#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Knobs take what they may and refuse the rest; everything can be read by anyone.
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
	policy | route | full | drain) [[ $value =~ ^[a-z]+$ ]] || fail "$file: $value" ;;
	*) [[ $value =~ ^[0-9]+$ ]] || fail "$file: $value" ;;
	esac
	is "lines of $file" "$(wc -l <"$file")" 1
done
long=123456789012345678901234567890123456789012345678901234567890
takes policy all some "" ALL "all none" $long
takes policy adaptive
takes stream_length_writes 1024 1 1025 x "" -5
takes to_ssd_above_percent 80 101 29
takes to_hdd_below_percent 70 81
takes full bypass maybe
takes drain eager always
takes drain_depth_reads 1 0 1025
takes autocommit_ms 50 0 3600001
takes flush_on_suspend 1 2
above "commits before" 1 "$(stat commits)"
# autocommit, as the knob says
knob policy all
io random nr=20
sleep 0.3
above "commits by autocommit" "$(stat commits)" 0

remove_ssdup
[ ! -e "$SYS" ] || fail "$SYS is still there"
make_ssdup
must dmsetup suspend $NAME
must dmsetup resume $NAME
must stat mode
io verify
