# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Functions of burst_buffer.lua as slurmctld calls them, for tests; behind lib.sh. SLURM has
# the table of settings, SLURM_LOG gets what is logged, SLURM_OUT what is returned.

export SLURM='' SLURM_LOG=$T/slurm.log
SLURM_OUT=$T/slurm

# slurm FUNCTION ARGUMENT... - its code and message to SLURM_OUT
slurm()
{
	lua5.1 - "$@" >"$SLURM_OUT" <<-'EOF' || fail "slurm $*: $(cat "$SLURM_OUT")"
		local function log(...)
			local file = io.open(os.getenv("SLURM_LOG"), "a")

			file:write(string.format(...), "\n")
			file:close()
		end
		slurm = { SUCCESS = 0, ERROR = -1, log_info = log, log_error = log }
		ssdup_conf = loadstring("return {" .. os.getenv("SLURM") .. "}")()
		dofile("/ssdup/examples/burst_buffer.lua")
		for _, name in ipairs({ "job_process", "pools", "job_teardown", "setup", "data_in",
				"real_size", "paths", "pre_run", "post_run", "data_out", "get_status" }) do
			assert(type(_G["slurm_bb_" .. name]) == "function", name)
		end
		local answer = { n = 0 }
		local function keep(...) answer = { n = select("#", ...), ... } end
		keep(_G["slurm_bb_" .. arg[1]](unpack(arg, 2)))
		-- it takes a second value that is no string for an error
		assert(answer.n == 1 or type(answer[2]) == "string", "a second value of nil")
		print(answer[1], answer[2])
	EOF
}

# slurm_is TEXT FUNCTION ARGUMENT...
slurm_is()
{
	local text=$1

	shift
	slurm "$@"
	grep -q -- "$text" "$SLURM_OUT" || fail "slurm $*: $(cat "$SLURM_OUT")"
}
