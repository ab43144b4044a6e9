// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: the administrator's tool for dm-ssdup. The commands are in commands.h.
 */
#include <getopt.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "commands.h"
#include "lib/complete.h"
#include "lib/dmdev.h"

#ifndef SSDUP_TOOL_VERSION
#define SSDUP_TOOL_VERSION "1.0"
#endif

#define COMMAND(name, about)	{ #name, cmd_##name, about, &usage_##name },

static const struct command {
	const char	*name;
	int		(*run)(struct ssdup_ctx *ctx, int argc, char **argv);
	const char	*about;
	const struct usage *usage;
} commands[] = {
	SSDUP_COMMANDS(COMMAND)
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static struct ssdup_ctx context_of(const struct command *command)
{
	return (struct ssdup_ctx){
		.command = command->name,
		.usage = command->usage,
		.tab = getenv("SSDUP_TAB") ?: SSDUP_TAB_FILE,
	};
}

static int run_command(const struct command *command, int argc, char **argv)
{
	struct ssdup_ctx ctx = context_of(command);

	optind = 0;
	return command->run(&ctx, argc, argv);
}

/*
 * What has changed a device or a disk stands in the journal, with what came of it. Those that only
 * look, and tries without the right to, do not.
 */
static void journal(const char *name, int argc, char **argv, int r)
{
	static const char *const change[] = {
		"create", "detach", "export", "format", "pool", "release", "remove", "repair",
		"resize",
	};
	char *words = xstrdup(""), *more;
	size_t i;
	int arg;

	for (i = 0; i < sizeof(change) / sizeof(change[0]) && strcmp(name, change[i]); i++)
		;
	if (i < sizeof(change) / sizeof(change[0]) && r != EXIT_USAGE && !geteuid()) {
		for (arg = 0; arg < argc; arg++) {
			more = xprintf("%s %s", words, argv[arg]);
			free(words);
			words = more;
		}
		openlog("ssdup", 0, LOG_DAEMON);
		syslog(r ? LOG_WARNING : LOG_NOTICE, "ssdup%s: exit status %d", words, r);
		closelog();
	}
	free(words);
}

static int run_and_tell(const struct command *command, int argc, char **argv)
{
	int r = run_command(command, argc, argv);

	report_end(command->name, r);
	journal(command->name, argc, argv, r);
	return r;
}

/* Was all of it printed? Return: @r, or an error if not. */
static int finish(const char *name, int r)
{
	if (!fflush(stdout) && !ferror(stdout))
		return r;
	fprintf(stderr, "ssdup %s: cannot write the output: %m\n", name);
	return r ?: EXIT_FAILED;
}

static void print_commands(FILE *to)
{
	size_t i;

	fprintf(to, "Usage: ssdup COMMAND [OPTIONS] ...\n"
		"       ssdup --help | --version | help COMMAND\n\n"
		"Manage dm-ssdup devices: a small SSD in front of an HDD as a buffer of bursts.\n\n"
		"Commands:\n");
	for (i = 0; i < NR_COMMANDS; i++)
		fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].about);
	fprintf(to, "\nSee ssdup(8), or \"ssdup COMMAND --help\".\n");
}

static int unknown(const char *name)
{
	fprintf(stderr, "ssdup: %s: no such command; \"ssdup --help\" lists them\n", name);
	return EXIT_USAGE;
}

int cmd_help(struct ssdup_ctx *ctx, int argc, char **argv)
{
	char help[] = "--help", *args[] = { NULL, help, NULL };
	const struct command *command;

	if (next_option(ctx, argc, argv) == OPT_STOP ||
	    !operands(ctx, argc, argv, 0, 1))
		return ctx->exit;
	if (optind == argc) {
		print_commands(stdout);
		return EXIT_OK;
	}
	command = find_command(argv[optind]);
	if (!command)
		return unknown(argv[optind]);
	args[0] = argv[optind];
	return run_command(command, 2, args);
}

/* @argv: the words behind "ssdup", the last one as far as it stands. */
static int complete(int argc, char **argv)
{
	struct completion c = { .words = argv + 1, .nr = argc - 2, .word = argv[argc - 1] };
	const struct command *command;
	struct ssdup_ctx ctx;
	size_t i;

	if (argc < 2) {
		for (i = 0; i < NR_COMMANDS; i++)
			complete_word(argc ? *argv : "", commands[i].name);
		complete_word(argc ? *argv : "", "--help");
		complete_word(argc ? *argv : "", "--version");
		return EXIT_OK;
	}
	command = find_command(argv[0]);
	if (command) {
		ctx = context_of(command);
		complete_command(&ctx, &c);
	}
	return EXIT_OK;
}

int main(int argc, char **argv)
{
	const struct command *command;

	dmdev_prepare();
	setlocale(LC_ALL, "");
	/* Numbers are written with a point, whoever reads them. */
	setlocale(LC_NUMERIC, "C");
	if (argc < 2) {
		print_commands(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		argv[1] = "help";
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("ssdup %s\n", SSDUP_TOOL_VERSION);
		return finish("--version", EXIT_OK);
	}
	if (!strcmp(argv[1], "--complete"))
		return complete(argc - 2, argv + 2);
	command = find_command(argv[1]);
	if (!command)
		return unknown(argv[1]);
	return finish(command->name, run_and_tell(command, argc - 1, argv + 1));
}
