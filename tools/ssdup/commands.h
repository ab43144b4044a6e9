/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: the commands, in the order of the help text. Each is a function cmd_NAME(): it
 * takes its own argv (argv[0] is its name) and returns an exit code. What it takes is
 * usage_NAME, in usage.c. A new one needs a line here, and its part of man/ssdup.8.in.
 */
#ifndef SSDUP_COMMANDS_H
#define SSDUP_COMMANDS_H

#include "lib/tool.h"

#define SSDUP_COMMANDS(command) \
	command(format, "write an empty log to an SSD") \
	command(create, "make a device of an HDD and an SSD") \
	command(status, "how the devices are") \
	command(list, "all devices, one a line") \
	command(drain, "write back what the log holds, and wait") \
	command(sync, "wait until all that was written is on the HDD") \
	command(job, "give a job a device, a class and room in the log") \
	command(detach, "write back, and leave a plain HDD") \
	command(set, "change a key of a device") \
	command(resize, "take the size that the HDD has got") \
	command(remove, "remove a device; its log stays") \
	command(pool, "the logs of an SSD that serves several HDDs") \
	command(check, "what is wrong with a log") \
	command(dump, "print what stands on an SSD") \
	command(repair, "make a damaged log usable again") \
	command(export, "write back without the kernel module") \
	command(release, "an HDD whose SSD is lost becomes a disk of its own") \
	command(probe, "is there a log on a device?") \
	command(doctor, "what a machine lacks that has such devices") \
	command(tab, "what ssduptab says; for boot scripts and udev") \
	command(metrics, "state and statistics as text for Prometheus") \
	command(help, "what a command does and takes")

/* Options without a letter. */
enum {
	OPT_HDD = 256, OPT_BLOCK, OPT_UUID, OPT_FORCE, OPT_UNSAVED, OPT_SSD,
	OPT_POLICY, OPT_FORMAT, OPT_TAB, OPT_NO_WAIT, OPT_JSON, OPT_BELOW, OPT_KEEP, OPT_FULL,
	OPT_DATA, OPT_COPY, OPT_ENTRIES, OPT_CLEAR, OPT_EXPORT, OPT_AUTO, OPT_INITRD,
	OPT_READY, OPT_CHECK, OPT_UDEV, OPT_SYSFS, OPT_NO_DISCARD,
	OPT_TENANT, OPT_CLASS, OPT_SIZE, OPT_MAX, OPT_START, OPT_END_JOB, OPT_WEAR,
	OPT_OTHER_HDD, OPT_VOLATILE, OPT_SAVE, OPT_TAKE_OVER, OPT_SCAN, OPT_ADD, OPT_LOG,
	OPT_LOST_SSD, OPT_MIRROR,
	OPT_WRITTEN,
};

#define DECLARE_COMMAND(name, about) \
	int cmd_##name(struct ssdup_ctx *ctx, int argc, char **argv); \
	extern const struct usage usage_##name;

SSDUP_COMMANDS(DECLARE_COMMAND)

#endif
