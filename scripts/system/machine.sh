# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Machines of scripts/test-system, on the host's side. A machine is a folder with its
# disks: root.img, boot.img, hdd.img and ssd.img, and in some steps hdd2.img, hdd3.img and ssd2.img. It
# is booted for one step at a time, a script of scripts/system/steps, and is off when boot() returns.
# Between steps packages are installed on its disks from here, in a chroot: at the host's speed.

HDD_MB=768
SSD_MB=256
TWICE_MB=64
MORE_MB=256
TWICE_WWN=0x5000c500a1b2c3d4
LIMIT=900	# seconds a step may take
# A machine is emulated, and its host may be busy: what is slow there has not failed.
SYSTEMD_ARGS=systemd.default_timeout_start_sec=600

# machine_new DIR - a machine as it comes out of the image
machine_new()
{
	mkdir -p "$1/files"
	cp --sparse=always "$IMAGE"/{root,boot}.img "$1"
	truncate -s ${HDD_MB}M "$1/hdd.img"
	truncate -s ${SSD_MB}M "$1/ssd.img"
	truncate -s ${TWICE_MB}M "$1/twice.img"
	truncate -s ${MORE_MB}M "$1/hdd2.img" "$1/hdd3.img"
	truncate -s ${SSD_MB}M "$1/ssd2.img"
}

# machine_copy FROM TO - the same machine once more
machine_copy()
{
	mkdir -p "$2/files"
	cp --sparse=always "$1"/{root,boot,hdd,ssd,twice,hdd2,hdd3,ssd2}.img "$2"
}

# machine_chroot DIR COMMAND... - on the disks of a machine that is off; what lies in
# DIR/files is /opt there
machine_chroot()
{
	local dir=$1

	shift
	mkdir -p "$dir/mnt"
	# shellcheck disable=SC2016 # expanded there
	unshare -m --propagation private bash -ec '
		dir=$1
		shift
		mount -o loop "$dir/root.img" "$dir/mnt"
		mount -o loop "$dir/boot.img" "$dir/mnt/boot"
		mount -t proc proc "$dir/mnt/proc"
		mount --bind "$dir/files" "$dir/mnt/opt"
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
			DEBIAN_FRONTEND=noninteractive chroot "$dir/mnt" "$@"
	' - "$dir" "$@"
}

# boot_file DIR NAME - what NAME in /boot is, or leads to, as DIR/NAME
boot_file()
{
	local target

	target=$(debugfs -R "stat $2" "$1/boot.img" 2>/dev/null |
		sed -n 's/^Fast link dest: "\(.*\)"$/\1/p')
	target=${target:-$2}
	rm -f "$1/$2"
	debugfs -R "dump /${target##*/} $1/$2" "$1/boot.img" 2>/dev/null
}

