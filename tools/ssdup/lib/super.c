// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: superblocks and records.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uuid/uuid.h>

#include "dm-ssdup/core/replay.h"
#include "dm-ssdup/core/ssds.h"
#include "identity.h"
#include "super.h"

#define GENERATIONS	BIT(24)	/* that one epoch may have opened */

int transfer(int fd, void *buf, size_t len, uint64_t offset, bool write)
{
	ssize_t n;

	for (; len; len -= n, buf = (char *)buf + n, offset += n) {
		n = write ? pwrite(fd, buf, len, offset) : pread(fd, buf, len, offset);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n < 0)
			return -errno;
		else if (!n)
			return -EIO;
	}
	return 0;
}

int read_all(int fd, void *buf, size_t len, uint64_t offset)
{
	return transfer(fd, buf, len, offset, false);
}

int write_all(int fd, const void *buf, size_t len, uint64_t offset)
{
	return transfer(fd, (void *)buf, len, offset, true);
}

const u8 *ssd_uuid(const struct ssd_log *log)
{
	return log->fault == LOG_OK ? ssd_super(log)->uuid : NULL;
}

const char *part_name(enum ssd_part part)
{
	return part == PART_SUPER ? "superblock" : "record";
}

u64 part_sector(u64 ssd_sectors, u32 number, enum ssd_part part, u32 copy)
{
	return part == PART_SUPER ? log_home(ssd_sectors, copy) :
				    log_record_sector(ssd_sectors, number, copy);
}

static u64 size_of(int fd)
{
	off_t end = lseek(fd, 0, SEEK_END);

	return end < 0 ? 0 : end / SECTOR_BYTES;
}

/*
 * @super: the record is of its log, NULL for the superblock itself
 * @sectors: that say where the homes are; set by the superblock
 */
static void read_copies(int fd, u64 *sectors, const struct log_super *super, struct ssd_copies *c)
{
	enum ssd_part part = super ? PART_RECORD : PART_SUPER;
	void *buf = xpages(SSDUP_BLOCK_BYTES);
	u32 i;

	memset(c, 0, sizeof(*c));
	for (i = 0; i < SSDUP_COPIES; i++) {
		/* The SSD may have grown since. */
		if (!super)
			*sectors = i && c->copy_fault[0] == LOG_OK ? c->copy[0].ssd_sectors :
								     size_of(fd);
		c->error[i] = read_all(fd, buf, SSDUP_BLOCK_BYTES,
				       part_sector(*sectors, super ? super->log : 0, part, i) *
				       SECTOR_BYTES);
		if (super)
			c->copy[i] = *super;
		/* A disk without room for a second home has none. */
		if (i && !super && !c->error[0] && *sectors < 2 * SSDUP_HOME_SECTORS) {
			memset(buf, 0, SSDUP_BLOCK_BYTES);
			c->error[i] = 0;
		}
		c->copy_fault[i] = c->error[i] ? LOG_BAD_CRC :
				   super ? ssdup_log_record_decode(buf, &c->copy[i]) :
				   ssdup_log_super_decode(buf, &c->copy[i]);
	}
	free(buf);
	if (!super && c->copy_fault[1] == LOG_OK && !log_at_home(&c->copy[1], *sectors))
		c->copy_fault[1] = LOG_NOT_OURS;
	/* As the kernel: left of making a pool, while copy 0 is of another try. */
	if (!super && c->copy_fault[0] == LOG_OK && c->copy_fault[1] == LOG_OK &&
	    ssds_being_made(&c->copy[1]))
		c->copy_fault[1] = LOG_BAD_CRC;
	c->fault = ssdup_log_pick(super, c->copy_fault, c->copy, &c->best, &c->mend);
	if (!super && c->fault == LOG_OK)
		*sectors = c->copy[c->best].ssd_sectors;
}

/* Of those that are there. */
static u32 newest(const struct ssds *ssds, const struct ssd_found *found)
{
	u32 best = 0, i;

	for (i = 1; i < ssds->nr; i++)
		if (found[i].fault == LOG_OK &&
		    (found[best].fault != LOG_OK || found[i].s->pool_seq > found[best].s->pool_seq))
			best = i;
	return best;
}

