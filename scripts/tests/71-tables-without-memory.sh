#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A table is loaded and resumed while one allocation fails, a later one each time:
# it is refused for want of memory or works, leaves nothing behind, and the next
# try finds what the log holds. A reload that fails leaves the old table at work.
# kernels: debug
# seconds: 240
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# failing NTH COMMAND... - with the Nth allocation in the module failing
failing()
{
	echo "$1" >/proc/$BASHPID/fail-nth
	shift
	exec "$@"
}

# try NTH COMMAND... - true when it worked, false when memory was wanting
try()
{
	local words

	(failing "$@") 2>"$T/stderr" && return 0
	read -rd '' words <"$T/stderr"
	[[ $words == *"Cannot allocate memory"* ]] || fail "$words"
	return 1
}

make_disks
table=$(table policy all drain manual)
make_ssdup policy all drain manual
io random bs=8 nr=600
remove_ssdup
fail_memory 0

refused=0
for ((n = 1; n < 4000; n += 1 + n / 4)); do
	if try $n dmsetup create $NAME --table "$table"; then
		must dmsetup remove $NAME
	else
		refused=$((refused + 1))
		! dmsetup info $NAME >/dev/null 2>&1 || must dmsetup remove $NAME
	fi
done
above "tables refused" $refused 15

make_ssdup policy all drain manual
io verify
refused=0
for ((n = 1; n < 2500; n += 1 + n / 2)); do
	try $n dmsetup reload $NAME --table "$table" ||
		refused=$((refused + 1))
	io mixed max=64 nr=10 seed=$n
	must dmsetup suspend $NAME
	try 1 dmsetup resume $NAME || must dmsetup resume $NAME
done
above "reloads refused" $refused 5
io verify
all_home
remove_ssdup
must modprobe -r dm-ssdup
