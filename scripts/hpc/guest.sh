#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine of scripts/hpc/run: the disk has Debian's packages. They run in it, by
# chroot, over a device that is made out here.
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

ROOT=/hpc
NAME=brick1
DEV=/dev/mapper/$NAME

# inside COMMAND... - by env, or busybox's chroot would run what busybox has
inside()
{
	chroot "$ROOT" /usr/bin/env PATH=/usr/sbin:/usr/bin:/sbin:/bin DM_DISABLE_UDEV=1 "$@"
}

# wait_for COMMAND... - until it succeeds; at most a minute
wait_for()
{
	local end=$((SECONDS + 60))

	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || fail "waited in vain for: $*"
		sleep 0.5
	done
}

# dirty - what the HDD lacks, in MiB
dirty()
{
	echo $(($(stat dirty_sectors) / 2048))
}

set_up()
{
	local disk dir

	for disk in /sys/block/vd*; do
		[ "$(cat "$disk/serial")" != ssdup-extra ] || break
	done
	mkdir -p "$ROOT"
	must mount "/dev/${disk##*/}" "$ROOT"
	for dir in dev proc sys; do
		must mount --rbind /$dir "$ROOT/$dir"
	done
	must mount -t tmpfs run "$ROOT/run"
	must cp /usr/bin/ssdup "$ROOT/usr/sbin/"
	must cp -r /ssdup/examples "$ROOT/run/"
	printf '127.0.0.1 localhost\n10.9.9.1 server1\n' >"$ROOT/etc/hosts"
	hostname server1
	must ip link set lo up
	# names are looked up only where there is an address besides the loopback's
	must inside ip addr add 10.9.9.1/24 dev lo
	make_disks hdd_size_mb=512 ssd_size_mb=65
	make_ssdup policy all drain manual classes scratch
	must inside mkfs.xfs -q -i size=512 $DEV
	must inside mkdir -p /bricks/1 /mnt/volume
	must inside mount $DEV /bricks/1
	must inside mkdir /bricks/1/data
}

