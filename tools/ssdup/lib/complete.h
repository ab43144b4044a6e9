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
 * @usage: of the command; what it takes stands in its synopsis and its options
 */
void complete_command(const struct ssdup_ctx *ctx, const struct usage *usage);

/** complete_word() - print @word if it begins with what stands of the one that is wanted */
void complete_word(const char *begun, const char *word);

#endif
