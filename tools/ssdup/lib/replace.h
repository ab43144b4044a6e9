/* SPDX-License-Identifier: GPL-2.0-only */
/* ssdup: another table in the place of that of a device whose log is empty, while it is in use. */
#ifndef SSDUP_REPLACE_H
#define SSDUP_REPLACE_H

#include "state.h"

struct table {
	uint64_t	sectors;
	const char	*target, *params;
};

/**
 * drain_and_replace() - drain until the log is empty, and let the device go on with another table
 * @s: read again all the time; as of the end on return
 * @old: its table, @new: the one that takes its place
 *
 * What is written between a drain and the suspend may be in the log: then it is drained once more.
 * Meanwhile nothing new goes to the log; the policy is as it was when no other table takes over.
 *
 * Return: EXIT_OK; EXIT_INTERRUPTED, not complained about; another exit code with the complaint
 * made; -EUCLEAN when the device is left suspended; or -errno when its table cannot be replaced
 */
int drain_and_replace(const struct ssdup_ctx *ctx, struct state *s, const struct table *old,
		      const struct table *new);

#endif
