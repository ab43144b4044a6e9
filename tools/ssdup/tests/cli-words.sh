# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2317
#
# Tests of the tool as it is typed, run by tests/cli: help, completion, keys, ssduptab, jobs.

# they are told before anything is asked of the kernel
test_keys_are_looked_at_first()
{
	exits 2 "$ssdup" create x --hdd hdd --ssd ssd -o foo=bar
	errs "x: foo: unknown key"
	exits 2 "$ssdup" create x --hdd hdd --ssd ssd --policy fast
	errs "policy: not adaptive, watermark, all, none or balance: fast"
	exits 2 "$ssdup" create x --hdd hdd --ssd ssd -o clean=4,clean=2
	errs "clean: given twice"
	exits 2 "$ssdup" create x --hdd hdd --ssd ssd -o promote=1G
	errs "promote: only with clean above 0"
	exits 2 "$ssdup" set x policy=bad
	errs "policy: not adaptive, watermark, all, none or balance: bad"
	exits 2 "$ssdup" set x policy=all foo=1
	errs "foo: unknown key"
	exits 2 "$ssdup" set x max_mb=4
	errs "max_mb: fixed while the device runs"
}

test_output_that_is_lost_is_an_error()
{
	local command

	for command in --version --help "help check" "check --help" doctor "doctor --json"; do
		# shellcheck disable=SC2086
		"$ssdup" $command >/dev/full 2>err && fail "$command: no error"
		[ "$(grep -c "cannot write the output" err)" = 1 ] || fail "$command: $(cat err)"
	done
}

test_help_ends_in_no_blanks()
{
	local command

	for command in $("$ssdup" --complete); do
		[ "${command#-}" = "$command" ] || continue
		"$ssdup" "$command" --help >out
		grep -n ' $' out && fail "$command: $(grep ' $' out)"
	done
	exits 0 "$ssdup" doctor --help
	says "Usage: ssdup doctor [--json]"
}

test_sync_may_be_quiet()
{
	exits 0 "$ssdup" sync --help
	says "-q, --quiet"
	"$ssdup" sync -q none 2>err && fail "there is no such device"
	! grep -q "unknown option" err || fail "$(cat err)"
}

test_root_is_not_asked_for_root()
{
	local as=()

	# root without its capabilities may not look into it either
	[ "$(id -u)" != 0 ] || as=(setpriv --bounding-set=-all --inh-caps=-all)
	mkdir -m 0 closed
	exits 1 "${as[@]}" "$ssdup" probe closed/ssd
	rmdir closed
	errs "Permission denied"
	if [ "$(id -u)" = 0 ]; then
		! grep -q "are you root" err || fail "$(cat err)"
	else
		errs "Permission denied; are you root?"
	fi
}

test_the_build_names_missing_packages()
{
	exits 2 make -C "$tool" O="$T/o" OUT="$T" CPPFLAGS=-nostdinc
	errs "apt-get install libblkid-dev uuid-dev libdevmapper-dev libudev-dev"
	errs "libsmartcols-dev libjson-c-dev"
	rm -rf o
}

