// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: the parser of ssduptab.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tab.h"

#define MAX_NAME	127	/* of a device mapper device */
#define MAX_FIELDS	4
#define MAX_TAB		1048576U

const char *name_fault(const char *name)
{
	const char *p;

	if (!*name)
		return "the name is empty";
	if (strlen(name) > MAX_NAME)
		return "the name is longer than 127 bytes";
	if (!strcmp(name, ".") || !strcmp(name, "..") || !strcmp(name, "control"))
		return "a device cannot have that name";
	if (*name == '-')
		return "the name begins with \"-\"";
	for (p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("#+-.:=@_", *p))
			return "the name holds something else than letters, digits and #+-.:=@_";
	return NULL;
}

/* --- Options --- */

static bool is_word(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!isgraph((unsigned char)s[i]) || s[i] == '\\')
			return false;
	return len;
}

static const char *add_arg(const char *o, size_t len, char **args, unsigned int *nr_args)
{
	const char *equals = memchr(o, '=', len);
	char *old = *args;
	size_t key;

	if (!equals)
		return "an option is neither KEY=VALUE nor a known word";
	key = equals - o;
	if (!is_word(o, key) || !is_word(equals + 1, len - key - 1))
		return "an option lacks its key or its value";
	*args = xprintf("%s%s%.*s %.*s", old, *old ? " " : "", (int)key, o,
			(int)(len - key - 1), equals + 1);
	free(old);
	*nr_args += 2;
	return NULL;
}

const char *options_to_args(const char *options, char **args, unsigned int *nr_args)
{
	const char *why = NULL;
	size_t len;

	for (; !why; options += len + 1) {
		len = strcspn(options, ",");
		why = add_arg(options, len, args, nr_args);
		if (!options[len])
			break;
	}
	return why;
}

static bool is(const char *o, size_t len, const char *word)
{
	return strlen(word) == len && !memcmp(o, word, len);
}

static const char *parse_options(struct tab_entry *e, const char *o)
{
	const char *why = NULL;
	size_t len;

	if (!strcmp(o, "-"))
		return NULL;
	for (; !why; o += len + 1) {
		len = strcspn(o, ",");
		if (is(o, len, "noauto"))
			e->noauto = true;
		else if (is(o, len, "nofail"))
			e->nofail = true;
		else if (is(o, len, "x-initrd.attach"))
			e->initrd = true;
		else if (!is(o, len, "defaults") && !is(o, len, "auto") &&
			 (len < 2 || memcmp(o, "x-", 2)))
			why = add_arg(o, len, &e->args, &e->nr_args);
		if (!o[len])
			break;
	}
	return why;
}

/* --- Lines --- */

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool octal(const char *p, const char *end)
{
	return end - p >= 4 && p[1] >= '0' && p[1] <= '3' && p[2] >= '0' && p[2] <= '7' &&
	       p[3] >= '0' && p[3] <= '7';
}

