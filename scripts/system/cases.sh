# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2016 # what a chroot is to expand
#
# What scripts/test-system does with its machines, from outside. The lines of a
# machine's report become lines of the test's.

# verify NAME COMMAND... - one check from outside
verify()
{
	local name=$1

	shift
	check "$CASE: $name" "$@"
}

# step DIR STEP [OPTIONS of boot()...] - boot for one step, and report it
step()
{
	local dir=$1 step=$2 rc=0

	boot "$@" || rc=$?
	tr -d '\r' <"$dir/report" |
		sed -n "s/^ok /ok $CASE: $step: /p; s/^FAIL /FAIL $CASE: $step: /p; /^    /p"
	if [ $rc = 125 ]; then
		echo "FAIL $CASE: $step: the machine did not come to an end"
		tail -n 25 "$dir/console" | tr -d '\r' | sed 's/^/    /'
		keep_log "$dir"
		return 1
	fi
	[ $rc = 0 ] || keep_log "$dir"
	verify "$step: goes down in time (in $DOWN s)" test "$DOWN" -lt 90
}

# keep_log DIR - for whoever has to find out
keep_log()
{
	mkdir -p "$TOP/build/system"
	cp "$1/log" "$TOP/build/system/$CASE.log"
	echo "    the log is build/system/$CASE.log"
}

# log_says DIR WORDS... - what the host's tool says of the machine's SSD
log_says()
{
	local word output

	output=$("$TOP/tools/ssdup/ssdup" probe --export "$1/ssd.img") || return
	echo "$output"
	shift
	for word; do
		[[ $output == *"$word"* ]] || return 1
	done
}

# release DIR - of the kernel the machine boots
release()
{
	machine_chroot "$1" readlink /boot/vmlinuz | sed 's/^vmlinuz-//'
}

# Versions of the two sets of packages.
OLD=1.0~test
NEW=1.1~test

