/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The metadata of an SSD of few and small segments, and how it is spoiled: for the fuzzer in user
 * space (kunit/host) and for images that are activated in a guest.
 */
#ifndef HOSTILE_IMAGE_H
#define HOSTILE_IMAGE_H

#include <linux/types.h>

#ifndef __packed
#define __packed __attribute__((packed))
#endif

#include "../../dm-ssdup/core/format.h"

#define IMAGE_SEGMENTS	SSDUP_MIN_SEGMENTS
#define IMAGE_PAGES	2U	/* of a segment */
#define IMAGE_SEGMENT_SECTORS 2048U
#define IMAGE_SSD_SECTORS (2 * SSDUP_HOME_SECTORS + IMAGE_SEGMENTS * IMAGE_SEGMENT_SECTORS)
/* Where a copy of the superblock is; the record is SSDUP_RECORD_PLACE(0) further on. */
#define IMAGE_HOME(copy) ((copy) ? IMAGE_SSD_SECTORS - SSDUP_HOME_SECTORS : 0)

struct image {
	union {
		struct ssdup_super	s;
		unsigned char		b[sizeof(struct ssdup_super)];
	} super[SSDUP_COPIES];
	union {
		struct ssdup_record	r;
		unsigned char		b[sizeof(struct ssdup_record)];
	} record[SSDUP_COPIES];
	union {
		struct ssdup_header	h;
		unsigned char		b[sizeof(struct ssdup_header)];
	} header[IMAGE_SEGMENTS];
	struct ssdup_page	slot[IMAGE_SEGMENTS][IMAGE_PAGES][SSDUP_PAGE_SLOTS];
};

/** image_random() - the next number of a sequence that @state names */
unsigned long long image_random(unsigned long long *state);

/**
 * image_mutate() - spoil an image in one to four ways
 * @im: changed
 * @seed: tells how; the same for the same image and number
 *
 * Fields of the superblock, the record, headers, pages and entries at their limits or next to
 * what they were, with the checksum right or not; headers and pages zeroed, copied, swapped,
 * torn, cut off; another format; games with tails, generations, epochs and seqs.
 *
 * Return: whether something that this code did not write has a right checksum.
 */
int image_mutate(struct image *im, unsigned long long seed);

/** image_set_dirty() - as after a power cut: the last suspend is not known to be clean */
void image_set_dirty(struct image *im);

/** image_repair_super() - make the checksum right; so do the next three */
void image_repair_super(struct image *im, unsigned int copy);
void image_repair_record(struct image *im, unsigned int copy);
void image_repair_header(struct image *im, unsigned int segment);
void image_repair_page(struct ssdup_page *p);

#endif
