// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup status: a device in words, or all there is to know as JSON.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "lib/classes.h"
#include "lib/dev.h"
#include "lib/jobs.h"
#include "lib/json.h"
#include "lib/list.h"
#include "lib/state.h"
#include "lib/wear.h"

/* --- Words --- */

static void say_disk(const char *what, dev_t rdev, uint64_t used)
{
	char number[DEV_NUMBER], size[SIZE_TEXT], *name;
	uint64_t sectors = dev_sectors(rdev);

	if (!rdev)
		return;
	name = dev_kernel_name(rdev);
	printf("  %s:       %s (%s)", what, name, dev_number(number, rdev));
	if (sectors)
		printf(", %s", format_size(size, sectors * SECTOR_BYTES));
	if (sectors > used)
		printf(", %s more than the device: see \"ssdup resize\"",
		       format_size(size, (sectors - used) * SECTOR_BYTES));
	putchar('\n');
	free(name);
}

static void say_segments(const struct state *s)
{
	uint64_t open = s->v.segments - s->v.segments_free - s->v.segments_sealed;

	printf("  segments:  %llu: ", (unsigned long long)s->v.segments);
	/* None is open before the first write, and after a drain of everything. */
	if (open == 1)
		printf("1 open (%llu %% full), ", (unsigned long long)s->v.open_fill_1e4 / 100);
	else if (open)
		printf("%llu open, ", (unsigned long long)open);
	if (s->v.segments_sealed)
		printf("%llu sealed, ", (unsigned long long)s->v.segments_sealed);
	printf("%llu free\n", (unsigned long long)s->v.segments_free);
}

static void say_classes(const struct state *s)
{
	FILE *f = classes_of(s->rdev);
	char size[CLASS_NUMBERS][SIZE_TEXT];
	struct class_line k;
	int i;

	while (f && classes_next(f, &k)) {
		for (i = 0; i < CLASS_NUMBERS; i++)
			format_size(size[i], k.sectors[i] * SECTOR_BYTES);
		printf("  class:     %s, %s: %s held, %s written, %s drained, %s replaced\n",
		       k.name, k.late, size[0], size[1], size[2], size[3]);
	}
	if (f)
		fclose(f);
}

static void say_tenants(const struct state *s, const struct jobs *jobs)
{
	char size[SIZE_TEXT];
	unsigned int at = 0;
	struct tenant t;

	while (tenant_next(jobs, s->name, &at, &t))
		printf("  tenant:    %s, class %s: %u job%s, %s granted\n", t.name, t.class, t.jobs,
		       t.jobs == 1 ? "" : "s", format_size(size, t.bytes));
}

static void say_percent(uint64_t ssd, uint64_t hdd)
{
	if (ssd + hdd)
		printf(" (%llu %% SSD)", (unsigned long long)(100 * ssd / (ssd + hdd)));
	putchar('\n');
}

static void say_requests(const struct state *s)
{
	uint64_t ssd = s->v.write_sectors_ssd, hdd = s->v.write_sectors_hdd;
	char a[SIZE_TEXT], b[SIZE_TEXT];

	printf("  written:   %s at the SSD, %s at the HDD", format_size(a, ssd * SECTOR_BYTES),
	       format_size(b, hdd * SECTOR_BYTES));
	say_percent(ssd, hdd);
	printf("  reads:     %llu of the SSD, %llu of the HDD", (unsigned long long)s->v.reads_ssd,
	       (unsigned long long)s->v.reads_hdd);
	say_percent(s->v.reads_ssd, s->v.reads_hdd);
}

static void say_clean(const struct state *s)
{
	char size[SIZE_TEXT], map[SIZE_TEXT];

	if (!s->v.clean_segments && !s->v.reads_clean)
		return;
	printf("  clean:     %s in %llu of the free segments, %s of memory; %llu reads of it\n",
	       format_size(size, s->v.clean_sectors * SECTOR_BYTES),
	       (unsigned long long)s->v.clean_segments, format_size(map, s->v.clean_map_bytes),
	       (unsigned long long)s->v.reads_clean);
}

static void say_copies(const struct state *s)
{
	char copied[SIZE_TEXT];

	if (!s->v.promoted_sectors)
		return;
	printf("  copies:    %s of what was read; %llu reads from there\n",
	       format_size(copied, s->v.promoted_sectors * SECTOR_BYTES),
	       (unsigned long long)s->v.reads_promoted);
}

static void say_budget(const struct state *s)
{
	char *budget = dev_sysfs_read(s->rdev, "ssdup/ssd_budget"), left[SIZE_TEXT];

	if (budget && strcmp(budget, "0"))
		printf("  budget:    %s left for the SSD, ssd_budget %s\n",
		       format_size(left, s->v.ssd_left_sectors * SECTOR_BYTES), budget);
	free(budget);
}

static void say_out(const struct state *s)
{
	if (s->v.ssds_out)
		printf("  failed:    %llu of the SSDs: see the kernel log; the others go on\n",
		       (unsigned long long)s->v.ssds_out);
}

