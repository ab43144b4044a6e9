// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: what each command takes, in the order of commands.h. The command line is read by
 * these tables; help texts, completion and the manual page's lists of options are made
 * of them.
 */
#include "commands.h"

#define MIRROR_OPTION \
	{ OPT_MIRROR, "mirror", "DEV", \
	  "of the SSD in front of it: a blank one of that size, which will hold the\n" \
	  "same, so that either may die" }

static const struct option_spec format_options[] = {
	{ OPT_HDD, "hdd", "DEV", "the HDD that the log is for: its size and identity are noted" },
	{ OPT_SSD, "ssd", "DEV", "the SSD; once for each of several" },
	MIRROR_OPTION,
	{ OPT_BLOCK, "block-size", "SIZE",
	  "of 512, 1K, 2K or 4K (default: the larger of the disks')" },
	{ OPT_UUID, "uuid", "UUID",
	  "the log's UUID (default: a random one)",
	  "It must not be the nil UUID. Pages of an earlier log with that UUID\n"
	  "do not count: the segments get generations that none had." },
	{ OPT_VOLATILE, "volatile-ssd", NULL,
	  "although the SSD is memory (ram, zram), for a test" },
	{ OPT_NO_DISCARD, "no-discard", NULL,
	  "do not discard what the SSD holds",
	  "Otherwise all of it is discarded, if the SSD takes discards." },
	{ OPT_FORCE, "force", NULL,
	  "give up what the SSD holds, but no data of a log; allow HDD\n"
	  "and SSD on one disk",
	  "An SSD holds something if its first or last MiB\n"
	  "is not all zeros, or if it has a log, a file system or a partition table. An HDD that\n"
	  "holds a log is refused too, as if the two disks were swapped." },
	{ OPT_UNSAVED, "discard-unsaved", NULL,
	  "give up a log, with all that it holds and its HDD does not",
	  "This is needed for a log that may hold something: one that was not drained, is\n"
	  "damaged, or of another version. What it holds is gone. No script should give it\n"
	  "by habit." },
	{ OPT_TAKE_OVER, "take-over", NULL,
	  "with --discard-unsaved, give up a log that another\n"
	  "host had active, which is down" },
	{ 'q', "quiet", NULL, "say nothing when all is well" },
	{ OPT_REPORT, "json", NULL, "what came of it, as JSON" },
	{ }
};

const struct usage usage_format = {
	.synopsis = "HDD SSD [OPTIONS]\n"
		    "--hdd HDD --ssd SSD [OPTIONS]",
	.about = "Write an empty log for HDD to SSD, as the kernel does to a blank SSD.\n"
		 "The HDD is not written to: what is on it stays.",
	.options = format_options,
	.more = "Refused without --force: an SSD that is not blank, be it an empty log, a file\n"
		"system, a partition table, or bytes that nobody knows; an HDD that holds a log,\n"
		"as if the two were swapped. Refused without --discard-unsaved: a log that may\n"
		"hold data which is not on its HDD. Refused always: such a log on the HDD; an SSD\n"
		"that is in use. The HDD may be mounted.",
};

