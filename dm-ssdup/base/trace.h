/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ssdup

#if !defined(SSDUP_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define SSDUP_TRACE_H

#include <linux/tracepoint.h>

#include "base/step.h"
#include "core/plan.h"
#include "core/route.h"
#include "ssdup.h"

struct ssdup_segment;

#define ssdup_dev(c) disk_devt(dm_disk((c)->md))

/* A stream was evaluated. Percentages are in 1/10000; route is 0 (HDD) or 1 (SSD). */
TRACE_EVENT(ssdup_stream,
	TP_PROTO(struct ssdup *c, u32 percentage, u32 threshold, enum ssdup_disk route),
	TP_ARGS(c, percentage, threshold, route),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u32, percentage)
		__field(u32, threshold)
		__field(u8, route)
	),
	TP_fast_assign(
		__entry->dev = ssdup_dev(c);
		__entry->percentage = percentage;
		__entry->threshold = threshold;
		__entry->route = route;
	),
	TP_printk("%d:%d percentage %u threshold %u next %s",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->percentage,
		  __entry->threshold, __entry->route ? "ssd" : "hdd")
);

TRACE_DEFINE_ENUM(ROUTE_HDD);
TRACE_DEFINE_ENUM(ROUTE_LOG);
TRACE_DEFINE_ENUM(ROUTE_WAIT);
TRACE_DEFINE_ENUM(ROUTE_FAIL);

/* A write was routed; way is an enum route_action. */
TRACE_EVENT(ssdup_route,
	TP_PROTO(struct ssdup *c, const struct ssdup_io *io, enum route_action way),
	TP_ARGS(c, io, way),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, start)
		__field(u32, sectors)
		__field(u8, stream)
		__field(u8, way)
	),
	TP_fast_assign(
		__entry->dev = ssdup_dev(c);
		__entry->start = io->start;
		__entry->sectors = io->sectors;
		__entry->stream = io->route;
		__entry->way = way;
	),
	TP_printk("%d:%d %llu + %u stream %s way %s",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->start,
		  __entry->sectors, __entry->stream ? "ssd" : "hdd",
		  __print_symbolic(__entry->way, { ROUTE_HDD, "hdd" }, { ROUTE_LOG, "log" },
				   { ROUTE_WAIT, "waits" },
				   { ROUTE_FAIL, "fails" }))
);

DECLARE_EVENT_CLASS(ssdup_segment_class,
	TP_PROTO(struct ssdup *c, const struct ssdup_segment *seg),
	TP_ARGS(c, seg),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u32, segment)
		__field(u64, generation)
		__field(u32, entries)
		__field(u64, sectors)
	),
	TP_fast_assign(
		u64 word = atomic64_read(&seg->word);

		__entry->dev = ssdup_dev(c);
		__entry->segment = seg->index;
		__entry->generation = seg->generation;
		__entry->entries = log_word_entries(word);
		__entry->sectors = log_word_sectors(word);
	),
	TP_printk("%d:%d segment %u generation %llu entries %u sectors %llu",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->segment,
		  __entry->generation, __entry->entries, __entry->sectors)
);

DEFINE_EVENT(ssdup_segment_class, ssdup_seal,
	TP_PROTO(struct ssdup *c, const struct ssdup_segment *seg), TP_ARGS(c, seg));
DEFINE_EVENT(ssdup_segment_class, ssdup_open,
	TP_PROTO(struct ssdup *c, const struct ssdup_segment *seg), TP_ARGS(c, seg));
DEFINE_EVENT(ssdup_segment_class, ssdup_free,
	TP_PROTO(struct ssdup *c, const struct ssdup_segment *seg), TP_ARGS(c, seg));

/* A drain has taken a batch from the map. */
TRACE_EVENT(ssdup_drain,
	TP_PROTO(struct ssdup *c, const struct ssdup_segment *seg, const struct drain_plan *plan),
	TP_ARGS(c, seg, plan),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u32, segment)
		__field(u64, start)
		__field(u32, pieces)
		__field(u32, runs)
		__field(u32, sectors)
	),
	TP_fast_assign(
		__entry->dev = ssdup_dev(c);
		__entry->segment = seg->index;
		__entry->start = plan->nr_pieces ? plan->pieces[0].start : 0;
		__entry->pieces = plan->nr_pieces;
		__entry->runs = plan->nr_runs;
		__entry->sectors = plan->sectors;
	),
	TP_printk("%d:%d segment %u from %llu: %u pieces in %u runs, %u sectors",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->segment,
		  __entry->start, __entry->pieces, __entry->runs, __entry->sectors)
);

#ifdef SSDUP_STEPS
/* A step between writes and flushes, see step.h; any context. */
TRACE_EVENT(ssdup_step,
	TP_PROTO(struct ssdup *c, enum ssdup_step step),
	TP_ARGS(c, step),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u32, step)
	),
	TP_fast_assign(
		__entry->dev = ssdup_dev(c);
		__entry->step = step;
	),
	TP_printk("%d:%d %s", MAJOR(__entry->dev), MINOR(__entry->dev),
		  ssdup_step_name(__entry->step))
);
#endif

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH base
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
