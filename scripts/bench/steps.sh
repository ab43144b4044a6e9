# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
#
# Steps of the bench's workloads that are more than a burst; sourced by guest.sh.

# step_streams - from here on note the verdicts on streams; step_percentage sums up
step_streams()
{
	echo 1 >/sys/kernel/tracing/events/ssdup/ssdup_stream/enable
	echo >/sys/kernel/tracing/trace
}

# step_percentage - mean random percentage of the streams, in 1/10000
step_percentage()
{
	local mean

	mean=$(awk -F'percentage ' '/ssdup_stream:/ { sum += $2; n++ }
		END { print n ? int(sum / n) : 0 }' /sys/kernel/tracing/trace)
	echo 0 >/sys/kernel/tracing/events/ssdup/ssdup_stream/enable
	add percentage_1e4 "$mean"
}

# available_kb - memory that can still be had
available_kb()
{
	awk '/^MemAvailable/ { print $2 }' /proc/meminfo
}

# step_prefill - all memory that the disks may need is taken, and some to spare
step_prefill()
{
	local disk

	for _ in 1 2; do
		for disk in $hdd $ssd; do
			dd if=/dev/zero of="$disk" bs=1M oflag=direct status=none 2>/dev/null || true
		done
	done
	free_before=$(free_kib)
	memory_before=$(available_kb)
}

# step_memory OPTION... - a burst, the least memory left during it, and what is held
# after it
step_memory()
{
	local now least watcher

	(
		least=$(available_kb)
		trap 'echo "$least" >/tmp/least; exit' TERM
		while :; do
			now=$(available_kb)
			[ "$now" -ge "$least" ] || least=$now
			sleep 0.02
		done
	) &
	watcher=$!
	step_burst "$@"
	least=$(available_kb)
	kill $watcher
	wait $watcher || true
	now=$(</tmp/least)
	[ "$now" -ge "$least" ] || least=$now
	add memory_kb $((memory_before - least))
	add held_kb $((free_before - $(free_kib)))
	add ssd_written $(($(model mssd0 bytes_written)))
}

# step_during OPTION... - others at work while the system is drained, and again
# when it is quiet
step_during()
{
	local drain kind

	system_drain "$system" &
	drain=$!
	sleep 0.1
	kind=$(burst "$@" "$device")
	add during "$kind"
	wait $drain
	sleep 1
	kind=$(burst "$@" "$device")
	add quiet "$kind"
}

# settle - everything is on the hard disk, and the system is as before
settle()
{
	case $system in
	bcache)
		echo 0 >"$bcache/writeback_percent"
		wait_until grep -q clean "$bcache/state"
		;;
	*) system_drain "$system" ;;
	esac
}

# settle_disks - the same, and the hard disk has emptied its cache: else the arm would have to go back
settle_disks()
{
	settle
	wait_until cache_is_empty
}

cache_is_empty()
{
	[ "$(model mhdd0 cached_bytes)" = 0 ]
}

# step_back OPTION... - all is written back, and then read
step_back()
{
	settle
	echo 1 >/sys/block/mhdd0/model/reset
	echo 1 >/sys/block/mssd0/model/reset
	rm -f "$state"
	line=$(burst --reads 100 "$@" "$device")
	add hdd_ops "$(model mhdd0 operations)"
	add ssd_read "$(model mssd0 bytes_read)"
}

# step_beside OPTION... - it is read while it is written back
step_beside()
{
	local drain

	rm -f "$state"
	settle &
	drain=$!
	line=$(burst --reads 100 "$@" "$device")
	wait $drain
}

# step_files N TIMES - N thousand small files are made on a fresh ext4, written back, and looked for
# so often, each time with cold caches; the last time counts
step_files()
{
	local dir begin ms look

	head -c 300000 /dev/urandom >/tmp/blob
	mkfs.ext4 -q -E lazy_itable_init=1 -N $(($1 * 1100 + 1000)) "$device"
	mkdir -p /mnt/files
	mount -t ext4 -o noatime "$device" /mnt/files
	for ((dir = 0; dir < $1; dir++)); do
		mkdir "/mnt/files/$dir"
		split -a 3 -b 300 /tmp/blob "/mnt/files/$dir/f-"
	done
	umount /mnt/files
	settle
	for ((look = 0; look < $2; look++)); do
		mount -t ext4 -o noatime "$device" /mnt/files
		echo 3 >/proc/sys/vm/drop_caches
		begin=$(now_ms)
		ls -lR /mnt/files >/tmp/found
		ms=$(($(now_ms) - begin))
		umount /mnt/files
	done
	line="{\"pattern\":\"files\",\"bytes\":0,\"start_ms\":$begin,\"ms\":$ms,\"mb_s\":0,\"requests\":$(grep -c f- /tmp/found)}"
	rm /tmp/found /tmp/blob
}

