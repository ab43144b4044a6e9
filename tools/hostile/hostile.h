/* SPDX-License-Identifier: GPL-2.0-only */
/* hostile: the kinds of cases. Each returns the status of the process. */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <stdint.h>

int images(uint64_t nr, uint64_t seed);
int words(uint64_t nr, uint64_t seed);
int starve(char *model);

#endif
