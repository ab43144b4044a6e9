# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The machine: how QEMU is called, and whether KVM can be trusted here.

# Each byte of a "rep movsb" is an instruction to the emulator, and to the clock of a
# virtual machine, so the processor must not recommend it; the kernel then copies by
# words, as cheaply as it would on a real processor.
EMULATED_CPU=max,la57=off,-erms,-fsrm

# qemu_of KERNEL - the program
qemu_of()
{
	case $1 in
	arm64*) echo qemu-system-aarch64 ;;
	*) echo qemu-system-x86_64 ;;
	esac
}

# arm64_machine_args CPUS MB - the same as machine_args, for MODE tcg only. Pointer
# authentication as real processors do it is a third of the emulator's work.
arm64_machine_args()
{
	echo "-accel tcg,thread=multi,tb-size=512 -cpu max,pauth-impdef=on,lpa2=off"
	echo "-smp $1 -m $2 -machine virt,gic-version=3"
	echo "-nodefaults -no-user-config -display none -no-reboot"
}

# machine_args MODE CPUS MB - accelerator, processors and memory; MODE is tcg,
# kvm or virtual (the clock counts instructions, processors take turns)
machine_args()
{
	case $1 in
	kvm) echo "-accel kvm -cpu host" ;;
	tcg) echo "-accel tcg,thread=multi,tb-size=512 -cpu $EMULATED_CPU" ;;
	virtual) echo "-accel tcg,thread=single,tb-size=512 -cpu $EMULATED_CPU" \
		"-icount shift=0,sleep=off -rtc clock=vm" ;;
	esac
	echo "-smp $2 -m $3 -machine q35,hpet=off,usb=off,sata=off,smbus=off"
	echo "-nodefaults -no-user-config -display none -no-reboot"
}

# kernel_args - one processor may be starved for long on a busy host, so the
# watchdogs are patient; a dying kernel must die at once. Clearing each page on
# allocation would cost the modelled disks more than their work. The emulator keeps
# its translations by virtual address: with libraries at another place in each
# process it would translate them anew for each. The ciphers' tests of themselves are
# a third of what is executed before init, and a debug kernel's 256 terminals of the old
# kind three seconds.
kernel_args()
{
	echo "console=ttyS0 loglevel=7 panic=-1 oops=panic tsc=reliable" \
		"no_timer_check mitigations=off nokaslr audit=0 selinux=0" \
		"rcupdate.rcu_cpu_stall_timeout=120 watchdog_thresh=60" \
		"workqueue.watchdog_thresh=120 random.trust_cpu=on init_on_alloc=0" \
		"norandmaps cryptomgr.notests pty.legacy_count=0"
}

# arm64_kernel_args - the same where the processor is no x86
arm64_kernel_args()
{
	kernel_args | sed 's/ttyS0/ttyAMA0/; s/tsc=reliable //; s/no_timer_check //'
}

# clock_args MODE - a kernel that is starved while it measures its processor's counter
# makes it too slow, and then its clock runs too fast, for good: ten times has been seen. An
# emulated processor counts with the host's counter, so the kernel is told how fast that is.
clock_args()
{
	[ "$1" != tcg ] || echo "tsc_early_khz=$("$(copy_dir programs)/tsc")"
}

# kvm_works KERNEL INITRD - true when a probe machine reaches its init
#
# /dev/kvm may be there and hang, so the probe gets ten seconds and its verdict
# is kept until the host reboots.
kvm_works()
{
	local verdict

	[ -w /dev/kvm ] || return 1
	verdict=$CACHE/kvm-$(tr -d - </proc/sys/kernel/random/boot_id)
	[ -e "$verdict" ] || locked kvm probe_kvm "$1" "$2" "$verdict"
	grep -q yes "$verdict"
}

probe_kvm()
{
	local log args answer=no

	[ ! -e "$3" ] || return 0
	log=$(mktemp "$CACHE/kvm-log.XXXXXX")
	read -r -d '' -a args < <(machine_args kvm 1 512; printf '\0') || true
	timeout -k 1 10 qemu-system-x86_64 "${args[@]}" -kernel "$1" -initrd "$2" \
		-append "$(kernel_args) ssdup_probe" -serial "file:$log" \
		>/dev/null 2>&1 </dev/null || true
	! grep -q 'ssdup-lab: probe reached init' "$log" || answer=yes
	rm -f "$log" "$CACHE"/kvm-????????????????????????????????
	echo "$answer" >"$3"
	say "KVM usable here: $answer"
}
