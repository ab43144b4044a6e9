# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Building this checkout's modules in copies kept in the cache: one copy for
# each kernel and purpose, so that builds do not disturb each other or the
# checkout, and a second build does only what changed.

# copy_dir NAME - this checkout's copy for NAME, which outlives the build
copy_dir()
{
	echo "$CACHE/build/$(sha256sum <<<"$TOP" | cut -c1-8)-$1"
}

# module_copy NAME - the same for modules. For scripts/test it is one that no other run of tests uses
# meanwhile, whichever checkout used it last: so a fresh clone builds only what differs.
module_copy()
{
	if [ "${SSDUP_PLACE:-}" ]; then
		echo "$CACHE/build/place-$SSDUP_PLACE-$1"
	else
		copy_dir "$1"
	fi
}

# module_sources DIR - the files of DIR a module build reads, below DIR
module_sources()
{
	(cd "$1" && find . -type f \( -name '*.[chS]' -o -name Kbuild \
		-o -name Makefile \) ! -name '*.mod.c' -print)
}

# for_headers KDIR COPY - COPY holds nothing built with other headers than are in KDIR now, or by
# another compiler: make goes by times, and those of a package are older than what was built with
# the last
for_headers()
{
	local sum

	sum="$(hash_of "$1"/include/generated/*.h) $(gcc-12 -dumpfullversion)"
	[ ! -e "$2/built-with" ] || [ "$(<"$2/built-with")" = "$sum" ] || rm -rf "$2"
	mkdir -p "$2"
	echo "$sum" >"$2/built-with"
}

# make_modules KERNEL KDIR COPY DIR ARG... - make with the headers of KERNEL in KDIR, for the
# modules of DIR in COPY
make_modules()
{
	local kernel=$1 kdir=$2 copy=$3 dir=$4

	shift 4
	case $kernel in
	newest) newest_make "${kdir%/usr/src/*}" "$copy" "$dir" "$@" ;;
	arm64*) make -C "$kdir" M="$copy/$dir" ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- "$@" ;;
	*) make -C "$kdir" M="$copy/$dir" "$@" ;;
	esac
}

# build_modules KERNEL KDIR COPY DIR ARG... - the same, of what the checkout has now
build_modules()
{
	sync_sources "$3" || die "cannot copy the sources"
	make_modules "$@"
}

# checked_copy KERNEL - the copy in which the modules are built with all checks, by lint or for a
# machine, whoever comes first
checked_copy()
{
	module_copy "lint-$1-amd64"
}

SPARSE_FLAGS="-D__CHECK_ENDIAN__ -fdiagnostic-prefix=sparse"

# findings COPY - what sparse says of our files, and modpost, in the log of a build there; fails
# without any. Debian's own headers have some, too.
findings()
{
	awk -v at="$1/" '
		index($0, at) == 1 { $0 = substr($0, length(at) + 1) }
		/^(dm-ssdup|tools|kunit)\/[^:]*:[0-9:]* sparse: (warning|error):/ ||
		/^WARNING: modpost:/ { print; nr++ }
		END { exit !nr }' "$1/log"
}

# checked_modules KERNEL KDIR COPY DIR... - build them at W=1 with sparse, all that the checkout has
# now. Warnings are errors, so that an object with one is not made, and a second run sees it again.
# Sparse and modpost say what they find of what is made: then all is built again the next time.
checked_modules()
{
	local kernel=$1 kdir=$2 copy=$3 dir how rc=0 killed=''

	shift 3
	how="$(sparse --version) $(sha256sum <"$LAB/build.sh")"
	[ "$(cat "$copy/sparse-found-nothing" 2>/dev/null)" = "$how" ] ||
		rm -rf "${copy:?}"/{dm-ssdup,tools,kunit}
	rm -f "$copy/sparse-found-nothing"
	sync_sources "$copy" || die "cannot copy the sources"
	for dir; do
		make_modules "$kernel" "$kdir" "$copy" "$dir" -j"$(nproc)" W=1 KCFLAGS=-Werror \
			C=1 CF="$SPARSE_FLAGS" modules || { [ $? -lt 128 ] || killed=1; rc=1; }
	done >"$copy/log" 2>&1
	[ $rc = 0 ] || cat "$copy/log"
	findings "$copy" >&2 || [ "$killed" ] || echo "$how" >"$copy/sparse-found-nothing"
	return $rc
}

# holding NAME COMMAND... - as locked does, and what it starts holds the lock, too: make goes on
# when this is killed, and nobody else may touch the sources meanwhile
holding()
{
	local fd rc=0

	exec {fd}>"$CACHE/locks/$1"
	flock "$fd"
	shift
	"$@" || rc=$?
	exec {fd}>&-
	return "$rc"
}

# modules_key DIR - one short name for the modules in it
modules_key()
{
	(cd "$1" && find . -name '*.ko' -exec sha256sum {} + | sort | sha256sum | cut -c1-16)
}

# kept_modules KEY - modules of that name are in the cache, and whole: a removal may have
# been interrupted
kept_modules()
{
	[ -d "$CACHE/modules/$1" ] && [ "$(modules_key "$CACHE/modules/$1")" = "$1" ]
}

# sources_sum COPY WORD... - a sum of the sources of COPY and of the WORDs
sources_sum()
{
	local copy=$1

	shift
	{
		echo "$*"
		(cd "$copy" && module_sources . | sort | tr '\n' '\0' | xargs -0 sha256sum)
	} | sha256sum | cut -c1-16
}

# sync_sources COPY - make COPY's sources equal the checkout's, touching only
# what differs, so that kbuild rebuilds only that; 1 when it cannot
sync_sources()
{
	local copy=$1 dir file

	for dir in dm-ssdup tools kunit; do
		[ -d "$TOP/$dir" ] || { rm -rf "${copy:?}/$dir"; continue; }
		mkdir -p "$copy/$dir"
		module_sources "$TOP/$dir" | while read -r file; do
			cmp -s "$TOP/$dir/$file" "$copy/$dir/$file" ||
				install -D -m 644 "$TOP/$dir/$file" "$copy/$dir/$file" ||
				exit 1
		done || return 1
		module_sources "$copy/$dir" | while read -r file; do
			# make would take the object, and not miss the file
			[ -e "$TOP/$dir/$file" ] ||
				rm -f "$copy/$dir/${file%.*}.o" "$copy/$dir/$file" || exit 1
		done || return 1
	done
}

# our_programs OUT - build the programs tests use in the guest into OUT
#
# Whatever tools/NAME/Makefile has a target "guest" takes part: it puts static
# programs into $(OUT).
our_programs()
{
	local makefile

	mkdir -p "$1"
	for makefile in "$TOP"/tools/*/Makefile; do
		grep -qs '^guest:' "$makefile" || continue
		make -s -C "${makefile%/*}" OUT="$1" guest >&2 ||
			die "${makefile#"$TOP"/} does not build"
	done
}
