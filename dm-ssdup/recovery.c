// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: replay the log on the SSDs.
 *
 * It runs before the first resume, when no other table of the device is active any more.
 */
#include <linux/sched/signal.h>

#include "base/step.h"
#include "checks.h"
#include "core/replay.h"
#include "core/ssds.h"
#include "log/guard.h"
#include "log/nodes.h"
#include "log/super.h"
#include "map/map.h"
#include "recovery.h"

#define BUFFER_BYTES	(256U << 10)		/* to read metadata; less if memory is short */

/* --- Replay --- */

/* A part of a segment's metadata, in memory or being read. Of its header: only pages and read. */
struct page_buffer {
	struct page	*pages;
	u32		order;		/* of the allocation */
	u32		most;		/* metadata pages that fit */
	u32		segment;
	u32		first;		/* the first metadata page */
	u32		nr;		/* metadata pages; 0: none */
	struct bio	*bio;		/* while it is being read */
	struct ssdup_ssd *ssd;		/* that it is read from */
	u64		sector;		/* there */
	u32		bytes;
	bool		even;		/* a mirror gets it, too */
	struct completion read;
};

struct replay_ctx {
	struct ssdup	*c;
	struct page_buffer buffer[2];	/* one is replayed, the other may be being read */
	u32		now;		/* index of the one being replayed */
	struct ssdup_segment *segment;	/* that gets the nodes */
	struct extent_array *nodes;	/* the last one; NULL: none */
	u32		used;		/* nodes of it */
};

/*
 * A resume allocates without I/O, and such an allocation never invokes the OOM killer. If it
 * must not fail either, it may be retried for ever.
 */
#define REPLAY_GFP	(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

#define PAIR_BYTES	(SSDUP_PAGE_BYTES * SSDUP_PAGE_SLOTS)

/*
 * What a power cut may have left on one of two SSDs that hold the same, and not on the other. After
 * a suspend there is nothing. A read-only table writes nothing, and goes on with one of them.
 */
static bool to_even(const struct ssdup *c, const struct log_super *super)
{
	return super->ssds.mirrors && !(super->flags & SSDUP_RECORD_CLOSED) && !c->read_only;
}

static bool get_buffer(struct page_buffer *b, u32 bytes, u32 least)
{
	for (b->order = get_order(bytes); ; b->order--) {
		b->pages = alloc_pages(REPLAY_GFP, b->order);
		b->most = (PAGE_SIZE << b->order) / PAIR_BYTES;
		if (b->pages || b->order == get_order(least))
			break;
	}
	init_completion(&b->read);
	return b->pages;
}

static void put_buffer(const struct page_buffer *b)
{
	if (b->pages)
		__free_pages(b->pages, b->order);
}

static void buffer_end_io(struct bio *bio)
{
	complete(bio->bi_private);
}

static void read_begin(struct ssdup *c, struct page_buffer *b, u64 pos, u32 bytes)
{
	reinit_completion(&b->read);
	b->ssd = ssd_at(c->log, pos);
	b->bio = bio_alloc_bioset(b->ssd->user.bdev, 1, REQ_OP_READ | REQ_META, GFP_NOIO, &c->bs);
	b->sector = ssd_sector(b->ssd, pos);
	b->bytes = bytes;
	b->bio->bi_iter.bi_sector = b->sector;
	b->bio->bi_end_io = buffer_end_io;
	b->bio->bi_private = &b->read;
	__bio_add_page(b->bio, b->pages, bytes, 0);
	ssdup_load_read(ssd_load(b->ssd));
	drive_submit(&b->ssd->user, b->bio);
}

static void pages_begin(struct ssdup *c, struct page_buffer *b, u32 segment, u32 page, u32 nr)
{
	b->segment = segment;
	b->first = page;
	b->nr = min(nr, c->log->g.meta_pages - page);
	read_begin(c, b, ssdup_log_slot_sector(&c->log->g, segment, page, 0), b->nr * PAIR_BYTES);
}

/* Let both SSDs have a part of what was read. Return: 0 or -errno */
static int even(const struct page_buffer *b, u32 at, u32 bytes)
{
	if (!b->even || !b->ssd->user.mirror)
		return 0;
	return ssdup_mirror_even(b->ssd->user.mirror, b->sector + (at >> SECTOR_SHIFT),
				 page_address(b->pages) + at, bytes);
}

