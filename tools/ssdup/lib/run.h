/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: other programs.
 */
#ifndef SSDUP_RUN_H
#define SSDUP_RUN_H

/**
 * run_output() - run a program, and take what it prints
 * @argv: the program, also below /usr/sbin, its arguments, NULL
 *
 * What it complains about goes nowhere.
 *
 * Return: its first MiB of output, whatever its exit status is, free() it; NULL when it could not
 * be run, or printed nothing.
 */
char *run_output(const char *const argv[]);

#endif
