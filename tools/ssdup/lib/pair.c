// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: HDD and SSD.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <unistd.h>
#include <uuid/uuid.h>

#include "host.h"
#include "member.h"
#include "pair.h"

#define SECTORS_PER_MB	2048U

/* A size of no blocks would be written to the log, and refused ever after. */
static int refuse_small_hdd(const struct ssdup_ctx *ctx, const struct dev *hdd)
{
	if (hdd->bytes >= hdd->block)
		return EXIT_OK;
	return fail(ctx, EXIT_REFUSED, hdd->path, "too small for an HDD: %llu bytes",
		    (unsigned long long)hdd->bytes);
}

static int refuse_small_ssd(const struct ssdup_ctx *ctx, const struct dev *ssd)
{
	const uint64_t least = 2 * SSDUP_HOME_SECTORS +
			       SSDUP_MIN_SEGMENTS * SSDUP_MIN_SEGMENT_SECTORS;
	char size[SIZE_TEXT];

	if (ssd->bytes / SECTOR_BYTES >= least)
		return EXIT_OK;
	return fail(ctx, EXIT_REFUSED, ssd->path, "too small for a log: %s, which takes 10 MiB",
		    format_size(size, ssd->bytes));
}

/* What no log can be made on, or no device of. */
static int refuse_unfit(const struct ssdup_ctx *ctx, const struct dev *dev)
{
	char *zoned = dev->rdev ? dev_queue_read(dev->rdev, "zoned") : NULL, *ro = NULL;
	int r = EXIT_OK;

	if (zoned && strcmp(zoned, "none"))
		r = fail(ctx, EXIT_REFUSED, dev->path,
			 "a zoned disk (%s): dm-ssdup writes in any order", zoned);
	ro = !r && dev->rdev ? dev_sysfs_read(dev->rdev, "ro") : NULL;
	if (ro && strcmp(ro, "0"))
		r = fail(ctx, EXIT_REFUSED, dev->path, "is read-only; see blockdev(8)");
	free(zoned);
	free(ro);
	return r;
}

/* A log there is gone with the next boot, and with it what the HDD lacks. */
static int refuse_memory(const struct ssdup_ctx *ctx, const struct dev *ssd)
{
	char *name = ssd->rdev ? dev_kernel_name(ssd->rdev) : NULL;
	int r = EXIT_OK;

	if (name && (!strncmp(name, "ram", 3) || !strncmp(name, "zram", 4)))
		r = fail(ctx, EXIT_REFUSED, ssd->path,
			 "is memory: what its log holds is lost when the power goes; --volatile-ssd for a test");
	free(name);
	return r;
}

/* At boot all devices of an SSD are made at a time. */
static int lock_ssd(const struct ssdup_ctx *ctx, struct pair *p)
{
	p->lock = dev_lock(&p->ssd);
	return p->lock < 0 ? fail(ctx, EXIT_FAILED, p->ssd.path, "%s", strerror(-p->lock)) :
			     EXIT_OK;
}

void pair_unlock(struct pair *p)
{
	if (p->lock >= 0)
		close(p->lock);
	p->lock = -1;
}

/* Others may use the SSD, if each has a log of its own there. */
static int refuse_used_ssd(const struct ssdup_ctx *ctx, struct pair *p, bool offline,
			   const char *or)
{
	int r;

	if (offline)
		return dev_refuse_used(ctx, &p->ssd, or);
	r = lock_ssd(ctx, p) ?: members_read(ctx, p->ssd.rdev, &p->members);
	if (r)
		return r;
	p->shared = members_alone(&p->members, p->ssd.rdev);
	return p->shared ? EXIT_OK : dev_refuse_used(ctx, &p->ssd, or);
}