/* Return: 0, also when nothing is being read, or the error of the read. */
static int read_end(struct page_buffer *b)
{
	int r;

	if (!b->bio)
		return 0;
	wait_for_completion_io(&b->read);
	drive_ended(&b->ssd->user, b->bio->bi_status);
	r = blk_status_to_errno(b->bio->bi_status);
	bio_put(b->bio);
	b->bio = NULL;
	if (!r)
		r = even(b, 0, b->bytes);
	if (r)
		b->nr = 0;
	return r;
}

static bool buffer_has(const struct page_buffer *b, u32 segment, u32 page)
{
	return segment == b->segment && page >= b->first && page - b->first < b->nr;
}

/*
 * Let ctx->now be a buffer that has the page. While pages are read in order, the next buffer
 * is read ahead.
 */
static int next_buffer(struct replay_ctx *ctx, u32 segment, u32 page)
{
	struct page_buffer *old = &ctx->buffer[ctx->now], *b = &ctx->buffer[!ctx->now];
	bool in_order = old->nr && segment == old->segment && page == old->first + old->nr;
	int r;

	if (!buffer_has(b, segment, page)) {
		read_end(b);
		pages_begin(ctx->c, b, segment, page, b->most);
	}
	r = read_end(b);
	if (r) {
		/* The bad sector may be on another page: read this page alone. */
		pages_begin(ctx->c, b, segment, page, 1);
		r = read_end(b);
	}
	ctx->now = !ctx->now;
	if (!r && in_order && page + b->nr < ctx->c->log->g.meta_pages)
		pages_begin(ctx->c, old, segment, page + b->nr, old->most);
	return r;
}

static int replay_read(void *arg, u32 segment, u32 page, const struct ssdup_page **slots)
{
	struct replay_ctx *ctx = arg;
	int r = buffer_has(&ctx->buffer[ctx->now], segment, page) ? 0 :
		next_buffer(ctx, segment, page);
	struct page_buffer *b;

	if (r)
		return r;
	b = &ctx->buffer[ctx->now];
	*slots = page_address(b->pages) + (page - b->first) * PAIR_BYTES;
	return 0;
}

/* A crafted log may cover the HDD many times and take long. */
static int replay_pause(void)
{
	cond_resched();
	return fatal_signal_pending(current) ? -EINTR : 0;
}

/*
 * The extent of sectors [@start, @start + @sectors) of an entry, or NULL. As for a write, the
 * segment of the entry has its node.
 */
static __always_inline struct extent *replay_node(struct replay_ctx *ctx,
						  const struct log_entry *le, u64 start,
						  u32 sectors)
{
	struct extent *e;

	if (!ctx->nodes || ctx->used == SSDUP_ARRAY_NODES) {
		ctx->nodes = ssdup_add_array(ctx->segment, REPLAY_GFP);
		ctx->used = 0;
	}
	if (!ctx->nodes)
		return NULL;
	e = &ctx->nodes->e[ctx->used++];
	e->start = start;
	e->sectors = sectors;
	e->seq = le->seq;
	e->kind = le->kind;
	e->pos = log_segment_sector(&ctx->c->log->g, ctx->segment->index);
	if (le->kind == SSDUP_KIND_DATA)
		e->pos += ctx->c->log->g.data_start + from_log_pos(le->pos) + (start - le->sector);
	return e;
}

/* Insert an extent that overlaps older ones. */
static int insert_among(struct ssdup *c, struct ssdup_range *r, struct extent *e)
{
	const struct extent *split = ssdup_extent_splits(&r->tree, e);
	struct extent_array *spare = NULL;

	if (split) {
		spare = ssdup_new_node(REPLAY_GFP);
		if (!spare)
			return -ENOMEM;
		llist_add(&spare->list, &segment_of(c->log, split->pos)->pieces);
	}
	ssdup_extent_insert(&r->tree, e, spare ? spare->e : NULL);
	return 0;
}

/* Insert what no newer entry has of sectors [@at, @at + @len) of an entry, all in one range. */
static int replay_among(struct replay_ctx *ctx, const struct log_entry *le, u32 at, u32 len,
			struct ssdup_range *range)
{
	u64 start = le->sector + at, end = start + len, from;
	struct extent *e;
	u32 sectors;
	int r = 0;

