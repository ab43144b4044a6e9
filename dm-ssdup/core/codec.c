// SPDX-License-Identifier: GPL-2.0-only
/* Encodes, decodes and checks all that stands on the SSD, and hands out space of a segment. */
#include <linux/crc32c.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "codec.h"

#define PAIR_SECTORS	(SSDUP_PAGE_SLOTS * SSDUP_PAGE_SECTORS)

/* SSD space for one page: its two slots, and the data of its entries when all writes are 4 KiB. */
#define PAGE_SHARE	(SSDUP_PAGE_ENTRIES * SSDUP_PAGE_SECTORS + PAIR_SECTORS)

/* In bytes, larger sizes would not fit in 64 bits. */
#define MAX_SECTORS	BIT_ULL(54)

/* struct extent has 36 bits for a place on the SSD. */
#define MAX_SSD_SECTORS	BIT_ULL(36)

/* A segment is this part of the SSD, but within these sizes. */
#define SEGMENT_SHARE	1024U
#define SEGMENT_LEAST	8192U	/* 4 MiB */

/* --- Geometry --- */

/* The areas of a segment follow from its size. */
static void divide_segment(struct log_geometry *g)
{
	g->meta_pages = DIV_ROUND_UP(g->segment_sectors - SSDUP_BLOCK_SECTORS, PAGE_SHARE);
	g->data_start = SSDUP_BLOCK_SECTORS + g->meta_pages * PAIR_SECTORS;
	g->data_sectors = g->segment_sectors - g->data_start;
}

static u32 segment_by_size(u64 room)
{
	u64 sectors = rounddown_pow_of_two(max(div_u64(room, SEGMENT_SHARE), 1ULL));

	sectors = clamp_t(u64, sectors, SEGMENT_LEAST, SSDUP_MAX_SEGMENT_SECTORS);
	while (sectors > SSDUP_MIN_SEGMENT_SECTORS &&
	       div_u64(room, sectors) < SSDUP_MIN_SEGMENTS)
		sectors /= 2;
	return sectors;
}

static u64 segments_end(u64 ssd_sectors)
{
	return min(log_home(ssd_sectors, 1), MAX_SSD_SECTORS);
}

bool ssdup_log_spread(struct log_geometry *g, struct log_ssds *ssds, const u64 *ssd_sectors,
		      u32 segment_sectors, u32 block_sectors)
{
	u64 room[SSDUP_MAX_SSDS], all = 0, most, segments = 0;
	u32 i, nr;

	for (i = 0; i < ssds->nr; i++) {
		if (ssd_sectors[i] < 2 * SSDUP_HOME_SECTORS)
			return false;
		room[i] = segments_end(ssd_sectors[i]) - SSDUP_HOME_SECTORS;
		all += room[i];
	}
	all = min(all, MAX_SSD_SECTORS - SSDUP_HOME_SECTORS);
	g->segment_start = SSDUP_HOME_SECTORS;
	g->segment_sectors = segment_sectors ?: segment_by_size(all);
	g->block_sectors = block_sectors;
	g->nr_segments = 0;
	for (i = 0; i < ssds->nr; i++) {
		room[i] = div_u64(room[i], g->segment_sectors);
		segments += room[i];
	}
	/* What a place can say is shared, and each gets at least those that it needs. */
	most = min_t(u64, div_u64(all, g->segment_sectors), SSDUP_MAX_SEGMENTS);
	most = most < segments ? most - (ssds->nr - 1) * LOG_SSD_LEAST : segments;
	for (i = 0; i < ssds->nr; i++) {
		if (room[i] < LOG_SSD_LEAST)
			return false;
		nr = max_t(u64, mul_u64_u64_div_u64(room[i], most, segments), LOG_SSD_LEAST);
		ssds->segments[i] = ssds->nr > 1 ? nr : 0;
		g->nr_segments += nr;
	}
	divide_segment(g);
	return g->nr_segments >= SSDUP_MIN_SEGMENTS;
}

bool ssdup_log_layout(struct log_geometry *g, u64 ssd_sectors, u32 segment_sectors,
		      u32 block_sectors)
{
	struct log_ssds one = { .nr = 1 };

	return ssdup_log_spread(g, &one, &ssd_sectors, segment_sectors, block_sectors);
}