int pair_open(const struct ssdup_ctx *ctx, struct pair *p, const char *hdd, const char *ssd,
	      const char *name, bool offline, const struct give_up *g)
{
	static const char another[] = "give another disk";
	int r;

	memset(p, 0, sizeof(*p));
	p->ssd_fd = -1;
	p->lock = -1;
	r = dev_find(ctx, hdd, &p->hdd) ?: dev_find(ctx, ssd, &p->ssd);
	if (r)
		return r;
	if (!offline && !p->hdd.rdev)
		return fail(ctx, EXIT_REFUSED, p->hdd.path, "not a block device");
	if (!offline && !p->ssd.rdev)
		return fail(ctx, EXIT_REFUSED, p->ssd.path, "not a block device");
	r = refuse_small_hdd(ctx, &p->hdd) ?: refuse_small_ssd(ctx, &p->ssd) ?:
	    dev_refuse_path(ctx, &p->hdd) ?: dev_refuse_path(ctx, &p->ssd) ?:
	    refuse_unfit(ctx, &p->hdd) ?: refuse_unfit(ctx, &p->ssd) ?:
	    (g->memory ? EXIT_OK : refuse_memory(ctx, &p->ssd)) ?:
	    dev_refuse_same(ctx, &p->hdd, &p->ssd, g->other) ?:
	    (offline ? EXIT_OK : dev_refuse_used(ctx, &p->hdd, another)) ?:
	    refuse_used_ssd(ctx, p, offline, another);
	if (r)
		return r;
	if (p->ssd.rotational && !p->hdd.rotational && p->hdd.rdev)
		warn(ctx, p->ssd.path, "this rotates, and %s does not: are they swapped?",
		     p->hdd.path);
	dev_identity(&p->hdd, p->hdd_id);
	memcpy(p->host, this_host(), sizeof(p->host));
	p->ssd_fd = dev_open(&p->ssd, offline && p->ssd.rdev ? O_RDWR | O_EXCL : O_RDWR);
	if (p->ssd_fd < 0)
		return fail(ctx, EXIT_FAILED, p->ssd.path, "%s", strerror(-p->ssd_fd));
	r = ssd_log_read_for(p->ssd_fd, &p->log, name ?: spec_uuid(ssd), p->hdd_id);
	if (r)
		return fail(ctx, EXIT_LOST, p->ssd.path, "cannot be read: %s", strerror(-r));
	ssd_blank_read(p->ssd_fd, &p->log);
	return EXIT_OK;
}

void pair_close(struct pair *p)
{
	if (p->ssd_fd >= 0)
		close(p->ssd_fd);
	pair_unlock(p);
	members_free(&p->members);
	dev_free(&p->hdd);
	dev_free(&p->ssd);
}

int pair_refuse_other_hdd(const struct ssdup_ctx *ctx, const struct pair *p,
			  const struct give_up *g)
{
	const u8 *wanted = ssd_super(&p->log)->hdd_id;
	char log[IDENTITY_TEXT], hdd[IDENTITY_TEXT];

	identity_text(log, wanted);
	identity_text(hdd, p->hdd_id);
	if (identity_other(wanted, p->hdd_id) && !g->hdd)
		return fail(ctx, EXIT_REFUSED, p->hdd.path,
			    "is %s, and the log on %s is for %s; give that HDD, --other-hdd if this one holds all that was on it, or --add for a log of its own",
			    hdd, p->ssd.path, log);
	if (identity_known(wanted) && !identity_known(p->hdd_id))
		warn(ctx, p->hdd.path,
		     "does not say which disk it is; the log on %s is for %s, so see that it is the one",
		     p->ssd.path, log);
	return EXIT_OK;
}

int pair_refuse_other_host(const struct ssdup_ctx *ctx, const struct pair *p,
			   const struct give_up *g)
{
	const struct log_super *s = ssd_super(&p->log);
	char host[HOST_TEXT];

	if (g->host || !log_of_other_host(s, p->host))
		return EXIT_OK;
	return fail(ctx, EXIT_REFUSED, p->ssd.path,
		    "holds a log that is active on %s, or was when that went down; when it is certain to be down, say --take-over",
		    host_text(host, s->host_name));
}

int pair_bind_log(struct pair *p)
{
	struct log_super s = *ssd_super(&p->log);
	char uuid[UUID_TEXT];
	struct ssd_log now;
	int r;

	if (!identity_known(p->hdd_id) || !memcmp(s.hdd_id, p->hdd_id, sizeof(s.hdd_id)))
		return 0;
	r = ssd_log_read(p->ssd_fd, &now, uuid_text(uuid, s.uuid));
	if (r || now.fault != LOG_OK || ssd_super(&now)->seq != s.seq ||
	    ssd_super(&now)->epoch != s.epoch)
		return r ?: -EBUSY;
	memcpy(s.hdd_id, p->hdd_id, sizeof(s.hdd_id));
	s.seq++;
	return ssdup_log_super_spent(&s) ? -ERANGE : ssd_part_write(p->ssd_fd, PART_RECORD, &s);
}