static const struct option_spec create_options[] = {
	{ OPT_HDD, "hdd", "DEV", "the HDD, empty or not: what is on it stays" },
	{ OPT_SSD, "ssd", "DEV",
	  "the SSD: blank, or with the log of this HDD; once for each of\n"
	  "several (of a log that is there, one finds the others)" },
	MIRROR_OPTION,
	{ OPT_LOST_SSD, "lost-ssd", NULL,
	  "do without the mirror of an SSD that is not there, or that\n"
	  "is not named while both ran apart: what it has alone is lost" },
	{ OPT_UUID, "uuid", "UUID", "the SSD whose log has that UUID" },
	{ OPT_POLICY, "policy", "POLICY",
	  "where writes go, one of:"
#define SSDUP_POLICY(symbol, name, ...)	" " name
#include "dm-ssdup/core/states.h"
	},
	{ 'o', "options", "KEY=VALUE,...",
	  "other keys, such as clean=50,drain=eager",
	  "See KEYS." },
	{ OPT_ADD, "add", NULL,
	  "one more log, for this HDD, on an SSD that holds logs\n"
	  "already",
	  "The SSD may be in use by their devices. Where these have all of it, those\n"
	  "without the key max_mb are reloaded, so that each has an equal part: what they do\n"
	  "waits for a moment." },
	{ OPT_FORMAT, "format", NULL,
	  "write a new log to the SSD first, which has to be blank" },
	{ OPT_FORCE, "force", NULL,
	  "with --format, give up what the SSD holds, but no data\n"
	  "of a log; allow HDD and SSD on one disk" },
	{ OPT_UNSAVED, "discard-unsaved", NULL,
	  "with --format, give up a log, with all that it\n"
	  "holds and its HDD does not",
	  "See \"ssdup format\"." },
	{ OPT_OTHER_HDD, "other-hdd", NULL,
	  "although the log is for another HDD",
	  "For an HDD that was copied to another one, or that calls itself otherwise behind a\n"
	  "new controller. From then on the log is for this one." },
	{ OPT_WRITTEN, "hdd-was-written", NULL,
	  "although somebody has written to the HDD since",
	  "What the log holds goes over that. A file system needs a check then." },
	{ OPT_VOLATILE, "volatile-ssd", NULL,
	  "although the SSD is memory (ram, zram), for a test" },
	{ OPT_TAKE_OVER, "take-over", NULL,
	  "although another host has the log active",
	  "For a log whose host went down with it. Make certain that it is down, and stays so:\n"
	  "if both write to the two disks, what is on them is lost." },
	{ OPT_SAVE, "save", NULL, "add the device's line to ssduptab, so that each boot makes it" },
	{ 'a', "all", NULL, "all devices of ssduptab whose disks are there" },
	{ OPT_TAB, "tab", "NAME",
	  "the device of that name in ssduptab",
	  "It is no error if the device exists already." },
	{ OPT_NO_WAIT, "no-udev-wait", NULL, "return before udev is done" },
	{ 'q', "quiet", NULL, "say nothing when all is well" },
	{ OPT_REPORT, "json", NULL, "what came of it, as JSON" },
	{ }
};

const struct usage usage_create = {
	.synopsis = "NAME --hdd DEV --ssd DEV [OPTIONS]\n"
		    "NAME [--uuid UUID] | --tab NAME | -a",
	.about = "Make the device /dev/mapper/NAME; without --hdd and --ssd, as ssduptab says.\n"
		 "DEV is a path, also below /dev/disk/, or UUID=, PARTUUID=, LABEL=, WWN=, ID=.\n"
		 "Disks, partitions, LVM volumes and md arrays will do.",
	.options = create_options,
	.more = "Refused: disks that are in use, an SSD that is (on) the same disk as the HDD,\n"
		"that holds something else than a log, or the log of another HDD.",
};

static const struct option_spec status_options[] = {
	{ OPT_JSON, "json", NULL,
	  "every field of the status as JSON",
	  "The fields have the names of the kernel's documentation." },
	{ }
};

const struct usage usage_status = {
	.synopsis = "[NAME...] [--json]",
	.about = "Say how the devices are; without NAME, all of them. More than two are listed\n"
		 "as by \"ssdup list\".",
	.options = status_options,
	.more = "The exit code is 8 when a device is in a degraded mode, a disk of it is gone,\n"
		"ranges are lost, or its last drain failed; 3 when there is no such device.",
};

static const struct option_spec list_options[] = {
	{ OPT_JSON, "json", NULL, "as JSON, with sizes in bytes" },
	{ 'o', "output", "COLUMN,...",
	  "which columns: NAME, STATE, POLICY, DIRTY, USE%, SHARE,\n"
	  "HDD, SSD (these are usual), SIZE, LOG, UUID",
	  "STATE is running, suspended, or what is wrong. DIRTY is what the HDD lacks, USE% the\n"
	  "part of the log's segments that are not free, SHARE the part of what was written that\n"
	  "went to the SSD, SIZE the size of the device, LOG that of its log, UUID the log's." },
	{ }
};

const struct usage usage_list = {
	.synopsis = "[NAME...] [--json] [--output COLUMN,...]",
	.about = "Print a line for each device; without NAME, for all of them.",
	.options = list_options,
	.more = "The exit code is that of \"ssdup status\".",
};

static const struct option_spec drain_options[] = {
	{ OPT_BELOW, "wait-below", "SIZE",
	  "return as soon as no more than SIZE is dirty",
	  "Writes that arrive meanwhile count too.\n"
	  "Dirty data goes down by a group of segments at a time." },
	{ 'q', "quiet", NULL, "no progress bar, and nothing said when all is well" },
	{ OPT_REPORT, "json", NULL, "what came of it, as JSON" },
	{ }
};

