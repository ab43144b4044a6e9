// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: a new log, the first one of its SSDs or one more.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <unistd.h>
#include <uuid/uuid.h>

#include "dm-ssdup/core/ssds.h"

#include "host.h"
#include "member.h"
#include "pair.h"

#define SECTORS_PER_MB	2048U

/* --- What it is --- */

void log_new_uuid(u8 uuid[16])
{
	uuid_generate_random(uuid);
}

static int too_large_blocks(const struct ssdup_ctx *ctx, const struct dev *ssd)
{
	return fail(ctx, EXIT_REFUSED, ssd->path,
		    "it or the HDD has logical blocks larger than 4 KiB");
}

static void warn_unknown_hdd(const struct ssdup_ctx *ctx, const struct pair *p)
{
	if (p->hdd.rdev && !identity_known(p->hdd_id))
		warn(ctx, p->hdd.path,
		     "does not say which disk it is: another one of its size would be taken for it");
}

/* A file system on the HDD may have smaller blocks than the device would. */
static int refuse_larger_blocks(const struct ssdup_ctx *ctx, const struct dev *hdd,
				const struct dev *ssd)
{
	char *what = ssd->block > hdd->block && hdd->rdev ? dev_signature(hdd) : NULL;
	int r = EXIT_OK;

	if (what)
		r = fail(ctx, EXIT_REFUSED, hdd->path,
			 "holds %s, and the device would have blocks of %u bytes instead of %u: it may be unusable there. If it is not, say \"ssdup format --block-size %u\", or --add --force",
			 what, ssd->block, hdd->block, ssd->block);
	free(what);
	return r;
}

/* The SSD with the largest blocks. */
static const struct dev *coarsest(const struct ssd_set *ssds)
{
	const struct dev *ssd = NULL;
	u32 i;

	for_each_disk(ssds, i)
		if (!ssd || ssds->dev[i].block > ssd->block)
			ssd = &ssds->dev[i];
	return ssd ?: ssds->dev;
}

unsigned int pair_block(const struct pair *p)
{
	return max(p->hdd.block, coarsest(&p->ssds)->block);
}

static int lay_out(const struct ssdup_ctx *ctx, const struct pair *p, const struct log_options *o,
		   struct log_geometry *g, struct log_ssds *ssds)
{
	const struct dev *hdd = &p->hdd, *ssd = coarsest(&p->ssds);
	unsigned int least = pair_block(p);
	unsigned int block = o->block ? o->block : least;
	u64 sectors[SSDUP_MAX_SSDS];
	u32 i;

	if (least > SSDUP_PAGE_BYTES)
		return too_large_blocks(ctx, ssd);
	if (block < least)
		return fail(ctx, EXIT_REFUSED, ssd->path,
			    "blocks of %u bytes: the disks have blocks of %u", block, least);
	if (!o->block && refuse_larger_blocks(ctx, hdd, ssd))
		return EXIT_REFUSED;
	ssds->nr = p->ssds.io.nr;
	ssds->mirrors = p->ssds.mirrored;
	for (i = 0; i < ssds->nr; i++) {
		sectors[i] = p->ssds.dev[i].bytes / SECTOR_BYTES;
		if (ssds->nr > 1)
			log_new_uuid(ssds->uuid[i]);
	}
	if (!ssdup_log_spread(g, ssds, sectors, 0, block / SECTOR_BYTES))
		return fail(ctx, EXIT_REFUSED, p->ssd.path,
			    "one of the SSDs is too small beside the others: each holds at least %u segments of %u MiB",
			    LOG_SSD_LEAST, g->segment_sectors / SECTORS_PER_MB);
	return EXIT_OK;
}

/*
 * With the UUID of an earlier log its leftover pages could pass for new ones, wherever on
 * the SSD they are. They are of other generations: no segment has had one of these.
 */
static int new_generations(struct log_super *s)
{
	u64 from;

	if (getrandom(&from, sizeof(from), 0) != sizeof(from))
		return -EIO;
	s->first += from % (LOG_MAX_GENERATION / 2);
	ssdup_log_classes(s, 1, s->first);
	return 0;
}

