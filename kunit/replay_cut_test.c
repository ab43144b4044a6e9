// SPDX-License-Identifier: GPL-2.0-only
/* invariant: 2 7 */
/*
 * A model of what commit.c and recovery.c write: epochs, segments, rounds of pages, and power
 * cuts. replay.c, which replay_test.c includes, must accept what any cut leaves, find all that
 * was durable, and refuse the damage that can be told from a cut.
 *
 * A page has one entry, whose length says how many entries the writer had put into the page.
 * Pages are made when they are read, from what was written to each slot.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "core/replay.h"
#include "prng.h"

#define SEGMENTS	24U
#define PAGES		8U		/* of a segment, at most */
#define NUMBERS		1024U		/* pages of an epoch, at most */
#define HDD_SECTORS	(SEGMENTS * PAGES * SSDUP_PAGE_ENTRIES)

/* What a slot holds. */
struct version {
	u64	generation;	/* 0: nothing that is valid */
	u64	epoch;
	u64	rev;
	u32	number;
	u32	entries;
};

/* A page as long as it is in the ring, see commit.c. */
struct ring_page {
	u32	opened;		/* segment of the epoch */
	u32	page;
	u32	resolved;
	u32	durable;
	u64	rev;
};

/* A segment that the present epoch has opened. */
struct opened {
	u32	segment;
	u64	generation;
	u32	base;
	u32	pages;
	bool	header;
};

/* A page that a replay has found. */
struct hit {
	u64	epoch;
	u64	rev;
	u32	segment;
	u32	page;
	u32	number;
};

struct life {
	struct log_super	s;
	struct prng		r;
	/* On the medium */
	struct log_header	header[SEGMENTS];
	struct version		slot[SEGMENTS][PAGES][SSDUP_PAGE_SLOTS];
	/* A replay */
	u8			head[LOG_HEAD_BYTES];
	struct ssdup_page	buf[SSDUP_PAGE_SLOTS];
	struct ssdup_replay	rp;
	struct log_header	live[SEGMENTS];
	u32			nr_live;
	u64			next;
	u32			pages[SEGMENTS];
	u32			found[SEGMENTS][PAGES];		/* entries + 1 */
	struct hit		hit[SEGMENTS * PAGES];
	u32			nr_hits;
	/* The writer */
	u64			owner[SEGMENTS];		/* generation; 0: free */
	u32			durable[SEGMENTS][PAGES];	/* entries + 1; no cut takes them */
	struct ring_page	ring[NUMBERS];
	struct opened		opened[NUMBERS];
	u32			nr_opened;
	u32			end;		/* of the pages that were handed out */
	u32			frees;
	u32			cleans;
};

static struct life *life_new(struct kunit *test, u32 seed)
{
	struct life *l = kunit_kzalloc(test, sizeof(*l), GFP_KERNEL);
	struct log_geometry g = {
		.segment_start = SSDUP_HOME_SECTORS, .segment_sectors = 8192,
		.nr_segments = SEGMENTS, .meta_pages = 1 + seed % PAGES, .data_start = 136,
		.data_sectors = 8056, .block_sectors = 1,
	};
	static const u8 pool[16] = { 7 }, uuid[16] = { 8 };

	KUNIT_ASSERT_NOT_NULL(test, l);
	ssdup_log_super_fresh(&l->s, pool, uuid, &g, HDD_SECTORS, BIT_ULL(20));
	l->r.state = seed;
	return l;
}

/* --- Replay --- */

static void make_page(const struct life *l, struct ssdup_page *p, u32 segment, u32 page,
		      const struct version *v)
{
	struct log_page_id id = {
		.generation = v->generation, .epoch = v->epoch, .rev = v->rev, .page = page,
		.segment = segment, .number = v->number,
	};
	struct log_entry e = {
		.sector = page, .sectors = v->entries + 1, .kind = SSDUP_KIND_ZERO,
		.seq = v->generation << SSDUP_SEQ_BITS,
	};

	p->h.magic = 0;
	if (!v->generation)
		return;
	memcpy(id.uuid, l->s.uuid, sizeof(id.uuid));
	ssdup_log_page_begin(p, &id);
	ssdup_log_page_add(p, &e);
	ssdup_log_page_finish(p);
}

