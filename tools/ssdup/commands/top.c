// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup top: looks, and shows. What the screen has on it is topview.c's.
 */
#include <curses.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "lib/dev.h"
#include "lib/topview.h"
#include "lib/wait.h"

#define LEAST_MS	100U
#define MOST_MS		60000U

struct top {
	struct ssdup_ctx *ctx;
	char		**names;	/* of all devices, or the one that was asked for */
	unsigned int	at;
	unsigned int	ms;
	uint64_t	count;		/* looks to come; 0: no end */
	bool		batch;
	struct top_view	view;
};

/* Several are looked at as one, which is busy as long as they are on average. */
static void read_disks(const dev_t *rdev, unsigned int nr, const char *what, struct top_disk *d,
		       struct disk_counters *c)
{
	struct disk_counters one;
	char *line, *name;
	unsigned int i;

	memset(c, 0, sizeof(*c));
	d->what = what;
	*d->name = '\0';
	for (i = 0; i < nr; i++) {
		line = rdev[i] ? dev_sysfs_read(rdev[i], "stat") : NULL;
		name = dev_kernel_name(rdev[i]);
		if (line && disk_parse(&one, line)) {
			c->read_sectors += one.read_sectors;
			c->write_sectors += one.write_sectors;
			c->inflight += one.inflight;
			c->queue_ms += one.queue_ms;
			c->busy_ms += one.busy_ms / nr;
		}
		snprintf(d->name + strlen(d->name), sizeof(d->name) - strlen(d->name), "%s%s",
			 i ? "," : "", name);
		free(line);
		free(name);
	}
}

static void look_at_classes(struct top *t, dev_t rdev)
{
	struct class_line k[SSDUP_MAX_CLASSES];
	FILE *f = classes_of(rdev);
	unsigned int nr = 0;

	while (f && nr < SSDUP_MAX_CLASSES && classes_next(f, &k[nr]))
		nr++;
	if (f)
		fclose(f);
	top_look_at_classes(&t->view, k, nr);
}

static int look(struct top *t)
{
	struct top_disk *disk = t->view.disk;
	struct disk_counters counters[3];
	time_t now = time(NULL);
	struct state s;
	struct tm tm;
	int r;

	r = state_read(t->names[t->at], &s);
	if (r)
		return r;
	read_disks(&s.hdd, 1, "HDD", &disk[0], &counters[0]);
	read_disks(s.ssds, s.nr_ssds, s.nr_ssds > 1 ? "SSDs" : "SSD", &disk[1], &counters[1]);
	read_disks(&s.rdev, 1, "device", &disk[2], &counters[2]);
	strftime(t->view.clock, sizeof(t->view.clock), "%H:%M:%S", localtime_r(&now, &tm));
	top_look(&t->view, now_ms(), &s, counters);
	look_at_classes(t, t->view.now.rdev);
	return 0;
}

/* --- Without a terminal --- */

static unsigned int from_environment(const char *name, unsigned int preset, unsigned int most)
{
	const char *text = getenv(name);
	uint64_t value;

	return text && !parse_number(text, 1, most, &value) ? value : preset;
}

static void print_screen(const struct top_view *v)
{
	struct screen s;
	unsigned int row, len;

	screen_make(&s, from_environment("LINES", 24, SCREEN_MAX_ROWS),
		    from_environment("COLUMNS", 80, SCREEN_MAX_COLUMNS));
	top_layout(v, &s);
	for (row = 0; row < s.rows; row++) {
		for (len = s.columns; len && s.cell[row * s.columns + len - 1] == ' '; len--)
			;
		printf("%.*s\n", (int)len, s.cell + row * s.columns);
	}
	fflush(stdout);
	screen_free(&s);
}

/* --- With one --- */

static int curses_attr(unsigned char attr)
{
	switch (attr) {
	case ATTR_BOLD:
		return A_BOLD;
	case ATTR_REVERSE:
		return A_REVERSE;
	case ATTR_ALARM:
		return A_BOLD | COLOR_PAIR(1);
	default:
		return A_NORMAL;
	}
}

