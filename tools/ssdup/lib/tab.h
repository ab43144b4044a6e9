/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: /etc/ssduptab, one device a line:
 *
 *	NAME  HDD  SSD  [OPTIONS]
 *
 * Fields are separated by blanks; a "#" at the start of a field begins a comment;
 * \NNN (three octal digits) stands for that byte, as in fstab. HDD is a path,
 * UUID=, PARTUUID=, LABEL=, PARTLABEL=, ID= or WWN=; SSD is UUID= of the log, or the
 * same. OPTIONS is "-", "defaults", or a comma separated list of KEY=VALUE of
 * the table, of noauto and nofail, of x-initrd.attach for a device that the initramfs
 * has to make, and of other x-... which are for others.
 */
#ifndef SSDUP_TAB_H
#define SSDUP_TAB_H

#include <stdbool.h>
#include <stddef.h>

#include "tool.h"

struct tab_entry {
	char		*name;
	char		*hdd;
	char		*ssd;
	char		*args;		/* "KEY VALUE KEY VALUE ...", may be empty */
	unsigned int	nr_args;	/* words in it */
	unsigned int	line;
	bool		noauto;		/* not by "create -a" */
	bool		nofail;		/* its absence is no error */
	bool		initrd;		/* x-initrd.attach */
};

/* A faulty line: no device is made by it, but its HDD may be out of date all the same. */
struct tab_fault {
	const char	*why;
	char		*hdd;		/* NULL: it names none */
	unsigned int	line;
};

struct tab {
	struct tab_entry *entry;
	unsigned int	nr;
	struct tab_fault *fault;
	unsigned int	faults;		/* lines that were left out */
};

/* Told of each line that is left out, with its number and why. */
typedef void (*tab_fault_fn)(void *arg, unsigned int line, const char *why);

/**
 * tab_parse() - what @text holds
 * @text: need not end with a zero or a newline, may hold anything
 * @fault: may be NULL
 *
 * A faulty line is left out, and so is the second of two with one name; the others
 * count. What stands where a faulty line has its HDD is in @tab->fault. Free with
 * tab_free().
 */
void tab_parse(struct tab *tab, const char *text, size_t len, tab_fault_fn fault, void *arg);

/**
 * tab_read() - read ctx->tab; faulty lines are warned about
 *
 * Return: 0 (also when there is no such file: no entries), or -errno.
 */
int tab_read(const struct ssdup_ctx *ctx, struct tab *tab);

/** tab_find() - the entry of that name, or NULL */
const struct tab_entry *tab_find(const struct tab *tab, const char *name);

/** tab_free() - free what is in @tab, not @tab */
void tab_free(struct tab *tab);

/** tab_field() - as a field: what would end it is written \NNN; free() it */
char *tab_field(const char *s);

/**
 * tab_line() - a line without its end; free() it
 * @args: as in struct tab_entry; the keys log, host and override are left out
 */
char *tab_line(const char *name, const char *hdd, const char *ssd, const char *args);

/** tab_append() - add a line to the file, durably; 0 or -errno */
int tab_append(const char *path, const char *line);

/** name_fault() - why @name cannot be that of a device, or NULL when it can */
const char *name_fault(const char *name);

/**
 * options_to_args() - "KEY=VALUE,..." to "KEY VALUE ..." with nothing else accepted
 * @args: "" or what came before; grown, free() it
 * @nr_args: words in it, raised
 *
 * Return: NULL, or what is wrong with the first bad one.
 */
const char *options_to_args(const char *options, char **args, unsigned int *nr_args);

#endif