# step_hot PASSES - 16 readers of 4 KiB, of which few places get most, so often on what was written
# back; the last time counts
step_hot()
{
	local pass

	settle
	for ((pass = 0; pass < $1; pass++)); do
		echo 1 >/sys/block/mhdd0/model/reset
		fio --name=hot --filename="$device" --rw=randread --bs=4k --ioengine=psync --thread \
			--numjobs=16 --io_size=4m --size=900m --group_reporting --direct=1 \
			--random_distribution=zipf:1.1 --randseed="$pass" --allrandrepeat=1 \
			--output-format=terse --terse-version=3 >/tmp/hot
	done
	line=$(fio_line </tmp/hot)
	rm -f "$state"
	add hdd_ops "$(model mhdd0 operations)"
}

# step_ordered READERS KIB SCHEDULER [MB] - they read in order, directly, or through the page cache,
# which reads so much ahead, on a hard disk with that scheduler; 1024 MB, or so many
step_ordered()
{
	local queue part=$((${4:-1024} / $1))

	queue=/sys/dev/block/$(stat -c '%Hr:%Lr' "$(readlink -f "$device")")/queue
	echo "$2" >"$queue/read_ahead_kb"
	echo "$3" >/sys/block/mhdd0/queue/scheduler
	echo 3 >/proc/sys/vm/drop_caches
	fio --name=stream --filename="$device" --rw=read --bs=64k --ioengine=psync --thread \
		--numjobs="$1" --offset_increment="${part}m" --size="${part}m" --group_reporting \
		--direct=$(($2 == 0)) \
		--output-format=terse --terse-version=3 >/tmp/streams
	line=$(fio_line </tmp/streams)
	add hdd_seeks "$(model mhdd0 seeks)"
}

# step_in-order READERS MB - all is written back, and then read in order through the page cache
step_in-order()
{
	settle_disks
	rm -f "$state"
	echo 1 >/sys/block/mhdd0/model/reset
	step_ordered "$1" 128 none "$2"
}

# mpi KIND PROCESSES OPERATION FIRST-MB MB OPTION... - fio as one of the programs of the LiU paper.
# io-test: in each round the processes take 64 KiB each, side by side. ior: each has a part for
# itself, which it takes in order, 64 KiB at a time. bt: as io-test, with 8 KiB
mpi()
{
	local kib=64 options

	[ "$1" != bt ] || kib=8
	case $1 in
	ior) options="--rw=$3 --offset_increment=$(($5 / $2))m --size=$(($5 / $2))m" ;;
	*) options="--rw=$3:$((kib * ($2 - 1)))k --offset_increment=${kib}k --size=$5m" ;;
	esac
	# shellcheck disable=SC2086 # words
	${exec:-} fio --name=mpi --filename="$device" --bs=${kib}k --numjobs="$2" --offset="$4m" $options \
		--io_size=$(($5 * 1024 / $2 / kib * kib))k --ioengine=psync --thread \
		--group_reporting --output-format=terse --terse-version=3 "${@:6}"
}

# step_mpi KIND PROCESSES MB KIB [OTHER] - it writes so much; when that is written back it is read,
# while OTHER reads another part, if there is one. The page cache reads so much ahead; 0: directly
step_mpi()
{
	local queue begin other='' ended=0

	queue=/sys/dev/block/$(stat -c '%Hr:%Lr' "$(readlink -f "$device")")/queue
	begin=$(now_ms)
	mpi "$1" "$2" write 0 "$3" --direct=1 >/tmp/mpi
	add write_ms $(($(now_ms) - begin))
	[ ! "${5:-}" ] || mpi "$5" "$2" write 512 "$3" --direct=1 >/tmp/other
	settle_disks
	rm -f "$state"
	echo 1 >/sys/block/mhdd0/model/reset
	echo "$4" >"$queue/read_ahead_kb"
	echo 3 >/proc/sys/vm/drop_caches
	if [ "${5:-}" ]; then
		# so that it can be killed
		exec="exec" mpi "$5" "$2" read 512 "$3" --direct=$(($4 == 0)) --time_based \
			--runtime=1000 >/tmp/other &
		other=$!
	fi
	mpi "$1" "$2" read 0 "$3" --direct=$(($4 == 0)) >/tmp/mpi
	if [ "$other" ]; then
		# it must be at work until here: fio says 128 when it was killed
		kill $other
		wait $other || ended=$?
		[ $ended = 128 ]
	fi
	line=$(fio_line </tmp/mpi)
	add hdd_seeks "$(model mhdd0 seeks)"
}