/* What the SSDs say of the pool together. Return: 0 or -errno */
static int supers_read(struct ssds *ssds, struct ssd_log *log)
{
	struct ssd_copies *all = xalloc(SSDUP_MAX_SSDS * sizeof(*all)), *c = all;
	struct ssd_found found[SSDUP_MAX_SSDS];
	struct log_super *s;
	u32 i, which = 0;
	int r = 0;

	for (i = 0; i < ssds->nr; i++, c++) {
		found[i].fault = ssds->some ? LOG_BLANK : LOG_SSD_MISSING;
		if (ssds->fd[i] < 0)
			continue;
		read_copies(ssds->fd[i], &ssds->sectors[i], NULL, c);
		r = r ?: c->error[0] && c->error[1] ? c->error[0] : 0;
		found[i] = (struct ssd_found){ c->fault, &c->copy[c->best] };
		log->mend |= c->mend;
	}
	if (ssds->some) {
		which = newest(ssds, found);
		log->fault = found[which].fault;
	} else {
		log->fault = ssdup_ssds_match(found, ssds->nr, &which);
		/* That is the number of another one. */
		if (log->fault == LOG_SSD_MISSING)
			which = newest(ssds, found);
	}
	c = &all[which];
	log->of[PART_SUPER] = c - all;
	log->part[PART_SUPER] = *c;
	log->part[PART_SUPER].fault = log->fault;
	log->ssd_sectors = ssds->sectors[c - all];
	s = &log->part[PART_SUPER].copy[c->best];
	if (log->fault == LOG_OK && !ssds->some) {
		for (i = ssds->nr; i-- > 0; ) {
			if (ssds->fd[i] < 0)
				continue;
			log->mend |= found[i].s->pool_seq != s->pool_seq;
			s->ssd_sectors = ssds->sectors[i];
			s->ssds.index = i;
		}
	}
	free(all);
	return r;
}

/* The newest of all SSDs: each one that has none, or an older one, gets it with the next write. */
static void record_read(const struct ssds *ssds, struct ssd_log *log, const struct log_super *super)
{
	struct ssd_copies *best = &log->part[PART_RECORD], one;
	const struct log_super *a, *b;
	bool any = false;
	u64 sectors;
	u32 i;

	log->mend |= log->part[PART_SUPER].mend;
	log->number = super->log;
	for (i = 0; i < ssds->nr; i++) {
		if (ssds->fd[i] < 0)
			continue;
		sectors = ssds->nr > 1 ? ssds->sectors[i] : super->ssd_sectors;
		read_copies(ssds->fd[i], &sectors, super, &one);
		log->ssd_sectors = ssds->nr > 1 ? log->ssd_sectors : sectors;
		log->mend |= one.mend || one.fault == LOG_NO_RECORD;
		if (!any || best->fault == LOG_NO_RECORD) {
			any = true;
			*best = one;
			log->of[PART_RECORD] = i;
			continue;
		}
		if (one.fault == LOG_NO_RECORD || best->fault != LOG_OK)
			continue;
		a = &best->copy[best->best];
		b = &one.copy[one.best];
		log->mend |= a->seq != b->seq;
		if (one.fault == LOG_OK && memcmp(a->uuid, b->uuid, sizeof(a->uuid))) {
			best->fault = LOG_TWO_LOGS;
		} else if (one.fault != LOG_OK || b->seq > a->seq) {
			*best = one;
			log->of[PART_RECORD] = i;
		}
	}
	log->fault = log->part[PART_SUPER].fault;
	if (log->fault == LOG_OK)
		log->fault = log->part[PART_RECORD].fault;
}

/* "12" */
static bool is_number(const char *name)
{
	return strlen(name) <= 2 && name[strspn(name, "0123456789")] == '\0' && *name;
}

bool log_name_valid(const char *name)
{
	u8 uuid[16];

	return is_number(name) ? atoi(name) < SSDUP_MAX_LOGS : uuid_read(name, uuid);
}

static bool is_named(const struct ssd_log *log, const char *name)
{
	u8 uuid[16];

	if (is_number(name))
		return log->number == (u32)atoi(name);
	return log->part[PART_RECORD].fault == LOG_OK && uuid_read(name, uuid) &&
	       !memcmp(ssd_super(log)->uuid, uuid, sizeof(uuid));
}