static int life_read(void *ctx, u32 segment, u32 page, const struct ssdup_page **slots)
{
	struct life *l = ctx;
	u32 i;

	for (i = 0; i < SSDUP_PAGE_SLOTS; i++)
		make_page(l, &l->buf[i], segment, page, &l->slot[segment][page][i]);
	*slots = l->buf;
	return 0;
}

static int life_entries(void *ctx, u32 segment, const struct ssdup_entry *e, u32 nr)
{
	struct life *l = ctx;

	l->found[segment][le64_to_cpu(e->sector)] = le32_to_cpu(e->sectors);
	return nr == 1 ? 0 : -EINVAL;
}

static const struct replay_ops life_ops = {
	.read_page = life_read,
	.entries = life_entries,
};

static enum log_fault read_header(struct life *l, u32 segment)
{
	struct ssdup_page *slots = (void *)l->head + SSDUP_BLOCK_BYTES;
	struct log_header *h = &l->header[segment];
	u32 i;

	memset(l->head, 0, SSDUP_BLOCK_BYTES);
	if (h->generation)
		ssdup_log_header_encode(&l->s, h, l->head);
	for (i = 0; i < SSDUP_PAGE_SLOTS; i++)
		make_page(l, &slots[i], segment, 0, &l->slot[segment][0][i]);
	return ssdup_log_head_decode(l->head, &l->s, segment, &l->live[l->nr_live]);
}

/* As recovery.c reads a log. Return: the fault, or LOG_OK. */
static enum log_fault life_replay(struct kunit *test, struct life *l)
{
	enum log_fault fault;
	u32 i;
	int r = 0;

	memset(l->pages, 0, sizeof(l->pages));
	memset(l->found, 0, sizeof(l->found));
	l->nr_live = 0;
	for (i = 0; i < SEGMENTS; i++) {
		fault = read_header(l, i);
		l->nr_live += fault == LOG_OK;
		if (fault == LOG_SEGMENT_GAP)
			return fault;
	}
	fault = ssdup_replay_live(&l->s, l->live, &l->nr_live, &l->next);
	if (fault != LOG_OK)
		return fault;
	ssdup_replay_begin(&l->rp, &l->s, &life_ops, l);
	for (i = 0; i < l->nr_live && !r; i++)
		r = ssdup_replay_segment(&l->rp, &l->live[i], &l->pages[l->live[i].segment]);
	r = r ?: ssdup_replay_end(&l->rp);
	if (!r)
		return LOG_OK;
	KUNIT_EXPECT_EQ(test, r, -EINVAL);
	KUNIT_EXPECT_NE(test, l->rp.fault.fault, LOG_OK);
	return l->rp.fault.fault;
}

/* Note the pages that a replay has found, in its order. */
static void note_hits(struct life *l)
{
	u32 i, page, segment;

	l->nr_hits = 0;
	for (i = 0; i < l->nr_live; i++) {
		segment = l->live[i].segment;
		for (page = 0; page < l->pages[segment]; page++) {
			const struct version *v = l->slot[segment][page];
			u64 generation = l->live[i].generation;
			bool second = v[1].generation == generation &&
				      (v[0].generation != generation || v[1].rev > v[0].rev);

			v += second;
			l->hit[l->nr_hits++] = (struct hit){
				v->epoch, v->rev, segment, page, v->number,
			};
		}
	}
}

/* --- The writer --- */

static bool open_segment(struct life *l)
{
	u32 i, from = prng_below(&l->r, SEGMENTS), at;

	for (i = 0; i < SEGMENTS; i++) {
		at = (from + i) % SEGMENTS;
		if (l->owner[at])
			continue;
		l->owner[at] = l->next;
		l->opened[l->nr_opened++] = (struct opened){ at, l->next++, l->end };
		return true;
	}
	return false;
}

/* Places are handed out in order. A segment is sealed when it is full, or earlier. */
static void hand_out(struct life *l, u32 nr)
{
	struct opened *o = l->opened + l->nr_opened;

	while (nr-- && l->end < NUMBERS) {
		if (!l->nr_opened || o[-1].pages == l->s.g.meta_pages ||
		    !prng_below(&l->r, 12)) {
			if (!open_segment(l))
				return;
			o++;
		}
		l->ring[l->end++] = (struct ring_page){ l->nr_opened - 1, o[-1].pages++ };
	}
}

