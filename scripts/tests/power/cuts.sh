#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The power goes at random moments of loads with several writers over both routes,
# and again while the device recovers: nothing is lost that was promised. The disks
# tear in all the ways they can.
# invariant: 2 3
# time: virtual
# seconds: 600
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

cuts=0 thrice=0
for profile in 0 1 2 3 4 5; do
	cuts_test profile=$profile $((profile * 100)) 13
	read -r _ _ _ _ _ _ _ n3 _ < <(tail -n 1 "$T/cuts")
	cuts=$((cuts + $(cuts_seen))) thrice=$((thrice + n3))
done
above "cuts" $cuts 120
above "cases with three cuts in a row" $thrice 4