void ssd_log_choose(const struct ssds *ssds, struct ssd_log *log, const struct log_super *super,
		    const char *name)
{
	struct log_super s = *super;
	u64 left;

	for (left = s.logs; left; left &= left - 1) {
		s.log = ilog2(left & -left);
		if (!name && s.logs != BIT_ULL(s.log))
			break;
		record_read(ssds, log, &s);
		if (!name || is_named(log, name))
			return;
	}
	memset(&log->part[PART_RECORD], 0, sizeof(log->part[PART_RECORD]));
	log->part[PART_RECORD].fault = LOG_ABSENT;
	log->fault = log->part[PART_SUPER].fault;
	if (log->fault == LOG_OK)
		log->fault = name ? LOG_ABSENT : LOG_SEVERAL;
}

int ssd_log_read(struct ssds *ssds, struct ssd_log *log, const char *name)
{
	const struct ssd_copies *c = &log->part[PART_SUPER];
	int r;

	memset(log, 0, sizeof(*log));
	r = supers_read(ssds, log);
	if (!r && c->fault == LOG_OK)
		ssd_log_choose(ssds, log, &c->copy[c->best], name);
	return r;
}

int ssd_each_log(const struct ssds *ssds, const struct ssd_log *log, const struct log_super *super,
		 int (*fn)(void *arg, const struct ssd_log *log), void *arg)
{
	struct ssd_log one = *log;
	char name[4];
	int r = 0;
	u32 i;

	for (i = 0; i < SSDUP_MAX_LOGS && !r; i++) {
		if (!(super->logs & BIT_ULL(i)))
			continue;
		snprintf(name, sizeof(name), "%u", i);
		ssd_log_choose(ssds, &one, super, name);
		r = fn(arg, &one);
	}
	return r;
}

struct search {
	const u8	*hdd_id;
	struct ssd_log	found;
	u32		nr;
};

static int look_for_hdd(void *arg, const struct ssd_log *log)
{
	struct search *s = arg;

	if (log->fault != LOG_OK || memcmp(ssd_super(log)->hdd_id, s->hdd_id, SSDUP_HDD_ID_BYTES))
		return 0;
	s->found = *log;
	s->nr++;
	return 0;
}

int ssd_log_read_for(struct ssds *ssds, struct ssd_log *log, const char *name,
		     const u8 hdd_id[SSDUP_HDD_ID_BYTES])
{
	struct search s = { .hdd_id = hdd_id };
	int r = ssd_log_read(ssds, log, name);

	if (r || name || log->fault != LOG_SEVERAL || !identity_known(hdd_id))
		return r;
	ssd_each_log(ssds, log, ssd_pool(log), look_for_hdd, &s);
	if (s.nr == 1)
		*log = s.found;
	return 0;
}

const char *spec_uuid(const char *spec)
{
	return strncmp(spec, "UUID=", strlen("UUID=")) ? NULL : spec + strlen("UUID=");
}

enum log_fault log_would_be(const struct log_super *s)
{
	void *buf = xpages(SSDUP_BLOCK_BYTES);
	struct log_super again;
	enum log_fault fault;

	ssdup_log_super_encode(s, buf);
	fault = ssdup_log_super_decode(buf, &again);
	if (fault == LOG_OK) {
		again.log = s->log;
		ssdup_log_record_encode(s, buf);
		fault = ssdup_log_record_decode(buf, &again);
	}
	free(buf);
	return fault;
}

static bool zeros(int fd, u64 from, u64 to)
{
	size_t bytes = (to - from) * SECTOR_BYTES;
	void *buf = xpages(bytes);
	bool all = !read_all(fd, buf, bytes, from * SECTOR_BYTES) && !memchr_inv(buf, 0, bytes);

	free(buf);
	return all;
}

/* But for records: those of a log whose making was cut short. */
static bool home_blank(int fd, u64 ssd_sectors, u32 copy)
{
	u64 home = log_home(ssd_sectors, copy);

	return zeros(fd, home, home + SSDUP_RECORD_PLACE(0)) &&
	       zeros(fd, home + SSDUP_RECORD_PLACE(SSDUP_MAX_LOGS), home + SSDUP_HOME_SECTORS);
}

