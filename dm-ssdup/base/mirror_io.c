// SPDX-License-Identifier: GPL-2.0-only
/* Owns what is sent to two SSDs that hold the same. */
#include <linux/delay.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "core/retry.h"
#include "mirror_internal.h"
#include "mirror_io.h"

#define LATE		msecs_to_jiffies(10)	/* until memory is tried again */
#define AWAY_MS		2000U			/* as long as the reset of an SSD may take */

/* A request to both. */
struct mirror_io {
	struct ssdup_mirror	*m;
	struct list_head	list;
	struct bio		*bio;
	bio_end_io_t		*end_io;	/* of that bio */
	void			*private;	/* the same */
	struct bvec_iter	iter;
	atomic_t		pending;
	u32			first;		/* index of the one that has the bio itself */
	u32			sent;		/* a bit for each */
	bool			mend;		/* only the other one could read it */
	blk_status_t		status[SSDUP_TWINS];
	struct bio		copy;		/* the last one, see bioset_init() */
};

static DEFINE_MUTEX(mirrors_lock);
static LIST_HEAD(mirrors);

/* --- Requests to both --- */

static void mirror_finish(struct mirror_io *io, blk_status_t status)
{
	struct bio *bio = io->bio;

	bio->bi_end_io = io->end_io;
	bio->bi_private = io->private;
	bio->bi_status = status;
	bio_put(&io->copy);
	bio_endio(bio);
}

static void settle_later(struct mirror_io *io)
{
	struct ssdup_mirror *m = io->m;
	unsigned long flags;

	/* In the lock: when it is settled, all may go. */
	spin_lock_irqsave(&m->queue_lock, flags);
	list_add_tail(&io->list, &m->failed);
	queue_work(m->wq, &m->work);
	spin_unlock_irqrestore(&m->queue_lock, flags);
}

static bool must_reach_both(const struct mirror_io *io)
{
	return op_is_write(io->bio->bi_opf) && bio_op(io->bio) != REQ_OP_DISCARD;
}

static u32 failed(const struct mirror_io *io)
{
	u32 i, which = must_reach_both(io) ? READ_ONCE(io->m->lost) & io->sent : 0;

	for (i = 0; i < SSDUP_TWINS; i++)
		if (io->sent & BIT(i) && io->status[i])
			which |= BIT(i);
	return which;
}

static blk_status_t first_error(const struct mirror_io *io)
{
	u32 i;

	for (i = 0; i < SSDUP_TWINS; i++)
		if (io->sent & BIT(i) && io->status[i])
			return io->status[i];
	return BLK_STS_IOERR;
}

/* A flush that fails may drop what was written before, and the next one succeeds. */
static bool may_flush(const struct mirror_io *io, u32 index)
{
	struct block_device *bdev = io->m->member[index].user.bdev;

	return io->bio->bi_opf & REQ_PREFLUSH ||
	       (io->bio->bi_opf & REQ_FUA && !drive_fua_is_no_flush(bdev));
}

/* Is there somebody to ask, to tell, or to be called out? @good: those that have it and count */
static bool to_settle(const struct mirror_io *io, u32 bad, u32 good)
{
	u32 i, in = READ_ONCE(io->m->in);

	if (!must_reach_both(io))
		return io->status[io->first] != BLK_STS_AGAIN && in & ~io->sent;
	if (good)
		return bad & in;
	for (i = 0; i < SSDUP_TWINS; i++)
		if (bad & BIT(i) && may_flush(io, i))
			return true;
	return false;
}

/* All that it was sent to have ended it. */
static void ended(struct mirror_io *io)
{
	u32 bad = failed(io), good = io->sent & ~bad & READ_ONCE(io->m->in);

	if (bio_op(io->bio) == REQ_OP_DISCARD)
		mirror_finish(io, io->status[io->first]);
	else if (must_reach_both(io) && READ_ONCE(io->m->dead))
		mirror_finish(io, first_error(io));
	else if ((bad && to_settle(io, bad, good)) || (!bad && io->mend))
		settle_later(io);
	else if (bad && (!must_reach_both(io) || !good))
		mirror_finish(io, first_error(io));
	else
		mirror_finish(io, BLK_STS_OK);
}

