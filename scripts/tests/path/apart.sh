#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# One of two SSDs with flash memory is read, which programs slowly. Within two seconds new data goes to
# the other one alone, and reads are as fast as without writes; 10 s after they have ended both get it
# again. For one reader who waits, but reads little, nothing is left apart.
# invariant: none
# time: virtual
# seconds: 300
# mem: 2048
# programs: fio
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# work NAME OPTION... - fio at the device, until it is killed
work()
{
	fio --name="$1" --filename=$DEV --direct=1 --ioengine=libaio --iodepth=16 \
		--time_based --runtime=600 --output="$T/$1" "${@:2}" &
}

write()
{
	work writer --rw=randwrite --bs=256k --offset=64m --size=900m
	writer=$!
}

# read_parts PART... - a reader of each
read_parts()
{
	local part

	readers=()
	for part in "$@"; do
		work "reader$part" --rw=randread --bs=16k --offset=$((part * 256))k --size=256k
		readers+=($!)
	done
}

end()
{
	kill -INT "$@"
	wait "$@" || :
}

# second - READS of the log in a second, what the first SSD GETS of 1000 bytes written, and the OTHER one
second()
{
	local reads first second

	reads=$(stat reads_ssd)
	first=$(model mssd0 bytes_written)
	second=$(model mssd1 bytes_written)
	sleep 1
	READS=$(($(stat reads_ssd) - reads))
	first=$(($(model mssd0 bytes_written) - first))
	second=$(($(model mssd1 bytes_written) - second))
	GETS=$((1000 * first / (first + second + 1)))
	OTHER=$second
}

make_disks instant=0 hdd_size_mb=1024 ssds=2 ssd_size_mb=769 ssd_ftl=1 ssd_block_kb=64 \
	ssd_rate_mbps=400 ssd_latency_us=60 ssd_dies=4 ssd_die_program_us=4800
make_ssdup policy all drain manual ssd /dev/mssd1
# 256 KiB of each SSD
here=''
there=''
for part in {0..15}; do
	before=$(model mssd0 bytes_written)
	io write start=$((part * 512)) len=512 bs=512
	if [ $(($(model mssd0 bytes_written) - before)) -ge 262144 ]; then
		here=$part
	else
		there=$part
	fi
done
if [ -z "$here" ] || [ -z "$there" ]; then
	fail "all parts are on one SSD"
fi

read_parts "$here"
sleep 1
second
alone=$READS
is "interference without writes" "$(stat ssd_read_interference_1e4)" 10000
end "${readers[@]}"
write
# one who waits, and reads little
work idler --rw=randread --bs=16k --offset=$((here * 256))k --size=256k --rate_iops=50
readers=($!)
sleep 1.5
second
above "interference of few reads" "$(stat ssd_read_interference_1e4)" 16000
above "thousandths of the writes, beside few reads" $GETS 250
end "${readers[@]}"
read_parts "$here"
sleep 2
second
below "thousandths of the writes, left apart" $GETS 20
above "bytes that the other SSD gets meanwhile" $OTHER 20000000
above "reads apart, by thousands" $((1000 * READS / alone)) 900
echo "reads a second: $alone alone, $READS apart"
end "${readers[@]}" $writer
# it is tried again
sleep 11
write
sleep 0.5
second
above "thousandths of the writes, when nobody reads" $GETS 400
end $writer
