# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What tests read in the superblock of an SSD, see format.rst; behind lib.sh.

# pool_logs - how many logs are on the SSD: the bits that are set, none for only number 0
pool_logs()
{
	local byte nr=0

	dd if="$SSD" bs=4096 count=1 iflag=direct status=none >"$T/superblock"
	for byte in $(od -An -v -tu1 -j224 -N8 "$T/superblock"); do
		for (( ; byte; byte >>= 1)); do
			nr=$((nr + (byte & 1)))
		done
	done
	echo $((nr ? nr : 1))
}
