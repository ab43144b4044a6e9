# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The jobs of pool.py for shell programs, whose jobs are functions: what a job prints is
# its report.

# pool_start - get ready; the reports are kept until pool_finish
pool_start()
{
	POOL=$(mktemp -d "${TMPDIR:-/tmp}/ssdup-pool.XXXXXX")
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
	while [ "$(jobs -rp | wc -l)" -ge "${SSDUP_JOBS:-$(nproc)}" ]; do
		wait -n || true
	done
	pool_job "$@" &
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
	wait
	cat "$POOL"/report.* 2>/dev/null | awk '
	/^ok / { passed++ }
	/^skip / { skipped = ", " ++skips " skipped" }
	sub(/^FAIL /, "    ") { names = names "\n" $0; failed++ }
	END {
		if (failed)
			print "failed:" names
		printf "%d passed, %d failed%s\n", passed, failed, skipped
		exit failed || !passed
	}'
}
