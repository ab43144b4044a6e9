#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# dracut, each time udev has settled: make what can be made.

if ! getarg ssdup=off >/dev/null; then
	while read -r name; do
		[ -e "/dev/mapper/$name" ] && continue
		ssdup tab --ready "$name" || continue
		ssdup create --tab "$name" </dev/null
	done </etc/ssdup-initrd
fi
