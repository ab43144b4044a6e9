# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The newest line of kernels that is supported, named in the file newest-line as a suite
# and a line: its headers and their compiler in a folder of their own, and builds in there,
# since that compiler needs newer libraries than the host has. SSDUP_NEWEST="SUITE LINE"
# has another line tried.

# newest_line - the suite and the line
newest_line()
{
	local line

	# the file has a licence line, too
	line=${SSDUP_NEWEST:-$(sed '/^#/d' "$LAB/newest-line")}
	[[ $line =~ ^[a-z-]+\ [0-9]+\.[0-9]+$ ]] || die "'$line' is no suite and line"
	echo "$line"
}

# newest_release SUITE LINE - the newest release of that line in the archive, or nothing
newest_release()
{
	suite_package "$1" amd64 "linux-headers-${2//./\\.}\.[0-9]+\+deb[0-9]+-amd64" |
		sed 's/^linux-headers-//'
}

# newest_root - folder with headers, compiler and make of the newest line; its name ends
# in the kernel's release. Return: 1 when it cannot be had, and stderr says why.
newest_root()
{
	local suite line release root

	read -r suite line < <(newest_line)
	suite_update "$suite" amd64 || return 1
	release=$(newest_release "$suite" "$line" || true)
	if [ -z "$release" ]; then
		say "$suite has no kernel $line any more, or not yet"
		return 1
	fi
	root=$CACHE/roots/$release
	if [ ! -e "$root/ready" ]; then
		locked "root-$release" make_newest_root "$suite" "$release" "$root" || return 1
	fi
	echo "$root"
}

make_newest_root()
{
	local suite=$1 release=$2 root=$3

	[ ! -e "$root/ready" ] || return 0
	rm -rf "$root"
	suite_unpack install "$suite" amd64 "$root" "linux-headers-$release" bash dash \
		binutils coreutils sed grep mawk findutils diffutils make || return 1
	ln -sf mawk "$root/usr/bin/awk" || return 1
	mkdir -p "$root"/{proc,dev,tmp} || return 1
	touch "$root/dev/null" "$root/ready" || return 1
	find "$CACHE/roots" -mindepth 1 -maxdepth 1 ! -path "$root" -mtime +8 \
		-exec rm -rf {} +
}

# in_root ROOT WORK COMMAND... - run it there, WORK being /build; what is mounted for that,
# is for this process only, and gone with it
in_root()
{
	local root=$1 work=$2 enter=(unshare --mount)

	shift 2
	mkdir -p "$root/build" || return 1
	[ "$(id -u)" = 0 ] || enter+=(--map-root-user)
	# shellcheck disable=SC2016 # for the inner shell
	"${enter[@]}" --propagation private sh -c '
		mount --rbind /proc "$1/proc" && mount --bind /dev/null "$1/dev/null" &&
		mount --bind "$2" "$1/build" || exit 99
		root=$1
		shift 2
		exec chroot "$root" /usr/bin/env -i PATH=/usr/bin:/usr/sbin LC_ALL=C \
			DEB_BUILD_ARCH=amd64 "$@"
	' sh "$root" "$work" "$@"
}

# newest_works ROOT - a module of three lines can be built there: if ours cannot, it is ours
newest_works()
{
	local work rc=0

	[ ! -e "$1/works" ] || return 0
	work=$(mktemp -d "$CACHE/probe.XXXXXX")
	echo 'obj-m := probe.o' >"$work/Kbuild"
	printf '#include <linux/module.h>\nMODULE_LICENSE("GPL");\nMODULE_DESCRIPTION("probe");\n' \
		>"$work/probe.c"
	newest_make "$1" "$work" . W=1 KCFLAGS=-Werror modules \
		>"$work/log" 2>&1 || rc=$?
	[ -e "$work/probe.ko" ] || rc=${rc/#0/1}
	if [ "$rc" = 0 ]; then
		touch "$1/works"
	else
		tail -n 1 "$work/log" >&2
	fi
	rm -rf "$work"
	return "$rc"
}

# newest_make ROOT COPY DIR ARG... - make there, for the modules of DIR in COPY
newest_make()
{
	local root=$1 copy=$2 dir=$3

	shift 3
	in_root "$root" "$copy" timeout -k 10 300 make \
		-C "/usr/src/linux-headers-${root##*/}" M="/build/$dir" "$@"
}

# fetch_newest_image RELEASE ROOT - the kernel and its modules, below ROOT
fetch_newest_image()
{
	local release=$1 root=$2 suite binary

	[ ! -e "$root/vmlinux" ] || return 0
	read -r suite _ < <(newest_line)
	# signed first; that comes some days after the other one
	binary=$(suite_package "$suite" amd64 "linux-binary-${release//+/\\+}" ||
		suite_package "$suite" amd64 "linux-binary-unsigned-${release//+/\\+}") || return 1
	suite_unpack download "$suite" amd64 "$root" "$binary" \
		"linux-modules-$release" "linux-base-$release" || return 1
	extract_vmlinux "$root/usr/lib/modules/$release/vmlinuz" "$root/vmlinux.new"
	mv "$root/vmlinux.new" "$root/vmlinux"
}
