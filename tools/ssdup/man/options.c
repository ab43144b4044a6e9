// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes ssdup(8): copies ssdup.8.in from stdin to stdout, and puts the tables of usage.c
 * in place of these lines:
 *
 *	@synopsis COMMAND
 *	@options COMMAND
 *
 * Fails unless the page has both for each command that has them.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"

#define COMMAND(name, about)	{ #name, &usage_##name },

static struct {
	const char		*name;
	const struct usage	*usage;
	bool			has_synopsis;
	bool			has_options;
} commands[] = { SSDUP_COMMANDS(COMMAND) };

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* Text as it is, up to a NUL or a newline; options in bold. */
static const char *put_line(const char *s)
{
	bool bold = false;
	char before = ' ';

	for (; *s && *s != '\n'; before = *s++) {
		if (*s == '-' && s[1] != ' ' && strchr(" [|", before) && !bold) {
			fputs("\\fB", stdout);
			bold = true;
		} else if (bold && *s != '-' && !isalnum(*s)) {
			fputs("\\fR", stdout);
			bold = false;
		}
		if (*s == '-' || *s == '\\')
			fputs(*s == '-' ? "\\-" : "\\e", stdout);
		else
			putchar(*s);
	}
	if (bold)
		fputs("\\fR", stdout);
	return *s ? s + 1 : NULL;
}

static void put_lines(const char *text, const char *end)
{
	while (text) {
		text = put_line(text);
		puts(text ? "" : end);
	}
}

static void put_options(const struct option_spec *o)
{
	for (; o && o->val; o++) {
		printf(".TP\n");
		if (o->val < 256)
			printf("\\fB\\-%c\\fR%s", o->val, o->name ? ", " : "");
		if (o->name) {
			fputs("\\fB\\-\\-", stdout);
			put_line(o->name);
			fputs("\\fR", stdout);
		}
		if (o->arg)
			printf(" \\fI%s\\fR", o->arg);
		putchar('\n');
		/* The help text becomes a sentence. */
		putchar(toupper(*o->help));
		put_lines(o->help + 1, ".");
		put_lines(o->manual, "");
	}
}

static void put_synopsis(const char *command, const char *line)
{
	while (line) {
		printf(".SS ssdup %s ", command);
		line = put_line(line);
		putchar('\n');
	}
}

static void put_faults(void)
{
	static const struct {
		unsigned int	number;
		const char	*severity;
		const char	*name;
		const char	*text;
	} faults[] = {
#define FINDING_KIND(symbol, number, severity, ...)	{ number, #severity, __VA_ARGS__ },
#include "offline/faultlist.h"
	};
	const char *p;
	size_t i;

	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		printf("E%u\tT{\n.BR ", faults[i].number);
		put_line(faults[i].name);
		printf(" :\n%s [", faults[i].text);
		for (p = faults[i].severity; *p; p++)
			putchar(tolower(*p));
		printf("]\nT}\n");
	}
}

/* @line: of the page, one of those above. Return: false when it is none */
static bool put_table(const char *line)
{
	char kind[16], command[16];
	size_t i;

	if (!strcmp(line, "@faults\n")) {
		put_faults();
		return true;
	}
	if (sscanf(line, "@%15s %15s", kind, command) != 2)
		return false;
	for (i = 0; i < NR_COMMANDS && strcmp(commands[i].name, command); i++)
		;
	if (i == NR_COMMANDS)
		return false;
	if (!strcmp(kind, "synopsis") && !commands[i].has_synopsis) {
		put_synopsis(command, commands[i].usage->synopsis);
		commands[i].has_synopsis = true;
	} else if (!strcmp(kind, "options") && !commands[i].has_options) {
		put_options(commands[i].usage->options);
		commands[i].has_options = true;
	} else {
		return false;
	}
	return true;
}

int main(void)
{
	char line[1024];
	int r = 0;
	size_t i;

	while (fgets(line, sizeof(line), stdin)) {
		if (*line != '@') {
			fputs(line, stdout);
		} else if (!put_table(line)) {
			fprintf(stderr, "ssdup.8.in: wrong or twice: %s", line);
			r = 1;
		}
	}
	for (i = 0; i < NR_COMMANDS; i++) {
		if (commands[i].has_synopsis &&
		    (commands[i].has_options || !commands[i].usage->options))
			continue;
		fprintf(stderr, "ssdup.8.in: %s: no @synopsis or no @options\n",
			commands[i].name);
		r = 1;
	}
	return r;
}