	while (!r && (sectors = ssdup_extent_older_span(&range->tree, start, end, le->seq,
							&from))) {
		e = replay_node(ctx, le, from, sectors);
		if (!e)
			return -ENOMEM;
		r = insert_among(ctx->c, range, e) ?: replay_pause();
		start = from + sectors;
	}
	return r;
}

/* The same; nearly all entries overlap nothing, or replace exactly one extent. */
static __always_inline int replay_extent(struct replay_ctx *ctx, const struct log_entry *le, u32 at,
					 u32 len, u32 number)
{
	struct ssdup_range *range = &ctx->c->map->ranges[number];
	struct extent *e = replay_node(ctx, le, le->sector + at, len);

	if (!e)
		return -ENOMEM;
	/* No lock: no request uses the device yet. */
	if (likely(extent_insert_alone(&range->tree, e)))
		return 0;
	ctx->used--;
	return replay_among(ctx, le, at, len, range);
}

/* The ranges may have been larger when the entry was written, so it may cross borders now. */
static noinline int replay_pieces(struct replay_ctx *ctx, const struct log_entry *le)
{
	u32 at, len, shift = ctx->c->map->range_shift;
	u64 size = 1ULL << shift, start;
	int r = 0;

	for (at = 0; at < le->sectors && !r; at += len) {
		start = le->sector + at;
		len = min_t(u64, le->sectors - at, size - (start & (size - 1)));
		r = replay_extent(ctx, le, at, len, start >> shift) ?: replay_pause();
	}
	return r;
}

static int replay_entries(void *arg, u32 segment, const struct ssdup_entry *e, u32 nr)
{
	struct replay_ctx *ctx = arg;
	u32 shift = ctx->c->map->range_shift;
	int r = 0;

	if (ctx->segment != &ctx->c->log->segment[segment])
		ctx->nodes = NULL;
	ctx->segment = &ctx->c->log->segment[segment];
	for (; nr && !r; nr--, e++) {
		struct log_entry le = log_entry_read(e);
		u32 range = le.sector >> shift;

		if (likely(range == (le.sector + le.sectors - 1) >> shift))
			r = replay_extent(ctx, &le, 0, le.sectors, range);
		else
			r = replay_pieces(ctx, &le);
	}
	return r ?: replay_pause();
}

static const struct replay_ops replay_ops = {
	.read_page	= replay_read,
	.entries	= replay_entries,
};

/* --- Headers --- */

#define HEADS_AT_ONCE	16U

/*
 * A read has failed: read block by block, and leave zeroes for the others. Return: 0, or -errno
 * when the header cannot be read and the segment is live, or when nobody knows.
 */
static int reread_head(struct ssdup *c, const struct log_super *super, u32 segment,
		       const struct page_buffer *b)
{
	void *head = page_address(b->pages);
	int r, header = 0, slots = 0;
	struct log_header seg;
	u32 at;

	for (at = 0; at < LOG_HEAD_BYTES; at += SSDUP_BLOCK_BYTES) {
		r = ssdup_log_io(c->log, REQ_OP_READ | REQ_META,
				 log_segment_sector(&c->log->g, segment) + (at >> SECTOR_SHIFT),
				 b->pages, at, SSDUP_BLOCK_BYTES, 0) ?:
		    even(b, at, SSDUP_BLOCK_BYTES);
		if (!r)
			continue;
		memset(head + at, 0, SSDUP_BLOCK_BYTES);
		*(at ? &slots : &header) = r;
	}
	if (!header)
		return 0;
	DMWARN_LIMIT("%s: cannot read the header of segment %u", c->name, segment);
	if (!slots && ssdup_log_head_decode(head, super, segment, &seg) == LOG_HEADER_STALE)
		return 0;
	DMERR("%s: cannot read the log (%d)", c->name, header);
	return header;
}

static void read_head(struct ssdup *c, struct page_buffer *b, u32 segment)
{
	read_begin(c, b, log_segment_sector(&c->log->g, segment), LOG_HEAD_BYTES);
}

/* A header is read with the first page behind it, and some of them at once. */
static int take_headers(struct ssdup *c, const struct log_super *super, struct page_buffer *b,
			struct log_header *headers, u32 *found)
{
	enum log_fault fault = LOG_OK;
	u32 first, nr, i;
	int r, error = 0;

