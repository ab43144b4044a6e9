// SPDX-License-Identifier: GPL-2.0-only
/* Decides what the guarded range of an HDD shows, and what that means. */
#include <linux/crc32c.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "guard_block.h"

/* Where the packed head begins in the body. */
static u32 pack_start(bool changing)
{
	return changing ? SSDUP_GUARD_BLOCKS * sizeof(__le32) : 0;
}

/* --- The head: a count of zeroes, a count of other bytes, and these, again and again --- */

static u32 run_of(const u8 *head, u32 at, bool zeroes)
{
	u32 i;

	for (i = at; i < SSDUP_SECTOR_BYTES && i - at < U8_MAX && !head[i] == zeroes; i++)
		;
	return i - at;
}

/* Return: how many bytes of the head that is. */
static u32 pack(const u8 *head, u8 *out, u32 room)
{
	u32 at = 0, zeroes, bytes;

	while (at < SSDUP_SECTOR_BYTES) {
		zeroes = run_of(head, at, true);
		if (at + zeroes == SSDUP_SECTOR_BYTES)
			return SSDUP_SECTOR_BYTES;
		if (room <= 2)
			break;
		bytes = min(run_of(head, at + zeroes, false), room - 2);
		*out++ = zeroes;
		*out++ = bytes;
		memcpy(out, head + at + zeroes, bytes);
		out += bytes;
		room -= 2 + bytes;
		at += zeroes + bytes;
	}
	return at;
}

static void unpack(const u8 *in, u32 room, u32 covered, u8 *head)
{
	u32 at = 0, zeroes, bytes;

	memset(head, 0, SSDUP_SECTOR_BYTES);
	while (at < covered && room > 2) {
		zeroes = min_t(u32, in[0], covered - at);
		bytes = min3((u32)in[1], covered - at - zeroes, room - 2);
		memcpy(head + at + zeroes, in + 2, bytes);
		if (!zeroes && !bytes)
			return;
		at += zeroes + bytes;
		in += 2 + bytes;
		room -= 2 + bytes;
	}
}

/* --- The member block --- */

static __le32 member_crc(const struct ssdup_member *d)
{
	struct ssdup_member copy = *d;

	copy.crc = 0;
	return cpu_to_le32(crc32c(~0U, &copy, sizeof(copy)));
}

void ssdup_member_encode(struct guard_member *m, void *sector)
{
	u32 start = pack_start(m->changing), i;
	struct ssdup_member *d = sector;
	__le32 crc;

	memset(d, 0, sizeof(*d));
	d->magic = cpu_to_le64(SSDUP_MEMBER_MAGIC);
	d->version = cpu_to_le16(SSDUP_MEMBER_VERSION);
	d->flags = cpu_to_le16(m->changing ? SSDUP_MEMBER_CHANGING : 0);
	memcpy(d->uuid, m->uuid, sizeof(d->uuid));
	memcpy(d->pool, m->pool, sizeof(d->pool));
	d->epoch = cpu_to_le64(m->epoch);
	d->hdd_sectors = cpu_to_le64(m->hdd_sectors);
	for (i = 0; m->changing && i < SSDUP_GUARD_BLOCKS; i++) {
		crc = cpu_to_le32(m->crc[i]);
		memcpy(d->body + i * sizeof(crc), &crc, sizeof(crc));
	}
	m->covered = pack(m->head, d->body + start, SSDUP_MEMBER_BODY - start);
	d->covered = cpu_to_le16(m->covered);
	d->crc = member_crc(d);
}

enum log_fault ssdup_member_decode(const void *sector, struct guard_member *m)
{
	const struct ssdup_member *d = sector;
	u32 start, i;
	__le32 crc;