u32 ssdup_log_ssd_room(const struct log_geometry *g, u64 ssd_sectors)
{
	u64 end = segments_end(max(ssd_sectors, 2ULL * SSDUP_HOME_SECTORS));
	u64 all = min_t(u64, div_u64(MAX_SSD_SECTORS - g->segment_start, g->segment_sectors),
			SSDUP_MAX_SEGMENTS);

	return min(div_u64(end - min(end, g->segment_start), g->segment_sectors),
		   all - min_t(u64, all, g->nr_segments));
}

u64 ssdup_log_slot_sector(const struct log_geometry *g, u32 segment, u32 page, u32 slot)
{
	return log_segment_sector(g, segment) + SSDUP_BLOCK_SECTORS +
	       ((u64)page * SSDUP_PAGE_SLOTS + slot) * SSDUP_PAGE_SECTORS;
}

/* --- Space --- */

static u32 share(u64 part, u32 all)
{
	return part < all ? div_u64(part * SSDUP_PCT_ONE, all) : SSDUP_PCT_ONE;
}

u32 ssdup_log_word_fill(u64 word, const struct log_geometry *g)
{
	return max(share(log_word_entries(word), log_segment_entries(g)),
		   share(log_word_sectors(word), g->data_sectors));
}

/* --- Faults --- */

