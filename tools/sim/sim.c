// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim: what a policy does with loads on pairs of disks, in seconds instead of hours.
 *
 * sim [--loads NAME,...] [--strategies NAME,...] [--ssds N] [--slower N] [--jobs N]
 *	[--pairs] [--check] < PAIRS
 *
 * PAIRS has a line for each pair of disks, "name|parameters of the HDD|parameters of the SSD", as
 * scripts/bench/family.py draws them. A table says for each load how windows compare with the bare
 * HDD, and with the best of the fixed strategies: the smallest ratio of all pairs, the median, and
 * the geometric mean. --pairs prints what each strategy has reached. --check prints no table: it
 * judges the ratios by the bounds of load.c, and the clock by a second run, in KTAP. With --ssds
 * the log has so many SSDs, all but the first so many times slower as --slower says.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/kernel.h>
#include "core/interference.h"
#include "strategy.h"

#define PAIRS_MAX	1024
#define NAME_MAX_	32

struct pair {
	char		name[NAME_MAX_];
	struct disks_params disks;
};

static struct pair pairs[PAIRS_MAX];
static u32 nr_pairs;
static struct outcome *outcomes;	/* [pair][load][strategy]; shared by all jobs */
static struct sim_ssds ssds = { 1, 1, true };
static const char *want_loads, *want_strategies;
static bool print_pairs, check;

static struct outcome *outcome(u32 pair, u32 load, u32 strategy)
{
	return &outcomes[(pair * nr_loads + load) * nr_strategies + strategy];
}

/* Is a name in a list that commas part? */
static bool wanted(const char *list, const char *name)
{
	size_t len = strlen(name);
	const char *at;

	if (!list)
		return true;
	for (at = list; (at = strstr(at, name)); at += len)
		if ((at == list || at[-1] == ',') && (!at[len] || at[len] == ','))
			return true;
	return false;
}

/* Is every name of a list one of these? Say which one is not. */
static bool known(const char *list, u32 nr, const char *(*name)(u32 i))
{
	char *copy = strdup(list ?: ""), *word, *rest = copy;
	bool all = true;
	u32 i;

	while ((word = strsep(&rest, ",")) && *copy) {
		for (i = 0; i < nr && strcmp(word, name(i)); i++)
			;
		if (i < nr)
			continue;
		fprintf(stderr, "sim: there is no %s\n", word);
		all = false;
	}
	free(copy);
	return all;
}

static const char *load_name(u32 i)
{
	return loads[i].name;
}

static const char *strategy_name(u32 i)
{
	return strategies[i].name;
}

/* --- Pairs --- */

static const struct disks_params defaults = {
#define DISKS_PARAM(name, type, value, ...)	.name = value,
#include "tools/disks/param_list.h"
};

static const struct parameter {
	const char	*name;
	size_t		at;
	size_t		size;
} parameters[] = {
#define DISKS_PARAM(name, type, ...)	\
	{ #name, offsetof(struct disks_params, name), sizeof(type) },
#include "tools/disks/param_list.h"
};

static bool set_parameter(struct disks_params *p, const char *name, unsigned int value)
{
	const struct parameter *of = parameters;
	bool flag = value;

	for (; of < parameters + ARRAY_SIZE(parameters); of++) {
		if (strcmp(name, of->name))
			continue;
		memcpy((char *)p + of->at, of->size == sizeof(flag) ? (void *)&flag : &value,
		       of->size);
		return true;
	}
	return false;
}

static void read_pair(char *line)
{
	struct pair *pair = &pairs[nr_pairs];
	char *name = strtok(line, "|"), *word, *is;

	if (nr_pairs++ == PAIRS_MAX) {
		fprintf(stderr, "sim: more than %u pairs\n", PAIRS_MAX);
		exit(2);
	}
	snprintf(pair->name, sizeof(pair->name), "%s", name);
	pair->disks = defaults;
	/* Room for all loads. */
	pair->disks.hdd_size_mb = 32768;
	while ((word = strtok(NULL, "| "))) {
		is = strchr(word, '=');
		if (is)
			*is = 0;
		if (!is || !set_parameter(&pair->disks, word, atoi(is + 1))) {
			fprintf(stderr, "sim: %s: %s is no parameter of disks\n", pair->name,
				word);
			exit(2);
		}
	}
	if (disks_fault(&pair->disks)) {
		fprintf(stderr, "sim: %s: there is no such disk\n", pair->name);
		exit(2);
	}
}

static void read_pairs(void)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	while ((len = getline(&line, &room, stdin)) > 0) {
		if (line[len - 1] == '\n')
			line[len - 1] = 0;
		if (*line)
			read_pair(line);
	}
	free(line);
}

/* --- Runs --- */

static void run_pair(u32 i)
{
	u32 l, s;

	for (l = 0; l < nr_loads; l++)
		for (s = 0; s < nr_strategies && wanted(want_loads, loads[l].name); s++)
			if (wanted(want_strategies, strategies[s].name) &&
			    (ssds.nr > 1 || !loads[l].ssd_readers))
				*outcome(i, l, s) = simulate(&pairs[i].disks, &ssds,
							     &loads[l], &strategies[s]);
}