/* By a tenth or more: what is measured wanders by some per cent. */
static void say_interference(const struct state *s)
{
	if (s->v.ssd_interference_1e4 >= 11000)
		printf("  disturbed: writes to the SSD take %.2f times as long beside its reads\n",
		       s->v.ssd_interference_1e4 / 10000.0);
	if (s->v.ssd_read_interference_1e4 >= 11000)
		printf("  disturbed: reads of the log take %.2f times as long beside writes\n",
		       s->v.ssd_read_interference_1e4 / 10000.0);
}

static void say_one_wear(void *arg, const char *disk, const struct wear *w)
{
	char size[SIZE_TEXT];

	printf("  wear:      %s: ", disk);
	if (w->has_used)
		printf("%u %% of its rated life used%s", w->used, w->has_written ? ", " : "");
	if (w->has_written)
		printf("%s written in its life", format_size(size, w->written));
	putchar('\n');
}

static void say_troubles(const struct state *s, const char *lost)
{
	const char *end;

	if (s->v.waiting_writes || s->v.waiting_flushes)
		printf("  waiting:   %llu writes for %s; %llu flushes\n",
		       (unsigned long long)s->v.waiting_writes, wait_words(s->v.wait_cause),
		       (unsigned long long)s->v.waiting_flushes);
	if (s->v.longest_wait_ms)
		printf("  waited:    a write for %llu ms at most\n",
		       (unsigned long long)s->v.longest_wait_ms);
	if (s->v.ssd_errors || s->v.hdd_errors || s->v.unwritable_extents || s->v.lost_extents)
		printf("  errors:    SSD %llu, HDD %llu; HDD has refused %llu blocks, %llu lost\n",
		       (unsigned long long)s->v.ssd_errors, (unsigned long long)s->v.hdd_errors,
		       (unsigned long long)s->v.unwritable_extents,
		       (unsigned long long)s->v.lost_extents);
	if (s->v.drain_errno)
		printf("  failed:    the last drain: %s\n", strerror(s->v.drain_errno));
	for (; lost && *lost; lost = *end ? end + 1 : end) {
		end = strchrnul(lost, '\n');
		printf("  lost:      sector and sectors %.*s\n", (int)(end - lost), lost);
	}
}

static void say_state(const struct state *s, const char *lost, const struct jobs *jobs)
{
	const char *degraded = state_degraded(s);
	char size[SIZE_TEXT], all[SIZE_TEXT];
	unsigned int i;

	printf("%s: %s%s%s, policy %s, %s%s\n", s->name, mode_words(s->v.mode),
	       s->suspended ? ", suspended" : "", s->read_only ? ", read-only" : "",
	       state_policy(s), format_size(size, s->sectors * SECTOR_BYTES),
	       s->open_count > 0 ? ", in use" : "");
	if (degraded)
		printf("  degraded:  %s\n", degraded);
	say_disk("HDD", s->hdd, s->sectors);
	for (i = 0; i < s->nr_ssds; i++)
		say_disk("SSD", s->ssds[i], UINT64_MAX);
	if (s->log_uuid)
		printf("  log:       UUID %s\n", s->log_uuid);
	printf("  dirty:     %s", format_size(size, s->v.dirty_sectors * SECTOR_BYTES));
	if (state_log_bytes(s))
		printf(" of %s", format_size(all, state_log_bytes(s)));
	printf(" not on the HDD yet, in %llu extent%s\n", (unsigned long long)s->v.extents,
	       s->v.extents == 1 ? "" : "s");
	say_segments(s);
	say_classes(s);
	say_tenants(s, jobs);
	printf("  drain:     %s\n", drain_words(s->v.drain_state));
	say_requests(s);
	say_clean(s);
	say_copies(s);
	say_budget(s);
	say_out(s);
	say_interference(s);
	for (i = 0; i < s->nr_ssds; i++)
		wear_each(s->ssds[i], say_one_wear, NULL);
	say_troubles(s, lost);
}

/* --- JSON --- */

static void json_disk(struct json *j, const char *key, dev_t rdev)
{
	char number[DEV_NUMBER], *name;

	json_begin(j, key, '{');
	if (rdev) {
		name = dev_kernel_name(rdev);
		json_text(j, "number", dev_number(number, rdev));
		json_text(j, "name", name);
		free(name);
	}
	json_end(j, '}');
}

