// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: options, from one table for each command that also makes its help text.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "tool.h"

#define MAX_OPTIONS	24
#define HELP_COLUMN	28

static void print_option(const struct option_spec *o)
{
	const char *line = o->help, *end;
	int width;

	width = o->val < 256 ? printf("  -%c", o->val) : printf("    ");
	if (o->name)
		width += printf("%s--%s", o->val < 256 ? ", " : "  ", o->name);
	if (o->arg)
		width += printf(" %s", o->arg);
	if (width > HELP_COLUMN - 2) {
		putchar('\n');
		width = 0;
	}
	while (line) {
		end = strchrnul(line, '\n');
		printf("%*s%.*s\n", HELP_COLUMN - width, "", (int)(end - line), line);
		line = *end ? end + 1 : NULL;
		width = 0;
	}
}

static void print_synopsis(const char *command, const char *line)
{
	const char *usage = "Usage:", *end;

	for (; line; line = *end ? end + 1 : NULL) {
		end = strchrnul(line, '\n');
		printf("%-6s ssdup %s%s%.*s\n", usage, command, end > line ? " " : "",
		       (int)(end - line), line);
		usage = "";
	}
}

static void print_help(const struct ssdup_ctx *ctx, const struct usage *usage)
{
	static const struct option_spec help = { 'h', "help", NULL, "this text" };
	const struct option_spec *o = usage->options;

	print_synopsis(ctx->command, usage->synopsis);
	printf("\n%s\n\nOptions:\n", usage->about);
	for (; o && o->val; o++)
		print_option(o);
	print_option(&help);
	if (usage->more)
		printf("\n%s\n", usage->more);
}

/* What getopt_long() wants, from our table. */
static void translate(const struct usage *usage, char *letters, struct option *longs)
{
	const struct option_spec *o = usage->options;
	unsigned int n = 0;

	*letters++ = ':';
	for (; o && o->val && n < MAX_OPTIONS; o++) {
		if (o->val < 256) {
			*letters++ = o->val;
			if (o->arg)
				*letters++ = ':';
		}
		if (o->name)
			longs[n++] = (struct option){
				o->name, o->arg ? required_argument : no_argument, NULL, o->val
			};
	}
	*letters++ = 'h';
	*letters = '\0';
	longs[n++] = (struct option){ "help", no_argument, NULL, 'h' };
	longs[n] = (struct option){ NULL, 0, NULL, 0 };
}

int bad_usage(struct ssdup_ctx *ctx, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "ssdup %s: ", ctx->command);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, "; try \"ssdup %s --help\"\n", ctx->command);
	ctx->exit = EXIT_USAGE;
	return EXIT_USAGE;
}

/* A part of a name is no option: --discard is not --discard-unsaved. */
static bool whole_name(struct ssdup_ctx *ctx, char **argv, const char *name)
{
	const char *last = argv[optind - 1], *word = optarg == last ? argv[optind - 2] : last;

	if (!strncmp(word + 2, name, strlen(name)))
		return true;
	bad_usage(ctx, "unknown option %s: is it --%s?", word, name);
	return false;
}

int next_option(struct ssdup_ctx *ctx, int argc, char **argv)
{
	char letters[2 * MAX_OPTIONS + 3];
	struct option longs[MAX_OPTIONS + 2];
	int r, nr = -1;
	const char *word;

	translate(ctx->usage, letters, longs);
	opterr = 0;
	r = getopt_long(argc, argv, letters, longs, &nr);
	if (nr >= 0 && r != '?' && r != ':' && !whole_name(ctx, argv, longs[nr].name))
		return OPT_STOP;
	switch (r) {
	case -1:
		return OPT_END;
	case OPT_REPORT:
		report_begin();
		ctx->quiet = true;
		return next_option(ctx, argc, argv);
	case 'h':
		print_help(ctx, ctx->usage);
		ctx->exit = EXIT_OK;
		return OPT_STOP;
	case ':':
	case '?':
		word = argv[optind - 1];
		/* A letter may stand in the middle of a word, or be the long option's own. */
		if (strncmp(word, "--", 2) && optopt && optopt < 256)
			bad_usage(ctx, r == ':' ? "option -%c needs an argument" :
				  "unknown option -%c", optopt);
		else if (r == ':')
			bad_usage(ctx, "option %s needs an argument", word);
		else if (optopt)
			bad_usage(ctx, "option %s takes no argument", word);
		else
			bad_usage(ctx, "unknown or ambiguous option %s", word);
		return OPT_STOP;
	}
	return r;
}

bool disk_operands(struct ssdup_ctx *ctx, int argc, char **argv, const char **hdd,
		   const char **ssd, bool alone)
{
	int most = !*hdd + !*ssd, nr = argc - optind;

	if (!operands(ctx, argc, argv, 0, most))
		return false;
	if (!*hdd && (nr == 2 || (nr == 1 && *ssd)))
		*hdd = argv[optind++];
	if (!*ssd && optind < argc)
		*ssd = argv[optind++];
	if (!*ssd || (!*hdd && !alone))
		bad_usage(ctx, "missing %s%s", *ssd ? "HDD" : *hdd || alone ? "SSD" : "HDD and SSD",
			  alone ? "" : ": both disks are named, the HDD first");
	return *ssd && (*hdd || alone);
}

bool operands(struct ssdup_ctx *ctx, int argc, char **argv, int min, int max)
{
	const char *word = ctx->usage->synopsis;
	int nr;

	/* The synopsis begins with them, in their order; what may be missing is in brackets. */
	for (nr = argc - optind; nr > 0; nr--)
		word += strcspn(word, " ") + !!strchr(word, ' ');
	word += strspn(word, "[");
	if (argc - optind < min)
		bad_usage(ctx, "missing %.*s", (int)strcspn(word, " .]"), word);
	else if (max >= 0 && argc - optind > max)
		bad_usage(ctx, "unexpected argument \"%s\"", argv[optind + max]);
	else
		return true;
	return false;
}
