/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: SSDs of a pool come and go: members.c.
 */
#ifndef SSDUP_LOG_MEMBERS_H
#define SSDUP_LOG_MEMBERS_H

struct ssdup_log;

/**
 * ssdup_pool_add_ssd() - name another SSD of the pool, which is not used yet
 * @number: that it gets, see ssdup_ssds_add()
 * @uuid: of the SSD, which has a superblock already
 * @segments: that it has room for
 * @error: set to what is wrong
 *
 * Context: process, sleeps. Return: 0 or -errno.
 */
int ssdup_pool_add_ssd(struct ssdup_log *log, const char *number, const char *uuid,
		       const char *segments, const char **error);

/**
 * ssdup_pool_ssd_state() - let an SSD be used, or leave, or be unused
 * @number: of the SSD
 * @state: "used", for tables that are loaded from now on; "leaves": it takes no new data, and is
 * drained; "unused"
 * @error: set to what is wrong
 *
 * Context: process, sleeps. Return: 0 or -errno; -EBUSY while a log has something there.
 */
int ssdup_pool_ssd_state(struct ssdup_log *log, const char *number, const char *state,
			 const char **error);

/**
 * ssdup_mirror_fills() - let another mirror of an SSD get all writes, and see what it lacks
 * @number: of the SSD
 * @error: set to what is wrong
 *
 * For each device of the pool: what the log has then is on one SSD alone. Said again, it changes
 * nothing, unless the new SSD has failed meanwhile. Context: process, sleeps. Return: 0 or -errno.
 */
int ssdup_mirror_fills(struct ssdup_log *log, const char *number, const char **error);

/** ssdup_mirror_left() - the segments of the log that are on one SSD alone; sleeps */
u32 ssdup_mirror_left(struct ssdup_log *log, const char *number);

/**
 * ssdup_mirror_filled() - the new mirror has everything: it counts
 * @error: set to what is wrong
 *
 * Context: process, sleeps. Return: 0 or -errno; -EBUSY while a log has something on one alone.
 */
int ssdup_mirror_filled(struct ssdup_log *log, const char *number, const char **error);

/**
 * ssdup_mirror_leaves() - one of the two is out, by a word of the user
 * @index: of the one
 * @error: set to what is wrong
 *
 * Context: process, sleeps. Return: 0 or -errno.
 */
int ssdup_mirror_leaves(struct ssdup_log *log, const char *number, const char *index,
			const char **error);

#endif