gluster_fs()
{
	must inside glusterd
	wait_for inside gluster pool list
	must inside gluster volume create burst server1:/bricks/1/data
	must inside gluster volume start burst
	must inside mount -t glusterfs server1:/burst /mnt/volume
	for i in 1 2 3 4; do
		must inside dd if=/dev/urandom of=/mnt/volume/$i bs=64k count=100 status=none
	done
	(cd "$ROOT/mnt/volume" && md5sum ./*) >"$T/sums"
	must inside umount /mnt/volume
	inside sync
	above "MiB not on the HDD" "$(dirty)" 20
	must inside sh /run/examples/gluster-sync burst
	is "MiB not on the HDD" "$(dirty)" 0
	must_not inside sh /run/examples/gluster-sync other
	must inside gluster --mode=script volume stop burst
	inside killall glusterd
	echo "hpc: GlusterFS: $(wc -l <"$T/sums") files of a volume, staged out"
}

slurm_conf()
{
	cat <<-'EOF'
		ClusterName=lab
		SlurmctldHost=server1
		SlurmUser=root
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		ReturnToService=2
		StateSaveLocation=/run/slurmctld
		SlurmdSpoolDir=/run/slurmd
		SlurmctldPidFile=/run/slurmctld.pid
		SlurmdPidFile=/run/slurmd.pid
		SlurmctldLogFile=/run/ctld.log
		SlurmdLogFile=/run/d.log
		BurstBufferType=burst_buffer/lua
		NodeName=server1 CPUs=2 RealMemory=500 State=UNKNOWN
		PartitionName=all Nodes=server1 Default=YES MaxTime=INFINITE State=UP
	EOF
}

# as_user COMMAND... - root may not use burst buffers
as_user()
{
	inside setpriv --reuid nobody --regid nogroup --clear-groups "$@"
}

start_slurm()
{
	must inside install -d -o munge /run/munge /var/log/munge /var/lib/munge /etc/munge
	must inside dd if=/dev/urandom of=/etc/munge/munge.key bs=32 count=1 status=none
	must inside chown munge: /etc/munge/munge.key
	must inside chmod 400 /etc/munge/munge.key
	must inside setpriv --reuid munge --regid munge --clear-groups munged --force
	must inside mkdir -p /etc/slurm /run/slurmctld /run/slurmd /sys/fs/cgroup
	slurm_conf >"$ROOT/etc/slurm/slurm.conf"
	echo "CgroupPlugin=cgroup/v1" >"$ROOT/etc/slurm/cgroup.conf"
	must cp /ssdup/examples/burst_buffer.conf "$ROOT/etc/slurm/"
	sed -e 's/^local nodes = .*/local nodes = { "server1" }/' \
		-e 's/^local devices = .*/local devices = { "brick1" }/' \
		-e 's/^local log_bytes = .*/local log_bytes = 60 * 2^20/' \
		-e 's/^local remote = .*/local remote = "test %s \&\&"/' \
		/ssdup/examples/burst_buffer.lua >"$ROOT/etc/slurm/burst_buffer.lua"
	must inside slurmctld
	wait_for inside sinfo
	inside slurmd -D >"$T/slurmd" 2>&1 &
	wait_for node_is_idle
}

node_is_idle()
{
	[ "$(inside sinfo -h -o %T)" = idle ]
}

slurm()
{
	local end=$((SECONDS + 120)) told before after scratch

	start_slurm
	must inside dd if=/dev/urandom of=/bricks/1/others bs=1M count=50 conv=fsync status=none
	above "MiB not on the HDD" "$(dirty)" 40
	chmod 1777 "$ROOT/bricks/1" "$ROOT/run"
	cat >"$ROOT/run/job" <<-'EOF'
		#!/bin/bash
		#BB_LUA pool=ssdup capacity=40M class=scratch
		echo "$SSDUP_DEVICE $SSDUP_CLASS"
		echo $(($(cat /sys/block/dm-0/ssdup/dirty_sectors) / 2048))
		dd if=/dev/urandom of=/bricks/1/job bs=1M count=20 conv=fsync status=none
		echo $(($(cat /sys/block/dm-0/ssdup/dirty_sectors) / 2048))
		grep ^scratch /sys/block/dm-0/ssdup/classes | cut -d ' ' -f 4
	EOF
	as_user sbatch --chdir /run -o /run/job.out /run/job || fail "$(tail "$ROOT/run/ctld.log")"
	while [ -n "$(inside squeue -h)" ]; do
		[ $SECONDS -lt $end ] || fail "$(inside squeue; tail "$ROOT/run/ctld.log")"
		sleep 2
	done
	{ read -r told; read -r before; read -r after; read -r scratch; } <"$ROOT/run/job.out" ||
		fail "the job wrote nothing"
	is "what the job was told" "$told" "brick1 scratch"
	above "sectors of its class" "$scratch" 40000
	below "MiB not on the HDD when the job began" "$before" 21
	above "MiB not on the HDD when it ended" "$after" 19
	is "MiB not on the HDD after its stage-out" "$(dirty)" 0
	inside scontrol show bbstat | grep -q "brick1: running" || fail "bbstat"
	grep -q "job 1: stage-out" "$ROOT/run/ctld.log" || fail "no stage-out"
	inside killall slurmctld slurmd munged
	echo "hpc: Slurm: room for the job: $before MiB left; $after after it, 0 after its stage-out"
}

set_up
gluster_fs
slurm
# those that were told to end do so
wait_for umount "$ROOT/bricks/1"
flush
remove_ssdup
must mount -o ro $HDD /mnt
(cd /mnt/data && must md5sum --quiet -c "$T/sums") || exit
must umount /mnt
inside killall -9 glusterfsd glusterfs slurmd 2>/dev/null
echo "hpc: ok"
