// SPDX-License-Identifier: GPL-2.0-only
#include <linux/crc32c.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "log.h"

#define PAIR_SECTORS	(SSDUP_PAGE_SLOTS * SSDUP_PAGE_SECTORS)

/* SSD space for one page: its two slots, and the data of its entries when all writes are 4 KiB. */
#define PAGE_SHARE	(SSDUP_PAGE_ENTRIES * SSDUP_PAGE_SECTORS + PAIR_SECTORS)

/* The word has 29 bits for entries, and a position of their data has 32. */
#define MAX_META_PAGES	((u32)(GENMASK(28, 0) / SSDUP_PAGE_ENTRIES))

/* In bytes, larger sizes would not fit in 64 bits. */
#define MAX_SECTORS	BIT_ULL(54)

#define RESERVE_SHARE	64U
#define RESERVE_SECTORS	256U
#define RESERVE_ENTRIES	((u32)SSDUP_PAGE_ENTRIES)

/* --- Geometry --- */

bool ssdup_log_layout(struct log_geometry *g, u64 ssd_sectors, u32 nr_halves, u32 block_sectors)
{
	u64 stride;

	if (ssd_sectors < SSDUP_HEAD_SECTORS || nr_halves < SSDUP_MIN_HALVES ||
	    nr_halves > SSDUP_MAX_HALVES)
		return false;

	stride = div_u64(ssd_sectors - SSDUP_HEAD_SECTORS, nr_halves);
	stride = min(stride, (u64)MAX_META_PAGES * PAGE_SHARE);
	stride -= stride % SSDUP_PAGE_SECTORS;
	if (stride < LOG_MIN_STRIDE)
		return false;

	g->half_start = SSDUP_HEAD_SECTORS;
	g->half_stride = stride;
	g->meta_pages = div_u64(stride + PAGE_SHARE - 1, PAGE_SHARE);
	g->data_sectors = stride - (u64)g->meta_pages * PAIR_SECTORS;
	g->block_sectors = block_sectors;
	g->nr_halves = nr_halves;
	return true;
}

u64 ssdup_log_slot_sector(const struct log_geometry *g, u32 half, u32 page, u32 slot)
{
	return g->half_start + half * g->half_stride +
	       ((u64)page * SSDUP_PAGE_SLOTS + slot) * SSDUP_PAGE_SECTORS;
}

u64 ssdup_log_data_sector(const struct log_geometry *g, u32 half, log_pos_t pos)
{
	return ssdup_log_slot_sector(g, half, g->meta_pages, 0) + from_log_pos(pos);
}

/* --- Space --- */

struct log_limits ssdup_log_limits_all(const struct log_geometry *g)
{
	return (struct log_limits){
		.entries = g->meta_pages * SSDUP_PAGE_ENTRIES,
		.sectors = g->data_sectors,
	};
}

static u32 without_reserve(u32 all, u32 least)
{
	return all - min(all, max(all / RESERVE_SHARE, least));
}

struct log_limits ssdup_log_limits_writers(const struct log_geometry *g)
{
	struct log_limits limits = ssdup_log_limits_all(g);

	limits.entries = without_reserve(limits.entries, RESERVE_ENTRIES);
	limits.sectors = without_reserve(limits.sectors, RESERVE_SECTORS);
	return limits;
}

struct log_limits ssdup_log_limits_free(const struct log_limits *all)
{
	return (struct log_limits){
		.entries = all->entries - all->entries / 4,
		.sectors = all->sectors - all->sectors / 4,
	};
}

static u64 ration(u32 what, u64 passed, u64 left)
{
	u32 shift;

	if (passed >= left)
		return what;
	/* Drop low bits of long times: the product with @what must fit in 64 bits. */
	shift = max(ilog2(left), 31) - 31;
	return div64_u64((passed >> shift) * what, left >> shift);
}

