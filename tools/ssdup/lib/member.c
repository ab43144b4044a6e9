// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: the HDD of a log that is not empty.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "identity.h"
#include "member.h"
#include "super.h"

int member_read(int fd, struct member *member)
{
	int r;

	*member = (struct member){ .fault = LOG_NOT_OURS, .range = xpages(MEMBER_BYTES) };
	r = transfer(fd, member->range, MEMBER_BYTES, 0, false);
	if (!r)
		member->fault = ssdup_member_decode(member->range, &member->m);
	/* It is smaller. */
	return r == -EIO && lseek(fd, 0, SEEK_END) < (off_t)MEMBER_BYTES ? 0 : r;
}

void member_of(const struct dev *dev, struct member *member)
{
	int fd = dev_open(dev, O_RDONLY);

	*member = (struct member){ .fault = LOG_NOT_OURS };
	if (fd < 0)
		return;
	member_read(fd, member);
	close(fd);
}

void member_free(struct member *member)
{
	free(member->range);
	member->range = NULL;
}

void member_plain(struct member *member, const unsigned char *head)
{
	unsigned char *block = member->range;
	u32 i;

	if (member->m.covered < SSDUP_SECTOR_BYTES && head)
		memcpy(member->m.head, head, sizeof(member->m.head));
	for (i = 0; i < SSDUP_GUARD_BLOCKS; i++, block += GUARD_BLOCK_BYTES)
		member->bad += !ssdup_guard_uncover(&member->m, i, block);
}

static int put(int fd, const void *buf, size_t len)
{
	return transfer(fd, (void *)buf, len, 0, true) ?: fsync(fd) ? -errno : 0;
}

/* What the HDD is to show of the range, which is plain. */
static int show(int fd, struct member *member, size_t len, bool masked)
{
	unsigned char *out = xpages(MEMBER_BYTES);
	u32 i;
	int r;

	memcpy(out, member->range, len);
	for (i = 0; i < len / GUARD_BLOCK_BYTES; i++)
		ssdup_guard_cover(&member->m, i, out + i * GUARD_BLOCK_BYTES, masked);
	r = put(fd, out, len);
	free(out);
	return r;
}

int member_cover(int fd, struct member *member)
{
	int r = 0;

	/* As long as it is changing, its checksums are of what it has. */
	if (member->m.changing)
		r = show(fd, member, MEMBER_BYTES, true);
	member->m.changing = false;
	return r ?: show(fd, member, GUARD_BLOCK_BYTES, true) ?:
		    show(fd, member, MEMBER_BYTES, true);
}

int member_release(int fd, struct member *member)
{
	struct guard_member *m = &member->m;
	u32 covered = m->covered, i;
	int r = 0;

	if (!m->changing) {
		for (i = 0; i < SSDUP_GUARD_BLOCKS; i++)
			m->crc[i] = ssdup_guard_crc(i, member->range + i * GUARD_BLOCK_BYTES);
		m->changing = true;
		r = show(fd, member, GUARD_BLOCK_BYTES, true);
	}
	r = r ?: show(fd, member, MEMBER_BYTES, false) ?:
	    put(fd, member->range, GUARD_BLOCK_BYTES);
	m->covered = covered;
	return r;
}

char *member_spec(const char *hdd, const char *ssd)
{
	const char *uuid = spec_uuid(ssd);
	char *path = uuid ? xprintf("/dev/disk/by-id/ssdup-hdd-%s", uuid) : NULL;
	struct dev dev;
	int r;

	r = dev_find_quietly(hdd, &dev);
	if (!r)
		dev_free(&dev);
	if (r == EXIT_NOT_FOUND && path && !access(path, F_OK))
		return path;
	free(path);
	return xstrdup(hdd);
}

int member_refuse(const struct ssdup_ctx *ctx, const struct dev *hdd, const unsigned char *uuid)
{
	char log[UUID_TEXT], pool[UUID_TEXT];
	struct member member;
	int r = EXIT_OK;

	member_of(hdd, &member);
	if (member.fault == LOG_OK && (!uuid || memcmp(uuid, member.m.uuid, sizeof(member.m.uuid))))
		r = fail(ctx, EXIT_REFUSED, hdd->path,
			 "is the HDD of log %s on an SSD of pool %s, which holds newer data: give that SSD, or, if that data is given up, see \"ssdup release\"",
			 uuid_text(log, member.m.uuid), uuid_text(pool, member.m.pool));
	member_free(&member);
	return r;
}
