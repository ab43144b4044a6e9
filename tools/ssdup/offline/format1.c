// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: a log of format 1, decoded and replayed by the rules of the module that wrote it.
 */
#include <errno.h>
#include <stdlib.h>

#include "format1.h"
#include "lib/wait.h"

#define PAIR_SECTORS	(SSDUP_PAGE_SLOTS * SSDUP_PAGE_SECTORS)
#define PAGE_SHARE	(SSDUP_PAGE_ENTRIES * SSDUP_PAGE_SECTORS + PAIR_SECTORS)
#define MIN_STRIDE	8192U
#define MAX_META_PAGES	((u32)(GENMASK(28, 0) / SSDUP_PAGE_ENTRIES))
#define MAX_SECTORS	BIT_ULL(54)
#define MAX_COUNT	BIT_ULL(62)

/* Writers left a part of each half to blocks that a drain had to move. */
#define RESERVE_SHARE	64U
#define RESERVE_SECTORS	256U
#define RESERVE_ENTRIES	((u32)SSDUP_PAGE_ENTRIES)

static_assert(sizeof(struct f1_super) == 512, "a superblock is one sector");
static_assert(sizeof(struct f1_page) == SSDUP_PAGE_BYTES, "metadata page");

u64 f1_slot_sector(const struct f1_log *f, u32 half, u32 page, u32 slot)
{
	return f->half_start + half * f->half_stride +
	       ((u64)page * SSDUP_PAGE_SLOTS + slot) * SSDUP_PAGE_SECTORS;
}

u64 f1_data_sector(const struct f1_log *f, u32 half, u32 pos)
{
	return f1_slot_sector(f, half, f->meta_pages, 0) + pos;
}

const char *f1_fault_text(enum log_fault fault)
{
	switch (fault) {
	case LOG_EPOCH:
		return "page of an epoch yet to come";
	case LOG_ENTRY_EMPTY:
		return "entry without sectors or sequence number";
	default:
		return ssdup_log_fault_text(fault);
	}
}

/* crc32c as if the field of the checksum, at @at, were zero. */
static __le32 crc_of(const void *p, size_t len, size_t at)
{
	static const __le32 zero;
	u32 crc = crc32c(~0, p, at);

	at += sizeof(zero);
	crc = crc32c(crc, &zero, sizeof(zero));
	return cpu_to_le32(crc32c(crc, (const char *)p + at, len - at));
}

/* --- Superblock --- */

static void super_read(const struct f1_super *d, struct f1_log *f)
{
	u32 i;

	memset(f, 0, sizeof(*f));
	memcpy(f->uuid, d->uuid, sizeof(f->uuid));
	f->seq = le64_to_cpu(d->seq);
	f->epoch = le64_to_cpu(d->epoch);
	f->hdd_sectors = le64_to_cpu(d->hdd_sectors);
	f->ssd_sectors = le64_to_cpu(d->ssd_sectors);
	f->half_start = le64_to_cpu(d->half_start);
	f->half_stride = le64_to_cpu(d->half_stride);
	f->meta_pages = le32_to_cpu(d->meta_pages);
	f->data_sectors = le32_to_cpu(d->data_sectors);
	f->block_sectors = le32_to_cpu(d->block_sectors);
	f->nr_halves = le16_to_cpu(d->nr_halves);
	f->flags = le32_to_cpu(d->flags);
	for (i = 0; i < min(f->nr_halves, F1_MAX_HALVES); i++) {
		f->generation[i] = le64_to_cpu(d->half[i].generation);
		f->pages[i] = le32_to_cpu(d->half[i].pages);
	}
	/* A writer without this feature did not count the pages. */
	if (!(le64_to_cpu(d->compat) & F1_COMPAT_PAGES))
		f->flags &= ~F1_CLEAN;
}

static u32 without_reserve(u32 all, u32 least)
{
	return all - min(all, max(all / RESERVE_SHARE, least));
}

