/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What check finds of a damaged log, and what repair makes of it.
 */
#ifndef SSDUP_JUDGE_H
#define SSDUP_JUDGE_H

#include <kunit/test.h>

#include "maker.h"

#define OF(what, field)	offsetof(struct ssdup_##what, field), \
			sizeof(((struct ssdup_##what *)0)->field)

/**
 * judge_log() - check a log
 * @number: that of the only finding which is no note; 0: any will do, or none
 *
 * Return: exit code of check.
 */
int judge_log(struct kunit *test, struct maker *m, unsigned int number);

/** judge_mended() - repair it. Return: exit code of repair */
int judge_mended(struct maker *m);

/* What is done to a whole log, what check finds then, and exit codes. */
struct damage {
	const char	*name;
	void		(*spoil)(struct maker *m);
	unsigned int	number;		/* see judge_log() */
	int		check;
	int		repair;		/* EXIT_OK, EXIT_DEGRADED, or why not */
	int		after;		/* of check, after the repair */
};

void judge_describe(const struct damage *d, char *desc);

/** judge_damage() - do the damage that is the parameter of @test to a log, and end that */
void judge_damage(struct kunit *test, struct maker *m);

#endif
