// SPDX-License-Identifier: GPL-2.0-only
/* Owns which of two SSDs that hold the same has everything, and the blocks that say so. */
#include <linux/device-mapper.h>
#include <linux/uuid.h>

#include "mirror_internal.h"

#define DM_MSG_PREFIX	"ssdup"

/* --- The blocks --- */

/* From or to m->page. Return: 0 or -errno */
static int bytes_io(struct ssdup_mirror *m, u32 index, blk_opf_t opf, u64 sector, u32 bytes)
{
	struct drive_user *user = &m->member[index].user;
	struct bio_vec bv;
	struct bio bio;
	int r;

	bio_init(&bio, user->bdev, &bv, 1, opf | REQ_SYNC | REQ_META);
	bio.bi_iter.bi_sector = sector;
	__bio_add_page(&bio, m->page, bytes, 0);
	r = submit_bio_wait(&bio);
	/* It may have been that of a flush. */
	if (r && opf & REQ_FUA && !drive_fua_is_no_flush(user->bdev))
		ssdup_drive_lost(user);
	else
		drive_ended(user, bio.bi_status);
	bio_uninit(&bio);
	return r;
}

/* The same, a block of 4 KiB. */
static int member_io(struct ssdup_mirror *m, u32 index, blk_opf_t opf, u64 sector)
{
	return bytes_io(m, index, opf, sector, SSDUP_BLOCK_BYTES);
}

static u64 block_sector(const struct ssdup_mirror *m, u32 copy)
{
	return log_home(m->sectors, copy) + SSDUP_TWIN_PLACE;
}

struct twin_found ssdup_mirror_read(struct ssdup_mirror *m, u32 index)
{
	struct twin_found found = { TWIN_BLANK };
	enum twin_there there;
	struct twin_block b;
	u32 copy;

	if (!m->member[index].user.bdev)
		return (struct twin_found){ TWIN_ABSENT };
	for (copy = 0; copy < SSDUP_COPIES; copy++) {
		there = member_io(m, index, REQ_OP_READ, block_sector(m, copy)) ? TWIN_DAMAGED :
			ssdup_twin_decode(page_address(m->page), &b);
		if (there == TWIN_THERE && (found.there != TWIN_THERE || b.seq > found.block.seq))
			found = (struct twin_found){ TWIN_THERE, b };
		else if (found.there == TWIN_BLANK)
			found.there = there;
	}
	return found;
}

/* Return: those of @to that have got it */
static u32 write_block(struct ssdup_mirror *m, u32 to)
{
	struct twin_block b = m->block;
	u32 i, copy, taken = 0;
	int r;

	lockdep_assert_held(&m->lock);
	for (i = 0; i < SSDUP_TWINS; i++) {
		if (!(to & BIT(i)))
			continue;
		b.index = i;
		ssdup_twin_encode(&b, page_address(m->page));
		for (r = 0, copy = SSDUP_COPIES; copy-- > 0 && !r; )
			r = member_io(m, i, REQ_OP_WRITE | REQ_FUA, block_sector(m, copy));
		taken |= r ? 0 : BIT(i);
	}
	return taken;
}

void ssdup_mirror_tell(struct ssdup_mirror *m, const char *why)
{
	struct mirror_user *mu;
	unsigned long flags;

	spin_lock_irqsave(&m->queue_lock, flags);
	list_for_each_entry(mu, &m->users, list)
		mu->tell(mu, why);
	spin_unlock_irqrestore(&m->queue_lock, flags);
}

