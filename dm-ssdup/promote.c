// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: what the HDD is read for again and again is copied to the SSD.
 */
#include <linux/ioprio.h>
#include <linux/percpu.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "base/failure.h"
#include "base/step.h"
#include "core/ghost.h"
#include "log/clean_list.h"
#include "log/nodes.h"
#include "promote.h"
#include "route/windows.h"
#include "remap.h"

#define SLOTS		32U	/* 2 MiB: an SSD writes that while an arm moves once, 5 ms */
#define SLOT_BYTES	(GHOST_LONGEST << SECTOR_SHIFT)
#define SLOT_PAGES	DIV_ROUND_UP(SLOT_BYTES, PAGE_SIZE)
/* 2 MiB may be a lot; a resume waits for whoever holds the lock of the files in sysfs. */
#define SLOT_GFP	(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN)
#define FLUSH_MS	1000	/* an SSD flushes so seldom without wear, or a wait, that counts */

struct slot {
	struct ssdup_promoter	*promoter;
	struct list_head	list;		/* of free ones, or of those to be written */
	struct bio		*reader;	/* who waits for the HDD */
	struct extent_array	*claim;		/* one node */
	struct ssdup_segment	*segment;	/* of copy.pos; NULL: no place yet */
	struct clean_copy	copy;
	struct bio		bio;
	struct bio_vec		vec[SLOT_PAGES];
	struct page		*page[SLOT_PAGES];
};

struct ssdup_promoter {
	struct ssdup		*c;
	spinlock_t		lock;		/* these */
	struct list_head	free;
	struct list_head	filled;		/* the HDD was read, the SSD is to be written */
	struct allowance	account;	/* of copies */
	u64			in_slots;	/* sectors of all slots in use */

	/* Hints: what was read. */
	struct ghosts		*ghosts;

	/* The work, and what is its own. */
	struct delayed_work	work;
	atomic_t		writing;
	struct completion	written;
	u64			sectors;	/* of all copies that the SSD has got */
	u64			flushed;	/* of these, that are durable */
	unsigned long		flush_at;	/* jiffies: the next one, if they differ */
	int			failures;	/* of the SSD, before the first of the rest */
	struct slot		*slot[SLOTS];
};

/* --- How much may be copied --- */

static s64 settle(struct ssdup_promoter *promoter)
{
	struct ssdup *c = promoter->c;
	u64 day = ssdup_settings_sectors(READ_ONCE(c->set.promote),
					 all_ssd_sectors(c));

	lockdep_assert_held(&promoter->lock);
	ssdup_allowance_update(&promoter->account, day, ktime_get_boottime_ns(),
			       ssdup_copied(c->log));
	return promoter->account.left;
}

void ssdup_promote_settle(struct ssdup *c)
{
	struct ssdup_promoter *promoter = READ_ONCE(c->promoter);
	unsigned long flags;

	if (!promoter)
		return;
	spin_lock_irqsave(&promoter->lock, flags);
	settle(promoter);
	spin_unlock_irqrestore(&promoter->lock, flags);
}

/* --- Slots --- */

static struct slot *take_slot(struct ssdup_promoter *promoter, struct copy_facts *f,
			      const struct ssdup_io *io)
{
	struct slot *slot = NULL;
	unsigned long flags;

	spin_lock_irqsave(&promoter->lock, flags);
	f->left = settle(promoter) - promoter->in_slots;
	if (ssdup_copy_wanted(f))
		slot = list_first_entry_or_null(&promoter->free, struct slot, list);
	if (slot) {
		list_del_init(&slot->list);
		slot->segment = NULL;
		slot->copy = (struct clean_copy){
			.start = io->start, .sectors = io->sectors,
			.since = ssdup_copies_epoch(promoter->c->drainer),
		};
		promoter->in_slots += io->sectors;
	}
	spin_unlock_irqrestore(&promoter->lock, flags);
	return slot;
}

static void put_slot(struct slot *slot)
{
	struct ssdup_promoter *promoter = slot->promoter;
	unsigned long flags;

	if (slot->claim)
		ssdup_claim_drop(promoter->c->map, slot->claim->e, slot->copy.start);
	spin_lock_irqsave(&promoter->lock, flags);
	list_move(&slot->list, &promoter->free);
	promoter->in_slots -= slot->copy.sectors;
	spin_unlock_irqrestore(&promoter->lock, flags);
}

static bool add_claim(struct ssdup *c, struct slot *slot)
{
	slot->claim = slot->claim ?: ssdup_new_node(GFP_NOWAIT | __GFP_NOWARN);
	if (!slot->claim)
		return false;
	slot->claim->e->start = slot->copy.start;
	slot->claim->e->sectors = slot->copy.sectors;
	return ssdup_claim_add(c->map, slot->claim->e);
}

