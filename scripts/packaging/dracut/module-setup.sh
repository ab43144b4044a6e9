#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # dracut sets initdir, moddir, dracutsysrootdir
#
# dracut: what is needed to make the devices that / lies on.

# lines - of ssduptab that belong into the initramfs: those that say so, those /
# lies on now, and those whose HDD it lies on
lines()
{
	local name hdd rest kname below

	[[ -e $dracutsysrootdir/etc/ssduptab ]] || return 0
	below=$(lsblk -snro KNAME "$(findmnt -no SOURCE /)" 2>/dev/null)
	{
		ssdup tab --initrd | cut -d ' ' -f 1
		for kname in $below; do
			[[ $(cat "/sys/class/block/$kname/dm/uuid" 2>/dev/null) != SSDUP-* ]] ||
				cat "/sys/class/block/$kname/dm/name"
		done
		ssdup tab | while read -r name hdd rest; do
			for kname in $below; do
				[[ $(readlink -f "$hdd") != "/dev/$kname" ]] || echo "$name"
			done
		done
	} | sort -u | while read -r name; do
		ssdup tab "$name"
	done
}

# called by dracut
check()
{
	require_binaries ssdup dmsetup lsblk findmnt || return 1
	[[ -n $(lines) ]] && return 0
	return 255
}

# called by dracut
depends()
{
	echo dm rootfs-block
}

# called by dracut
installkernel()
{
	hostonly='' instmods dm-ssdup crc32c_generic crc32c_intel
}

# called by dracut
install()
{
	inst_multiple ssdup dmsetup modprobe
	inst_rules 55-dm.rules 60-persistent-storage-dm.rules 95-dm-notify.rules 69-ssdup.rules
	inst_simple /lib/udev/ssdup-assemble
	lines >"$initdir/etc/ssduptab"
	inst_hook initqueue/settled 30 "$moddir/ssdup-make.sh"
	inst_hook pre-udev 30 "$moddir/ssdup-wait.sh"
}
