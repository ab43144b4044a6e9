# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Packages of a suite or an architecture that is not the host's: apt with lists of its
# own, and a folder into which packages are unpacked with all that they depend on. None of
# it needs root, and nothing of it is installed. Each call ends within its time; what went
# wrong is the last line of stderr.

SUITE_KEYS=/usr/share/keyrings/debian-archive-keyring.gpg
SUITE_LISTS_SECONDS=120
SUITE_FETCH_SECONDS=480

# mirror_of CODENAME DEFAULT - where this host has that part of Debian from
mirror_of()
{
	local uri

	# shellcheck disable=SC2016 # apt-get expands it
	uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
		'Origin: Debian' "Codename: $1" 2>/dev/null | head -n 1) || true
	echo "${uri:-$2}"
}

# suite_sources SUITE - apt's lines for it and for what it builds on
suite_sources()
{
	local mirror security

	mirror=$(mirror_of bookworm http://deb.debian.org/debian)
	security=$(mirror_of bookworm-security http://deb.debian.org/debian-security)
	echo "deb [signed-by=$SUITE_KEYS] $mirror $1 main"
	case $1 in
	*-backports) echo "deb [signed-by=$SUITE_KEYS] $mirror ${1%-backports} main" ;;
	bookworm) echo "deb [signed-by=$SUITE_KEYS] $security bookworm-security main" ;;
	esac
}

# suite_dir SUITE ARCH - where its lists are
suite_dir()
{
	echo "$CACHE/suites/$1-$2"
}

# suite_apt SUITE ARCH COMMAND... - apt-get or apt-cache with the lists of that suite
#
# A Release file that has run out is as good as any: an archive may stand still.
suite_apt()
{
	local conf program=$3

	conf=$(suite_dir "$1" "$2")/apt.conf
	shift 3
	"$program" -c "$conf" "$@"
}

# write_suite SUITE ARCH DIR - what suite_apt reads
write_suite()
{
	mkdir -p "$3"/{lists,cache}/partial "$3/preferences.d"
	: >"$3/status"
	suite_sources "$1" >"$3/sources.list"
	cat >"$3/apt.conf" <<-CONF
	#clear APT::Update;
	#clear DPkg;
	#clear APT::Architectures;
	APT::Architecture "$2";
	APT::Architectures { "$2"; "amd64"; };
	APT::Install-Recommends "false";
	APT::Sandbox::User "root";
	APT::Get::Assume-Yes "true";
	Acquire::Check-Valid-Until "false";
	Acquire::Languages "none";
	Acquire::Retries "2";
	Acquire::http::Timeout "30";
	Debug::NoLocking "true";
	Dir::State "$3";
	Dir::State::lists "$3/lists";
	Dir::State::status "$3/status";
	Dir::Cache "$3/cache";
	Dir::Cache::archives "$3/cache";
	Dir::Cache::pkgcache "pkgcache.bin";
	Dir::Cache::srcpkgcache "srcpkgcache.bin";
	Dir::Etc::sourcelist "$3/sources.list";
	Dir::Etc::sourceparts "-";
	Dir::Etc::preferences "-";
	Dir::Etc::preferencesparts "$3/preferences.d";
	CONF
}

# suite_update SUITE ARCH - its lists are there, and at most a day old; older ones will
# do when the archive does not answer. Return: 0 when there are some.
suite_update()
{
	locked "suite-$1-$2" update_lists "$1" "$2" "$(suite_dir "$1" "$2")"
}

update_lists()
{
	! fresh "$3/updated" 1440 || return 0
	say "refreshing the package lists of $1, $2"
	write_suite "$1" "$2" "$3" || return 1
	if timeout -k 10 "$SUITE_LISTS_SECONDS" \
		apt-get -c "$3/apt.conf" -qq --error-on=any update >"$3/log" 2>&1; then
		touch "$3/updated"
		return 0
	fi
	tail -n 1 "$3/log" >&2
	[ -e "$3/updated" ] || return 1
	say "going on with the lists there are"
}

# suite_package SUITE ARCH REGEX - the newest package name there that matches, or nothing
suite_package()
{
	suite_apt "$1" "$2" apt-cache pkgnames | grep -Ex -- "$3" | sort -V | tail -n 1
}

# suite_unpack install|download SUITE ARCH ROOT PACKAGE... - unpack these below ROOT; with
# install, all that they depend on as well
suite_unpack()
{
	local tmp rc=0

	tmp=$(mktemp -d "$CACHE/download.XXXXXX")
	fetch_and_unpack "$tmp" "$@" || rc=$?
	rm -rf "$tmp"
	return $rc
}

fetch_and_unpack()
{
	local tmp=$1 how=$2 suite=$3 arch=$4 root=$5 dir deb

	shift 5
	say "fetching $* of $suite, $arch"
	mkdir "$tmp/partial"
	[ "$how" = download ] || set -- --download-only -o "Dir::Cache::archives=$tmp" "$@"
	if ! (cd "$tmp" && timeout -k 10 "$SUITE_FETCH_SECONDS" apt-get \
		-c "$(suite_dir "$suite" "$arch")/apt.conf" -qq "$how" "$@") >"$tmp/log" 2>&1; then
		tail -n 1 "$tmp/log" >&2
		return 1
	fi
	for dir in bin sbin lib lib64; do
		mkdir -p "$root/usr/$dir" || return 1
		[ -e "$root/$dir" ] || ln -s "usr/$dir" "$root/$dir" || return 1
	done
	for deb in "$tmp"/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$root" --keep-directory-symlink \
			--no-same-owner --exclude='./usr/share/doc' --exclude='./usr/share/man' \
			--exclude='./usr/share/locale' || return 1
	done
}
