# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What every lab script shares: where things are, how they speak, and how they
# keep out of each other's way.  Source it, do not run it.

set -euo pipefail

LAB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034 # for those who source this
TOP=$(cd "$LAB/../.." && pwd)
CACHE=${SSDUP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/dm-ssdup}
# mkfs and friends live in sbin, which a plain user's PATH may lack
PATH=$PATH:/usr/sbin:/sbin
mkdir -p "$CACHE/locks"

# say WORDS... - one line for the person watching; stdout is for results
say()
{
	printf 'lab: %s\n' "$*" >&2
}

# tell_progress FUNCTION [ARG...] - say what it prints, every now and then: lines, so that a
# log can keep them, and few.  For the background; to be killed, it ends with the script too.
tell_progress()
{
	trap - EXIT INT TERM HUP
	# not the descriptors of whoever waits until they are closed
	while sleep "${PROGRESS_SECONDS:-30}" >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
		say "$("$@")"
	done
}

# die WORDS... - say why and give up
die()
{
	printf 'lab: error: %s\n' "$*" >&2
	exit 1
}

# usage FILE - the comment block at a script's head is its help text
usage()
{
	sed -n '4,/^[^#]/{/^#/!d;s/^# \{0,1\}//;p}' "$1"
}

# locked NAME COMMAND... - run COMMAND with nobody else inside the same NAME
#
# Several machines may be started at once from one cache: whoever comes second
# waits, and then finds the work done.
locked()
{
	local name=$1 fd rc=0

	shift
	exec {fd}>"$CACHE/locks/$name"
	flock "$fd"
	"$@" {fd}>&- || rc=$?
	exec {fd}>&-
	return "$rc"
}

# checkout_git ARG... - git on this checkout, which may belong to somebody else, as a
# fresh clone made for CI does: git would refuse to look at it
checkout_git()
{
	git -c safe.directory='*' -C "$TOP" "$@"
}

# has_git - the checkout has a history; an unpacked tarball has none, even if it lies
# in the checkout of something else
has_git()
{
	[ -e "$TOP/.git" ] && checkout_git rev-parse -q --verify HEAD >/dev/null 2>&1
}

# ignored_regex - what .gitignore names, a regular expression for a path a line
ignored_regex()
{
	sed -E '/^(#|$)/d; s/[.]/[.]/g; s/[*]/[^\/]*/g; s/^([^/])/(^|\/)\1/; s/^\//^/
		s/([^/])$/\1$/' "$TOP/.gitignore"
}

# checkout_files WHICH - the files under version control ("tracked"), below $TOP, a line
# each, or also those that could be ("new"). Without a history: all that a build does not make.
checkout_files()
{
	local file

	if has_git; then
		case $1 in
		tracked) checkout_git ls-files -c ;;
		new) checkout_git ls-files -co --exclude-standard ;;
		esac
	else
		(cd "$TOP" && find . -path ./.git -prune -o -type f -printf '%P\n') |
			grep -vE -f <(ignored_regex) | sort
	fi | while IFS= read -r file; do
		# one that was deleted, and not yet for git
		[ ! -f "$TOP/$file" ] || echo "$file"
	done
}

# measured_source - the commit that changed last what the benchmarks measure
measured_source()
{
	local parts=(dm-ssdup tools/disks tools/burst) dirty=''

	has_git || { echo unknown; return; }
	checkout_git diff --quiet HEAD -- "${parts[@]}" || dirty=-dirty
	echo "$(checkout_git log -1 --format=%h -- "${parts[@]}")$dirty"
}

# hash_of FILE... - one short name for the contents and names of these files
hash_of()
{
	sha256sum -- "$@" | sha256sum | cut -c1-16
}

# fresh FILE MINUTES - true when FILE was touched within that many minutes
fresh()
{
	[ -n "$(find "$1" -maxdepth 0 -mmin "-$2" 2>/dev/null)" ]
}
