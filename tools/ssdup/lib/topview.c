// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: the screen of "ssdup top". Lines have a rank: where there is no room for
 * all, the highest ranks go first. What is left over is the graph's.
 */
#include <stdio.h>
#include <string.h>

#include "topview.h"

#define MAX_LINES	32U
#define LEAST_GRAPH	5U
#define LABEL		10U	/* columns of the words in front */
#define WIDE		64U	/* from here on there is room for bars and whole sentences */

/* --- Looking --- */

bool disk_parse(struct disk_counters *d, const char *line)
{
	unsigned long long v[11];

	if (sscanf(line, "%llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1],
		   &v[2], &v[3], &v[4], &v[5], &v[6], &v[7], &v[8], &v[9], &v[10]) != 11)
		return false;
	*d = (struct disk_counters){ v[2], v[6], v[8], v[9], v[10] };
	return true;
}

/* Counters of 32 bits, and devices made anew, go back. */
static uint64_t per_second(uint64_t now, uint64_t before, uint64_t ms)
{
	return ms && now >= before ? (__uint128_t)(now - before) * 1000 / ms : 0;
}

static void look_at_disk(struct top_disk *d, const struct disk_counters *now, uint64_t ms)
{
	uint64_t busy = per_second(now->busy_ms, d->last.busy_ms, ms) * 10;

	d->read_bps = per_second(now->read_sectors, d->last.read_sectors, ms) * SECTOR_BYTES;
	d->write_bps = per_second(now->write_sectors, d->last.write_sectors, ms) * SECTOR_BYTES;
	d->queue_1e2 = per_second(now->queue_ms, d->last.queue_ms, ms) / 10;
	d->busy_1e4 = busy > 10000 ? 10000 : busy;
	d->last = *now;
}

static void remember(struct top_view *v)
{
	bool new = v->now.v.streams != v->before.streams;

	if (v->history == TOP_HISTORY) {
		memmove(v->random_1e4, v->random_1e4 + 1, sizeof(v->random_1e4) - 2);
		memmove(v->threshold_1e4, v->threshold_1e4 + 1, sizeof(v->threshold_1e4) - 2);
		v->history--;
	}
	v->random_1e4[v->history] = new ? v->now.v.random_percentage_1e4 : TOP_NO_STREAM;
	v->threshold_1e4[v->history] = v->now.v.threshold_1e4;
	v->history++;
}

void top_look(struct top_view *v, uint64_t ms, struct state *now,
	      const struct disk_counters disks[3])
{
	bool first = !v->now.name;
	unsigned int i;

	v->before = first ? now->v : v->now.v;
	state_free(&v->now);
	v->now = *now;
	memset(now, 0, sizeof(*now));
	v->ms = first ? 0 : ms - v->last_ms;
	v->last_ms = ms;
	for (i = 0; i < 3; i++)
		look_at_disk(&v->disk[i], &disks[i], v->ms);
	if (!v->now.v.dirty_sectors)
		v->drain.all = 0;
	progress_update(&v->drain, ms, state_dirty_bytes(&v->now),
			v->now.v.drained_sectors * SECTOR_BYTES);
	remember(v);
}

static void look_at_class(struct top_class *k, const struct class_line *now, uint64_t ms)
{
	k->written_bps = per_second(now->sectors[CLASS_WRITTEN], k->last.sectors[CLASS_WRITTEN],
				    ms) * SECTOR_BYTES;
	k->drained_bps = per_second(now->sectors[CLASS_DRAINED], k->last.sectors[CLASS_DRAINED],
				    ms) * SECTOR_BYTES;
	k->last = *now;
}

void top_look_at_classes(struct top_view *v, const struct class_line *now, unsigned int nr)
{
	unsigned int i;

	nr = nr < SSDUP_MAX_CLASSES ? nr : SSDUP_MAX_CLASSES;
	for (i = 0; i < nr; i++)
		look_at_class(&v->class[i], &now[i], i < v->nr_classes ? v->ms : 0);
	v->nr_classes = nr;
}

/* --- Lines --- */

struct line {
	void		(*draw)(const struct top_view *v, struct screen *s, unsigned int row,
				unsigned int arg);
	unsigned int	arg;
	unsigned int	rank;
};