	*found = 0;
	for (first = 0; first < c->log->g.nr_segments && fault == LOG_OK && !error; first += nr) {
		nr = min(c->log->g.nr_segments - first, HEADS_AT_ONCE);
		for (i = 0; i < nr; i++)
			if (ssdup_pool_may_hold(c->log, first + i))
				read_head(c, &b[i], first + i);
		for (i = 0; i < nr; i++) {
			if (!ssdup_pool_may_hold(c->log, first + i))
				continue;
			r = read_end(&b[i]) ? reread_head(c, super, first + i, &b[i]) : 0;
			error = error ?: r;
			if (r || fault != LOG_OK)
				continue;
			fault = ssdup_log_head_decode(page_address(b[i].pages), super, first + i,
						      &headers[*found]);
			*found += fault == LOG_OK;
			if (fault == LOG_HEADER_STALE || fault == LOG_BAD_CRC)
				fault = LOG_OK;
			if (fault != LOG_OK)
				DMERR("%s: log refused: %s (fault %d, header of segment %u)",
				      c->name, ssdup_log_fault_text(fault), fault,
				      first + i);
		}
	}
	return fault == LOG_OK ? error : -EINVAL;
}

/* Find the live segments, and the next generation. Return: 0 or -errno. */
static int find_live(struct ssdup *c, const struct log_super *super, struct log_header *headers,
		     u32 *nr, u64 *next)
{
	struct page_buffer *b = kcalloc(HEADS_AT_ONCE, sizeof(*b), GFP_KERNEL);
	enum log_fault fault;
	int r = -ENOMEM;
	u32 i;

	if (!b)
		return r;
	for (i = 0; i < HEADS_AT_ONCE; i++) {
		if (!get_buffer(&b[i], LOG_HEAD_BYTES, LOG_HEAD_BYTES))
			goto out;
		b[i].even = to_even(c, super);
	}
	ssdup_step(c, STEP_LOAD_HEADERS);
	r = take_headers(c, super, b, headers, nr);
	if (r)
		goto out;
	fault = ssdup_replay_live(super, headers, nr, next);
	if (fault != LOG_OK) {
		DMERR("%s: log refused: %s (fault %d)", c->name,
		      ssdup_log_fault_text(fault), fault);
		r = -EINVAL;
	}
out:
	for (i = 0; i < HEADS_AT_ONCE; i++)
		put_buffer(&b[i]);
	kfree(b);
	return r;
}

/* --- Segments --- */

static int replay_segments(struct replay_ctx *ctx, struct ssdup_replay *rp,
			   const struct log_header *live, u32 *pages, u32 nr)
{
	u32 i;
	int r;

	for (i = 0; i < nr; i++) {
		ssdup_step(ctx->c, STEP_REPLAY_SEGMENT);
		r = ssdup_replay_segment(rp, &live[i], &pages[i]);
		if (r)
			return r;
	}
	return ssdup_replay_end(rp);
}

static int replay_all(struct ssdup *c, const struct log_super *super, const struct log_header *live,
		      u32 *pages, u32 nr)
{
	struct replay_ctx *ctx = kzalloc(sizeof(*ctx), GFP_KERNEL);
	struct ssdup_replay rp;
	int r = -ENOMEM;

	if (!ctx)
		return r;
	ctx->c = c;
	if (!get_buffer(&ctx->buffer[0], BUFFER_BYTES, PAIR_BYTES) ||
	    !get_buffer(&ctx->buffer[1], BUFFER_BYTES, PAIR_BYTES)) {
		DMERR("%s: no memory to read the log", c->name);
		goto out;
	}
	ctx->buffer[0].even = to_even(c, super);
	ctx->buffer[1].even = to_even(c, super);
	ssdup_replay_begin(&rp, super, &replay_ops, ctx);
	r = replay_segments(ctx, &rp, live, pages, nr);
	if (r == -EINVAL && rp.fault.fault != LOG_OK)
		DMERR("%s: log refused: %s (fault %d, segment %u, page %u, entry %u)", c->name,
		      ssdup_log_fault_text(rp.fault.fault), rp.fault.fault,
		      rp.fault.segment, rp.fault.page, rp.fault.entry);
	else if (r)
		DMERR("%s: cannot read the log (%d)", c->name, r);
	read_end(&ctx->buffer[0]);
	read_end(&ctx->buffer[1]);
out:
	put_buffer(&ctx->buffer[0]);
	put_buffer(&ctx->buffer[1]);
	kfree(ctx);
	return r;
}

