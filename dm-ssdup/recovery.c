// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: from an SSD to a running log: check, format, replay.
 *
 * The check runs in the constructor and writes nothing. Formatting and replay
 * run before the first resume, when no other table of the device is active any
 * more. Each activation raises the epoch in the superblock before it writes
 * any page, so that leftovers of a crash are told from what came later.
 */
#include <linux/random.h>
#include <linux/sched/signal.h>

#include "ssdup.h"
#include "trace.h"

#define CHUNK_ORDER	6U			/* of the memory for reading metadata, at best */

/* --- Superblock --- */

static int read_super(struct ssdup *c, u32 copy, enum log_fault *fault, struct log_super *s,
		      struct page *page)
{
	int r = ssdup_sync_io(c->ssd->bdev, REQ_OP_READ | REQ_SYNC | REQ_META,
			      SSDUP_SUPER_SECTOR(copy), page, 0, SSDUP_SUPER_BYTES);

	*fault = r ? LOG_BAD_CRC : log_super_decode(page_address(page), s);
	return r;
}

/*
 * Read both copies, and let log_super_pick() decide.
 *
 * Return: 0 with *s filled in and *mend set when a copy has to be rewritten,
 * 1 for a blank SSD, -errno with *fault set.
 */
static int pick_super(struct ssdup *c, struct log_super *s, bool *mend, enum log_fault *fault)
{
	struct log_super copy[SSDUP_SUPER_COPIES];
	enum log_fault f[SSDUP_SUPER_COPIES];
	struct page *page;
	int r[SSDUP_SUPER_COPIES];
	u32 i, best;

	page = alloc_page(GFP_KERNEL);
	if (!page)
		return -ENOMEM;
	for (i = 0; i < SSDUP_SUPER_COPIES; i++)
		r[i] = read_super(c, i, &f[i], &copy[i], page);
	__free_page(page);

	*fault = log_super_pick(f, copy, &best, mend);
	if (*fault == LOG_OK)
		*s = copy[best];
	if (*fault == LOG_BLANK)
		return 1;
	return *fault == LOG_OK ? 0 : r[best] ?: -EINVAL;
}

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
	r = pick_super(c, s, &mend, &fault);
	if (!r) {
		fault = log_super_fits(s, hdd, ssd, c->block_sectors);
		c->g = s->g;
		if (c->set.halves != s->g.nr_halves && ssdup_given(c, "halves")) {
			*error = ssdup_error("halves: the log on the SSD was made with %u",
					     s->g.nr_halves);
			r = -EINVAL;
			goto out;
		}
		c->set.halves = s->g.nr_halves;
	} else if (r > 0) {
		r = 0;
		if (!log_layout(&c->g, ssd, c->set.halves, c->block_sectors)) {
			*error = "ssd: too small for that many halves";
			r = -ENOSPC;
		}
		goto out;
	}
	if (r && r != -EINVAL) {
		*error = "ssd: cannot read the superblock";
	} else if (fault != LOG_OK) {
		*error = ssdup_error("ssd: log %s (fault %d)", log_fault_text(fault), fault);
		r = -EINVAL;
	}
out:
	kfree(s);
	return r;
}

/* --- Replay --- */

struct replay_ctx {
	struct ssdup	*c;
	struct page	*pages;		/* a chunk of slots */
	u32		order;		/* of the chunk's memory */
	u32		chunk;		/* metadata pages that fit in it */
	u32		half;
	u32		first;		/* metadata page that the chunk starts with */
	u32		nr;		/* metadata pages in it; 0: none yet */
	struct extent_list spares;
};

#define PAIR_BYTES	(SSDUP_PAGE_BYTES * SSDUP_PAGE_SLOTS)

static void get_chunk(struct replay_ctx *ctx)
{
	for (ctx->order = CHUNK_ORDER; ; ctx->order--) {
		ctx->pages = alloc_pages(GFP_KERNEL | __GFP_NOWARN, ctx->order);
		ctx->chunk = (PAGE_SIZE << ctx->order) / PAIR_BYTES;
		if (ctx->pages || ctx->order == get_order(PAIR_BYTES))
			return;
	}
}

static int replay_chunk(struct replay_ctx *ctx, u32 half, u32 page, u32 nr)
{
	struct ssdup *c = ctx->c;
	int r;

	nr = min(nr, c->g.meta_pages - page);
	r = ssdup_sync_io(c->ssd->bdev, REQ_OP_READ | REQ_META,
			  log_slot_sector(&c->g, half, page, 0), ctx->pages, 0, nr * PAIR_BYTES);
	ctx->half = half;
	ctx->first = page;
	ctx->nr = r ? 0 : nr;
	return r;
}