/* Nothing is in it, and nothing was. */
static void first_use(const struct pair *p, struct log_super *s)
{
	memcpy(s->hdd_id, p->hdd_id, sizeof(s->hdd_id));
	s->epoch = 1;
	s->seq = 1;
	s->flags = SSDUP_RECORD_CLOSED;
}

static int new_log(const struct ssdup_ctx *ctx, const struct pair *p, const struct log_options *o,
		   struct log_super *s)
{
	const struct dev *hdd = &p->hdd, *ssd = &p->ssd;
	struct log_ssds ssds = { };
	struct log_geometry g;
	enum log_fault fault;
	u8 pool[16];
	int r;

	r = lay_out(ctx, p, o, &g, &ssds);
	if (r)
		return r;
	log_new_uuid(pool);
	ssdup_log_super_fresh(s, pool, o->uuid, &g, hdd->bytes / SECTOR_BYTES,
			      ssd->bytes / SECTOR_BYTES);
	s->ssds = ssds;
	ssdup_log_classes(s, 1, s->first);
	s->pool_seq = SSDS_BEING_MADE;
	first_use(p, s);
	if (o->old_uuid && new_generations(s))
		return fail(ctx, EXIT_FAILED, NULL, "no random numbers");
	fault = log_would_be(s);
	if (fault != LOG_OK)
		return fail(ctx, EXIT_REFUSED, ssd->path,
			    "no log can be made for %s: %s (fault %d)", hdd->path,
			    ssdup_log_fault_text(fault), fault);
	return EXIT_OK;
}

/* --- One more --- */

struct look {
	const struct ssdup_ctx *ctx;
	const struct pair *p;
};

/* An HDD whose log holds something must not get an empty one. */
static int refuse_log_of_hdd(void *arg, const struct ssd_log *log)
{
	const struct look *look = arg;
	const struct pair *p = look->p;
	const struct log_super *s = ssd_super(log);
	char uuid[UUID_TEXT];

	if (log->fault != LOG_OK)
		return fail(look->ctx, EXIT_REFUSED, p->ssd.path,
			    "holds log %u, which is damaged, and may be for this HDD: see \"ssdup check --log %u\", or forget it with \"ssdup pool forget\"",
			    log->number, log->number);
	if (identity_known(p->hdd_id) && !memcmp(s->hdd_id, p->hdd_id, sizeof(p->hdd_id)))
		return fail(look->ctx, EXIT_REFUSED, p->ssd.path,
			    "holds a log for %s already (UUID %s): leave --add out", p->hdd.path,
			    uuid_text(uuid, s->uuid));
	if (!identity_known(s->hdd_id))
		warn(look->ctx, p->ssd.path,
		     "log %s does not say for which HDD it is: name the SSD by UUID=%s in %s",
		     uuid_text(uuid, s->uuid), uuid, look->ctx->tab);
	return EXIT_OK;
}

static int refuse_add(const struct ssdup_ctx *ctx, const struct pair *p, const struct give_up *g)
{
	struct look look = { ctx, p };
	const struct ssd_log *log = &p->log;
	int r;

	if (!ssd_holds_log(log))
		return fail(ctx, EXIT_REFUSED, p->ssd.path,
			    "holds no log yet: its first one is made without --add");
	if (log->part[PART_SUPER].fault != LOG_OK)
		return fail(ctx, EXIT_FAULTS, p->ssd.path,
			    "holds a log that is refused: %s (fault %d); see \"ssdup check %s\"",
			    ssdup_log_fault_text(log->fault), log->fault, p->ssd.path);
	r = ssd_each_log(&p->ssds.io, log, ssd_pool(log), refuse_log_of_hdd, &look);
	if (r)
		return r;
	if (p->shared && !p->members.nr)
		return fail(ctx, EXIT_REFUSED, p->ssd.path,
			    "a device of this SSD is just being made; try again");
	return p->shared || g->host ? EXIT_OK :
	       pool_refuse_host(ctx, p->ssd.path, &p->ssds.io, log, ssd_pool(log), p->host);
}