/* What writes in flight leave of a slot: the new version, the old one, or neither. */
static void cut_write(struct life *l, struct version *slot, const struct version *new)
{
	switch (prng_below(&l->r, 3)) {
	case 0:
		*slot = *new;
		break;
	case 1:
		slot->generation = 0;
		break;
	default:
		break;
	}
}

enum cut {
	CUT_NOT,
	CUT_HEADERS,
	CUT_PAGES,
};

/* All headers are durable before the first page is sent. A cut leaves old, new, or a torn one. */
static void write_headers(struct life *l, const u32 *pages, u32 nr, enum cut cut)
{
	struct opened *o;
	u32 i, left;

	for (i = 0; i < nr; i++) {
		o = &l->opened[l->ring[pages[i]].opened];
		left = cut == CUT_HEADERS ? prng_below(&l->r, 4) : 2;
		if (o->header || left < 1)
			continue;
		l->header[o->segment] = (struct log_header){
			left == 1 ? 0 : o->generation, l->s.epoch, o->segment,
		};
		o->header = cut != CUT_HEADERS;
	}
}

static void write_round(struct life *l, const u32 *pages, u32 nr, enum cut cut)
{
	u32 i;

	write_headers(l, pages, nr, cut);
	for (i = 0; i < nr && cut != CUT_HEADERS; i++) {
		struct ring_page *p = &l->ring[pages[i]];
		const struct opened *o = &l->opened[p->opened];
		struct version *slot = &l->slot[o->segment][p->page][(p->rev + 1) & 1];
		struct version new = {
			o->generation, l->s.epoch, p->rev + 1, pages[i], p->resolved,
		};

		if (cut == CUT_PAGES) {
			cut_write(l, slot, &new);
			continue;
		}
		*slot = new;
		p->rev++;
		p->durable = p->resolved;
		l->durable[o->segment][p->page] = p->durable + 1;
	}
}

/* As ssdup_commit(). The power goes in round @rounds, if there are so many. */
static bool commit(struct life *l, u32 rounds, enum cut cut)
{
	u32 pages[LOG_COMMIT_PAGES], nr, page, end;
	bool all;

	do {
		end = l->end;
		while (end && l->ring[end - 1].resolved == l->ring[end - 1].durable)
			end--;
		for (nr = 0, all = true, page = 0; page < end; page++) {
			if (l->ring[page].resolved == l->ring[page].durable && l->ring[page].rev)
				continue;
			all = nr < LOG_COMMIT_PAGES;
			if (!all)
				break;
			pages[nr++] = page;
		}
		write_round(l, pages, nr, rounds ? CUT_NOT : cut);
	} while (rounds-- && !all);
	return rounds == U32_MAX;
}

/* Of the segment that has page @number of the epoch; 0 if it was freed since */
static u64 generation_of(const struct life *l, u32 number)
{
	const struct opened *o = &l->opened[l->ring[number].opened];

	return l->owner[o->segment] == o->generation ? o->generation : 0;
}

/* Writes end in any order. */
static void resolve(struct life *l)
{
	u32 page;

	for (page = 0; page < l->end; page++)
		if (generation_of(l, page) && prng_below(&l->r, 3) &&
		    l->ring[page].resolved < SSDUP_PAGE_ENTRIES)
			l->ring[page].resolved++;
}

static u32 oldest(const struct life *l)
{
	u32 i, found = SEGMENTS;

	for (i = 0; i < SEGMENTS; i++)
		if (l->owner[i] && (found == SEGMENTS || l->owner[i] < l->owner[found]))
			found = i;
	return found;
}

/* When all of their writes have ended, a commit, and a record that raises the tail. */
static void free_segments(struct life *l, u32 nr)
{
	u64 open = l->nr_opened ? l->opened[l->nr_opened - 1].generation : l->next;
	u32 i, page;

	for (page = 0; page < l->end; page++)
		if (generation_of(l, page) && generation_of(l, page) < open &&
		    !l->ring[page].resolved)
			l->ring[page].resolved++;
	commit(l, U32_MAX, CUT_NOT);
	for (i = oldest(l); nr-- && i < SEGMENTS && l->owner[i] < open; i = oldest(l)) {
		l->owner[i] = 0;
		memset(l->durable[i], 0, sizeof(l->durable[i]));
		l->frees++;
	}
	l->s.tail[0] = i < SEGMENTS ? l->owner[i] : open;
}