static int replay_read(void *arg, u32 half, u32 page, const struct ssdup_page **slots)
{
	struct replay_ctx *ctx = arg;
	int r;

	if (!ctx->nr || half != ctx->half || page < ctx->first || page >= ctx->first + ctx->nr) {
		/* A bad sector further on in the chunk is none of this page's business. */
		r = replay_chunk(ctx, half, page, ctx->chunk) ?
		    replay_chunk(ctx, half, page, 1) : 0;
		if (r)
			return r;
	}
	*slots = page_address(ctx->pages) + (page - ctx->first) * PAIR_BYTES;
	return 0;
}

static int replay_insert(struct replay_ctx *ctx, u64 start, u32 sectors, log_pos_t pos,
			 u32 half, const struct log_entry *le)
{
	struct ssdup *c = ctx->c;
	struct ssdup_range *r = range_of(c, start);
	struct extent_list unused = { NULL };
	struct extent *e, *spare;
	u32 need;

	e = ssdup_get_node(GFP_KERNEL);
	if (!e)
		return -ENOMEM;
	e->start = start;
	e->sectors = sectors;
	e->seq = le->seq;
	e->pos = pos;
	e->half = half;
	e->kind = le->kind;
	e->home = false;
	/* No lock: nobody else knows the device yet. */
	for (need = extent_spares(&r->tree, e); need; need--) {
		spare = ssdup_get_node(GFP_KERNEL);
		if (!spare) {
			extent_push(&ctx->spares, e);
			ssdup_free_nodes(c, &ctx->spares);
			return -ENOMEM;
		}
		extent_push(&ctx->spares, spare);
	}
	extent_insert(&r->tree, e, &ctx->spares, &unused);
	ssdup_free_nodes(c, &unused);
	ssdup_free_nodes(c, &ctx->spares);
	cond_resched();
	/* A log made to cover the HDD over and over takes its time. */
	return fatal_signal_pending(current) ? -EINTR : 0;
}

/* An entry may cross a border of ranges that were larger when it was written. */
static int replay_entry(void *arg, u32 half, const struct log_entry *le)
{
	struct replay_ctx *ctx = arg;
	struct ssdup *c = ctx->c;
	u64 size = 1ULL << c->range_shift;
	u32 at = 0, len;
	u64 start;
	int r = 0;

	while (at < le->sectors && !r) {
		start = le->sector + at;
		len = min_t(u64, le->sectors - at, size - (start & (size - 1)));
		r = replay_insert(ctx, start, len,
				  le->kind == SSDUP_KIND_DATA ? log_pos_add(le->pos, at) : le->pos,
				  half, le);
		at += len;
	}
	return r;
}

static const struct replay_ops replay_ops = {
	.read_page	= replay_read,
	.entry		= replay_entry,
};

/* The oldest generation first: of equal entries the younger half's counts. */
static void replay_order(struct ssdup *c, u32 *order)
{
	const u64 *generation = c->super.generation;
	u32 i, j;

	for (i = 0; i < c->g.nr_halves; i++) {
		for (j = i; j && generation[order[j - 1]] > generation[i]; j--)
			order[j] = order[j - 1];
		order[j] = i;
	}
}

