# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Kernels by name: 6.12 and 6.1 are Debian's newest of each line, unpacked in
# the cache; debug, kcsan and arm64-64k are built from linux-source by debug-kernel;
# newest is what newest.sh tells, arm64 and arm64-16k what arm64.sh does.

# shellcheck source=scripts/lab/suite.sh
. "$LAB/suite.sh"
# shellcheck source=scripts/lab/newest.sh
. "$LAB/newest.sh"
# shellcheck source=scripts/lab/arm64.sh
. "$LAB/arm64.sh"

# built_here NAME - it is not Debian's
built_here()
{
	[ "$1" = debug ] || [ "$1" = kcsan ] || [ "$1" = arm64-64k ]
}

# Steps that make of the debug kernel's build names, give or take a few of each version.
BUILD_STEPS=2200

# build_progress NAME LOG - how far the build of a kernel is, by what make has said
build_progress()
{
	local built

	built=$(grep -cE '^  (CC|AS|LD|AR) ' "$2" || true)
	echo "the $1 kernel: $built of about $BUILD_STEPS objects are built"
}

# image_regex NAME FLAVOUR - how the archive names such a kernel's image
image_regex()
{
	case $1 in
	6.12) echo "linux-image-6\.12\.[0-9]+(\+deb[0-9]+)?-$2" ;;
	6.1) echo "linux-image-6\.1\.[0-9]+-[0-9]+-$2" ;;
	*) die "no kernel '$1': 6.12, 6.1, newest, debug, kcsan, arm64, arm64-16k or arm64-64k" ;;
	esac
}

# kernel_release NAME [FLAVOUR] - what uname -r will say in that kernel
#
# The archive is asked once a day at most; without it the last answer stands.
kernel_release()
{
	local name=$1 flavour=${2:-amd64} memo package

	if built_here "$name"; then
		cat "$("$LAB/debug-kernel" "$name")/release"
		return
	fi
	case $name in
	newest) newest_root | sed 's|.*/||'; return ;;
	arm64*) arm64_release "$name"; return ;;
	esac
	memo=$CACHE/newest/$name-$flavour
	if fresh "$memo" 1440; then
		cat "$memo"
		return
	fi
	package=$(newest_package "$(image_regex "$name" "$flavour")" || true)
	if [ -z "$package" ]; then
		apt_update force
		package=$(newest_package "$(image_regex "$name" "$flavour")" || true)
	fi
	if [ -n "$package" ]; then
		mkdir -p "$CACHE/newest"
		echo "${package#linux-image-}" >"$memo"
	elif [ ! -e "$memo" ]; then
		die "the archive knows no $flavour kernel $name; is bookworm-security among apt's sources?"
	fi
	cat "$memo"
}

# previous_release NAME - the release fetched last, for a day without network
previous_release()
{
	local dir

	for dir in "$CACHE/images/$1".*; do
		[ -e "$dir/vmlinux" ] && basename "$dir"
	done | sort -V | tail -n 1
}

# kernel_image NAME - folder with vmlinux and lib/modules of a kernel, fetched
# when missing
kernel_image()
{
	local release root

	if built_here "$1"; then
		"$LAB/debug-kernel" "$1"
		return
	fi
	release=$(kernel_release "$1")
	[ -n "$release" ] || die "cannot tell which kernel $1 is"
	root=$CACHE/images/$release
	if [ ! -e "$root/vmlinux" ] &&
	   ! locked "image-$release" "$(image_fetcher "$1")" "$release" "$root"; then
		release=$(previous_release "$1")
		[ -n "$release" ] || die "cannot fetch kernel $1"
		say "cannot fetch the newest kernel $1; using $release"
		root=$CACHE/images/$release
	fi
	echo "$root"
}

# image_fetcher NAME - the function that fetches such an image
image_fetcher()
{
	case $1 in
	newest) echo fetch_newest_image ;;
	arm64*) echo fetch_arm64_image ;;
	*) echo fetch_image ;;
	esac
}

fetch_image()
{
	[ ! -e "$2/vmlinux" ] || return 0
	unpack_package "linux-image-$1" "$2" || return 1
	extract_vmlinux "$2/boot/vmlinuz-$1" "$2/vmlinux.new"
	mv "$2/vmlinux.new" "$2/vmlinux"
}

# le FILE OFFSET BYTES - a little-endian number out of a file
le()
{
	od -An -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '
}