static unsigned int label(struct screen *s, unsigned int row, const char *text)
{
	screen_put(s, row, 0, ATTR_BOLD, "%s", text);
	return LABEL;
}

static void draw_title(const struct top_view *v, struct screen *s, unsigned int row,
		       unsigned int arg)
{
	char size[SIZE_TEXT];
	unsigned int i;

	for (i = 0; i < s->columns; i++)
		screen_put(s, row, i, ATTR_REVERSE, " ");
	i = screen_put(s, row, 0, ATTR_REVERSE, "%s: %s%s, policy %s", v->now.name,
		       mode_words(v->now.v.mode), v->now.suspended ? ", suspended" : "",
		       policy_word(v->now.v.policy));
	format_size(size, v->now.sectors * SECTOR_BYTES);
	if (i + strlen(size) + strlen(v->clock) + 4 < s->columns)
		screen_put(s, row, i, ATTR_REVERSE, ", %s", size);
	if (i + strlen(v->clock) + 1 < s->columns)
		screen_put(s, row, s->columns - strlen(v->clock), ATTR_REVERSE, "%s", v->clock);
}

static void draw_alarm(const struct top_view *v, struct screen *s, unsigned int row,
		       unsigned int arg)
{
	screen_put(s, row, 0, ATTR_ALARM, "%s", state_degraded(&v->now));
}

static void draw_heads(const struct top_view *v, struct screen *s, unsigned int row,
		       unsigned int arg)
{
	if (s->columns >= WIDE)
		screen_put(s, row, LABEL, ATTR_PLAIN, "%-10s %13s %13s %8s  %s", "", "read/s",
			   "write/s", "queue", "busy");
	else
		screen_put(s, row, LABEL, ATTR_PLAIN, "%10s %10s %6s", "read/s", "write/s",
			   "queue");
}

/* In MB/s as disks are sold: the same unit in all lines is read at a glance. */
static void put_rate(char *text, size_t size, uint64_t bps)
{
	uint64_t tenths = (bps + 50000) / 100000;

	snprintf(text, size, "%llu.%u MB", (unsigned long long)tenths / 10,
		 (unsigned int)(tenths % 10));
}

static void draw_disk(const struct top_view *v, struct screen *s, unsigned int row,
		      unsigned int arg)
{
	const struct top_disk *d = &v->disk[arg];
	unsigned int at = label(s, row, d->what), busy = (d->busy_1e4 + 50) / 100;
	char reads[SIZE_TEXT], writes[SIZE_TEXT];

	put_rate(reads, sizeof(reads), d->read_bps);
	put_rate(writes, sizeof(writes), d->write_bps);
	if (s->columns < WIDE) {
		screen_put(s, row, at, ATTR_PLAIN, "%10s %10s %4u.%u", reads, writes,
			   d->queue_1e2 / 100, d->queue_1e2 / 10 % 10);
		return;
	}
	at = screen_put(s, row, at, ATTR_PLAIN, "%-10.10s %13s %13s %6u.%u  %3u %% ", d->name,
			reads, writes, d->queue_1e2 / 100, d->queue_1e2 / 10 % 10, busy);
	if (at + 6 < s->columns)
		screen_bar(s, row, at, s->columns - at, d->busy_1e4);
}

static void draw_segments(struct screen *s, unsigned int row, unsigned int at, const char *what,
			  uint64_t share, const char *after)
{
	unsigned int width;

	at = screen_put(s, row, at, ATTR_PLAIN, "%-10s", what);
	width = s->columns > at + 16 ? s->columns - at - 14 : 0;
	if (width > 50)
		width = 50;
	at = screen_bar(s, row, at, width, share);
	screen_put(s, row, at + 1, ATTR_PLAIN, "%s", after);
}

static void draw_open(const struct top_view *v, struct screen *s, unsigned int row,
		      unsigned int arg)
{
	uint64_t share = v->now.v.open_fill_1e4;
	char after[32];

	snprintf(after, sizeof(after), "%llu %% full", (unsigned long long)share / 100);
	draw_segments(s, row, label(s, row, "segments"), "open", share, after);
}

