#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The power goes at each step of a log on three SSDs, and at random moments of loads on two and on
# three of them, each with a cache of its own: nothing is lost that was promised, and a new log is
# there as a whole, or is made again.
# invariant: 2 3 4
# time: virtual
# seconds: 900
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

cuts_test ssds=3 steps=1 0 80
above "cuts at steps" "$(cuts_seen)" 79
cuts=0
for profile in 0 1 2 3 4 5; do
	cuts_test ssds=$((2 + profile % 2)) profile=$profile $((profile * 100)) 8
	cuts=$((cuts + $(cuts_seen)))
done
above "cuts" $cuts 60
# open segments on several of them
cuts_test ssds=3 classes=1 3000 10
