#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The key ssd_budget: the SSD gets no more than the account has earned, and what overlaps the
# log. All that is written there is counted. A reload goes on with the account.
# invariant: none
# time: virtual
# seconds: 900
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

DAY=2160	# MiB a day: 512 sectors in ten seconds

# on_ssd - sectors that were written to the SSD
on_ssd()
{
	echo $(($(model $SSD bytes_written) / 512))
}

# random_writes START - of 4 KiB, which gain most by the SSD; 32000 sectors
random_writes()
{
	io random start="$1" len=$((64 * 2048)) bs=8 nr=4000 depth=32
}

# expect_counted - what the status says of the SSD is what it got
expect_counted()
{
	message commit
	is "all that was written to the SSD" "$(stat ssd_written_sectors)" $(($(on_ssd) - before))
}

# a new account is empty
slow_disks hdd_size_mb=512 ssd_size_mb=100
before=$(on_ssd)
make_ssdup ssd_budget 0.01dwpd drain manual
is "table" "$(dmsetup table $NAME | cut -d' ' -f6-)" "4 drain manual ssd_budget 0.010dwpd"
random_writes 0
is "data to the SSD" "$(stat write_sectors_ssd)" 0
below "left" "$(stat ssd_left_sectors)" 10
ssdup status $NAME >"$T/words"
grep -qE "budget: +.* left for the SSD, ssd_budget 0.010dwpd" "$T/words" || fail "no budget in the status"
expect_counted
remove_ssdup

# eight minutes of it are less than what is offered, and the last of it is kept
before=$(on_ssd)
make_ssdup ssd_budget ${DAY}M drain manual
nap 480
left=$(stat ssd_left_sectors)
above "left" "$left" 24500
random_writes $((64 * 2048))
above "data to the SSD" "$(stat write_sectors_ssd)" 4000
# some overlap the log, and go there whatever is left; and a little was earned meanwhile
below "data to the SSD" "$(stat ssd_written_sectors)" $((left + left / 20))
above "data to the HDD" "$(stat write_sectors_hdd)" 4000
expect_counted

# what overlaps the log goes there, whatever is left
knob ssd_budget 1M
nap 0.01
message clear_stats
random_writes $((64 * 2048))
above "data to the SSD" "$(stat write_sectors_ssd)" 4000
is "left" "$(stat ssd_left_sectors)" 0
expect_counted

# it was not earned, so it is owed, to the next table as well
reload ssd_budget ${DAY}M drain manual
nap 10
is "left in debt" "$(stat ssd_left_sectors)" 0
# after a while without a budget it begins anew
knob ssd_budget 0
knob ssd_budget ${DAY}M
is "left of a new account" "$(stat ssd_left_sectors)" 0
nap 10
above "left after ten seconds" "$(stat ssd_left_sectors)" 500
all_home
