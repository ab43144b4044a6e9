/* SPDX-License-Identifier: GPL-2.0-only */
/* cuts: what its files call of each other. */
#ifndef CUTS_H
#define CUTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../iocheck/stamp.h"

#define ARRAY_SIZE(x)	(sizeof(x) / sizeof((x)[0]))
#define HDD		"/dev/mhdd0"
#define SSD		"/dev/mssd0"
#define HDD_SECTORS	32768U

/* A stream of random numbers. */
struct rng {
	uint64_t state;
};

uint64_t rng_next(struct rng *r);

/* rng_below() - from 0 to @n - 1 */
uint64_t rng_below(struct rng *r, uint64_t n);

/* rng_split() - another stream, made of this one's seed and a name */
struct rng rng_split(uint64_t seed, uint64_t name);

/* die() - an error of the test itself */
void die(const char *what) __attribute__((noreturn));

/* --- journal.c: what was asked of the device, and what may be found there --- */

enum kind { KIND_WRITE, KIND_ZERO, KIND_DISCARD, KIND_FLUSH };

#define NOW	UINT64_MAX

/* journal_reset() - a new device of zeros; @salt tells this case's stamps from others' */
void journal_reset(uint64_t salt);

/*
 * journal_begin() - something is about to be sent
 *
 * Return: its number; of a write, that of its stamps.
 */
uint32_t journal_begin(enum kind kind, unsigned int writer, uint64_t start, uint32_t sectors,
		       bool fua);

/* journal_end() - it has ended; @ok: well */
void journal_end(uint32_t number, bool ok);

/* journal_stamp() - fill a buffer for a write of this number */
void journal_stamp(void *buf, uint32_t number, uint64_t start, uint32_t sectors);

/* journal_time() - of the next event */
uint64_t journal_time(void);

/* journal_entries() - how many things were sent */
uint32_t journal_entries(void);

/*
 * journal_check() - may these sectors be there?
 * @since: when the read was sent: NOW, or 0 for what a power cut has left
 * @where: for the report
 *
 * What is found after a cut is the truth from then on. Return: sectors that may not.
 */
unsigned int journal_check(const void *buf, uint64_t start, uint32_t sectors, uint64_t since,
			   const char *where);

/* --- device.c: the device under test --- */

enum subject { SUBJECT_SSDUP, SUBJECT_HOOK };

struct device {
	enum subject subject;
	const char *hook;		/* a command: up, down */
	char table[256];		/* keys of ssdup's table line */
	char path[64];
	int minor;
};

/* device_up() - it is there; errors are no surprise when the power goes meanwhile */
bool device_up(struct device *d);
bool device_down(struct device *d);

/* device_fail() - whoever waits for it gets an error, as by dmsetup remove --force */
void device_fail(struct device *d);

/* device_reload() - suspend, another table, resume */
bool device_reload(struct device *d, bool noflush);
bool device_message(struct device *d, const char *message);

/* device_knob() - a file of its folder in sysfs */
bool device_knob(struct device *d, const char *file, const char *value);

bool write_file(const char *path, const char *text);
bool read_file(const char *path, char *text, size_t size);

/* --- work.c: the load --- */

struct plan {
	uint64_t seed;
	unsigned int writers, ops, align, max, span;
	unsigned int weight[8];		/* of each kind of thing that writers do */
	unsigned int controls;		/* things that the controller does */
	bool unwritable;		/* some sectors of the HDD refuse writes */
	bool suspends;			/* reloads are among the controls */
	bool classes;			/* the classes of new data are, too */
	bool budget;			/* and what space on the SSD costs */
};

extern unsigned int work_errors;	/* things that went wrong before the power did */

/* work_plan() - what a seed says */
void work_plan(struct plan *p, uint64_t seed);

/* work_run() - until all is done or the power is gone. Return: false when it hangs */
bool work_run(const struct plan *p, struct device *d, unsigned int round);

/* power_is_off() - or was told to go */
bool power_is_off(void);

#endif
