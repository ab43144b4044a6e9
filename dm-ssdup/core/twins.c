// SPDX-License-Identifier: GPL-2.0-only
/* Owns which of two SSDs that hold the same has everything. */
#include <linux/crc32c.h>

#include "twins.h"

static __le32 crc_of(struct ssdup_twin d)
{
	d.crc = 0;
	return cpu_to_le32(crc32c(~0, &d, sizeof(d)));
}

void ssdup_twin_encode(const struct twin_block *b, void *buf)
{
	struct ssdup_twin *d = buf;

	memset(buf, 0, SSDUP_BLOCK_BYTES);
	d->magic = cpu_to_le64(SSDUP_TWIN_MAGIC);
	d->index = cpu_to_le16(b->index);
	d->out = cpu_to_le16(b->out);
	d->seq = cpu_to_le64(b->seq);
	memcpy(d->member, b->member, sizeof(d->member));
	d->crc = crc_of(*d);
}

enum twin_there ssdup_twin_decode(const void *buf, struct twin_block *b)
{
	const struct ssdup_twin *d = buf;

	if (!memchr_inv(buf, 0, SSDUP_BLOCK_BYTES))
		return TWIN_BLANK;
	if (le64_to_cpu(d->magic) != SSDUP_TWIN_MAGIC || d->crc != crc_of(*d))
		return TWIN_DAMAGED;
	b->index = le16_to_cpu(d->index);
	b->out = le16_to_cpu(d->out);
	b->seq = le64_to_cpu(d->seq);
	memcpy(b->member, d->member, sizeof(b->member));
	/* Nobody calls both out. */
	if (b->index >= SSDUP_TWINS || b->out >= BIT(SSDUP_TWINS) - 1 || !b->seq)
		return TWIN_DAMAGED;
	return TWIN_THERE;
}

static bool is_part(const struct twin_block *b)
{
	return b->out == BIT(b->index);
}

/* @part is to take the place of the other one of @b, or has just done so. */
static bool takes_place(const struct twin_block *part, const struct twin_block *b)
{
	return part->index != b->index && !is_part(b) &&
	       !memcmp(part->member[b->index], b->member[b->index], sizeof(b->member[0])) &&
	       (b->out || !memcmp(part->member, b->member, sizeof(b->member)));
}

/* @a: at position 0, @part: the one of the two that is to be filled */
static enum twins_fault match_part(const struct twin_block *a, const struct twin_block *b,
				   const struct twin_block *part, struct twins *t)
{
	const struct twin_block *whole = part == a ? b : a;

	if (!takes_place(part, whole))
		return TWINS_OTHER;
	t->block = *whole;
	t->block.index = a->index;
	memcpy(t->block.member[part->index], part->member[part->index], sizeof(part->member[0]));
	/* Unless the other one calls @part out, it is whole, but its block is old. */
	t->in = whole->out ? BIT(whole->index) : BIT(SSDUP_TWINS) - 1;
	t->fills = whole->out;
	t->mend = !whole->out;
	return TWINS_OK;
}

static enum twins_fault match_both(const struct twin_block *a, const struct twin_block *b,
				   struct twins *t)
{
	if (is_part(a) || is_part(b))
		return match_part(a, b, is_part(a) ? a : b, t);
	if (a->index == b->index || memcmp(a->member, b->member, sizeof(a->member)))
		return TWINS_OTHER;
	if (a->seq <= TWINS_BEING_MADE && b->seq <= TWINS_BEING_MADE)
		return TWINS_NEW;
	if (a->out && b->out)
		return TWINS_APART;
	t->block = b->out || (!a->out && b->seq > a->seq) ? *b : *a;
	t->in = ~t->block.out & (BIT(SSDUP_TWINS) - 1);
	t->mend = !t->block.out && a->seq != b->seq;
	t->block.index = a->index;
	return TWINS_OK;
}

/* @position: of the one that is there */
static enum twins_fault match_one(const struct twin_block *b, enum twin_there other, u32 position,
				  struct twins *t)
{
	if (is_part(b))
		return TWINS_PART;
	if (other == TWIN_BLANK && b->seq <= TWINS_BEING_MADE)
		return TWINS_NEW;
	if (other == TWIN_ABSENT && b->seq <= TWINS_BEING_MADE)
		return TWINS_ALONE;
	if (other != TWIN_ABSENT && !b->out)
		return other == TWIN_BLANK ? TWINS_BLANK : TWINS_DAMAGED;
	t->block = *b;
	t->in = BIT(b->index);
	t->mark = !b->out;
	t->block.index = position ? !b->index : b->index;
	return TWINS_OK;
}

enum twins_fault ssdup_twins_match(const struct twin_found found[SSDUP_TWINS], struct twins *t)
{
	u32 i;

	memset(t, 0, sizeof(*t));
	t->in = BIT(SSDUP_TWINS) - 1;
	if (found[0].there == TWIN_THERE && found[1].there == TWIN_THERE)
		return match_both(&found[0].block, &found[1].block, t);
	for (i = 0; i < SSDUP_TWINS; i++)
		if (found[i].there == TWIN_THERE)
			return match_one(&found[i].block, found[!i].there, i, t);
	for (i = 0; i < SSDUP_TWINS; i++)
		if (found[i].there != TWIN_BLANK)
			return found[i].there == TWIN_ABSENT ? TWINS_ALONE : TWINS_DAMAGED;
	return TWINS_NEW;
}

const char *ssdup_twins_fault_text(enum twins_fault fault)
{
	static const char * const text[] = {
		[TWINS_OK] = "no fault",
		[TWINS_NEW] = "no fault",
		[TWINS_ALONE] = "a new log needs both SSDs",
		[TWINS_DAMAGED] = "one of the two SSDs is not of the other",
		[TWINS_BLANK] = "one of the two SSDs is blank, and is not called out",
		[TWINS_OTHER] = "the two SSDs are not of each other",
		[TWINS_APART] = "the two SSDs ran apart: each calls the other one out",
		[TWINS_PART] = "the SSD was to be filled from another one, which is missing",
	};

	return text[fault];
}
