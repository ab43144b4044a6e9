// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: making a device. The order matters: everything that can be refused is
 * looked at before anything is written, the kernel's own look at the table too.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"
#include "keys.h"
#include "make.h"
#include "member.h"
#include "state.h"
#include "tab.h"

const char *new_device_key(struct new_device *new, const char *key, const char *value)
{
	char *option = xprintf("%s=%s", key, value);
	const char *why = strchr(value, ',') ? "not one word" :
			  options_to_args(option, &new->args, &new->nr_args);

	free(option);
	return why;
}

/* --- Looking --- */

/* The value of a key among the arguments, or NULL; free() it. */
static char *value_of(const struct new_device *new, const char *key)
{
	char *copy = xstrdup(new->args), *save, *word, *value = NULL;

	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *next = strtok_r(NULL, " ", &save);

		if (next && !strcmp(word, key)) {
			free(value);
			value = xstrdup(next);
		}
	}
	free(copy);
	return value;
}

/* The kernel is told which host this is, and what is to be taken over. */
static int choose_host(const struct ssdup_ctx *ctx, struct new_device *new, struct pair *p)
{
	const char * const *words = ssdup_settings_find("override")->words;
	char *host = value_of(new, "host"), *override = value_of(new, "override");
	u32 said = (new->give_up.host ? SSDUP_OVERRIDE_HOST : 0) |
		   (new->give_up.written ? SSDUP_OVERRIDE_HDD : 0), given = 0;
	const char *why = NULL;
	char text[UUID_TEXT];

	while (override && words[given] && strcmp(override, words[given]))
		given++;
	/* The kernel says what is wrong with any other word. */
	if (!words[given])
		given = 0;
	if (host)
		uuid_read(host, p->host);
	else if (host_known(p->host))
		why = new_device_key(new, "host", uuid_text(text, p->host));
	if (override && (said & ~given))
		why = "override: the options say more than the key";
	else if (!override && said)
		why = why ?: new_device_key(new, "override", words[said]);
	new->give_up.host |= !!(given & SSDUP_OVERRIDE_HOST);
	free(host);
	free(override);
	return why ? fail(ctx, EXIT_FAILED, new->name, "%s", why) : EXIT_OK;
}

/* What LVM and md know by a mark on it they would find there, beside the device. */
static void warn_member(const struct ssdup_ctx *ctx, const struct pair *p)
{
	char *what = dev_signature(&p->hdd);

	if (what && (!strncmp(what, "LVM2_member", strlen("LVM2_member")) ||
		     !strncmp(what, "linux_raid_member", strlen("linux_raid_member"))))
		warn(ctx, p->hdd.path,
		     "holds %s, which must no more be looked for here: see LVM AND MD in ssduptab(5)",
		     what);
	free(what);
}

/* Whether somebody has written to it since, the kernel knows: only that reads all of the log. */
static int refuse_old_copy(const struct ssdup_ctx *ctx, const struct pair *p)
{
	const struct log_super *s = ssd_super(&p->log);
	struct member member;
	enum guard_state state;
	enum log_fault fault;
	int r;

	r = member_refuse(ctx, &p->hdd, s->uuid);
	if (r)
		return r;
	member_of(&p->hdd, &member);
	fault = ssdup_guard_judge(s, member.fault, &member.m, false, &state);
	member_free(&member);
	return fault == LOG_OK || member.fault == LOG_NOT_OURS ? EXIT_OK :
	       fail(ctx, EXIT_REFUSED, p->hdd.path,
		    "is an older copy of the HDD that the log on %s is for; see \"ssdup release\"",
		    p->ssd.path);
}

/*
 * By its size the log was told that it is another HDD. One that is larger may have grown, and says
 * which disk it is, or has its member block.
 */