static void member_ended(struct mirror_io *io, u32 index, const struct bio *bio)
{
	struct drive_user *user = &io->m->member[index].user;

	io->status[index] = bio->bi_status;
	drive_ended(user, bio->bi_status);
	/* Of one that is filled nothing was promised. One that is whole by now is called out. */
	if (bio->bi_status && must_reach_both(io))
		ssdup_mirror_fails(io->m, index);
	if (atomic_dec_and_test(&io->pending))
		ended(io);
}

static void first_ended(struct bio *bio)
{
	struct mirror_io *io = bio->bi_private;

	member_ended(io, io->first, bio);
}

static void copy_ended(struct bio *bio)
{
	struct mirror_io *io = container_of(bio, struct mirror_io, copy);

	member_ended(io, !io->first, bio);
}

/* Return: false: there is no memory for it */
static bool mirror_submit(struct ssdup_mirror *m, struct bio *bio)
{
	u32 fill = READ_ONCE(m->fill), in, to, index;
	struct mirror_io *io;
	struct bio *copy;

	/* Pairs with count_in(). */
	smp_rmb();
	in = READ_ONCE(m->in);
	to = in | fill;
	index = in ? __ffs(in) : 0;

	/* A read gets one, too: for when the first one fails it. */
	copy = bio_alloc_clone(m->member[index].user.bdev, bio, GFP_NOWAIT | __GFP_NOWARN, &m->bs);
	if (!copy)
		return false;
	/* Nobody polls for it, and it must not fail for want of a tag. */
	bio->bi_opf &= ~(REQ_POLLED | (op_is_write(bio->bi_opf) ? REQ_NOWAIT : 0));
	copy->bi_opf = bio->bi_opf;
	io = container_of(copy, struct mirror_io, copy);
	io->m = m;
	io->bio = bio;
	io->end_io = bio->bi_end_io;
	io->private = bio->bi_private;
	io->iter = bio->bi_iter;
	io->first = index;
	io->sent = BIT(index);
	io->mend = false;
	bio_set_dev(bio, m->member[index].user.bdev);
	bio->bi_end_io = first_ended;
	bio->bi_private = io;
	copy->bi_end_io = copy_ended;
	atomic_set(&io->pending, 1);
	if (op_is_write(bio->bi_opf) && to == MIRROR_ALL) {
		io->sent = MIRROR_ALL;
		atomic_inc(&io->pending);
		bio_set_dev(copy, m->member[!index].user.bdev);
		submit_bio_noacct(copy);
	}
	submit_bio_noacct(bio);
	return true;
}

static void submit_late(struct ssdup_mirror *m, struct bio *bio)
{
	unsigned long flags;

	spin_lock_irqsave(&m->queue_lock, flags);
	bio_list_add(&m->late, bio);
	queue_delayed_work(m->wq, &m->late_work, LATE);
	spin_unlock_irqrestore(&m->queue_lock, flags);
}

void ssdup_mirror_submit(struct ssdup_mirror *m, struct bio *bio)
{
	if (unlikely(!mirror_submit(m, bio)))
		submit_late(m, bio);
}

/* Never waits for memory: what has it may wait for this queue. */
static void submit_again(struct work_struct *work)
{
	struct delayed_work *late_work = to_delayed_work(work);
	struct ssdup_mirror *m = container_of(late_work, struct ssdup_mirror, late_work);
	struct bio_list late;
	struct bio *bio;

	spin_lock_irq(&m->queue_lock);
	late = m->late;
	bio_list_init(&m->late);
	spin_unlock_irq(&m->queue_lock);
	while ((bio = bio_list_pop(&late)))
		ssdup_mirror_submit(m, bio);
}

/* --- Requests that one of them has failed --- */

/* It may be reset. Return: has it got the data at last? */
static bool try_again(struct mirror_io *io, u32 index)
{
	unsigned long end = jiffies + msecs_to_jiffies(AWAY_MS);
	struct block_device *bdev = io->m->member[index].user.bdev;
	int r = blk_status_to_errno(io->status[index]);
	struct bio bio;

	while (ssdup_is_transient(r) && time_before(jiffies, end) &&
	       !(READ_ONCE(io->m->lost) & BIT(index))) {
		msleep(RETRY_PAUSE_MS);
		if (bio_init_clone(bdev, &bio, io->bio, GFP_NOIO))
			return false;
		/* Its sectors are those of the partition again. */
		bio_set_dev(&bio, bdev);
		bio.bi_iter = io->iter;
		r = submit_bio_wait(&bio);
		bio_uninit(&bio);
	}
	return !r;
}