static void draw_screen(const struct top_view *v)
{
	unsigned int row, column;
	struct screen s;
	int rows, columns;

	getmaxyx(stdscr, rows, columns);
	screen_make(&s, rows, columns);
	top_layout(v, &s);
	for (row = 0; row < s.rows; row++)
		for (column = 0; column < s.columns; column++)
			mvaddch(row, column, (unsigned char)s.cell[row * s.columns + column] |
				curses_attr(s.attr[row * s.columns + column]));
	refresh();
	screen_free(&s);
}

static bool begin_curses(void)
{
	if (!newterm(NULL, stdout, stdin))
		return false;
	cbreak();
	noecho();
	curs_set(0);
	keypad(stdscr, TRUE);
	start_color();
	use_default_colors();
	init_pair(1, COLOR_RED, -1);
	return true;
}

static void next_device(struct top *t)
{
	t->at = t->names[t->at + 1] ? t->at + 1 : 0;
	state_free(&t->view.now);
	memset(&t->view, 0, sizeof(t->view));
}

static void change_delay(struct top *t, unsigned int ms)
{
	t->ms = ms < LEAST_MS ? LEAST_MS : ms > MOST_MS ? MOST_MS : ms;
}

/* Wait for a key or for the next look; false to end. */
static bool keys(struct top *t)
{
	uint64_t end = now_ms() + t->ms, now;

	while (!interrupted() && (now = now_ms()) < end) {
		timeout(end - now);
		switch (getch()) {
		case 'q':
		case 'Q':
			return false;
		case '\t':
			next_device(t);
			return true;
		case '+':
			change_delay(t, t->ms / 2);
			return true;
		case '-':
			change_delay(t, t->ms * 2);
			return true;
		case ' ':
			return true;
		case KEY_RESIZE:
			erase();
			draw_screen(&t->view);
			break;
		}
	}
	return !interrupted();
}

/* --- All of it --- */

static bool wait_for_next(struct top *t)
{
	if (t->count && !--t->count)
		return false;
	if (!t->batch)
		return keys(t);
	usleep(t->ms * 1000);
	return !interrupted();
}

static int run(struct top *t)
{
	int r;

	t->batch = !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO);
	catch_signals();
	/* The first look has nothing to compare with: a second one follows soon. */
	r = look(t);
	if (r)
		return state_complain(t->ctx, t->names[t->at], r);
	if (!t->batch && !begin_curses())
		return fail(t->ctx, EXIT_FAILED, getenv("TERM") ?: "TERM",
			    "an unknown terminal; \"ssdup top | cat\" does without one");
	usleep(LEAST_MS * 1000);
	do {
		r = look(t);
		if (r)
			break;
		if (t->batch)
			print_screen(&t->view);
		else
			draw_screen(&t->view);
	} while (wait_for_next(t));
	if (!t->batch)
		endwin();
	return r ? state_complain(t->ctx, t->names[t->at], r) : EXIT_OK;
}

static int run_all(struct top *t)
{
	int r = state_names(&t->names);

	if (r)
		return fail(t->ctx, EXIT_FAILED, NULL, "cannot list the devices: %s%s",
			    strerror(-r), root_hint());
	r = t->names[0] ? run(t) :
	    fail(t->ctx, EXIT_NOT_FOUND, NULL, "there is no dm-ssdup device");
	names_free(t->names);
	return r;
}

int cmd_top(struct ssdup_ctx *ctx, int argc, char **argv)
{
	struct top *t = xalloc(sizeof(*t));
	char *names[2] = { NULL, NULL };
	int opt, r = EXIT_OK;

	t->ctx = ctx;
	t->ms = 2000;
	while (!r && (opt = next_option(ctx, argc, argv)) != OPT_END) {
		if (opt == OPT_STOP)
			goto out;
		if (opt == 'd' && (parse_seconds(optarg, &t->ms) || t->ms < LEAST_MS))
			r = bad_usage(ctx, "--delay: not a time from 0.1 s up: %s", optarg);
		if (opt == 'n' && parse_number(optarg, 1, UINT32_MAX, &t->count))
			r = bad_usage(ctx, "--count: not a number from 1 up: %s", optarg);
	}
	if (r || !operands(ctx, argc, argv, 0, 1))
		goto out;
	names[0] = argv[optind];
	t->names = names;
	r = names[0] ? run(t) : run_all(t);
	state_free(&t->view.now);
	free(t);
	return r;
out:
	free(t);
	return ctx->exit;
}