static void draw_sealed(const struct top_view *v, struct screen *s, unsigned int row,
			unsigned int arg)
{
	uint64_t all = v->now.v.segments, sealed = v->now.v.segments_sealed;
	char after[64];

	snprintf(after, sizeof(after), "%llu of %llu", (unsigned long long)sealed,
		 (unsigned long long)all);
	draw_segments(s, row, LABEL, "sealed",
		      all && sealed < all ? (__uint128_t)sealed * 10000 / all :
		      sealed ? 10000 : 0, after);
}

static void draw_log(const struct top_view *v, struct screen *s, unsigned int row,
		     unsigned int arg)
{
	unsigned int at = label(s, row, "dirty");
	char dirty[SIZE_TEXT], all[SIZE_TEXT];

	at = screen_put(s, row, at, ATTR_PLAIN, "%s",
			format_size(dirty, v->now.v.dirty_sectors * SECTOR_BYTES));
	if (state_log_bytes(&v->now))
		at = screen_put(s, row, at, ATTR_PLAIN, " of %s",
				format_size(all, state_log_bytes(&v->now)));
	if (s->columns >= WIDE)
		screen_put(s, row, at, ATTR_PLAIN, ", %llu extents",
			   (unsigned long long)v->now.v.extents);
}

static void draw_class(const struct top_view *v, struct screen *s, unsigned int row,
		       unsigned int arg)
{
	char held[SIZE_TEXT], written[SIZE_TEXT], drained[SIZE_TEXT];
	const struct top_class *k = &v->class[arg];
	unsigned int at = label(s, row, arg ? "" : "classes");

	format_size(held, k->last.sectors[CLASS_HELD] * SECTOR_BYTES);
	put_rate(written, sizeof(written), k->written_bps);
	put_rate(drained, sizeof(drained), k->drained_bps);
	if (s->columns >= WIDE)
		screen_put(s, row, at, ATTR_PLAIN, "%-15.15s %s: %s, %s/s written, %s/s drained",
			   k->last.name, k->last.late, held, written, drained);
	else
		screen_put(s, row, at, ATTR_PLAIN, "%s: %s", k->last.name, held);
}

static void draw_drain(const struct top_view *v, struct screen *s, unsigned int row,
		       unsigned int arg)
{
	char left[SIZE_TEXT], time[SIZE_TEXT], speed[SIZE_TEXT];
	uint64_t rate = rate_now(&v->drain.rate);
	unsigned int at = label(s, row, "drain");

	at = screen_put(s, row, at, ATTR_PLAIN, "%s", drain_words(v->now.v.drain_state));
	if (!rate || !v->drain.left)
		return;
	put_rate(speed, sizeof(speed), rate);
	at = screen_put(s, row, at, ATTR_PLAIN, ": %s/s", speed);
	if (s->columns >= WIDE)
		screen_put(s, row, at, ATTR_PLAIN, ", %s left, %s",
			   format_size(left, v->drain.left),
			   format_time(time, (v->drain.left + rate - 1) / rate));
}

/* "SSD 61 % (120.0 MB/s), HDD 39 % (77.0 MB/s)" of this look, or of all when nothing moved. */
static unsigned int put_ways(const struct top_view *v, struct screen *s, unsigned int row,
			     unsigned int at, uint64_t ssd, uint64_t hdd)
{
	char a[SIZE_TEXT], b[SIZE_TEXT];
	uint64_t all = ssd + hdd;

	if (!all)
		return screen_put(s, row, at, ATTR_PLAIN, "none");
	put_rate(a, sizeof(a), per_second(ssd, 0, v->ms) * SECTOR_BYTES);
	put_rate(b, sizeof(b), per_second(hdd, 0, v->ms) * SECTOR_BYTES);
	if (s->columns >= WIDE)
		return screen_put(s, row, at, ATTR_PLAIN,
				  "SSD %3llu %% (%s/s), HDD %3llu %% (%s/s)",
				  (unsigned long long)(100 * ssd / all), a,
				  (unsigned long long)(100 - 100 * ssd / all), b);
	return screen_put(s, row, at, ATTR_PLAIN, "SSD %llu %%, HDD %llu %%",
			  (unsigned long long)(100 * ssd / all),
			  (unsigned long long)(100 - 100 * ssd / all));
}

