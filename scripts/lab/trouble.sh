# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What a kernel prints when something is wrong with it or with us; used on the
# host for a machine's whole log and in the guest after each test.

TROUBLE='WARNING:|BUG:|kernel BUG at|Oops|KASAN:|UBSAN:|Call Trace:|Kernel panic'
TROUBLE+='|general protection fault|INFO: task|INFO: trying to register'
TROUBLE+='|blocked for more than|rcu: INFO:|self-detected stall|detected stalls'
TROUBLE+='|soft lockup|hard LOCKUP|refcount_t:|list_(add|del) corruption'
TROUBLE+='|ODEBUG:|workqueue lockup|Out of memory|DEBUG_LOCKS_WARN_ON'

# kernel_trouble - of a kernel log on stdin, the lines that are trouble
kernel_trouble()
{
	grep -aE "$TROUBLE"
}