static void run_all(u32 jobs)
{
	u32 *next = mmap(NULL, sizeof(*next), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0), i, j;
	int status;
	pid_t child;

	outcomes = mmap(NULL, (size_t)nr_pairs * nr_loads * nr_strategies * sizeof(*outcomes),
			PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (next == MAP_FAILED || outcomes == MAP_FAILED) {
		perror("sim");
		exit(2);
	}
	fflush(stdout);
	for (j = 0; j < jobs; j++) {
		child = fork();
		if (child < 0) {
			perror("sim");
			exit(2);
		}
		if (child)
			continue;
		while ((i = __atomic_fetch_add(next, 1, __ATOMIC_RELAXED)) < nr_pairs)
			run_pair(i);
		_exit(0);
	}
	while (wait(&status) > 0)
		if (status)
			exit(1);
}

/* --- What is printed --- */

static void print_pair(u32 i)
{
	const struct outcome *o;
	u32 l, s;

	printf("%s: HDD %u MB/s, %u rpm, %u MB of cache; SSD %u MB/s, %u MB\n", pairs[i].name,
	       pairs[i].disks.hdd_rate_mbps, pairs[i].disks.hdd_rpm, pairs[i].disks.hdd_cache_mb,
	       pairs[i].disks.ssd_rate_mbps, pairs[i].disks.ssd_size_mb);
	for (l = 0; l < nr_loads; l++) {
		for (s = 0; s < nr_strategies; s++) {
			o = outcome(i, l, s);
			if (!o->ran)
				continue;
			printf("  %-11s %-10s %7.1f %7.1f  drained %6.2f s  p99 %7.1f ms, ",
			       loads[l].name, strategies[s].name, o->speed, o->beside, o->drained,
			       o->p99);
			printf("longest %7.1f ms  logged %3.0f %%\n", o->longest,
			       o->logged * 100);
		}
	}
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

struct ratios {
	double	r[PAIRS_MAX];
	u32	nr;
};

static double ratios_mean(const struct ratios *r)
{
	double sum = 0;
	u32 i;

	for (i = 0; i < r->nr; i++)
		sum += log(r->r[i]);
	return exp(sum / r->nr);
}

static void print_ratios(struct ratios *r)
{
	printf("  %7.2f %7.2f %7.2f", r->r[0], r->r[r->nr / 2], ratios_mean(r));
}

/* The figures of an outcome. */
static double figure(const struct load *load, const struct outcome *o, u32 which)
{
	if (load->figure == LOAD_BESIDE)
		return which ? o->speed + o->beside : o->beside;
	return which ? o->beside : o->speed;
}

static struct ratios to_bare, to_best;

/*
 * Compare windows with the bare HDD, and with the best strategy. Windows that do nothing count, as
 * a ratio of 0. Return: is there anything?
 */
static bool compare(u32 l, u32 which)
{
	double bare, best, mine;
	u32 i, s;

	to_bare.nr = 0;
	to_best.nr = 0;
	for (i = 0; i < nr_pairs; i++) {
		bare = figure(&loads[l], outcome(i, l, 0), which);
		mine = figure(&loads[l], outcome(i, l, nr_strategies - 1), which);
		if (!outcome(i, l, 0)->ran || !outcome(i, l, nr_strategies - 1)->ran)
			continue;
		for (best = 0, s = 0; s < nr_strategies - 1; s++)
			best = fmax(best, figure(&loads[l], outcome(i, l, s), which));
		to_bare.r[to_bare.nr++] = mine / bare;
		to_best.r[to_best.nr++] = mine / best;
	}
	qsort(to_bare.r, to_bare.nr, sizeof(*to_bare.r), by_size);
	qsort(to_best.r, to_best.nr, sizeof(*to_best.r), by_size);
	return to_bare.nr;
}

/* Call something for each row of the table. */
static void each_row(void (*row)(const char *name, const struct load *load, u32 which))
{
	static const char * const second[] = {
		[LOAD_BESIDE] = "_sum", [LOAD_COMMITS] = "_pages",
	};
	char name[32];
	u32 l, which;

	for (l = 0; l < nr_loads; l++)
		for (which = 0; which <= (loads[l].figure != LOAD_SPEED); which++) {
			snprintf(name, sizeof(name), "%s%s", loads[l].name,
				 which ? second[loads[l].figure] : "");
			if (wanted(want_loads, loads[l].name) && compare(l, which))
				row(name, &loads[l], which);
		}
}

static void print_row(const char *name, const struct load *load, u32 which)
{
	printf("%-16s", name);
	print_ratios(&to_bare);
	print_ratios(&to_best);
	printf("\n");
}

static void print_table(void)
{
	printf("windows, %3u pairs            to the bare HDD    to the best fixed strategy\n",
	       nr_pairs);
	printf("                 smallest  median    mean  smallest  median    mean\n");
	each_row(print_row);
}

/* --- The check --- */

static u32 nr_checks, nr_failed;

static void say_check(bool good, const char *name)
{
	nr_failed += !good;
	printf("%sok %u %s\n", good ? "" : "not ", ++nr_checks, name);
}

static void check_row(const char *name, const struct load *load, u32 which)
{
	bool good = to_bare.r[0] >= load->least[which];

	if (!good)
		printf("# %s: %.2f of the bare HDD, and not %.2f\n", name, to_bare.r[0],
		       load->least[which]);
	say_check(good, name);
}

/* The clock is exact: the first pair and load give the same once more. */
static void check_again(void)
{
	struct outcome o = simulate(&pairs[0].disks, &ssds, &loads[0],
				    &strategies[nr_strategies - 1]);

	say_check(!memcmp(&o, outcome(0, 0, nr_strategies - 1), sizeof(o)), "repeats_itself");
}

/* A log that takes all writes, on two SSDs, to the same on one. */
static double spread(const struct disks_params *disks, u32 slower)
{
	const struct load *load = &loads[1];
	const struct strategy *log = &strategies[1];
	const struct sim_ssds one = { 1, 1, 0 }, two = { 2, slower, 0 };

	return simulate(disks, &two, load, log).speed / simulate(disks, &one, load, log).speed;
}

static void check_spread(void)
{
	struct disks_params disks;
	double equal = 10, slow = 10;
	u32 i;

	for (i = 0; i < nr_pairs; i++) {
		disks = pairs[i].disks;
		/* Nothing has to be drained meanwhile. */
		disks.ssd_size_mb = 4096;
		equal = fmin(equal, spread(&disks, 1));
		slow = fmin(slow, spread(&disks, 3));
	}
	if (equal < 1.85 || slow < 1.25)
		printf("# %.2f and %.2f times as fast, and not 1.85 and 1.25\n", equal, slow);
	say_check(equal >= 1.85 && slow >= 1.25, "two_ssds");
}

/* One of two SSDs is read: what leaving it apart does for reads and writes together. */
static double apart(const struct disks_params *disks)
{
	const struct sim_ssds with = { 2, 1, true }, without = { 2, 1, false };
	const struct load *load = loads;
	struct outcome a, b;

	while (!load->ssd_readers)
		load++;
	a = simulate(disks, &with, load, &strategies[1]);
	b = simulate(disks, &without, load, &strategies[1]);
	return (a.beside + a.speed) / (b.beside + b.speed);
}

static void check_apart(void)
{
	struct disks_params disks;
	double r, least = 100, most = 0;
	u32 i;

	for (i = 0; i < nr_pairs; i++) {
		disks = pairs[i].disks;
		disks.ssd_size_mb = 16384;
		r = apart(&disks);
		least = fmin(least, r);
		most = fmax(most, r);
	}
	if (least < 0.98 || most < 2)
		printf("# %.2f to %.2f times as much, and not 0.98 to 2\n", least, most);
	say_check(least >= 0.98 && most >= 2, "left_apart");
}

static int run_check(void)
{
	printf("KTAP version 1\n");
	each_row(check_row);
	check_spread();
	check_apart();
	check_again();
	printf("# %u of %u passed\n", nr_checks - nr_failed, nr_checks);
	return nr_failed != 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "loads", required_argument, NULL, 'l' },
		{ "strategies", required_argument, NULL, 's' },
		{ "jobs", required_argument, NULL, 'j' },
		{ "ssds", required_argument, NULL, 'n' },
		{ "slower", required_argument, NULL, 'S' },
		{ "pairs", no_argument, NULL, 'p' },
		{ "check", no_argument, NULL, 'c' },
		{ }
	};
	u32 jobs = sysconf(_SC_NPROCESSORS_ONLN), i;
	int o;

	while ((o = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (o) {
		case 'l':
			want_loads = optarg;
			break;
		case 's':
			want_strategies = optarg;
			break;
		case 'j':
			jobs = atoi(optarg);
			break;
		case 'n':
			ssds.nr = atoi(optarg);
			break;
		case 'S':
			ssds.slower = atoi(optarg);
			break;
		case 'p':
			print_pairs = true;
			break;
		case 'c':
			check = true;
			break;
		default:
			return 2;
		}
	}
	read_pairs();
	if (!known(want_loads, nr_loads, load_name) ||
	    !known(want_strategies, nr_strategies, strategy_name))
		return 2;
	if (optind != argc || !nr_pairs || !jobs || !ssds.nr || ssds.nr > SSDUP_MAX_SSDS ||
	    !ssds.slower) {
		fprintf(stderr, "sim: pairs of disks come on standard input; see sim.c\n");
		return 2;
	}
	run_all(jobs);
	for (i = 0; i < nr_pairs && print_pairs; i++)
		print_pair(i);
	if (check)
		return run_check();
	print_table();
	return 0;
}