const char *ssdup_log_fault_text(enum log_fault fault)
{
	static const char * const text[LOG_NR_FAULTS] = {
#define SSDUP_FAULT(symbol, number, words)	\
		[LOG_##symbol] = words,
#include "states.h"
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

/* --- Superblock and record --- */

void ssdup_log_super_encode(const struct log_super *s, void *buf)
{
	struct ssdup_super *d = buf;
	u32 i;

	memset(buf, 0, SSDUP_BLOCK_BYTES);
	d->magic = cpu_to_le64(SSDUP_SUPER_MAGIC);
	d->version = cpu_to_le32(SSDUP_VERSION);
	if (s->logs != LOG_FIRST) {
		d->incompat |= cpu_to_le64(SSDUP_INCOMPAT_LOGS);
		d->logs = cpu_to_le64(s->logs);
	}
	if (s->ssds.nr > 1)
		d->incompat |= cpu_to_le64(SSDUP_INCOMPAT_SSDS);
	memcpy(d->uuid, s->pool, sizeof(d->uuid));
	d->seq = cpu_to_le64(s->pool_seq);
	d->ssd_sectors = cpu_to_le64(s->ssd_sectors);
	d->segment_start = cpu_to_le64(s->g.segment_start);
	d->segment_sectors = cpu_to_le32(s->g.segment_sectors);
	d->nr_segments = cpu_to_le32(s->g.nr_segments);
	d->meta_pages = cpu_to_le32(s->g.meta_pages);
	d->nr_ssds = cpu_to_le16(s->ssds.nr);
	d->ssd_index = cpu_to_le16(s->ssds.index);
	for (i = 0; i < SSDUP_MAX_SSDS; i++)
		d->ssd_segments[i] = cpu_to_le32(s->ssds.segments[i]);
	memcpy(d->member, s->ssds.uuid, sizeof(d->member));
	if (s->ssds.made) {
		d->incompat |= cpu_to_le64(SSDUP_INCOMPAT_MOVES);
		d->made_ssds = cpu_to_le16(s->ssds.made);
		memcpy(d->ssd_state, s->ssds.state, sizeof(d->ssd_state));
	}
	if (s->ssds.mirrors)
		d->incompat |= cpu_to_le64(SSDUP_INCOMPAT_MIRRORS);
	d->ssd_mirrors = s->ssds.mirrors;
	d->crc = crc_of(d, sizeof(*d), offsetof(struct ssdup_super, crc));
}

void ssdup_log_record_encode(const struct log_super *s, void *buf)
{
	struct ssdup_record *d = buf;
	u32 i;

	memset(buf, 0, SSDUP_BLOCK_BYTES);
	d->magic = cpu_to_le32(SSDUP_RECORD_MAGIC);
	memcpy(d->pool, s->pool, sizeof(d->pool));
	memcpy(d->uuid, s->uuid, sizeof(d->uuid));
	d->log = cpu_to_le16(s->log);
	d->nr_classes = cpu_to_le16(s->classes.nr);
	d->flags = cpu_to_le32(s->flags);
	d->seq = cpu_to_le64(s->seq);
	d->epoch = cpu_to_le64(s->epoch);
	d->hdd_sectors = cpu_to_le64(s->hdd_sectors);
	d->first = cpu_to_le64(s->first);
	d->block_sectors = cpu_to_le32(s->g.block_sectors);
	d->live_segments = cpu_to_le32(s->live_segments);
	d->live_pages = cpu_to_le64(s->live_pages);
	for (i = 0; i < s->classes.nr; i++)
		d->tail[i] = cpu_to_le64(s->tail[i]);
	if (s->ssds.made) {
		d->nr_ssds = cpu_to_le16(s->classes.nr_ssds);
		d->old_ssds = cpu_to_le16(s->classes.old_ssds);
		d->era = cpu_to_le64(s->classes.era);
	}
	memcpy(d->hdd_id, s->hdd_id, sizeof(d->hdd_id));
	if (!(s->flags & SSDUP_RECORD_CLOSED)) {
		memcpy(d->host, s->host, sizeof(d->host));
		memcpy(d->host_name, s->host_name, sizeof(d->host_name));
	}
	if (s->guard != GUARD_OPEN) {
		d->magic = cpu_to_le32(SSDUP_GUARDED_MAGIC);
		d->guard_epoch = cpu_to_le64(s->guard_epoch);
		d->guard_closed = s->guard == GUARD_CLOSED;
		memcpy(d + 1, s->head, sizeof(s->head));
		d->head_crc = cpu_to_le32(crc32c(~0U, s->head, sizeof(s->head)));
	}
	d->crc = crc_of(d, sizeof(*d), offsetof(struct ssdup_record, crc));
}

u32 ssdup_log_ssd_of(const struct log_ssds *ssds, u32 segment, u32 *first)
{
	u32 ssd = 0;

	for (*first = 0; ssd + 1 < ssds->nr && segment - *first >= ssds->segments[ssd]; ssd++)
		*first += ssds->segments[ssd];
	return ssd;
}

/* No sum or product here wraps, whatever the numbers are. */
static bool geometry_valid(const struct ssdup_super *d, const struct log_super *s)
{
	const struct log_geometry *g = &s->g;
	u64 end = segments_end(s->ssd_sectors);
	u32 here = s->ssds.nr > 1 ? s->ssds.segments[s->ssds.index] : g->nr_segments;

	if (s->ssd_sectors > MAX_SECTORS || s->ssd_sectors < 2 * SSDUP_HOME_SECTORS ||
	    g->segment_start < SSDUP_HOME_SECTORS || g->segment_start > end ||
	    g->segment_start % SSDUP_PAGE_SECTORS)
		return false;
	if (!is_power_of_2(g->segment_sectors) ||
	    g->segment_sectors < SSDUP_MIN_SEGMENT_SECTORS ||
	    g->segment_sectors > SSDUP_MAX_SEGMENT_SECTORS)
		return false;
	if (g->nr_segments < SSDUP_MIN_SEGMENTS || g->nr_segments > SSDUP_MAX_SEGMENTS ||
	    here > div_u64(end - g->segment_start, g->segment_sectors) ||
	    g->nr_segments > div_u64(MAX_SSD_SECTORS - g->segment_start, g->segment_sectors))
		return false;
	/* This version writes no other division of a segment. */
	return le32_to_cpu(d->meta_pages) == g->meta_pages;
}

/* Only a pool of several SSDs says what is on which. */
static bool ssds_valid(const struct log_super *s)
{
	const struct log_ssds *ssds = &s->ssds;
	u64 segments = 0;
	u32 used = 0, i;

	if (!ssds->nr || ssds->nr > SSDUP_MAX_SSDS || ssds->index >= ssds->nr ||
	    ssds->made > ssds->nr || ssds->mirrors >> ssds->nr)
		return false;
	for (i = 0; i < SSDUP_MAX_SSDS; i++) {
		bool named = memchr_inv(ssds->uuid[i], 0, sizeof(ssds->uuid[i]));

		if (named != (ssds->nr > 1 && i < ssds->nr) || named != !!ssds->segments[i])
			return false;
		if (ssds->state[i] >= SSDUP_SSD_STATES || (i >= ssds->nr && ssds->state[i]))
			return false;
		segments += ssds->segments[i];
		used += i < ssds->nr && ssds->state[i] == SSDUP_SSD_USED;
	}
	return used && (ssds->nr == 1 || segments == s->g.nr_segments);
}

static bool has(const struct ssdup_super *d, u64 incompat)
{
	return le64_to_cpu(d->incompat) & incompat;
}

static void ssds_decode(const struct ssdup_super *d, struct log_ssds *ssds)
{
	u32 i;

	ssds->nr = le16_to_cpu(d->nr_ssds);
	ssds->index = le16_to_cpu(d->ssd_index);
	for (i = 0; i < SSDUP_MAX_SSDS; i++)
		ssds->segments[i] = le32_to_cpu(d->ssd_segments[i]);
	memcpy(ssds->uuid, d->member, sizeof(ssds->uuid));
	if (has(d, SSDUP_INCOMPAT_MIRRORS))
		ssds->mirrors = d->ssd_mirrors;
	if (!has(d, SSDUP_INCOMPAT_MOVES))
		return;
	ssds->made = le16_to_cpu(d->made_ssds);
	memcpy(ssds->state, d->ssd_state, sizeof(ssds->state));
}

enum log_fault ssdup_log_super_decode(const void *buf, struct log_super *s)
{
	const struct ssdup_super *d = buf;

	if (!memchr_inv(buf, 0, SSDUP_BLOCK_BYTES))
		return LOG_BLANK;
	if (le64_to_cpu(d->magic) != SSDUP_SUPER_MAGIC)
		return LOG_NOT_OURS;
	if (d->crc != crc_of(d, sizeof(*d), offsetof(struct ssdup_super, crc)))
		return LOG_BAD_CRC;
	if (le32_to_cpu(d->version) != SSDUP_VERSION)
		return LOG_UNKNOWN_VERSION;
	if (le64_to_cpu(d->incompat) & ~SSDUP_INCOMPAT_KNOWN)
		return LOG_UNKNOWN_INCOMPAT;

	memset(s, 0, sizeof(*s));
	memcpy(s->pool, d->uuid, sizeof(s->pool));
	s->pool_seq = le64_to_cpu(d->seq);
	s->logs = d->logs ? le64_to_cpu(d->logs) : LOG_FIRST;
	s->log = ilog2(s->logs & -s->logs);
	s->ssd_sectors = le64_to_cpu(d->ssd_sectors);
	s->g.segment_start = le64_to_cpu(d->segment_start);
	s->g.segment_sectors = le32_to_cpu(d->segment_sectors);
	s->g.nr_segments = le32_to_cpu(d->nr_segments);
	ssds_decode(d, &s->ssds);
	divide_segment(&s->g);
	if (has(d, SSDUP_INCOMPAT_LOGS) != !!(s->logs ^ LOG_FIRST) ||
	    has(d, SSDUP_INCOMPAT_SSDS) != !!(log_nr_ssds(&s->ssds) - 1) ||
	    has(d, SSDUP_INCOMPAT_MOVES) != !!s->ssds.made ||
	    has(d, SSDUP_INCOMPAT_MIRRORS) != !!s->ssds.mirrors)
		return LOG_BAD_GEOMETRY;
	if (!ssds_valid(s) || !geometry_valid(d, s))
		return LOG_BAD_GEOMETRY;
	if (s->pool_seq > LOG_MAX_COUNT)
		return LOG_BAD_GENERATION;

	/* These two come last, since a read-only user may go on. */
	if (!memchr_inv(s->pool, 0, sizeof(s->pool)))
		return LOG_NO_UUID;
	if (le64_to_cpu(d->ro_compat) & ~SSDUP_RO_COMPAT_KNOWN)
		return LOG_UNKNOWN_RO_COMPAT;
	return LOG_OK;
}

bool ssdup_log_super_spent(const struct log_super *s)
{
	return s->seq > LOG_MAX_COUNT || s->epoch > LOG_MAX_COUNT ||
	       log_highest(s) > LOG_MAX_GENERATION;
}

/* What a log has from before it had more SSDs keeps its class, under another number. */
static bool classes_decode(const struct ssdup_record *d, struct log_super *s)
{
	struct log_classes *k = &s->classes;

	*k = (struct log_classes){
		.nr = le16_to_cpu(d->nr_classes),
		.nr_ssds = s->ssds.made ?: log_nr_ssds(&s->ssds),
	};
	if (s->ssds.made && d->nr_ssds) {
		k->nr_ssds = le16_to_cpu(d->nr_ssds);
		k->old_ssds = le16_to_cpu(d->old_ssds);
		k->era = le64_to_cpu(d->era);
	}
	return k->nr && k->nr <= SSDUP_MAX_CLASSES && k->nr_ssds <= log_nr_ssds(&s->ssds) &&
	       k->nr % k->nr_ssds == 0 && k->old_ssds < k->nr_ssds && !k->era == !k->old_ssds &&
	       k->era <= s->first;
}

enum log_fault ssdup_log_record_decode(const void *buf, struct log_super *s)
{
	const struct ssdup_record *d = buf;
	bool guarded = le32_to_cpu(d->magic) == SSDUP_GUARDED_MAGIC;
	u32 i;

	if ((!guarded && le32_to_cpu(d->magic) != SSDUP_RECORD_MAGIC) ||
	    memcmp(d->pool, s->pool, sizeof(d->pool)))
		return LOG_NOT_OURS;
	if (d->crc != crc_of(d, sizeof(*d), offsetof(struct ssdup_record, crc)))
		return LOG_BAD_CRC;
	/* A torn write may have only one of the two sectors. */
	if (guarded && le32_to_cpu(d->head_crc) != crc32c(~0U, d + 1, sizeof(s->head)))
		return LOG_BAD_CRC;
	if (le16_to_cpu(d->log) != s->log)
		return LOG_BAD_GEOMETRY;

	memcpy(s->uuid, d->uuid, sizeof(s->uuid));
	memcpy(s->hdd_id, d->hdd_id, sizeof(s->hdd_id));
	memcpy(s->host, d->host, sizeof(s->host));
	memcpy(s->host_name, d->host_name, sizeof(s->host_name));
	s->guard = !guarded ? GUARD_OPEN : d->guard_closed ? GUARD_CLOSED : GUARD_CHANGING;
	s->guard_epoch = guarded ? le64_to_cpu(d->guard_epoch) : 0;
	memset(s->head, 0, sizeof(s->head));
	if (guarded)
		memcpy(s->head, d + 1, sizeof(s->head));
	s->flags = le32_to_cpu(d->flags);
	s->seq = le64_to_cpu(d->seq);
	s->epoch = le64_to_cpu(d->epoch);
	s->hdd_sectors = le64_to_cpu(d->hdd_sectors);
	s->first = le64_to_cpu(d->first);
	s->g.block_sectors = le32_to_cpu(d->block_sectors);
	s->live_segments = le32_to_cpu(d->live_segments);
	s->live_pages = le64_to_cpu(d->live_pages);
	if (!s->hdd_sectors || s->hdd_sectors > MAX_SECTORS || !classes_decode(d, s) ||
	    !is_power_of_2(s->g.block_sectors) ||
	    s->g.block_sectors > SSDUP_PAGE_SECTORS)
		return LOG_BAD_GEOMETRY;
	for (i = 0; i < s->classes.nr; i++) {
		s->tail[i] = le64_to_cpu(d->tail[i]);
		if (!s->tail[i])
			return LOG_BAD_GENERATION;
	}
	if (!s->first || ssdup_log_super_spent(s))
		return LOG_BAD_GENERATION;
	return memchr_inv(s->uuid, 0, sizeof(s->uuid)) ? LOG_OK : LOG_NO_UUID;
}

/* Was the copy refused although its checksum is right? */
static bool refused(enum log_fault fault)
{
	return fault != LOG_OK && fault != LOG_BLANK && fault != LOG_NOT_OURS &&
	       fault != LOG_BAD_CRC;
}

enum log_fault ssdup_log_pick(bool record, const enum log_fault fault[SSDUP_COPIES],
			      const struct log_super copy[SSDUP_COPIES], u32 *best, bool *mend)
{
	u64 seq0 = record ? copy[0].seq : copy[0].pool_seq;
	u64 seq1 = record ? copy[1].seq : copy[1].pool_seq;

	*best = 0;
	*mend = false;
	if (!record && (fault[0] == LOG_BLANK || fault[0] == LOG_NOT_OURS))
		return fault[1] == LOG_BLANK || fault[1] == LOG_NOT_OURS ? fault[0] :
									   LOG_OVERWRITTEN;
	if (refused(fault[0]) || refused(fault[1]))
		return refused(fault[0]) ? fault[0] : fault[1];
	if (fault[0] != LOG_OK && fault[1] != LOG_OK)
		return record ? LOG_NO_RECORD : fault[0];
	if (fault[0] != LOG_OK || fault[1] != LOG_OK) {
		*best = fault[0] != LOG_OK;
		*mend = true;
		return LOG_OK;
	}
	if (record ? memcmp(copy[0].uuid, copy[1].uuid, sizeof(copy[0].uuid)) :
		     memcmp(copy[0].pool, copy[1].pool, sizeof(copy[0].pool)))
		return LOG_TWO_LOGS;
	*best = seq1 > seq0;
	*mend = seq1 != seq0;
	return LOG_OK;
}

enum log_fault ssdup_log_super_fits(const struct log_super *s, u64 hdd_sectors,
				    u64 ssd_sectors, u32 block_sectors, const u8 *host)
{
	if (hdd_sectors < s->hdd_sectors)
		return LOG_OTHER_HDD_SIZE;
	if (ssd_sectors < s->ssd_sectors)
		return LOG_OTHER_SSD_SIZE;
	if (block_sectors > s->g.block_sectors)
		return LOG_BLOCK_SIZE;
	if (host && log_of_other_host(s, host))
		return LOG_OTHER_HOST;
	return LOG_OK;
}

void ssdup_log_super_fresh(struct log_super *s, const u8 pool[16], const u8 uuid[16],
			   const struct log_geometry *g, u64 hdd_sectors, u64 ssd_sectors)
{
	memset(s, 0, sizeof(*s));
	memcpy(s->pool, pool, sizeof(s->pool));
	memcpy(s->uuid, uuid, sizeof(s->uuid));
	s->hdd_sectors = hdd_sectors;
	s->ssd_sectors = ssd_sectors;
	s->ssds.nr = 1;
	s->g = *g;
	s->logs = LOG_FIRST;
	ssdup_log_classes(s, 1, 1);
	s->first = 1;
}

void ssdup_log_classes(struct log_super *s, u32 lifetimes, u64 tail)
{
	u32 i;

	s->classes = (struct log_classes){
		.nr = lifetimes * log_nr_ssds(&s->ssds), .nr_ssds = log_nr_ssds(&s->ssds),
	};
	memset(s->tail, 0, sizeof(s->tail));
	for (i = 0; i < s->classes.nr; i++)
		s->tail[i] = tail;
}

/* --- Segment headers --- */

void ssdup_log_header_encode(const struct log_super *s, const struct log_header *h, void *buf)
{
	struct ssdup_header *d = buf;
	u32 i;

	memset(buf, 0, SSDUP_BLOCK_BYTES);
	d->magic = cpu_to_le32(SSDUP_HEADER_MAGIC);
	memcpy(d->pool, s->pool, sizeof(d->pool));
	memcpy(d->uuid, s->uuid, sizeof(d->uuid));
	d->generation = cpu_to_le64(h->generation);
	d->epoch = cpu_to_le64(h->epoch);
	d->segment = cpu_to_le32(h->segment);
	d->log = cpu_to_le16(s->log);
	d->class = cpu_to_le16(log_class(&s->classes, h->generation));
	d->hdd_sectors = cpu_to_le64(s->hdd_sectors);
	d->first = cpu_to_le64(s->first);
	d->segment_sectors = cpu_to_le32(s->g.segment_sectors);
	d->nr_segments = cpu_to_le32(s->g.nr_segments);
	d->block_sectors = cpu_to_le32(s->g.block_sectors);
	d->nr_classes = cpu_to_le16(s->classes.nr);
	/* A tail may rise meanwhile. */
	for (i = 0; i < s->classes.nr; i++)
		d->tail[i] = cpu_to_le64(READ_ONCE(s->tail[i]));
	memcpy(d->hdd_id, s->hdd_id, sizeof(d->hdd_id));
	d->crc = crc_of(d, sizeof(*d), offsetof(struct ssdup_header, crc));
}

enum log_fault ssdup_log_header_check(const void *buf, const u8 pool[16], u32 number, u32 segment)
{
	const struct ssdup_header *d = buf;

	if (le32_to_cpu(d->magic) != SSDUP_HEADER_MAGIC ||
	    memcmp(d->pool, pool, sizeof(d->pool)) ||
	    le32_to_cpu(d->segment) != segment || le16_to_cpu(d->log) != number)
		return LOG_HEADER_STALE;
	if (d->crc != crc_of(d, sizeof(*d), offsetof(struct ssdup_header, crc)))
		return LOG_BAD_CRC;
	return LOG_OK;
}

enum log_fault ssdup_log_header_decode(const void *buf, const struct log_super *s, u32 segment,
				       struct log_header *h)
{
	const struct ssdup_header *d = buf;
	enum log_fault fault;
	u32 first, class;

	if (memcmp(d->uuid, s->uuid, sizeof(d->uuid)))
		return LOG_HEADER_STALE;
	fault = ssdup_log_header_check(buf, s->pool, s->log, segment);
	if (fault != LOG_OK)
		return fault;

	h->generation = le64_to_cpu(d->generation);
	h->epoch = le64_to_cpu(d->epoch);
	h->segment = segment;
	if (!h->generation || h->generation > LOG_MAX_GENERATION)
		return LOG_BAD_GENERATION;
	/* The log may have had another number of classes before it was empty. */
	class = log_class(&s->classes, h->generation);
	if (log_live(s, h->generation) &&
	    (le16_to_cpu(d->class) != h->generation % log_class_step(&s->classes, h->generation) ||
	     log_class_ssd(max(s->classes.nr_ssds, 1U), class) !=
	     ssdup_log_ssd_of(&s->ssds, segment, &first)))
		return LOG_BAD_GENERATION;
	/* The record's epoch is durable before the first header of that epoch is written. */
	return h->epoch > s->epoch ? LOG_EPOCH : LOG_OK;
}

/* --- Metadata pages --- */

void ssdup_log_page_begin(struct ssdup_page *p, const struct log_page_id *id)
{
	memset(p, 0, sizeof(*p));
	p->h.magic = cpu_to_le32(SSDUP_PAGE_MAGIC);
	memcpy(p->h.uuid, id->uuid, sizeof(p->h.uuid));
	p->h.generation = cpu_to_le64(id->generation);
	p->h.epoch = cpu_to_le64(id->epoch);
	p->h.rev = cpu_to_le64(id->rev);
	p->h.page = cpu_to_le32(id->page);
	p->h.segment = cpu_to_le32(id->segment);
	p->h.number = cpu_to_le32(id->number);
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
	p->h.crc = crc_of(p, sizeof(*p), offsetof(struct ssdup_page, h.crc));
}

enum log_fault ssdup_log_page_check(const struct ssdup_page *p, const struct log_page_id *want)
{
	if (le32_to_cpu(p->h.magic) != SSDUP_PAGE_MAGIC ||
	    memcmp(p->h.uuid, want->uuid, sizeof(p->h.uuid)) ||
	    le64_to_cpu(p->h.generation) != want->generation ||
	    le64_to_cpu(p->h.epoch) != want->epoch ||
	    le32_to_cpu(p->h.page) != want->page ||
	    le32_to_cpu(p->h.segment) != want->segment)
		return LOG_PAGE_STALE;
	if (p->h.crc != crc_of(p, sizeof(*p), offsetof(struct ssdup_page, h.crc)))
		return LOG_BAD_CRC;
	if (le16_to_cpu(p->h.nr_entries) > SSDUP_PAGE_ENTRIES)
		return LOG_PAGE_BAD_COUNT;
	return LOG_OK;
}

/*
 * Is @p the first page of a live segment? Those that this epoch has opened are all below the last
 * bound, because each has another place. A log of the same UUID, long ago, may have left others.
 */
static bool page_live(const struct ssdup_page *p, const struct log_super *s, u32 segment)
{
	struct log_page_id want = {
		.generation = le64_to_cpu(p->h.generation), .epoch = le64_to_cpu(p->h.epoch),
		.segment = segment,
	};

	memcpy(want.uuid, s->uuid, sizeof(want.uuid));
	return log_live(s, want.generation) && want.epoch <= s->epoch &&
	       want.generation < log_highest(s) + (u64)s->classes.nr * s->g.nr_segments &&
	       ssdup_log_page_check(p, &want) == LOG_OK;
}

enum log_fault ssdup_log_head_decode(const void *head, const struct log_super *s, u32 segment,
				     struct log_header *h)
{
	enum log_fault fault = ssdup_log_header_decode(head, s, segment, h);
	const struct ssdup_page *slots = head + SSDUP_BLOCK_BYTES;

	if ((fault == LOG_HEADER_STALE || fault == LOG_BAD_CRC) &&
	    (page_live(&slots[0], s, segment) || page_live(&slots[1], s, segment)))
		return LOG_SEGMENT_GAP;
	return fault;
}