static void json_lost(struct json *j, const char *lost)
{
	unsigned long long sector, sectors;
	const char *end;

	json_begin(j, "lost_ranges", '[');
	for (; lost && *lost; lost = *end ? end + 1 : end) {
		end = strchrnul(lost, '\n');
		if (sscanf(lost, "%llu %llu", &sector, &sectors) != 2)
			continue;
		json_begin(j, NULL, '{');
		json_number(j, "sector", sector);
		json_number(j, "sectors", sectors);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void json_classes(struct json *j, const struct state *s)
{
	static const char *const words[] = {
		"held_sectors", "written_sectors", "drained_sectors", "replaced_sectors",
	};
	FILE *f = classes_of(s->rdev);
	struct class_line k;
	int i;

	json_begin(j, "classes", '[');
	while (f && classes_next(f, &k)) {
		json_begin(j, NULL, '{');
		json_text(j, "name", k.name);
		json_bool(j, "late", !strcmp(k.late, "late"));
		for (i = 0; i < CLASS_NUMBERS; i++)
			json_number(j, words[i], k.sectors[i]);
		json_end(j, '}');
	}
	json_end(j, ']');
	if (f)
		fclose(f);
}

static void json_jobs(struct json *j, const struct state *s, const struct jobs *jobs)
{
	const struct job *job;

	json_begin(j, "jobs", '[');
	for (job = jobs->job; job < jobs->job + jobs->nr; job++) {
		if (strcmp(job->device, s->name))
			continue;
		json_begin(j, NULL, '{');
		json_text(j, "id", job->id);
		json_text(j, "tenant", job->tenant);
		json_text(j, "class", job->class);
		json_number(j, "granted_bytes", job->bytes);
		json_bool(j, "runs", job->runs);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void json_one_wear(void *arg, const char *disk, const struct wear *w)
{
	struct json *j = arg;

	json_begin(j, NULL, '{');
	json_text(j, "disk", disk);
	if (w->has_used)
		json_number(j, "used_percent", w->used);
	if (w->has_written)
		json_number(j, "written_bytes", w->written);
	json_end(j, '}');
}

static void put_json(struct json *j, const struct state *s, const char *lost,
		     const struct jobs *jobs)
{
	unsigned int i;

	json_begin(j, NULL, '{');
	json_text(j, "name", s->name);
	json_text(j, "log_uuid", s->log_uuid);
	json_disk(j, "device", s->rdev);
	json_disk(j, "hdd", s->hdd);
	json_disk(j, "ssd", s->ssd);
	json_begin(j, "ssds", '[');
	for (i = 0; i < s->nr_ssds; i++)
		json_disk(j, NULL, s->ssds[i]);
	json_end(j, ']');
	json_number(j, "sectors", s->sectors);
	json_number(j, "segment_sectors", s->segment_sectors);
	json_bool(j, "suspended", s->suspended);
	json_text(j, "degraded", state_degraded(s));
	json_text(j, "mode_text", mode_words(s->v.mode));
	json_text(j, "policy", s->policy);
	json_text(j, "drain_state_text", drain_words(s->v.drain_state));
	json_text(j, "wait_cause_text", wait_words(s->v.wait_cause));
	json_lost(j, lost);
	json_classes(j, s);
	json_jobs(j, s, jobs);
	json_begin(j, "wear", '[');
	for (i = 0; i < s->nr_ssds; i++)
		wear_each(s->ssds[i], json_one_wear, j);
	json_end(j, ']');
	json_begin(j, "status", '{');
	for (i = 0; i < SSDUP_NR_FIELDS; i++)
		json_number(j, fields[i].name, state_field(s, i));
	json_end(j, '}');
	json_end(j, '}');
}

/* --- All of them --- */

static int show_device(struct ssdup_ctx *ctx, const char *name, struct json *j, bool first)
{
	struct jobs jobs;
	struct state s;
	char *lost;
	int r;

	r = state_read(name, &s);
	if (r)
		return state_complain(ctx, name, r);
	lost = state_read_lost(&s);
	jobs_read(&jobs);
	if (j) {
		put_json(j, &s, lost, &jobs);
	} else {
		if (!first)
			putchar('\n');
		say_state(&s, lost, &jobs);
	}
	r = state_degraded(&s) ? EXIT_DEGRADED : EXIT_OK;
	jobs_free(&jobs);
	free(lost);
	state_free(&s);
	return r;
}

static int show_all(struct ssdup_ctx *ctx, char **names, struct json *j)
{
	int r, worst = EXIT_OK;
	unsigned int i;

	if (j) {
		json_begin(j, NULL, '{');
		json_begin(j, "devices", '[');
	}
	for (i = 0; names[i]; i++) {
		r = show_device(ctx, names[i], j, !i);
		worst = worse(worst, r);
	}
	if (j) {
		json_end(j, ']');
		json_end(j, '}');
	} else if (!i) {
		note(ctx, "There is no dm-ssdup device.");
	}
	return worst;
}

int cmd_status(struct ssdup_ctx *ctx, int argc, char **argv)
{
	struct json json = { .to = stdout }, *j = NULL;
	char **names;
	int opt, r;

	while ((opt = next_option(ctx, argc, argv)) != OPT_END) {
		if (opt == OPT_STOP)
			return ctx->exit;
		j = &json;
	}
	if (optind < argc)
		return show_all(ctx, argv + optind, j);
	r = all_names(ctx, &names);
	if (r)
		return r;
	if (!j && names[0] && names[1] && names[2])
		r = list_devices(ctx, names, NULL, false);
	else
		r = show_all(ctx, names, j);
	names_free(names);
	return r;
}