static int replay_all(struct ssdup *c, struct replay_half *found)
{
	u32 order[SSDUP_MAX_HALVES];
	struct replay_ctx *ctx;
	struct replay_fault fault = { };
	u64 seq = 0;
	u32 i;
	int r = -ENOMEM;

	ctx = kzalloc(sizeof(*ctx), GFP_KERNEL);
	if (!ctx)
		return r;
	ctx->c = c;
	get_chunk(ctx);
	if (!ctx->pages)
		goto out;
	replay_order(c, order);
	for (i = 0, r = 0; i < c->g.nr_halves && !r; i++) {
		trace_ssdup_step(c, STEP_REPLAY_HALF);
		r = replay_half(&c->super, order[i], &replay_ops, ctx, &found[order[i]], &fault);
		seq = max(seq, found[order[i]].max_seq);
	}
	atomic64_set(&c->seq, seq);
	if (r && fault.fault != LOG_OK)
		DMERR("%s: log refused: %s (fault %d, half %u, page %u, entry %u)",
		      dm_device_name(c->md), log_fault_text(fault.fault), fault.fault,
		      fault.half, fault.page, fault.entry);
	else if (r)
		DMERR("%s: cannot read the log (%d)", dm_device_name(c->md), r);
	__free_pages(ctx->pages, ctx->order);
out:
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

/* Give each half its role. Ring numbers start where the open half's pages do. */
static void set_roles(struct ssdup *c, const struct replay_half *found,
		      const struct replay_roles *roles)
{
	const struct replay_half *open = &found[roles->open];
	struct ssdup_half *h;
	u32 i;

	/* Nobody writes yet, but who asks for the status is here before the log is. */
	spin_lock_irq(&c->half_lock);
	for (i = 0; i < c->g.nr_halves; i++) {
		h = &c->half[i];
		h->generation = c->super.generation[i];
		h->state = HALF_FREE;
		h->pages_done = found[i].pages;
		atomic64_set(&h->word, LOG_WORD_SEALED |
			     log_word(found[i].pages * SSDUP_PAGE_ENTRIES, found[i].data_end));
	}
	for (i = 0; i < roles->nr_sealed; i++) {
		h = &c->half[roles->sealed[i]];
		h->state = HALF_SEALED;
		list_add_tail(&h->list, &c->sealed);
	}
	for (i = 0; i < roles->nr_free; i++)
		list_add_tail(&c->half[roles->free[i]].list, &c->free);
	ssdup_open_half(c, &c->half[roles->open], 0,
			log_word(open->pages * SSDUP_PAGE_ENTRIES, open->data_end));
	spin_unlock_irq(&c->half_lock);
	c->ring_tail = open->pages;
}

int ssdup_begin_epoch(struct ssdup *c)
{
	bool again = c->epoch_begun;
	bool blank = !c->super.seq;
	int r;

	/* Nothing is logged any more; what was logged, and the HDD, can be read. */
	if (again && ssdup_mode(c) != MODE_RUNNING)
		return 0;
	mutex_lock(&c->super_lock);
	if (!again)
		c->super.epoch++;
	c->super.flags &= ~SSDUP_SUPER_CLEAN;
	trace_ssdup_step(c, blank ? STEP_FORMAT_BEGIN : STEP_EPOCH_BEGIN);
	r = ssdup_write_super(c, blank ? STEP_FORMAT_BETWEEN : STEP_EPOCH_BETWEEN);
	trace_ssdup_step(c, blank ? STEP_FORMAT_DONE : STEP_EPOCH_DONE);
	if (!r)
		c->epoch_begun = true;
	mutex_unlock(&c->super_lock);
	if (again)
		return 0;
	/* Counters used up: nothing can be logged, and all that was can be read. */
	if (r == -EROFS)
		return 0;
	if (r)
		DMERR("%s: cannot write the superblock (%d)", dm_device_name(c->md), r);
	return r;
}

static void format(struct ssdup *c)
{
	u8 uuid[16];

	get_random_bytes(uuid, sizeof(uuid));
	log_super_fresh(&c->super, uuid, &c->g, bdev_nr_sectors(c->hdd->bdev),
			bdev_nr_sectors(c->ssd->bdev));
	DMINFO("%s: formatting the SSD: %u halves of %u MiB", dm_device_name(c->md),
	       c->g.nr_halves, c->g.data_sectors >> 11);
}

int ssdup_load(struct ssdup *c)
{
	struct replay_half *found;
	struct replay_roles *roles;
	enum log_fault fault = LOG_OK;
	bool mend = false;
	int r;

	found = kcalloc(SSDUP_MAX_HALVES, sizeof(*found), GFP_KERNEL);
	roles = kzalloc(sizeof(*roles), GFP_KERNEL);
	r = -ENOMEM;
	if (!found || !roles)
		goto out;

	r = pick_super(c, &c->super, &mend, &fault);
	if (r > 0) {
		format(c);
	} else if (r) {
		DMERR("%s: ssd: %s", dm_device_name(c->md), log_fault_text(fault));
		goto out;
	} else if (memcmp(&c->g, &c->super.g, sizeof(c->g)) ||
		   log_super_fits(&c->super, bdev_nr_sectors(c->hdd->bdev),
				  bdev_nr_sectors(c->ssd->bdev), c->block_sectors) != LOG_OK) {
		DMERR("%s: the log has changed since the table was loaded", dm_device_name(c->md));
		r = -EINVAL;
		goto out;
	}
	trace_ssdup_step(c, STEP_LOAD_SUPER);
	if (mend) {
		trace_ssdup_step(c, STEP_MEND);
		DMWARN("%s: one copy of the superblock is bad or old, mending it",
		       dm_device_name(c->md));
	}

	r = replay_all(c, found);
	if (r)
		goto out;
	trace_ssdup_step(c, STEP_REPLAY_DONE);
	/* What is aligned to the log's blocks is aligned to those of the disks. */
	c->super.g.block_sectors = c->block_sectors;
	c->g = c->super.g;
	replay_roles(&c->super, found, roles);
	set_roles(c, found, roles);
	count_extents(c);
	c->loaded = true;
	DMINFO("%s: %lld extents, %lld MiB to write back", dm_device_name(c->md),
	       atomic64_read(&c->extents), atomic64_read(&c->dirty_sectors) >> 11);
out:
	kfree(roles);
	kfree(found);
	return r;
}
