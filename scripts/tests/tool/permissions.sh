#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Without root nothing of the device can be written or made to do something, and
# every statistic can be read.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# nobody COMMAND - in a shell without any right
nobody()
{
	su -s /bin/bash nobody -c "$1" 2>"$T/stderr" </dev/null
}

grep -q ^nobody: /etc/passwd || echo nobody:x:65534:65534::/:/bin/bash >>/etc/passwd
make_disks
make_ssdup policy all
io random nr=50
must nobody true
is "user" "$(nobody 'id -u')" 65534
files=0
for file in "$SYS"/*; do
	files=$((files + 1))
	is "owner of $file" "$(/usr/bin/busybox stat -c %u:%g "$file")" 0:0
	case $(/usr/bin/busybox stat -c %a "$file") in
	444 | 644) ;;
	*) fail "mode of $file" ;;
	esac
done
must nobody "for file in $SYS/*; do read -r value <\$file || exit 1; done"
must nobody "ssdup metrics | grep -q ssdup_dirty_bytes"
must nobody "ssdup status --json | grep -q '\"write_sectors_ssd\": $(stat write_sectors_ssd),'"
must_not nobody "ssdup set $NAME policy=none"
must_not nobody "ssdup remove $NAME"
! nobody "for file in $SYS/*; do echo 1 >\$file && exit 0; done; exit 1" ||
	fail "anybody writes in $SYS"
above "files" $files 40
is "mode of the folder" "$(/usr/bin/busybox stat -c %a:%u "$SYS")" 755:0
for file in /sys/module/dm_ssdup/parameters/*; do
	[ ! -e "$file" ] || ! nobody "echo 1 >$file" || fail "anybody writes $file"
done
policy=$(stat policy)

# the nodes, and who may tell the device something
for node in $DEV "/dev/dm-${SYS//[!0-9]/}" $HDD $SSD; do
	[ -e "$node" ] || fail "no $node"
	! nobody "dd if=$node bs=4k count=1 of=/dev/null" || fail "anybody reads $node"
	! nobody "dd if=/dev/zero of=$node bs=4k count=1 conv=notrunc" ||
		fail "anybody writes $node"
done
# even who may open the control device needs to be root for a message
chmod 666 /dev/mapper/control
for what in "message $NAME 0 set policy none" "message $NAME 0 drain" "suspend $NAME" \
	"remove $NAME" "reload $NAME --table '$(table)'" "status $NAME"; do
	! nobody "dmsetup $what" || fail "anybody may: $what"
done
chmod 600 /dev/mapper/control
is "policy" "$(stat policy)" "$policy"
io verify
