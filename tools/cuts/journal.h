/* SPDX-License-Identifier: GPL-2.0-only */
/* cuts: what was asked of the device, and what may be found there. */
#ifndef CUTS_JOURNAL_H
#define CUTS_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

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

/* journal_unsure() - a FLUSH has failed, with an SSD: what it was for may be lost for good */
void journal_unsure(uint32_t flush);

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

#endif