static int refuse_larger_hdd(const struct ssdup_ctx *ctx, const struct pair *p,
			     const struct give_up *g)
{
	const struct log_super *s = ssd_super(&p->log);

	if (p->hdd.bytes / SECTOR_BYTES == s->hdd_sectors || g->hdd || s->guard == GUARD_CLOSED ||
	    (identity_known(s->hdd_id) && identity_known(p->hdd_id)))
		return EXIT_OK;
	return fail(ctx, EXIT_REFUSED, p->hdd.path,
		    "has %llu sectors, and the log on %s is for an HDD of %llu; if it is that one and has grown, say --other-hdd",
		    (unsigned long long)(p->hdd.bytes / SECTOR_BYTES), p->ssd.path,
		    (unsigned long long)s->hdd_sectors);
}

static int refuse_misfit(const struct ssdup_ctx *ctx, const struct pair *p,
			 const struct give_up *g)
{
	const struct log_super *s = ssd_super(&p->log);
	unsigned int block = pair_block(p);
	enum log_fault fault = ssdup_log_super_fits(s, p->hdd.bytes / SECTOR_BYTES,
						    p->ssd.bytes / SECTOR_BYTES,
						    block / SECTOR_BYTES, NULL);

	switch (fault) {
	case LOG_OK:
		return pair_refuse_other_hdd(ctx, p, g) ?: refuse_larger_hdd(ctx, p, g) ?:
		       pair_refuse_other_host(ctx, p, g) ?: refuse_old_copy(ctx, p);
	case LOG_OTHER_HDD_SIZE:
		return fail(ctx, EXIT_REFUSED, p->ssd.path,
			    "holds the log of an HDD of %llu sectors, and %s has %llu: it is another one, or was made smaller; give it its size back",
			    (unsigned long long)s->hdd_sectors, p->hdd.path,
			    (unsigned long long)(p->hdd.bytes / SECTOR_BYTES));
	default:
		return fail(ctx, EXIT_REFUSED, p->ssd.path, "holds a log that is %s (fault %d)",
			    ssdup_log_fault_text(fault), fault);
	}
}

/* The log that is left of several is not that of any HDD of its size. */
static int refuse_unsure(const struct ssdup_ctx *ctx, const struct new_device *new,
			 const struct pair *p)
{
	if (new->log || spec_uuid(new->ssds.of[0]) ||
	    (!new->shared && ssd_pool(&p->log)->logs == LOG_FIRST) ||
	    (identity_known(p->hdd_id) && identity_known(ssd_super(&p->log)->hdd_id)))
		return EXIT_OK;
	return fail(ctx, EXIT_REFUSED, p->ssd.path,
		    "holds logs of several HDDs, or has done so, and nothing says that this one is for %s: name it by UUID= or -o log=",
		    p->hdd.path);
}

/* The SSD of a line of ssduptab was replaced or erased: the HDD lacks what its log held. */
static int refuse_blank(const struct ssdup_ctx *ctx, const struct new_device *new,
			const struct pair *p)
{
	return fail(ctx, EXIT_REFUSED, p->ssd.path,
		    "holds no log, and a line of %s makes none: was it replaced? If %s lacks nothing, make a log with \"ssdup format %s %s\"",
		    ctx->tab, p->hdd.path, new->hdd, new->ssds.of[0]);
}

/*
 * May this SSD be used as it is? A blank one may, which is formatted on the way, but not at boot. A
 * new log is for an HDD that no other one has newer data of.
 */