# install_debs DIR VERSION - those, by apt, on the disks of a machine that is off
install_debs()
{
	rm -rf "${1:?}/files"/*
	cp "$WORK/deb-$2"/*.deb "$1/files"
	machine_chroot "$1" sh -c 'apt-get -y install /opt/*.deb'
}

# case_packages WORK - make them, install and upgrade; leaves the machines "old" and
# "new", with either set
case_packages()
{
	local kernel
	CASE=packages WORK=$1

	verify "the tool builds" make -s -C "$TOP/tools/ssdup" || return
	verify "make deb, lintian" "$TOP/scripts/packaging/deb" --version "$OLD" \
		--out "$WORK/deb-$OLD"
	verify "documentation, pages and symbols are in them" complete "$WORK/deb-$OLD"
	verify "another version" "$TOP/scripts/packaging/deb" --version "$NEW" --no-lintian \
		--out "$WORK/deb-$NEW" || return
	machine_new "$WORK/old"
	kernel=$(release "$WORK/old")
	verify "apt installs them" install_debs "$WORK/old" "$OLD" || return
	verify "built for the machine's kernel, not the one that runs" test "$(modules "$WORK/old")" \
		= "$OLD $kernel"
	verify "modinfo tells the version" test \
		"$(machine_chroot "$WORK/old" modinfo -k "$kernel" -F version dm-ssdup)" = "$OLD"
	machine_copy "$WORK/old" "$WORK/new"
	verify "apt upgrades them" install_debs "$WORK/new" "$NEW" || return
	verify "the new module has taken the place of the old" \
		test "$(modules "$WORK/new")" = "$NEW $kernel"
	machine_copy "$WORK/new" "$WORK/removed"
	verify "apt removes and purges them" machine_chroot "$WORK/removed" sh -c \
		'echo "# name" >/etc/ssduptab && apt-get -y purge ssdup dm-ssdup-dkms'
	verify "nothing is left" test -z "$(machine_chroot "$WORK/removed" sh -c \
		'find /etc /lib /usr /var/lib -xdev -iname "*ssdup*" ! -path "*ssdup-test*" \
		! -name ssdup-second-kernel ! -path "/var/lib/dpkg/*"')"
	verify "they install and upgrade where /proc is not mounted" install_without_proc "$WORK/removed"
	rm -rf "$WORK/removed"
}

# in_tree DIR COMMAND... - in a chroot that is a folder
in_tree()
{
	local dir=$1

	shift
	# shellcheck disable=SC2016 # expanded there
	unshare -m --propagation private sh -ec 'dir=$1
		shift
		mount -t proc proc "$dir/proc"
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
			DEBIAN_FRONTEND=noninteractive chroot "$dir" "$@"' - "$dir" "$@"
}

make_trixie()
{
	suite_sources trixie | mmdebstrap --variant=apt --skip=cleanup/apt/lists \
		--aptopt='Acquire::Check-Valid-Until "false"' \
		--include=dkms,linux-headers-amd64,udev,dmsetup,kmod,initramfs-tools \
		trixie "$1" - 2>&1
}

# case_trixie WORK - the packages that Debian 12 has built, on Debian 13
case_trixie()
{
	local tree=$1/trixie kernel
	CASE=trixie WORK=$1

	verify "mmdebstrap" make_trixie "$tree" || return
	cp "$WORK/deb-$OLD"/ssdup_*.deb "$WORK/deb-$OLD"/dm-ssdup-dkms_*.deb "$tree/opt"
	verify "apt installs them" in_tree "$tree" sh -c 'apt-get -y install /opt/*.deb' || return
	kernel=$(basename "$tree"/lib/modules/*)
	verify "DKMS builds for $kernel" test \
		"$(in_tree "$tree" modinfo -k "$kernel" -F version dm-ssdup)" = "$OLD"
	verify "the tool runs" in_tree "$tree" sh -ec 'cd /tmp
		truncate -s 64M ssd
		truncate -s 256M hdd
		ssdup format hdd ssd
		ssdup check hdd ssd
		ssdup export hdd ssd'
	rm -rf "$tree"
}

# install_without_proc DIR - with the kernel headers there, so that DKMS is asked to build
install_without_proc()
{
	rm -rf "${1:?}/files"/*
	cp -r "$WORK/deb-$OLD" "$WORK/deb-$NEW" "$1/files"
	machine_chroot "$1" sh -ec 'umount /proc
		dpkg -i /opt/*'"$OLD"'/*.deb
		dpkg -i /opt/*'"$NEW"'/*.deb
		dpkg-query -W -f "\${Status}\n" ssdup dm-ssdup-dkms | sort -u >/tmp/is
		echo "install ok installed" | cmp - /tmp/is'
}

# complete DIR - the packages there have all that is not built
complete()
{
	local page file

	for page in "$TOP"/Documentation/*.{rst,svg}; do
		for file in ssdup dm-ssdup-dkms; do
			holds "$1/${file}_"*.deb "./usr/share/doc/$file/${page#"$TOP"/}" || return
		done
	done
	for file in man8/ssdup.8 man5/ssduptab.5; do
		holds "$1"/ssdup_*.deb "./usr/share/man/$file.gz" || return
	done
	dpkg-deb -c "$1"/ssdup-dbgsym_*.deb | grep '\.debug$'
}

# holds DEB FILE
holds()
{
	dpkg-deb --fsys-tarfile "$1" | tar -t | grep -xF -e "$2" ||
		{ echo "$2 is not in $1"; return 1; }
}

# modules DIR - the modules of ours in a machine: "version kernel", a line each
modules()
{
	machine_chroot "$1" sh -c 'dkms status dm-ssdup | sed -n \
		"s|^dm-ssdup/\([^,]*\), \([^,]*\), .*: installed|\1 \2|p" | while read -r v k; do
		ls /lib/modules/$k/updates/dkms/dm-ssdup.ko* >/dev/null && echo $v $k; done'
}

# upgrade_all DIR - the second set of packages, and the other line of kernels
upgrade_all()
{
	install_debs "$1" "$NEW"
	machine_chroot "$1" sh -c 'second=$(cat /etc/ssdup-second-kernel)
		test -z "$second" || apt-get -y --no-download install \
			linux-image-$second linux-headers-$second'
}

# case_guide WORK - each command of the administrator's guide
case_guide()
{
	local dir=$1/guide
	CASE=guide WORK=$1

	machine_copy "$WORK/old" "$dir"
	step "$dir" guide "$TOP"/Documentation/{guide-commands,admin-guide.rst} || return
	rm -rf "$dir"
}

# case_data WORK - a file system on a device beside /
case_data()
{
	local kernel dir=$1/data
	CASE=data WORK=$1

	machine_copy "$WORK/old" "$dir"
	step "$dir" create || return
	verify "a shutdown does not drain" log_says "$dir" SSDUP_DIRTY=1 SSDUP_CLEAN=1
	step "$dir" verify || return
	kernel=$(release "$dir")
	verify "upgrade of the packages and the kernel" upgrade_all "$dir" || return
	release "$dir" >"$dir/kernel"
	echo "$NEW" >"$dir/version"
	verify "the new kernel boots next" test "$(cat "$dir/kernel")" != "$kernel"
	verify "DKMS has built for it" says_line "$NEW $(cat "$dir/kernel")" modules "$dir"
	step "$dir" gone "$dir/kernel" "$dir/version" || return
	verify "the log still holds data" log_says "$dir" SSDUP_DIRTY=1
	step "$dir" no-ssd --ssd out || return
	verify "the log is gone" fails log_says "$dir"
	step "$dir" plain --ssd out
}

says_line()
{
	local line=$1

	shift
	"$@" | tee /dev/stderr | grep -qxF "$line"
}

# case_layers WORK - partitions, LVM and md, below and above
case_layers()
{
	local dir=$1/layers
	CASE=layers WORK=$1

	machine_copy "$WORK/old" "$dir"
	step "$dir" layers --twice in || return
	# arrays by their names, and which HDDs are hidden there too
	verify "an initramfs that knows of them" machine_chroot "$dir" update-initramfs -u || return
	step "$dir" layers-again || return
	step "$dir" layers-no-ssd --ssd out || return
	rm -rf "$dir"
}

# case_several WORK - two SSDs for three HDDs: their order changes, and one of them comes late
case_several()
{
	local dir=$1/several
	CASE=several WORK=$1

	machine_copy "$WORK/old" "$dir"
	step "$dir" several --more in || return
	verify "an initramfs that knows of them" machine_chroot "$dir" update-initramfs -u || return
	step "$dir" several-again --more swapped || return
	step "$dir" several-again --more in || return
	step "$dir" several-late --more in --ssd out || return
	rm -rf "$dir"
}

# takers DIR LINES - which of dracut and initramfs-tools take an ssduptab of these along
takers()
{
	machine_chroot "$1" bash -c '
		printf "$1" >/etc/ssduptab
		mkdir -p /tmp/image/etc
		DESTDIR=/tmp/image verbose=n /usr/share/initramfs-tools/hooks/ssdup \
			>/dev/null 2>&1
		require_binaries() { :; }
		. /usr/lib/dracut/modules.d/90ssdup/module-setup.sh
		! check || echo dracut
		! cmp -s /etc/ssduptab /tmp/image/etc/ssduptab || echo initramfs-tools
		rm -r /etc/ssduptab /tmp/image' - "$2"
}

# root_line DIR - make the machine's own disk the HDD of a device, with what is on it; and a
# faulty line for another disk
root_line()
{
	local uuid

	"$TOP/tools/ssdup/ssdup" format "$1/root.img" "$1/ssd.img"
	uuid=$("$TOP/tools/ssdup/ssdup" probe --export "$1/ssd.img" |
		sed -n 's/^ID_FS_UUID=//p')
	echo "sysroot /dev/disk/by-id/virtio-ssdup-root UUID=$uuid" \
		"policy=all,drain=manual,x-initrd.attach" >"$1/files/ssduptab"
	echo "faulty /dev/disk/by-id/virtio-ssdup-hdd UUID=$uuid policy=all, drain=manual" \
		>>"$1/files/ssduptab"
	machine_chroot "$1" sh -ec 'cp /opt/ssduptab /etc
		update-initramfs -u
		dracut -q --force --no-hostonly-cmdline --omit "systemd-hostnamed lvm mdraid" \
			/boot/initrd-dracut.img "$(readlink /boot/vmlinuz | sed s/vmlinuz-//)"'
}

# stopped DIR - a boot without the SSD has ended in the initramfs, with the reason
stopped()
{
	local words='sysroot cannot be made'

	boot "$1" root --ssd out --until "$words" && return 1
	tail -n 20 "$1/console"
	grep -q "$words" "$1/console" && ! grep -q . "$1/report"
}

# case_root WORK - / itself
case_root()
{
	local dir=$1/root
	CASE=root WORK=$1

	machine_copy "$WORK/new" "$dir"
	verify "an ssduptab of comments is not taken along" \
		test -z "$(takers "$dir" '# name\n \n')"
	verify "one with no line but a faulty one is" test "$(takers "$dir" \
		'faulty /dev/sda UUID=x policy=all, drain=manual\n')" = $'dracut\ninitramfs-tools'
	verify "a line for / and two initramfs" root_line "$dir" || return
	step "$dir" root || return
	verify "a shutdown does not drain" log_says "$dir" SSDUP_DIRTY=1
	verify "without the SSD the initramfs stops, and says why" stopped "$dir" ||
		keep_log "$dir"
	step "$dir" root
	step "$dir" root --initrd initrd-dracut.img
}