/* No sum or product here wraps, whatever the numbers are. */
static bool geometry_valid(const struct f1_super *d, const struct f1_log *f)
{
	u32 i, state;

	if (!f->hdd_sectors || f->hdd_sectors > MAX_SECTORS || f->ssd_sectors > MAX_SECTORS)
		return false;
	if (f->nr_halves < F1_MIN_HALVES || f->nr_halves > F1_MAX_HALVES)
		return false;
	if (!is_power_of_2(f->block_sectors) || f->block_sectors > SSDUP_PAGE_SECTORS)
		return false;
	if (f->half_start < SSDUP_HEAD_SECTORS || f->half_start > f->ssd_sectors)
		return false;
	if (f->half_stride < MIN_STRIDE ||
	    f->half_stride > (f->ssd_sectors - f->half_start) / f->nr_halves)
		return false;
	if ((f->half_start | f->half_stride) % SSDUP_PAGE_SECTORS)
		return false;
	if (f->meta_pages > MAX_META_PAGES ||
	    (u64)f->meta_pages * PAIR_SECTORS + f->data_sectors > f->half_stride)
		return false;
	if (!without_reserve(f->meta_pages * SSDUP_PAGE_ENTRIES, RESERVE_ENTRIES) ||
	    without_reserve(f->data_sectors, RESERVE_SECTORS) / 4 < SSDUP_PAGE_SECTORS)
		return false;
	for (i = 0; i < F1_MAX_HALVES; i++) {
		state = i < f->nr_halves;
		if (le32_to_cpu(d->half[i].state) != state)
			return false;
	}
	return le16_to_cpu(d->nr_ssds) == 1 && !d->ssd_index;
}

static bool generations_valid(const struct f1_log *f)
{
	u32 i, j;

	if (f->seq > MAX_COUNT || f->epoch > MAX_COUNT)
		return false;
	for (i = 0; i < f->nr_halves; i++) {
		if (!f->generation[i] || f->generation[i] > MAX_COUNT)
			return false;
		for (j = 0; j < i; j++)
			if (f->generation[i] == f->generation[j])
				return false;
	}
	return true;
}

static enum log_fault super_decode(const void *buf, struct f1_log *f)
{
	const struct f1_super *d = buf;

	if (!memchr_inv(buf, 0, SSDUP_BLOCK_BYTES))
		return LOG_BLANK;
	if (le64_to_cpu(d->magic) != SSDUP_SUPER_MAGIC)
		return LOG_NOT_OURS;
	if (d->crc != crc_of(d, sizeof(*d), offsetof(struct f1_super, crc)))
		return LOG_BAD_CRC;
	if (le32_to_cpu(d->version) != F1_VERSION)
		return LOG_UNKNOWN_VERSION;
	if (le64_to_cpu(d->incompat))
		return LOG_UNKNOWN_INCOMPAT;

	super_read(d, f);
	if (!geometry_valid(d, f))
		return LOG_BAD_GEOMETRY;
	if (!generations_valid(f))
		return LOG_BAD_GENERATION;
	if (!memchr_inv(f->uuid, 0, sizeof(f->uuid)))
		return LOG_NO_UUID;
	return le64_to_cpu(d->ro_compat) ? LOG_UNKNOWN_RO_COMPAT : LOG_OK;
}

/* Was the copy refused although its checksum is right? */
static bool refused(enum log_fault fault)
{
	return fault != LOG_OK && fault != LOG_BLANK && fault != LOG_NOT_OURS &&
	       fault != LOG_BAD_CRC;
}

enum log_fault f1_read(struct disk *ssd, struct f1_log *f)
{
	struct f1_log copy[SSDUP_COPIES];
	enum log_fault fault[SSDUP_COPIES];
	void *buf = xpages(SSDUP_BLOCK_BYTES);
	u32 i;

