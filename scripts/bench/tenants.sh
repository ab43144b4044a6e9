# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
#
# The step of group "tenants", sourced by guest.sh: tenants share an SSD, or several that are
# striped.  Each has a share of it, writes files there and deletes the oldest ones.  The systems:
#
#	files	 ext4 on the bare SSD: one for all, or with streams one for each tenant.  A file
#		 is read before it is deleted, as a stage-out does
#	logs	 a device of dm-ssdup for each tenant, with a log on its share of the SSD
#	classes	 one device, and a class for each tenant: the last one's is drained soon, the
#		 others late.  With streams its log is on the SSD itself, since device mapper
#		 hands none on

FILE_MB=2
# A tenant's files take so much of its share, and it writes so many at once.
USED_PERCENT=70
WRITERS=2
# The SSDs are written so often, in quarters of their size, before they are measured and then.
WARM=7
MEASURED=3

# share NAME START-MB MB - a part of the SSDs that this tenant has
share()
{
	local ssd on=()

	for ssd in "${mine[@]}"; do
		on+=("/dev/$ssd" $(($2 * 2048 / ${#mine[@]})))
	done
	dmsetup create "share$1" --table "0 $(($3 * 2048)) striped ${#mine[@]} 1024 ${on[*]}"
	zero_ends "/dev/mapper/share$1"
}

# stream NUMBER START-MB MB - what is written to this part is a stream
stream()
{
	local ssd

	for ssd in "${mine[@]}"; do
		echo $(($2 * 2048 / ${#mine[@]})) $(($3 * 2048 / ${#mine[@]})) "$1" \
			>"/sys/block/$ssd/ftl/stream_ranges"
	done
}

# mount_share NAME - without a journal, so that what is deleted is free at once
mount_share()
{
	local option=defaults

	[ "$discard" = off ] || option=discard
	mkfs.ext4 -q -O ^has_journal -E nodiscard,lazy_itable_init=1 "/dev/mapper/share$1"
	mkdir -p "/mnt/$1"
	mount -t ext4 -o $option "/dev/mapper/share$1" "/mnt/$1"
}

# log_share NAME START-MB MB [KEY VALUE]... - a device of the same size over it, or over $bare
log_share()
{
	dmsetup create "hdd$1" --table "0 $(($3 * 2048)) linear $hdd $((home * 2048))"
	home=$((home + $3))
	dmsetup create "log$1" --table "0 $(($3 * 2048)) ssdup /dev/mapper/hdd$1 \
${bare:-/dev/mapper/share$1} $(($# + 3)) policy all full block discard $discard ${*:4}"
}

# tenant NUMBER START-MB MB - what it has of its own, and in $where and $base where it writes
tenant()
{
	where=/mnt/all/$1 base=0
	case $system/$streams in
	files/1) mkdir "$where"; return ;;
	classes/*)
		where=/dev/mapper/logall base=$2
		[ "$1" = $((tenants - 1)) ] ||
			dmsetup message logall 0 class "t$1" $(($2 * 2048)) $(($3 * 2048))
		return
		;;
	esac
	share "$@"
	case $streams/$mapping in
	1/*) ;;
	*/unlike) stream $((1 + ($1 + $1 / streams) % streams)) "$2" "$3" ;;
	*) stream $((1 + $1 % streams)) "$2" "$3" ;;
	esac
	case $system in
	files) mount_share "$1"; where=/mnt/$1 ;;
	logs) log_share "$@"; where=/dev/mapper/log$1 ;;
	esac
}

# copy OPTION... - in requests of 64 KiB
copy()
{
	dd bs=64k count=$((16 * FILE_MB)) status=none "$@"
}

# writer WHERE BASE FIRST LAST - files of these numbers, again and again: a line with the end and
# the microseconds of each
writer()
{
	local where=$1 base=$2 i begin

	for ((i = $3; ; i = i < $4 ? i + 1 : $3)); do
		[ ! -e /tmp/files/stop ] || return 0
		if [ -d "$where" ]; then
			if [ -s "$where/$i" ]; then
				copy if="$where/$i" of=/dev/null iflag=direct
				: >"$where/$i"
			fi
			begin=${EPOCHREALTIME/./}
			copy if=/dev/zero of="$where/$i" oflag=direct
		else
			[ "$system" = logs ] || blkdiscard -f -o $(((base + i * FILE_MB) << 20)) \
				-l $((FILE_MB << 20)) "$where" 2>/dev/null
			begin=${EPOCHREALTIME/./}
			copy if=/dev/zero of="$where" seek=$((16 * (base + FILE_MB * i))) oflag=direct
		fi
		echo "${EPOCHREALTIME/./} $((${EPOCHREALTIME/./} - begin))"
	done
}

# ftl COUNTER - the sum over the SSDs, in $sum: a fork takes as long as a write
ftl()
{
	local ssd bytes

	sum=0
	for ssd in "${ssds[@]}"; do
		read -r bytes <"/sys/block/$ssd/ftl/$1"
		sum=$((sum + bytes))
	done
}

# until_written QUARTERS - of the SSDs' size by the host; $course gets the write amplification of
# each. A writer that fails ends the bench
until_written()
{
	local i host job nand sum

	for ((i = 1; i <= $1; i++)); do
		ftl nand_bytes
		nand=$sum
		ftl host_bytes
		host=$sum
		while ftl host_bytes; [ "$sum" -lt $((i * all_mb << 18)) ]; do
			for job in "${jobs[@]}"; do
				kill -0 "$job"
			done
			sleep 0.05
		done
		host=$((sum - host))
		ftl nand_bytes
		course+=${course:+,}$((1000 * (sum - nand) / host))
	done
}

# tenants_result BEGIN END - of the files that ended between, and of the SSDs since their reset
tenants_result()
{
	local i sum ms=$((($2 - $1) / 1000))

	line="{$(cat /tmp/files/[0-9]* | awk -v begin="$1" -v end="$2" \
		'$1 > begin && $1 <= end { print $2 }' | sort -n | awk -v ms=$ms -v mb=$FILE_MB '
		{ us[NR] = $1 }
		END {
			printf "\"mb_s\":%.1f,\"p50_us\":%d,\"p99_us\":%d,\"max_us\":%d",
				NR * mb * 1048.576 / ms, us[int((NR + 1) / 2)], us[int(NR * 0.99 + 1)], us[NR]
		}'),\"ms\":$ms}"
	for i in host nand copied erased discarded; do
		ftl ${i}_bytes
		add ssd_$i "$sum"
	done
	add ssd_read_p99_us "$(cat /sys/block/mssd*/ftl/read_latency | sort -rn | awk '
		{ ns[NR] = $1; nr[NR] = $2; all += $2 }
		END {
			for (i = 1; i <= NR && sum <= all / 100; i++)
				sum += nr[i]
			print int(ns[i - 1] / 1000)
		}')"
}

# tenants_remove - the disks are free again
tenants_remove()
{
	local at kind

	[ "$system" != files ] || for at in /mnt/*; do
		umount "$at"
		rmdir "$at"
	done
	for kind in log hdd share; do
		for at in "/dev/mapper/$kind"*; do
			[ ! -b "$at" ] || dmsetup remove --retry "$at"
		done
	done
}

# step_tenants TENANTS STREAMS MAPPING DISCARD - a stream has tenants of "alike" or "unlike" lives;
# or each tenant is on one SSD, where it has a stream of its own: "pools"
step_tenants()
{
	local tenants=$1 streams=$2 mapping=$3 discard=$4 ssds mine all_mb course='' i j start=0 mb unit
	local where base files writers=() jobs=() names='' begin end home=0 bare=''

	ssds=(/sys/block/mssd*)
	ssds=("${ssds[@]##*/}")
	mine=("${ssds[@]}")
	all_mb=$((${#ssds[@]} * ssd_mb))
	# shares of 1 2 3 4, again and again
	unit=$((all_mb * 4 / 10 / tenants))
	[ "$discard" = off ] || for i in "${ssds[@]}"; do
		blkdiscard "/dev/$i"
	done
	case $system/$streams in
	files/1) share all 0 $all_mb; mount_share all ;;
	classes/*)
		if [ "$streams" = 1 ]; then share all 0 $all_mb; else bare=/dev/${ssds[0]}; fi
		[ -z "$bare" ] || zero_ends "$bare"
		for ((i = 0; i < tenants - 1; i++)); do
			names+="${names:++}t$i:late"
		done
		log_share all 0 $all_mb classes "$names"
		;;
	esac
	rm -rf /tmp/files
	mkdir /tmp/files
	for ((i = 0; i < tenants; i++)); do
		mb=$((unit * (i % 4 + 1)))
		if [ "$mapping" = pools ]; then
			# Four users take turns.  By Algorithm 2 their first jobs find idle pools,
			# and each later one the next pool that has no job of its user.
			mine=("${ssds[(i + i / 4) % 4]}")
			start=$((unit * (i % 4) * (i % 4 + 1) / 2))
		fi
		tenant $i $start $mb
		files=$((mb * USED_PERCENT / 100 / FILE_MB / WRITERS))
		for ((j = 0; j < WRITERS; j++)); do
			writers+=("$where $base $((j * files)) $((j * files + files - 1))")
		done
		start=$((start + mb))
	done
	for i in "${!writers[@]}"; do
		# shellcheck disable=SC2086 # words
		writer ${writers[i]} >/tmp/files/$i &
		jobs+=($!)
	done
	until_written $WARM
	for i in "${ssds[@]}"; do
		echo 1 >"/sys/block/$i/model/reset"
	done
	begin=${EPOCHREALTIME/./}
	until_written $MEASURED
	end=${EPOCHREALTIME/./}
	touch /tmp/files/stop
	wait "${jobs[@]}"
	[ -z "$bare" ] || [ "$(grep -cv '^0 ' "/sys/block/${ssds[0]}/model/stream_bytes")" = "$streams" ] ||
		die "the writes name no $streams streams"
	tenants_result "$begin" "$end"
	add waf_course "[$course]"
	tenants_remove
}
