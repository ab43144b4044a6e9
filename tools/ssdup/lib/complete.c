// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup --complete: the words that may stand next on a command line. What a command takes
 * is told by its help text: "SSD [superblock|pages|extents]..." has a device, then any of
 * three words; "--copy N" a number. Shells ask; completion/ has how. Where no word is
 * offered they offer files, and so devices.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dm-ssdup/core/settings.h"

#include "commands.h"
#include "complete.h"
#include "dev.h"
#include "list.h"
#include "tab.h"

void complete_word(const char *begun, const char *word)
{
	if (!strncmp(word, begun, strlen(begun)))
		puts(word);
}

/* --- Names --- */

/* Those of dm-ssdup, without root. */
static void complete_names(const char *begun)
{
	DIR *dir = opendir("/sys/block");
	char *folder, *name;
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		folder = xprintf("/sys/block/%s/ssdup", d->d_name);
		name = access(folder, F_OK) ? NULL : folder_line(folder, "../dm/name");
		if (name)
			complete_word(begun, name);
		free(name);
		free(folder);
	}
	if (dir)
		closedir(dir);
}

static void complete_tab(const struct ssdup_ctx *ctx, const char *begun)
{
	struct ssdup_ctx quiet = *ctx;
	struct tab tab;
	unsigned int i;

	if (tab_read(&quiet, &tab))
		return;
	for (i = 0; i < tab.nr; i++)
		complete_word(begun, tab.entry[i].name);
	tab_free(&tab);
}

static void complete_commands(const char *begun)
{
#define WORD(name, about)	complete_word(begun, #name);
	SSDUP_COMMANDS(WORD)
}

/* --- Keys --- */

/* "a=b,ke": what stands up to the comma stays. @fixed: also those that cannot be set later. */
static void complete_key(const char *begun, bool fixed)
{
	const char *comma = strrchr(begun, ','), *part = comma ? comma + 1 : begun;
	const struct ssdup_settings_key *key;
	int kept = part - begun;
	char *word;
	u32 i, j;

	for (i = 0; (key = ssdup_settings_key(i)); i++) {
		if (!key->file && !fixed)
			continue;
		word = xprintf("%.*s%s=", kept, begun, key->name);
		if (strncmp(word, begun, strlen(word)))
			complete_word(begun, word);
		else
			for (j = 0; key->words && key->words[j]; j++) {
				char *value = xprintf("%s%s", word, key->words[j]);

				complete_word(begun, value);
				free(value);
			}
		free(word);
	}
}

/* "a,b,c": likewise. */
static void complete_column(const char *begun)
{
	const char *comma = strrchr(begun, ','), *name;
	char *word;
	unsigned int i;

	for (i = 0; (name = list_column_name(i)); i++) {
		word = xprintf("%.*s%s", comma ? (int)(comma + 1 - begun) : 0, begun, name);
		complete_word(begun, word);
		free(word);
	}
}

static void complete_policy(const char *begun)
{
	const struct ssdup_settings_key *key = ssdup_settings_find("policy");
	u32 i;

	for (i = 0; key->words[i]; i++)
		complete_word(begun, key->words[i]);
}

/* --- What a help text names --- */

static void complete_words(const char *begun, const char *words)
{
	char *copy = xstrdup(words), *save = NULL, *word;

	for (word = strtok_r(copy, "|", &save); word; word = strtok_r(NULL, "|", &save))
		complete_word(begun, word);
	free(copy);
}

static void complete_kind(const struct ssdup_ctx *ctx, const char *kind, const char *begun)
{
	if (!strcmp(kind, "NAME") && (!strcmp(ctx->command, "create") ||
				      !strcmp(ctx->command, "tab")))
		complete_tab(ctx, begun);
	else if (!strcmp(kind, "NAME"))
		complete_names(begun);
	else if (!strncmp(kind, "KEY=VALUE", 9))
		complete_key(begun, strcmp(ctx->command, "set"));
	else if (!strncmp(kind, "COLUMN", 6))
		complete_column(begun);
	else if (!strcmp(kind, "POLICY"))
		complete_policy(begun);
	else if (!strcmp(kind, "COMMAND"))
		complete_commands(begun);
	else if (!strcmp(kind, "N") || !strcmp(kind, "SIZE"))
		complete_words(begun, !strcmp(kind, "SIZE") ? "512|1K|2K|4K" : "0|1");
	else if (strchr(kind, '|'))
		complete_words(begun, kind);
}

/* Operand number @nr of the synopsis, such as "SSD"; the last one goes on if it has "...". */
static char *operand_kind(const char *synopsis, unsigned int nr)
{
	char *copy = xstrdup(synopsis), *save = NULL, *word, *kind = NULL;
	bool many = false;

	copy[strcspn(copy, "\n")] = '\0';
	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (*word == '-' || !strncmp(word, "[-", 2) || !strcmp(word, "[OPTIONS]"))
			break;
		many = strstr(word, "...");
		word += *word == '[';
		word[strcspn(word, "].")] = '\0';
		free(kind);
		kind = xstrdup(word);
		if (!nr--)
			break;
	}
	/* There are fewer. */
	if (kind && (int)nr >= 0 && !many) {
		free(kind);
		kind = NULL;
	}
	free(copy);
	return kind;
}

static const struct option_spec *find_option(const struct usage *usage, const char *word)
{
	const struct option_spec *o = usage->options;

	for (; o && o->val; o++)
		if ((o->val < 256 && word[0] == '-' && word[1] == o->val && !word[2]) ||
		    (o->name && !strncmp(word, "--", 2) && !strcmp(word + 2, o->name)))
			return o;
	return NULL;
}

static void complete_options(const struct usage *usage, const char *begun)
{
	const struct option_spec *o = usage->options;
	char *word;

	for (; o && o->val; o++) {
		word = xprintf("--%s", o->name ?: "");
		if (o->name)
			complete_word(begun, word);
		free(word);
	}
	complete_word(begun, "--help");
}

/* Words that are neither options nor what these take. */
static unsigned int operands_before(const struct usage *usage, char *const *words,
				    unsigned int nr)
{
	const struct option_spec *o;
	unsigned int i, found = 0;

	for (i = 0; i < nr; i++) {
		if (*words[i] != '-') {
			found++;
			continue;
		}
		o = find_option(usage, words[i]);
		i += o && o->arg;
	}
	return found;
}

void complete_command(const struct ssdup_ctx *ctx, const struct completion *c)
{
	const struct usage *usage = ctx->usage;
	const struct option_spec *o = c->nr ? find_option(usage, c->words[c->nr - 1]) : NULL;
	char *kind;

	if (o && o->arg) {
		/* Sizes of blocks, and copies, are few; those of segments and the like are any. */
		if ((strcmp(o->arg, "SIZE") || !strcmp(o->name, "block-size")) &&
		    (strcmp(o->arg, "N") || !strcmp(o->name, "copy")))
			complete_kind(ctx, !strcmp(o->name, "tab") ? "NAME" : o->arg, c->word);
	} else if (*c->word == '-') {
		complete_options(usage, c->word);
	} else {
		kind = operand_kind(usage->synopsis,
				    operands_before(usage, c->words, c->nr));
		if (kind)
			complete_kind(ctx, kind, c->word);
		free(kind);
	}
}