static bool holds_log(const struct ssd_log *log)
{
	return log->fault != LOG_BLANK && log->fault != LOG_NOT_OURS;
}

/* A log that cannot be read may hold anything. */
static bool holds_unsaved(const struct ssd_log *log, int fd)
{
	return holds_log(log) && (log->fault != LOG_OK || ssd_log_used(fd, ssd_super(log)));
}

int pair_refuse_hdd(const struct ssdup_ctx *ctx, const struct pair *p, const struct give_up *g)
{
	int fd = dev_open(&p->hdd, O_RDONLY), r;
	struct ssd_log log;
	bool unsaved;

	if (fd < 0)
		return fail(ctx, EXIT_FAILED, p->hdd.path, "%s", strerror(-fd));
	r = ssd_log_read(fd, &log, NULL);
	unsaved = !r && holds_unsaved(&log, fd);
	close(fd);
	/* It was an SSD once, and something else has its place now. */
	if (!r && log.fault == LOG_OVERWRITTEN)
		return EXIT_OK;
	if (r || !holds_log(&log) || (g->other && !unsaved))
		return EXIT_OK;
	/* Nothing is said of it by a word that is meant for the SSD. */
	if (unsaved)
		return fail(ctx, EXIT_REFUSED, p->hdd.path,
			    "holds a log of dm-ssdup with data that may not be on its HDD: is it the SSD? Swap the two. To give the log up, zero the first and the last MiB");
	return fail(ctx, EXIT_REFUSED, p->hdd.path,
		    "holds an empty log of dm-ssdup: is it the SSD? Swap the two, or --force");
}

static int refuse_log(const struct ssdup_ctx *ctx, const struct pair *p, const struct give_up *g)
{
	char uuid[UUID_TEXT];

	if (p->log.fault == LOG_OK && pair_refuse_other_host(ctx, p, g))
		return EXIT_REFUSED;
	if (ssd_several(&p->log) && !g->host)
		return fail(ctx, EXIT_REFUSED, p->ssd.path,
			    "holds several logs, and another host may have one of them active; if none has, say --take-over");
	if (g->unsaved)
		return EXIT_OK;
	if (p->log.fault == LOG_UNKNOWN_VERSION)
		return fail(ctx, EXIT_REFUSED, p->ssd.path,
			    "holds a log of another format version; drain it with the dm-ssdup that wrote it, or give it up with --discard-unsaved");
	if (ssd_several(&p->log))
		return fail(ctx, EXIT_REFUSED, p->ssd.path,
			    "holds several logs; give all of them up with --discard-unsaved");
	if (p->log.fault == LOG_OVERWRITTEN)
		return fail(ctx, EXIT_REFUSED, p->ssd.path,
			    "holds a log, overwritten at the beginning of the SSD, but not at its end; see \"ssdup check --copy 1\", or give it up with --discard-unsaved");
	if (p->log.fault != LOG_OK)
		return fail(ctx, EXIT_REFUSED, p->ssd.path,
			    "holds a damaged log: %s (fault %d); see \"ssdup check\", or give it up with --discard-unsaved",
			    ssdup_log_fault_text(p->log.fault), p->log.fault);
	uuid_text(uuid, ssd_super(&p->log)->uuid);
	if (holds_unsaved(&p->log, p->ssd_fd))
		return fail(ctx, EXIT_REFUSED, p->ssd.path,
			    "holds a log (UUID %s) with data that may not be on its HDD yet; bring them there first (\"ssdup create\" and \"ssdup drain\", or \"ssdup export\"), or give them up with --discard-unsaved",
			    uuid);
	return g->other ? EXIT_OK :
	       fail(ctx, EXIT_REFUSED, p->ssd.path,
		    "holds an empty log (UUID %s); --force replaces it", uuid);
}

