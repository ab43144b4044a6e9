// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: check or format the SSD, and replay its log.
 *
 * The check runs in the constructor and writes nothing. Formatting and replay run before
 * the first resume, when no other table of the device is active any more. Each activation
 * raises the epoch in the superblock before it writes any page. So a later replay can tell
 * pages of this epoch from those that a crash left.
 */
#include <linux/sched/signal.h>
#include <linux/uuid.h>

#include "args.h"
#include "free.h"
#include "halves.h"
#include "map.h"
#include "nodes.h"
#include "recovery.h"
#include "super.h"
#include "trace.h"

#define BUFFER_BYTES	(256U << 10)		/* to read metadata; less if memory is short */

int ssdup_check_super(struct ssdup *c, char **error)
{
	u64 ssd = bdev_nr_sectors(c->ssd->bdev), hdd = bdev_nr_sectors(c->hdd->bdev);
	struct log_super *s;
	enum log_fault fault = LOG_OK;
	bool mend;
	int r;

	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return -ENOMEM;
	r = ssdup_super_read(c, s, &mend, &fault);
	if (!r) {
		fault = ssdup_log_super_fits(s, hdd, ssd, c->block_sectors);
		c->g = s->g;
		if (c->set.halves != s->g.nr_halves && ssdup_given(c, "halves")) {
			*error = ssdup_error("halves: the log on the SSD was made with %u",
					     s->g.nr_halves);
			r = -EINVAL;
			goto out;
		}
		c->set.halves = s->g.nr_halves;
	} else if (r > 0 && c->read_only) {
		*error = "ssd: no log, and a read-only table makes none";
		r = -EROFS;
		goto out;
	} else if (r > 0) {
		r = 0;
		if (!ssdup_log_layout(&c->g, ssd, c->set.halves, c->block_sectors)) {
			*error = "ssd: too small for that many halves";
			r = -ENOSPC;
		}
		goto out;
	}
	if (r && r != -EINVAL) {
		*error = "ssd: cannot read the superblock";
	} else if (fault != LOG_OK) {
		*error = ssdup_error("ssd: log %s (fault %d)", ssdup_log_fault_text(fault), fault);
		r = -EINVAL;
	}
out:
	kfree(s);
	return r;
}

/* --- Replay --- */

/* A part of a half's metadata, in memory or being read. */
struct page_buffer {
	struct page	*pages;
	u32		order;		/* of the allocation */
	u32		most;		/* metadata pages that fit */
	u32		half;
	u32		first;		/* the first metadata page */
	u32		nr;		/* metadata pages; 0: none */
	struct bio	*bio;		/* while it is being read */
	struct completion read;
};

struct replay_ctx {
	struct ssdup	*c;
	const struct log_super *super;
	struct page_buffer buffer[2];	/* one is replayed, the other may be being read */
	u32		now;		/* index of the one being replayed */
	u32		half;		/* that lends nodes */
	struct extent_list nodes;
};

/*
 * A resume allocates without I/O, and such an allocation never invokes the OOM killer. If it
 * must not fail either, it may be retried for ever.
 */
#define REPLAY_GFP	(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

#define PAIR_BYTES	(SSDUP_PAGE_BYTES * SSDUP_PAGE_SLOTS)

