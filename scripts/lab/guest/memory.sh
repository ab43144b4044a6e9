# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# How much memory something takes, in the guest; to be sourced.

# free_kib - memory that nobody has, with all caches dropped; processors keep some
# of it at hand
free_kib()
{
	echo 3 >/proc/sys/vm/drop_caches
	sleep 0.5
	awk '$1 == "nr_free_pages" || $1 == "count:" { pages += $2 }
		END { print pages * 4 }' /proc/zoneinfo
}