static uint64_t since(uint64_t now, uint64_t before)
{
	return now >= before ? now - before : 0;
}

static void draw_writes(const struct top_view *v, struct screen *s, unsigned int row,
			unsigned int arg)
{
	unsigned int at = put_ways(v, s, row, label(s, row, "writes"),
		 since(v->now.v.write_sectors_ssd, v->before.write_sectors_ssd),
		 since(v->now.v.write_sectors_hdd, v->before.write_sectors_hdd));

	screen_put(s, row, at, ATTR_PLAIN, s->columns >= WIDE ? "; stream to the %s" : "; %s now",
		   v->now.v.route ? "SSD" : "HDD");
}

static void draw_reads(const struct top_view *v, struct screen *s, unsigned int row,
		       unsigned int arg)
{
	uint64_t ssd = since(v->now.v.reads_ssd, v->before.reads_ssd);
	uint64_t hdd = since(v->now.v.reads_hdd, v->before.reads_hdd);
	unsigned int at;

	at = put_ways(v, s, row, label(s, row, "reads"),
		      since(v->now.v.read_sectors_ssd, v->before.read_sectors_ssd),
		      since(v->now.v.read_sectors_hdd, v->before.read_sectors_hdd));
	if (ssd + hdd && s->columns >= WIDE)
		screen_put(s, row, at, ATTR_PLAIN, "; %llu %% hits",
			   (unsigned long long)(100 * ssd / (ssd + hdd)));
}

static void draw_waits(const struct top_view *v, struct screen *s, unsigned int row,
		       unsigned int arg)
{
	unsigned int at = label(s, row, "waiting");
	const struct state_fields *f = &v->now.v;
	uint64_t waited = since(f->waited_writes, v->before.waited_writes);

	if (f->waiting_writes)
		at = screen_put(s, row, at, ATTR_BOLD, "%llu writes for %s",
				(unsigned long long)f->waiting_writes,
				wait_words(f->wait_cause));
	else if (waited)
		at = screen_put(s, row, at, ATTR_PLAIN, "%llu writes had to",
				(unsigned long long)waited);
	else
		at = screen_put(s, row, at, ATTR_PLAIN, "no write");
	if (f->waiting_flushes)
		screen_put(s, row, at, ATTR_PLAIN, "; %llu flushes",
			   (unsigned long long)f->waiting_flushes);
}

static void draw_errors(const struct top_view *v, struct screen *s, unsigned int row,
			unsigned int arg)
{
	const struct state_fields *f = &v->now.v;

	screen_put(s, row, label(s, row, "errors"), ATTR_ALARM,
		   "SSD %llu, HDD %llu; HDD has refused %llu blocks, %llu lost",
		   (unsigned long long)f->ssd_errors, (unsigned long long)f->hdd_errors,
		   (unsigned long long)f->unwritable_extents, (unsigned long long)f->lost_extents);
}

static void draw_keys(const struct top_view *v, struct screen *s, unsigned int row,
		      unsigned int arg)
{
	screen_put(s, row, 0, ATTR_PLAIN, s->columns >= WIDE ?
		   "q quit   Tab next device   + - faster or slower   Space look now" :
		   "q quit   Tab next   + - speed");
}

static void draw_gap(const struct top_view *v, struct screen *s, unsigned int row,
		     unsigned int arg)
{
}

/* --- The graph --- */

static unsigned int row_of(unsigned int value_1e4, unsigned int rows)
{
	unsigned int up = (value_1e4 * (rows - 1) + 5000) / 10000;

	return rows - 1 - (up < rows ? up : rows - 1);
}