const struct usage usage_drain = {
	.synopsis = "NAME [--wait-below SIZE] [--quiet] [--json]",
	.about = "Write back what the log holds, and wait until it is on the HDD.",
	.options = drain_options,
	.more = "^C ends the wait (exit code 7); the drain itself goes on.\n"
		"SIZE is dirty data as \"ssdup status\" shows it, like 512M or 10GiB; it goes down by\n"
		"a group of segments at a time.",
};

static const struct option_spec sync_options[] = {
	{ 'q', "quiet", NULL, "no progress bar" },
	{ OPT_REPORT, "json", NULL, "what came of it, as JSON" },
	{ }
};

const struct usage usage_sync = {
	.synopsis = "NAME [--quiet] [--json]",
	.about = "Return when everything written so far is on the HDD, that is: written back\n"
		 "from the page cache, from the log, and the HDD's cache flushed.",
	.options = sync_options,
	.more = "The exit code is the answer: 0, it is there; anything else, it is not. With 8 a\n"
		"disk has failed, and \"ssdup status\" says more. Nothing is printed when all is well,\n"
		"but for a bar on a terminal.",
};

static const struct option_spec job_options[] = {
	{ OPT_TENANT, "tenant", "TENANT", "whose job it is: a user, or a group" },
	{ OPT_CLASS, "class", "CLASS",
	  "class of what the job writes (default: default)",
	  "With auto, the one that the tenant has on the device already, else one that no\n"
	  "job has, else the least used one." },
	{ OPT_SIZE, "size", "SIZE", "what the job is going to write (default: 0)" },
	{ OPT_MAX, "max", "SIZE",
	  "what all jobs of the tenant may have together (default: no limit)",
	  "A job beyond it is refused with exit code 4, until others have ended." },
	{ OPT_START, "start", NULL, "the job begins to write" },
	{ OPT_END_JOB, "end", NULL, "the job has ended, or never will begin" },
	{ }
};

const struct usage usage_job = {
	.synopsis = "ID NAME... --tenant TENANT [--class CLASS] [--size SIZE] [--max SIZE]\n"
		    "ID --start | --end",
	.about = "Give job ID one of the devices NAME, and print which one, and its class. A\n"
		 "device without jobs comes first, then the least used one where the tenant has\n"
		 "no job. New data gets the class when the job starts.",
	.options = job_options,
	.more = "For prologs and epilogs, see Documentation/hpc.rst. Nothing is reserved:\n"
		"\"ssdup drain\" makes room. To end a job that is not known is no error.",
};

static const struct option_spec detach_options[] = {
	{ OPT_KEEP, "keep-log", NULL, "do not wipe the (empty) log on the SSD" },
	{ 'q', "quiet", NULL, "no progress bar, and nothing said when all is well" },
	{ OPT_REPORT, "json", NULL, "what came of it, as JSON" },
	{ }
};

const struct usage usage_detach = {
	.synopsis = "NAME [--keep-log] [--quiet] [--json]",
	.about = "Write everything back, and make the device a plain mapping of its HDD; then\n"
		 "wipe the log. File systems stay mounted. Afterwards the SSD is free, and the HDD\n"
		 "holds everything: from the next boot on, use it by its own name.",
	.options = detach_options,
	.more = "^C while it drains leaves everything as it was (exit code 7). So does an error:\n"
		"while the log holds what cannot be written back, the device keeps its SSD.",
};

const struct usage usage_set = {
	.synopsis = "NAME KEY=VALUE...",
	.about = "Change keys of a device at once. ssduptab is not changed.",
	.more = "Keys, of which ssdup(8) has more:"
#define KEY_LINE(name, file, preset, words, least, most, takes, ...)	"\n  " #name ": " takes
#define SSDUP_KEY		KEY_LINE
#define SSDUP_AMOUNT_KEY	KEY_LINE
#include "dm-ssdup/core/keys.h"
};

static const struct option_spec resize_options[] = {
	{ 'q', "quiet", NULL, "no progress bar, and nothing said when all is well" },
	{ OPT_REPORT, "json", NULL, "what came of it, as JSON" },
	{ }
};

const struct usage usage_resize = {
	.synopsis = "NAME [--quiet] [--json]",
	.about = "When the HDD has grown, as by lvextend: write everything back, and let the\n"
		 "device have the new size. It stays in use. Its file system has to grow then.",
	.options = resize_options,
	.more = "A device cannot shrink.",
};

static const struct option_spec remove_options[] = {
	{ OPT_FORCE, "force", NULL,
	  "although it is in use: its users get errors from\n"
	  "now on; for disks that are gone",
	  "The device is removed when the last user closes it." },
	{ 'q', "quiet", NULL, "say nothing when all is well" },
	{ OPT_REPORT, "json", NULL, "what came of it, as JSON" },
	{ }
};

