// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: HDD and SSDs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host.h"
#include "member.h"
#include "pair.h"

#define MAX_DISKS	16U

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

/* At boot all devices of an SSD are made at a time. The lowest first: others wait in that order. */
static int lock_ssds(const struct ssdup_ctx *ctx, struct pair *p)
{
	const struct dev *next, *dev;
	dev_t last = 0;
	int lock;
	u32 i;

	do {
		next = NULL;
		for_each_disk(&p->ssds, i) {
			dev = &p->ssds.dev[i];
			if (dev->rdev > last && (!next || dev->rdev < next->rdev))
				next = dev;
		}
		if (!next)
			break;
		last = next->rdev;
		lock = dev_lock(next);
		if (lock < 0)
			return fail(ctx, EXIT_FAILED, next->path, "%s", strerror(-lock));
		p->lock[p->nr_locks++] = lock;
	} while (p->nr_locks < SSD_DISKS);
	return EXIT_OK;
}

void pair_unlock(struct pair *p)
{
	while (p->nr_locks)
		close(p->lock[--p->nr_locks]);
}

/* Others may use the SSD, if each has a log of its own there. */
static int refuse_used_ssds(const struct ssdup_ctx *ctx, struct pair *p, bool offline,
			    const char *or)
{
	int r = EXIT_OK;
	u32 i;

	for_each_disk(&p->ssds, i)
		if (offline && !r)
			r = dev_refuse_used(ctx, &p->ssds.dev[i], or);
	if (offline)
		return r;
	r = lock_ssds(ctx, p) ?: members_read(ctx, p->ssd.rdev, &p->members);
	if (r)
		return r;
	p->shared = members_alone(&p->members, p->ssd.rdev);
	for_each_disk(&p->ssds, i)
		if (!r && (!p->shared || !members_alone(&p->members, p->ssds.dev[i].rdev)))
			r = dev_refuse_used(ctx, &p->ssds.dev[i], or);
	return r;
}

/* Two SSDs on one disk would have one cache, and the kernel refuses them. */
static int refuse_twice(const struct ssdup_ctx *ctx, const struct dev *a, const struct dev *b)
{
	dev_t disk[2][MAX_DISKS];
	unsigned int nr[2], i, j;
	struct stat st[2];
	bool same;

	same = !stat(a->path, &st[0]) && !stat(b->path, &st[1]) &&
	       (a->rdev ? a->rdev == b->rdev : st[0].st_dev == st[1].st_dev &&
					       st[0].st_ino == st[1].st_ino);
	nr[0] = a->rdev ? dev_disks(a->rdev, disk[0], MAX_DISKS) : 0;
	nr[1] = b->rdev ? dev_disks(b->rdev, disk[1], MAX_DISKS) : 0;
	for (i = 0; i < nr[0]; i++)
		for (j = 0; j < nr[1]; j++)
			same |= disk[0][i] == disk[1][j] || dev_two_paths(disk[0][i], disk[1][j]);
	return same ? fail(ctx, EXIT_REFUSED, a->path, "on the same disk as the SSD %s", b->path) :
		      EXIT_OK;
}

/* What one of the SSDs cannot be. */
static int refuse_ssd(const struct ssdup_ctx *ctx, const struct pair *p, u32 i, bool offline,
		      const struct give_up *g)
{
	const struct dev *ssd = &p->ssds.dev[i];
	int r;
	u32 j;

	if (!offline && !ssd->rdev)
		return fail(ctx, EXIT_REFUSED, ssd->path, "not a block device");
	r = refuse_small_ssd(ctx, ssd) ?: dev_refuse_path(ctx, ssd) ?: refuse_unfit(ctx, ssd) ?:
	    (g->memory ? EXIT_OK : refuse_memory(ctx, ssd)) ?:
	    dev_refuse_same(ctx, &p->hdd, ssd, g->other);
	for (j = 0; j < i && !r; j++)
		if (p->ssds.dev[j].path)
			r = refuse_twice(ctx, ssd, &p->ssds.dev[j]);
	if (!r && i >= SSDUP_MAX_SSDS && ssd->bytes != p->ssds.dev[i - SSDUP_MAX_SSDS].bytes)
		r = fail(ctx, EXIT_REFUSED, ssd->path, "not of the size of the SSD %s",
			 p->ssds.dev[i - SSDUP_MAX_SSDS].path);
	if (!r && ssd->rotational && !p->hdd.rotational && p->hdd.rdev)
		warn(ctx, ssd->path, "this rotates, and %s does not: are they swapped?",
		     p->hdd.path);
	return r;
}

/*
 * They are no pool, and blank or others' at first sight: whoever overwrites one of them must not
 * overwrite the log on another one.
 */
static void look_at_each(struct pair *p)
{
	struct ssd_log log;
	struct ssds one;
	u32 i;

	for_each_disk(&p->ssds, i) {
		if (ssd_holds_log(&p->log))
			break;
		one = ssds_some(p->ssds.io.fd[i]);
		if (ssd_log_read(&one, &log, NULL) || !ssd_holds_log(&log) ||
		    ssd_being_made(p->ssds.io.fd[i]))
			continue;
		p->log.fault = LOG_SSD_FOREIGN;
		p->log.part[PART_SUPER].fault = LOG_SSD_FOREIGN;
		p->log.of[PART_SUPER] = i;
	}
	for_each_disk(&p->ssds, i) {
		if (p->log.fault != LOG_BLANK)
			break;
		ssd_blank_read(p->ssds.io.fd[i], &p->log);
		p->log.of[PART_SUPER] = i;
	}
}

