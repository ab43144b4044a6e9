#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The power goes while ssd_budget decides where writes go, and changes, some of the time
# with classes: nothing is lost that was promised.
# invariant: 2 3
# time: virtual
# seconds: 300
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

cuts=0
for profile in 0 1 4; do
	cuts_test budget=1 classes=$((profile % 2)) profile=$profile $((profile * 100 + 20)) 10
	cuts=$((cuts + $(cuts_seen)))
done
above "cuts" $cuts 60
