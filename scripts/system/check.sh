# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # for those who source this
#
# How scripts/test-system checks, on the host and in the machine alike.

failed=0

# check NAME COMMAND... - a line "ok NAME"; or "FAIL NAME" and what it printed, status 1
check()
{
	local name=$1 output rc=0

	shift
	output=$("$@" 2>&1) || rc=$?
	if [ $rc = 0 ]; then
		echo "ok $name"
		return
	fi
	failed=1
	echo "FAIL $name"
	echo "    status $rc: $*"
	tail -n 40 <<<"$output" | sed 's/^/    /'
	return 1
}

# fails COMMAND... - it does
fails()
{
	! "$@"
}
