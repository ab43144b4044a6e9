#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The power goes at every step of formatting, loading, committing, sealing,
# draining, freeing and suspending: nothing is lost that was promised.
# invariant: 2 3 4
# time: virtual
# seconds: 600
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

cuts_test steps=1 0 80
# and 43 has more than 120
above "cuts" "$(cuts_seen)" 79
