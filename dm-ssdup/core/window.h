/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: which disk gets which write, and when: a window for each disk. Pure.
 *
 * A queue in front of a disk is a decision made too early. So each disk is given no more at once
 * than its window, and what fits into none waits. When a request ends, its disk gets the write that
 * suits it best:
 *
 *  - A run stays at its disk up to the end of an area. So the HDD gets long runs, the drain finds
 *    long runs in the log, and nobody is left behind on the slower disk for longer than an area.
 *    Scattered writes in one area go to one disk if it has time: so their ways are shorter at the
 *    HDD, now and in the drain.
 *  - Of those of a kind that wait, tasks take turns of WINDOW_TURN sectors. Within a turn the
 *    lowest place comes first, as in an elevator, of those that came within WINDOW_AGE. So tasks
 *    that write one file together stay together: a drain of the log finds no holes, and a full log
 *    no task that is behind the others, alone at its place. Of the first ones of most kinds the SSD
 *    takes the lowest place.
 *  - The SSD gets all that fits into its window, and the HDD what does not. A disk that has been
 *    quicker comes first, whatever it is, with one write at a time.
 *  - The SSD's window is what it does in 5/4 of the time that a write takes alone. So it has a next
 *    write when one ends, however long the way to it is; but it is given no more than it does in
 *    half a millisecond, unless that is less than 256 KiB.
 *  - A disk gets nothing if it has been so slow that it adds less than 1/32 to the speed. It is
 *    tried again with one write, when 64 times that write's time has passed.
 *  - An SSD with nothing to do takes a run of the HDD, too: it does not need runs.
 *  - While the log has room, who waits for the HDD has it to himself: a reader, or who flushes
 *    the device, whose flush then finds nothing there.
 *  - With the log full, an HDD that has a volatile cache gets the writes, whatever their kind: the
 *    flush that frees space would empty its cache. It has its window, so that those who are behind
 *    have their turn before the others; but none beside a reader, so that he and they share it as
 *    they would without us. Nothing is drained for them, not even then: he would wait for that
 *    flush, too. But while somebody flushes the device they wait for a pass: he would have to wait
 *    for what the cache holds.
 *  - Without a cache each of them costs a turn of the disk. So a pass of the drain, which has them
 *    in order, has the HDD to itself, and they wait for space, unless it has been quicker than the
 *    SSD. Writes that overlap what the log holds wait for space with any HDD.
 *  - With a price on the SSD a write is for the HDD while it can end there in so much time. A
 *    scattered one may take less, as it costs the HDD more: the SSD gets what saves most.
 *
 * A disk's time for a unit is what a write took, divided by what was in flight with it (Little's
 * law). So two disks can be compared though one is given more at once.
 *
 * The numbers below were found by tools/sim on pairs of disks: seeds 1 to 60 of
 * scripts/bench/family.py, and those of scripts/bench/disks.sh. Half or twice as large, each one
 * changes the mean of bursts and long loads by at most 0.7 %, but WINDOW_HDD by 7 % and by 3 %.
 */
#ifndef SSDUP_WINDOW_H
#define SSDUP_WINDOW_H

#include <linux/bits.h>
#include <linux/compiler.h>

#include "interference.h"
#include "types.h"

#define WINDOW_AREA	32768U	/* sectors; 16 MiB: such a part is one disk's, if that has time */
#define WINDOW_TURN	8192U	/* sectors; 4 MiB: so much a task has of a turn */
#define WINDOW_AGE	1024U	/* ms; who begins to wait later does not come first by place */
#define WINDOW_SSD	512U	/* sectors that the SSD is given at once, or more */
#define WINDOW_HDD	2048U	/* sectors that the HDD is given at once */
#define WINDOW_AHEAD	4U	/* part of a write's time alone: so much more the SSD is given */
#define WINDOW_QUEUE	500000U	/* ns of work that the SSD is given at most, or WINDOW_SSD */
#define WINDOW_RECENT	131072U	/* sectors written since; 64 MiB: what is older is no run */
#define WINDOW_GAIN	32U	/* a disk that takes so many times the other's time gets nothing */
#define WINDOW_RETRY	64U	/* times that a write's time passes until such a disk is tried */

/*
 * What writes are alike, in the order in which the HDD wants them. The SSD wants them the other
 * way round.
 */
enum window_kind {
	WINDOW_HDD_RUN,		/* goes on with a run of the HDD in its area */
	WINDOW_SEQUENTIAL,	/* goes on with another write, and begins an area */
	WINDOW_HDD_NEAR,	/* goes on with none; the HDD got the last write of its area */
	WINDOW_SCATTERED,
	WINDOW_SSD_NEAR,	/* as HDD_NEAR */
	WINDOW_SSD_RUN,		/* goes on with a run of the SSD in its area */
	WINDOW_REWRITE,		/* overlaps what the log holds: only the SSD can take it */
	WINDOW_KINDS,
};

#define WINDOW_ALL	(BIT(WINDOW_KINDS) - 1)	/* a bit for each */

/* --- Which writes are sequential --- */

#define WINDOW_ENDS_BITS 12

/*
 * Where writes ended not long ago, and at which disk; and which disk got the last write to an area.
 * There is no lock: a lost update only costs a wrong guess.
 */
