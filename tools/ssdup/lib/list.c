// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: all devices in a table, by libsmartcols, as lsblk and findmnt have it.
 */
#include <libsmartcols/libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#include "dev.h"
#include "list.h"
#include "state.h"

enum unit { WORD, BYTES, PERCENT };

#define NONE	UINT64_MAX	/* a number that is not known, or not yet */

struct column {
	const char	*name;
	enum unit	unit;
	bool		usual;
	char		*(*word)(const struct state *s);	/* NULL: none; free() it */
	uint64_t	(*number)(const struct state *s);
};

static char *name_of(const struct state *s)
{
	return xstrdup(s->name);
}

static char *state_of(const struct state *s)
{
	const struct trouble *trouble = state_trouble(s);

	if (trouble)
		return xstrdup(trouble->brief);
	return xstrdup(s->suspended ? "suspended" : mode_words(s->v.mode));
}

static char *policy_of(const struct state *s)
{
	return xstrdup(state_policy(s));
}

static char *hdd_of(const struct state *s)
{
	return s->hdd ? dev_kernel_name(s->hdd) : NULL;
}

static char *ssd_of(const struct state *s)
{
	char *all = NULL, *name, *more;
	unsigned int i;

	for (i = 0; i < s->nr_ssds; i++) {
		name = dev_kernel_name(s->ssds[i]);
		more = xprintf("%s%s%s", all ?: "", all ? "," : "", name);
		free(name);
		free(all);
		all = more;
	}
	return all;
}

static char *uuid_of(const struct state *s)
{
	return s->log_uuid ? xstrdup(s->log_uuid) : NULL;
}

static uint64_t dirty_of(const struct state *s)
{
	return state_dirty_bytes(s);
}

static uint64_t size_of(const struct state *s)
{
	return s->sectors * SECTOR_BYTES;
}

static uint64_t log_of(const struct state *s)
{
	return state_log_bytes(s) ?: NONE;
}

static uint64_t percent(uint64_t part, uint64_t all)
{
	return all ? 100 * part / all : NONE;
}

static uint64_t used_of(const struct state *s)
{
	return percent(s->v.segments - s->v.segments_free, s->v.segments);
}

static uint64_t share_of(const struct state *s)
{
	return percent(s->v.write_sectors_ssd, s->v.write_sectors_ssd + s->v.write_sectors_hdd);
}

static const struct column columns[] = {
	{ "NAME", WORD, true, name_of },
	{ "STATE", WORD, true, state_of },
	{ "POLICY", WORD, true, policy_of },
	{ "DIRTY", BYTES, true, .number = dirty_of },
	{ "USE%", PERCENT, true, .number = used_of },
	{ "SHARE", PERCENT, true, .number = share_of },
	{ "HDD", WORD, true, hdd_of },
	{ "SSD", WORD, true, ssd_of },
	{ "SIZE", BYTES, false, .number = size_of },
	{ "LOG", BYTES, false, .number = log_of },
	{ "UUID", WORD, false, uuid_of },
};

#define NR_COLUMNS (sizeof(columns) / sizeof(columns[0]))

const char *list_column_name(unsigned int i)
{
	return i < NR_COLUMNS ? columns[i].name : NULL;
}

/* --- Which columns --- */

struct choice {
	const struct column *column[NR_COLUMNS];
	unsigned int	nr;
};

static const struct column *find_column(const char *name)
{
	unsigned int i;

	for (i = 0; i < NR_COLUMNS; i++)
		if (!strcasecmp(columns[i].name, name))
			return &columns[i];
	return NULL;
}

static bool chosen(const struct choice *choice, const struct column *c)
{
	unsigned int i;

	for (i = 0; i < choice->nr; i++)
		if (choice->column[i] == c)
			return true;
	return false;
}

static void choose_usual(struct choice *choice)
{
	unsigned int i;

	for (i = 0; i < NR_COLUMNS; i++)
		if (columns[i].usual)
			choice->column[choice->nr++] = &columns[i];
}

static int choose(struct ssdup_ctx *ctx, struct choice *choice, const char *names)
{
	char *copy = xstrdup(names), *rest = copy, *name;
	const struct column *c;
	int r = EXIT_OK;

	while (!r && (name = strsep(&rest, ","))) {
		c = find_column(name);
		if (!c)
			r = bad_usage(ctx, "--output: no such column: \"%s\"", name);
		else if (chosen(choice, c))
			r = bad_usage(ctx, "--output: given twice: %s", c->name);
		else
			choice->column[choice->nr++] = c;
	}
	free(copy);
	return r;
}

/* --- The table --- */

/* What stands in a column, NULL for nothing; free() it. */
static char *text_of(const struct column *c, const struct state *s, bool json)
{
	uint64_t value = c->unit == WORD ? 0 : c->number(s);
	char size[SIZE_TEXT];

	if (c->unit == WORD)
		return c->word(s);
	if (value == NONE)
		return NULL;
	if (json)
		return xprintf("%llu", (unsigned long long)value);
	if (c->unit == PERCENT)
		return xprintf("%llu%%", (unsigned long long)value);
	return xstrdup(format_size(size, value));
}

static struct libscols_table *new_table(const struct choice *choice, bool json)
{
	struct libscols_table *table = xgiven(scols_new_table());
	struct libscols_column *column;
	const struct column *c;
	unsigned int i;

	scols_table_enable_json(table, json);
	scols_table_set_name(table, "devices");
	for (i = 0; i < choice->nr; i++) {
		c = choice->column[i];
		column = xgiven(scols_table_new_column(table, c->name, 0, c->unit == WORD ?
						      0 : SCOLS_FL_RIGHT));
		if (c->unit != WORD)
			scols_column_set_json_type(column, SCOLS_JSON_NUMBER);
	}
	return table;
}

static int add_device(struct ssdup_ctx *ctx, struct libscols_table *table,
		      const struct choice *choice, const char *name, bool json)
{
	struct libscols_line *line;
	struct state s;
	unsigned int i;
	int r;

	r = state_read(name, &s);
	if (r)
		return state_complain(ctx, name, r);
	free(state_read_lost(&s));
	line = xgiven(scols_table_new_line(table, NULL));
	for (i = 0; i < choice->nr; i++)
		scols_line_refer_data(line, i, text_of(choice->column[i], &s, json));
	r = state_degraded(&s) ? EXIT_DEGRADED : EXIT_OK;
	state_free(&s);
	return r;
}

int list_devices(struct ssdup_ctx *ctx, char **names, const char *columns, bool json)
{
	struct libscols_table *table;
	struct choice choice = { };
	int r = EXIT_OK, worst;
	unsigned int i;

	if (columns)
		r = choose(ctx, &choice, columns);
	else
		choose_usual(&choice);
	if (r)
		return r;
	table = new_table(&choice, json);
	for (worst = EXIT_OK, i = 0; names[i]; i++) {
		r = add_device(ctx, table, &choice, names[i], json);
		worst = worse(worst, r);
	}
	if (i || json)
		scols_print_table(table);
	else
		note(ctx, "There is no dm-ssdup device.");
	scols_unref_table(table);
	return worst;
}
