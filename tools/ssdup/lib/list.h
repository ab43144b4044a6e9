/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: all devices in a table, one a line.
 */
#ifndef SSDUP_LIST_H
#define SSDUP_LIST_H

#include "tool.h"

/** list_column_name() - of column number @i, in capitals; NULL behind the last */
const char *list_column_name(unsigned int i);

/**
 * list_devices() - print a line for each device
 * @names: of devices, NULL behind the last
 * @columns: their names with commas between, in any case; NULL for the usual ones
 * @json: sizes in bytes then
 *
 * Return: the worst exit code of "ssdup status" for these devices, EXIT_USAGE for a column that
 * there is not.
 */
int list_devices(struct ssdup_ctx *ctx, char **names, const char *columns, bool json);

#endif