bool ssd_being_made(int fd)
{
	struct ssds ssds = ssds_some(fd);
	struct ssd_log log;

	return !ssd_log_read(&ssds, &log, NULL) && log.part[PART_SUPER].fault == LOG_OK &&
	       ssds_being_made(ssd_pool(&log));
}

void ssd_blank_read(int fd, struct ssd_log *log)
{
	u64 sectors = size_of(fd);

	if (log->fault == LOG_BLANK && !ssd_being_made(fd) &&
	    !(home_blank(fd, sectors, 0) && home_blank(fd, sectors, 1)))
		log->fault = LOG_NOT_OURS;
}

int ssds_read(const struct ssds *ssds, const struct log_super *s, void *buf, size_t bytes,
	      u64 place)
{
	u32 first, i = ssdup_log_ssd_of(&s->ssds, log_segment_of(&s->g, place), &first);
	u64 sector = place - log_ssd_before(&s->ssds, &s->g, i);

	if (ssds->nr < log_nr_ssds(&s->ssds)) {
		if (i != s->ssds.index)
			return -ENXIO;
		i = 0;
	}
	return ssds->fd[i] < 0 ? -ENXIO :
	       read_all(ssds->fd[i], buf, bytes, sector * SECTOR_BYTES);
}

u32 ssds_fds(const struct ssds *ssds, u32 i, int fd[2])
{
	u32 nr = 0;

	if (ssds->fd[i] >= 0)
		fd[nr++] = ssds->fd[i];
	if (ssds->mirrors & BIT(i))
		fd[nr++] = ssds->fd[ssd_mirror(i)];
	return nr;
}

int ssds_write_block(const struct ssds *ssds, u32 i, const void *buf, u64 sector)
{
	u32 nr, at;
	int fd[2], r = 0;

	nr = ssds_fds(ssds, i, fd);
	for (at = 0; at < nr && !r; at++) {
		r = write_all(fd[at], buf, SSDUP_BLOCK_BYTES, sector * SECTOR_BYTES);
		if (!r && fsync(fd[at]))
			r = -errno;
	}
	return r;
}

int ssd_part_write(const struct ssds *ssds, enum ssd_part part, const struct log_super *s)
{
	void *buf = xpages(SSDUP_BLOCK_BYTES);
	struct log_super one = *s;
	u32 i, n;
	int r = 0;

	/* The first copies come before the second ones. */
	for (n = 0; n < SSDUP_COPIES * ssds->nr && !r; n++) {
		i = n % ssds->nr;
		one.ssds.index = i;
		one.ssd_sectors = ssds->nr > 1 ? ssds->sectors[i] : s->ssd_sectors;
		if (part == PART_SUPER)
			ssdup_log_super_encode(&one, buf);
		else
			ssdup_log_record_encode(&one, buf);
		r = ssds_write_block(ssds, i, buf,
				     part_sector(one.ssd_sectors, s->log, part,
						 n / ssds->nr ^ (part == PART_RECORD)));
	}
	free(buf);
	return r;
}

int ssd_log_write(const struct ssds *ssds, const struct log_super *s)
{
	return ssd_part_write(ssds, PART_RECORD, s) ?: ssd_part_write(ssds, PART_SUPER, s);
}

static int zero(int fd, u64 from, u64 to)
{
	size_t bytes = (to - from) * SECTOR_BYTES;
	void *zeros = xpages(bytes);
	int r = write_all(fd, zeros, bytes, from * SECTOR_BYTES);

	if (!r && fsync(fd))
		r = -errno;
	free(zeros);
	return r;
}

static int zero_home(int fd, u64 ssd_sectors, u32 copy)
{
	u64 home = log_home(ssd_sectors, copy);

	return zero(fd, home, home + SSDUP_HOME_SECTORS);
}

int ssd_home_tidy(int fd, u64 ssd_sectors, u32 copy)
{
	u64 home = log_home(ssd_sectors, copy);

	return zero(fd, home + SSDUP_BLOCK_SECTORS, home + SSDUP_RECORD_PLACE(0)) ?:
	       zero(fd, home + SSDUP_RECORD_PLACE(SSDUP_MAX_LOGS), home + SSDUP_HOME_SECTORS);
}