	for (i = 0; i < SSDUP_COPIES; i++)
		fault[i] = disk_read(ssd, buf, SSDUP_SUPER_SECTOR(i), SSDUP_BLOCK_SECTORS) ?
			   LOG_BAD_CRC : super_decode(buf, &copy[i]);
	free(buf);
	/* Copy 0 alone says whose the SSD is. */
	if (fault[0] == LOG_BLANK || fault[0] == LOG_NOT_OURS || refused(fault[0]))
		return fault[0];
	if (refused(fault[1]))
		return fault[1];
	if (fault[0] == LOG_OK && fault[1] == LOG_OK) {
		if (memcmp(copy[0].uuid, copy[1].uuid, sizeof(copy[0].uuid)))
			return LOG_TWO_LOGS;
		*f = copy[copy[1].seq > copy[0].seq];
		return LOG_OK;
	}
	i = fault[0] != LOG_OK;
	*f = copy[i];
	return fault[i];
}

/* --- Pages --- */

static enum log_fault page_check(const struct f1_page *p, const struct f1_log *f, u32 half,
				 u32 page)
{
	if (le32_to_cpu(p->magic) != SSDUP_PAGE_MAGIC ||
	    memcmp(p->uuid, f->uuid, sizeof(p->uuid)) ||
	    le64_to_cpu(p->generation) != f->generation[half] ||
	    le32_to_cpu(p->page) != page || le16_to_cpu(p->half) != half)
		return LOG_PAGE_STALE;
	if (p->crc != crc_of(p, sizeof(*p), offsetof(struct f1_page, crc)))
		return LOG_BAD_CRC;
	if (le16_to_cpu(p->nr_entries) > SSDUP_PAGE_ENTRIES)
		return LOG_PAGE_BAD_COUNT;
	/* The superblock's epoch was durable before the first page of that epoch was written. */
	return le64_to_cpu(p->epoch) > f->epoch ? LOG_EPOCH : LOG_OK;
}

static bool page_newer(const struct f1_page *a, const struct f1_page *b)
{
	if (a->epoch != b->epoch)
		return le64_to_cpu(a->epoch) > le64_to_cpu(b->epoch);
	return le64_to_cpu(a->rev) > le64_to_cpu(b->rev);
}

static enum log_fault newest_slot(const struct f1_page *slots, const struct f1_log *f, u32 half,
				  u32 page, const struct f1_page **newest)
{
	enum log_fault fault, wrong = LOG_OK;
	u32 i;

	*newest = NULL;
	for (i = 0; i < SSDUP_PAGE_SLOTS; i++) {
		fault = page_check(&slots[i], f, half, page);
		if (fault == LOG_PAGE_BAD_COUNT || fault == LOG_EPOCH)
			wrong = fault;
		if (fault == LOG_OK && (!*newest || page_newer(&slots[i], *newest)))
			*newest = &slots[i];
	}
	return wrong;
}

static enum log_fault entry_decode(const struct f1_log *f, const struct ssdup_entry *d,
				   struct log_entry *e)
{
	u32 pos = le32_to_cpu(d->pos);

	*e = log_entry_read(d);
	if (e->kind == SSDUP_KIND_NONE || e->kind > SSDUP_KIND_MAX || d->flags)
		return LOG_ENTRY_KIND;
	if (!e->sectors || !e->seq || e->seq > MAX_COUNT)
		return LOG_ENTRY_EMPTY;
	if (!log_within(e->sector, e->sectors, f->hdd_sectors))
		return LOG_ENTRY_OUTSIDE_HDD;
	if (e->kind == SSDUP_KIND_DATA ? !log_within(pos, e->sectors, f->data_sectors) : pos)
		return LOG_ENTRY_OUTSIDE_LOG;
	if ((e->sector | e->sectors | pos) & (f->block_sectors - 1))
		return LOG_ENTRY_UNALIGNED;
	return LOG_OK;
}