/* Descriptors: while no device of the SSDs runs, nobody else has them. */
static int alone(const struct ssdup_ctx *ctx, const struct pair *p, struct ssds *own)
{
	int flags = p->members.nr ? O_RDWR : O_RDWR | O_EXCL;
	u32 i;

	*own = p->ssds.io;
	memset(own->fd, -1, sizeof(own->fd));
	for_each_disk(&p->ssds, i) {
		own->fd[i] = dev_open(&p->ssds.dev[i], flags);
		if (own->fd[i] < 0)
			return fail(ctx, EXIT_REFUSED, p->ssds.dev[i].path, "%s",
				    strerror(-own->fd[i]));
	}
	return EXIT_OK;
}

static void not_alone(struct ssds *own)
{
	u32 i;

	for (i = 0; i < SSD_DISKS; i++)
		if (own->fd[i] >= 0)
			close(own->fd[i]);
}

int pair_add(const struct ssdup_ctx *ctx, struct pair *p, const struct give_up *g)
{
	const struct log_super *pool = ssd_pool(&p->log);
	u32 least = pair_block(p);
	struct log_geometry geometry;
	struct ssds own;
	struct log_super s;
	char uuid[UUID_TEXT];
	u8 bytes[16];
	int r = refuse_add(ctx, p, g) ?: member_refuse(ctx, &p->hdd, NULL);

	if (r)
		return r;
	if (least > SSDUP_PAGE_BYTES)
		return too_large_blocks(ctx, &p->ssd);
	if (!g->other && refuse_larger_blocks(ctx, &p->hdd, coarsest(&p->ssds)))
		return EXIT_REFUSED;
	warn_unknown_hdd(ctx, p);
	geometry = pool->g;
	geometry.block_sectors = least / SECTOR_BYTES;
	log_new_uuid(bytes);
	ssdup_log_super_fresh(&s, pool->pool, bytes, &geometry, p->hdd.bytes / SECTOR_BYTES,
			      pool->ssd_sectors);
	s.ssds = pool->ssds;
	first_use(p, &s);
	if (new_generations(&s))
		return fail(ctx, EXIT_FAILED, NULL, "no random numbers");
	r = alone(ctx, p, &own) ?:
	    pool_add(ctx, p->ssd.path, &own, &p->members, &p->log, &s);
	not_alone(&own);
	if (r)
		return r;
	r = ssd_log_read(&p->ssds.io, &p->log, uuid_text(uuid, bytes));
	if (r || p->log.fault != LOG_OK)
		return fail(ctx, EXIT_FAILED, p->ssd.path,
			    "does not give back what was written to it: %s",
			    r ? strerror(-r) : ssdup_log_fault_text(p->log.fault));
	return EXIT_OK;
}

void pair_undo_add(const struct ssdup_ctx *ctx, struct pair *p)
{
	char uuid[UUID_TEXT];
	struct ssds own;

	/* Others may have begun to use the SSD. */
	uuid_text(uuid, ssd_super(&p->log)->uuid);
	members_free(&p->members);
	if (members_read(ctx, p->ssd.rdev, &p->members) ||
	    ssd_log_read(&p->ssds.io, &p->log, uuid) || p->log.fault != LOG_OK)
		return;
	if (!alone(ctx, p, &own))
		pool_forget(ctx, p->ssd.path, &own, &p->members, &p->log, false);
	not_alone(&own);
}

/* --- The first one --- */

/* All but the homes, which are blank and durable: after a cut they must not be an old log's. */
static void discard(const struct ssdup_ctx *ctx, const struct dev *ssd, int fd)
{
	const uint64_t home = SSDUP_HOME_SECTORS * SECTOR_BYTES;
	uint64_t end = log_home(ssd->bytes / SECTOR_BYTES, 1) * SECTOR_BYTES;
	uint64_t range[2] = { home, end - home };

	if (ssd->rdev && ioctl(fd, BLKDISCARD, range) && errno != EOPNOTSUPP)
		warn(ctx, ssd->path, "cannot be discarded: %s", strerror(errno));
}