int ssd_log_wipe(int fd, u64 was)
{
	u64 sectors = size_of(fd);
	int r = 0;

	/*
	 * The second home first: without the first one, the log would seem to be overwritten. The
	 * SSD may have grown or shrunk since.
	 */
	if (was && log_home(was, 1) < log_home(sectors, 1))
		r = zero_home(fd, was, 1);
	return r ?: zero_home(fd, sectors, 1) ?: zero_home(fd, sectors, 0);
}

/* --- Does it hold anything? --- */

/* The blocks at the beginning of a segment: its header, and both slots of the first page. */
struct head {
	u8			header[SSDUP_BLOCK_BYTES];
	struct ssdup_page	page[SSDUP_PAGE_SLOTS];
};

bool generation_possible(const struct log_super *s, u64 generation)
{
	return log_live(s, generation) && generation < log_highest(s) + GENERATIONS &&
	       generation <= LOG_MAX_GENERATION;
}

/* A version of a page of this log that is not free, whatever else may be wrong with it. */
static bool page_used(const struct log_super *s, const struct ssdup_page *slots, u32 segment,
		      u32 page)
{
	struct log_page_id id = { .page = page, .segment = segment };
	u32 slot;

	memcpy(id.uuid, s->uuid, sizeof(id.uuid));
	for (slot = 0; slot < SSDUP_PAGE_SLOTS; slot++) {
		id.generation = le64_to_cpu(slots[slot].h.generation);
		id.epoch = le64_to_cpu(slots[slot].h.epoch);
		if (ssdup_log_page_check(&slots[slot], &id) != LOG_PAGE_STALE &&
		    generation_possible(s, id.generation) && id.epoch <= s->epoch)
			return true;
	}
	return false;
}

/* The rest of a segment whose first page has nothing: 1, 0 or -errno. */
static int pages_used(const struct ssds *ssds, const struct log_super *s, u32 segment,
		      struct head *head)
{
	int r, used = 0;
	u32 page;

	for (page = 1; !used && page < s->g.meta_pages; page = replay_look_on(0, page)) {
		r = ssds_read(ssds, s, head->page, sizeof(head->page),
			      ssdup_log_slot_sector(&s->g, segment, page, 0));
		if (r)
			return r;
		used = page_used(s, head->page, segment, page);
	}
	return used;
}

static int segment_used(const struct ssds *ssds, const struct log_super *s, u32 segment,
			struct head *head)
{
	int r = ssds_read(ssds, s, head, sizeof(*head), log_segment_sector(&s->g, segment));
	struct log_header h;

	if (r)
		return r;
	switch (ssdup_log_header_decode(head->header, s, segment, &h)) {
	case LOG_OK:
		if (!log_live(s, h.generation))
			return 0;
		break;
	case LOG_HEADER_STALE:
		return page_used(s, head->page, segment, 0);
	default:
		break;
	}
	if (page_used(s, head->page, segment, 0))
		return 1;
	return pages_used(ssds, s, segment, head);
}

const char *ssd_state_text(u8 state)
{
	return state == SSDUP_SSD_UNUSED ? ", unused" : state == SSDUP_SSD_LEAVES ? ", leaves" : "";
}

bool segment_exists(const struct log_super *s, u32 segment)
{
	u32 first;

	return s->ssds.state[ssdup_log_ssd_of(&s->ssds, segment, &first)] != SSDUP_SSD_UNUSED;
}

int ssd_log_used(const struct ssds *ssds, const struct log_super *s)
{
	struct head *head = xpages(sizeof(*head));
	int used = 0;
	u32 segment;

	if (s->flags & SSDUP_RECORD_CLOSED)
		used = !!s->live_segments;
	else
		for (segment = 0; segment < s->g.nr_segments && !used; segment++)
			if (segment_exists(s, segment))
				used = segment_used(ssds, s, segment, head);
	free(head);
	return used;
}

const char *super_end_text(const struct log_super *s)
{
	if (!(s->flags & SSDUP_RECORD_CLOSED))
		return "not suspended cleanly";
	return s->seq == 1 ? "never used" : "suspended cleanly";
}

const char *uuid_text(char text[UUID_TEXT], const u8 uuid[16])
{
	uuid_unparse_lower(uuid, text);
	return text;
}

bool uuid_read(const char *text, u8 uuid[16])
{
	return !uuid_parse(text, uuid) && !uuid_is_null(uuid);
}