static void draw_graph(const struct top_view *v, struct screen *s, unsigned int row,
		       unsigned int rows)
{
	unsigned int left = 5, width = s->columns - left, n, i, column;

	screen_put(s, row, 0, ATTR_BOLD, "random %%");
	screen_put(s, row, LABEL, ATTR_PLAIN, s->columns >= WIDE ?
		   "of the last stream (*) over time, threshold (-): %llu %%, %llu %%" :
		   "* %llu, threshold - %llu",
		   (unsigned long long)v->now.v.random_percentage_1e4 / 100,
		   (unsigned long long)v->now.v.threshold_1e4 / 100);
	/* An odd number of them has one for 50 %. */
	row++;
	rows -= rows & 1 ? 2 : 1;
	for (i = 0; i < rows; i++) {
		bool even = !(i % ((rows - 1) / 2));

		screen_put(s, row + i, 0, ATTR_PLAIN, even ? "%3u |" : "    |",
			   100 - 50 * i / ((rows - 1) / 2));
	}
	n = v->history < width ? v->history : width;
	for (i = 0; i < n; i++) {
		unsigned int at = v->history - n + i;

		column = left + width - n + i;
		screen_put(s, row + row_of(v->threshold_1e4[at], rows), column, ATTR_PLAIN, "-");
		if (v->random_1e4[at] != TOP_NO_STREAM)
			screen_put(s, row + row_of(v->random_1e4[at], rows), column, ATTR_BOLD,
				   "*");
	}
}

/* --- All of it --- */

struct lines {
	struct line	line[MAX_LINES];
	unsigned int	nr;
};

static void add_line(struct lines *l, unsigned int rank,
		     void (*draw)(const struct top_view *, struct screen *, unsigned int,
				  unsigned int),
		     unsigned int arg)
{
	if (l->nr < MAX_LINES)
		l->line[l->nr++] = (struct line){ draw, arg, rank };
}

static void choose_lines(const struct top_view *v, struct lines *l)
{
	const struct state_fields *f = &v->now.v;
	unsigned int i;

	add_line(l, 0, draw_title, 0);
	if (state_degraded(&v->now))
		add_line(l, 1, draw_alarm, 0);
	add_line(l, 7, draw_heads, 0);
	for (i = 0; i < 3; i++)
		add_line(l, i == 2 ? 6 : 2, draw_disk, i);
	add_line(l, 10, draw_gap, 0);
	add_line(l, 3, draw_open, 0);
	add_line(l, 5, draw_sealed, 0);
	add_line(l, 2, draw_log, 0);
	for (i = 0; i < v->nr_classes; i++)
		add_line(l, 5, draw_class, i);
	add_line(l, 3, draw_drain, 0);
	add_line(l, 10, draw_gap, 0);
	add_line(l, 4, draw_writes, 0);
	add_line(l, 6, draw_reads, 0);
	add_line(l, f->waiting_writes ? 1 : 3, draw_waits, 0);
	if (f->ssd_errors || f->hdd_errors || f->unwritable_extents || f->lost_extents)
		add_line(l, 2, draw_errors, 0);
}

/* Take out the last of the lines that matter least. */
static void drop_line(struct lines *l)
{
	unsigned int i, worst = 0;

	for (i = 0; i < l->nr; i++)
		if (l->line[i].rank >= l->line[worst].rank)
			worst = i;
	l->nr--;
	memmove(&l->line[worst], &l->line[worst + 1], (l->nr - worst) * sizeof(l->line[0]));
}

void top_layout(const struct top_view *v, struct screen *s)
{
	struct lines l = { .nr = 0 };
	unsigned int i, keys;

	if (s->rows < TOP_LEAST_ROWS || s->columns < TOP_LEAST_COLUMNS) {
		screen_put(s, 0, 0, ATTR_PLAIN, "%ux%u is too small,", s->columns, s->rows);
		screen_put(s, 1, 0, ATTR_PLAIN, "%ux%u will do", TOP_LEAST_COLUMNS,
			   TOP_LEAST_ROWS);
		return;
	}
	choose_lines(v, &l);
	/* The keys are known after a while; and gaps make room for the graph first. */
	keys = s->rows > 12;
	while (l.nr + keys > s->rows)
		drop_line(&l);
	if (l.nr + keys + LEAST_GRAPH > s->rows)
		for (i = 0; i < 2 && l.nr + keys + LEAST_GRAPH > s->rows && s->rows > 18; i++)
			drop_line(&l);
	for (i = 0; i < l.nr; i++)
		l.line[i].draw(v, s, i, l.line[i].arg);
	if (l.nr + keys + LEAST_GRAPH <= s->rows)
		draw_graph(v, s, l.nr, s->rows - l.nr - keys);
	if (keys)
		draw_keys(v, s, s->rows - 1, 0);
}
