// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: what a log has not yet written back, written to the HDD or to an image of it,
 * without the module. In the order of the HDD; of each sector, the newest.
 */
#include <unistd.h>

#include "lib/member.h"
#include "lib/wait.h"

#include "data.h"
#include "offline.h"

#define SHOW_MS		300

struct export {
	struct log_file		*l;
	struct disk		*to;
	struct member		*member;	/* what stands in front of @to; or NULL */
	struct export_result	*res;
	bool			bar;
	uint64_t		shown;		/* when */
	struct progress		progress;
};

static void show_progress(struct export *x)
{
	u64 done = x->res->sectors + x->res->lost + x->res->known;
	uint64_t now = now_ms();

	if (!x->bar || now - x->shown < SHOW_MS)
		return;
	x->shown = now;
	progress_update(&x->progress, now, (x->l->sectors - done) * SECTOR_BYTES,
			x->res->sectors * SECTOR_BYTES);
	bar_show(&x->progress);
}

/* --- What is done with it --- */

/* Take off what goes to the range that is masked. Return: its sectors. */
static u64 put_behind(struct export *x, u64 start, u64 sectors, const void *buf)
{
	u64 part = x->member && start < SSDUP_GUARD_SECTORS ?
		   min(sectors, SSDUP_GUARD_SECTORS - start) : 0;

	if (part && buf)
		memcpy(x->member->range + start * SECTOR_BYTES, buf, part * SECTOR_BYTES);
	else if (part)
		memset(x->member->range + start * SECTOR_BYTES, 0, part * SECTOR_BYTES);
	return part;
}

static int put_data(void *arg, u64 start, u64 sectors, const void *buf)
{
	struct export *x = arg;
	u64 part = put_behind(x, start, sectors, buf);
	int r = part == sectors ? 0 :
		disk_write(x->to, (const char *)buf + part * SECTOR_BYTES, start + part,
			   sectors - part);

	x->res->sectors += r ? 0 : sectors;
	return r;
}

static int put_zeros(void *arg, u64 start, u64 sectors)
{
	struct export *x = arg;
	u64 part = put_behind(x, start, sectors, NULL);
	int r = part == sectors ? 0 : disk_zero(x->to, start + part, sectors - part);

	x->res->sectors += r ? 0 : sectors;
	return r;
}

static void put_lost(void *arg, u64 start, u64 sectors, bool known)
{
	struct export *x = arg;

	*(known ? &x->res->known : &x->res->lost) += sectors;
	if (x->bar)
		bar_clear();
	note(x->l->ctx, "lost: HDD sectors %llu + %llu%s", start, sectors,
	     known ? " (given up before)" : " (the SSD cannot read them)");
}

static bool is_interrupted(void *arg)
{
	show_progress(arg);
	return interrupted();
}

int export_log(struct log_file *l, struct disk *to, struct member *member,
	       struct export_result *res)
{
	struct export x = {
		.l = l, .to = to, .member = member, .res = res,
		.bar = !l->ctx->quiet && isatty(STDERR_FILENO),
	};
	const struct data_sink sink = {
		.data = put_data, .zeros = put_zeros, .lost = put_lost, .stop = is_interrupted,
		.arg = &x,
	};
	int r;

	memset(res, 0, sizeof(*res));
	/* What the walk puts in front is merged with what the HDD has. */
	r = member && member->m.changing ? member_cover(to->fd, member) : 0;
	r = r ?: data_walk(l, &sink) ?: disk_sync(to);
	if (!r && member)
		r = member_cover(to->fd, member);
	if (x.bar)
		bar_clear();
	return r;
}

int export_opens(struct log_file *l)
{
	if (l->s.guard == GUARD_OPEN)
		return 0;
	l->s.guard = GUARD_CHANGING;
	l->s.seq++;
	if (ssdup_log_super_spent(&l->s))
		return -ERANGE;
	return ssd_part_write(&l->ssds, PART_RECORD, &l->s);
}

int export_clear(struct log_file *l)
{
	struct log_super s = l->s;
	u64 tail = log_highest(&s);
	u32 i;

	/* As when the kernel frees them. Nothing is left of which pages could be missing. */
	for (i = 0; i < s.g.nr_segments; i++)
		if (l->header[i].h.generation <= LOG_MAX_GENERATION)
			tail = max(tail, l->header[i].h.generation + 1);
	/* Nor may those of an SSD that is lost count when it comes back: none has got that far. */
	if (l->ssds.some)
		tail += (u64)s.classes.nr * s.g.nr_segments;
	for (i = 0; i < s.classes.nr; i++)
		s.tail[i] = tail;
	s.guard = GUARD_OPEN;
	s.live_segments = 0;
	s.live_pages = 0;
	s.seq++;
	s.flags |= SSDUP_RECORD_CLOSED;
	if (ssdup_log_super_spent(&s))
		return -ERANGE;
	return ssd_part_write(&l->ssds, PART_RECORD, &s);
}
