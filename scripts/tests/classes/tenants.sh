#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Jobs of two tenants get devices and classes of their own. A tenant's job beyond max_mb waits.
# What can never be had is refused by name, and then nothing has changed.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
# shellcheck source=scripts/tests/slurm.sh
. /ssdup/scripts/tests/slurm.sh

SLURM='nodes = { "one" }, remote = "test %s &&", devices = { "s", "other" }, sleep = 0.1,
	log_bytes = 12 * 2^20, max_mb = { ann = 8, ["*"] = 20 }'
export SSDUP_JOBS=$T/run/jobs
jobs=$SSDUP_JOBS

# script NAME WORD... - a job's, in a folder of its own
script()
{
	mkdir -p "$T/$1"
	printf '#!/bin/sh\n#BB_LUA pool=ssdup\n#BB_LUA %s\n' "${*:2}" >"$T/$1/script"
}

# setup JOB UID MB - Slurm has room for the job of that name and number
setup()
{
	slurm setup "$1" "$2" "$2" ssdup $(($3 << 20)) "$T/$1/script"
}

# held SECTORS... - of each class of the device that SYS is of
held()
{
	is "sectors of the classes" "$(awk '{ print $3 }' "$SYS/classes" | xargs)" "$*"
}

mkdir "$T/bin"
cat >"$T/bin/getent" <<-'EOF'
	#!/bin/sh
	case "$1 $2" in
	"passwd 1") echo ann:x:1 ;;
	"passwd 2") echo bob:x:2 ;;
	"group 2") echo lab:x:2 ;;
	esac
EOF
chmod +x "$T/bin/getent"
PATH=$T/bin:$PATH

make_disks hdds=2 ssds=2
make_ssdup policy all drain manual classes scratch:late+results
must dmsetup create other --table \
	"0 $LEN ssdup /dev/mhdd1 /dev/mssd1 6 policy all drain manual classes scratch+results"
other=/sys/block/dm-$(dmsetup info -c --noheadings -o minor other)/ssdup

# what can never be had
while read -r words; do
	script 1 "$words"
	slurm_is "^-1.*$words" job_process "$T/1/script" 1 1
done <<-'EOF'
	class=Scratch
	device=nothing
	capacity=8X
	clas=scratch
EOF
for mb in 9 13; do
	script 1 capacity=${mb}M
	why="^-1.*capacity: $([ $mb = 9 ] && echo "more than max_mb of ann, 8" || echo "no log")"
	slurm_is "$why" job_process "$T/1/script" 1 1
	setup 1 1 $mb
	grep -q -- "$why" "$T/slurm" || fail "$(cat "$T/slurm")"
done
# no uid, as with Slurm 22.05
slurm_is "^-1.*capacity: no log" job_process "$T/1/script"
script 1 class=lasting
slurm_is "^0" job_process "$T/1/script" 1 1
setup 1 1 4
grep -q '^-1.*--class: s has no class "lasting"' "$T/slurm" || fail "$(cat "$T/slurm")"
is "jobs" "$(ls -A "$jobs")" ""

# a device for each tenant
script 1 ssdup class=scratch device=auto capacity=6M
script 2 class=results capacity=6M
for job in 1 2; do
	slurm_is "^0" job_process "$T/$job/script" $job $job
	setup $job $job 6
	slurm_is "^0" paths $job "$T/$job/script" "$T/path" $job $job
	cat "$T/path" >>"$T/paths"
done
is "what jobs are told" "$(xargs <"$T/paths")" \
	"SSDUP_DEVICE=s SSDUP_CLASS=scratch SSDUP_DEVICE=other SSDUP_CLASS=results"
io write len=64 bs=8
held 64 0 0
for job in 1 2; do
	slurm_is "^0" pre_run $job "$T/$job/script" $job $job
done
io write start=64 len=64 bs=8
held 64 64 0
io_on /dev/mapper/other write len=64 bs=8
SYS=$other held 0 0 64
slurm_is "tenant: *ann, class scratch: 1 job, 6.0 MiB granted" get_status 0 0
ssdup_exits 0 metrics
grep -q '^ssdup_tenant_granted_bytes{device="other",.*tenant="bob",class="results"} 6291456$' \
	"$T/out" || fail "$(grep tenant "$T/out")"
ssdup_exits 0 status --json other
grep -A5 '"id": "2"' "$T/out" | grep -q '"granted_bytes": 6291456' || fail "$(cat "$T/out")"

# 3 of 8 MB are too many for ann, not for bob, until her first job has ended
script 3 class=scratch capacity=3M
slurm_is "^0" job_process "$T/3/script" 1 1
rm "$SLURM_LOG"
SLURM_OUT=$T/slurm3 setup 3 1 3 &
setup=$!
until grep -qs "job 3: waits: .*ann: granted 6.0 MiB of 8.0 MiB already" "$SLURM_LOG"; do
	kill -0 $setup 2>/dev/null || fail "it did not wait: $(cat "$T/slurm3")"
	nap 0.01
done
script 4 class=auto device=s capacity=3M
setup 4 2 3
grep -q ^0 "$T/slurm" || fail "$(cat "$T/slurm")"
is "jobs" "$(cd "$jobs" && echo *)" "1 2 4"
slurm_is "^0" data_out 1 "$T/1/script" 1 1
held 0 0 0
slurm_is "^0" job_teardown 1 "$T/1/script" false 1 1
[ ! -e "$T/1/ssdup.1" ] || fail "a note was left"
wait $setup || fail "a job waited in vain: $(cat "$T/slurm3")"
grep -q ^0 "$T/slurm3" || fail "$(cat "$T/slurm3")"
is "jobs" "$(cat "$jobs"/{2,3,4} | xargs)" \
	"other results 6291456 runs bob s scratch 3145728 waits ann s results 3145728 waits bob"

# one class for a device: that of all jobs that run there
io write len=8 bs=8
held 8 0 0
slurm_is "^0" pre_run 3 "$T/3/script" 1 1
io write start=64 len=8 bs=8
held 8 8 0
slurm_is "^0" pre_run 4 "$T/4/script" 2 2
io write start=128 len=8 bs=8
held 16 8 0
slurm_is "^0" job_teardown 3 "$T/3/script" false 1 1
io write start=192 len=8 bs=8
held 16 8 8
slurm_is "^0" job_teardown 4 "$T/4/script" false 2 2
slurm_is "^0" job_teardown 4 "$T/4/script" false 2 2
io write start=256 len=8 bs=8
held 24 8 8

# a node that fails: the job has nothing on the others; groups as tenants
SLURM=${SLURM/\"one\"/\"one\", \"\"}
setup 3 1 3
grep -q "^-1.*: ssdup job 3 s " "$T/slurm" || fail "$(cat "$T/slurm")"
is "jobs" "$(cd "$jobs" && echo *)" 2
SLURM=${SLURM/, \"\"/}', tenants = "group"'
setup 3 1 3
is "a group without a name" "$(cat "$jobs/3")" "s scratch 3145728 waits 1"
setup 3 2 3
is "a group" "$(cat "$jobs/3")" "s scratch 3145728 waits lab"
# a node that was booted
rm -r "$jobs"
slurm_is "^-1.*3: no such job" pre_run 3 "$T/3/script" 2 2
slurm_is "^0" job_teardown 3 "$T/3/script" false 2 2