/* --- Putting it together --- */

/* A later resume may try again, and find another log. */
static void forget_replay(struct ssdup *c)
{
	u32 i;

	ssdup_map_replayed(c->map);
	for (i = 0; i < c->log->g.nr_segments; i++)
		ssdup_drop(c->map, &c->log->segment[i]);
}

/* The pool has got SSDs since the log was last activated. */
static bool more_ssds(struct ssdup *c, struct log_super *s, const struct log_header *live, u32 nr,
		      u64 next)
{
	/* The oldest one comes first. */
	if (nr && live[0].generation < s->classes.era) {
		DMERR("%s: an SSD more, but the log holds data from before the last one: drain it",
		      c->name);
		return false;
	}
	return ssdup_ssds_renumber(s, next);
}

/*
 * An empty log takes the number of classes from the table: all that was ever written is below the
 * tail of each. Another log keeps its own, because its generations depend on it.
 */
static int choose_classes(struct ssdup *c, struct log_super *s, const struct log_header *live,
			  u32 nr, u64 next)
{
	if (!nr && !c->read_only)
		ssdup_log_classes(s, c->set.classes.nr, next);
	else if (s->classes.nr_ssds < log_nr_ssds(&s->ssds) && !more_ssds(c, s, live, nr, next))
		return -EINVAL;
	if (!ssdup_super_classes(c->log, s)) {
		DMERR("%s: the log has changed since the table was loaded", c->name);
		return -EINVAL;
	}
	return 0;
}

/* Which segments are this log's, and which are live. */
static int claim(struct ssdup *c, struct log_super *s, struct log_header *live, u32 *nr, u64 *next,
		 bool *mend)
{
	int r = ssdup_load_super(c, s, mend) ?: ssdup_pool_open(c->log, s);

	if (r > 0)
		r = ssdup_scan_logs(c->log, s);
	*mend |= to_even(c, s);
	if (!r && s->pool_seq)
		r = find_live(c, s, live, nr, next);
	r = r ?: choose_classes(c, s, live, *nr, *next);
	if (!r)
		ssdup_pool_claim(c->log, live, *nr);
	return r;
}

int ssdup_recover(struct ssdup *c)
{
	struct log_header *live = kvcalloc(c->log->g.nr_segments, sizeof(*live), GFP_KERNEL);
	u32 *pages = kvcalloc(c->log->g.nr_segments, sizeof(*pages), GFP_KERNEL), nr = 0;
	struct log_super *s = ssdup_super_blank(c->log);
	struct ssdup_held held;
	bool mend, empty;
	int r = -ENOMEM;
	u64 next = 1;

	if (!live || !pages)
		goto out;
	ssdup_pool_lock(c->log);
	r = claim(c, s, live, &nr, &next, &mend);
	ssdup_pool_unlock(c->log);
	if (r)
		goto out;
	r = replay_all(c, s, live, pages, nr);
	empty = !memchr_inv(pages, 0, nr * sizeof(*pages));
	r = r ?: ssdup_guard_load(c->log, s, empty) ?:
	    ssdup_check_size(c, s, empty || ssdup_guard_state(c->log) != GUARD_OPEN);
	if (r) {
		forget_replay(c);
		ssdup_pool_unclaim(c->log, live, nr);
		goto out;
	}
	ssdup_step(c, STEP_REPLAY_DONE);
	/* The log's blocks are at least as large as those of the disks. */
	s->g.block_sectors = c->block_sectors;
	s->first = next;
	ssdup_super_take(c->log, s, mend);
	ssdup_segments_begin(c->log, live, pages, nr, next);
	ssdup_map_replayed(c->map);
	c->recovered = true;
	held = ssdup_sum_held(c->map);
	DMINFO("%s: %llu extents, %llu MiB to write back", c->name, held.extents,
	       held.sectors >> 11);
out:
	kvfree(pages);
	kvfree(live);
	return r;
}
