#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The oracle of the power cuts sees what is lost when the disks ignore FLUSH.
# invariant: none
# time: virtual
# seconds: 600
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

must modprobe dm-ssdup
dmesg -n 1
must_not cuts drop_flush=1 0 8 >"$T/cuts"
cat "$T/cuts"
above "cases that lost something" "$(grep -c '^FAIL seed' "$T/cuts")" 2
above "histories of sectors" "$(grep -c 'its versions, newest first' "$T/cuts")" 2
