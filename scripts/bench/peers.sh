# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the peers need that is not in a kernel: fetched by package name, and kept
# in the cache.  Uses scripts/lab/apt.sh and kernel.sh.

# make_bcache_program - path of make-bcache, or nothing
make_bcache_program()
{
	local root=$CACHE/bcache-tools

	unpack_package bcache-tools "$root" >&2 || return 1
	echo "$root/usr/sbin/make-bcache"
}

# writeboost_module KERNEL - path of dm-writeboost.ko, built from Debian's source
# for that kernel; fails where that does not build, the reason in $CACHE/...log
writeboost_module()
{
	local root=$CACHE/dm-writeboost release source build

	unpack_package dm-writeboost-dkms "$root" >&2 || return 1
	release=$(kernel_release "$1")
	build=$root/built/$release
	locked "writeboost-$1" build_writeboost "$1" "$root" "$build"
	[ -e "$build/dm-writeboost.ko" ] || return 1
	echo "$build/dm-writeboost.ko"
}

# build_writeboost KERNEL ROOT BUILD - once for each version of both
build_writeboost()
{
	local source

	source=$(find "$2/usr/src" -maxdepth 1 -name 'dm-writeboost-*' | sort -V | tail -n 1)
	if [ -e "$3/.tried" ] && [ "$(<"$3/.tried")" = "${source##*/}" ]; then
		return 0
	fi
	rm -rf "$3"
	mkdir -p "${3%/*}"
	cp -r "$source" "$3"
	make -C "$(kernel_headers "$1")" M="$3" modules >"$3/log" 2>&1 || true
	echo "${source##*/}" >"$3/.tried"
}
