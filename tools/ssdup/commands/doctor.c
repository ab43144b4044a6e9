// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup doctor: looks at all that a device needs. What is made of it is in lib/doctor.c.
 */
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "commands.h"
#include "lib/dev.h"
#include "lib/doctor.h"
#include "lib/json.h"
#include "lib/run.h"
#include "lib/state.h"
#include "lib/super.h"
#include "lib/tab.h"
#include "lib/tabcheck.h"

#define MAX_DISKS	64		/* below a device */
#define MAX_SEEN	1024
#define FIRST(...)	first((const char *const[]){ __VA_ARGS__, NULL })
#define SECURE_BOOT	"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"

/* What is said, and the worst of it. */
struct report {
	enum verdict	worst;
	struct json	*json;		/* for programs; NULL: for people */
};

static const char *const verdicts[NR_VERDICTS] = { "ok", "advice", "wrong" };

static void say(struct report *to, const char *what, struct finding f)
{
	if (to->json) {
		json_begin(to->json, NULL, '{');
		json_text(to->json, "what", what);
		json_text(to->json, "verdict", verdicts[f.verdict]);
		json_text(to->json, "text", f.text);
		json_end(to->json, '}');
	} else {
		printf("%-6s  %-11s %s\n", verdicts[f.verdict], what, f.text);
	}
	free(f.text);
	if (f.verdict > to->worst)
		to->worst = f.verdict;
}

/* --- Facts of the machine --- */

/* Of patterns of paths the first that is there; free() it. */
static char *first(const char *const patterns[])
{
	char *path = NULL;
	glob_t g;

	for (; *patterns && !path; patterns++) {
		if (!glob(*patterns, 0, NULL, &g))
			path = xstrdup(g.gl_pathv[0]);
		globfree(&g);
	}
	return path;
}

static bool there(char *path)
{
	bool is = path;

	free(path);
	return is;
}

static bool has_module(const char *release)
{
	char line[4096], *path = xprintf("/lib/modules/%s/modules.dep", release);
	FILE *f = fopen(path, "re");
	bool has = false;

	while (f && !has && fgets(line, sizeof(line), f))
		has = strstr(line, "/dm-ssdup.ko");
	if (f)
		fclose(f);
	free(path);
	return has;
}

/* Other kernels that can be booted and have no module, with commas between; NULL or free() it. */
static char *kernels_without(const char *running)
{
	char *list = NULL, *more;
	const char *release;
	glob_t g;
	size_t i;

	if (glob("/boot/vmlinuz-*", 0, NULL, &g))
		g.gl_pathc = 0;
	for (i = 0; i < g.gl_pathc; i++) {
		release = g.gl_pathv[i] + strlen("/boot/vmlinuz-");
		if (!strcmp(release, running) || has_module(release))
			continue;
		more = list ? xprintf("%s, %s", list, release) : xstrdup(release);
		free(list);
		list = more;
	}
	globfree(&g);
	return list;
}

/* A line of "modinfo"; NULL or free() it. */
static char *module_field(const char *field)
{
	const char *const argv[] = { "modinfo", "-F", field, "dm-ssdup", NULL };
	char *text = run_output(argv);

	if (text)
		text[strcspn(text, "\n")] = '\0';
	if (text && !*text) {
		free(text);
		text = NULL;
	}
	return text;
}

static void look_at_module(struct doctor_facts *f)
{
	char *loaded = folder_line("/sys/module/dm_ssdup", "srcversion");
	char *installed = module_field("srcversion");

	f->loaded = !access("/sys/module/dm_ssdup", F_OK);
	f->installed = has_module(f->release);
	f->other = loaded && installed && strcmp(loaded, installed);
	free(loaded);
	free(installed);
	f->signer = module_field("signer");
}

/* The last byte behind four of attributes. */
static bool secure_boot(void)
{
	unsigned char data[5] = { };
	int fd = open(SECURE_BOOT, O_RDONLY | O_CLOEXEC);
	bool on = fd >= 0 && read(fd, data, sizeof(data)) == sizeof(data) && data[4] == 1;

	if (fd >= 0)
		close(fd);
	return on;
}

static void look_at_signatures(struct doctor_facts *f)
{
	char *lockdown = folder_line("/sys/kernel/security", "lockdown");
	char *enforce = folder_line("/sys/module/module/parameters", "sig_enforce");
	bool locked = lockdown && !strstr(lockdown, "[none]"), all = enforce && *enforce == 'Y';

	f->enforced = locked || all;
	f->enforced_by = secure_boot() ? "Secure Boot" : locked ? "lockdown" : "module.sig_enforce";
	free(lockdown);
	free(enforce);
}