static void slot_bio(struct slot *slot, struct block_device *bdev, blk_opf_t opf, u64 sector,
		     bio_end_io_t *end)
{
	u32 left = slot->copy.sectors << SECTOR_SHIFT, part, i;

	bio_init(&slot->bio, bdev, slot->vec, SLOT_PAGES, opf);
	slot->bio.bi_iter.bi_sector = sector;
	slot->bio.bi_end_io = end;
	slot->bio.bi_private = slot;
	for (i = 0; left; i++, left -= part) {
		part = min_t(u32, left, PAGE_SIZE);
		__bio_add_page(&slot->bio, slot->page[i], part, 0);
	}
}

/* --- Readers --- */

void ssdup_promote_begins(struct ssdup *c, struct ssdup_io *io)
{
	struct ssdup_promoter *promoter = READ_ONCE(c->promoter);

	if (promoter)
		io->long_run = ssdup_ghosts_run(raw_cpu_ptr(c->readers), io->start, io->sectors);
}

void ssdup_promote_ended(struct ssdup *c, const struct ssdup_io *io)
{
	struct ssdup_promoter *promoter = READ_ONCE(c->promoter);

	if (promoter)
		ssdup_ghosts_note(promoter->ghosts, io->start, io->sectors, io->long_run);
}

/* --- The HDD is read --- */

static void give_reader(struct slot *slot)
{
	/* The transfer has used it up. */
	slot->bio.bi_iter = (struct bvec_iter){
		.bi_size = slot->copy.sectors << SECTOR_SHIFT,
	};
	bio_copy_data(slot->reader, &slot->bio);
}

static void read_end(struct bio *bio)
{
	struct slot *slot = bio->bi_private;
	struct ssdup_promoter *promoter = slot->promoter;
	struct bio *reader = slot->reader;
	unsigned long flags;

	/* The drive is told when the reader ends. */
	reader->bi_status = bio->bi_status;
	if (!bio->bi_status)
		give_reader(slot);
	bio_uninit(bio);
	if (reader->bi_status) {
		put_slot(slot);
	} else {
		spin_lock_irqsave(&promoter->lock, flags);
		list_add_tail(&slot->list, &promoter->filled);
		/* Before the reader ends, whom a suspend waits for. */
		mod_delayed_work(promoter->c->wake.wq, &promoter->work, 0);
		spin_unlock_irqrestore(&promoter->lock, flags);
	}
	bio_endio(reader);
}

static struct slot *begin_copy(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	struct ssdup_promoter *promoter = READ_ONCE(c->promoter);
	struct copy_facts f;
	struct slot *slot;

	if (!promoter)
		return NULL;
	f.worth = ssdup_ghosts_worth(promoter->ghosts, io->start, io->sectors,
				     bio->bi_opf & REQ_META, io->long_run);
	/* Most reads end here. */
	if (!f.worth)
		return NULL;
	f.writes = ssdup_segments_full(c->log) || READ_ONCE(c->log_shut);
	f.room = ssdup_copies_room(c->drainer);
	f.budget = ssdup_budget_day(c->router);
	f.budget_left = ssdup_budget_settle(c->router);
	f.queue = ssdup_window_queue(c->router);
	slot = take_slot(promoter, &f, io);
	if (slot && !add_claim(c, slot)) {
		put_slot(slot);
		return NULL;
	}
	return slot;
}

int ssdup_promote_read(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	struct slot *slot;

	ssdup_promote_begins(c, io);
	if (read_hdd(c, bio, io) != DM_MAPIO_REMAPPED)
		return DM_MAPIO_SUBMITTED;
	/* The HDD does not show what the guard has served of it. */
	slot = bio_sectors(bio) == io->sectors ? begin_copy(c, bio, io) : NULL;
	if (!slot)
		return DM_MAPIO_REMAPPED;
	slot->reader = bio;
	/* Nobody polls for it. */
	slot_bio(slot, c->hdd->bdev, bio->bi_opf & ~REQ_POLLED, io->start, read_end);
	bio_clone_blkg_association(&slot->bio, bio);
	slot->bio.bi_ioprio = bio->bi_ioprio;
	submit_remapped(c, &slot->bio, c->ti->begin + io->start);
	return DM_MAPIO_SUBMITTED;
}

/* --- The SSD is written --- */

static void write_end(struct bio *bio)
{
	struct slot *slot = bio->bi_private;
	struct ssdup_promoter *promoter = slot->promoter;
	struct ssdup_ssd *ssd = ssd_of(promoter->c->log, slot->segment);

	ssdup_window_copy(promoter->c->router, -(int)slot->copy.sectors);
	ssdup_load_end(ssd_load(ssd), LOAD_WRITES, slot->copy.sectors, 0, 0);
	drive_ended(&ssd->user, bio->bi_status);
	if (atomic_dec_and_test(&promoter->writing))
		complete(&promoter->written);
}