u64 ssdup_log_ration(struct log_limits *now, const struct log_limits *all, u64 passed, u64 left)
{
	u32 entries = all->entries - now->entries, sectors = all->sectors - now->sectors, part;
	u64 used = passed;

	/* Entries are fewer than sectors, so whole entries measure the time used. */
	if (entries) {
		part = ration(entries, passed, left);
		if (!part)
			return 0;
		if (part < entries)
			used = min(passed, div_u64(left, entries) * part);
		now->entries += part;
	}
	now->sectors += min_t(u64, sectors, ration(sectors, used, left));
	return max(used, 1ULL);
}

static bool ration_is_enough(struct log_limits now, const struct log_limits *all, u64 word,
			     u32 sectors, u64 passed, u64 left)
{
	u64 next;

	ssdup_log_ration(&now, all, passed, left);
	return log_word_reserve(word, &now, sectors, &next);
}

u64 ssdup_log_ration_wait(const struct log_limits *now, const struct log_limits *all, u64 word,
			  u32 sectors, u64 left)
{
	u64 low = 0, high = left, middle;

	if (!ration_is_enough(*now, all, word, sectors, left, left))
		return U64_MAX;
	/* The ration grows with the time, so a binary search finds the border. */
	while (low < high) {
		middle = low + (high - low) / 2;
		if (ration_is_enough(*now, all, word, sectors, middle, left))
			high = middle;
		else
			low = middle + 1;
	}
	return high;
}

u32 ssdup_log_longest_write(const struct log_geometry *g)
{
	return rounddown_pow_of_two(max(ssdup_log_limits_writers(g).sectors / 4, 1U));
}

static u32 share(u64 part, u32 all)
{
	return part < all ? div_u64(part * SSDUP_PCT_ONE, all) : SSDUP_PCT_ONE;
}

u32 ssdup_log_word_fill(u64 word, const struct log_limits *limits)
{
	return max(share(log_word_entries(word), limits->entries),
		   share(log_word_sectors(word), limits->sectors));
}

/* --- Faults --- */

const char *ssdup_log_fault_text(enum log_fault fault)
{
	static const char * const text[LOG_NR_FAULTS] = {
		[LOG_OK]		= "no fault",
		[LOG_BLANK]		= "blank",
		[LOG_NOT_OURS]		= "not a dm-ssdup superblock",
		[LOG_BAD_CRC]		= "checksum mismatch",
		[LOG_NEWER_VERSION]	= "unknown format version",
		[LOG_UNKNOWN_INCOMPAT]	= "unknown incompatible feature",
		[LOG_UNKNOWN_RO_COMPAT]	= "unknown feature that forbids writing",
		[LOG_BAD_GEOMETRY]	= "impossible geometry",
		[LOG_BAD_GENERATION]	= "generation zero, used twice or out of range",
		[LOG_OTHER_HDD_SIZE]	= "made for an HDD of another size",
		[LOG_OTHER_SSD_SIZE]	= "made for a larger SSD",
		[LOG_BLOCK_SIZE]	= "made for smaller logical blocks",
		[LOG_PAGE_STALE]	= "page of another log, generation or place",
		[LOG_PAGE_BAD_COUNT]	= "page with too many entries",
		[LOG_ENTRY_KIND]	= "entry of unknown kind or flags",
		[LOG_ENTRY_EMPTY]	= "entry without sectors or sequence number",
		[LOG_ENTRY_OUTSIDE_HDD]	= "entry outside the HDD",
		[LOG_ENTRY_OUTSIDE_LOG]	= "entry outside the log",
		[LOG_ENTRY_UNALIGNED]	= "entry not aligned to the block size",
		[LOG_PAGE_EPOCH]	= "page of an epoch yet to come",
		[LOG_PAGES_MISSING]	= "not the pages that the last suspend counted",
		[LOG_TWO_LOGS]		= "copies of the superblock are of two logs",
		[LOG_NO_UUID]		= "the UUID is nil",
		[LOG_PAGES_GAP]		= "a page that was durable is damaged",
	};

	if ((u32)fault >= LOG_NR_FAULTS || !text[fault])
		return "unknown fault";
	return text[fault];
}

