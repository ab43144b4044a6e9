#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # dracut sets initdir and moddir
#
# dracut: what hides the HDDs of ssduptab, and is needed to make the devices that / lies on.

# called by dracut
check()
{
	require_binaries ssdup dmsetup lsblk findmnt || return 1
	# any line but comments; what is faulty in one is found there, and its HDD hidden
	grep -q '^[[:space:]]*[^#[:space:]]' /etc/ssduptab 2>/dev/null || return 255
}

# called by dracut
depends()
{
	echo dm rootfs-block
}

# called by dracut
installkernel()
{
	[[ -z $(/usr/lib/ssdup/initrd-names) ]] ||
		hostonly='' instmods dm-ssdup crc32c_generic crc32c_intel
}

# called by dracut
install()
{
	inst_multiple ssdup dmsetup modprobe
	inst_rules 55-dm.rules 60-persistent-storage-dm.rules 95-dm-notify.rules 63-ssdup.rules
	inst_simple /lib/udev/ssdup-assemble
	! dracut_module_included systemd || inst_multiple systemd-escape
	inst_simple /etc/ssduptab
	# a log of this machine is known by it
	if grep -qx '[0-9a-f]\{32\}' /etc/machine-id 2>/dev/null; then
		inst_simple /etc/machine-id /etc/ssdup-host
	else
		dwarn "ssdup: no machine-id: after a crash a log may seem to be another host's"
	fi
	/usr/lib/ssdup/initrd-names >"$initdir/etc/ssdup-initrd"
	inst_hook initqueue/settled 30 "$moddir/ssdup-make.sh"
	inst_hook pre-udev 30 "$moddir/ssdup-wait.sh"
}
