-- SPDX-License-Identifier: GPL-2.0-only
--
-- Slurm's burst_buffer/lua with storage nodes whose disks are dm-ssdup devices.
--
-- A job asks for room in the logs, and ends when what it wrote is on the hard disks:
--
--	#BB_LUA pool=ssdup capacity=200G
--
-- - setup: while the job is pending the logs are drained until they have that much room;
-- - data_out: after it has run, everything written so far is brought to the hard disks.
--   If that fails the job stays in stage-out with a reason, and the SSDs keep the data.
--
-- slurm.conf: BurstBufferType=burst_buffer/lua. This file and burst_buffer.conf lie beside
-- it. slurmctld runs what is here on its own node, as the user that it runs as; that
-- user needs to log into the storage nodes by key and may run ssdup there (sudo).
-- Slurm 22.05 uses Lua 5.1; this works with all later ones too.

-- What is to be set: the storage nodes, the name of the device on each, the size of its
-- log in bytes (ssdup_log_size_bytes of "ssdup metrics"), and how to run a command there.
local nodes = { "io1", "io2" }
local device = "burst"
local log_bytes = 400 * 2^30
local remote = "ssh -o BatchMode=yes -o ConnectTimeout=10 %s sudo"

-- For tests, and for sites with files of their own: a table with the same names.
local conf = ssdup_conf or {}
nodes = conf.nodes or nodes
device = conf.device or device
log_bytes = conf.log_bytes or log_bytes
remote = conf.remote or remote

-- Exit codes of ssdup(8) in words, for the job's reason.
local words = {
	[3] = "there is no such device",
	[7] = "interrupted",
	[8] = "the device is degraded, see ssdup status",
}

-- Begin "ssdup ARGUMENTS" on a node.
local function begin(node, arguments)
	local command = remote:gsub("%%s", node) .. " ssdup " .. arguments

	return io.popen("{ " .. command .. " ; } 2>&1 </dev/null; echo \"exit $?\"")
end

-- Its exit code and what it said. The code is taken from the output: close() tells none in
-- Lua 5.1, and nothing where SIGCHLD is ignored.
local function finish(pipe)
	local output = pipe and pipe:read("*a") or ""

	if pipe then
		pipe:close()
	end
	return tonumber(output:match("exit (%d+)%s*$")) or -1, (output:gsub("%s*exit %d+%s*$", ""))
end

-- The same on all nodes at once; the reason is that of the first that fails.
local function everywhere(arguments)
	local pipes, reason = {}, nil

	for i, node in ipairs(nodes) do
		pipes[i] = begin(node, arguments)
	end
	for i, node in ipairs(nodes) do
		local code, output = finish(pipes[i])

		if code ~= 0 then
			local why = string.format("%s: ssdup %s: %s", node, arguments,
						  words[code] or "exit code " .. code)

			slurm.log_error("burst_buffer.lua: %s: %s", why, output)
			reason = reason or why
		end
	end
	-- Slurm takes a second value that is nil for an error.
	if reason then
		return slurm.ERROR, reason
	end
	return slurm.SUCCESS
end

-- Called with locks held: quick, and no word to another node.

function slurm_bb_job_process(job_script, uid, gid)
	return slurm.SUCCESS
end

-- The quantity counts grains.
function slurm_bb_pools()
	return slurm.SUCCESS, string.format(
		'{ "pools": [ { "id": "ssdup", "quantity": %.0f, "granularity": 1048576 } ] }',
		math.floor(log_bytes * #nodes / 2^20))
end

function slurm_bb_paths(job_id, job_script, path_file, uid, gid)
	return slurm.SUCCESS
end

-- Called in a process of their own, which is killed when the time of burst_buffer.conf
-- is up (StageInTimeout, StageOutTimeout). A drain that was begun goes on then.

function slurm_bb_setup(job_id, uid, gid, pool, bb_size, job_script)
	local room = math.ceil((tonumber(bb_size) or 0) / #nodes)

	if room > log_bytes then
		return slurm.ERROR, "no log is that large"
	end
	slurm.log_info("burst_buffer.lua: job %s: room for %.0f bytes on each node", job_id, room)
	return everywhere(string.format("drain %s --quiet --wait-below %.0f", device,
					math.max(log_bytes - room, 1)))
end

function slurm_bb_data_in(job_id, job_script, uid, gid)
	return slurm.SUCCESS
end

function slurm_bb_real_size(job_id, uid, gid)
	return slurm.SUCCESS
end

function slurm_bb_pre_run(job_id, job_script, uid, gid)
	return slurm.SUCCESS
end

function slurm_bb_post_run(job_id, job_script, uid, gid)
	return slurm.SUCCESS
end

function slurm_bb_data_out(job_id, job_script, uid, gid)
	slurm.log_info("burst_buffer.lua: job %s: stage-out", job_id)
	return everywhere("sync " .. device)
end

-- Nothing is reserved, and nothing written is lost by leaving it in the log.
function slurm_bb_job_teardown(job_id, job_script, hurry, uid, gid)
	return slurm.SUCCESS
end

-- scontrol show bbstat. Any user may call it: the arguments are theirs, and not used.
function slurm_bb_get_status(uid, gid, ...)
	local all = {}

	for _, node in ipairs(nodes) do
		local _, output = finish(begin(node, "status " .. device))

		all[#all + 1] = node .. ":\n" .. output .. "\n"
	end
	return slurm.SUCCESS, table.concat(all)
end