/* The field at *at, without its escapes, and *at behind it; NULL and *why for a faulty one. */
static char *take_field(const char **at, const char *end, const char **why)
{
	const char *p = *at, *fault = NULL;
	char *field, *to;

	while (p < end && !blank(*p))
		p++;
	field = xalloc(p - *at + 1);
	to = field;
	for (p = *at; p < end && !blank(*p); p++) {
		unsigned char c = *p;

		if (c == '\\' && octal(p, end)) {
			c = (p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0');
			p += 3;
		}
		if (!c || c == '\n' || (iscntrl(c) && c != '\t'))
			fault = "a control character";
		*to++ = c;
	}
	*at = p;
	if (!fault)
		return field;
	*why = *why ?: fault;
	free(field);
	return NULL;
}

static void free_entry(struct tab_entry *e)
{
	free(e->name);
	free(e->hdd);
	free(e->ssd);
	free(e->args);
}

static const char *check_entry(const struct tab *tab, struct tab_entry *e,
			       const char *options)
{
	const char *why;

	if (!e->ssd)
		return "less than three fields: NAME HDD SSD [OPTIONS]";
	why = name_fault(e->name);
	if (why)
		return why;
	if (tab_find(tab, e->name))
		return "the name was there already";
	if (!strcmp(e->hdd, e->ssd))
		return "HDD and SSD are the same";
	return options ? parse_options(e, options) : NULL;
}

/* Goes on behind a faulty field: the HDD is asked for whatever is wrong with the line. */
static const char *parse_line(struct tab *tab, struct tab_entry *e, const char *p,
			      const char *end)
{
	char *options = NULL, **field[MAX_FIELDS] = { &e->name, &e->hdd, &e->ssd, &options };
	const char *why = NULL;
	unsigned int n;

	for (n = 0; n <= MAX_FIELDS; n++) {
		while (p < end && blank(*p))
			p++;
		if (p == end || *p == '#')
			break;
		if (n < MAX_FIELDS)
			*field[n] = take_field(&p, end, &why);
		else
			why = why ?: "more than four fields";
	}
	if (!why && n)
		why = check_entry(tab, e, options);
	free(options);
	return why;
}

static void add_fault(struct tab *tab, struct tab_entry *e, const char *why)
{
	tab->fault = xgrow(tab->fault, (tab->faults + 1) * sizeof(*tab->fault));
	tab->fault[tab->faults++] = (struct tab_fault){
		.why = why, .hdd = e->hdd, .line = e->line,
	};
	e->hdd = NULL;
}

void tab_parse(struct tab *tab, const char *text, size_t len, tab_fault_fn fault, void *arg)
{
	const char *p = text, *all = text + len, *end, *why;
	unsigned int line = 0;

	memset(tab, 0, sizeof(*tab));
	for (; p < all; p = end + 1) {
		struct tab_entry e = { .args = xstrdup(""), .line = ++line };

		end = memchr(p, '\n', all - p) ?: all;
		why = parse_line(tab, &e, p, end);
		if (!why && e.name) {
			tab->entry = xgrow(tab->entry, (tab->nr + 1) * sizeof(e));
			tab->entry[tab->nr++] = e;
			continue;
		}
		if (why)
			add_fault(tab, &e, why);
		free_entry(&e);
		if (why && fault)
			fault(arg, line, why);
	}
}

const struct tab_entry *tab_find(const struct tab *tab, const char *name)
{
	unsigned int i;

	for (i = 0; i < tab->nr; i++)
		if (!strcmp(tab->entry[i].name, name))
			return &tab->entry[i];
	return NULL;
}

void tab_free(struct tab *tab)
{
	while (tab->nr)
		free_entry(&tab->entry[--tab->nr]);
	while (tab->faults)
		free(tab->fault[--tab->faults].hdd);
	free(tab->entry);
	free(tab->fault);
	tab->entry = NULL;
	tab->fault = NULL;
}

static void warn_fault(void *arg, unsigned int line, const char *why)
{
	const struct ssdup_ctx *ctx = arg;

	warn(ctx, ctx->tab, "line %u: %s; the line is left out", line, why);
}

int tab_read(const struct ssdup_ctx *ctx, struct tab *tab)
{
	FILE *f = fopen(ctx->tab, "re");
	char *text;
	size_t len;

	memset(tab, 0, sizeof(*tab));
	if (!f)
		return errno == ENOENT ? 0 : -errno;
	text = xalloc(MAX_TAB + 1);
	len = fread(text, 1, MAX_TAB + 1, f);
	if (ferror(f) || len > MAX_TAB) {
		free(text);
		fclose(f);
		return len > MAX_TAB ? -EFBIG : -EIO;
	}
	fclose(f);
	tab_parse(tab, text, len, warn_fault, (void *)ctx);
	free(text);
	return 0;
}

/* --- Writing --- */

char *tab_field(const char *s)
{
	char *text = xstrdup(""), *more;

	for (; *s; s++) {
		more = strchr(" \t\\#", *s) ? xprintf("%s\\%03o", text, (unsigned char)*s) :
						 xprintf("%s%c", text, *s);
		free(text);
		text = more;
	}
	return text;
}

static bool of_this_machine(const char *key)
{
	return !strcmp(key, "log") || !strcmp(key, "host") || !strcmp(key, "override");
}

char *tab_line(const char *name, const char *hdd, const char *ssd, const char *args)
{
	char *copy = xstrdup(args), *save = NULL, *key, *value, *more, *line;
	char *options = xstrdup(""), *hdd_field = tab_field(hdd), *ssd_field = tab_field(ssd);

	for (key = strtok_r(copy, " ", &save); key; key = strtok_r(NULL, " ", &save)) {
		value = strtok_r(NULL, " ", &save);
		if (of_this_machine(key))
			continue;
		more = xprintf("%s%s%s=%s", options, *options ? "," : "", key, value ?: "");
		free(options);
		options = more;
	}
	line = xprintf("%s %s %s %s", name, hdd_field, ssd_field, *options ? options : "-");
	free(ssd_field);
	free(hdd_field);
	free(options);
	free(copy);
	return line;
}

int tab_append(const char *path, const char *line)
{
	FILE *f = fopen(path, "a+e");
	bool open;
	int r;

	if (!f)
		return -errno;
	/* The last line may lack its end. */
	open = !fseek(f, -1, SEEK_END) && fgetc(f) != '\n';
	fseek(f, 0, SEEK_END);
	r = fprintf(f, "%s%s\n", open ? "\n" : "", line) < 0 || fflush(f) ||
	    fsync(fileno(f)) ? -(errno ?: EIO) : 0;
	if (fclose(f) && !r)
		r = -errno;
	return r;
}
