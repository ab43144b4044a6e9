/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: what every command of the tool shares: its context, exit codes, how it
 * speaks, options and sizes.
 *
 * A command is one function, see commands.h. It parses its options with next_option(),
 * does its work and returns an exit code. What is for people and scripts goes to stdout;
 * complaints go to stderr as
 *
 *	ssdup create: /dev/sdb1: mounted on /mnt; unmount it, or give another disk
 *
 * that is: command, what it is about, what is wrong; what to do.
 */
#ifndef SSDUP_TOOL_H
#define SSDUP_TOOL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SSDUP_TAB_FILE	"/etc/ssduptab"
#define SECTOR_BYTES	512ULL

/* Exit codes, part of the interface: see ssdup(8). */
enum {
	EXIT_OK		= 0,
	EXIT_FAILED	= 1,	/* the work failed */
	EXIT_USAGE	= 2,	/* the command line is wrong */
	EXIT_NOT_FOUND	= 3,	/* no such device or name */
	EXIT_REFUSED	= 4,	/* mounted, in use, another signature, ... */
	EXIT_FAULTS	= 5,	/* the log has faults that can be repaired */
	EXIT_LOST	= 6,	/* the log is lost or cannot be read */
	EXIT_INTERRUPTED = 7,
	EXIT_DEGRADED	= 8,	/* the device runs, but not as it should */
};

/** worse() - of two exit codes, so that EXIT_DEGRADED hides no other */
static inline int worse(int a, int b)
{
	return !a || (b && b != EXIT_DEGRADED) ? b : a;
}

struct usage;

struct ssdup_ctx {
	const char	*command;	/* in front of each complaint */
	const char	*tab;		/* path of ssduptab */
	bool		quiet;		/* no progress, no notes */
	int		exit;		/* set by next_option() with OPT_STOP */
	const struct usage *usage;	/* what the command takes */
};

/* --- Speaking --- */

/**
 * fail() - complain about @subject, and give the exit code back
 * @code: returned
 * @subject: what it is about (a path, a name, an option), or NULL
 *
 * Return: @code, so that a command can say "return fail(...)".
 */
int fail(const struct ssdup_ctx *ctx, int code, const char *subject, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** warn() - the same for what does not end the command; "warning: " in front */
void warn(const struct ssdup_ctx *ctx, const char *subject, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** note() - a line to stdout, unless the command is to be quiet */
void note(const struct ssdup_ctx *ctx, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** report_begin() - from now on all that is said or printed is kept for report_end() */
void report_begin(void);

/** report_end() - if that was called: what was said, and the exit code, as JSON to stdout */
void report_end(const char *command, int code);

/** confirmed() - ask whether to go on; no: with a report nobody is asked */
bool confirmed(void);

/** error_text() - strerror(), with the hint for who lacks the right */
const char *error_text(int error);

/** root_hint() - "; are you root?" to put behind a refusal, or "" for whoever is */
const char *root_hint(void);

/* --- Memory: the program ends with EXIT_FAILED when there is none --- */

void *xgiven(void *p);			/* what a library has allocated, or NULL */
void *xalloc(size_t bytes);		/* zeroed; free() it */
void *xgrow(void *p, size_t bytes);
void *xmore(void *p, size_t nr, size_t size);	/* an array that grows: room for [nr] */
void *xpages(size_t bytes);		/* zeroed, and aligned as O_DIRECT wants it; free() it */
char *xstrdup(const char *s);
char *xprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* --- Options --- */

struct option_spec {
	int		val;	/* the letter, or a number from 256 up for none */
	const char	*name;	/* long name, without the dashes */
	const char	*arg;	/* what it takes, as "DEV"; NULL for nothing */
	const char	*help;	/* a line or more, "\n" between them */
	const char	*manual; /* lines that only ssdup(8) adds; may be NULL */
};

struct usage {
	const char	*synopsis;	/* "NAME --hdd DEV --ssd DEV [OPTIONS]", a line or more */
	const char	*about;		/* one or more lines, no newline at the end */
	const struct option_spec *options;	/* until val is 0; may be NULL */
	const char	*more;		/* printed below the options, or NULL */
};

#define OPT_END		0	/* operands follow at argv[optind] */
#define OPT_REPORT	1024	/* next_option() itself takes it, see report_begin() */
#define OPT_STOP	(-1)	/* return ctx->exit: --help was given, or the usage is wrong */

/**
 * next_option() - the next option of a command, with its argument in optarg
 *
 * Every command has -h, --help besides those of @ctx->usage.
 *
 * Return: its val, OPT_END, or OPT_STOP.
 */
int next_option(struct ssdup_ctx *ctx, int argc, char **argv);

/**
 * operands() - after OPT_END: between @min and @max operands must be left
 * @max: -1 for any number
 *
 * Return: true, or false with the complaint made and ctx->exit set.
 */
bool operands(struct ssdup_ctx *ctx, int argc, char **argv, int min, int max);

/**
 * disk_operands() - after OPT_END: the disks that no option has named, the HDD first
 * @hdd: what --hdd said, or NULL; set
 * @ssd: the same of --ssd
 * @alone: the HDD may be missing: then it stays NULL
 *
 * Return: true, or false with the complaint made and ctx->exit set.
 */
bool disk_operands(struct ssdup_ctx *ctx, int argc, char **argv, const char **hdd,
		   const char **ssd, bool alone);

/** bad_usage() - complain about the command line, and say how to get help */
int bad_usage(struct ssdup_ctx *ctx, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* --- Sizes and times --- */

/**
 * parse_size() - a size as util-linux takes it
 * @text: "4096", "10M", "10MiB" (both of 1024), "10MB" (of 1000), "1.5G", "512s"
 * (sectors of 512 bytes)
 * @bytes: filled in
 *
 * Return: 0, -EINVAL for something else, -ERANGE for what does not fit.
 */
int parse_size(const char *text, uint64_t *bytes);

/**
 * parse_number() - a plain number from @min to @max
 *
 * Return: 0, -EINVAL or -ERANGE.
 */
int parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *value);

#define SIZE_TEXT	32

/** format_size() - "1.5 GiB", at most SIZE_TEXT bytes with the end; returns @text */
const char *format_size(char text[SIZE_TEXT], uint64_t bytes);

/** format_time() - "1 h 02 min", "4 min 07 s", "12 s"; returns @text */
const char *format_time(char text[SIZE_TEXT], uint64_t seconds);

#endif