/* crc32c of @len bytes, as if the crc field at offset @at were zero. */
static __le32 crc_of(const void *p, size_t len, size_t at)
{
	static const __le32 zero;
	u32 crc = crc32c(~0, p, at);

	at += sizeof(zero);
	crc = crc32c(crc, &zero, sizeof(zero));
	return cpu_to_le32(crc32c(crc, p + at, len - at));
}

/* --- Superblock --- */

static __le32 super_crc(const struct ssdup_super *d)
{
	return crc_of(d, sizeof(*d), offsetof(struct ssdup_super, crc));
}

void ssdup_log_super_encode(const struct log_super *s, void *buf)
{
	struct ssdup_super *d = buf;
	u32 i;

	memset(buf, 0, SSDUP_SUPER_BYTES);
	d->magic = cpu_to_le64(SSDUP_SUPER_MAGIC);
	d->version = cpu_to_le32(SSDUP_VERSION);
	d->compat = cpu_to_le64(SSDUP_COMPAT_PAGES);
	memcpy(d->uuid, s->uuid, sizeof(d->uuid));
	d->seq = cpu_to_le64(s->seq);
	d->epoch = cpu_to_le64(s->epoch);
	d->hdd_sectors = cpu_to_le64(s->hdd_sectors);
	d->ssd_sectors = cpu_to_le64(s->ssd_sectors);
	d->half_start = cpu_to_le64(s->g.half_start);
	d->half_stride = cpu_to_le64(s->g.half_stride);
	d->meta_pages = cpu_to_le32(s->g.meta_pages);
	d->data_sectors = cpu_to_le32(s->g.data_sectors);
	d->block_sectors = cpu_to_le32(s->g.block_sectors);
	d->flags = cpu_to_le32(s->flags);
	d->nr_halves = cpu_to_le16(s->g.nr_halves);
	d->nr_ssds = cpu_to_le16(1);
	for (i = 0; i < s->g.nr_halves; i++) {
		d->half[i].generation = cpu_to_le64(s->generation[i]);
		d->half[i].state = cpu_to_le32(SSDUP_HALF_IN_USE);
		d->half[i].pages = cpu_to_le32(s->pages[i]);
	}
	d->crc = super_crc(d);
}

static void super_read(const struct ssdup_super *d, struct log_super *s)
{
	u32 i;

	memset(s, 0, sizeof(*s));
	memcpy(s->uuid, d->uuid, sizeof(s->uuid));
	s->seq = le64_to_cpu(d->seq);
	s->epoch = le64_to_cpu(d->epoch);
	s->hdd_sectors = le64_to_cpu(d->hdd_sectors);
	s->ssd_sectors = le64_to_cpu(d->ssd_sectors);
	s->g.half_start = le64_to_cpu(d->half_start);
	s->g.half_stride = le64_to_cpu(d->half_stride);
	s->g.meta_pages = le32_to_cpu(d->meta_pages);
	s->g.data_sectors = le32_to_cpu(d->data_sectors);
	s->g.block_sectors = le32_to_cpu(d->block_sectors);
	s->g.nr_halves = le16_to_cpu(d->nr_halves);
	s->flags = le32_to_cpu(d->flags);
	for (i = 0; i < min_t(u32, s->g.nr_halves, SSDUP_MAX_HALVES); i++) {
		s->generation[i] = le64_to_cpu(d->half[i].generation);
		s->pages[i] = le32_to_cpu(d->half[i].pages);
	}
	/* A writer without this feature does not count the pages. */
	if (!(le64_to_cpu(d->compat) & SSDUP_COMPAT_PAGES))
		s->flags &= ~SSDUP_SUPER_CLEAN;
}