# extract_vmlinux BZIMAGE OUT - the ELF inside a bzImage
#
# QEMU starts an ELF kernel by its PVH entry; the kernel then need not unpack
# itself, which takes seconds under emulation.  The offsets are those of the
# x86 boot protocol's header.
extract_vmlinux()
{
	local start size

	start=$((($(le "$1" 497 1) + 1) * 512 + $(le "$1" 584 4)))
	size=$(le "$1" 588 4)
	tail -c "+$((start + 1))" "$1" | head -c "$size" >"$2.packed" || true
	case $(od -An -t x1 -N 4 "$2.packed" | tr -d ' ') in
	28b52ffd) zstd -dcq <"$2.packed" >"$2" 2>/dev/null || true ;;
	fd377a58) xz -dcq --single-stream <"$2.packed" >"$2" 2>/dev/null || true ;;
	1f8b*) gzip -dcq <"$2.packed" >"$2" 2>/dev/null || true ;;
	*) die "$1: unknown compression" ;;
	esac
	rm -f "$2.packed"
	[ "$(od -An -t x1 -N 4 "$2" | tr -d ' ')" = 7f454c46 ] ||
		die "$1: no ELF kernel inside"
}

# kernel_headers NAME [FLAVOUR] - a KDIR to build modules in
kernel_headers()
{
	local name=$1 flavour=${2:-amd64} release root

	if built_here "$name"; then
		echo "$("$LAB/debug-kernel" "$name")/build"
		return
	fi
	release=$(kernel_release "$name" "$flavour")
	[ -n "$release" ] || die "cannot tell which kernel $name is"
	case $name in
	newest) echo "$CACHE/roots/$release/usr/src/linux-headers-$release"; return ;;
	arm64*) arm64_headers "$release"; return ;;
	esac
	root=$CACHE/headers/${release%"-$flavour"}
	[ -e "$root/.stamps/ready-$flavour" ] ||
		locked "headers-${release%"-$flavour"}" \
			fetch_headers "$release" "$flavour" "$root" ||
		die "cannot fetch the headers of $release"
	echo "$root/usr/src/linux-headers-$release"
}

# The three packages hold relative links to each other, so unpacked below one
# root they fit; only the Makefile's include is absolute.
fetch_headers()
{
	local release=$1 flavour=$2 root=$3 abi common kbuild package makefile

	abi=${release%"-$flavour"}
	common=linux-headers-$abi-common
	[ "$flavour" != rt-amd64 ] ||
		! grep -q "linux-headers-$abi-common-rt" <(apt-cache pkgnames) ||
		common=$common-rt
	kbuild=$(newest_package "linux-kbuild-(${abi//+/\\+}|${abi%.*-*})")
	for package in "linux-headers-$release" "$common" "$kbuild"; do
		unpack_package "$package" "$root" || return 1
	done
	makefile=$root/usr/src/linux-headers-$release/Makefile
	sed -i "s|^include /usr/src/|include $root/usr/src/|" "$makefile"
	touch "$root/.stamps/ready-$flavour"
}

# kernel_source - the unpacked linux-source-6.12
kernel_source()
{
	local root version

	version=$(package_version linux-source-6.12 || true)
	if [ -z "$version" ]; then
		version=$(previous_source)
		if [ -z "$version" ]; then
			apt_update force
			version=$(package_version linux-source-6.12 || true)
		fi
	fi
	[ -n "$version" ] || die "the archive knows no linux-source-6.12"
	root=$CACHE/source/$version
	if [ ! -e "$root/ready" ] && ! locked source fetch_source "$root"; then
		version=$(previous_source)
		[ -n "$version" ] || die "cannot fetch linux-source-6.12"
		root=$CACHE/source/$version
	fi
	echo "$root/linux-source-6.12"
}

previous_source()
{
	local ready

	for ready in "$CACHE"/source/*/ready; do
		[ -e "$ready" ] && basename "$(dirname "$ready")"
	done | sort -V | tail -n 1
}

fetch_source()
{
	[ ! -e "$1/ready" ] || return 0
	rm -rf "$1"
	mkdir -p "$1/deb"
	unpack_package linux-source-6.12 "$1/deb" || return 1
	say "unpacking linux-source-6.12"
	tar -xf "$1/deb/usr/src/linux-source-6.12.tar.xz" -C "$1"
	rm -rf "$1/deb"
	touch "$1/ready"
}