struct window_map {
	u64	written;		/* sectors, ever */
	struct window_end {
		u64	sector;		/* behind the write, times 2, and 1 for the SSD; 0: none */
		u64	written;	/* sectors by then */
	} end[BIT(WINDOW_ENDS_BITS)];
	u32	area[BIT(WINDOW_ENDS_BITS)];	/* number plus 1, times 2, and 1 for the SSD */
};

/**
 * ssdup_window_note() - a write is sent to a disk
 * @m: where writes went
 * @start: sector of the write
 * @sectors: its length
 * @disk: the disk
 *
 * Context: any; lock-free.
 */
void ssdup_window_note(struct window_map *m, u64 start, u32 sectors, enum ssdup_disk disk);

/**
 * ssdup_window_kind() - what a write is like that has come
 * @m: where writes went; that this one goes on with one of them is forgotten
 * @start: sector of the write
 * @sectors: its length
 *
 * A run is one of equal writes: so the one before began in another area if this one's place less
 * its length is there. Context: any; lock-free.
 */
enum window_kind ssdup_window_kind(struct window_map *m, u64 start, u32 sectors);

/* --- What was learnt of the disks --- */

/* The uses of a disk that have a speed. */
enum window_use {
	WINDOW_USE_RUNS,	/* of the HDD, by sequential writes */
	WINDOW_USE_SCATTERED,	/* of the HDD */
	WINDOW_USE_SSD,
	WINDOW_USES,
};

#define WINDOW_UNIT	512U	/* sectors; times are for so many */

/* All zero: nothing is known yet. */
struct window_speed {
	u64	ns[WINDOW_USES];	/* moving averages; 0: not known */
	u64	retry[WINDOW_USES];	/* ns: when to try again, however slow it was */
	u64	alone;			/* ns that a write to an idle SSD takes; 0: not known */
	u32	window;			/* sectors, of the SSD; it counts from WINDOW_SSD on */
};

/** ssdup_window_learn() - a moving average learns a time in ns; it is never 0; any context */
void ssdup_window_learn(u64 *average, u64 ns);

/** ssdup_window_times() - is a write timed, that is sent now? One that tries the SSD always is. */
static inline bool ssdup_window_times(const struct window_speed *s, enum ssdup_disk disk, u64 start,
				      u32 sectors, u64 now)
{
	return disk == SSDUP_HDD || load_is_timed(start, sectors) ||
	       now >= READ_ONCE(s->retry[WINDOW_USE_SSD]);
}

/**
 * ssdup_window_ended() - a write from above that was timed has ended at a disk
 * @s: corrected
 * @disk: the disk; not to be called for an HDD that a pass of the drain has used meanwhile
 * @kind: of the write
 * @ns: the time it took
 * @sectors: its length
 * @beside: sectors in flight at the disk when it was sent, with its own
 * @now: ns
 */
void ssdup_window_ended(struct window_speed *s, enum ssdup_disk disk, enum window_kind kind,
			u64 ns, u32 sectors, u32 beside, u64 now);

/* --- The choice --- */

/* What writes that wait are compared by. */
struct window_turn {
	u64	turn;		/* sectors */
	u64	since;		/* ms, of any clock: when it began to wait */
	u64	start;		/* sector on the device */
};

/** ssdup_window_before() - does one come before another? */
static inline bool ssdup_window_before(struct window_turn a, struct window_turn b)
{
	u64 x = a.turn / WINDOW_TURN, y = b.turn / WINDOW_TURN;

	if (x == y) {
		x = a.since / WINDOW_AGE;
		y = b.since / WINDOW_AGE;
	}
	return x != y ? x < y : a.start < b.start;
}

/* The first one of the writes of a kind that wait. */
struct window_first {
	struct window_turn turn;
	u32	waited;			/* ms */
};

/* What is known when a write is to be sent. */
struct window_facts {
	const struct window_speed *speed;
	u64	now;		/* ns */
	u32	hdd;		/* sectors in flight there, of writes from above */
	u32	ssd;		/* the same, and of copies of reads */
	bool	room;		/* the log has a place for each of them */
	bool	pass;		/* a pass of the drain has the HDD to itself */
	bool	kept;		/* others wait for the HDD: a reader, a flush */
	bool	flushes;	/* and that is a flush */
	u64	price;		/* ns, see allowance.h; 0: none */
	/* Of writes that wait: */
	u32	waiting;	/* a bit for each kind */
	const struct window_first *first;	/* of each kind; NULL: it has just come */
	/* If the log is full: */
	bool	cached;		/* the HDD has a volatile write cache */
};

/**
 * ssdup_window_takes() - choose the disk of a write
 * @f: the facts
 * @kind: of the write
 * @disk: the disk
 *
 * Context: any. Return: false when it has to wait.
 */
bool ssdup_window_takes(const struct window_facts *f, enum window_kind kind, enum ssdup_disk *disk);

/* The write to be sent next: the first one of a kind. */
struct window_choice {
	enum ssdup_disk	disk;
	enum window_kind kind;
};

/**
 * ssdup_window_choose() - choose the next one of those that wait
 * @f: the facts
 * @c: the choice
 *
 * Some kinds come first at a disk, but not for ever. Return: false when nothing can be sent now.
 */
bool ssdup_window_choose(const struct window_facts *f, struct window_choice *c);

/** ssdup_window_earliest() - which kind's first one comes before the others; one waits */
enum window_kind ssdup_window_earliest(const struct window_facts *f);

/** ssdup_window_drains() - with the log full: is a pass due, for the writes that wait? */
bool ssdup_window_drains(const struct window_facts *f);

#endif
