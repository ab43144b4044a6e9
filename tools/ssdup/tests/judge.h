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

#endif