# step_aside OPTION... - others at work beside the burst that follows; step_join has
# what they have done
step_aside()
{
	burst "$@" "$device" >/tmp/aside &
	aside=$!
}

# step_reader OPTION... - the same, who reads in order, with fio's options
step_reader()
{
	fio --name=reader --filename="$device" --rw=read --direct=1 --ioengine=libaio --thread \
		--time_based --output-format=terse --terse-version=3 "$@" >/tmp/reader &
	aside=$!
}

# step_join - the end of those at work beside the burst
step_join()
{
	wait "$aside"
	[ ! -e /tmp/reader ] || fio_line </tmp/reader >/tmp/aside
	add aside "$(</tmp/aside)"
	rm -f /tmp/reader /tmp/aside
}

# fio_line - the figures of fio's terse line that "burst" has too
fio_line()
{
	awk -F';' '{
		for (i = 18; i <= 37; i++) {
			split($i, at, "%=")
			us[at[1] + 0] = at[2]
		}
		printf "{\"mb_s\":%.1f,\"requests\":%d,\"ms\":%d", $7 * 1.024 / 1000,
			$8 * $9 / 1000, $9
		printf ",\"p50_us\":%d,\"p99_us\":%d,\"max_us\":%d}\n", us[50], us[99], $15
	}'
}

# step_restart - the device goes, and comes again with what it holds
step_restart()
{
	local table begin

	table=$(dmsetup table "$name")
	system_remove "$system"
	echo 1 >/sys/block/mssd0/model/reset
	begin=$(date +%s%N)
	dmsetup create "$name" --table "$table"
	add restart_us $((($(date +%s%N) - begin) / 1000))
	add restart_read $(($(model mssd0 bytes_read)))
}

# make_archive - a tree of small files as /tmp/tree.tar
make_archive()
{
	local dir i

	[ ! -e /tmp/tree.tar ] || return 0
	head -c 4194304 /dev/urandom >/tmp/blob
	for dir in {1..20}; do
		mkdir -p "/tmp/tree/$dir"
		i=$((dir * 4096))
		dd if=/tmp/blob of=/tmp/part bs=64k iflag=skip_bytes,count_bytes \
			skip=$i count=$((dir * 65536)) status=none
		split -a 3 -b $((dir * 1024 + 500)) /tmp/part "/tmp/tree/$dir/f-"
	done
	tar -cf /tmp/tree.tar -C /tmp tree
	rm -rf /tmp/tree /tmp/part
}

# step_untar - unpack a tree onto a fresh ext4, and sync
step_untar()
{
	local begin ms bytes

	make_archive
	mkfs.ext4 -q -E lazy_itable_init=1 "$device"
	mkdir -p /mnt/untar
	mount -t ext4 "$device" /mnt/untar
	begin=$(now_ms)
	tar -xf /tmp/tree.tar -C /mnt/untar
	sync
	ms=$(($(now_ms) - begin))
	bytes=$(stat -c %s /tmp/tree.tar)
	umount /mnt/untar
	line="{\"pattern\":\"untar\",\"bytes\":$bytes,\"start_ms\":$begin,\"ms\":$ms,\"mb_s\":$(awk \
		-v b="$bytes" -v ms=$ms 'BEGIN { printf "%.1f", b / 1000 / ms }')}"
}

# step_staging OPTION... - a burst, and how much its readers disturb its writers: the mean and the
# most of R, in 1/10000
step_staging()
{
	local file=${stats:-}/ssd_interference_1e4 watcher r

	if [ ! -e "$file" ]; then
		step_burst "$@"
		return
	fi
	rm -f /tmp/interference
	(
		trap 'exit 0' TERM
		while cat "$file" >>/tmp/interference; do
			sleep 0.1
		done
	) &
	watcher=$!
	step_burst "$@"
	kill $watcher
	wait $watcher
	r=$(awk '{ sum += $1; if ($1 > most) most = $1 } END { print int(sum / NR), most }' \
		/tmp/interference)
	add interference_1e4 "${r% *}"
	add interference_most_1e4 "${r#* }"
}