/* What the replay found is what the log holds from now on, and a new epoch begins. */
static void activate(struct life *l)
{
	u32 i;

	memset(l->owner, 0, sizeof(l->owner));
	memcpy(l->durable, l->found, sizeof(l->durable));
	for (i = 0; i < l->nr_live; i++)
		l->owner[l->live[i].segment] = l->live[i].generation;
	l->s.epoch++;
	l->s.first = l->next;
	l->s.flags = 0;
	l->end = 0;
	l->nr_opened = 0;
	memset(l->ring, 0, sizeof(l->ring));
}

static void suspend(struct life *l)
{
	u32 i, page, pages;

	commit(l, U32_MAX, CUT_NOT);
	l->s.flags = SSDUP_RECORD_CLOSED;
	l->s.live_segments = 0;
	l->s.live_pages = 0;
	for (i = 0; i < SEGMENTS; i++) {
		for (page = 0, pages = 0; page < PAGES; page++)
			pages += l->durable[i][page] != 0;
		l->s.live_segments += !!pages;
		l->s.live_pages += pages;
	}
	l->cleans++;
}

/* The log is activated and written to, and the power goes, or it is suspended. */
static void live(struct life *l)
{
	u32 i, commits = prng_below(&l->r, 6);

	activate(l);
	for (i = 0; i < commits; i++) {
		hand_out(l, prng_below(&l->r, i & 1 ? 40 : 4));
		resolve(l);
		commit(l, U32_MAX, CUT_NOT);
		if (!prng_below(&l->r, 4))
			free_segments(l, prng_below(&l->r, SEGMENTS / 2));
	}
	if (!prng_below(&l->r, 8)) {
		suspend(l);
		return;
	}
	hand_out(l, prng_below(&l->r, 40));
	resolve(l);
	commit(l, prng_below(&l->r, 3), prng_below(&l->r, 4) ? CUT_PAGES : CUT_HEADERS);
}

/* --- What must be found --- */

static void expect_all(struct kunit *test, struct life *l, u32 seed)
{
	u32 i, page;

	KUNIT_ASSERT_EQ_MSG(test, life_replay(test, l), LOG_OK, "seed %u, epoch %llu", seed,
			    l->s.epoch);
	for (i = 0; i < SEGMENTS; i++)
		for (page = 0; page < PAGES; page++)
			KUNIT_ASSERT_GE_MSG(test, l->found[i][page], l->durable[i][page],
					    "seed %u, epoch %llu", seed, l->s.epoch);
	/* A generation that nobody has had. */
	for (i = 0; i < SEGMENTS; i++)
		KUNIT_ASSERT_GT(test, l->next, l->header[i].generation);
	KUNIT_ASSERT_GE(test, l->next, max(l->s.tail[0], l->s.first));
	note_hits(l);
}

/* No power cut is taken for damage, and none takes what was durable. */
static void any_power_cuts(struct kunit *test)
{
	u32 seed, cuts, frees = 0, cleans = 0, hits = 0;
	struct life *l;

	for (seed = 0; seed < 40; seed++) {
		l = life_new(test, seed);
		expect_all(test, l, seed);
		for (cuts = 0; cuts < 20; cuts++) {
			live(l);
			expect_all(test, l, seed);
			hits += l->nr_hits;
		}
		frees += l->frees;
		cleans += l->cleans;
		kunit_kfree(test, l);
	}
	KUNIT_EXPECT_GT(test, frees, 1000);
	KUNIT_EXPECT_GT(test, cleans, 50);
	KUNIT_EXPECT_GT(test, hits, 20000);
}

/* --- What must be refused --- */

/* Is the segment of hit @i the first live one of its epoch? */
static bool first_of_epoch(const struct life *l, u32 i)
{
	u32 k;

	for (k = 0; k < l->nr_live && l->live[k].epoch != l->hit[i].epoch; k++)
		;
	return l->live[k].segment == l->hit[i].segment;
}

