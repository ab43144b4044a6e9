#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# dracut, before udev: the devices to wait for. The bare HDD holds the same file
# system as / but an old state of it, so nobody is to look for that before.

if ! getarg ssdup=off >/dev/null; then
	while read -r name; do
		wait_for_dev "/dev/mapper/$name"
	done </etc/ssdup-initrd
fi