static bool get_buffer(struct page_buffer *b)
{
	for (b->order = get_order(BUFFER_BYTES); ; b->order--) {
		b->pages = alloc_pages(REPLAY_GFP, b->order);
		b->most = (PAGE_SIZE << b->order) / PAIR_BYTES;
		if (b->pages || b->order == get_order(PAIR_BYTES))
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

static void read_begin(struct ssdup *c, struct page_buffer *b, u32 half, u32 page, u32 nr)
{
	b->half = half;
	b->first = page;
	b->nr = min(nr, c->g.meta_pages - page);
	reinit_completion(&b->read);
	b->bio = bio_alloc(c->ssd->bdev, 1, REQ_OP_READ | REQ_META, GFP_KERNEL);
	b->bio->bi_iter.bi_sector = ssdup_log_slot_sector(&c->g, half, page, 0);
	b->bio->bi_end_io = buffer_end_io;
	b->bio->bi_private = &b->read;
	__bio_add_page(b->bio, b->pages, b->nr * PAIR_BYTES, 0);
	submit_bio(b->bio);
}

/* Return: 0, also when nothing is being read, or the error of the read. */
static int read_end(struct page_buffer *b)
{
	int r;

	if (!b->bio)
		return 0;
	wait_for_completion_io(&b->read);
	r = blk_status_to_errno(b->bio->bi_status);
	bio_put(b->bio);
	b->bio = NULL;
	if (r)
		b->nr = 0;
	return r;
}

static bool buffer_has(const struct page_buffer *b, u32 half, u32 page)
{
	return half == b->half && page >= b->first && page - b->first < b->nr;
}

/*
 * Let ctx->now be a buffer that has the page. While pages are read in order, the next buffer
 * is read ahead.
 */
static int next_buffer(struct replay_ctx *ctx, u32 half, u32 page)
{
	struct page_buffer *old = &ctx->buffer[ctx->now], *b = &ctx->buffer[!ctx->now];
	bool in_order = old->nr && half == old->half && page == old->first + old->nr;
	int r;

	if (!buffer_has(b, half, page)) {
		read_end(b);
		read_begin(ctx->c, b, half, page, b->most);
	}
	r = read_end(b);
	if (r) {
		/* The bad sector may be on another page: read this page alone. */
		read_begin(ctx->c, b, half, page, 1);
		r = read_end(b);
	}
	ctx->now = !ctx->now;
	if (!r && in_order && page + b->nr < ctx->c->g.meta_pages)
		read_begin(ctx->c, old, half, page + b->nr, old->most);
	return r;
}

static int replay_read(void *arg, u32 half, u32 page, const struct ssdup_page **slots)
{
	struct replay_ctx *ctx = arg;
	struct page_buffer *b;
	int r = 0;

	if (!buffer_has(&ctx->buffer[ctx->now], half, page))
		r = next_buffer(ctx, half, page);
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

/* As for a write, the half of an entry lends its node. */
static __always_inline struct extent *replay_node(struct replay_ctx *ctx)
{
	if (!ctx->nodes.head)
		ssdup_lend_nodes(&ctx->c->half[ctx->half], &ctx->nodes, REPLAY_GFP);
	return extent_pop(&ctx->nodes);
}

/* Reuse or free a replaced node; one that an earlier half lent stays with that half. */
static void take_back(struct replay_ctx *ctx, struct extent *old)
{
	struct extent_list unused = { NULL };

	if (!old->lent) {
		extent_push(&unused, old);
		ssdup_free_nodes(ctx->c, &unused);
	} else if (old->half == ctx->half) {
		extent_push(&ctx->nodes, old);
	}
}

/* Insert an extent that overlaps others. */
static int insert_among(struct ssdup *c, struct ssdup_range *r, struct extent *e)
{
	struct extent_list spares = { NULL }, unused = { NULL };
	struct extent *spare;
	u32 need;

	for (need = ssdup_extent_spares(&r->tree, e); need; need--) {
		spare = ssdup_get_node(REPLAY_GFP);
		if (!spare) {
			ssdup_free_nodes(c, &spares);
			return -ENOMEM;
		}
		extent_push(&spares, spare);
	}
	ssdup_extent_insert(&r->tree, e, &spares, &unused);
	ssdup_free_nodes(c, &unused);
	ssdup_free_nodes(c, &spares);
	return 0;
}

/* Insert sectors [@at, @at + @len) of an entry, which lie in one range. */
static __always_inline int replay_extent(struct replay_ctx *ctx, const struct log_entry *le,
					 u32 at, u32 len, u32 range, u32 half)
{
	struct ssdup_range *r = &ctx->c->ranges[range];
	struct extent *e = replay_node(ctx), *old;

	if (!e)
		return -ENOMEM;
	e->start = le->sector + at;
	e->sectors = len;
	e->seq = le->seq;
	e->pos = le->kind == SSDUP_KIND_DATA ? log_pos_add(le->pos, at) : le->pos;
	e->half = half;
	e->kind = le->kind;
	e->home = false;
	/* No lock: no request uses the device yet. */
	if (unlikely(!extent_insert_alone(&r->tree, e, &old)))
		return insert_among(ctx->c, r, e) ?: replay_pause();
	if (old)
		take_back(ctx, old);
	return 0;
}

/* The ranges may have been larger when the entry was written, so it may cross borders now. */
static noinline int replay_pieces(struct replay_ctx *ctx, struct log_entry le, u32 half)
{
	u32 at, len, shift = ctx->c->range_shift;
	u64 size = 1ULL << shift, start;
	int r = 0;

	for (at = 0; at < le.sectors && !r; at += len) {
		start = le.sector + at;
		len = min_t(u64, le.sectors - at, size - (start & (size - 1)));
		r = replay_extent(ctx, &le, at, len, start >> shift, half) ?: replay_pause();
	}
	return r;
}

static int replay_entries(void *arg, u32 half, const struct ssdup_entry *e, u32 nr)
{
	struct replay_ctx *ctx = arg;
	u32 shift = ctx->c->range_shift;
	int r = 0;

	if (ctx->half != half)
		ctx->nodes.head = NULL;
	ctx->half = half;
	for (; nr && !r; nr--, e++) {
		struct log_entry le = log_entry_read(e);
		u32 range = le.sector >> shift;

		if (likely(range == (le.sector + le.sectors - 1) >> shift))
			r = replay_extent(ctx, &le, 0, le.sectors, range, half);
		else
			r = replay_pieces(ctx, le, half);
	}
	return r ?: replay_pause();
}

static const struct replay_ops replay_ops = {
	.read_page	= replay_read,
	.entries	= replay_entries,
};

/* The oldest generation first: of two entries with the same seq the younger half's wins. */
static void replay_order(const struct log_super *super, u32 *order)
{
	const u64 *generation = super->generation;
	u32 i, j;

	for (i = 0; i < super->g.nr_halves; i++) {
		for (j = i; j && generation[order[j - 1]] > generation[i]; j--)
			order[j] = order[j - 1];
		order[j] = i;
	}
}

static int replay_halves(struct replay_ctx *ctx, struct ssdup_replay_half *found,
			 struct replay_fault *fault)
{
	u32 order[SSDUP_MAX_HALVES], i;
	struct ssdup *c = ctx->c;
	u64 seq = 0;
	int r = 0;

	replay_order(ctx->super, order);
	for (i = 0; i < c->g.nr_halves && !r; i++) {
		trace_ssdup_step(c, STEP_REPLAY_HALF);
		r = ssdup_replay_half(ctx->super, order[i], &replay_ops, ctx, &found[order[i]],
				      fault);
		seq = max(seq, found[order[i]].max_seq);
	}
	atomic64_set(&c->seq, seq);
	return r;
}

static int replay_all(struct ssdup *c, const struct log_super *super,
		      struct ssdup_replay_half *found)
{
	struct replay_fault fault = { };
	struct replay_ctx *ctx;
	int r = -ENOMEM;

	ctx = kzalloc(sizeof(*ctx), GFP_KERNEL);
	if (!ctx)
		return r;
	ctx->c = c;
	ctx->super = super;
	if (!get_buffer(&ctx->buffer[0]) || !get_buffer(&ctx->buffer[1])) {
		DMERR("%s: no memory to read the log", dm_device_name(c->md));
		goto out;
	}
	r = replay_halves(ctx, found, &fault);
	if (r && fault.fault != LOG_OK)
		DMERR("%s: log refused: %s (fault %d, half %u, page %u, entry %u)",
		      dm_device_name(c->md), ssdup_log_fault_text(fault.fault), fault.fault,
		      fault.half, fault.page, fault.entry);
	else if (r)
		DMERR("%s: cannot read the log (%d)", dm_device_name(c->md), r);
	read_end(&ctx->buffer[0]);
	read_end(&ctx->buffer[1]);
out:
	put_buffer(&ctx->buffer[0]);
	put_buffer(&ctx->buffer[1]);
	kfree(ctx);
	return r;
}

/* --- Putting it together --- */

static void count_extents(struct ssdup *c)
{
	u64 extents = 0, sectors = 0;
	u32 i;

	for (i = 0; i < c->nr_ranges; i++) {
		range_changed(&c->ranges[i]);
		extents += c->ranges[i].tree.nr;
		sectors += c->ranges[i].tree.sectors;
	}
	atomic64_set(&c->extents, extents);
	atomic64_set(&c->dirty_sectors, sectors);
}

/* A later resume may try again, and find another log. */
static void forget_replay(struct ssdup *c)
{
	u32 i;

	count_extents(c);
	for (i = 0; i < c->g.nr_halves; i++)
		ssdup_drop_extents(c, &c->half[i]);
}

static void format(struct ssdup *c, struct log_super *s)
{
	u8 uuid[16];

	generate_random_uuid(uuid);
	ssdup_log_super_fresh(s, uuid, &c->g, bdev_nr_sectors(c->hdd->bdev),
			      bdev_nr_sectors(c->ssd->bdev));
	DMINFO("%s: formatting the SSD: %u halves of %u MiB", dm_device_name(c->md),
	       c->g.nr_halves, c->g.data_sectors >> 11);
}

int ssdup_recover(struct ssdup *c)
{
	struct ssdup_replay_half *found;
	struct ssdup_replay_roles *roles;
	struct log_super *s;
	enum log_fault fault = LOG_OK;
	bool mend = false;
	int r;

	found = kcalloc(SSDUP_MAX_HALVES, sizeof(*found), GFP_KERNEL);
	roles = kzalloc(sizeof(*roles), GFP_KERNEL);
	s = kzalloc(sizeof(*s), GFP_KERNEL);
	r = -ENOMEM;
	if (!found || !roles || !s)
		goto out;

	r = ssdup_super_read(c, s, &mend, &fault);
	if (r > 0 && c->read_only) {
		DMERR("%s: ssd: no log, and a read-only table makes none", dm_device_name(c->md));
		r = -EROFS;
		goto out;
	} else if (r > 0) {
		format(c, s);
	} else if (r) {
		DMERR("%s: ssd: %s", dm_device_name(c->md), ssdup_log_fault_text(fault));
		goto out;
	} else if (memcmp(&c->g, &s->g, sizeof(c->g)) ||
		   ssdup_log_super_fits(s, bdev_nr_sectors(c->hdd->bdev),
					bdev_nr_sectors(c->ssd->bdev),
					c->block_sectors) != LOG_OK) {
		DMERR("%s: the log has changed since the table was loaded", dm_device_name(c->md));
		r = -EINVAL;
		goto out;
	}
	trace_ssdup_step(c, STEP_LOAD_SUPER);
	if (mend && c->read_only) {
		DMWARN("%s: one copy of the superblock is bad or old", dm_device_name(c->md));
	} else if (mend) {
		trace_ssdup_step(c, STEP_MEND);
		DMWARN("%s: one copy of the superblock is bad or old, mending it",
		       dm_device_name(c->md));
	}

	r = replay_all(c, s, found);
	if (r) {
		forget_replay(c);
		goto out;
	}
	trace_ssdup_step(c, STEP_REPLAY_DONE);
	/* The log's blocks are at least as large as those of the disks. */
	s->g.block_sectors = c->block_sectors;
	c->g = s->g;
	ssdup_super_take(c, s);
	ssdup_replay_roles(s, found, roles);
	ssdup_halves_begin(c, found, roles, s->generation);
	c->ring_tail = found[roles->open].pages;
	count_extents(c);
	c->recovered = true;
	DMINFO("%s: %lld extents, %lld MiB to write back", dm_device_name(c->md),
	       atomic64_read(&c->extents), atomic64_read(&c->dirty_sectors) >> 11);
out:
	kfree(s);
	kfree(roles);
	kfree(found);
	return r;
}
