/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: status, table and messages.
 */
#ifndef SSDUP_STATUS_H
#define SSDUP_STATUS_H

#include "ssdup.h"

void ssdup_status(struct dm_target *ti, status_type_t type, unsigned int flags,
		  char *result, unsigned int maxlen);
int ssdup_message(struct dm_target *ti, unsigned int argc, char **argv,
		  char *result, unsigned int maxlen);
u64 ssdup_stat_sum(struct ssdup *c, enum ssdup_stat stat);
void ssdup_clear_stats(struct ssdup *c);

/** ssdup_home_sectors() - dirty sectors that drains have copied already; any context */
u64 ssdup_home_sectors(struct ssdup *c);

/** ssdup_drain_state() - what the drain does or waits for; any context */
enum drain_state ssdup_drain_state(struct ssdup *c);

/** ssdup_wait_cause() - why the first of the waiting writes waits; any context */
enum wait_cause ssdup_wait_cause(struct ssdup *c);

#endif