# given_disk DIR STEP FILE... - what the machine is given along
given_disk()
{
	local dir=$1 step=$2

	shift 2
	rm -rf "$dir/given"
	mkdir "$dir/given"
	cp "$SYSTEM"/{check.sh,steps/lib.sh,steps/layers.sh} "$dir/given"
	cp "$SYSTEM/steps/$step" "$dir/given/step"
	[ $# = 0 ] || cp "$@" "$dir/given"
	tar -C "$dir/given" -cf "$dir/given.tar" .
	truncate -s %1M "$dir/given.tar"
}

# disk DIR NAME [FILE] - QEMU's arguments for a disk in a slot where it can be pulled;
# without FILE the slot alone, and the disk ready to be put in
disk()
{
	DISKS=$((DISKS + 1))
	echo "-device pcie-root-port,id=port-$2,chassis=$DISKS,slot=$DISKS"
	echo "-blockdev driver=raw,node-name=$2,file.driver=file,file.filename=$1/$2.img,cache.no-flush=on,discard=unmap"
	[ "$3" = out ] ||
		echo "-device virtio-blk-pci,bus=port-$2,drive=$2,serial=ssdup-$2,id=disk-$2"
}

# machine_disks DIR SSD TWICE MORE - all of them; SSD: in or out; TWICE: in or out, a SCSI disk that
# is seen on two paths; MORE: in, swapped or out, two more HDDs and an SSD, behind the others or in front
machine_disks()
{
	local path

	DISKS=0
	[ "$4" != swapped ] || { disk "$1" ssd2 in; disk "$1" hdd3 in; disk "$1" hdd2 in; }
	disk "$1" root in
	disk "$1" boot in
	disk "$1" hdd in
	disk "$1" ssd "$2"
	[ "$4" != in ] || { disk "$1" hdd2 in; disk "$1" hdd3 in; disk "$1" ssd2 in; }
	echo "-drive file=$1/given.tar,if=none,format=raw,readonly=on,id=given"
	echo "-device virtio-blk-pci,drive=given,serial=ssdup-given"
	[ "$3" = in ] || return 0
	echo "-device virtio-scsi-pci,id=scsi"
	echo "-blockdev driver=raw,node-name=twice,file.driver=file,file.filename=$1/twice.img,cache.no-flush=on"
	for path in a b; do
		echo "-device scsi-hd,bus=scsi.0,drive=twice,share-rw=on,serial=path-$path,wwn=$TWICE_WWN"
	done
}

# boot DIR STEP [--ssd out] [--twice in] [--more in|swapped] [--initrd NAME] [--until WORDS]
# [FILE...] - one step, or until the console says WORDS; its report goes to DIR/report, the console to
# DIR/console, both also to DIR/log. Status: the step's, 125 when it did not end; DOWN:
# seconds it took to go down
boot()
{
	local dir=$1 step=$2 ssd=in twice=out more=out initrd=initrd.img until='' qemu args status

	shift 2
	while [ $# -gt 0 ]; do
		case $1 in
		--ssd) ssd=$2 ;;
		--twice) twice=$2 ;;
		--more) more=$2 ;;
		--initrd) initrd=$2 ;;
		--until) until=$2 ;;
		*) break ;;
		esac
		shift 2
	done
	given_disk "$dir" "$step" "$@"
	boot_file "$dir" vmlinuz
	boot_file "$dir" "$initrd"
	: >"$dir/report"
	: >"$dir/console"
	rm -f "$dir/monitor"
	read -r -d '' -a args < <(
		machine_args tcg 2 1024
		machine_disks "$dir" "$ssd" "$twice" "$more"
		printf '\0') || true
	qemu-system-x86_64 "${args[@]}" -kernel "$dir/vmlinuz" -initrd "$dir/$initrd" \
		-append "$(kernel_args) root=LABEL=root rw $SYSTEMD_ARGS" \
		-chardev "file,id=console,path=$dir/console" -serial chardev:console \
		-device virtio-serial-pci \
		-chardev "file,id=report,path=$dir/report" \
		-device virtserialport,chardev=report,name=ssdup.report \
		-chardev "socket,id=monitor,path=$dir/monitor,server=on,wait=off" \
		-mon chardev=monitor,mode=readline \
		</dev/null >"$dir/qemu.log" 2>&1 &
	qemu=$!
	attend "$dir" "$qemu" "$until"
	kill -KILL "$qemu" 2>/dev/null || true
	wait "$qemu" 2>/dev/null || true
	{
		echo "=== boot: $step (ssd $ssd)"
		cat "$dir/qemu.log" "$dir/console"
		echo "=== report of $step, down after $DOWN s"
		cat "$dir/report"
	} >>"$dir/log"
	status=$(sed -n 's/^step: \([0-9]*\)\r*$/\1/p' "$dir/report" | tail -n 1)
	return "${status:-125}"
}

# attend DIR PID WORDS - wait for the machine to go down, or to say WORDS if there are
# any, doing what it asks the host for: "host: WORDS" in the report is a line for QEMU's
# monitor
attend()
{
	local dir=$1 pid=$2 words=$3 end=$(($(date +%s) + LIMIT)) done=0 asked ended=''

	DOWN=never
	while kill -0 "$pid" 2>/dev/null; do
		if [ "$(date +%s)" -ge $end ]; then
			echo "host: time is up after $LIMIT s" >>"$dir/qemu.log"
			return
		fi
		[ -z "$words" ] || ! grep -qF "$words" "$dir/console" || return 0
		sleep 0.3
		[ -n "$ended" ] || ! grep -q '^step: ' "$dir/report" || ended=$(date +%s)
		asked=$(grep -c '^host: ' "$dir/report" || true)
		while [ "$done" -lt "$asked" ]; do
			done=$((done + 1))
			grep '^host: ' "$dir/report" | sed -n "${done}s/^host: //p" |
				tr -d '\r' | monitor "$dir" >>"$dir/qemu.log" 2>&1
		done
	done
	DOWN=$(($(date +%s) - ${ended:-0}))
}

# monitor DIR - stdin to QEMU's monitor, what that says to stdout. It prompts when it
# is ready and when it is done. Where it cannot be had the machine has gone down, or its
# step will miss what it asked for.
monitor()
{
	python3 -c '
import socket, sys

s = socket.socket(socket.AF_UNIX)
s.settimeout(10)
s.connect(sys.argv[1])

def prompted():
    said = b""
    while not said.endswith(b"(qemu) "):
        more = s.recv(4096)
        if not more:
            break
        said += more
    print(said.decode(errors="replace"))

prompted()
s.sendall(sys.stdin.buffer.read())
prompted()
' "$1/monitor" || true
}