/* Does another page show that hit @i was durable? */
static bool page_is_proved(const struct life *l, u32 i)
{
	const struct hit *h = &l->hit[i];
	u32 j, far = LOG_COMMIT_PAGES;

	/* Where the numbers begin may be known by a segment only. */
	if (first_of_epoch(l, i) && l->pages[h->segment] == 1)
		far += PAGES;
	if (l->s.flags & SSDUP_RECORD_CLOSED)
		return true;
	for (j = i + 1; j < l->nr_hits && l->hit[j].epoch == h->epoch; j++)
		if (l->hit[j].rev > 1 || l->hit[j].number - h->number >= far)
			return true;
	return false;
}

static bool damage_page(struct kunit *test, struct life *l, u32 i)
{
	struct version *slot = l->slot[l->hit[i].segment][l->hit[i].page];
	struct version kept[SSDUP_PAGE_SLOTS];
	enum log_fault fault;

	if (!page_is_proved(l, i))
		return false;
	memcpy(kept, slot, sizeof(kept));
	memset(slot, 0, sizeof(kept));
	fault = life_replay(test, l);
	KUNIT_EXPECT_TRUE_MSG(test, fault == LOG_PAGES_GAP ||
			      (fault == LOG_PAGES_MISSING && l->s.flags), "fault %u", fault);
	memcpy(slot, kept, sizeof(kept));
	return true;
}

/*
 * Does a page show that the header of hit @i was durable? The first one of its own segment does,
 * whatever its epoch; one of a later segment does without that.
 */
static bool header_is_proved(const struct life *l, u32 i, bool own)
{
	const struct hit *h = &l->hit[i];
	u64 generation = l->header[h->segment].generation;
	u32 j;

	if (own || l->s.flags & SSDUP_RECORD_CLOSED)
		return true;
	for (j = i + 1; j < l->nr_hits && l->hit[j].epoch == h->epoch; j++)
		if (l->hit[j].segment != h->segment)
			return !first_of_epoch(l, i) || h->epoch == l->s.epoch ||
			       l->header[l->hit[j].segment].generation == generation + 1;
	return false;
}

static bool damage_header(struct kunit *test, struct life *l, u32 i)
{
	struct log_header *header = &l->header[l->hit[i].segment], kept = *header;
	struct version first[SSDUP_PAGE_SLOTS], *slot = l->slot[l->hit[i].segment][0];
	bool own = prng_below(&l->r, 2);
	enum log_fault fault;

	if (!header_is_proved(l, i, own))
		return false;
	memcpy(first, slot, sizeof(first));
	header->generation = 0;
	if (!own)
		memset(slot, 0, sizeof(first));
	fault = life_replay(test, l);
	KUNIT_EXPECT_TRUE_MSG(test, fault == LOG_SEGMENT_GAP ||
			      (fault == LOG_PAGES_MISSING && l->s.flags && !own),
			      "fault %u", fault);
	*header = kept;
	memcpy(slot, first, sizeof(first));
	return true;
}

static void any_damage(struct kunit *test)
{
	u32 seed, cuts, pages = 0, headers = 0;
	struct life *l;

	for (seed = 0; seed < 40; seed++) {
		l = life_new(test, seed);
		expect_all(test, l, seed);
		for (cuts = 0; cuts < 12; cuts++) {
			live(l);
			expect_all(test, l, seed);
			if (l->nr_hits) {
				pages += damage_page(test, l, prng_below(&l->r, l->nr_hits));
				headers += damage_header(test, l, prng_below(&l->r, l->nr_hits));
			}
			expect_all(test, l, seed);
		}
		kunit_kfree(test, l);
	}
	KUNIT_EXPECT_GT(test, pages, 200);
	KUNIT_EXPECT_GT(test, headers, 200);
}

static struct kunit_case replay_cut_cases[] = {
	KUNIT_CASE(any_power_cuts),
	KUNIT_CASE(any_damage),
	{}
};

static struct kunit_suite replay_cut_suite = {
	.name = "ssdup-replay-cut",
	.test_cases = replay_cut_cases,
};

kunit_test_suite(replay_cut_suite);