/* Two may be one after all, which has only the last superblock then. Return: 0 or -errno */
static int are_apart(const struct ssds *ssds)
{
	struct twin_block twin;
	struct ssd_log log;
	struct ssds one;
	int r = 0;
	u32 i;

	for (i = 0; i < ssds->nr && !r; i++) {
		one = ssds_some(ssds->fd[i]);
		r = ssd_log_read(&one, &log, NULL);
		if (!r && (log.part[PART_SUPER].fault != LOG_OK || ssd_pool(&log)->ssds.index != i))
			r = -ENOTUNIQ;
		if (!r && ssds->mirrors & BIT(i) &&
		    (ssd_twin_read(ssds->fd[i], ssds->sectors[i], &twin) != TWIN_THERE ||
		     twin.index))
			r = -ENOTUNIQ;
	}
	return r;
}

/* What an SSD and its mirror say of each other: TWINS_BEING_MADE, or more. 0 or -errno */
static int write_twins(const struct ssds *ssds, const struct log_super *s, u64 seq)
{
	struct twin_block b = { .seq = seq };
	u32 i;
	int r = 0;

	for (i = 0; i < ssds->nr && !r; i++) {
		if (!(ssds->mirrors & BIT(i)))
			continue;
		/* Each pair its own, and the same with each call. */
		memcpy(b.member[0], s->pool, sizeof(s->pool));
		memcpy(b.member[1], s->pool, sizeof(s->pool));
		b.member[0][0] ^= i;
		b.member[1][0] ^= i ^ SSDUP_MAX_SSDS;
		r = ssd_twins_write(ssds, i, &b);
	}
	return r;
}

/* As the kernel does to blank SSDs when the device is resumed. */
static int write_log(const struct ssdup_ctx *ctx, struct pair *p, const struct log_options *o,
		     struct log_super *s)
{
	struct ssds *ssds = &p->ssds.io;
	int r = 0;
	u32 i;

	for_each_disk(&p->ssds, i) {
		if (r)
			break;
		/* libblkid may know a log: its mark alone must not go. */
		r = ssd_log_wipe(ssds->fd[i], ssds->sectors[i % SSDUP_MAX_SSDS]) ?:
		    dev_wipe_signatures(&p->ssds.dev[i]);
		if (!r && !o->no_discard)
			discard(ctx, &p->ssds.dev[i], ssds->fd[i]);
	}
	for (i = 0; i < ssds->nr; i++)
		ssds->sectors[i] = p->ssds.dev[i].bytes / SECTOR_BYTES;
	r = r ?: write_twins(ssds, s, TWINS_BEING_MADE) ?: ssd_log_write(ssds, s);
	/* Of several, each says now that it has a part, and then that all do: see core/ssds.h. */
	if (!r && (ssds->nr > 1 || ssds->mirrors)) {
		s->pool_seq += ssds->nr > 1;
		r = are_apart(ssds) ?: ssd_part_write(ssds, PART_SUPER, s);
	}
	return r ?: write_twins(ssds, s, TWINS_BEING_MADE + 1) ?: ssd_log_read(ssds, &p->log, NULL);
}

int pair_format(const struct ssdup_ctx *ctx, struct pair *p, const struct log_options *o)
{
	struct log_super s;
	int r;

	warn_unknown_hdd(ctx, p);
	r = new_log(ctx, p, o, &s);
	if (r)
		return r;
	r = write_log(ctx, p, o, &s);
	if (r)
		return fail(ctx, EXIT_FAILED, p->ssd.path, "cannot be formatted: %s",
			    r == -ENOTUNIQ ? "two of the SSDs are one" : strerror(-r));
	if (p->log.fault != LOG_OK || p->log.mend)
		return fail(ctx, EXIT_FAILED, p->ssd.path,
			    "does not give back what was written to it: %s",
			    ssdup_log_fault_text(p->log.fault));
	return EXIT_OK;
}