int pair_open(const struct ssdup_ctx *ctx, struct pair *p, const char *hdd,
	      const struct ssd_names *ssds, const char *name, bool offline,
	      const struct give_up *g)
{
	static const char another[] = "give another disk";
	int r;
	u32 i;

	memset(p, 0, sizeof(*p));
	r = ssd_set_find(ctx, &p->ssds, ssds) ?: dev_find(ctx, hdd, &p->hdd);
	if (r)
		return r;
	p->ssd = *ssd_set_first(&p->ssds);
	if (!offline && !p->hdd.rdev)
		return fail(ctx, EXIT_REFUSED, p->hdd.path, "not a block device");
	r = refuse_small_hdd(ctx, &p->hdd) ?: dev_refuse_path(ctx, &p->hdd) ?:
	    refuse_unfit(ctx, &p->hdd);
	for_each_disk(&p->ssds, i)
		r = r ?: refuse_ssd(ctx, p, i, offline, g);
	r = r ?: (offline ? EXIT_OK : dev_refuse_used(ctx, &p->hdd, another)) ?:
	    refuse_used_ssds(ctx, p, offline, another);
	if (r)
		return r;
	dev_identity(&p->hdd, p->hdd_id);
	memcpy(p->host, this_host(), sizeof(p->host));
	r = ssd_set_open(ctx, &p->ssds, offline && p->ssd.rdev ? O_RDWR | O_EXCL : O_RDWR);
	if (r)
		return r;
	r = ssd_log_read_for(&p->ssds.io, &p->log, name ?: spec_uuid(ssds->of[0]), p->hdd_id);
	if (r)
		return fail(ctx, EXIT_LOST, p->ssd.path, "cannot be read: %s", strerror(-r));
	look_at_each(p);
	return EXIT_OK;
}

void pair_close(struct pair *p)
{
	pair_unlock(p);
	members_free(&p->members);
	dev_free(&p->hdd);
	ssd_set_close(&p->ssds);
}

const char *pair_faulty(const struct pair *p)
{
	return p->ssds.dev[p->log.of[PART_SUPER]].path;
}

char *pair_signature(const struct pair *p, const char **path)
{
	char *what = NULL;
	u32 i;

	for_each_disk(&p->ssds, i) {
		if (what)
			break;
		*path = p->ssds.dev[i].path;
		what = dev_signature(&p->ssds.dev[i]);
	}
	return what;
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
	r = ssd_log_read(&p->ssds.io, &now, uuid_text(uuid, s.uuid));
	if (r || now.fault != LOG_OK || ssd_super(&now)->seq != s.seq ||
	    ssd_super(&now)->epoch != s.epoch)
		return r ?: -EBUSY;
	memcpy(s.hdd_id, p->hdd_id, sizeof(s.hdd_id));
	s.seq++;
	return ssdup_log_super_spent(&s) ? -ERANGE : ssd_part_write(&p->ssds.io, PART_RECORD, &s);
}

/* A log that cannot be read may hold anything. */
static bool holds_unsaved(const struct ssd_log *log, const struct ssds *ssds)
{
	return ssd_holds_log(log) && (log->fault != LOG_OK || ssd_log_used(ssds, ssd_super(log)));
}

int pair_refuse_hdd(const struct ssdup_ctx *ctx, const struct pair *p, const struct give_up *g)
{
	int fd = dev_open(&p->hdd, O_RDONLY), r;
	struct ssds ssds = ssds_one(fd);
	struct ssd_log log;
	bool unsaved;

	if (fd < 0)
		return fail(ctx, EXIT_FAILED, p->hdd.path, "%s", strerror(-fd));
	r = ssd_log_read(&ssds, &log, NULL);
	unsaved = !r && holds_unsaved(&log, &ssds);
	close(fd);
	/* It was an SSD once, and something else has its place now. */
	if (!r && log.fault == LOG_OVERWRITTEN)
		return EXIT_OK;
	if (r || !ssd_holds_log(&log) || (g->other && !unsaved))
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
		return fail(ctx, EXIT_REFUSED, pair_faulty(p),
			    "holds a log of another format version; drain it with the dm-ssdup that wrote it, or give it up with --discard-unsaved");
	if (ssd_several(&p->log))
		return fail(ctx, EXIT_REFUSED, p->ssd.path,
			    "holds several logs; give all of them up with --discard-unsaved");
	if (p->log.fault == LOG_OVERWRITTEN)
		return fail(ctx, EXIT_REFUSED, pair_faulty(p),
			    "holds a log, overwritten at the beginning of the SSD, but not at its end; see \"ssdup check --copy 1\", or give it up with --discard-unsaved");
	if (p->log.fault != LOG_OK)
		return fail(ctx, EXIT_REFUSED, pair_faulty(p),
			    "holds a damaged log: %s (fault %d); see \"ssdup check\", or give it up with --discard-unsaved",
			    ssdup_log_fault_text(p->log.fault), p->log.fault);
	uuid_text(uuid, ssd_super(&p->log)->uuid);
	if (holds_unsaved(&p->log, &p->ssds.io))
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
	const char *path;
	char *what;
	int r;

	if (ssd_holds_log(&p->log))
		return refuse_log(ctx, p, g);
	if (g->other)
		return EXIT_OK;
	what = pair_signature(p, &path);
	if (!what && p->log.fault == LOG_BLANK)
		return EXIT_OK;
	/* Caches of other kinds, databases: the kernel refuses such an SSD too. */
	if (!what)
		return fail(ctx, EXIT_REFUSED, pair_faulty(p),
			    "is not blank: its first or its last MiB holds something unknown; give another SSD, or overwrite it with --force");
	r = fail(ctx, EXIT_REFUSED, path,
		 "holds %s; give another SSD, or overwrite it with --force", what);
	free(what);
	return r;
}
