// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "classes.h"
#include "tool.h"

FILE *classes_open(const char *folder)
{
	char *path = xprintf("%s/classes", folder);
	FILE *f = fopen(path, "re");

	free(path);
	return f;
}

bool classes_next(FILE *f, struct class_line *k)
{
	return fscanf(f, "%31s %7s %llu %llu %llu %llu", k->name, k->late, &k->sectors[0],
		      &k->sectors[1], &k->sectors[2], &k->sectors[3]) == 2 + CLASS_NUMBERS;
}