/* Return: does the request count? */
static bool settle_write(struct mirror_io *io)
{
	struct ssdup_mirror *m = io->m;
	u32 i, bad = failed(io), good = io->sent & ~bad;

	for (i = 0; i < SSDUP_TWINS; i++) {
		if (!(bad & m->in & BIT(i)))
			continue;
		if (may_flush(io, i))
			ssdup_drive_lost(&m->member[i].user);
		else if (good & m->in && try_again(io, i))
			good |= BIT(i);
	}
	good &= ~READ_ONCE(m->lost);
	/* Whatever has not got it must be out. */
	for (i = 0; i < SSDUP_TWINS; i++)
		if (m->in & ~good & BIT(i) &&
		    !(m->in & good && ssdup_mirror_call_out(m, i, "it failed a write")))
			return false;
	return !m->dead && m->in & good;
}

/* The other one has what it asks for, too. */
static void ask_other(struct mirror_io *io)
{
	struct ssdup_mirror *m = io->m;

	if (!(m->in & ~io->sent)) {
		mirror_finish(io, first_error(io));
		return;
	}
	/* It is the last one that is asked. A bad sector is written again. */
	io->mend = io->status[io->first] == BLK_STS_MEDIUM && !(io->bio->bi_opf & REQ_META);
	io->status[io->first] = BLK_STS_OK;
	io->sent = MIRROR_ALL;
	atomic_set(&io->pending, 1);
	bio_set_dev(&io->copy, m->member[!io->first].user.bdev);
	submit_bio_noacct(&io->copy);
}

/*
 * With what is read now: whose pages these are may write to them meanwhile. Until this ends, nobody
 * writes there: reads of data hold their segment. Metadata is written again by those who own it.
 */
static void mend(struct mirror_io *io)
{
	ssdup_mirror_mend(io->m, io->first, io->iter.bi_sector, io->iter.bi_size);
	mirror_finish(io, BLK_STS_OK);
}

static void mirror_settle(struct mirror_io *io)
{
	if (must_reach_both(io))
		mirror_finish(io, settle_write(io) ? BLK_STS_OK : first_error(io));
	else if (io->mend)
		mend(io);
	else
		ask_other(io);
}

static void heed_losses(struct ssdup_mirror *m)
{
	u32 i;

	for (i = 0; i < SSDUP_TWINS; i++)
		if (READ_ONCE(m->lost) & m->in & BIT(i))
			ssdup_mirror_call_out(m, i, "a flush of it failed for another log");
}

static void mirror_work(struct work_struct *work)
{
	struct ssdup_mirror *m = container_of(work, struct ssdup_mirror, work);
	struct mirror_io *io, *next;
	LIST_HEAD(list);

	spin_lock_irq(&m->queue_lock);
	list_splice_init(&m->failed, &list);
	spin_unlock_irq(&m->queue_lock);
	mutex_lock(&m->lock);
	list_for_each_entry_safe(io, next, &list, list)
		mirror_settle(io);
	heed_losses(m);
	mutex_unlock(&m->lock);
}

/* Another device has learnt that the cache of the drive was lost. */
static void member_told(struct drive_user *user, bool lost)
{
	struct mirror_member *member = container_of(user, struct mirror_member, user);
	struct ssdup_mirror *m = member->mirror;

	if (!lost)
		return;
	ssdup_mirror_fails(m, member - m->member);
	set_bit(member - m->member, &m->lost);
	/* Before another flush of it can end. Pairs with the one in ssdup_mirror_call_out(). */
	smp_mb();
	if (!(READ_ONCE(m->in) & ~READ_ONCE(m->lost)))
		ssdup_mirror_tell(m, NULL);
	queue_work(m->wq, &m->work);
}

/* --- Life --- */

static void free_mirror(struct ssdup_mirror *m)
{
	u32 i;

	if (!m)
		return;
	/* What is told in the last moment finds nobody. */
	mutex_lock(&m->lock);
	m->in = 0;
	mutex_unlock(&m->lock);
	for (i = 0; i < SSDUP_TWINS; i++)
		ssdup_drive_put(&m->member[i].user);
	/*
	 * Its timer may be armed for bios that another round has ended: destroy_workqueue() does
	 * not wait for a timer.
	 */
	cancel_delayed_work_sync(&m->late_work);
	if (m->wq)
		destroy_workqueue(m->wq);
	bioset_exit(&m->bs);
	if (m->page)
		__free_page(m->page);
	kfree(m);
}

