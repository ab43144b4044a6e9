// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: screens.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "screen.h"

void screen_make(struct screen *s, unsigned int rows, unsigned int columns)
{
	s->rows = rows < SCREEN_MAX_ROWS ? rows : SCREEN_MAX_ROWS;
	s->columns = columns < SCREEN_MAX_COLUMNS ? columns : SCREEN_MAX_COLUMNS;
	s->cell = xalloc((size_t)s->rows * s->columns + 1);
	s->attr = xalloc((size_t)s->rows * s->columns + 1);
	memset(s->cell, ' ', (size_t)s->rows * s->columns);
}

void screen_free(struct screen *s)
{
	free(s->cell);
	free(s->attr);
	s->cell = NULL;
	s->attr = NULL;
}

unsigned int screen_put(struct screen *s, unsigned int row, unsigned int column, int attr,
			const char *fmt, ...)
{
	char text[SCREEN_MAX_COLUMNS + 1];
	va_list args;
	const char *p;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	for (p = text; *p && row < s->rows && column < s->columns; p++, column++) {
		/* A name may hold what would move the cursor. */
		s->cell[row * s->columns + column] = isprint((unsigned char)*p) ? *p : '?';
		s->attr[row * s->columns + column] = attr;
	}
	return column;
}

unsigned int screen_bar(struct screen *s, unsigned int row, unsigned int column,
			unsigned int width, uint64_t share_1e4)
{
	unsigned int inner, full, i;

	if (width < 3)
		return column;
	inner = width - 2;
	if (share_1e4 > 10000)
		share_1e4 = 10000;
	/* Something is shown of something, and not all of less than all. */
	full = (inner * share_1e4 + 5000) / 10000;
	if (share_1e4 && !full)
		full = 1;
	if (share_1e4 < 10000 && full == inner)
		full--;
	column = screen_put(s, row, column, ATTR_PLAIN, "[");
	for (i = 0; i < inner; i++)
		column = screen_put(s, row, column, i < full ? ATTR_BOLD : ATTR_PLAIN, "%c",
				    i < full ? '#' : '-');
	return screen_put(s, row, column, ATTR_PLAIN, "]");
}