static void write_slot(struct ssdup *c, struct slot *slot)
{
	struct ssdup_ssd *ssd = ssd_of(c->log, slot->segment);

	slot_bio(slot, ssd->user.bdev, REQ_OP_WRITE, ssd_sector(ssd, slot->copy.pos), write_end);
	slot->bio.bi_ioprio = IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, IOPRIO_NR_LEVELS - 1);
	ssdup_window_copy(c->router, slot->copy.sectors);
	ssdup_load_begin(ssd_load(ssd), LOAD_WRITES, slot->copy.sectors);
	drive_submit(&ssd->user, &slot->bio);
}

static void end_slot(struct ssdup *c, struct slot *slot)
{
	blk_status_t status = slot->bio.bi_status;

	bio_uninit(&slot->bio);
	if (status) {
		stat_inc(c, STAT_SSD_ERRORS);
		ssdup_clean_error(c->drainer, status);
	} else if (ssdup_copies_publish(c->drainer, slot->segment, slot->claim, &slot->copy)) {
		slot->claim = NULL;
	}
	ssdup_put_read(c->log, slot->segment);
	put_slot(slot);
}

/* Nothing has cut its claim, and nobody else needs the SSD. */
static bool worth_writing(struct ssdup *c, const struct slot *slot)
{
	/* A hint: what is cut from now on is not published. */
	return data_race(extent_mapped(slot->claim->e) &&
			 slot->claim->e->sectors == slot->copy.sectors) &&
	       slot->copy.since == ssdup_copies_epoch(c->drainer) &&
	       !ssdup_segments_full(c->log) && ssdup_copies_room(c->drainer);
}

static void take_filled(struct ssdup_promoter *promoter, struct list_head *slots)
{
	struct ssdup *c = promoter->c;
	struct slot *slot, *next;

	spin_lock_irq(&promoter->lock);
	list_splice_init(&promoter->filled, slots);
	spin_unlock_irq(&promoter->lock);
	list_for_each_entry_safe(slot, next, slots, list) {
		slot->segment = worth_writing(c, slot) ?
			ssdup_copies_reserve(c->drainer, slot->copy.sectors, &slot->copy.pos) :
			NULL;
		if (!slot->segment)
			put_slot(slot);
	}
}

static int ssd_failures(const struct ssdup_promoter *promoter)
{
	struct ssdup *c = promoter->c;
	struct ssdup_ssd *ssd;
	int failures = 0;

	for (ssd = first_ssd(c); ssd; ssd = next_ssd(c, ssd))
		failures += atomic_read(&ssd->user.drive->failures);
	return failures;
}

static void write_filled(struct ssdup_promoter *promoter)
{
	struct slot *slot, *next;
	struct blk_plug plug;
	LIST_HEAD(slots);

	take_filled(promoter, &slots);
	if (list_empty(&slots))
		return;
	if (promoter->sectors == promoter->flushed) {
		promoter->flush_at = jiffies + msecs_to_jiffies(FLUSH_MS);
		promoter->failures = ssd_failures(promoter);
	}
	ssdup_step(promoter->c, STEP_COPY_WRITE);
	reinit_completion(&promoter->written);
	atomic_set(&promoter->writing, 1);
	/* Their places follow each other. */
	blk_start_plug(&plug);
	list_for_each_entry(slot, &slots, list) {
		atomic_inc(&promoter->writing);
		write_slot(promoter->c, slot);
	}
	blk_finish_plug(&plug);
	if (!atomic_dec_and_test(&promoter->writing))
		wait_for_completion_io(&promoter->written);
	ssdup_step(promoter->c, STEP_COPY_WRITTEN);
	list_for_each_entry_safe(slot, next, &slots, list)
		end_slot(promoter->c, slot);
	promoter->sectors = ssdup_copied(promoter->c->log);
}

/* What has failed requests may have lost its cache, too: then no copy is right. */
static bool in_doubt(struct ssdup_promoter *promoter)
{
	struct ssdup *c = promoter->c;

	if (ssd_failures(promoter) == promoter->failures)
		return false;
	ssdup_copies_doubt(c->drainer);
	return true;
}

