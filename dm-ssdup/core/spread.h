/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: which SSD of a log gets new data. Pure.
 *
 * They take turns, unless another one is expected to end a write clearly earlier: after all that
 * is in flight there, at the speed that was measured. Without turns what is idle would be chosen by
 * small differences of speed: an SSD that ends a write in its cache is busy for longer. One that
 * was slow is tried again, like a disk of core/window.h: it may have had a bad moment.
 *
 * Writes leave an SSD that is read by themselves, as it ends them later. But flash that programs
 * cannot read, and a few writes may keep many reads waiting. So an SSD that would do clearly more
 * with its reads alone is left apart (Zhang et al., FlashStager: beyond R = 1.6), unless all are:
 * new data goes to the others for ten seconds, and then it is tried again. It is R of all bytes,
 * and not of reads: one reader who waits is no reason to give half of a burst's speed away.
 *
 * What the log holds already stays on its SSD, see core/codec.h.
 *
 * Found by tools/sim on seeds 1 to 16 of scripts/bench/family.py, with two equal SSDs of 4 GB, and
 * with one that is three times slower than the other. To one SSD, random writes that all go to the
 * log are 1.98 and 1.46 times as fast, as by the earlier end alone; with turns alone 1.98 and 0.87.
 * By policy balance they are 1.55 and 1.08, by the earlier end alone 1.42 and 1.02. A quarter is as
 * good as a half with equal SSDs, and better with others.
 */
#ifndef SSDUP_SPREAD_H
#define SSDUP_SPREAD_H

#include "window.h"

#define SPREAD_APART_NS	10000000000ULL	/* so long an SSD is left to its readers */
#define SPREAD_APART	16000U	/* 10000ths: from so much gain on, the R of FlashStager */
#define SPREAD_EARLIER	4U	/* part of the time until the end: by so much earlier is clear */

/* All zero: nothing is known yet. */
struct spread_speed {
	u64	ns;		/* moving average for WINDOW_UNIT sectors; 0: not known */
	u64	retry;		/* ns: when to try again, however slow it was */
};

/* An SSD of a log. */
struct spread_ssd {
	struct spread_speed speed;
	u32	in_flight;	/* sectors of the log's writes */
	bool	out;		/* it has no room, or takes nothing */
	bool	apart;		/* it is left to its readers, if another one can have the write */
};

/**
 * ssdup_spread_learn() - a write that was timed has ended
 * @s: updated; any context, a lost update costs a wrong guess
 * @ns: the time it took
 * @in_flight: sectors there, with its own
 * @now: ns
 */
void ssdup_spread_learn(struct spread_speed *s, u64 ns, u32 in_flight, u64 now);

/**
 * ssdup_spread_apart() - is an SSD left to its readers?
 * @until: ns: for so long; updated
 * @r: what it would gain, in 10000ths, see ssdup_interference_gain()
 * @now: ns
 */
bool ssdup_spread_apart(u64 *until, u32 r, u64 now);

/**
 * ssdup_spread() - choose the SSD of a write
 * @ssd: of all
 * @nr: how many
 * @turn: any number; the SSDs come one after the other from this one on
 * @sectors: of the write
 * @now: ns
 *
 * Return: its number; if all are out, that of the turn.
 */
u32 ssdup_spread(const struct spread_ssd *ssd, u32 nr, u32 turn, u32 sectors, u64 now);

#endif
