/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the class of a write to the log.
 *
 * What the log holds keeps its class, so two classes never hold the same sector. New data gets
 * the class that was set for its sectors, or else for its cgroup, its hint, or the present job.
 */
#ifndef SSDUP_CLASSES_H
#define SSDUP_CLASSES_H

#include "router.h"

void ssdup_classes_destroy(struct ssdup_router *router);

/**
 * ssdup_class_take() - choose the class of a write that was just mapped
 * @io: sectors are cut to the first part that has one class; own and class are set
 *
 * The map may change until the write ends: ssdup_insert() looks again. Context: any.
 */
void ssdup_class_take(struct ssdup_router *router, const struct bio *bio, struct ssdup_io *io);

/**
 * ssdup_class_keep() - choose it again for a write that cannot be cut any more
 *
 * Context: any. Return: false when two classes hold parts of it. Then it must wait for the drain
 * of one of them, which this asks for.
 */
bool ssdup_class_keep(struct ssdup_router *router, struct ssdup_io *io);

/**
 * ssdup_class_message() - set the class of new data
 * @name: of the table, or "default"
 * @start: NULL: of all data that no range has; else in sectors of the device, as is @len
 *
 * Context: process. Return: 0 or -errno, with *error set.
 */
int ssdup_class_message(struct ssdup_router *router, const char *name, const char *start,
			const char *len, const char **error);

/**
 * ssdup_class_cgroup() - set the class of a cgroup's new data
 * @text: "PATH CLASS" or "NUMBER CLASS"
 *
 * Context: process. Return: 0 or -errno, with *error set.
 */
int ssdup_class_cgroup(struct ssdup_router *router, const char *text, const char **error);

/** ssdup_class_cgroups() - a line for each of these, or "none"; context: process */
ssize_t ssdup_class_cgroups(struct ssdup_router *router, char *buf);

#endif
