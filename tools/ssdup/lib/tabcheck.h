/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: ssduptab before it is needed.
 */
#ifndef SSDUP_TABCHECK_H
#define SSDUP_TABCHECK_H

#include "tab.h"

/**
 * tab_check() - say what is wrong with the lines: keys, values, disks, duplicates
 * @json: for programs
 *
 * Lines that could not be read, @tab->faults, were complained about when they were.
 *
 * Return: EXIT_OK, also with warnings, or EXIT_FAILED.
 */
int tab_check(const struct ssdup_ctx *ctx, const struct tab *tab, bool json);

/** tab_count() - how much tab_check() would say, but for lines that could not be read */
void tab_count(const struct tab *tab, unsigned int *errors, unsigned int *warnings);

#endif
