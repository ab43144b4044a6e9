# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # for those who source this
#
# In the machine, for steps: each check is one line of the report.

# shellcheck source=scripts/system/check.sh
. ./check.sh

HDD=/dev/disk/by-id/virtio-ssdup-hdd
SSD=/dev/disk/by-id/virtio-ssdup-ssd

# refused NAME COMMAND... - a check of what must fail
refused()
{
	local name=$1

	shift
	check "$name" fails "$@"
}

# says WORDS COMMAND... - WORDS are in what it prints, whatever its status
says()
{
	local words=$1 output

	shift
	output=$("$@" 2>&1)
	echo "$output"
	[[ $output == *"$words"* ]]
}

# exits CODE COMMAND... - with that status
exits()
{
	local code=$1 rc=0

	shift
	"$@" || rc=$?
	echo "status $rc, not $code"
	[ "$rc" = "$code" ]
}

# wait_for SECONDS COMMAND... - until it is so
wait_for()
{
	local end=$((SECONDS + $1))

	shift
	until "$@" >/dev/null 2>&1; do
		if [ $SECONDS -ge $end ]; then
			"$@"
			return
		fi
		sleep 0.3
	done
}

# mounted DIR - by systemd or else by hand. With nofail in fstab mount(8) says that all is well
# while the device is not there yet.
mounted()
{
	mountpoint -q "$1" || { mount "$1" && mountpoint -q "$1"; }
}

# property DEV KEY - of udev's
property()
{
	udevadm info -q property --property="$2" --value "$1"
}

# leads LINK DEV - a link of /dev/disk leads to a device
leads()
{
	[ "$(readlink -f "$1")" = "$(readlink -f "$2")" ]
}

# hidden DEV LABEL - it is an HDD that nobody is to mount
hidden()
{
	udevadm info "$1"
	[ "$(property "$1" ID_FS_TYPE)" = ssdup_hdd ] &&
		[ -z "$(property "$1" ID_FS_USAGE)" ] &&
		[ "$(property "$1" SYSTEMD_READY)" = 0 ] &&
		[ "$(property "$1" UDISKS_IGNORE)" = 1 ] &&
		! leads "/dev/disk/by-label/$2" "$1"
}

# host WORDS... - a line for the monitor of the machine we are in
host()
{
	echo "host: $*"
}

# pull NAME, put NAME - take a disk (hdd, ssd) out, or put it in
pull()
{
	host "device_del disk-$1"
}

put()
{
	host "device_add virtio-blk-pci,bus=port-$1,drive=$1,serial=ssdup-$1,id=disk-$1"
}

# down - the end of a step; nothing after it is reported
down()
{
	echo "step: $failed"
	systemctl --no-block poweroff
	exit 0
}
