// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "classes.h"
#include "dev.h"
#include "tool.h"

FILE *classes_open(const char *folder)
{
	char *path = xprintf("%s/classes", folder);
	FILE *f = fopen(path, "re");

	free(path);
	return f;
}

FILE *classes_of(dev_t rdev)
{
	char number[DEV_NUMBER], *folder;
	FILE *f;

	folder = xprintf("/sys/dev/block/%s/ssdup", dev_number(number, rdev));
	f = classes_open(folder);
	free(folder);
	return f;
}

bool classes_next(FILE *f, struct class_line *k)
{
	return fscanf(f, "%31s %7s %llu %llu %llu %llu", k->name, k->late, &k->sectors[0],
		      &k->sectors[1], &k->sectors[2], &k->sectors[3]) == 2 + CLASS_NUMBERS;
}
