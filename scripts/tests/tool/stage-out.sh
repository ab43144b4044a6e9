#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Stage-out: "ssdup sync" promises that all is on the HDD, or says that it is not;
# "ssdup drain --wait-below" makes room and no more; Slurm's script does both.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh
# shellcheck source=scripts/tests/slurm.sh
. /ssdup/scripts/tests/slurm.sh

make_disks
make_ssdup policy all drain manual
io random nr=700
above "dirty" "$(stat dirty_sectors)" 4096
must ssdup drain $NAME --quiet --wait-below 2M
below "dirty" "$(stat dirty_sectors)" 4097
io verify
io random nr=100 seed=2
above "dirty" "$(stat dirty_sectors)" 0
must ssdup sync $NAME
is "dirty" "$(stat dirty_sectors)" 0
io_on $HDD verify

# what is only in the page cache too, of a mounted file system
remove_ssdup
make_ssdup policy all drain manual
# with all its tables: those that mkfs leaves out the kernel writes later, behind a sync
must mkfs.ext4 -q -O ^has_journal -E lazy_itable_init=0 $DEV
mkdir -p /mnt/s /mnt/hdd
must mount $DEV /mnt/s
plant /mnt/s/1
must ssdup sync $NAME
must dmsetup create other --readonly --table "0 $LEN linear $HDD 0"
must mount -o ro /dev/mapper/other /mnt/hdd
tree /mnt/s | must diff - <(tree /mnt/hdd)
must umount /mnt/hdd
must dmsetup remove other

SLURM='nodes = { "one", "two" }, remote = "test %s &&", devices = { "s" }, log_bytes = 12 * 2^20'
export SSDUP_JOBS=$T/run/jobs
echo "#!/bin/sh" >"$T/job"
# Slurm: room for 10 of 12 MiB on two nodes, then all of it written back
plant /mnt/s/2
sync
above "dirty" "$(stat dirty_sectors)" 2048
slurm_is '"quantity": 24,' pools
slurm_is '^0' setup 1 0 0 ssdup $((22 << 20)) "$T/job"
below "dirty" "$(stat dirty_sectors)" 2049
slurm_is 'that large' setup 1 0 0 ssdup $((26 << 20)) "$T/job"
plant /mnt/s/3
slurm_is '^0' data_out 1 "$T/job" 0 0
is "dirty" "$(stat dirty_sectors)" 0
slurm_is '^0.*one:' get_status 0 0 "\$(touch $T/evil)"
[ ! -e "$T/evil" ] || fail "what a user says is run"
must umount /mnt/s
io write start=8192 len=4096 bs=64

# a promise that cannot be given
model $HDD fail_write "9000 8"
r=0
ssdup sync $NAME 2>"$T/stderr" || r=$?
is "exit code of a sync that left something: $(cat "$T/stderr")" $r 8
slurm_is "^-1.*one: ssdup sync s: the device is degraded" data_out 1 "$T/job" 0 0
model $HDD fail_write clear
must ssdup sync $NAME
io_on $HDD verify start=8192 len=4096
must_get "no such device" ssdup sync nothing

# GlusterFS: a brick that fails is told, whatever comes after it, and the others are synced
gluster=/var/lib/glusterd
mkdir -p $gluster/vols/v/bricks "$T/bin"
echo UUID=here >$gluster/glusterd.info
for brick in nothing "$NAME"; do
	printf 'uuid=here\npath=/%s\n' "$brick" >"$gluster/vols/v/bricks/$brick"
done
printf '#!/bin/sh\necho "/dev/mapper$%d"\n' 4 >"$T/bin/findmnt"
chmod +x "$T/bin/findmnt"
export PATH=$T/bin:$PATH
io write start=8192 len=4096 bs=64
r=0
sh /ssdup/examples/gluster-sync v 2>"$T/stderr" || r=$?
is "exit code of gluster-sync: $(cat "$T/stderr")" $r 3
is "dirty" "$(stat dirty_sectors)" 0
rm $gluster/vols/v/bricks/nothing
must sh /ssdup/examples/gluster-sync v
rm $gluster/vols/v/bricks/$NAME
must_get "no brick on this server" sh /ssdup/examples/gluster-sync v
