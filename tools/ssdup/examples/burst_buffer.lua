-- SPDX-License-Identifier: GPL-2.0-only
--
-- Slurm's burst_buffer/lua with storage nodes whose disks are dm-ssdup devices.
--
-- A job asks for room in the logs, and may name a device and a class of data:
--
--	#BB_LUA pool=ssdup capacity=200G class=scratch device=auto
--
-- It ends when what it wrote is on the hard disks.
--
-- - job_process: sbatch refuses what can never be had, and names the argument;
-- - setup: "ssdup job" on the storage nodes chooses device and class, and counts the job for its
--   tenant. A job beyond the tenant's max_mb waits until others have ended. Then the logs are
--   drained until they have that much room;
-- - paths: the job finds its device in SSDUP_DEVICE, its class in SSDUP_CLASS;
-- - pre_run: from now on new data gets the class;
-- - data_out: after it has run, everything written so far is brought to the hard disks.
--   If that fails the job stays in stage-out with a reason, and the SSDs keep the data;
-- - teardown: its tenant has the room back, and new data the class of the jobs that go on.
--
-- The files of "ssdup job" on each node are the truth: they are changed under a lock, and status
-- and metrics read them. What paths must know without asking a node is noted beside the job's
-- script.
--
-- slurm.conf: BurstBufferType=burst_buffer/lua. This file and burst_buffer.conf lie beside
-- it. slurmctld runs what is here on its own node, as the user that it runs as; that
-- user needs to log into the storage nodes by key and may run ssdup there (sudo).
-- Slurm 22.05 uses Lua 5.1; this works with all later ones too.

-- What is to be set: the storage nodes, the names of the devices, which each node has, the size
-- of a log in bytes (ssdup_log_size_bytes of "ssdup metrics"), and how to run a command there.
local nodes = { "io1", "io2" }
local devices = { "burst" }
local log_bytes = 400 * 2^30
local remote = "ssh -o BatchMode=yes -o ConnectTimeout=10 %s sudo"

-- Whom a job is counted for, "user" or "group", and how many MiB of capacity all jobs of one may
-- have at once, on all nodes together: max_mb = { ann = 400000, ["*"] = 100000 }. "*" is anyone
-- else. Without an entry there is no limit.
local tenants = "user"
local max_mb = {}

-- For tests, and for sites with files of their own: a table with the same names.
local conf = ssdup_conf or {}
nodes = conf.nodes or nodes
devices = conf.devices or devices
log_bytes = conf.log_bytes or log_bytes
remote = conf.remote or remote
tenants = conf.tenants or tenants
max_mb = conf.max_mb or max_mb