bool ssdup_mirror_call_out(struct ssdup_mirror *m, u32 index, const char *why)
{
	u32 left = m->in & ~BIT(index);

	lockdep_assert_held(&m->lock);
	/* What the other one had in its cache may be nowhere else. */
	if (m->dead || !m->started || !(left & ~READ_ONCE(m->lost)))
		return false;
	m->block.out = BIT(index);
	m->block.seq++;
	if (!write_block(m, left)) {
		/* Nobody knows whether it says so. Nothing may count that this one has alone. */
		WRITE_ONCE(m->dead, true);
		return false;
	}
	WRITE_ONCE(m->in, left);
	ssdup_mirror_tell(m, why);
	/* Pairs with the one in member_told(): one of the two sees what the other one did. */
	smp_mb();
	if (!(left & ~READ_ONCE(m->lost)))
		ssdup_mirror_tell(m, NULL);
	return true;
}

void ssdup_mirror_mend(struct ssdup_mirror *m, u32 index, u64 sector, u32 bytes)
{
	u32 at, part;

	lockdep_assert_held(&m->lock);
	for (at = 0; at < bytes && m->in == MIRROR_ALL; at += part) {
		part = min_t(u32, bytes - at, SSDUP_BLOCK_BYTES);
		/* Not durable: what a power cut takes back was not readable before. */
		if (bytes_io(m, index, REQ_OP_READ, sector + (at >> SECTOR_SHIFT), part) &&
		    (bytes_io(m, !index, REQ_OP_READ, sector + (at >> SECTOR_SHIFT), part) ||
		     bytes_io(m, index, REQ_OP_WRITE, sector + (at >> SECTOR_SHIFT), part)))
			break;
	}
}

int ssdup_mirror_out(struct ssdup_mirror *m, u32 index)
{
	bool out = false;

	mutex_lock(&m->lock);
	if (index < SSDUP_TWINS)
		out = ssdup_mirror_fails(m, index) || !(m->in & BIT(index)) ||
		      ssdup_mirror_call_out(m, index, "by a message");
	mutex_unlock(&m->lock);
	return out ? 0 : -EINVAL;
}

/* --- One that takes the place of another one --- */

bool ssdup_mirror_fails(struct ssdup_mirror *m, u32 index)
{
	unsigned long flags;
	bool filled;

	spin_lock_irqsave(&m->queue_lock, flags);
	filled = m->fill & BIT(index);
	if (filled)
		WRITE_ONCE(m->fill, 0);
	spin_unlock_irqrestore(&m->queue_lock, flags);
	if (filled)
		ssdup_mirror_tell(m, "the new one has failed, and is not filled any more");
	return filled;
}

void ssdup_mirror_stop(struct ssdup_mirror *m)
{
	ssdup_mirror_fails(m, 0);
	ssdup_mirror_fails(m, 1);
}

u32 ssdup_mirror_filling(const struct ssdup_mirror *m)
{
	return READ_ONCE(m->fill) ? READ_ONCE(m->fillings) : 0;
}

/* From now on no request counts that it has not got, unless it is called out. */
static bool count_in(struct ssdup_mirror *m)
{
	bool filled;

	spin_lock_irq(&m->queue_lock);
	filled = m->fill;
	if (filled) {
		WRITE_ONCE(m->in, MIRROR_ALL);
		/* Who sees that none is filled sees that both count. Pairs with mirror_submit(). */
		smp_wmb();
		WRITE_ONCE(m->fill, 0);
	}
	spin_unlock_irq(&m->queue_lock);
	return filled;
}

int ssdup_mirror_whole(struct ssdup_mirror *m)
{
	u32 was;
	int r = -EIO;

	mutex_lock(&m->lock);
	was = m->in;
	if (count_in(m)) {
		m->fills = false;
		m->block.out = 0;
		m->block.seq++;
		r = write_block(m, was) ? 0 : -EIO;
		/* Nobody knows whether it says so. */
		if (r)
			WRITE_ONCE(m->dead, true);
	}
	mutex_unlock(&m->lock);
	return r;
}

int ssdup_mirror_named(struct ssdup_mirror *m)
{
	u32 taken;
	int r = 0;

	mutex_lock(&m->lock);
	taken = write_block(m, m->in);
	if (taken != m->in && !(taken && ssdup_mirror_call_out(m, !__ffs(taken),
							       "it failed a write")))
		r = -EIO;
	mutex_unlock(&m->lock);
	return r;
}

