# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The machine image of scripts/test-system: Debian 12 out of its packages, as the host's
# apt knows them, with all that our packages need and neither of them. It is kept in
# the cache and made anew when its packages or these scripts change, or after a week.

# Whole disks without partitions: / on one, /boot on another, so that the host can read
# kernel and initramfs whatever / lies on.
IMAGE_MB=3072
BOOT_MB=384

# image_packages - what is in it from the start
image_packages()
{
	echo systemd-sysv udev dmsetup kmod linux-image-cloud-amd64 \
		linux-headers-cloud-amd64 dkms initramfs-tools e2fsprogs procps \
		mount util-linux less man-db bash-completion \
		dracut-core zstd python3-minimal libblkid1 libuuid1 libsmartcols1 \
		libjson-c5 libdevmapper1.02.1 lvm2 mdadm fdisk
}

# second_kernel - the newest other line of kernels, or nothing
second_kernel()
{
	newest_package 'linux-image-[0-9]+\.[0-9]+-cloud-amd64' |
		sed 's/^linux-image-//'
}

# debian_sources - apt's lines for Debian itself, as this host has them
debian_sources()
{
	# shellcheck disable=SC2016 # apt-get expands them
	apt-get indextargets --format \
		'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(REPO_URI) $(CODENAME) $(COMPONENT)' \
		'Created-By: Packages' 'Origin: Debian' 'Component: main' | sort -u
}

# system_image - folder with root.img, boot.img and packages (their versions)
system_image()
{
	local key root

	key=$({ image_packages; cd "$SYSTEM" && sha256sum customize guest/*; } |
		sha256sum | cut -c1-16)
	root=$CACHE/system/$key
	if [ ! -e "$root/root.img" ] || ! fresh "$root/root.img" 10080; then
		locked system-image make_image "$root"
	fi
	echo "$root"
}

make_image()
{
	local root=$1 new=$1.new kernel

	if [ -e "$root/root.img" ] && fresh "$root/root.img" 10080; then
		return
	fi
	say "making the machine image (mmdebstrap)"
	rm -rf "$new"
	mkdir -p "$new"
	debian_sources >"$new/sources.list"
	kernel=$(second_kernel || true)
	if ! SSDUP_IMAGE=$new SSDUP_IMAGE_MB=$IMAGE_MB SSDUP_BOOT_MB=$BOOT_MB \
		SSDUP_SECOND_KERNEL=$kernel SSDUP_SYSTEM=$SYSTEM \
		mmdebstrap --variant=apt --format=null \
		--aptopt='Apt::Install-Recommends "false"' \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		--include="$(image_packages | tr ' ' ,)" \
		--customize-hook="$SYSTEM/customize \"\$1\"" \
		bookworm /dev/null - <"$new/sources.list" >"$new/log" 2>&1; then
		tail -n 30 "$new/log" >&2
		[ ! -e "$root/root.img" ] || { say "using the old image"; return 0; }
		die "cannot make the image"
	fi
	rm -rf "$root"
	mv "$new" "$root"
	find "$CACHE/system" -mindepth 1 -maxdepth 1 ! -path "$root" -mtime +8 \
		-exec rm -rf {} +
}
