/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The metadata of the smallest SSD there is, and how it is spoiled: for the
 * fuzzer in user space (kunit/host) and for images that are activated in a guest.
 */
#ifndef HOSTILE_IMAGE_H
#define HOSTILE_IMAGE_H

#include <linux/types.h>

#ifndef __packed
#define __packed __attribute__((packed))
#endif

#include "../../dm-ssdup/core/format.h"

#define IMAGE_HALVES	2U
#define IMAGE_PAGES	8U
#define IMAGE_STRIDE	8192U	/* sectors from half to half */

struct image {
	union {
		struct ssdup_super	s;
		unsigned char		b[sizeof(struct ssdup_super)];
	} super[SSDUP_SUPER_COPIES];
	struct ssdup_page	slot[IMAGE_HALVES][IMAGE_PAGES][SSDUP_PAGE_SLOTS];
};

/** image_random() - the next number of a sequence that @state names */
unsigned long long image_random(unsigned long long *state);

/**
 * image_mutate() - spoil an image in one to four ways
 * @im: changed
 * @seed: tells how; the same for the same image and number
 *
 * Fields of the superblock, of pages and of entries at their limits or next to
 * what they were, with the checksum right or not; pages zeroed, copied, swapped,
 * torn, cut off; games with generations, epochs and seqs.
 *
 * Return: whether something that this code did not write has a right checksum.
 */
int image_mutate(struct image *im, unsigned long long seed);

/** image_set_dirty() - as after a power cut: the last suspend is not known to be clean */
void image_set_dirty(struct image *im);

/** image_repair_super(), image_repair_page() - make the checksum right */
void image_repair_super(struct image *im, unsigned int copy);
void image_repair_page(struct ssdup_page *p);

#endif
