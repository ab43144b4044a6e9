/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: what may be typed next, for the completion of a shell.
 */
#ifndef SSDUP_COMPLETE_H
#define SSDUP_COMPLETE_H

#include "tool.h"

/* A command line that is being typed. */
struct completion {
	char *const	*words;		/* those behind the command */
	unsigned int	nr;
	const char	*word;		/* what stands of the one that is wanted, or "" */
};

/**
 * complete_command() - print the words that fit behind a command, one a line
 *
 * What the command takes stands in the synopsis and the options of @ctx->usage.
 */
void complete_command(const struct ssdup_ctx *ctx, const struct completion *c);

/** complete_word() - print @word if it begins with what stands of the one that is wanted */
void complete_word(const char *begun, const char *word);

#endif
