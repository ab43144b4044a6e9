// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: superblocks.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uuid/uuid.h>

#include "dm-ssdup/core/replay.h"
#include "super.h"

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

int ssd_log_read(int fd, struct ssd_log *log)
{
	void *buf = xpages(SSDUP_SUPER_BYTES);
	u32 i;

	memset(log, 0, sizeof(*log));
	for (i = 0; i < SSDUP_SUPER_COPIES; i++) {
		log->error[i] = read_all(fd, buf, SSDUP_SUPER_BYTES,
					 SSDUP_SUPER_SECTOR(i) * SECTOR_BYTES);
		log->copy_fault[i] = log->error[i] ? LOG_BAD_CRC :
				     ssdup_log_super_decode(buf, &log->copy[i]);
	}
	free(buf);
	if (log->error[0] && log->error[1])
		return log->error[0];
	log->fault = ssdup_log_super_pick(log->copy_fault, log->copy, &log->best, &log->mend);
	return 0;
}

int ssd_log_write(int fd, const struct log_super *s)
{
	void *buf = xpages(SSDUP_SUPER_BYTES);
	u32 i;
	int r = 0;

	ssdup_log_super_encode(s, buf);
	for (i = SSDUP_SUPER_COPIES; i-- && !r;) {
		r = write_all(fd, buf, SSDUP_SUPER_BYTES, SSDUP_SUPER_SECTOR(i) * SECTOR_BYTES);
		if (!r && fsync(fd))
			r = -errno;
	}
	free(buf);
	return r;
}

int ssd_log_wipe(int fd)
{
	size_t bytes = SSDUP_HEAD_SECTORS * SECTOR_BYTES;
	void *zeros = xpages(bytes);
	int r;

	/* The first copy first: blank, it says that this is no log, whatever follows. */
	r = write_all(fd, zeros, SSDUP_SUPER_BYTES, 0);
	if (!r && fsync(fd))
		r = -errno;
	r = r ?: write_all(fd, zeros, bytes, 0);
	if (!r && fsync(fd))
		r = -errno;
	free(zeros);
	return r;
}

/* Of this generation, whatever else may be wrong with it: 1, 0 or -errno. */
static int page_used(int fd, const struct log_super *s, const struct log_page_id *id,
		     struct ssdup_page *slots)
{
	int r, used = 0;
	u32 slot;

	r = read_all(fd, slots, SSDUP_PAGE_SLOTS * sizeof(*slots),
		     ssdup_log_slot_sector(&s->g, id->half, id->page, 0) * SECTOR_BYTES);
	for (slot = 0; slot < SSDUP_PAGE_SLOTS && !r; slot++)
		if (ssdup_log_page_check(&slots[slot], id) != LOG_PAGE_STALE)
			used = 1;
	return r ?: used;
}

int ssd_log_used(int fd, const struct log_super *s)
{
	struct ssdup_page *slots = xpages(SSDUP_PAGE_SLOTS * sizeof(*slots));
	bool clean = s->flags & SSDUP_SUPER_CLEAN;
	struct log_page_id id = { .epoch = s->epoch };
	int used = 0;

	memcpy(id.uuid, s->uuid, sizeof(id.uuid));
	for (id.half = 0; id.half < s->g.nr_halves && !used; id.half++) {
		id.generation = s->generation[id.half];
		id.page = 0;
		used = clean && s->pages[id.half] ? 1 : page_used(fd, s, &id, slots);
		/* Both versions of the first page may be damaged beyond recognition. */
		for (id.page = 1; !clean && !used && id.page < s->g.meta_pages;
		     id.page = replay_look_on(0, id.page))
			used = page_used(fd, s, &id, slots);
	}
	free(slots);
	return used;
}

const char *super_end_text(const struct log_super *s)
{
	if (!(s->flags & SSDUP_SUPER_CLEAN))
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