-- Exit codes of ssdup(8) in words, for the job's reason. Of the others the output has them.
local words = {
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

-- The same on all nodes at once. Return: the exit code and the reason of the first that fails.
local function everywhere(arguments)
	local pipes, failed, reason = {}, 0, nil

	for i, node in ipairs(nodes) do
		pipes[i] = begin(node, arguments)
	end
	for i, node in ipairs(nodes) do
		local code, output = finish(pipes[i])

		if code ~= 0 then
			local last = output:match("[^\n]*$")
			local why = words[code] or (last ~= "" and last) or "exit code " .. code

			why = string.format("%s: ssdup %s: %s", node, arguments, why)
			slurm.log_error("burst_buffer.lua: %s: %s", why, output)
			if not reason then
				failed, reason = code, why
			end
		end
	end
	return failed, reason
end

-- For Slurm. It takes a second value that is nil for an error.
local function answer(reason)
	if reason then
		return slurm.ERROR, reason
	end
	return slurm.SUCCESS
end

-- Bytes of a capacity as Slurm reads it, or nil.
local function bytes(text)
	local number, unit, of = text:match("^(%d+)([KkMmGgTtPp]?)(i?[Bb]?)$")
	local power = number and ("kmgtp"):find(unit:lower(), 1, true)

	if unit == "" then
		return of == "" and tonumber(number) or nil
	end
	return number and tonumber(number) * (of:lower() == "b" and 1000 or 1024) ^ power
end

-- What a job's #BB_LUA lines ask for, or nil and what is wrong with them. A word without "=" is
-- somebody else's.
local function wishes(job_script)
	local wish, file = { class = "default", device = "auto" }, io.open(job_script)

	for line in file and file:lines() or function() end do
		for word in (line:match("^#BB_LUA%s(.*)") or ""):gmatch("%S+=%S*") do
			local key, value = word:match("^(.-)=(.*)$")

			if key ~= "pool" and key ~= "capacity" and not wish[key] then
				return nil, "#BB_LUA " .. word .. ": no such argument"
			end
			wish[key] = value
		end
	end
	if file then
		file:close()
	end
	if not wish.class:match("^[a-z0-9_-]+$") then
		return nil, "#BB_LUA class=" .. wish.class .. ": not the name of a class"
	end
	if wish.capacity and not bytes(wish.capacity) then
		return nil, "#BB_LUA capacity=" .. wish.capacity .. ": not a size"
	end
	if wish.device ~= "auto" and not (" " .. table.concat(devices, " ") .. " "):find(
			" " .. wish.device .. " ", 1, true) then
		return nil, "#BB_LUA device=" .. wish.device .. ": none of auto " ..
			table.concat(devices, " ")
	end
	return wish
end

-- The name of a user or group, or the number where a shell would not take the name as it is.
local function tenant_of(uid, gid)
	local id = tenants == "group" and gid or uid
	local pipe = io.popen(string.format("getent %s %d", tenants == "group" and "group" or "passwd",
					    tonumber(id)))
	local name = pipe and pipe:read("*a"):match("^([%w_.@-]+):")

	if pipe then
		pipe:close()
	end
	return name and not name:match("^[.-]") and name or tostring(id)
end

-- In bytes; nil for none.
local function limit_of(tenant)
	local mb = max_mb[tenant] or max_mb["*"]

	return mb and mb * 2^20
end

-- Why so many bytes can never be had, or nil. Slurm 22.05 gives job_process no uid.
local function too_many(size, tenant)
	local limit = tenant and limit_of(tenant)

	if size > log_bytes * #nodes then
		return string.format("#BB_LUA capacity: no log is that large, but %.0f MiB",
				     log_bytes * #nodes / 2^20)
	end
	if limit and size > limit then
		return string.format("#BB_LUA capacity: more than max_mb of %s, %.0f MiB", tenant,
				     limit / 2^20)
	end
end

-- Device and class of a job, for those who may not ask a node. The folder is slurmctld's own.
local function note_path(job_id, job_script)
	return (job_script:match("^.*/") or "") .. "ssdup." .. job_id
end

local function read_note(job_id, job_script)
	local file = io.open(note_path(job_id, job_script))
	local device, class

	if file then
		device, class = file:read("*a"):match("(%S+) (%S+)")
		file:close()
	end
	return device, class
end

local function write_note(job_id, job_script, text)
	local file, why = io.open(note_path(job_id, job_script), "w")

	if not file then
		return why
	end
	file:write(text, "\n")
	file:close()
end

-- Give back what a job has. It is no error if that is nothing.
local function release(job_id, job_script)
	local _, reason = everywhere("job " .. job_id .. " --end")

	os.remove(note_path(job_id, job_script))
	return reason
end

-- Ask for device, class and room: the first node chooses, the others do as it did. Return: the
-- exit code, and the device or the reason. Sizes are rounded so that what fits in all fits on
-- each node.
local function claim(job_id, job_script, wish, tenant, size)
	local limit = limit_of(tenant)
	local rest = string.format(" --tenant %s --size %.0f", tenant, math.floor(size / #nodes))
	local from = wish.device == "auto" and table.concat(devices, " ") or wish.device
	local code, output, reason, device, class

	if limit then
		rest = rest .. string.format(" --max %.0f", math.ceil(limit / #nodes))
	end
	code, output = finish(begin(nodes[1], string.format("job %s %s --class %s%s", job_id, from,
							    wish.class, rest)))
	device, class = output:match("(%S+) (%S+)%s*$")
	if code ~= 0 or not device then
		return code ~= 0 and code or -1, nodes[1] .. ": " .. output
	end
	if #nodes > 1 then
		code, reason = everywhere(string.format("job %s %s --class %s%s", job_id, device,
							class, rest))
	end
	reason = reason or write_note(job_id, job_script, device .. " " .. class)
	if reason then
		release(job_id, job_script)
		return code ~= 0 and code or -1, reason
	end
	return 0, device
end

-- Called with locks held: quick, and no word to another node.

function slurm_bb_job_process(job_script, uid, gid)
	local wish, reason = wishes(job_script)

	return answer(reason or too_many(bytes(wish.capacity or "0"), uid and tenant_of(uid, gid)))
end

-- The quantity counts grains.
function slurm_bb_pools()
	return slurm.SUCCESS, string.format(
		'{ "pools": [ { "id": "ssdup", "quantity": %.0f, "granularity": 1048576 } ] }',
		math.floor(log_bytes * #nodes * #devices / 2^20))
end

function slurm_bb_paths(job_id, job_script, path_file, uid, gid)
	local device, class = read_note(job_id, job_script)
	local file = device and io.open(path_file, "w")

	if not file then
		return slurm.ERROR, "no device is noted for the job"
	end
	file:write("SSDUP_DEVICE=", device, "\nSSDUP_CLASS=", class, "\n")
	file:close()
	return slurm.SUCCESS
end

-- Called in a process of their own, which is killed when the time of burst_buffer.conf
-- is up (OtherTimeout, StageOutTimeout). A drain that was begun goes on then.

function slurm_bb_setup(job_id, uid, gid, pool, bb_size, job_script)
	local size, wish, reason = tonumber(bb_size) or 0, wishes(job_script)
	local room = math.ceil(size / #nodes)
	local tenant = tenant_of(uid, gid)
	local code, device

	reason = reason or too_many(size, tenant)
	if reason then
		return slurm.ERROR, reason
	end
	repeat
		code, device = claim(job_id, job_script, wish, tenant, size)
		-- Over max_mb: nobody says when another job ends.
		if code == 4 then
			slurm.log_info("burst_buffer.lua: job %s: waits: %s", job_id, device)
			os.execute("sleep " .. (conf.sleep or 5))
		end
	until code ~= 4
	if code ~= 0 then
		return slurm.ERROR, device
	end
	slurm.log_info("burst_buffer.lua: job %s: room for %.0f bytes in %s on each node", job_id, room,
		       device)
	code, reason = everywhere(string.format("drain %s --quiet --wait-below %.0f", device,
						math.max(log_bytes - room, 1)))
	if reason then
		release(job_id, job_script)
	end
	return answer(reason)
end

function slurm_bb_data_in(job_id, job_script, uid, gid)
	return slurm.SUCCESS
end

function slurm_bb_real_size(job_id, uid, gid)
	return slurm.SUCCESS
end

function slurm_bb_pre_run(job_id, job_script, uid, gid)
	local _, reason = everywhere("job " .. job_id .. " --start")

	return answer(reason)
end

function slurm_bb_post_run(job_id, job_script, uid, gid)
	return slurm.SUCCESS
end

-- Without a note it may have written to any of them.
function slurm_bb_data_out(job_id, job_script, uid, gid)
	local device, reason = read_note(job_id, job_script), nil

	slurm.log_info("burst_buffer.lua: job %s: stage-out", job_id)
	for _, name in ipairs(device and { device } or devices) do
		local _, why = everywhere("sync " .. name)

		reason = reason or why
	end
	return answer(reason)
end

-- Nothing written is lost by leaving it in the log.
function slurm_bb_job_teardown(job_id, job_script, hurry, uid, gid)
	return answer(release(job_id, job_script))
end

-- scontrol show bbstat. Any user may call it: the arguments are theirs, and not used.
function slurm_bb_get_status(uid, gid, ...)
	local all = {}

	for _, node in ipairs(nodes) do
		local _, output = finish(begin(node, "status " .. table.concat(devices, " ")))

		all[#all + 1] = node .. ":\n" .. output .. "\n"
	end
	return slurm.SUCCESS, table.concat(all)
end
