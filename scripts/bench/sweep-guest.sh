#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Usage (in the guest): sweep-guest.sh UNITS
#
# The part of the sweep that runs in the machine.  A line of UNITS is one of guest.sh's, whose
# group is CONSTANT=VALUE: the constant has that value for this unit alone.

set -euo pipefail
parameters=/sys/module/dm_ssdup/parameters

modprobe dm-mod
modprobe dm-ssdup
while IFS= read -r line <&4; do
	constant=${line%%=*} value=${line%%|*}
	before=$(<"$parameters/$constant")
	echo "${value#*=}" >"$parameters/$constant"
	echo "$line" >/tmp/unit
	"${BASH_SOURCE[0]%/*}/guest.sh" /tmp/unit
	echo "$before" >"$parameters/$constant"
done 4<"$1"