const struct usage usage_remove = {
	.synopsis = "NAME [--force]",
	.about = "Remove the device. What the log holds stays there until \"ssdup create\" makes\n"
		 "the device again; nothing is written back, and nothing is lost.",
	.options = remove_options,
	.more = "While the log holds something, the bare HDD is not up to date: do not use it.\n"
		"\"ssdup detach\" leaves a plain HDD.",
};

static const struct option_spec pool_options[] = {
	{ OPT_JSON, "json", NULL, "as JSON, with sizes in bytes" },
	{ OPT_UNSAVED, "discard-unsaved", NULL,
	  "forget the log, with all that it holds and its HDD does not" },
	{ OPT_TAKE_OVER, "take-over", NULL, "although another host, now down, had a log active" },
	{ OPT_FORCE, "force", NULL, "overwrite what is on the new SSD, unless it is a log" },
	{ 'q', "quiet", NULL, "say nothing when all is well" },
	{ }
};

const struct usage usage_pool = {
	.synopsis = "list|status|forget [SSD] [LOG] [OPTIONS]\n"
		    "add|remove|replace SSD [OLD] [NEW] [OPTIONS]",
	.about = "list: the SSDs that hold logs.\n"
		 "status SSD: its logs, for which HDD each is, who has it active, and what it holds.\n"
		 "forget SSD LOG: take a log away that is not active and not the only one, by its\n"
		 "number or UUID. Its segments are for the others then.\n"
		 "add SSD NEW: let the logs of SSD have NEW, too. remove SSD OLD: empty OLD, and take\n"
		 "it away. replace SSD OLD NEW: both; or, of an SSD with a mirror, let NEW take the\n"
		 "place of OLD (\"-\": of the one that is not there). Devices stay in use meanwhile.",
	.options = pool_options,
	.more = "\"ssdup create --add\" makes one more log. \"ssdup detach\" empties the log of a\n"
		"device and forgets it.",
};

#define LOG_OPTION \
	{ OPT_LOG, "log", "LOG", "UUID or number of the log, where the SSD holds several" }

#define LOST_SSD_OPTION \
	{ OPT_LOST_SSD, "lost-ssd", NULL, \
	  "do without SSDs of the log that are not there: what they\n" \
	  "have is lost" }

static const struct option_spec check_options[] = {
	{ OPT_HDD, "hdd", "DEV", "the HDD that the log is to be used with" },
	{ OPT_SSD, "ssd", "DEV", "the SSD, any one of several; of images, each" },
	LOST_SSD_OPTION,
	LOG_OPTION,
	{ OPT_FULL, "full", NULL,
	  "look at every page of segments without a valid header too; takes\n"
	  "a time by the size of the SSD",
	  "Without it, such a segment may be missed\n"
	  "if its first page is damaged as well." },
	{ OPT_DATA, "data", NULL, "read all dirty data too" },
	{ OPT_COPY, "copy", "N",
	  "take copy N (0 or 1) of the superblock, whatever the other is;\n"
	  "only of a log on one SSD" },
	{ OPT_JSON, "json", NULL, "as JSON" },
	{ 'q', "quiet", NULL, "only the faults, no progress" },
	{ }
};

const struct usage usage_check = {
	.synopsis = "[HDD] SSD [OPTIONS]",
	.about = "Check the log on SSD, a device or an image of one, and name every fault by its\n"
		 "number. With HDD, see whether the log fits that. Nothing is written.",
	.options = check_options,
	.more = "Exit status: 0 sound, 3 no log, 4 cannot be used here, 5 faults that repair\n"
		"mends, 6 something is lost. Documentation/rescue.rst lists the numbers.",
};

static const struct option_spec dump_options[] = {
	{ OPT_SSD, "ssd", "DEV", "the SSD, any one of several; of images, each" },
	LOST_SSD_OPTION,
	LOG_OPTION,
	{ OPT_ENTRIES, "entries", NULL, "the entries of each page too" },
	{ OPT_FULL, "full", NULL,
	  "look at every page of segments without a valid header too; takes\n"
	  "a time by the size of the SSD" },
	{ OPT_COPY, "copy", "N",
	  "take copy N (0 or 1) of the superblock, whatever the other is;\n"
	  "only of a log on one SSD" },
	{ OPT_JSON, "json", NULL, "as JSON" },
	{ }
};