static int refuse_ssd(const struct ssdup_ctx *ctx, const struct new_device *new,
		      const struct pair *p)
{
	const char *path;
	char *what;
	int r;

	if (p->shared && (new->format || p->log.part[PART_SUPER].fault != LOG_OK))
		return dev_refuse_used(ctx, &p->ssd, "give another disk");
	if (new->format)
		return pair_refuse_contents(ctx, p, &new->give_up) ?:
		       member_refuse(ctx, &p->hdd, NULL);
	if (p->log.fault == LOG_OK)
		return refuse_unsure(ctx, new, p) ?: refuse_misfit(ctx, p, &new->give_up);
	if (p->log.fault == LOG_SEVERAL)
		return fail(ctx, EXIT_REFUSED, p->ssd.path,
			    "holds several logs, and none is known to be for %s; name one with -o log=UUID (see \"ssdup pool status %s\"), or say --add for one more",
			    p->hdd.path, p->ssd.path);
	if (p->log.fault == LOG_ABSENT)
		return fail(ctx, EXIT_NOT_FOUND, p->ssd.path,
			    "holds no log of that UUID; see \"ssdup pool status %s\"", p->ssd.path);
	if (p->log.fault != LOG_BLANK && p->log.fault != LOG_NOT_OURS)
		return fail(ctx, EXIT_FAULTS, pair_faulty(p),
			    "holds a log that is refused: %s (fault %d); see \"ssdup check %s\"",
			    ssdup_log_fault_text(p->log.fault), p->log.fault, pair_faulty(p));
	what = pair_signature(p, &path);
	if (!what && p->log.fault == LOG_BLANK)
		return member_refuse(ctx, &p->hdd, NULL) ?:
		       (new->tab ? refuse_blank(ctx, new, p) : EXIT_OK);
	r = fail(ctx, EXIT_REFUSED, what ? path : pair_faulty(p),
		 "holds %s; give another SSD, or overwrite it with --format --force",
		 what ?: "something that is no log");
	free(what);
	return r;
}

/* --- Doing --- */