test_the_tab_is_checked()
{
	a_log
	exits 1 "$ssdup" tab --check
	errs "No such file"
	: >tab
	exits 0 "$ssdup" tab --check
	says "Success, no errors or warnings detected"
	cat >tab <<-'END'
	a ID=none-1 UUID=2c05d183-70ea-475b-8f78-433d6a933be1 policy=balance,nofail,max_mb=64
	b ID=none-2 UUID=2c05d183-70ea-475b-8f78-433d6a933be2 noauto,x-mine=1
	END
	exits 0 "$ssdup" tab --check
	says "   [W] the HDD, ID=none-1, is not there"
	says "0 parse errors, 0 errors, 4 warnings"
	silent err
	cat >tab <<-'END'
	a ID=none-1 UUID=2c05d183-70ea-475b-8f78-433d6a933be1 nofail,policy=fast,depth=3
	b ID=none-2 UUID=2c05d183-70ea-475b-8f78-433d6a933be2 nofail,autocommit_ms=0,max_mb=x,drain=auto,drain=auto
	c ID=none-1 ID=none-3 nofail,promote=1G
	d ID=none-4 UUID=2c05d183-70ea-475b-8f78-433d6a933be2 policy=all, drain=auto
	e ID=none-5 ID=none-6
	END
	exits 1 "$ssdup" tab --check
	errs "line 4: more than four fields"
	says "   [E] policy: not adaptive, watermark, all, none or balance: fast"
	says "   [E] depth: unknown key"
	says "   [E] autocommit_ms: not a number from 1 to 3600000: 0"
	says "   [E] max_mb: not a number up to 67108864: x"
	says "   [E] drain: given twice"
	says "   [E] the HDD, ID=none-1, is the HDD of a too"
	says "   [E] promote: only with clean above 0"
	says "   [E] the SSD, ID=none-6, is not there"
	says "1 parse error, 9 errors, 6 warnings"
	exits 1 "$ssdup" tab --check --json
	is_json 'd["parse_errors"] == 1 and d["errors"] == 9 and d["warnings"] == 6'
	is_json 'len(d["findings"]) == 16 and d["findings"][0]["line"] == 4'
	is_json 'd["findings"][0]["severity"] == "parse error"'
	is_json '["b", 2, "error", "drain: given twice"] in [[*f.values()] for f in d["findings"]]'
	exits 0 "$ssdup" tab --json b
	is_json 'd[0]["hdd"] == "ID=none-2" and d[0]["keys"]["autocommit_ms"] == "0" and d[0]["nofail"]'
	exits 3 "$ssdup" tab --json none
	is_json 'd == []'
	exits 2 "$ssdup" tab --json --udev

	# names that may lead to another disk, whether or not that is there
	cat >tab <<-'END'
	a /dev/sdx UUID=2c05d183-70ea-475b-8f78-433d6a933be1 nofail
	b UUID=2c05d183-70ea-475b-8f78-433d6a933be3 UUID=2c05d183-70ea-475b-8f78-433d6a933be2 nofail
	c LABEL=data 8:17 nofail
	END
	exits 0 "$ssdup" tab --check
	says "   [W] the HDD, /dev/sdx, may have another name after a boot"
	says "   [W] the HDD, UUID=2c05d183-70ea-475b-8f78-433d6a933be3, is named by what it holds"
	says "   [W] the HDD, LABEL=data, is named by what it holds"
	says "   [W] the SSD, 8:17, may have another name after a boot"
	echo "a /dev/hdd/data /dev/sdfast/log nofail" >tab
	exits 0 "$ssdup" tab --check
	says "0 parse errors, 0 errors, 2 warnings"

	# images are for logs without the kernel
	echo "a $T/hdd $T/ssd" >tab
	unchanged exits 1 "$ssdup" tab --check
	says "   [E] the SSD, $T/ssd, is no block device"
}

# offers LINE WORD... - just these words may follow what stands
offers()
{
	local line=$1 words

	shift
	read -ra words <<<"$line"
	[[ $line != *" " ]] || words+=("")
	exits 0 "$ssdup" --complete "${words[@]}"
	[ "$(tr '\n' ' ' <out)" = "${*:+$* }" ] || fail "for \"$line\" it offers: $(cat out)"
}

test_words_are_offered()
{
	offers "de" detach
	offers "help ch" check
	offers "none "
	offers "dump ssd " superblock headers pages extents
	offers "dump ssd pages e" extents
	offers "dump ssd --c" --copy
	offers "dump ssd --copy " 0 1
	offers "dump --copy 1 ssd s" superblock
	offers "probe ssd "
	offers "pool " list status forget
	offers "create x -o po" policy=
	offers "create x -o policy=all,dr" policy=all,drain=
	offers "create x -o policy=all,drain=" policy=all,drain=auto policy=all,drain=eager policy=all,drain=manual
	offers "create x --options drain=m" drain=manual
	offers "create x -o clean=2,max" clean=2,max_mb=
	offers "create x --policy a" adaptive all
	offers "set x policy=n" policy=none
	offers "set x policy=all dr" drain=
	offers "set x au" autocommit_ms=
	offers "set x max"
	offers "format --block-size " 512 1K 2K 4K
	# files are the shell's to offer
	offers "check "
	echo "fast hdd ssd" >tab
	offers "create f" fast
	offers "create --tab " fast
}