/* --- Before the log is used --- */

bool ssdup_mirror_new(struct ssdup_mirror *m)
{
	return m->fresh;
}

bool ssdup_mirror_both(const struct ssdup_mirror *m)
{
	return READ_ONCE(m->in) == MIRROR_ALL;
}

struct drive_user *ssdup_mirror_member(struct ssdup_mirror *m, u32 index)
{
	return m->member[index].user.bdev ? &m->member[index].user : NULL;
}

/* Two paths to one SSD have the block that was written last. */
static bool are_two(struct ssdup_mirror *m)
{
	struct twin_found found = ssdup_mirror_read(m, 0);

	return found.there == TWIN_THERE && !found.block.index;
}

static int write_first_blocks(struct ssdup_mirror *m)
{
	memset(&m->block, 0, sizeof(m->block));
	generate_random_uuid(m->block.member[0]);
	generate_random_uuid(m->block.member[1]);
	m->block.seq = TWINS_BEING_MADE;
	if (write_block(m, MIRROR_ALL) != MIRROR_ALL)
		return -EIO;
	if (are_two(m))
		return 0;
	DMERR("%pg and %pg, the two SSDs of a mirror, are one", m->member[0].user.bdev,
	      m->member[1].user.bdev);
	return -EBUSY;
}

int ssdup_mirror_start(struct ssdup_mirror *m, const struct mirror_user *mu)
{
	u32 taken;
	int r = 0;

	mutex_lock(&m->lock);
	/* What was lost before was not for what is written from now on. */
	if (!m->started)
		WRITE_ONCE(m->lost, 0);
	m->started = true;
	if (m->fresh) {
		r = write_first_blocks(m);
	} else if (m->mark) {
		/* By a word of the table. */
		if (!ssdup_mirror_call_out(m, !mu->named, "the table names the other one alone"))
			r = -EIO;
		m->mark = r;
	} else if (m->mend) {
		taken = write_block(m, m->in);
		m->mend = false;
		if (!taken || (taken != m->in &&
			       !ssdup_mirror_call_out(m, !__ffs(taken), "it failed a write")))
			r = -EIO;
	}
	mutex_unlock(&m->lock);
	return r;
}

int ssdup_mirror_made(struct ssdup_mirror *m)
{
	int r = 0;

	mutex_lock(&m->lock);
	if (m->fresh) {
		m->block.seq++;
		r = write_block(m, MIRROR_ALL) == MIRROR_ALL ? 0 : -EIO;
		m->fresh = r;
	}
	mutex_unlock(&m->lock);
	return r;
}

/* Return: 0, also if it is out because of that, or -errno */
static int even_block(struct ssdup_mirror *m, u32 index, u64 sector, const void *want)
{
	void *have = page_address(m->page);
	int r = member_io(m, index, REQ_OP_READ, sector);

	if (!r && !memcmp(have, want, SSDUP_BLOCK_BYTES))
		return 0;
	memcpy(have, want, SSDUP_BLOCK_BYTES);
	r = member_io(m, index, REQ_OP_WRITE | REQ_FUA, sector);
	return r && ssdup_mirror_call_out(m, index, "it failed a write") ? 0 : r;
}

int ssdup_mirror_even(struct ssdup_mirror *m, u64 sector, const void *data, u32 bytes)
{
	u32 at, i;
	int r = 0;

	mutex_lock(&m->lock);
	/* Also the one that it was read from: another one may have been asked for a part. */
	for (i = 0; i < SSDUP_TWINS; i++)
		for (at = 0; at < bytes && m->in == MIRROR_ALL && !r; at += SSDUP_BLOCK_BYTES)
			r = even_block(m, i, sector + (at >> SECTOR_SHIFT), data + at);
	mutex_unlock(&m->lock);
	return r;
}