static void load_module(void)
{
	pid_t pid = fork();

	if (!pid) {
		execlp("modprobe", "modprobe", "-q", "dm-ssdup", NULL);
		_exit(127);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static int refused_by_kernel(const struct ssdup_ctx *ctx, const struct new_device *new, dev_t rdev,
			     const char *what, int r)
{
	char *reason = reason_read(rdev);
	int code = r == -EBUSY ? EXIT_REFUSED : EXIT_FAILED;

	if (reason && !strcmp(reason, "unknown target type"))
		fail(ctx, code, new->name,
		     "the kernel has no dm-ssdup; is the module installed for this kernel?");
	else if (reason && strstr(reason, ssdup_log_fault_text(LOG_HDD_WRITTEN)))
		code = fail(ctx, EXIT_REFUSED, new->hdd,
			    "was written to since the log got its data, by a mount without its SSD? --hdd-was-written lets the log go over that; \"ssdup export\" puts the log's data into an image");
	else if (reason && !strncmp(reason, "log refused: ", strlen("log refused: ")))
		fail(ctx, code, new->name, "the kernel refuses %s: %s; see \"ssdup check %s\"",
		     what, reason, new->ssds.of[0]);
	else if (reason)
		fail(ctx, code, new->name, "the kernel refuses %s: %s", what, reason);
	else
		fail(ctx, code, new->name, "the kernel refuses %s: %s; \"dmesg\" may say why",
		     what, strerror(-r));
	free(reason);
	return code;
}

/* As a device that runs names them; NULL if none does. free() it */
static char *running_ssds(const struct members *m)
{
	char *all, *more, *save = NULL, *word, *value;
	struct dmdev d;

	if (!m->nr || dmdev_table(m->all[0].name, &d))
		return NULL;
	strtok_r(d.params, " ", &save);
	all = xstrdup(strtok_r(NULL, " ", &save) ?: "-");
	strtok_r(NULL, " ", &save);
	while ((word = strtok_r(NULL, " ", &save)) && (value = strtok_r(NULL, " ", &save))) {
		if (strcmp(word, "ssd") && strcmp(word, "mirror"))
			continue;
		more = xprintf("%s %s %s", all, word, value);
		free(all);
		all = more;
	}
	dmdev_free(&d);
	return all;
}

/* An SSD without its mirror: another one may just be filled in the place of that. */
static bool one_lacks_mirror(const struct ssd_set *ssds)
{
	u32 i;

	for_each_there(ssds, i)
		if (ssds->mirrored & BIT(i) && !ssds->dev[ssd_mirror(i)].path)
			return true;
	return false;
}

static char *table_params(const struct new_device *new, const struct pair *p)
{
	char hdd[DEV_NUMBER], *ssds = NULL, *params;

	if (p->shared && one_lacks_mirror(&p->ssds))
		ssds = running_ssds(&p->members);
	ssds = ssds ?: ssd_set_table(&p->ssds);
	params = table_line(dev_number(hdd, p->hdd.rdev), ssds, new->args);
	free(ssds);
	return params;
}

/* An HDD that has grown: the device has its old size until "ssdup resize". */
static uint64_t device_sectors(const struct new_device *new, const struct pair *p)
{
	uint64_t sectors = p->hdd.bytes / SECTOR_BYTES;

	if (p->log.fault == LOG_OK && !new->format && ssd_super(&p->log)->hdd_sectors < sectors)
		sectors = ssd_super(&p->log)->hdd_sectors;
	return sectors;
}

static int load_table(const struct ssdup_ctx *ctx, const struct new_device *new,
		      const struct pair *p, dev_t rdev)
{
	char *params = table_params(new, p);
	int r;

	reason_mark();
	r = dmdev_load(new->name, device_sectors(new, p), "ssdup", params);
	free(params);
	return r ? refused_by_kernel(ctx, new, rdev, "the table", r) : EXIT_OK;
}

/* No other HDD may take the place of this one from now on. */
static int bind_log(const struct ssdup_ctx *ctx, struct pair *p)
{
	int r = pair_bind_log(p);

	return r ? fail(ctx, EXIT_FAILED, p->ssd.path, "cannot be written: %s", strerror(-r)) :
		   EXIT_OK;
}

static int bring_up(const struct ssdup_ctx *ctx, struct new_device *new, struct pair *p,
		    struct log_options *o, dev_t rdev)
{
	bool blank = p->log.fault == LOG_BLANK, format = new->format || blank;
	int r = EXIT_OK;

	/* The kernel looks at a table for a blank SSD before that is written to. */
	if (format && !blank)
		r = pair_format(ctx, p, o);
	if (!r)
		r = load_table(ctx, new, p, rdev);
	if (!r && format && blank)
		r = pair_format(ctx, p, o);
	if (!r && !format)
		r = bind_log(ctx, p);
	if (r)
		return r;
	/* A log that was added may have to go again. */
	if (!new->add)
		pair_unlock(p);
	reason_mark();
	r = dmdev_resume(new->name);
	return r ? refused_by_kernel(ctx, new, rdev, "to start it", r) : EXIT_OK;
}

static int exists(const struct ssdup_ctx *ctx, const struct new_device *new, int r)
{
	struct dmdev d;
	bool ours;

	if (dmdev_status(new->name, &d))
		return fail(ctx, EXIT_REFUSED, new->name,
			    r == -EBUSY || r == -EEXIST ?
			    "another device has the name, or the log; see \"ssdup status\"" :
			    "cannot be created: %s", strerror(-r));
	ours = dmdev_is_ssdup(&d);
	dmdev_free(&d);
	if (new->tab && ours) {
		note(ctx, "%s: is there already", new->name);
		return EXIT_OK;
	}
	return fail(ctx, EXIT_REFUSED, new->name, "a device of that name is there already");
}

/* The UUID that the log has, or will have. */
static void choose_log(const struct new_device *new, const struct pair *p, struct log_options *o)
{
	if (p->log.fault == LOG_OK && !new->format)
		memcpy(o->uuid, ssd_super(&p->log)->uuid, sizeof(o->uuid));
	else
		log_new_uuid(o->uuid);
}

/* mkfs asks before it writes over a partition table; libblkid does not know a log. */
static void advise_partition(const struct ssdup_ctx *ctx, const struct dev *ssd)
{
	static const char * const others[] = { "partition", "dm/name", "md/level" };
	char *other = NULL;
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]) && !other; i++)
		other = dev_sysfs_read(ssd->rdev, others[i]);
	if (!other)
		note(ctx,
		     "%s: a whole disk; in a GPT partition a log is safer, because mkfs asks before it overwrites that",
		     ssd->path);
	free(other);
}