static int listen(struct ssdup_mirror *m, u32 index, struct block_device *bdev)
{
	m->member[index].mirror = m;
	return bdev ? ssdup_drive_get(&m->member[index].user, bdev, member_told) : 0;
}

/* By what stands on them, see core/twins.h. The user of each is only for that. */
static int look(struct ssdup_mirror *m, struct block_device *bdev[SSDUP_TWINS], const char **why)
{
	struct twin_found found[SSDUP_TWINS];
	enum twins_fault fault;
	struct twins t;
	u32 i, swap;
	int r;

	for (i = 0; i < SSDUP_TWINS; i++) {
		r = listen(m, i, bdev[i]);
		if (r)
			return r;
	}
	for (i = 0; i < SSDUP_TWINS; i++)
		found[i] = ssdup_mirror_read(m, i);
	fault = ssdup_twins_match(found, &t);
	m->fresh = fault == TWINS_NEW;
	*why = ssdup_twins_fault_text(fault);
	if (fault != TWINS_OK && !m->fresh)
		return -EINVAL;
	m->block = t.block;
	m->in = t.in;
	m->mark = t.mark;
	m->mend = t.mend;
	m->fills = t.fills;
	swap = m->fresh ? 0 : t.block.index;
	for (i = 0; i < SSDUP_TWINS && swap; i++)
		ssdup_drive_put(&m->member[i].user);
	for (i = 0; i < SSDUP_TWINS && swap; i++) {
		m->member[i].user.bdev = NULL;
		r = listen(m, i, bdev[!i]);
		if (r)
			return r;
	}
	return 0;
}

static struct ssdup_mirror *new_mirror(struct block_device *bdev[SSDUP_TWINS], int *r,
				       const char **why)
{
	struct ssdup_mirror *m = kzalloc(sizeof(*m), GFP_KERNEL);

	*r = -ENOMEM;
	if (!m)
		return NULL;
	INIT_LIST_HEAD(&m->users);
	INIT_LIST_HEAD(&m->failed);
	mutex_init(&m->lock);
	spin_lock_init(&m->queue_lock);
	bio_list_init(&m->late);
	INIT_WORK(&m->work, mirror_work);
	INIT_DELAYED_WORK(&m->late_work, submit_again);
	m->sectors = bdev_nr_sectors(bdev[0]);
	m->page = alloc_page(GFP_KERNEL);
	m->wq = alloc_ordered_workqueue("ssdup_mirror", WQ_MEM_RECLAIM);
	if (m->page && m->wq)
		*r = bioset_init(&m->bs, BIO_POOL_SIZE, offsetof(struct mirror_io, copy), 0);
	*r = *r ?: look(m, bdev, why);
	if (!*r)
		return m;
	free_mirror(m);
	return NULL;
}

static bool has(const struct ssdup_mirror *m, const struct block_device *bdev)
{
	return bdev && (m->member[0].user.bdev == bdev || m->member[1].user.bdev == bdev);
}

/* Is that one of them, and the only one that counts? */
static bool counts_alone(const struct ssdup_mirror *m, const struct block_device *bdev)
{
	u32 in = READ_ONCE(m->in);

	return bdev && in && in != MIRROR_ALL && m->member[__ffs(in)].user.bdev == bdev;
}

/*
 * Those that tables name already. Return: -EBUSY: with another one, which is not out. One that is
 * may be replaced, for each table that is loaded from now on.
 */
static int find(struct block_device *bdev[SSDUP_TWINS], struct ssdup_mirror **found)
{
	struct ssdup_mirror *m;

	*found = NULL;
	list_for_each_entry(m, &mirrors, list) {
		if (!has(m, bdev[0]) && !has(m, bdev[1]))
			continue;
		if (has(m, bdev[0]) && (!bdev[1] || has(m, bdev[1])))
			*found = m;
		else if (READ_ONCE(m->fill) ||
			 (!counts_alone(m, bdev[0]) && !counts_alone(m, bdev[1])))
			return -EBUSY;
	}
	return 0;
}

