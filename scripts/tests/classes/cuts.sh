#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The power goes while new data gets one class and then another, by messages for all
# data or for ranges, and writes overlap what two classes hold: nothing is lost that
# was promised.
# invariant: 2 3
# time: virtual
# seconds: 600
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

cuts=0
for profile in 0 1 2 3 4; do
	cuts_test classes=1 profile=$profile $((profile * 100 + 50)) 6
	cuts=$((cuts + $(cuts_seen)))
done
above "cuts" $cuts 60
# at each step, too
cuts_test classes=1 steps=1 0 150