static time_t changed(char *path)
{
	struct stat st;
	time_t when = path && !stat(path, &st) ? st.st_mtime : 0;

	free(path);
	return when;
}

static void look_at_boot(const struct ssdup_ctx *ctx, struct doctor_facts *f)
{
	char *debian = xprintf("/boot/initrd.img-%s", f->release);
	char *other = xprintf("/boot/initramfs-%s*", f->release);
	time_t made = changed(FIRST(debian, other));

	f->without = kernels_without(f->release);
	free(debian);
	free(other);
	debian = xprintf("/lib/modules/%s/build/Makefile", f->release);
	f->headers = there(FIRST(debian));
	free(debian);
	f->udev = !access("/run/udev/control", F_OK);
	f->rules = there(FIRST("/*/udev/rules.d/63-ssdup.rules",
			       "/usr/lib/udev/rules.d/63-ssdup.rules")) &&
		   there(FIRST("/lib/systemd/system/ssdup@.service",
			       "/usr/lib/systemd/system/ssdup@.service"));
	f->hook = there(FIRST("/usr/share/initramfs-tools/hooks/ssdup",
			      "/usr/lib/dracut/modules.d/90ssdup"));
	f->initramfs = made;
	f->outdated = changed(xstrdup(ctx->tab)) > made;
}

/* tab_free() it. */
static int look_at_tab(const struct ssdup_ctx *ctx, struct doctor_facts *f, struct tab *tab)
{
	int r = tab_read(ctx, tab);

	if (r)
		return fail(ctx, EXIT_FAILED, ctx->tab, "%s", strerror(-r));
	f->lines = tab->nr + tab->faults;
	tab_count(tab, &f->errors, &f->warnings);
	f->errors += tab->faults;
	return EXIT_OK;
}

/* --- Disks --- */

static bool is_line(char *line, const char *begin)
{
	bool is = line && !strncmp(line, begin, strlen(begin));

	free(line);
	return is;
}

static bool in_array(const char *name)
{
	char *whole = xprintf("/sys/block/%s/holders/md*", name);
	char *part = xprintf("/sys/block/%s/*/holders/md*", name);
	bool in = there(FIRST(whole, part));

	free(whole);
	free(part);
	return in;
}

static void look_at_disk(struct report *to, dev_t rdev, bool hdd)
{
	char *name = dev_kernel_name(rdev), *cache = dev_queue_read(rdev, "write_cache");
	char *scheduler = dev_queue_read(rdev, "scheduler");
	struct doctor_disk d = {
		.name = name,
		.hdd = hdd,
		.rotates = is_line(dev_queue_read(rdev, "rotational"), "1"),
		.gone = !dev_known(rdev),
		.ata = is_line(dev_sysfs_read(rdev, "device/vendor"), "ATA"),
		.array = in_array(name),
		.cache = cache,
		.scheduler = scheduler,
	};

	say(to, "disk", doctor_disk(&d));
	if (!d.gone) {
		say(to, "write cache", doctor_cache(&d));
		say(to, "scheduler", doctor_scheduler(&d));
	}
	free(name);
	free(cache);
	free(scheduler);
}

/* Disks that were looked at: several devices may share one. */
struct seen {
	dev_t		disk[MAX_SEEN];
	unsigned int	nr;
};

static bool see(struct seen *seen, dev_t disk)
{
	unsigned int i;

	for (i = 0; i < seen->nr && seen->disk[i] != disk; i++)
		;
	if (i < seen->nr || seen->nr == MAX_SEEN)
		return false;
	seen->disk[seen->nr++] = disk;
	return true;
}

/* The disks that one side of a device lies on. */
static void look_at_side(struct report *to, struct seen *seen, dev_t rdev, bool hdd)
{
	dev_t disk[MAX_DISKS];
	unsigned int nr = dev_disks(rdev, disk, MAX_DISKS), i;

	for (i = 0; i < nr; i++)
		if (see(seen, disk[i]))
			look_at_disk(to, disk[i], hdd);
}

static unsigned int read_ahead(dev_t rdev)
{
	char *line = dev_queue_read(rdev, "read_ahead_kb");
	unsigned int kib = line ? strtoul(line, NULL, 10) : 0;

	free(line);
	return kib;
}

