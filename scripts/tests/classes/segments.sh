#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Each class has segments of its own. A range keeps its class while the log holds any of it,
# and new data beside it gets the class of its own.
# invariant: 3 4
# kernels: 6.12 6.1
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# hold DEFAULT A B - sectors that the log holds of each class
hold()
{
	is "sectors of the classes" "$(awk '{ print $3 }' "$SYS/classes" | xargs)" "$*"
}

make_disks hdd_discard=1
make_ssdup policy all drain manual classes a:late+b
is "the table" "$(dmsetup table $NAME | grep -o 'classes .*')" "classes a:late+b"
is "names" "$(awk '{ print $1, $2 }' "$SYS/classes" | xargs)" "default soon a late b soon"
io write len=64 bs=8
must message class a
io write start=64 len=64 bs=8
must message class b 1000 500
io write start=992 len=16 bs=16
hold 64 72 8
# over two classes, and beside them
must message class b
io write start=32 len=256 bs=256
hold 64 72 168
io discard start=60 len=8
hold 64 72 168
io write start=32 len=64 bs=64 fua=1
hold 64 72 168
io verify
must message class default
must message class default 0 "$LEN"
io write start=4096 len=8 bs=8
hold 72 72 168

# the same after a replay, whatever the next table names
commits
is "open segments" $(($(stat segments) - $(stat segments_free) - $(stat segments_sealed))) 3
remove_ssdup
ssdup_exits 0 dump $SSD
for class in 0 1 2; do
	is "segments of class $class" "$(grep -c "^segment .*, class $class$" "$T/out")" 1
done
ssdup_exits 0 check $SSD
make_ssdup policy all drain manual
is "classes of a log that is not empty" "$(wc -l <"$SYS/classes")" 3
hold 72 72 168
io write start=32 len=256 bs=256
hold 72 72 168
all_home
hold 0 0 0
remove_ssdup
# a table without classes, and an empty log
make_ssdup policy all
is "classes of an empty log" "$(<"$SYS/classes")" none
io write len=64 bs=8
remove_ssdup
make_ssdup policy all drain manual classes a+b+c+d
must_not message class a
is "classes" "$(<"$SYS/classes")" none
all_home
reload policy all drain manual classes a+b+c+d
is "classes" "$(wc -l <"$SYS/classes")" 5
must message class d
io write len=64 bs=8
hold 0 0 0 0 64
must_not message class e
must_not message class a 1
must_not message class a 0 $((LEN + 1))
must_not message class a x 1
must_not dmsetup reload $NAME --table "$(table classes a:soon)"
all_home
