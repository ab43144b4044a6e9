/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: read the status of a device.
 */
#ifndef SSDUP_STATE_H
#define SSDUP_STATE_H

#include "dmdev.h"
#include "words.h"

/**
 * state_read() - read the status of a device, without root from sysfs
 * @s: filled in when 0 is returned; state_free() it
 *
 * Return: 0, -ENXIO for no such device, -EMEDIUMTYPE for one of another kind, or -errno.
 */
int state_read(const char *name, struct state *s);

/**
 * state_again() - the same once more, of the device that @s is of
 * @s: left as it was when that fails
 */
int state_again(struct state *s);

/**
 * state_read_lost() - ask a device that is not suspended whether ranges are lost
 *
 * Return: its answer, a line "SECTOR SECTORS" for each, free() it; NULL when none is, or
 * nobody may ask. Sets @s->lost.
 */
char *state_read_lost(struct state *s);

void state_free(struct state *s);

/** state_complain() - why state_read() failed with @r; an exit code */
int state_complain(const struct ssdup_ctx *ctx, const char *name, int r);

/**
 * state_operand() - after OPT_END: read the status of the device that the only operand names
 * @s: filled in for EXIT_OK; state_free() it
 *
 * Return: EXIT_OK, or an exit code with the complaint made.
 */
int state_operand(struct ssdup_ctx *ctx, int argc, char **argv, struct state *s);

/**
 * state_names() - the names of all ssdup devices, sorted, NULL behind the last
 * @names: free() each, and the array
 *
 * Return: 0 or -errno.
 */
int state_names(char ***names);

/** all_names() - the same; an exit code with the complaint made */
int all_names(const struct ssdup_ctx *ctx, char ***names);

/** names_free() - free such an array */
void names_free(char **names);

#endif
