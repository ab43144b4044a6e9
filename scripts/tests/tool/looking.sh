#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# ssdup list: a line for each device, with the numbers that the kernel has; ssdup status shows
# the same when there are more than two. It tells the wear of the SSD. ssdup doctor has its lines
# for each device and disk.
# invariant: none
# shellcheck source=scripts/tests/lib.sh
. /ssdup/scripts/tests/lib.sh

# slices - three devices t1 to t3, each on a slice of both disks
slices()
{
	local n

	for n in 1 2 3; do
		must dmsetup create h$n --table "0 32768 linear $HDD $((32768 * n))"
		must dmsetup create l$n --table "0 32768 linear $SSD $((32768 * n))"
		must ssdup create t$n --hdd /dev/mapper/h$n --ssd /dev/mapper/l$n --policy all \
			-o drain=manual
	done
}

remove_slices()
{
	local n

	for n in 1 2 3; do
		dmsetup remove --retry t$n
		dmsetup remove --retry h$n
		dmsetup remove --retry l$n
	done 2>/dev/null
}

# says WORDS... - one line of the last command has them in this order
says()
{
	local pattern

	# shellcheck disable=SC2048,SC2086 # words
	pattern=$(printf ' %s .*' $*)
	sed -E 's/ +/  /g; s/.*/ & /' "$T/out" | grep "$pattern" >/dev/null ||
		fail "no line with $*: $(cat "$T/out")"
}

ssdup_exits 0 list
grep -q "There is no dm-ssdup device." "$T/out" || fail "$(cat "$T/out")"
make_disks hdd_size_mb=64 ssd_size_mb=65
trap 'remove_slices; tear_down' EXIT
slices
must dd if=/dev/zero of=/dev/mapper/t2 bs=4k count=16 oflag=direct status=none

ssdup_exits 0 list t1 t2
is "lines" "$(wc -l <"$T/out")" 3
says NAME STATE POLICY DIRTY "USE%" SHARE HDD SSD
says t1 running all 0 B "0%"
says t2 running all 64.0 KiB "[0-9]*%" "100%"
ssdup_exits 0 list --json -o name,dirty,use%,size,log
NAME=t2 find_sys
grep -q '"dirty": *65536' "$T/out" || fail "$(cat "$T/out")"
grep -q "\"log\": *$(($(stat segments) * $(stat segment_sectors) * 512))" "$T/out" ||
	fail "$(cat "$T/out")"
grep -q '"size": *16777216' "$T/out" || fail "$(cat "$T/out")"
ssdup_exits 0 list
cp "$T/out" "$T/list"
ssdup_exits 0 status
must cmp "$T/list" "$T/out"
ssdup_exits 0 status t1 t2 t3
grep -q "^t2: running, policy all, 16.0 MiB" "$T/out" || fail "$(cat "$T/out")"

# what is wrong stands where the state does, and in the exit code
ssdup_exits 3 list t1 none
says t1 running
must dmsetup suspend t3
ssdup_exits 0 list
says t3 suspended
must dmsetup resume t3
model $HDD fail_flush 1
ssdup_exits 8 drain t2
ssdup_exits 8 list
says t2 drain failed all
model $HDD fail_flush 0
ssdup_exits 0 drain t2

# wear, by a program that says what smartctl does
mkdir "$T/bin"
cat >"$T/bin/smartctl" <<'END'
#!/bin/sh
echo '{"nvme_smart_health_information_log": {"percentage_used": 7, "data_units_written": 2000}}'
END
chmod +x "$T/bin/smartctl"
PATH=$T/bin:$PATH ssdup_exits 0 status t1
says wear: mssd0: 7 "%" of its rated life used, 976.6 MiB written
PATH=$T/bin:$PATH ssdup_exits 0 status --json t1
grep -q '"used_percent": 7' "$T/out" || fail "$(cat "$T/out")"
PATH=$T/bin:$PATH ssdup_exits 0 metrics --wear
grep -q '^ssdup_ssd_life_used_ratio{device="t3",.*,ssd="mssd0"} 0.07$' "$T/out" ||
	fail "$(cat "$T/out")"
ssdup_exits 0 status t1
! grep -q wear "$T/out" || fail "$(cat "$T/out")"

# the machine has no udev, and one read-ahead is too small
h1=/sys/block/dm-$(dmsetup info -c --noheadings -o minor h1)/queue/read_ahead_kb
echo 1000 >"$h1" || fail "no read-ahead"
ssdup_exits 8 doctor
says ok module "loaded, and installed for $(uname -r)"
says ok signature
says advice udev
says ok device t1: runs
says advice boot t1: no line in
says ok disk mhdd0,
says ok write cache mhdd0: write back
says ok scheduler mssd0:
is "lines for the SSD" "$(grep -c "ok *disk *mssd0" "$T/out")" 1
says advice read-ahead t1: .*, and its HDD has 1000: "\"blockdev --setra 2000 /dev/mapper/t1\""