	if (le64_to_cpu(d->magic) != SSDUP_MEMBER_MAGIC)
		return LOG_NOT_OURS;
	if (d->crc != member_crc(d))
		return LOG_BAD_CRC;
	if (le16_to_cpu(d->version) != SSDUP_MEMBER_VERSION)
		return LOG_UNKNOWN_VERSION;
	memcpy(m->uuid, d->uuid, sizeof(m->uuid));
	memcpy(m->pool, d->pool, sizeof(m->pool));
	m->epoch = le64_to_cpu(d->epoch);
	m->hdd_sectors = le64_to_cpu(d->hdd_sectors);
	m->changing = le16_to_cpu(d->flags) & SSDUP_MEMBER_CHANGING;
	m->covered = min_t(u32, le16_to_cpu(d->covered), SSDUP_SECTOR_BYTES);
	start = pack_start(m->changing);
	for (i = 0; m->changing && i < SSDUP_GUARD_BLOCKS; i++) {
		memcpy(&crc, d->body + i * sizeof(crc), sizeof(crc));
		m->crc[i] = le32_to_cpu(crc);
	}
	unpack(d->body + start, SSDUP_MEMBER_BODY - start, m->covered, m->head);
	return LOG_OK;
}

/* --- The range --- */

/* A round of splitmix64: it looks like nothing, and each place has its own. */
static u64 stream_word(u64 epoch, u64 word)
{
	u64 z = epoch + (word + 1) * 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* XOR sector @at of the block, which is number @nr. */
static void mask_sector(u64 epoch, u32 nr, u32 at, void *block)
{
	__le64 *word = block + at * SSDUP_SECTOR_BYTES;
	u64 first = (nr * SSDUP_GUARD_BLOCK + at) * (SSDUP_SECTOR_BYTES / sizeof(*word));
	u32 i;

	for (i = 0; i < SSDUP_SECTOR_BYTES / sizeof(*word); i++)
		word[i] ^= cpu_to_le64(stream_word(epoch, first + i));
}

/* The first block begins with the head, which is not masked. */
static u32 first_masked(u32 nr)
{
	return nr ? 0 : 1;
}

static void mask_block(u64 epoch, u32 nr, void *block)
{
	u32 at;

	for (at = first_masked(nr); at < SSDUP_GUARD_BLOCK; at++)
		mask_sector(epoch, nr, at, block);
}

u32 ssdup_guard_crc(u32 nr, const void *block)
{
	u32 skip = first_masked(nr) * SSDUP_SECTOR_BYTES;

	return crc32c(~0U, block + skip, GUARD_BLOCK_BYTES - skip);
}

void ssdup_guard_cover(struct guard_member *m, u32 nr, void *block, bool masked)
{
	if (masked)
		mask_block(m->epoch, nr, block);
	if (!nr)
		ssdup_member_encode(m, block);
}

/*
 * Try all ways in which a cut may leave the sectors. From one try to the next, one sector changes:
 * the lowest bit that is set in the counter says which.
 */
static bool heal(const struct guard_member *m, u32 nr, void *block)
{
	u32 first = first_masked(nr), sectors = SSDUP_GUARD_BLOCK - first, i;

	if (ssdup_guard_crc(nr, block) == m->crc[nr])
		return true;
	for (i = 1; i < 1U << sectors; i++) {
		mask_sector(m->epoch, nr, first + __builtin_ctz(i), block);
		if (ssdup_guard_crc(nr, block) == m->crc[nr])
			return true;
	}
	/* The last one is the only one that is not as it was. */
	mask_sector(m->epoch, nr, SSDUP_GUARD_BLOCK - 1, block);
	return false;
}

bool ssdup_guard_uncover(const struct guard_member *m, u32 nr, void *block)
{
	if (!nr)
		memcpy(block, m->head, sizeof(m->head));
	if (m->changing)
		return heal(m, nr, block);
	mask_block(m->epoch, nr, block);
	return true;
}

enum log_fault ssdup_guard_judge(const struct log_super *s, enum log_fault found,
				 const struct guard_member *m, bool empty,
				 enum guard_state *state)
{
	*state = GUARD_OPEN;
	if (found == LOG_NOT_OURS)
		/* The last opening got as far as the head, or the first closing not so far. */
		return s->guard == GUARD_CLOSED && !empty ? LOG_HDD_WRITTEN : LOG_OK;
	if (found != LOG_OK)
		return LOG_HDD_WRITTEN;
	if (memcmp(m->uuid, s->uuid, sizeof(m->uuid)))
		return LOG_HDD_OTHER;
	/* An older copy of the HDD. */
	if (s->guard == GUARD_OPEN || (s->guard_epoch && m->epoch != s->guard_epoch))
		return LOG_HDD_WRITTEN;
	*state = m->changing ? GUARD_CHANGING : GUARD_CLOSED;
	return LOG_OK;
}
