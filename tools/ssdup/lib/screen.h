/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: a screen as an array of characters, to be drawn by ncurses, printed, or
 * looked at by a test. Pure.
 */
#ifndef SSDUP_SCREEN_H
#define SSDUP_SCREEN_H

#include "tool.h"

#define SCREEN_MAX_ROWS		200U
#define SCREEN_MAX_COLUMNS	400U

enum { ATTR_PLAIN, ATTR_BOLD, ATTR_REVERSE, ATTR_ALARM };

struct screen {
	unsigned int	rows, columns;
	char		*cell;		/* rows * columns characters */
	unsigned char	*attr;		/* of each */
};

/** screen_make() - blank, of at most SCREEN_MAX_ROWS times SCREEN_MAX_COLUMNS */
void screen_make(struct screen *s, unsigned int rows, unsigned int columns);

void screen_free(struct screen *s);

/**
 * screen_put() - write at a place; what does not fit on the line is cut off
 *
 * Return: the column behind it.
 */
unsigned int screen_put(struct screen *s, unsigned int row, unsigned int column, int attr,
			const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/** screen_bar() - "[####----]", @width wide with its ends; share in 1/10000 */
unsigned int screen_bar(struct screen *s, unsigned int row, unsigned int column,
			unsigned int width, uint64_t share_1e4);

#endif