/* No sum or product here wraps, whatever the numbers are. */
static bool geometry_valid(const struct log_super *s)
{
	const struct log_geometry *g = &s->g;
	struct log_limits limits;

	if (!s->hdd_sectors || s->hdd_sectors > MAX_SECTORS || s->ssd_sectors > MAX_SECTORS)
		return false;
	if (g->nr_halves < SSDUP_MIN_HALVES || g->nr_halves > SSDUP_MAX_HALVES)
		return false;
	if (!is_power_of_2(g->block_sectors) || g->block_sectors > SSDUP_PAGE_SECTORS)
		return false;

	if (g->half_start < SSDUP_HEAD_SECTORS || g->half_start > s->ssd_sectors)
		return false;
	if (g->half_stride < LOG_MIN_STRIDE ||
	    g->half_stride > div_u64(s->ssd_sectors - g->half_start, g->nr_halves))
		return false;
	if ((g->half_start | g->half_stride) % SSDUP_PAGE_SECTORS)
		return false;

	if (g->meta_pages > MAX_META_PAGES ||
	    (u64)g->meta_pages * PAIR_SECTORS + g->data_sectors > g->half_stride)
		return false;

	limits = ssdup_log_limits_writers(g);
	return limits.entries && limits.sectors / 4 >= SSDUP_PAGE_SECTORS;
}

static bool halves_valid(const struct ssdup_super *d, u32 nr_halves)
{
	u32 i;

	for (i = 0; i < SSDUP_MAX_HALVES; i++) {
		u32 state = i < nr_halves ? SSDUP_HALF_IN_USE : SSDUP_HALF_UNUSED;

		if (le32_to_cpu(d->half[i].state) != state)
			return false;
	}
	return le16_to_cpu(d->nr_ssds) == 1 && !d->ssd_index;
}

bool ssdup_log_super_spent(const struct log_super *s)
{
	u32 i;

	for (i = 0; i < s->g.nr_halves; i++)
		if (s->generation[i] > LOG_MAX_COUNT)
			return true;
	return s->seq > LOG_MAX_COUNT || s->epoch > LOG_MAX_COUNT;
}

static bool generations_valid(const struct log_super *s)
{
	u32 i, j;

	if (ssdup_log_super_spent(s))
		return false;

	for (i = 0; i < s->g.nr_halves; i++) {
		if (!s->generation[i])
			return false;
		for (j = 0; j < i; j++)
			if (s->generation[i] == s->generation[j])
				return false;
	}
	return true;
}

enum log_fault ssdup_log_super_decode(const void *buf, struct log_super *s)
{
	const struct ssdup_super *d = buf;

	if (!memchr_inv(buf, 0, SSDUP_SUPER_BYTES))
		return LOG_BLANK;
	if (le64_to_cpu(d->magic) != SSDUP_SUPER_MAGIC)
		return LOG_NOT_OURS;
	if (d->crc != super_crc(d))
		return LOG_BAD_CRC;
	if (le32_to_cpu(d->version) != SSDUP_VERSION)
		return LOG_NEWER_VERSION;
	if (le64_to_cpu(d->incompat) & ~SSDUP_INCOMPAT_KNOWN)
		return LOG_UNKNOWN_INCOMPAT;

	super_read(d, s);
	if (!geometry_valid(s) || !halves_valid(d, s->g.nr_halves))
		return LOG_BAD_GEOMETRY;
	if (!generations_valid(s))
		return LOG_BAD_GENERATION;

	/* These two come last, since a read-only user may go on. */
	if (!memchr_inv(s->uuid, 0, sizeof(s->uuid)))
		return LOG_NO_UUID;
	if (le64_to_cpu(d->ro_compat) & ~SSDUP_RO_COMPAT_KNOWN)
		return LOG_UNKNOWN_RO_COMPAT;
	return LOG_OK;
}

/* Was the copy refused although its checksum is right? */
static bool refused(enum log_fault fault)
{
	return fault != LOG_OK && fault != LOG_BLANK && fault != LOG_NOT_OURS &&
	       fault != LOG_BAD_CRC;
}

enum log_fault ssdup_log_super_pick(const enum log_fault fault[SSDUP_SUPER_COPIES],
				    const struct log_super copy[SSDUP_SUPER_COPIES],
				    u32 *best, bool *mend)
{
	*best = 0;
	*mend = false;
	if (fault[0] == LOG_BLANK || fault[0] == LOG_NOT_OURS || refused(fault[0]))
		return fault[0];
	if (refused(fault[1]))
		return fault[1];

	if (fault[0] == LOG_OK && fault[1] == LOG_OK) {
		if (memcmp(copy[0].uuid, copy[1].uuid, sizeof(copy[0].uuid)))
			return LOG_TWO_LOGS;
		*best = copy[1].seq > copy[0].seq;
		*mend = copy[1].seq != copy[0].seq;
		return LOG_OK;
	}
	*best = fault[0] != LOG_OK && fault[1] == LOG_OK;
	*mend = true;
	return fault[*best];
}

