# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Packages by name: tools are installed, kernels only unpacked into the cache.
# Point releases come and go in the archive, so the newest is asked for each
# time and none is named here.

# The tools a host needs: one "command package" or "/file package" a line, or
# "static:/file package" for a program that must not need libraries.
host_tools()
{
	cat <<-'LIST'
	gcc build-essential
	gcc-12 gcc-12
	make make
	bc bc
	flex flex
	bison bison
	/usr/include/libelf.h libelf-dev
	/usr/include/openssl/ssl.h libssl-dev
	cpio cpio
	modprobe kmod
	xz xz-utils
	zstd zstd
	perl perl
	pahole pahole
	python3 python3
	flock util-linux
	sfdisk fdisk
	losetup mount
	qemu-system-x86_64 qemu-system-x86
	static:/bin/busybox busybox-static
	fio fio
	dmsetup dmsetup
	mkfs.ext4 e2fsprogs
	mkfs.xfs xfsprogs
	mkfs.btrfs btrfs-progs
	blktrace blktrace
	sqlite3 sqlite3
	lua5.1 lua5.1
	sparse sparse
	shellcheck shellcheck
	docutils python3-docutils
	LIST
	tool_libraries
}

# tool_libraries - those that tools/ssdup is built with
tool_libraries()
{
	cat <<-'LIST'
	/usr/include/blkid/blkid.h libblkid-dev
	/usr/include/uuid/uuid.h uuid-dev
	/usr/include/libdevmapper.h libdevmapper-dev
	/usr/include/libudev.h libudev-dev
	/usr/include/libsmartcols/libsmartcols.h libsmartcols-dev
	/usr/include/json-c/json.h libjson-c-dev
	LIST
}

# tool_build - what "make tools" needs
tool_build()
{
	echo cc build-essential
	tool_libraries
}

# deb_build - what "make deb" needs
deb_build()
{
	cat <<-'LIST'
	/usr/share/build-essential/list build-essential
	dpkg-buildpackage dpkg-dev
	dh debhelper
	dh_dkms dh-dkms
	LIST
	tool_libraries
}

# deb_check - the same, with what looks at the packages
deb_check()
{
	deb_build
	echo lintian lintian
}

# as_root COMMAND... - directly, or through sudo
as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		say "not root and no sudo: cannot run $*"
		return 1
	fi
}

# apt_update [force] - refresh the package lists, at most once a day
apt_update()
{
	local stamp=$CACHE/apt-updated

	if [ "${1:-}" != force ] && fresh "$stamp" 1440; then
		return 0
	fi
	say "refreshing the package lists (apt-get update)"
	if as_root apt-get -qq update >&2; then
		touch "$stamp"
	else
		say "apt-get update failed; going on with the lists there are"
	fi
}

# install_tools - install what host_tools() names and this host lacks
install_tools()
{
	install_listed host_tools
}

# install_listed LIST - the same with what the function LIST prints
install_listed()
{
	local missing

	mapfile -t missing < <(missing_packages "$1")
	[ ${#missing[@]} -gt 0 ] || return 0
	say "packages that are installed on this machine now, with apt-get: ${missing[*]}"
	apt_update
	apt_install "${missing[@]}" || { apt_update force && apt_install "${missing[@]}"; } ||
		die "cannot install ${missing[*]}; install them by hand"
}

# missing_packages LIST - those of the function LIST that this host lacks, a line each
missing_packages()
{
	local probe package

	while read -r probe package; do
		case $probe in
		static:*) is_static "${probe#static:}" ;;
		/usr/include/*) has_header "${probe#/usr/include/}" ;;
		/*) [ -e "$probe" ] ;;
		*) command -v "$probe" >/dev/null ;;
		esac || echo "$package"
	done < <("$1")
}

# has_header NAME - the compiler finds it, wherever it is
has_header()
{
	echo "#include <$1>" | ${CC:-cc} -E -x c - >/dev/null 2>&1
}

# is_static FILE - busybox is also the name of a package that is not
is_static()
{
	[ -e "$1" ] && ! ldd "$1" >/dev/null 2>&1
}

apt_install()
{
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
		--no-install-recommends "$@" >&2
}

# newest_package REGEX - the newest package name that matches, or nothing
newest_package()
{
	apt-cache pkgnames | grep -Ex -- "$1" | sort -V | tail -n 1
}

# promtool - the checker of Prometheus' rules and metrics, unpacked into the cache, not installed
promtool()
{
	local root=$CACHE/programs/prometheus

	locked prometheus unpack_package prometheus "$root" ||
		[ -x "$root/usr/bin/promtool" ] || die "cannot fetch promtool (package prometheus)"
	echo "$root/usr/bin/promtool"
}

# package_version NAME - the version apt would install, safe for a file name
package_version()
{
	apt-cache policy "$1" 2>/dev/null |
		sed -n 's/^  Candidate: //p' | grep -v none | tr -c 'A-Za-z0-9.+\n-' _
}

# unpack_package NAME ROOT - download and unpack NAME below ROOT, once
#
# A stamp remembers the version; nothing is fetched while it is the newest.
# Return: 0 when some version of it is there.
unpack_package()
{
	local name=$1 root=$2 version stamp tmp

	version=$(package_version "$name" || true)
	stamp=$root/.stamps/$name
	if [ -e "$stamp" ] && [ "${version:-$(<"$stamp")}" = "$(<"$stamp")" ]; then
		return 0
	fi
	[ -n "$version" ] || return 1
	say "fetching $name ($version)"
	mkdir -p "$root/.stamps"
	tmp=$(mktemp -d "$CACHE/download.XXXXXX")
	chmod 755 "$tmp"
	if ! (cd "$tmp" && apt-get -qq download "$name" 2>apt.log); then
		apt_update force
		(cd "$tmp" && apt-get -qq download "$name" 2>apt.log) || {
			cat "$tmp/apt.log" >&2
			rm -rf "$tmp"
			return 1
		}
	fi
	dpkg -x "$tmp"/*.deb "$root"
	rm -rf "$tmp"
	echo "$version" >"$stamp"
}