# replies LINE - what bash makes of it
replies()
{
	COMP_LINE="ssdup $1" COMP_POINT=$((${#1} + 6)) COMPREPLY=()
	_ssdup "$ssdup"
	echo "${COMPREPLY[*]}" >out
}

test_bash_asks()
{
	COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
	# shellcheck source=tools/ssdup/completion/ssdup
	. "$tool/completion/ssdup"
	replies "dump ssd "
	says "superblock headers pages extents"
	# readline completes what is behind its last break
	replies "create x -o policy=all,drain="
	says "auto eager manual"
	[ "$(cat out)" = "auto eager manual" ] || fail "$(cat out)"
	COMP_WORDBREAKS=" "
	replies "create x -o drain="
	[ "$(cat out)" = "drain=auto drain=eager drain=manual" ] || fail "$(cat out)"
}

test_columns_are_asked_for_by_name()
{
	exits 2 "$ssdup" list --output name,colour
	errs '--output: no such column: "colour"'
	exits 2 "$ssdup" list -o ""
	errs '--output: no such column: ""'
	exits 2 "$ssdup" list -o name,Size,NAME
	errs '--output: given twice: NAME'
	offers "list -o S" STATE SHARE SSD SIZE
	offers "list --output NAME,S" NAME,STATE NAME,SHARE NAME,SSD NAME,SIZE
	exits 0 "$ssdup" list --json
	says '"devices"'
}

test_the_doctor_looks_at_the_tab()
{
	local r=0

	exits 2 "$ssdup" doctor now
	# what else he finds depends on the machine
	echo "a $T/none $T/neither policy=fast" >tab
	"$ssdup" doctor >out 2>err || r=$?
	[ "$r" = 1 ] || fail "exit code $r: $(cat out err)"
	grep -qE "^wrong +ssduptab +3 errors, 0 warnings: see" out || fail "$(cat out)"
	grep -qE "^(ok|advice|wrong) +module +.*$(uname -r)" out || fail "$(cat out)"
}

# What is wrong with a command line changes nothing; a job that is not known has ended.
test_jobs_are_asked_for_in_words()
{
	export SSDUP_JOBS=$T/.run/jobs
	exits 2 "$ssdup" job a/b fast --tenant ann
	errs "not the id of a job: a/b"
	exits 2 "$ssdup" job .draft fast --tenant ann
	exits 2 "$ssdup" job 7 fast
	errs "--tenant"
	exits 2 "$ssdup" job 7 --tenant ann
	errs "the name of a device"
	exits 2 "$ssdup" job 7 fast --tenant "ann b"
	errs "--tenant: not a name: ann b"
	exits 2 "$ssdup" job 7 fast --tenant ann --size 10X
	errs "--size: not a size: 10X"
	exits 2 "$ssdup" job 7 fast --tenant ann --size 10M --max 9M
	errs "--size: more than --max"
	exits 2 "$ssdup" job 7 fast --start
	exits 2 "$ssdup" job 7 --start --end
	[ ! -e "$T/.run" ] || fail "a folder was made"
	exits 3 "$ssdup" job 7 --start
	errs "7: no such job"
	exits 0 "$ssdup" job 7 --end
	# of a device that has gone
	echo "gone default 4096 runs ann" >"$SSDUP_JOBS/7"
	exits 0 "$ssdup" job 7 --end
	[ ! -e "$SSDUP_JOBS/7" ] || fail "it is still there"
}

test_what_came_of_it_is_json()
{
	image h 64M
	image s 20M
	exits 0 "$ssdup" format h s --json
	is_json 'd["command"] == "format" and d["exit_status"] == 0'
	is_json 'd["messages"][-1]["kind"] == "note" and "an empty log" in d["messages"][-1]["text"]'
	silent err
	exits 4 "$ssdup" format h s --json
	is_json 'd["exit_status"] == 4 and d["messages"][-1]["subject"] == "s"'
	is_json 'd["messages"][-1]["kind"] == "error" and "holds an empty log" in d["messages"][-1]["text"]'
	silent err
	exits 0 "$ssdup" export --hdd h --ssd s --clear --json
	is_json 'd["exit_status"] == 0'
	dd if=/dev/zero of=s bs=4096 count=1 conv=notrunc status=none
	exits 0 "$ssdup" repair s --copy 1 --yes --json
	is_json '[m["text"] for m in d["messages"]][-1] == "s: repaired"'
	is_json 'all(m["kind"] == "note" and "\n" not in m["text"] for m in d["messages"])'
}

# two homes do not fit in there
test_a_small_blank_disk_has_no_log()
{
	local size

	for size in 4K 512K 1M 1536K; do
		image small $size
		exits 3 "$ssdup" check small
		errs "no log: the first block is blank"
	done
}
