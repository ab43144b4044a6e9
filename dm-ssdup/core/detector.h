/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: how random a stream of writes is (SSDUP+ section 2.2). Pure.
 */
#ifndef SSDUP_DETECTOR_H
#define SSDUP_DETECTOR_H

#include "types.h"

#define SSDUP_STREAM	128U	/* writes: as many as the queue of an HDD holds, see the paper */

struct stream_sample {
	u64	start;		/* sector on the device */
	u32	sectors;
	u32	next;		/* link, for the detector only */
};

/**
 * ssdup_detector_random_percentage() - random percentage of one stream
 * @s: the stream's writes in any order; the links are overwritten
 * @nr: number of writes, 2 or more
 *
 * Writes are sorted by offset, then by length. A write that starts where its lower neighbour
 * ends costs no head movement (random factor 0), any other costs one (1).
 *
 * Return: sum of the nr - 1 factors over nr - 1, in 1/10000, rounded to nearest.
 */
u32 ssdup_detector_random_percentage(struct stream_sample *s, u32 nr);

#endif
