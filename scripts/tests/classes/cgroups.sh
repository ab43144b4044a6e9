#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The class of a cgroup: of direct writes by the task, of the page cache by the cgroup that wrote
# to it, whoever writes it back. The nearest cgroup above counts; a range comes first, a hint
# and the job behind.
# invariant: none
# kernels: 6.12 6.1
# programs: mkfs.ext4 fio
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

TREE=/sys/fs/cgroup

# within CGROUP COMMAND... - run it there
within()
{
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$TREE$1" "${@:2}" ||
		fail "in $1: ${*:2}"
}

# rule CGROUP CLASS
rule()
{
	must sh -c "echo '$1 $2' >$SYS/class_cgroups"
}

# no_rule TEXT
no_rule()
{
	must_not sh -c "echo '$1' >$SYS/class_cgroups"
}

# hold DEFAULT A B JOB - sectors that the log holds of each class
hold()
{
	is "sectors of the classes" "$(awk '{ print $3 }' "$SYS/classes" | xargs)" "$*"
}

# written CLASS - sectors that the log has ever got of it
written()
{
	awk -v name="$1" '$1 == name { print $4 }' "$SYS/classes"
}

[ -d $TREE ] || skip "no cgroups in this kernel"
[ -e $TREE/cgroup.procs ] || must mount -t cgroup2 none $TREE
must sh -c "echo +memory >$TREE/cgroup.subtree_control"
must mkdir -p $TREE/a/job/step $TREE/b
make_disks ssd_size_mb=129
make_ssdup policy all drain manual classes a+b:hint=short+job
is "cgroups" "$(<"$SYS/class_cgroups")" none
rule /a a
rule "$(/usr/bin/busybox stat -c %i $TREE/b)" b
no_rule "/a none"
no_rule "/nobody a"
no_rule "a"
no_rule "0 a"
is "cgroups" "$(awk '{ print $2 }' "$SYS/class_cgroups" | xargs)" "a b"

# direct writes
within /a/job/step iocheck "$MODEL" $DEV write len=64 bs=8
hold 0 64 0 0
within /b iocheck "$MODEL" $DEV write start=64 len=64 bs=8
hold 0 64 64 0
io write start=128 len=64 bs=8
hold 64 64 64 0
must message class job
io write start=192 len=64 bs=8
hold 64 64 64 64
within /b iocheck "$MODEL" $DEV write start=256 len=64 bs=8
hold 64 64 128 64
# the nearest one; one more with the same name replaces it
rule /a/job b
within /a/job/step iocheck "$MODEL" $DEV write start=320 len=64 bs=8
hold 64 64 192 64
rule /a/job a
is "cgroups" "$(wc -l <"$SYS/class_cgroups")" 3
# before the hint, behind a range and what the log holds
within /a/job/step iocheck "$MODEL" $DEV write start=384 len=64 bs=8 hint=2
hold 64 128 192 64
must message class job 512 64
within /b iocheck "$MODEL" $DEV write start=448 len=128 bs=128
hold 64 128 256 128
within /a iocheck "$MODEL" $DEV write start=64 len=64 bs=8
hold 64 128 256 128
# forgotten, also by its number
while read -r id _; do
	rule "$id" default
done < <(cat "$SYS/class_cgroups")
is "cgroups" "$(<"$SYS/class_cgroups")" none
within /a iocheck "$MODEL" $DEV write start=576 len=64 bs=8 hint=1
hold 64 128 256 192
io verify
all_home

# a direct write is the task's, also when its buffer is a file of another cgroup
rule /a a
rule /b b
must mkdir -p /mnt/ram
must mount -t tmpfs none /mnt/ram
a=$(written a) b=$(written b)
within /a dd if=/dev/zero of=/mnt/ram/buffer bs=64k count=1 status=none
within /b fio --name=mapped --filename=$DEV --direct=1 --rw=write --bs=64k --size=64k \
	--offset=8m --mem=mmapshared:/mnt/ram/buffer --ioengine=psync >"$T/fio"
is "sectors of class b" "$(($(written b) - b))" 128
is "sectors of class a" "$(($(written a) - a))" 0
must umount /mnt/ram

# files: nobody of the cgroups writes them back
must message class default
must mkfs.ext4 -q -F $DEV
mkdir /mnt/fs
must mount $DEV /mnt/fs
sync
a=$(written a) b=$(written b)
within /a dd if=/dev/zero of=/mnt/fs/a bs=1M count=4 status=none
within /b dd if=/dev/zero of=/mnt/fs/b bs=1M count=6 status=none
sync
a=$(($(written a) - a)) b=$(($(written b) - b))
echo "$a and $b sectors of two files of 8192 and 12288"
above "sectors of class a" $a 8000
below "sectors of class a" $a 9000
above "sectors of class b" $b 12000
below "sectors of class b" $b 13000
must umount /mnt/fs
flush
hold 0 0 0 0
