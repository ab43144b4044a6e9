# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The guest's user space: an initramfs of two concatenated cpio archives.  The
# base layer (programs, libraries, the kernel's own modules) is cached for each
# kernel; the run layer (our scripts, our modules, the script to run) is made
# anew each time.  Nothing is compressed: unpacking costs more under emulation
# than reading.

# Programs that busybox has not, or has only in a lesser version.  Others come with --program.
GUEST_PROGRAMS="bash dmsetup blkdiscard blockdev losetup flock fallocate
	mount umount dmesg lsblk blkid wipefs fsfreeze
	dd date od stat cp cmp truncate sha256sum md5sum sort shuf sleep sync timeout tee
	mkfs.ext4 e2fsck tune2fs debugfs dumpe2fs resize2fs
	mkfs.xfs xfs_repair xfs_io xfs_db mkfs.btrfs btrfs
	blktrace blkparse btt modprobe make-bcache sqlite3 lua5.1"

# Modules a script may ask for; what a kernel lacks is left out.
GUEST_MODULES="virtio_pci virtio_blk virtio_console crc32c_generic crc32c_intel
	dm-mod dm-writecache dm-cache dm-cache-smq dm-flakey dm-log-writes dm-delay
	dm-dust dm-snapshot dm-zero dm-thin-pool bcache null_blk brd loop scsi_debug
	sd_mod md-mod raid1 mq-deadline bfq ext4 xfs btrfs"

# guest_programs - the host files behind GUEST_PROGRAMS, one a line
guest_programs()
{
	local name

	for name in $GUEST_PROGRAMS; do
		if [ -n "${GUEST_ROOT:-}" ]; then
			# what the small set of tests needs, that is not in there, it would miss
			find "$GUEST_ROOT"/usr/{bin,sbin} -name "$name" -print -quit
			continue
		fi
		command -v "$name" ||
			[ "$name" = make-bcache ] || [ "$name" = btt ] ||
			die "no $name on this host: run scripts/lab/setup"
	done
}

# pack DIR OUT - DIR as an uncompressed cpio archive
pack()
{
	(cd "$1" && find . -print0 | sort -z |
		cpio --null --quiet -o -H newc -R 0:0) >"$2"
}

# install_files STAGE FILE... - programs of the host and the libraries they load
install_files()
{
	local stage=$1 name lib

	shift
	mkdir -p "$stage/usr/bin"
	for name; do
		cp -L --remove-destination "$name" "$stage/usr/bin/" || die "cannot copy $name"
	done
	for lib in $(ldd "$@" 2>/dev/null | grep -o '/[^ :]*\.so[^ :]*' | sort -u); do
		mkdir -p "$stage/usr/${lib%/*}"
		cp -L "$lib" "$stage/usr/${lib%/*}/" || die "cannot copy $lib"
	done
	# libraries named by /usr/lib/... landed one level too deep
	if [ -d "$stage/usr/usr" ]; then
		cp -a "$stage/usr/usr/." "$stage/usr/" || die "cannot copy libraries"
		rm -rf "$stage/usr/usr"
	fi
}

# install_programs STAGE - busybox, the programs and the libraries they load
install_programs()
{
	local stage=$1 name programs
	local -a files

	programs=$(guest_programs) || exit 1
	mapfile -t files <<<"$programs"
	mkdir -p "$stage"/{usr/bin,usr/lib64,proc,sys,dev,run,tmp,root,mnt,out,files,etc}
	for name in bin sbin; do
		ln -s usr/bin "$stage/$name"
	done
	ln -s bin "$stage/usr/sbin"
	ln -s usr/lib "$stage/lib"
	ln -s usr/lib64 "$stage/lib64"
	ln -s /proc/mounts "$stage/etc/mtab"
	echo root:x:0:0:root:/root:/bin/bash >"$stage/etc/passwd"
	name=${GUEST_ROOT:+$GUEST_ROOT/bin/busybox}
	name=${name:-$(command -v busybox)}
	cp "$name" "$stage/usr/bin/busybox" || die "cannot copy busybox"
	for name in $(busybox --list); do
		[ "$name" = busybox ] || ln -s busybox "$stage/usr/bin/$name"
	done
	if [ -n "${GUEST_ROOT:-}" ]; then
		arm64_install_files "$stage" "$GUEST_ROOT" "${files[@]}"
	else
		install_files "$stage" "${files[@]}"
	fi
	ln -sf mkfs.ext4 "$stage/usr/bin/mke2fs"
	ln -sf e2fsck "$stage/usr/bin/fsck.ext4"
	ln -sf modprobe "$stage/usr/bin/rmmod"
	ln -sf modprobe "$stage/usr/bin/lsmod"
	ln -sf modprobe "$stage/usr/bin/insmod"
	ln -sf modprobe "$stage/usr/bin/modinfo"
	cp "$LAB/guest/init" "$stage/init" || die "cannot copy init"
}