int pair_refuse_contents(const struct ssdup_ctx *ctx, const struct pair *p,
			 const struct give_up *g)
{
	char *what;
	int r;

	if (holds_log(&p->log))
		return refuse_log(ctx, p, g);
	if (g->other)
		return EXIT_OK;
	what = dev_signature(&p->ssd);
	if (!what && p->log.fault == LOG_BLANK)
		return EXIT_OK;
	/* Caches of other kinds, databases: the kernel refuses such an SSD too. */
	if (!what)
		return fail(ctx, EXIT_REFUSED, p->ssd.path,
			    "is not blank: its first or its last MiB holds something unknown; give another SSD, or overwrite it with --force");
	r = fail(ctx, EXIT_REFUSED, p->ssd.path,
		 "holds %s; give another SSD, or overwrite it with --force", what);
	free(what);
	return r;
}

/* --- Formatting --- */

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

static int lay_out(const struct ssdup_ctx *ctx, const struct dev *hdd, const struct dev *ssd,
		   const struct log_options *o, struct log_geometry *g)
{
	unsigned int least = hdd->block > ssd->block ? hdd->block : ssd->block;
	unsigned int block = o->block ? o->block : least;

	if (least > SSDUP_PAGE_BYTES)
		return too_large_blocks(ctx, ssd);
	if (block < least)
		return fail(ctx, EXIT_REFUSED, ssd->path,
			    "blocks of %u bytes: the disks have blocks of %u", block, least);
	if (!o->block && refuse_larger_blocks(ctx, hdd, ssd))
		return EXIT_REFUSED;
	if (!ssdup_log_layout(g, ssd->bytes / SECTOR_BYTES, o->segment_mb * SECTORS_PER_MB,
			      block / SECTOR_BYTES))
		return fail(ctx, EXIT_REFUSED, ssd->path,
			    "too small for segments of %u MiB: a log has at least %u, and there is 1 MiB in front and 1 MiB behind",
			    o->segment_mb, SSDUP_MIN_SEGMENTS);
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
	s->tail[0] += from % (LOG_MAX_GENERATION / 2);
	s->first = s->tail[0];
	return 0;
}

/* Nothing is in it, and nothing was. */
static void first_use(const struct pair *p, struct log_super *s)
{
	memcpy(s->hdd_id, p->hdd_id, sizeof(s->hdd_id));
	s->epoch = 1;
	s->seq = 1;
	s->flags = SSDUP_RECORD_CLEAN;
}

static int new_log(const struct ssdup_ctx *ctx, const struct pair *p, const struct log_options *o,
		   struct log_super *s)
{
	const struct dev *hdd = &p->hdd, *ssd = &p->ssd;
	struct log_geometry g;
	enum log_fault fault;
	u8 pool[16];
	int r;

	r = lay_out(ctx, hdd, ssd, o, &g);
	if (r)
		return r;
	log_new_uuid(pool);
	ssdup_log_super_fresh(s, pool, o->uuid, &g, hdd->bytes / SECTOR_BYTES,
			      ssd->bytes / SECTOR_BYTES);
	s->pool_seq = 1;
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

	if (!holds_log(log))
		return fail(ctx, EXIT_REFUSED, p->ssd.path,
			    "holds no log yet: its first one is made without --add");
	if (log->part[PART_SUPER].fault != LOG_OK)
		return fail(ctx, EXIT_FAULTS, p->ssd.path,
			    "holds a log that is refused: %s (fault %d); see \"ssdup check %s\"",
			    ssdup_log_fault_text(log->fault), log->fault, p->ssd.path);
	r = ssd_each_log(p->ssd_fd, log, ssd_pool(log), refuse_log_of_hdd, &look);
	if (r)
		return r;
	if (p->shared && !p->members.nr)
		return fail(ctx, EXIT_REFUSED, p->ssd.path,
			    "a device of this SSD is just being made; try again");
	return p->shared || g->host ? EXIT_OK :
	       pool_refuse_host(ctx, p->ssd.path, p->ssd_fd, log, ssd_pool(log), p->host);
}

/* A descriptor: while no device of the SSD runs, nobody else has it. */
static int alone(const struct ssdup_ctx *ctx, const struct pair *p)
{
	int fd = dev_open(&p->ssd, p->members.nr ? O_RDWR : O_RDWR | O_EXCL);

	if (fd < 0)
		fail(ctx, EXIT_REFUSED, p->ssd.path, "%s", strerror(-fd));
	return fd;
}

