# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# The machines of the bench, sourced by run: units are dealt to workers, each of
# which boots one machine after the other.  A machine does several units; when it
# dies, the unit under way has failed and the next machine goes on behind it.

# Units of one machine at most: more save boots, fewer share the work better.
BATCH=12

# prepare - packages, kernels, modules, what the peers need
prepare()
{
	local file

	echo "bench: setting up"
	"$LAB/setup" tools "$kernel"
	"$LAB/modules" "$kernel" >/dev/null
	files=(--file "$(command -v split):/usr/bin/split" --file "$FAMILY:/files/family")
	! grep -q '[|;]\(reader\|ordered\|in-order\|hot\|mpi\) ' "$work/all" || files+=(--program fio)
	if grep -q '|bcache|' "$work/all"; then
		file=$(make_bcache_program) || file=''
		if [ -n "$file" ]; then
			files+=(--file "$file:/usr/bin/make-bcache")
		else
			skip bcache "no package bcache-tools"
		fi
	fi
	writeboost_kernel=''
	if grep -q '|dm-writeboost|' "$work/all"; then
		prepare_writeboost || skip dm-writeboost "Debian's source builds for neither kernel"
	fi
}

# prepare_writeboost - for the bench's kernel, or for 6.1 if it only builds there
prepare_writeboost()
{
	local try

	for try in "$kernel" 6.1; do
		"$LAB/setup" "$try"
		writeboost=$(writeboost_module "$try") || continue
		writeboost_kernel=$try
		"$LAB/modules" "$try" >/dev/null
		[ "$try" = "$kernel" ] || echo "bench: Debian's dm-writeboost does not build for" \
			"$kernel; it is measured on $try"
		return 0
	done
	return 1
}

# version_of PACKAGE ROOT - what was unpacked there
version_of()
{
	cat "$2/.stamps/$1" 2>/dev/null || echo none
}

# write_meta - what was measured on what
write_meta()
{
	local name

	{
		printf '{"source":"%s","form":"%s",\n' "$source" "$form"
		printf '"kernel":"%s","dm-writeboost":"%s on %s","bcache-tools":"%s",\n' \
			"$(kernel_release "$kernel")" \
			"$(version_of dm-writeboost-dkms "$CACHE/dm-writeboost")" \
			"${writeboost_kernel:+$(kernel_release "$writeboost_kernel")}" \
			"$(version_of bcache-tools "$CACHE/bcache-tools")"
		printf '"qemu":"%s"' "$(qemu-system-x86_64 --version | sed -n '1s/.*version //p')"
		cut -d'|' -f4 "$work/all" | sort -u | while read -r name; do
			printf ',\n"disks %s":"%s"' "$name" "$(disk_parameters "$name")"
		done
		echo "}"
	} >"$out/meta.json"
}

# skip SYSTEM REASON - leave out its units, and say so in the results
skip()
{
	echo "bench: skip $1: $2"
	grep -F "|$1|" "$work/all" | while IFS= read -r line; do
		record_fault "$line" "skipped: $2"
	done
	grep -vF "|$1|" "$work/all" >"$work/rest" || true
	mv "$work/rest" "$work/all"
}

# head_of UNIT - how a result of it begins
head_of()
{
	local group workload system disks ssd_mb keys _

	IFS='|' read -r group workload system disks ssd_mb _ keys _ <<<"$1"
	printf '{"group":"%s","workload":"%s","system":"%s","disks":"%s","ssd_mb":%s,"keys":"%s"' \
		"$group" "$workload" "$system" "$disks" "$ssd_mb" "$keys"
}

# forget_measured - leave out as many runs of a unit as the folder has results for
forget_measured()
{
	local unit head
	local -A left=()

	while IFS= read -r unit; do
		head=$(head_of "$unit"),
		[ -n "${left[$head]:-}" ] ||
			left[$head]=$(grep -cF "$head" "$out/results.jsonl" || true)
		[ "${left[$head]}" -gt 0 ] || echo "$unit"
		left[$head]=$((left[$head] - 1))
	done <"$work/all" >"$work/rest"
	mv "$work/rest" "$work/all"
}

# record_fault UNIT REASON - a result for a unit that has none
record_fault()
{
	echo "$(head_of "$1"),\"fault\":\"$2\"}" >>"$out/results.jsonl"
}

# deal - cut the units into batches that one machine can do: same kernel
deal()
{
	local units=$(($(wc -l <"$work/all") / jobs / 2 + 1))

	units=$((units < BATCH ? units : BATCH))
	mkdir "$work/batches"
	grep -vF '|dm-writeboost|' "$work/all" >"$work/ours" || true
	grep -F '|dm-writeboost|' "$work/all" >"$work/boost" || true
	split -a 4 -l "$units" "$work/ours" "$work/batches/$kernel-"
	[ ! -s "$work/boost" ] ||
		split -a 4 -l "$units" "$work/boost" "$work/batches/z-$writeboost_kernel-boost-"
}

# take - the path of a batch nobody else has, or nothing
take()
{
	local batch

	for batch in "$work"/batches/*; do
		if [ -e "$batch" ] && mv "$batch" "$work/taken-$BASHPID-${batch##*/}" 2>/dev/null; then
			echo "$work/taken-$BASHPID-${batch##*/}"
			return
		fi
	done
}