# install_modules STAGE TREE RELEASE - the kernel's own modules, uncompressed
install_modules()
{
	local stage=$1 tree=$2 release=$3 name file out

	[ -e "$tree/lib/modules/$release/modules.dep" ] ||
		depmod -b "$tree" "$release"
	mkdir -p "$stage/lib/modules/$release"
	cp "$tree/lib/modules/$release"/modules.{builtin,order} \
		"$stage/lib/modules/$release/" || die "cannot copy lists of modules"
	[ ! -e "$tree/lib/modules/$release/modules.builtin.modinfo" ] ||
		cp "$tree/lib/modules/$release/modules.builtin.modinfo" \
			"$stage/lib/modules/$release/" || die "cannot copy what is built in"
	for name in $GUEST_MODULES; do
		modprobe -d "$tree" -S "$release" --show-depends "$name" \
			2>/dev/null || true
	done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | sort -u |
	while read -r file; do
		out=$stage/lib/modules/$release/${file##*/lib/modules/"$release"/}
		out=${out%.xz}
		mkdir -p "${out%/*}"
		case $file in
		*.xz) xz -dc "$file" >"$out" ;;
		*) cp "$file" "$out" ;;
		esac || exit 1
	done || die "cannot copy the kernel's modules"
	depmod -b "$stage" "$release" || die "cannot list the kernel's modules"
}

# make_base OUT TREE RELEASE - build the base layer, and keep the module tree
# beside it, since the run layer's modules.dep must know both
#
# It runs where the shell does not end at a failure, so whatever may fail says so.
make_base()
{
	local out=$1 stage

	[ ! -e "$out.cpio" ] || return 0
	say "packing the user space for $3"
	stage=$(mktemp -d "$CACHE/initramfs.XXXXXX")
	chmod 755 "$stage"
	install_programs "$stage"
	install_modules "$stage" "$2" "$3"
	pack "$stage" "$out.new" || die "cannot pack the user space"
	rm -rf "$out.modules"
	mv "$stage/lib/modules/$3" "$out.modules" || die "cannot keep the modules"
	rm -rf "$stage"
	mv "$out.new" "$out.cpio"
}

# base_layer TREE RELEASE [ROOT] - the base layer's path without its suffix; its programs are
# those of the host, or of another processor, below ROOT
base_layer()
{
	local key base GUEST_ROOT=${3:-}

	key=$({ guest_programs | xargs stat -Lc '%n %s %Y'
		echo "$GUEST_ROOT"; cat "$LAB/initramfs.sh" "$LAB/guest/init"; echo "$1"; } |
		sha256sum | cut -c1-16)
	base=$CACHE/initramfs/$2-$key
	mkdir -p "$CACHE/initramfs"
	locked "initramfs-$2" make_base "$base" "$1" "$2"
	touch "$base.cpio" "$base.modules"
	find "$CACHE/initramfs" -mindepth 1 -maxdepth 1 -mtime +2 \
		-exec rm -rf {} +
	echo "$base"
}

# add_our_modules STAGE BASE RELEASE DIR - the modules in DIR, next to a
# modules.dep that knows them and the base layer's
add_our_modules()
{
	local stage=$1 base=$2 release=$3 dir=$4 tmp

	tmp=$(mktemp -d "$CACHE/depmod.XXXXXX")
	mkdir -p "$tmp/lib/modules" "$stage/usr/lib/modules/$release/updates"
	cp -a "$base.modules" "$tmp/lib/modules/$release"
	mkdir -p "$tmp/lib/modules/$release/updates"
	cp "$dir"/*.ko "$tmp/lib/modules/$release/updates/"
	depmod -b "$tmp" "$release"
	cp "$tmp/lib/modules/$release/updates"/*.ko \
		"$stage/usr/lib/modules/$release/updates/"
	cp "$tmp/lib/modules/$release"/modules.* \
		"$stage/usr/lib/modules/$release/"
	rm -rf "$tmp"
}
