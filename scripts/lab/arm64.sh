# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# arm64 machines: Debian's kernels of the line 6.12, with pages of 4 and of 16 KiB, and what
# their user space is made of. Modules are built by a cross compiler of the host.

ARM64_SUITE=bookworm

# arm64_tools - what this needs beyond the lab's tools
arm64_tools()
{
	cat <<-'LIST'
	qemu-system-aarch64 qemu-system-arm
	aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
	/usr/aarch64-linux-gnu/include/stdio.h libc6-dev-arm64-cross
	LIST
}

# arm64_release NAME - what uname -r will say in the kernel arm64 or arm64-16k
arm64_release()
{
	suite_update $ARM64_SUITE arm64 || die "no lists of arm64's packages"
	suite_package $ARM64_SUITE arm64 "linux-image-6\.12\.[0-9]+\+deb[0-9]+-$1" |
		sed 's/^linux-image-//'
}

fetch_arm64_image()
{
	local release=$1 root=$2

	[ ! -e "$root/vmlinux" ] || return 0
	suite_unpack download $ARM64_SUITE arm64 "$root" "linux-image-$release" || return 1
	cp "$root/boot/vmlinuz-$release" "$root/vmlinux.new" || return 1
	mv "$root/vmlinux.new" "$root/vmlinux"
}

# arm64_headers RELEASE - a KDIR to build modules in
arm64_headers()
{
	local root=$CACHE/headers/$1

	[ -e "$root/ready" ] || locked "headers-$1" fetch_arm64_headers "$1" "$root" ||
		die "cannot fetch the headers of $1"
	echo "$root/usr/src/linux-headers-$1"
}

# The programs of the build are those for the host's processor.
fetch_arm64_headers()
{
	local release=$1 root=$2 abi=${1%%-*}

	[ ! -e "$root/ready" ] || return 0
	suite_unpack download $ARM64_SUITE arm64 "$root" "linux-headers-$release" \
		"linux-headers-$abi-common" "linux-kbuild-$abi:amd64" || return 1
	sed -i "s|^include /usr/src/|include $root/usr/src/|" \
		"$root/usr/src/linux-headers-$release/Makefile" || return 1
	touch "$root/ready"
}

# arm64_root - folder with the programs of the guest and their libraries
arm64_root()
{
	local root

	suite_update $ARM64_SUITE arm64 || die "no lists of arm64's packages"
	root=$CACHE/roots/arm64-$(sha256sum <"$LAB/arm64.sh" | cut -c1-16)
	[ -e "$root/ready" ] || locked root-arm64 make_arm64_root "$root" ||
		die "cannot fetch arm64's programs"
	echo "$root"
}

make_arm64_root()
{
	local file

	[ ! -e "$1/ready" ] || return 0
	rm -rf "$1"
	suite_unpack install $ARM64_SUITE arm64 "$1" bash busybox-static coreutils util-linux mount \
		dmsetup kmod e2fsprogs diffutils libblkid-dev libdevmapper-dev libudev-dev \
		libsmartcols-dev libjson-c-dev || return 1
	# what names a file of its own system is not to name the host's
	find "$1" -type l -lname '/*' | while read -r file; do
		ln -sfn "$1$(readlink "$file")" "$file" || exit 1
	done || return 1
	touch "$1/ready"
}

# arm64_needed ROOT FILE... - the libraries below ROOT that these programs load, and those load
arm64_needed()
{
	local root=$1 todo=() found=() file name lib

	shift
	todo=("$@")
	while [ ${#todo[@]} -gt 0 ]; do
		file=${todo[0]}
		todo=("${todo[@]:1}")
		while read -r name; do
			lib=$(find "$root/usr/lib/aarch64-linux-gnu" "$root/usr/lib" -maxdepth 1 \
				-name "$name" | head -n 1)
			[ -n "$lib" ] || continue
			[[ " ${found[*]} " == *" $lib "* ]] || { found+=("$lib"); todo+=("$lib"); }
		done < <(aarch64-linux-gnu-objdump -p "$file" 2>/dev/null |
			sed -n 's/^ *NEEDED *//p')
	done
	printf '%s\n' "${found[@]}"
}

# arm64_install_files STAGE ROOT FILE... - programs from below ROOT and what they load
arm64_install_files()
{
	local stage=$1 root=$2 file

	shift 2
	mkdir -p "$stage/usr/lib/aarch64-linux-gnu"
	for file; do
		cp -L --remove-destination "$file" "$stage/usr/bin/" || die "cannot copy $file"
	done
	for file in $(arm64_needed "$root" "$@"); do
		cp -L "$file" "$stage/usr/lib/aarch64-linux-gnu/" || die "cannot copy $file"
	done
	cp -L "$root/usr/lib/aarch64-linux-gnu/ld-linux-aarch64.so.1" "$stage/usr/lib/" ||
		die "cannot copy the loader"
}

# arm64_programs OUT - build those of our programs that need no more than libc, and the tool,
# for arm64 into OUT
arm64_programs()
{
	local name root

	root=$(arm64_root)
	mkdir -p "$1"
	for name in burst cuts hostile iocheck; do
		make -s -C "$TOP/tools/$name" CC=aarch64-linux-gnu-gcc OUT="$1" guest >&2 ||
			die "tools/$name does not build for arm64"
	done
}