/* The device has its SSD open; the record is read beside that. */
static void look_at_hdd(struct report *to, const struct state *s, const char *name)
{
	char *hdd = dev_kernel_name(s->hdd), *ssd = dev_kernel_name(s->ssd);
	struct dev dev = { .path = xprintf("/dev/%s", hdd), .rdev = s->hdd };
	struct dev log_dev = { .path = xprintf("/dev/%s", ssd), .rdev = s->ssd };
	int fd = dev_open(&log_dev, O_RDONLY);
	struct ssds ssds = ssds_some(fd);
	u8 id[SSDUP_HDD_ID_BYTES];
	struct ssd_log log;

	if (fd >= 0 && !ssd_log_read(&ssds, &log, s->log_uuid) && log.fault == LOG_OK) {
		dev_identity(&dev, id);
		say(to, "HDD", doctor_hdd(name, ssd_super(&log)->hdd_id, id));
	}
	if (fd >= 0)
		close(fd);
	dev_free(&dev);
	dev_free(&log_dev);
	free(hdd);
	free(ssd);
}

static void look_at_device(struct report *to, struct seen *seen, const char *name)
{
	const char *degraded;
	struct state s;
	unsigned int i;

	if (state_read(name, &s))
		return;
	free(state_read_lost(&s));
	degraded = state_degraded(&s);
	say(to, "device", (struct finding){
		    degraded ? VERDICT_ADVICE : VERDICT_OK,
		    xprintf("%s: %s%s", name, degraded ?: "runs",
			    degraded ? "; see \"ssdup status\"" : "") });
	look_at_hdd(to, &s, name);
	if (s.hdd && dev_sectors(s.hdd))
		say(to, "size", doctor_size(name, s.sectors, dev_sectors(s.hdd)));
	say(to, "read-ahead", doctor_read_ahead(name, read_ahead(s.rdev), read_ahead(s.hdd)));
	look_at_side(to, seen, s.hdd, true);
	for (i = 0; i < s.nr_ssds; i++)
		look_at_side(to, seen, s.ssds[i], false);
	state_free(&s);
}

/* --- All of it --- */

static const struct {
	const char	*what;
	struct finding	(*judge)(const struct doctor_facts *f);
} checks[] = {
	{ "module", doctor_module },
	{ "signature", doctor_signature },
	{ "kernel", doctor_kernel },
	{ "udev", doctor_udev },
	{ "initramfs", doctor_initramfs },
	{ "ssduptab", doctor_tab },
};

static void look_at_all(const struct ssdup_ctx *ctx, struct report *to,
			const struct doctor_facts *f, const struct tab *tab, char *const *names)
{
	struct seen seen = { };
	size_t i;

	for (i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		say(to, checks[i].what, checks[i].judge(f));
	for (; *names; names++) {
		look_at_device(to, &seen, *names);
		say(to, "boot", doctor_line(*names, ctx->tab, tab_find(tab, *names)));
	}
}

int cmd_doctor(struct ssdup_ctx *ctx, int argc, char **argv)
{
	static const int codes[NR_VERDICTS] = { EXIT_OK, EXIT_DEGRADED, EXIT_FAILED };
	struct json j = { .to = stdout };
	struct doctor_facts f = { };
	struct utsname kernel;
	struct report to = { };
	struct tab tab;
	char **names;
	int opt, r;

	while ((opt = next_option(ctx, argc, argv)) > OPT_END)
		if (opt == OPT_JSON)
			to.json = &j;
	if (opt == OPT_STOP || !operands(ctx, argc, argv, 0, 0))
		return ctx->exit;
	uname(&kernel);
	f.release = kernel.release;
	r = look_at_tab(ctx, &f, &tab) ?: all_names(ctx, &names);
	if (r)
		return r;
	look_at_module(&f);
	look_at_signatures(&f);
	look_at_boot(ctx, &f);
	if (to.json) {
		json_begin(&j, NULL, '{');
		json_begin(&j, "checks", '[');
	}
	look_at_all(ctx, &to, &f, &tab, names);
	if (to.json) {
		json_end(&j, ']');
		json_text(&j, "verdict", verdicts[to.worst]);
		json_end(&j, '}');
	}
	names_free(names);
	tab_free(&tab);
	free((char *)f.signer);
	free((char *)f.without);
	return codes[to.worst];
}
