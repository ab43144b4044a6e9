/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the adaptive threshold (SSDUP+ section 2.3.2). Pure.
 *
 * PercentList holds the percentages of streams since the access pattern last changed, ascending;
 * the threshold is
 *
 *	PercentList[round((1 - avgper) * (n - 1))]
 *
 * with avgper the mean of the list. So recent random streams lower the threshold. The paper
 * leaves the rounding open: rounding to nearest gives nine of the ten values of its example,
 * truncation four. The threshold is 0.5 until two streams were seen. The list holds the last
 * THRESHOLD_LIST streams, so that a device which runs for a year still follows its load.
 */
#ifndef SSDUP_THRESHOLD_H
#define SSDUP_THRESHOLD_H

#include "types.h"

#define THRESHOLD_LIST		256U	/* streams in PercentList at most */
#define THRESHOLD_RECENT	10U	/* k of the paper */
#define THRESHOLD_CHANGED	7U	/* more than 70 % of k: at least 8 of 10 */
#define THRESHOLD_FAR		3000U	/* above the threshold by more than 0.3 */
#define THRESHOLD_START		5000U

struct threshold {
	u32	value;			/* 1/10000 */
	u32	nr;			/* entries of sorted[] */
	u32	sum;			/* of sorted[] */
	u32	oldest;			/* index into arrival[] */
	u32	nr_recent;		/* streams looked at for the change test, up to k */
	u32	recent_next;
	u16	sorted[THRESHOLD_LIST];
	u16	arrival[THRESHOLD_LIST];	/* same values in order of arrival, a ring */
	u8	far[THRESHOLD_RECENT];	/* was far above the threshold then in force; a ring */
};

/** ssdup_threshold_init() - start over: an empty list, threshold 0.5 */
void ssdup_threshold_init(struct threshold *t);

/**
 * ssdup_threshold_update() - take in the percentage of the stream just seen
 * @t: state; the caller serialises
 * @percentage: 0..10000
 *
 * The pattern has changed when more than 70 % of the last 10 streams, this one included, exceeded
 * the threshold then in force by more than 0.3. Then list and test start over with this stream.
 *
 * Return: the threshold that this stream's percentage is compared with.
 */
u32 ssdup_threshold_update(struct threshold *t, u32 percentage);

#endif