const struct usage usage_dump = {
	.synopsis = "SSD [superblock|headers|pages|extents]... [OPTIONS]",
	.about = "Print the log on SSD, a device or an image of one: both copies of the\n"
		 "superblock and of the log's record, the headers of the segments, the metadata\n"
		 "pages, and the extents that have to be written back, in the order of the HDD.\n"
		 "All of them, unless some are named.",
	.options = dump_options,
};

static const struct option_spec repair_options[] = {
	{ OPT_HDD, "hdd", "DEV", "the HDD that the log is to be used with" },
	{ OPT_SSD, "ssd", "DEV", "the SSD" },
	LOG_OPTION,
	{ 'n', "dry-run", NULL,
	  "only say what would be written",
	  "The exit code is 5 when there is something to do\n"
	  "and nothing would be lost, else that of the real run." },
	{ 'y', "yes", NULL, "do not ask" },
	{ OPT_COPY, "copy", "N",
	  "take copy N (0 or 1) of the superblock, whatever the other is;\n"
	  "only of a log on one SSD" },
	{ OPT_SCAN, "scan", NULL,
	  "find a log that has no usable superblock or record",
	  "Both are written anew by what the headers of its segments say. It reads a block of\n"
	  "each 256 KiB of the SSD. Without a copy of the record nobody knows what was drained\n"
	  "after the last segment was opened: a warning says what that means." },
	{ OPT_UUID, "uuid", "UUID",
	  "with --scan, the log of that UUID, where another one has\n"
	  "been in its place; once for each of several" },
	{ OPT_TAKE_OVER, "take-over", NULL, "although another host, now down, had the log active" },
	{ OPT_REPORT, "json", NULL, "what came of it, as JSON; with --yes or --dry-run" },
	{ }
};

const struct usage usage_repair = {
	.synopsis = "SSD [OPTIONS]",
	.about = "Mend the log on SSD, a device that is not in use or an image of one, so that\n"
		 "dm-ssdup accepts it, and list what is lost. Data is never written.",
	.options = repair_options,
	.more = "Keep a copy of the SSD where something is lost, or export the log first.\n"
		"Exit status: 0 sound now, 3 no log, 4 refused, 5 there is something to do, and\n"
		"nothing is lost (--dry-run), 6 not repaired, 8 repaired, and something is lost\n"
		"(with --dry-run: it would be).",
};

static const struct option_spec export_options[] = {
	{ OPT_HDD, "hdd", "DEV",
	  "the HDD, or an image of it in a file",
	  "truncate(1) makes an image. A sparse image\n"
	  "needs room for what is written to it. If there is none left, or a quota is used up,\n"
	  "export says how far it came and ends with 1. Make room and begin again: the log is\n"
	  "as it was, also with --clear." },
	{ OPT_SSD, "ssd", "DEV", "the SSD, any one of several; of images, each" },
	LOST_SSD_OPTION,
	LOG_OPTION,
	{ OPT_CLEAR, "clear", NULL, "then make the log empty, if all of it could be written" },
	{ OPT_FORCE, "force", NULL, "a smaller HDD" },
	{ OPT_OTHER_HDD, "other-hdd", NULL, "an HDD that the log is not for" },
	{ OPT_TAKE_OVER, "take-over", NULL, "although another host, now down, had the log active" },
	{ OPT_WRITTEN, "hdd-was-written", NULL, "over an HDD that somebody has written to since" },
	{ OPT_UNSAVED, "discard-unsaved", NULL, "--clear whatever was lost" },
	{ OPT_COPY, "copy", "N",
	  "take copy N (0 or 1) of the superblock, whatever the other is;\n"
	  "only of a log on one SSD" },
	{ 'q', "quiet", NULL, "no progress, no list of what is lost" },
	{ OPT_REPORT, "json", NULL, "what came of it, as JSON" },
	{ }
};

const struct usage usage_export = {
	.synopsis = "HDD SSD [OPTIONS]\n"
		    "--hdd HDD-OR-IMAGE --ssd SSD [OPTIONS]",
	.about = "Write what the log on SSD has not yet written back to HDD, or to an image of\n"
		 "one. What was discarded becomes zeros. The log stays as it is, unless\n"
		 "--clear is given, so this can be done again.",
	.options = export_options,
	.more = "Exit status: 0 all of it is on the HDD, 1 it cannot be written, as on a file\n"
		"system that is full, 4 refused, 6 something is lost (it is listed, all else\n"
		"is on the HDD), 7 interrupted. After 1 and 7 begin again: the log is as it was.",
};

