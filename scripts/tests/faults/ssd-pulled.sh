#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# One of three SSDs is pulled while fio writes and verifies. What it held can be neither read nor
# overwritten until it is back; all else is what was written last. When it is back nothing is missing.
# One of two that hold the same is pulled: nothing is refused at all.
# invariant: 7 10
# programs: fio
# time: virtual
# cpus: 4
# seconds: 300
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

SSDS="ssd /dev/mssd1 ssd /dev/mssd2"

# fio_job NAME KEY=VALUE... - 24 MiB at random places, each once; what a disk refuses is counted
# One of the disks' blocks has one place in the log, so what was not durable is old as a whole.
fio_job()
{
	fio --name="$1" --filename=$DEV --bs=4k --size=24m --direct=1 --iodepth=64 --ioengine=libaio \
		--verify=crc32c --verify_fatal=1 --continue_on_error=io --output="$T/$1" "${@:2}" ||
		fail "fio: $(<"$T/$1")"
}

# errors NAME - how many requests of that job were refused
errors()
{
	sed -n 's/.*errors *: *total= *\([0-9]*\),.*/\1/p' "$T/$1"
}

for policy in all balance; do
	slow_disks ssds=3 ssd_size_mb=40 hdd_block_size=4096
	# shellcheck disable=SC2086
	make_ssdup policy $policy autocommit_ms 50 $SSDS
	fio_job first --rw=randwrite --randseed=1 --do_verify=1
	is "refused before" "$(errors first)" 0
	message drain
	# whoever writes while it goes finds it gone, and takes another one
	(
		until [ "$(stat write_sectors_ssd)" -gt 200000 ]; do
			nap 0.01
		done
		model mssd1 gone 1
	) &
	fio_job pulled --rw=randwrite --randseed=2 --loops=12 --do_verify=1
	wait
	above "requests that were refused" "$(errors pulled)" 0
	is "mode" "$(stat mode)" 0
	is "SSDs out" "$(stat ssds_out)" 1
	said "takes no writes any more" || fail "the kernel does not say so"
	# and now that it is gone
	fio_job gone --rw=randwrite --randseed=3 --do_verify=1
	above "refused when it is gone" "$(errors gone)" 0
	remove_ssdup
	model mssd1 gone 0
	# shellcheck disable=SC2086
	make_ssdup policy $policy $SSDS
	is "mode" "$(stat mode)" 0
	fio_job back --rw=read
	is "refused when it is back" "$(errors back)" 0
	message drain
	fio_job home --rw=read
	remove_ssdup
done

for victim in mssd0 mssd2; do
	slow_disks ssds=4 ssd_size_mb=40 hdd_block_size=4096
	make_ssdup policy all autocommit_ms 50 mirror /dev/mssd2 ssd /dev/mssd1 \
		mirror /dev/mssd3
	(
		until [ "$(stat write_sectors_ssd)" -gt 60000 ]; do
			nap 0.01
		done
		model $victim gone 1
	) &
	fio_job mirrored --rw=randwrite --randseed=4 --loops=3 --do_verify=1
	wait
	is "refused" "$(errors mirrored)" 0
	is "mirrors out" "$(stat mirrors_out)" 1
	is "mode" "$(stat mode)$(stat ssds_out)" 00
	# another table, while it is written
	(
		nap 0.05
		reload policy balance autocommit_ms 50 mirror /dev/mssd2 ssd /dev/mssd1 \
			mirror /dev/mssd3
	) &
	fio_job reloaded --rw=randwrite --randseed=5 --loops=2 --do_verify=1
	wait
	is "refused" "$(errors reloaded)" 0
	is "mirrors out" "$(stat mirrors_out)" 1
	remove_ssdup
done
