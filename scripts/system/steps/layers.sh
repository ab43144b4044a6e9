# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # for those who source this
#
# In the machine, for the steps "layers": five devices, and what lies on them.

NAMES=(one two three four five)

# hdd N, ssd N - a partition by its name that stays
hdd()
{
	echo "$HDD-part$1"
}

ssd()
{
	echo "$SSD-part$1"
}

# hdd_of NAME - as ssduptab has it
hdd_of()
{
	awk -v name="$1" '$1 == name { print $2 }' /etc/ssduptab
}

# on NAME - what has the file system
on()
{
	case $1 in
	four) echo /dev/top/srv ;;
	five) echo /dev/md/top ;;
	*) echo "/dev/mapper/$1" ;;
	esac
}

# more NAME - files written and flushed
more()
{
	(cd "/srv/$1" && head -c 3M /dev/urandom | split -b 1M - "file.$(date +%s%N)." &&
		sha1sum file.* >sums && sync -f .)
}

# right NAME - mounted, and all files are as they were written
right()
{
	mountpoint -q "/srv/$1" && (cd "/srv/$1" && sha1sum --quiet -c sums)
}

# dirty NAME - the log holds some of it
dirty()
{
	[ "$(cat "/sys/block/$(basename "$(readlink -f "/dev/mapper/$1")")/ssdup/dirty_sectors")" -gt 4000 ]
}

# is_hidden DEV - from mount, LVM and md alike
is_hidden()
{
	udevadm info "$1"
	[ "$(property "$1" ID_FS_TYPE)" = ssdup_hdd ] && [ "$(property "$1" SYSTEMD_READY)" = 0 ]
}

# only_on DEV NAME - nothing but the device uses it
only_on()
{
	local holders

	holders=$(ls "/sys/class/block/$(basename "$(readlink -f "$1")")/holders")
	echo "$1 is used by: $holders"
	[ "$holders" = "$([ -z "$2" ] || basename "$(readlink -f "/dev/mapper/$2")")" ]
}

