#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Policy none logs nothing, policy all logs everything; the stream does not matter.
# invariant: none
# kernels: 6.12 6.1
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

make_disks
make_ssdup policy none
io random bs=8 nr=300 seed=1
io write len=16384 bs=512
is "writes logged by none" "$(stat writes_ssd)" 0
is "sectors logged by none" "$(stat write_sectors_ssd)" 0
above "direct writes" "$(stat writes_hdd)" 300
is "dirty sectors" "$(stat dirty_sectors)" 0
io verify
io_on $HDD verify
is "reads from the SSD" "$(stat reads_ssd)" 0
above "reads from the HDD" "$(stat reads_hdd)" 0
remove_ssdup

make_ssdup policy all drain manual
io random bs=8 nr=300 seed=2
io write start=32768 len=8192 bs=8
is "direct writes of all" "$(stat writes_hdd)" 0
is "logged writes" "$(stat writes_ssd)" $((300 + 8192 / 8))
is "logged sectors" "$(stat write_sectors_ssd)" $((300 * 8 + 8192))
io verify
above "reads from the SSD" "$(stat reads_ssd)" 0
all_home
above "sectors drained" "$(stat drained_sectors)" 8192