/* A name of the HDD that lasts, if it has one: as it was given, or of /dev/disk/by-id. */
static char *lasting_name(const struct dev *hdd, const char *given)
{
	/* The names of what it holds are masked with that. */
	if (!strncmp(given, "UUID=", 5) || !strncmp(given, "LABEL=", 6))
		return dev_by_id(hdd->rdev) ?: xstrdup(given);
	return strchr(given, '=') || !strncmp(given, "/dev/disk/", 10) ||
	       !strncmp(given, "/dev/mapper/", 12) ? xstrdup(given) :
	       dev_by_id(hdd->rdev) ?: xstrdup(given);
}

/* Without a line no boot makes the device, and its HDD is not hidden. */
static int tell_line(const struct ssdup_ctx *ctx, const struct new_device *new,
		     const struct pair *p, const char *uuid)
{
	char *hdd = lasting_name(&p->hdd, new->hdd), *ssd = xprintf("UUID=%s", uuid);
	char *line = tab_line(new->name, hdd, ssd, new->args);
	struct tab tab = { };
	bool listed;
	int r;

	listed = !tab_read(ctx, &tab) && tab_find(&tab, new->name);
	tab_free(&tab);
	r = listed || !new->save ? 0 : tab_append(ctx->tab, line);
	if (r)
		r = fail(ctx, EXIT_FAILED, ctx->tab, "%s; the line is: %s", strerror(-r), line);
	else if (listed)
		note(ctx, "%s: has a line of that name already", ctx->tab);
	else if (new->save)
		note(ctx, "%s: now has the line \"%s\"", ctx->tab, line);
	else
		note(ctx, "not made at boot without a line in %s (--save adds it): %s", ctx->tab,
		     line);
	free(line);
	free(ssd);
	free(hdd);
	return r;
}

static int make_checked(const struct ssdup_ctx *ctx, struct new_device *new, struct pair *p)
{
	char uuid[UUID_TEXT], size[SIZE_TEXT], *dm_uuid;
	bool known = p->log.fault == LOG_OK && !new->format;
	struct log_options o = { };
	struct dmdev d;
	int r;
	u32 i;

	choose_log(new, p, &o);
	if (ssd_several(&p->log) && !new->log && !new->format)
		new_device_key(new, "log", uuid_text(uuid, o.uuid));
	dm_uuid = xprintf(DM_UUID_PREFIX "%s", uuid_text(uuid, o.uuid));
	r = dmdev_create(new->name, dm_uuid);
	free(dm_uuid);
	if (r)
		return exists(ctx, new, r);
	r = dmdev_status(new->name, &d);
	if (r) {
		dmdev_remove(new->name);
		return fail(ctx, EXIT_FAILED, new->name, "%s", strerror(-r));
	}
	r = bring_up(ctx, new, p, &o, d.rdev);
	dmdev_free(&d);
	if (r) {
		dmdev_remove(new->name);
		return r;
	}
	note(ctx, "/dev/mapper/%s: %s, log UUID %s", new->name,
	     format_size(size, device_sectors(new, p) * SECTOR_BYTES), uuid);
	if (device_sectors(new, p) < p->hdd.bytes / SECTOR_BYTES)
		warn(ctx, new->name,
		     "its HDD has grown, and the device has not; \"ssdup resize %s\" lets it",
		     new->name);
	for_each_disk(&p->ssds, i)
		if (!new->tab && !known)
			advise_partition(ctx, &p->ssds.dev[i]);
	return new->tab ? EXIT_OK : tell_line(ctx, new, p, uuid);
}

/* Others may hold what would be an equal part. */
static void say_part(const struct ssdup_ctx *ctx, const char *name, const struct log_super *pool)
{
	char part[SIZE_TEXT], all[SIZE_TEXT];
	struct state s;

	if (state_read(name, &s))
		return;
	note(ctx, "%s: its log has %s of the %s of the SSD", name,
	     format_size(part, state_log_bytes(&s)),
	     format_size(all, (u64)pool->g.nr_segments * pool->g.segment_sectors * SECTOR_BYTES));
	state_free(&s);
}