static enum log_fault take_entries(struct log_file *l, const struct f1_log *f, u32 half,
				   const struct f1_page *p)
{
	u32 i, nr = le16_to_cpu(p->nr_entries);
	struct log_item item;
	struct log_entry e;
	enum log_fault fault;

	for (i = 0; i < nr; i++) {
		fault = entry_decode(f, &p->e[i], &e);
		if (fault != LOG_OK)
			return fault;
		item = (struct log_item){
			.sector = e.sector, .seq = e.seq, .sectors = e.sectors, .kind = e.kind,
			.pos = f1_data_sector(f, half, from_log_pos(e.pos)),
		};
		log_item_add(l, &item);
	}
	return LOG_OK;
}

/* --- Replay --- */

/*
 * Does this page show that the one at @gap was durable? Pages were written in their order, at
 * most 16 at once, and a page for the second time only when those in front of it were durable.
 */
static bool page_outlives(const struct f1_page *p, u32 gap, u64 epoch)
{
	return le64_to_cpu(p->epoch) >= epoch &&
	       (le64_to_cpu(p->rev) > 1 || le32_to_cpu(p->page) - gap >= LOG_COMMIT_PAGES);
}

static int read_pair(struct log_file *l, const struct f1_log *f, u32 half, u32 page,
		     struct f1_page *slots)
{
	ticker_show(l->ctx, &l->ticker, l->ssd.path, "page %u of half %u", page, half);
	return disk_read(&l->ssd, slots, f1_slot_sector(f, half, page, 0), PAIR_SECTORS);
}

/* Unlike the module, look at all pages behind the gap. */
static bool gap_is_damage(struct log_file *l, const struct f1_log *f, u32 half, u32 gap, u64 epoch,
			  struct f1_page *slots)
{
	const struct f1_page *p;
	u32 page;

	for (page = gap + 1; page < f->meta_pages; page++) {
		if (read_pair(l, f, half, page, slots))
			continue;
		newest_slot(slots, f, half, page, &p);
		if (p && page_outlives(p, gap, epoch))
			return true;
	}
	return false;
}

static int replay_half(struct log_file *l, const struct f1_log *f, u32 half, struct f1_page *slots,
		       struct f1_fault *fault)
{
	const struct f1_page *p;
	u64 epoch = 0;
	u32 page;
	int r;

	fault->half = half;
	for (page = 0; page < f->meta_pages; page++) {
		fault->page = page;
		r = read_pair(l, f, half, page, slots);
		if (r)
			return r;
		fault->fault = newest_slot(slots, f, half, page, &p);
		if (fault->fault == LOG_OK && (!p || le64_to_cpu(p->epoch) < epoch))
			break;
		if (fault->fault == LOG_OK)
			fault->fault = take_entries(l, f, half, p);
		if (fault->fault != LOG_OK)
			return -EINVAL;
		epoch = le64_to_cpu(p->epoch);
	}
	fault->page = page;
	if (f->flags & F1_CLEAN)
		fault->fault = page != f->pages[half] ? LOG_PAGES_MISSING : LOG_OK;
	else if (gap_is_damage(l, f, half, page, epoch, slots))
		fault->fault = LOG_PAGES_GAP;
	return fault->fault == LOG_OK ? 0 : -EINVAL;
}

/*
 * The lowest generation first: of entries with one seq, which say the same of their overlap,
 * the one in the younger half counts.
 */
int f1_replay(struct log_file *l, const struct f1_log *f, struct f1_fault *fault)
{
	struct f1_page *slots = xpages(SSDUP_PAGE_SLOTS * sizeof(*slots));
	u64 done = 0, next;
	u32 i, nr, half;
	int r = 0;

	*fault = (struct f1_fault){ };
	ticker_begin(&l->ticker);
	for (nr = 0; nr < f->nr_halves && !r; nr++, done = next) {
		for (i = 0, half = 0, next = U64_MAX; i < f->nr_halves; i++)
			if (f->generation[i] > done && f->generation[i] < next) {
				next = f->generation[i];
				half = i;
			}
		r = replay_half(l, f, half, slots, fault);
	}
	ticker_end(&l->ticker);
	free(slots);
	return r;
}