static bool all_name_both(const struct ssdup_mirror *m)
{
	const struct mirror_user *mu;

	list_for_each_entry(mu, &m->users, list)
		if (!mu->both)
			return false;
	return true;
}

/* Does a device write by another one of these? */
static bool used_beside(const struct ssdup_mirror *m)
{
	const struct ssdup_mirror *other;

	lockdep_assert_held(&mirrors_lock);
	list_for_each_entry(other, &mirrors, list)
		if (other != m && (has(other, m->member[0].user.bdev) ||
				   has(other, m->member[1].user.bdev)))
			return true;
	return false;
}

int ssdup_mirror_fill(struct ssdup_mirror *m, const char **why)
{
	int r = 0;

	mutex_lock(&mirrors_lock);
	mutex_lock(&m->lock);
	spin_lock_irq(&m->queue_lock);
	*why = "the table names no SSD that can be filled";
	if (!m->fills)
		r = -EINVAL;
	*why = r ? *why : "another table does not name the new SSD: reload it";
	if (!r && (!all_name_both(m) || used_beside(m)))
		r = -EBUSY;
	if (!r && !m->fill) {
		/* A loss of before was not of what it gets from now on. */
		clear_bit(!__ffs(m->in), &m->lost);
		m->fillings++;
		WRITE_ONCE(m->fill, MIRROR_ALL & ~m->in);
	}
	spin_unlock_irq(&m->queue_lock);
	r = r ?: m->fillings;
	mutex_unlock(&m->lock);
	mutex_unlock(&mirrors_lock);
	return r;
}

int ssdup_mirror_get(struct drive_user *user, struct mirror_user *mu, struct block_device *other,
		     const char **why)
{
	struct block_device *bdev[SSDUP_TWINS] = { user->bdev, other };
	struct ssdup_mirror *m;
	unsigned int noio;
	int r;

	mutex_lock(&mirrors_lock);
	/* A resume may wait for the lock. */
	noio = memalloc_noio_save();
	*why = "one of the two is in use, and not with the other one";
	r = find(bdev, &m);
	if (!r && !m) {
		*why = "out of memory";
		m = new_mirror(bdev, &r, why);
		if (m)
			list_add(&m->list, &mirrors);
	}
	if (!r) {
		mu->named = m->member[1].user.bdev == user->bdev;
		mu->both = other;
	}
	/* It may be closed, but by those that name it. */
	if (!r && !other && READ_ONCE(m->fill)) {
		*why = "the other one is in use, and is filled";
		r = -EBUSY;
	}
	/* It would go on without a disk that others use. */
	if (!r && !other && READ_ONCE(m->in) != BIT(mu->named)) {
		*why = "the other one is in use, and not out";
		r = -EBUSY;
	}
	if (!r) {
		m->refs++;
		spin_lock_irq(&m->queue_lock);
		list_add(&mu->list, &m->users);
		spin_unlock_irq(&m->queue_lock);
		user->mirror = m;
	}
	memalloc_noio_restore(noio);
	mutex_unlock(&mirrors_lock);
	return r;
}

/* One that is out, and that no table names any more, may be another disk when it is back. */
static void forget_unnamed(struct ssdup_mirror *m)
{
	const struct mirror_user *mu;
	u32 i;

	list_for_each_entry(mu, &m->users, list)
		if (mu->both)
			return;
	mutex_lock(&m->lock);
	ssdup_mirror_stop(m);
	m->fills = false;
	for (i = 0; i < SSDUP_TWINS; i++) {
		if (m->in & BIT(i))
			continue;
		ssdup_drive_put(&m->member[i].user);
		m->member[i].user.bdev = NULL;
	}
	mutex_unlock(&m->lock);
}

void ssdup_mirror_put(struct drive_user *user, struct mirror_user *mu)
{
	struct ssdup_mirror *m = user->mirror;

	if (!m)
		return;
	mutex_lock(&mirrors_lock);
	spin_lock_irq(&m->queue_lock);
	list_del(&mu->list);
	spin_unlock_irq(&m->queue_lock);
	if (!--m->refs) {
		list_del(&m->list);
		free_mirror(m);
	} else {
		forget_unnamed(m);
	}
	mutex_unlock(&mirrors_lock);
	user->mirror = NULL;
}
