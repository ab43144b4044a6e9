/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: which class, and so which SSD, the generation of a segment has. Pure.
 */
#ifndef SSDUP_GENERATION_H
#define SSDUP_GENERATION_H

#include <linux/compiler.h>
#include <linux/types.h>

/*
 * How generations are counted. Each class is on one SSD, and each SSD has one for each lifetime of
 * data. So no two SSDs have the same sector, and a log is right without what one of them had.
 *
 * When the pool has got another SSD, the log goes on with more classes, from generation @era on.
 * What it has from before keeps its SSD, and so its class, which has another number now.
 */
struct log_classes {
	u32	nr;		/* of all SSDs, see log_class_ssd() */
	u32	nr_ssds;
	u32	old_ssds;	/* before @era, with as many classes on each; 0: there was none */
	u64	era;
};

/** ssdup_log_class_before() - the class of a generation below @k->era */
u32 ssdup_log_class_before(const struct log_classes *k, u64 generation);

/** log_class() - the class of a generation: each class counts by steps of their number */
static inline u32 log_class(const struct log_classes *k, u64 generation)
{
	if (k->nr <= 1)
		return 0;
	if (unlikely(generation < k->era))
		return ssdup_log_class_before(k, generation);
	return generation % k->nr;
}

/** log_class_step() - from a generation of a class to the next one, in the same epoch */
static inline u32 log_class_step(const struct log_classes *k, u64 generation)
{
	return generation < k->era ? k->nr / k->nr_ssds * k->old_ssds : k->nr;
}

/** log_class_ssd() - the SSD of a class */
static inline u32 log_class_ssd(u32 nr_ssds, u32 class)
{
	return class % nr_ssds;
}

/** log_class_lifetime() - the lifetime that it is for: the class of data that a table names */
static inline u32 log_class_lifetime(u32 nr_ssds, u32 class)
{
	return class / nr_ssds;
}

/** ssdup_log_class_from() - the lowest generation of class @class that is not below @from */
u64 ssdup_log_class_from(const struct log_classes *k, u32 class, u64 from);

#endif
