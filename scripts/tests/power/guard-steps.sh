#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The power goes at each step of closing and of opening the guard, with what else is under way:
# nothing is lost that was promised, and the HDD is taken for what it is.
# invariant: 2 11
# time: virtual
# seconds: 600
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

cuts_test guard=1 1000 "${1:-240}"
above "cuts" "$(cuts_seen)" 200