/* From now on it says itself that it has not everything: the choice is made. */
static int give_up_others(const struct ssdup_ctx *ctx, const struct pair *p)
{
	const struct dev *dev;
	struct twin_block b;
	int fd, r = 0;
	u32 i;

	for (i = 0; i < p->ssds.io.nr && !r; i++) {
		dev = &p->ssds.given_up[i];
		if (!dev->path)
			continue;
		fd = dev_open(dev, O_RDWR | O_EXCL);
		r = fd < 0 ? fd : ssd_twin_read(fd, p->ssds.io.sectors[i], &b) != TWIN_THERE ?
		    -EBUSY : 0;
		b.out = BIT(b.index);
		b.seq++;
		r = r ?: ssd_twin_write(fd, p->ssds.io.sectors[i], &b);
		if (fd >= 0)
			close(fd);
		if (r)
			return fail(ctx, EXIT_FAILED, dev->path, "cannot be given up: %s",
				    strerror(-r));
		warn(ctx, dev->path, "is out; \"ssdup pool replace\" may use it again");
	}
	return EXIT_OK;
}

/* The kernel looks at the table when there is the log, which does not stay if it is refused. */
static int make_added(const struct ssdup_ctx *ctx, struct new_device *new, struct pair *p)
{
	int r = pair_add(ctx, p, &new->give_up);

	if (r)
		return r;
	r = make_checked(ctx, new, p);
	if (r)
		pair_undo_add(ctx, p);
	else
		say_part(ctx, new->name, ssd_pool(&p->log));
	return r;
}

/* A line of the tab: whoever reads the complaint in a journal has not typed it. */
static int find_disk(const struct ssdup_ctx *ctx, const struct new_device *new, const char *what,
		     const char *spec)
{
	struct dev dev;
	int r = dev_find_quietly(spec, &dev);

	if (r == EXIT_NOT_FOUND)
		return fail(ctx, r, new->name, "the %s, %s, is not there", what, spec);
	if (!r)
		dev_free(&dev);
	return EXIT_OK;
}

int make(const struct ssdup_ctx *ctx, struct new_device *new)
{
	const char *why = name_fault(new->name);
	struct dmdev d;
	struct pair p;
	char *fault;
	int r;

	if (why)
		return fail(ctx, EXIT_USAGE, new->name, "%s", why);
	fault = keys_fault(new->args);
	if (fault) {
		fail(ctx, EXIT_USAGE, new->name, "%s", fault);
		free(fault);
		return EXIT_USAGE;
	}
	r = dmdev_status(new->name, &d);
	if (r == -ENODEV) {
		load_module();
		r = dmdev_status(new->name, &d);
	}
	if (!r) {
		dmdev_free(&d);
		return exists(ctx, new, -EEXIST);
	}
	if (r != -ENXIO)
		return state_complain(ctx, new->name, r);
	if (new->tab)
		new->hdd = member_spec(new->hdd, new->ssds.of[0]);
	r = new->tab ? find_disk(ctx, new, "HDD", new->hdd) ?:
			find_disk(ctx, new, "SSD", new->ssds.of[0]) : EXIT_OK;
	if (r)
		return r;
	new->log = value_of(new, "log");
	if (new->log && new->add) {
		free(new->log);
		return fail(ctx, EXIT_USAGE, new->name, "--add makes a new log: not with log=");
	}
	r = pair_open(ctx, &p, new->hdd, &new->ssds, new->log, false, &new->give_up);
	if (!r && p.ssds.io.some)
		r = fail(ctx, EXIT_NOT_FOUND, p.ssd.path,
			 "is one of several SSDs, and another one is not there: --lost-ssd is for mirrors here; \"ssdup export\" takes what is left");
	if (!r)
		r = choose_host(ctx, new, &p) ?: pair_refuse_hdd(ctx, &p, &new->give_up) ?:
		    (new->add ? EXIT_OK : refuse_ssd(ctx, new, &p));
	if (!r && !new->tab)
		warn_member(ctx, &p);
	r = r ?: give_up_others(ctx, &p);
	if (!r)
		r = new->add ? make_added(ctx, new, &p) : make_checked(ctx, new, &p);
	pair_close(&p);
	free(new->log);
	return r;
}
