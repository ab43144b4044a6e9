#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The status line is names and plain integers that agree with sysfs; the
# table line says what was given or set, and makes the same device again.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks
make_ssdup policy all drain manual autocommit_ms 5000
io write len=4096 bs=64
io random nr=100 seed=3 fsync=1
io verify len=8192
line=$(dmsetup status $NAME)
[[ $line =~ ^0\ $LEN\ ssdup(\ [a-z0-9_]+\ [0-9]+)+$ ]] || fail "status: $line"
read -ra words <<<"${line#* ssdup }"
is "fields" $((${#words[@]} / 2)) 43
for ((i = 0; i < ${#words[@]}; i += 2)); do
	value=$(stat "${words[i]}")
	case ${words[i]} in
	open_fill_1e4) above "how full the open segment is" "$value" 0 ;;
	esac
	is "field ${words[i]}" "${words[i + 1]}" "$value"
done

line=$(dmsetup table $NAME)
is "table" "${line#* ssdup * * }" "6 policy all drain manual autocommit_ms 5000"
message set clean 20
message set autocommit_ms 6000
line=$(dmsetup table $NAME)
remove_ssdup
must dmsetup create $NAME --table "$line"
is "table made again" "$(dmsetup table $NAME)" "$line"
is "clean" "$(stat clean_percent)" 20
io verify

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
