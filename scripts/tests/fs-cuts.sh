# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2086
#
# A file system on the device, a database on that, and the power goes while it
# commits transactions. What sqlite says is committed is noted outside the
# device. Sourced after lib.sh by the tests of the file systems.

DB=/mnt/s/db
last=0		# transaction that is known to be there

# transactions FIRST - without end: each fills two tables and changes an old row
transactions()
{
	local n

	for ((n = $1; ; n++)); do
		echo "begin; insert into a values($n, randomblob(abs(random()) % 16000));" \
			"insert into b values($n, (select length(x) from a where n = $n));" \
			"update a set x = randomblob(length(x)) where n = $((n / 2)); commit;" \
			"select $n;"
	done
}

# ask STATEMENT - one value of the database
ask()
{
	sqlite3 -batch -bail $DB "$1" || fail "sqlite: $1"
}

# check_db - whole, and everything that was committed is there
check_db()
{
	local committed rows

	is "integrity" "$(ask 'pragma integrity_check;')" ok
	committed=$(grep -x '[0-9]*' "$T/committed" | tail -n 1)
	rows=$(ask 'select count(*) from a;')
	is "rows of the second table" "$(ask 'select count(*) from b;')" "$rows"
	is "last row" "$(ask 'select coalesce(max(n), 0) from a;')" "$rows"
	is "rows of another length" "$(ask 'select count(*) from a, b
		where a.n = b.n and length(a.x) != b.l;')" 0
	above "committed $committed, rows" $((rows + 1)) "$committed"
	last=$rows
}

# write_until_cut SEED JOURNAL - transactions, until the power goes at some moment
write_until_cut()
{
	local seed=$1 journal=$2 sync=full writer lines end=$((SECONDS + 60))

	# only this makes the removal of a journal durable
	[ "$journal" = wal ] || sync=extra
	lines=$(($(wc -l <"$T/committed") + 6 + seed * 37 % 16))
	{
		echo "pragma journal_mode=$journal; pragma synchronous=$sync;"
		transactions $((last + 1))
	} 2>/dev/null | sqlite3 -batch -bail $DB >>"$T/committed" 2>/dev/null &
	writer=$!
	until [ "$(wc -l <"$T/committed")" -ge $lines ]; do
		[ $SECONDS -lt $end ] || fail "no transactions"
		sleep 0.05
	done
	sleep "0.0$((seed * 13 % 10))"
	power_cut "$seed"
	wait $writer
	umount /mnt/s || umount -l /mnt/s
}

# fs_cuts MKFS FSCK MOUNT-OPTIONS SEED... - a cut for each seed; MKFS and FSCK are
# strings
fs_cuts()
{
	local mkfs=$1 fsck=$2 options=$3 seed journals=(wal delete persist)
	local policies=(all adaptive watermark)

	shift 3
	make_ssdup policy all
	mkdir -p /mnt/s
	must $mkfs $DEV >"$T/mkfs"
	must mount -o "$options" $DEV /mnt/s
	must sqlite3 $DB 'create table a(n integer primary key, x blob);
		create table b(n integer primary key, l integer);'
	must sync
	last=0
	echo 0 >"$T/committed"
	for seed; do
		write_until_cut "$seed" "${journals[seed % 3]}"
		must dmsetup remove --retry $NAME
		power_on
		make_ssdup policy "${policies[seed % 3]}" drain eager
		must mount -o "$options" $DEV /mnt/s
		check_db
		must umount /mnt/s
		must $fsck $DEV >"$T/fsck" 2>&1
		must mount -o "$options" $DEV /mnt/s
	done
	must umount /mnt/s
	above "transactions" "$last" $(($# * 5))
	flush
	remove_ssdup
	must mount -o "$options" $HDD /mnt/s
	check_db
	must umount /mnt/s
	echo "$# cuts, $last transactions"
}