int pair_add(const struct ssdup_ctx *ctx, struct pair *p, const struct give_up *g)
{
	const struct log_super *pool = ssd_pool(&p->log);
	u32 least = max(p->hdd.block, p->ssd.block);
	struct log_geometry geometry;
	struct log_super s;
	char uuid[UUID_TEXT];
	u8 bytes[16];
	int r = refuse_add(ctx, p, g) ?: member_refuse(ctx, &p->hdd, NULL), fd;

	if (r)
		return r;
	if (least > SSDUP_PAGE_BYTES)
		return too_large_blocks(ctx, &p->ssd);
	if (!g->other && refuse_larger_blocks(ctx, &p->hdd, &p->ssd))
		return EXIT_REFUSED;
	warn_unknown_hdd(ctx, p);
	geometry = pool->g;
	geometry.block_sectors = least / SECTOR_BYTES;
	log_new_uuid(bytes);
	ssdup_log_super_fresh(&s, pool->pool, bytes, &geometry, p->hdd.bytes / SECTOR_BYTES,
			      pool->ssd_sectors);
	first_use(p, &s);
	if (new_generations(&s))
		return fail(ctx, EXIT_FAILED, NULL, "no random numbers");
	fd = alone(ctx, p);
	if (fd < 0)
		return EXIT_REFUSED;
	r = pool_add(ctx, p->ssd.path, fd, &p->members, &p->log, &s);
	close(fd);
	if (r)
		return r;
	r = ssd_log_read(p->ssd_fd, &p->log, uuid_text(uuid, bytes));
	if (r || p->log.fault != LOG_OK)
		return fail(ctx, EXIT_FAILED, p->ssd.path,
			    "does not give back what was written to it: %s",
			    r ? strerror(-r) : ssdup_log_fault_text(p->log.fault));
	return EXIT_OK;
}

void pair_undo_add(const struct ssdup_ctx *ctx, struct pair *p)
{
	char uuid[UUID_TEXT];
	int fd;

	/* Others may have begun to use the SSD. */
	uuid_text(uuid, ssd_super(&p->log)->uuid);
	members_free(&p->members);
	if (members_read(ctx, p->ssd.rdev, &p->members) ||
	    ssd_log_read(p->ssd_fd, &p->log, uuid) || p->log.fault != LOG_OK)
		return;
	fd = alone(ctx, p);
	if (fd < 0)
		return;
	pool_forget(ctx, p->ssd.path, fd, &p->members, &p->log, false);
	close(fd);
}

/* --- The first one --- */

/* All but the homes, which are blank and durable: after a cut they must not be an old log's. */
static void discard(const struct ssdup_ctx *ctx, const struct pair *p)
{
	const uint64_t home = SSDUP_HOME_SECTORS * SECTOR_BYTES;
	uint64_t end = log_home(p->ssd.bytes / SECTOR_BYTES, 1) * SECTOR_BYTES;
	uint64_t range[2] = { home, end - home };

	if (p->ssd.rdev && ioctl(p->ssd_fd, BLKDISCARD, range) && errno != EOPNOTSUPP)
		warn(ctx, p->ssd.path, "cannot be discarded: %s", strerror(errno));
}

/* As the kernel does to a blank SSD when the device is resumed. */
static int write_log(const struct ssdup_ctx *ctx, struct pair *p, const struct log_options *o,
		     const struct log_super *s)
{
	int r;

	/* libblkid may know a log: its mark alone must not go. */
	r = ssd_log_wipe(p->ssd_fd, &p->log) ?: dev_wipe_signatures(&p->ssd);
	if (!r && !o->no_discard)
		discard(ctx, p);
	return r ?: ssd_log_write(p->ssd_fd, s) ?: ssd_log_read(p->ssd_fd, &p->log, NULL);
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
			    strerror(-r));
	if (p->log.fault != LOG_OK || p->log.mend)
		return fail(ctx, EXIT_FAILED, p->ssd.path,
			    "does not give back what was written to it: %s",
			    ssdup_log_fault_text(p->log.fault));
	return EXIT_OK;
}
