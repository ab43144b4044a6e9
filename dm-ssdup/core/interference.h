/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: how much reads of an SSD disturb the writes to it, and writes the reads. Pure.
 *
 * Flash that programs a page cannot read one, and the other way round. So an SSD that is read while
 * it is written gives less than either alone (Zhang, Zheng, Schwan, Wolf: "FlashStager", section
 * II). The interference is R, the expected throughput by the measured one. With as much in flight,
 * that is the time that writes take by the time that they are expected to take (Little's law), and
 * times can be taken while the SSD is not busy all the time.
 *
 * A span is a tenth of a second. What writes take is learnt in spans in which nobody reads the SSD,
 * drains included, nor did in the one before: for each size, by how much is in flight. In the other
 * spans it is compared with that. What was never seen without readers counts as undisturbed, and so
 * do spans without readers. So what the SSD loses by itself, as when it collects garbage, is no
 * interference as long as nobody reads.
 *
 * Reads are looked at in the same way, each kind by itself: those that ask for logged data, and not
 * those of a drain. Flash reads in a tenth of the time that it programs. So beside many writes few
 * reads lose most, and writes show nothing of that.
 */
#ifndef SSDUP_INTERFERENCE_H
#define SSDUP_INTERFERENCE_H

#include <linux/compiler.h>
#include <linux/types.h>

#define LOAD_LOOK	10000000U	/* ns from one look at what is in flight to the next */
#define LOAD_SPAN	100000000U	/* ns of a span */
#define LOAD_SPANS	10U		/* that R is of */
#define LOAD_SECOND	1000000000ULL	/* ns */

#define LOAD_SIZES	7U	/* of writes: below 16 sectors, below 32, and so on; 512 and more */
#define LOAD_DEPTHS	18U	/* powers of two sectors in flight, from 1 on */

#define LOAD_NONE	10000U	/* R without interference; in 10000ths */

/* Of one kind of requests to an SSD, of all logs; sums that only grow, but @sectors. */
struct ssd_load {
	u64	sectors;	/* in flight */
	u64	others;		/* of the other kind: all reads begun, or timed writes ended */
	struct load_timed {
		u64	ns;
		u64	nr;
	} timed[LOAD_SIZES];	/* that were timed, and ended */
};

/* What was learnt of an SSD. All zero: new. */
struct interference {
	struct ssd_load	then;		/* when the span began */
	u64	begun;			/* ns */
	u64	sectors;		/* in flight, sum of the looks in this span */
	u32	looks;			/* with anything in flight */
	bool	others_before;		/* in the span before */
	s32	r;			/* R above LOAD_NONE, of the last LOAD_SPANS spans */
	u64	rate;			/* sectors a second, of the same */
	u64	alone;			/* the same, without the other kind */
	u32	ns[LOAD_SIZES][LOAD_DEPTHS];	/* that one takes; 0: not known */
};

/**
 * load_is_timed() - is a request to an SSD timed?
 *
 * Large ones are. Of small ones an eighth will do, by their places.
 */
static inline bool load_is_timed(u64 start, u32 sectors)
{
	return sectors >= 64 || start * 0x9e3779b97f4a7c15ULL >> 61 == 0;
}

/** ssdup_load_size() - which of the sizes one of @sectors has */
u32 ssdup_load_size(u32 sectors);

/**
 * ssdup_interference_look() - look at a kind; every LOAD_LOOK while requests to the SSD end
 * @i: what is known of it
 * @load: now
 * @now: ns, of a clock that never goes back
 */
void ssdup_interference_look(struct interference *i, const struct ssd_load *load, u64 now);

/** ssdup_interference() - R in 10000ths, from LOAD_NONE to 100 times that */
u32 ssdup_interference(const struct interference *i);

/**
 * ssdup_interference_gain() - what an SSD would do with its reads alone, to what it does with both
 *
 * In bytes, that is R of the SSD as a whole. A few reads may take many times as long, and gain
 * little.
 * Return: 10000ths, at most U32_MAX; 0 if it does nothing.
 */
u32 ssdup_interference_gain(const struct interference *reads, const struct interference *writes);

#endif
