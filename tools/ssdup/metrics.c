// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup exporter: the table of metrics.
 */
#include "metrics.h"

/* A name that ends in _total is a counter, any other a gauge. */
const struct metric metrics[] = {
	{ "ssdup_mode", "0 running, 1 log read-only, 2 log failed.",
	  PLAIN, { { .file = "mode" } } },
	{ "ssdup_route_ssd", "1 when the current stream of writes goes to the SSD.",
	  PLAIN, { { .file = "route" } } },
	{ "ssdup_random_ratio", "How random the last stream was, 0 to 1.",
	  PER_10000, { { .file = "random_percentage_1e4" } } },
	{ "ssdup_threshold_ratio", "Adaptive threshold after the last stream, 0 to 1.",
	  PER_10000, { { .file = "threshold_1e4" } } },
	{ "ssdup_log_size_bytes", "Data that the log has room for, all halves.",
	  SECTORS, { { .file = "half_data_sectors", .op = '*', .other = "halves" } } },
	{ "ssdup_half_size_bytes", "Data that a half of the log has room for.",
	  SECTORS, { { .file = "half_data_sectors" } } },
	{ "ssdup_halves", "Halves of the log by state; one more receives.",
	  PLAIN, {
		{ .file = "halves_free", .label = "state=\"free\"" },
		{ .file = "halves_sealed", .label = "state=\"sealed\"" } } },
	{ "ssdup_receiving_fill_ratio", "Fill of the receiving half, 0 to 1.",
	  PER_10000, { { .file = "receiving_fill_1e4" } } },
	{ "ssdup_dirty_bytes", "Data that the log holds and the HDD has not.",
	  SECTORS, { { .file = "dirty_sectors" } } },
	{ "ssdup_home_bytes", "Part of the dirty data that is on the HDD, but not freed yet.",
	  SECTORS, { { .file = "home_sectors" } } },
	{ "ssdup_extents", "Extents in memory.",
	  PLAIN, { { .file = "extents" } } },
	{ "ssdup_waiting_writes", "Writes that wait for space in the log or for memory.",
	  PLAIN, { { .file = "waiting_writes" } } },
	{ "ssdup_wait_cause", "0 none, 1 space, 2 writes, 3 commit, 4 memory, 5 bad drain, 6 SSD.",
	  PLAIN, { { .file = "wait_cause" } } },
	{ "ssdup_waiting_flushes", "FLUSH and FUA requests that wait for a commit or the HDD.",
	  PLAIN, { { .file = "waiting_flushes" } } },
	{ "ssdup_drain_state", "0 idle, 1 off, 2 held off, 3-7 at work, 8 failed, 9 stopped.",
	  PLAIN, { { .file = "drain_state" } } },
	{ "ssdup_drain_errno", "Error number of the last drain, 0 when it went well.",
	  PLAIN, { { .file = "drain_errno" } } },
	{ "ssdup_writes_total", "Writes, discards and zeroes by the way they went.",
	  PLAIN, {
		{ .file = "writes_hdd", .label = "route=\"hdd\"" },
		{ .file = "writes_ssd", .label = "route=\"ssd\"" } } },
	{ "ssdup_written_bytes_total", "Data written by users, by the way it went.",
	  SECTORS, {
		{ .file = "write_sectors_hdd", .label = "route=\"hdd\"" },
		{ .file = "write_sectors_ssd", .label = "route=\"ssd\"" } } },
	{ "ssdup_reads_total", "Reads by the disk that served them.",
	  PLAIN, {
		{ .file = "reads_hdd", .label = "route=\"hdd\"" },
		{ .file = "reads_ssd", .label = "route=\"ssd\"" } } },
	{ "ssdup_read_bytes_total", "Data read by users, by the disk it came from.",
	  SECTORS, {
		{ .file = "read_sectors_hdd", .label = "route=\"hdd\"" },
		{ .file = "read_sectors_ssd", .label = "route=\"ssd\"" } } },
	{ "ssdup_discards_total", "Discards and zeroes, whatever their way.",
	  PLAIN, { { .file = "discards" } } },
	{ "ssdup_flushes_total", "FLUSH requests.",
	  PLAIN, { { .file = "flushes" } } },
	{ "ssdup_waited_writes_total", "Writes that had to wait for space or memory.",
	  PLAIN, { { .file = "waited_writes" } } },
	{ "ssdup_streams_total", "Streams of writes by the route they gave the next one.",
	  PLAIN, {
		{ .file = "streams", .label = "route=\"hdd\"", .op = '-', .other = "streams_ssd" },
		{ .file = "streams_ssd", .label = "route=\"ssd\"" } } },
	{ "ssdup_commits_total", "Rounds of metadata writes.",
	  PLAIN, { { .file = "commits" } } },
	{ "ssdup_metadata_written_bytes_total", "Metadata written to the SSD.",
	  PAGES, { { .file = "pages_written" } } },
	{ "ssdup_seals_total", "Halves sealed.",
	  PLAIN, { { .file = "seals" } } },
	{ "ssdup_frees_total", "Halves freed.",
	  PLAIN, { { .file = "frees" } } },
	{ "ssdup_drained_bytes_total", "Data that drains brought to the HDD.",
	  SECTORS, { { .file = "drained_sectors" } } },
	{ "ssdup_drain_writes_total", "Runs that drains wrote to the HDD.",
	  PLAIN, { { .file = "drain_writes" } } },
	{ "ssdup_drain_reads_total", "Pieces that drains took from the log.",
	  PLAIN, { { .file = "drain_reads" } } },
	{ "ssdup_disk_errors_total", "Requests of ours that a disk failed.",
	  PLAIN, {
		{ .file = "hdd_errors", .label = "disk=\"hdd\"" },
		{ .file = "ssd_errors", .label = "disk=\"ssd\"" } } },
	{ "ssdup_pinned_extents_total", "Blocks kept in the log because the HDD refused them.",
	  PLAIN, { { .file = "pinned_extents" } } },
	{ "ssdup_lost_extents_total", "Blocks lost because the SSD would not give them back.",
	  PLAIN, { { .file = "lost_extents" } } },
};

const unsigned int nr_metrics = sizeof(metrics) / sizeof(metrics[0]);