/* Return: is that done with? If not, the work comes again, or there is none any more. */
static bool flush_cache(struct ssdup_promoter *promoter)
{
	struct ssdup *c = promoter->c;
	long left = promoter->flush_at - jiffies;

	if (left > 0) {
		queue_delayed_work(c->wake.wq, &promoter->work, left);
		return false;
	}
	/* An SSD whose flush fails is out: none is sent if it is of no use. */
	if (in_doubt(promoter))
		return true;
	/* It has also looked whether one has failed for another log. */
	if (ssdup_flush_ssd(c->log) || !ssdup_whole(c))
		return false;
	in_doubt(promoter);
	return true;
}

static bool has_cache(struct ssdup *c)
{
	struct ssdup_ssd *ssd;

	for (ssd = first_ssd(c); ssd; ssd = next_ssd(c, ssd))
		if (bdev_write_cache(ssd->dev->bdev))
			return true;
	return false;
}

/* Copies are read when the SSD has them for good: else it could lose them, and tell nobody. */
static void make_durable(struct ssdup_promoter *promoter)
{
	struct ssdup *c = promoter->c;

	if (promoter->sectors == promoter->flushed || !ssdup_whole(c))
		return;
	if (has_cache(c) && !flush_cache(promoter))
		return;
	promoter->flushed = promoter->sectors;
	ssdup_copies_flushed(c->log, promoter->flushed);
}

static void promote_work(struct work_struct *work)
{
	struct ssdup_promoter *promoter = container_of(work, struct ssdup_promoter, work.work);

	write_filled(promoter);
	make_durable(promoter);
}

/* --- Memory --- */

static void free_slot(struct ssdup_promoter *promoter, struct slot *slot)
{
	u32 i;

	if (slot->claim)
		ssdup_put_node(promoter->c->log, slot->claim);
	for (i = 0; i < SLOT_PAGES && slot->page[i]; i++)
		__free_page(slot->page[i]);
	kfree(slot);
}

static void free_promoter(struct ssdup_promoter *promoter)
{
	u32 i;

	for (i = 0; i < SLOTS && promoter->slot[i]; i++)
		free_slot(promoter, promoter->slot[i]);
	kvfree(promoter->ghosts);
	kfree(promoter);
}

static bool add_slot(struct ssdup_promoter *promoter, u32 nr)
{
	struct slot *slot = kzalloc(sizeof(*slot), SLOT_GFP);
	u32 i;

	promoter->slot[nr] = slot;
	if (!slot)
		return false;
	slot->promoter = promoter;
	list_add_tail(&slot->list, &promoter->free);
	for (i = 0; i < SLOT_PAGES; i++) {
		slot->page[i] = alloc_page(SLOT_GFP);
		if (!slot->page[i])
			return false;
	}
	return true;
}

static struct ghosts *new_ghosts(const struct ssdup_log *log)
{
	u32 nr = ssdup_ghosts_nr((u64)ssdup_leased_segments(log) * log->g.data_sectors);
	struct ghosts *ghosts = kvzalloc(struct_size(ghosts, word, nr), SLOT_GFP);

	if (ghosts)
		ghosts->nr = nr;
	return ghosts;
}

static struct ssdup_promoter *new_promoter(struct ssdup *c)
{
	struct ssdup_promoter *promoter = kzalloc(sizeof(*promoter), GFP_KERNEL);
	bool enough;
	u32 i;

	if (!promoter)
		return NULL;
	promoter->c = c;
	spin_lock_init(&promoter->lock);
	INIT_LIST_HEAD(&promoter->free);
	INIT_LIST_HEAD(&promoter->filled);
	INIT_DELAYED_WORK(&promoter->work, promote_work);
	init_completion(&promoter->written);
	promoter->ghosts = new_ghosts(c->log);
	enough = promoter->ghosts;
	for (i = 0; enough && i < SLOTS; i++)
		enough = add_slot(promoter, i);
	if (enough)
		return promoter;
	free_promoter(promoter);
	return NULL;
}

int ssdup_promote_prepare(struct ssdup *c)
{
	struct ssdup_promoter *promoter;
	unsigned int noio;

	if (c->promoter || c->read_only)
		return 0;
	/* A resume, or a message that holds the table, must not wait for I/O. */
	noio = memalloc_noio_save();
	promoter = new_promoter(c);
	memalloc_noio_restore(noio);
	if (!promoter)
		return -ENOMEM;
	/* Pairs with the address dependency of those that read it. */
	smp_store_release(&c->promoter, promoter);
	return 0;
}

void ssdup_promote_stop(struct ssdup *c)
{
	struct ssdup_promoter *promoter = c->promoter;

	if (!promoter)
		return;
	flush_delayed_work(&promoter->work);
	/* A flush may be left, of what will be forgotten. */
	cancel_delayed_work_sync(&promoter->work);
	promoter->flushed = promoter->sectors;
}

void ssdup_promote_destroy(struct ssdup *c)
{
	if (c->promoter)
		free_promoter(c->promoter);
}