# memory UNITS - megabytes a machine needs: the largest disks, full, and a system
memory()
{
	awk -F'|' '{ m = $5 + $6; if (m > max) max = m } END { print int(max * 1.1) + 1024 }' "$1"
}

# worker - batch after batch
worker()
{
	local batch

	while :; do
		batch=$(take)
		[ -n "$batch" ] || break
		while [ -s "$batch" ]; do
			machine "$batch"
		done
	done
}

# keep_results - each result as it comes, with what was measured and how many seconds
# of this host that took
keep_results()
{
	local line begin=$SECONDS

	while IFS= read -r line; do
		case $line in
		@start*) begin=$SECONDS ;;
		@result*)
			line="${line%\}},\"source\":\"$source\",\"form\":\"$form\",\"host_s\":$((SECONDS - begin))}"
			echo "${line#@result }" >>"$out/results.jsonl"
			echo "$line" >"$work/events"
			;;
		esac
	done
}

# machine UNITS - boot one for these units; what it has done is taken off the file
machine()
{
	local units=$1 on ended extra=()

	on=$(sed -E 's/.*taken-[0-9]+-(z-)?(6\.[0-9]+|newest)-.*/\2/' <<<"$units")
	[[ $units != *-boost-* ]] || extra=(--file "$writeboost")
	cp "$units" "$units.now"
	"$LAB/vm" --kernel "$on" --virtual-time --timeout $((900 * $(wc -l <"$units"))) \
		--mem "$(memory "$units")" --out "$work/out-$BASHPID" \
		--file "$units.now:/files/units" ${files[@]+"${files[@]}"} \
		${extra[@]+"${extra[@]}"} "$BENCH/guest.sh" /files/units 2>"$units.log" |
		tee "$units.output" | keep_results || sed -n '/complained/,$p' "$units.log" | head -n 8 >&2
	ended=$(grep -c '^@result ' "$units.output" || true)
	if [ "$ended" -lt "$(wc -l <"$units")" ]; then
		fault_of "$units" $((ended + 1))
		ended=$((ended + 1))
	fi
	sed -i "1,${ended}d" "$units"
}

# fault_of UNITS N - the Nth unit failed: why, as far as can be seen
fault_of()
{
	local line why

	line=$(sed -n "$2p" "$1")
	why=$({ grep -v '^@' "$1.output"; cat "$1.log"; } | grep -v '^lab: kernel' | tail -n 3 |
		tr -cd '[:alnum:] .:/_\n-' | tr '\n' ' ')
	mkdir -p "$out/faults"
	cat "$1.output" "$1.log" >"$out/faults/$(cut -d'|' -f1-3 <<<"$line" | tr '|' -).log"
	record_fault "$line" "failed: $why"
	echo "@fault $(cut -d'|' -f1-3 <<<"$line"): $why" >"$work/events"
}

# follow ALL - a line for each unit that ends, with the time left
follow()
{
	local all=$1 ended=0 begin now left line

	begin=$(date +%s)
	while IFS= read -r line; do
		ended=$((ended + 1))
		now=$(date +%s)
		left=$(((now - begin) * (all - ended) / ended))
		printf '[%3d/%d, %d:%02d left] %s\n' $ended "$all" $((left / 60)) $((left % 60)) \
			"$(words_of "$line")"
	done
}

# word NAME JSON - of a flat line of JSON
word()
{
	local rest=${2#*\""$1"\":}

	[ "$rest" != "$2" ] || { echo -; return; }
	rest=${rest%%[,\}]*}
	echo "${rest//\"/}"
}

# words_of LINE - a result for people
words_of()
{
	local wrong

	case $1 in
	@fault*) echo "FAIL ${1#@fault }"; return ;;
	esac
	printf '%s %s, %s, SSD %s MB: %s MB/s, p99 %s us, max %s us' \
		"$(word group "$1")" "$(word workload "$1")" "$(word system "$1")" \
		"$(word ssd_mb "$1")" "$(word mb_s "$1")" "$(word p99_us "$1")" \
		"$(word max_us "$1")"
	printf ', drained %s ms, seeks %s' "$(word drained_ms "$1")" "$(word hdd_seeks "$1")"
	wrong=$(word wrong_sectors "$1")
	case $wrong in
	0 | -) ;;
	*) printf ', WRONG: %s sectors' "$wrong" ;;
	esac
}

# bench_run - the whole of it
bench_run()
{
	local i

	mkdir -p "$out"
	[ "$more" = yes ] || rm -rf "$out"/{results.*,faults}
	touch "$out/results.jsonl"
	forget_measured
	[ -s "$work/all" ] || return 0
	SECONDS=0
	source=$(measured_source)
	form=$(short short full)
	prepare
	write_meta
	deal
	mkfifo "$work/events"
	follow "$(wc -l <"$work/all")" <"$work/events" &
	follower=$!
	exec 9>"$work/events"
	for ((i = 0; i < jobs; i++)); do
		worker 9>&- &
		workers+=($!)
	done
	wait "${workers[@]}"
	exec 9>&-
	wait $follower
	times >"$work/times"
	awk -v units="$(wc -l <"$work/all")" -v clock=$SECONDS 'NR == 2 {
		split($1 "m" $2, t, "[ms]+")
		printf "bench: %d units took %d min by the clock, %d min of processor time\n",
			units, clock / 60 + 0.5, (60 * (t[1] + t[3]) + t[2] + t[4]) / 60 + 0.5
	}' "$work/times"
}