enum log_fault ssdup_log_super_fits(const struct log_super *s, u64 hdd_sectors,
				    u64 ssd_sectors, u32 block_sectors)
{
	if (hdd_sectors != s->hdd_sectors)
		return LOG_OTHER_HDD_SIZE;
	if (ssd_sectors < s->ssd_sectors)
		return LOG_OTHER_SSD_SIZE;
	if (block_sectors > s->g.block_sectors)
		return LOG_BLOCK_SIZE;
	return LOG_OK;
}

void ssdup_log_super_fresh(struct log_super *s, const u8 uuid[16], const struct log_geometry *g,
			   u64 hdd_sectors, u64 ssd_sectors)
{
	u32 i;

	memset(s, 0, sizeof(*s));
	memcpy(s->uuid, uuid, sizeof(s->uuid));
	s->hdd_sectors = hdd_sectors;
	s->ssd_sectors = ssd_sectors;
	s->g = *g;
	for (i = 0; i < g->nr_halves; i++)
		s->generation[i] = i + 1;
}

u64 ssdup_log_next_generation(const struct log_super *s)
{
	u64 highest = 0;
	u32 i;

	for (i = 0; i < s->g.nr_halves; i++)
		highest = max(highest, s->generation[i]);
	return highest + 1;
}

/* --- Metadata pages --- */

static __le32 page_crc(const struct ssdup_page *p)
{
	return crc_of(p, sizeof(*p), offsetof(struct ssdup_page, h.crc));
}

void ssdup_log_page_begin(struct ssdup_page *p, const struct log_page_id *id)
{
	memset(p, 0, sizeof(*p));
	p->h.magic = cpu_to_le32(SSDUP_PAGE_MAGIC);
	memcpy(p->h.uuid, id->uuid, sizeof(p->h.uuid));
	p->h.generation = cpu_to_le64(id->generation);
	p->h.epoch = cpu_to_le64(id->epoch);
	p->h.rev = cpu_to_le64(id->rev);
	p->h.page = cpu_to_le32(id->page);
	p->h.half = cpu_to_le16(id->half);
}

void ssdup_log_page_append(struct ssdup_page *p, const struct ssdup_entry *e, u32 nr)
{
	u16 at = le16_to_cpu(p->h.nr_entries);

	memcpy(&p->e[at], e, nr * sizeof(*e));
	p->h.nr_entries = cpu_to_le16(at + nr);
}

void ssdup_log_page_add(struct ssdup_page *p, const struct log_entry *e)
{
	struct ssdup_entry d = { .kind = e->kind };

	log_entry_encode(&d, e->sector, e->seq, e->sectors, e->pos);
	ssdup_log_page_append(p, &d, 1);
}

void ssdup_log_page_finish(struct ssdup_page *p)
{
	p->h.crc = page_crc(p);
}

enum log_fault ssdup_log_page_check(const struct ssdup_page *p, const struct log_page_id *want)
{
	if (le32_to_cpu(p->h.magic) != SSDUP_PAGE_MAGIC ||
	    memcmp(p->h.uuid, want->uuid, sizeof(p->h.uuid)) ||
	    le64_to_cpu(p->h.generation) != want->generation ||
	    le32_to_cpu(p->h.page) != want->page ||
	    le16_to_cpu(p->h.half) != want->half)
		return LOG_PAGE_STALE;
	if (p->h.crc != page_crc(p))
		return LOG_BAD_CRC;
	if (le16_to_cpu(p->h.nr_entries) > SSDUP_PAGE_ENTRIES)
		return LOG_PAGE_BAD_COUNT;
	/* The superblock's epoch is durable before the first page of that epoch is written. */
	if (log_page_epoch(p) > want->epoch)
		return LOG_PAGE_EPOCH;
	return LOG_OK;
}
