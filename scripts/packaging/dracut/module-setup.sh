#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # dracut sets initdir and moddir
#
# dracut: what is needed to make the devices that / lies on.

# called by dracut
check()
{
	require_binaries ssdup dmsetup lsblk findmnt || return 1
	[[ -n $(/usr/lib/ssdup/initrd-lines) ]] && return 0
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
	/usr/lib/ssdup/initrd-lines >"$initdir/etc/ssduptab"
	inst_hook initqueue/settled 30 "$moddir/ssdup-make.sh"
	inst_hook pre-udev 30 "$moddir/ssdup-wait.sh"
}
