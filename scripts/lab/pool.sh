# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Jobs side by side, one for each processor, and the count of what they report.
# A job's stdout is a report: lines "ok NAME", "FAIL NAME" and "skip NAME", each
# FAIL followed by indented lines that explain it.

# pool_start - get ready; the reports are kept until pool_finish
pool_start()
{
	POOL=$(mktemp -d "${TMPDIR:-/tmp}/ssdup-pool.XXXXXX")
	POOL_SLOTS=${SSDUP_JOBS:-$(nproc)}
	POOL_BESIDE=()
	POOL_TELLER=''
	trap 'rm -rf "$POOL"' EXIT
	trap 'pool_kill; exit 130' INT TERM HUP
}

# pool_kill - end the jobs that still run
pool_kill()
{
	local pids

	mapfile -t pids < <(jobs -p)
	[ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2>/dev/null || true
	wait 2>/dev/null || true
}

# pool_run COMMAND... - start a job as soon as a processor is free
#
# Reports appear line by line as they come; a line is short enough to be
# written whole.
pool_run()
{
	while [ "$(pool_busy)" -ge "$POOL_SLOTS" ]; do
		wait -n || true
	done
	pool_job "$@" &
}

# pool_beside COMMAND... - start a job at once that takes no processor's place:
# one that sees to it that it does not disturb the others
pool_beside()
{
	pool_job "$@" &
	POOL_BESIDE+=($!)
}

# pool_reported VERDICT - lines of that kind in the reports
pool_reported()
{
	cat "$POOL"/report.* 2>/dev/null | grep -cE "^($1) " || true
}

# pool_progress COUNT - say every now and then how many of about so many tests are done
pool_progress()
{
	say "about $1 tests"
	PROGRESS_SECONDS=${PROGRESS_SECONDS:-60} tell_progress pool_done "$1" &
	POOL_TELLER=$!
	POOL_BESIDE+=($!)
}

# pool_done COUNT - what pool_progress says
pool_done()
{
	echo "$(pool_reported 'ok|FAIL|skip') of about $1 tests done"
}

# pool_busy - the jobs that run, but for those beside
pool_busy()
{
	jobs -rp | grep -cvxF -f <(printf '%s\n' none "${POOL_BESIDE[@]}") || true
}

pool_job()
{
	local report rc=0

	trap - EXIT
	report=$(mktemp "$POOL/report.XXXXXX")
	{ "$@" || rc=$?; echo "$rc" >"$report.rc"; } | tee "$report"
	rc=$(cat "$report.rc" 2>/dev/null || echo 1)
	rm -f "$report.rc"
	# a job that dies without a word must not pass for one that found nothing
	if [ "$rc" != 0 ] && ! grep -q '^FAIL ' "$report"; then
		echo "FAIL $* (status $rc)" | tee -a "$report"
	fi
}

# pool_finish - wait for all jobs, print the count as the last line; status 1
# when something failed or nothing ran
pool_finish()
{
	local passed failed skipped pids

	mapfile -t pids < <(jobs -p | grep -vxF -e "${POOL_TELLER:-none}")
	[ ${#pids[@]} = 0 ] || wait "${pids[@]}" || true
	[ -z "$POOL_TELLER" ] || kill "$POOL_TELLER" 2>/dev/null || true
	wait
	passed=$(pool_reported ok)
	failed=$(pool_reported FAIL)
	skipped=$(pool_reported skip)
	if [ "$failed" != 0 ]; then
		echo "failed:"
		cat "$POOL"/report.* | sed -n 's/^FAIL /    /p'
	fi
	if [ "$skipped" = 0 ]; then
		echo "$passed passed, $failed failed"
	else
		echo "$passed passed, $failed failed, $skipped skipped"
	fi
	[ "$failed" = 0 ] && [ "$passed" != 0 ]
}