static const struct option_spec release_options[] = {
	{ OPT_UNSAVED, "discard-unsaved", NULL, "give up what only the SSD has" },
	{ OPT_FORCE, "force", NULL, "although a part of the first 128 KiB is damaged" },
	{ 'q', "quiet", NULL, "say nothing when all is well" },
	{ OPT_REPORT, "json", NULL, "what came of it, as JSON" },
	{ }
};

const struct usage usage_release = {
	.synopsis = "HDD --discard-unsaved",
	.about = "Make HDD a disk of its own again when its SSD is lost. While a log is not empty\n"
		 "its HDD shows only whose it is. Afterwards it is as the last drain left it: the\n"
		 "newest data is gone, and what is on it needs a check (fsck).",
	.options = release_options,
	.more = "Exit status: 0 done, 3 the HDD is no member, 4 refused, 6 done, but part of the\n"
		"first 128 KiB could not be brought back. It can be done again.",
};

static const struct option_spec probe_options[] = {
	{ OPT_EXPORT, "export", NULL, "as KEY=VALUE, for udev" },
	{ }
};

const struct usage usage_probe = {
	.synopsis = "DEV [--export]",
	.about = "Say whether DEV holds a log, which one, and whether it may hold anything that\n"
		 "is not on the HDD yet; or whether DEV is the HDD of a log.",
	.options = probe_options,
	.more = "Exit status: 0 there is a log, usable or not (SSDUP_FAULT), 3 there is none.",
};

static const struct option_spec doctor_options[] = {
	{ OPT_JSON, "json", NULL, "as JSON" },
	{ }
};

const struct usage usage_doctor = {
	.synopsis = "[--json]",
	.about = "Look at the module, its signature, the kernels, udev, the initramfs, ssduptab,\n"
		 "and each device and its disks. Each line says that something is well (ok), what can\n"
		 "be done about it (advice), or that no device can be made or a disk is gone\n"
		 "(wrong).",
	.options = doctor_options,
	.more = "Exit status: 0 all is well, 1 something is wrong, 8 there is advice.",
};

static const struct option_spec tab_options[] = {
	{ OPT_AUTO, "auto", NULL, "only those without noauto" },
	{ OPT_INITRD, "initrd", NULL, "only those with x-initrd.attach" },
	{ OPT_READY, "ready", NULL, "say which disks are missing; exit code 3 when one is" },
	{ OPT_CHECK, "check", NULL,
	  "say what is wrong with ssduptab: keys, values, disks,\n"
	  "duplicates; exit code 1 when anything is",
	  "Lines that cannot be read, keys and values that the kernel refuses,\n"
	  "disks that are not there or do not fit, and disks that are named twice: what stops\n"
	  "a device from being made is an error, [E]. What may be well, such as a missing disk\n"
	  "of a line with nofail, or a blank SSD, is a warning, [W]; so is a name that may lead\n"
	  "to another disk after a boot, and an HDD named by what it holds." },
	{ OPT_JSON, "json", NULL, "the lines, or what --check finds, as JSON" },
	{ OPT_UDEV, "udev", NULL,
	  "in an udev rule: properties of the device of the event",
	  "A faulty line that names\n"
	  "the device as its HDD hides it too, and the kernel's log says so." },
	{ }
};

const struct usage usage_tab = {
	.synopsis = "[NAME...] [OPTIONS]",
	.about = "Print the lines of ssduptab, or those of these NAMEs, without comments.",
	.options = tab_options,
};

static const struct option_spec metrics_options[] = {
	{ 'o', "output", "FILE", "write to FILE, which is never seen half written" },
	{ OPT_WEAR, "wear", NULL,
	  "the wear of the SSDs instead, by smartctl or nvme; needs root",
	  "An SSD is asked what it says itself of its life: how much of it is used, and what was\n"
	  "written. Once in an hour is enough: ssdup-wear.timer does so." },
	{ OPT_SYSFS, "sysfs", "DIR", "where sysfs is mounted (default: /sys)" },
	{ }
};

const struct usage usage_metrics = {
	.synopsis = "[--wear] [--output FILE]",
	.about = "Print state and statistics of all devices as text for Prometheus.\n"
		 "Needs no privileges, but for --wear. For node_exporter, FILE is one in the folder of its\n"
		 "textfile collector, and its name ends in .prom.",
	.options = metrics_options,
};

const struct usage usage_help = {
	.synopsis = "[COMMAND]",
	.about = "Say what COMMAND does and takes, or list all commands.",
};
