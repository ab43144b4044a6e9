/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: status, table and messages.
 */
#ifndef SSDUP_STATUS_H
#define SSDUP_STATUS_H

#include "ssdup.h"

void ssdup_status(struct dm_target *ti, status_type_t type, unsigned int flags, char *result,
		  unsigned int maxlen);
int ssdup_message(struct dm_target *ti, unsigned int argc, char **argv, char *result,
		  unsigned int maxlen);

/** ssdup_fields() - fill in the fields of the status line; the table need not be resumed */
void ssdup_fields(struct ssdup *c, u64 value[SSDUP_NR_FIELDS]);

#endif
