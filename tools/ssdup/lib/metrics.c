// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup metrics: the table of metrics.
 */
#include "metrics.h"

#define ONE(metric, symbol)							\
	{ .name = metric, .nr = 1, .field = { FIELD_##symbol } }
#define TWO(metric, of, a, symbol, b, other)					\
	{ .name = metric, .nr = 2, .field = { FIELD_##symbol, FIELD_##other },	\
	  .label = of, .value = { a, b } }

/* A name that ends in _total is a counter, any other a gauge. */
const struct metric metrics[] = {
	ONE("ssdup_mode", MODE),
	TWO("ssdup_segments", "state", "free", SEGMENTS_FREE, "sealed", SEGMENTS_SEALED),
	ONE("ssdup_open_fill_ratio", FILL),
	ONE("ssdup_dirty_bytes", DIRTY),
	ONE("ssdup_extents", EXTENTS),
	ONE("ssdup_waiting_writes", WAITING),
	ONE("ssdup_wait_cause", WAIT_CAUSE),
	ONE("ssdup_longest_wait_seconds", LONGEST_WAIT),
	ONE("ssdup_waiting_flushes", FLUSHES_WAIT),
	ONE("ssdup_drain_state", DRAIN_STATE),
	ONE("ssdup_drain_errno", DRAIN_ERRNO),
	TWO("ssdup_writes_total", "route", "hdd", WRITES_HDD, "ssd", WRITES_SSD),
	TWO("ssdup_written_bytes_total", "route", "hdd", SECTORS_HDD, "ssd", SECTORS_SSD),
	TWO("ssdup_reads_total", "route", "hdd", READS_HDD, "ssd", READS_SSD),
	ONE("ssdup_flushes_total", FLUSHES),
	ONE("ssdup_waited_writes_total", WAITED),
	ONE("ssdup_commits_total", COMMITS),
	ONE("ssdup_seals_total", SEALS),
	ONE("ssdup_frees_total", FREES),
	ONE("ssdup_drained_bytes_total", DRAINED_SECTORS),
	TWO("ssdup_disk_errors_total", "disk", "hdd", HDD_ERRORS, "ssd", SSD_ERRORS),
	ONE("ssdup_unwritable_extents_total", UNWRITABLE),
	ONE("ssdup_lost_extents_total", LOST),
	ONE("ssdup_ssd_written_bytes_total", SSD_WRITTEN),
	ONE("ssdup_ssd_left_bytes", BUDGET_LEFT),
	ONE("ssdup_pool_segments_free", POOL_FREE),
	ONE("ssdup_clean_segments", CLEAN_SEGMENTS),
	ONE("ssdup_clean_bytes", CLEAN),
	ONE("ssdup_clean_map_bytes", CLEAN_MAP),
	ONE("ssdup_reads_clean_total", READS_CLEAN),
	ONE("ssdup_promoted_bytes_total", PROMOTED),
	ONE("ssdup_reads_promoted_total", READS_PROMOTED),
	ONE("ssdup_guard", GUARD),
	ONE("ssdup_ssd_interference_ratio", INTERFERENCE),
	ONE("ssdup_ssds_out", SSDS_OUT),
	ONE("ssdup_ssd_read_interference_ratio", READ_INTERFERENCE),
	ONE("ssdup_mirrors_out", MIRRORS_OUT),
};

const unsigned int nr_metrics = sizeof(metrics) / sizeof(metrics[0]);
