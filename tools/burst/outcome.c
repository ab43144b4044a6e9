// SPDX-License-Identifier: GPL-2.0-only
/* burst: latencies, sums, and the line that tells them. */
#include <stdio.h>
#include "outcome.h"

static u32 hist_slot(u64 ns)
{
	u32 power, slot;

	if (ns < 2 * HIST_STEPS)
		return ns;
	power = 63 - __builtin_clzll(ns);
	slot = (power - 4) * HIST_STEPS + (ns >> (power - 5)) - HIST_STEPS;
	return slot < HIST_SLOTS ? slot : HIST_SLOTS - 1;
}

/* The largest latency of a slot. */
static u64 hist_ns(u32 slot)
{
	u32 power = slot / HIST_STEPS + 4;

	if (slot < 2 * HIST_STEPS)
		return slot;
	return ((u64)(slot % HIST_STEPS + HIST_STEPS + 1) << (power - 5)) - 1;
}

static void raise_to(u64 *longest, u64 ns)
{
	u64 old = __atomic_load_n(longest, __ATOMIC_RELAXED);

	while (ns > old && !__atomic_compare_exchange_n(longest, &old, ns, true,
							__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void outcome_add(struct outcome *out, bool read, u32 bytes, u64 begin, u64 end, u64 slice_ns)
{
	u64 slice = slice_ns ? (end - out->start_ns) / slice_ns : COURSE_SLICES;

	__atomic_fetch_add(&out->bytes[read], bytes, __ATOMIC_RELAXED);
	__atomic_fetch_add(&out->requests[read], 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&out->hist[read][hist_slot(end - begin)], 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&out->sum_ns, end - begin, __ATOMIC_RELAXED);
	raise_to(&out->longest_ns[read], end - begin);
	raise_to(&out->end_ns, end);
	if (slice < COURSE_SLICES) {
		__atomic_fetch_add(&out->slice_bytes[slice], bytes, __ATOMIC_RELAXED);
		raise_to(&out->slice_longest_ns[slice], end - begin);
	}
}

/* The latency that @share of a million requests do not exceed. */
static u64 percentile(const struct outcome *out, bool read, u32 share)
{
	u64 below = 0, want = (out->requests[read] * share + 999999) / 1000000;
	u32 slot;

	for (slot = 0; slot < HIST_SLOTS; slot++) {
		below += out->hist[read][slot];
		if (below >= want && below)
			break;
	}
	return hist_ns(slot) < out->longest_ns[read] ? hist_ns(slot) : out->longest_ns[read];
}

static void report_course(const struct outcome *out, u32 slice_ms)
{
	u32 i, n = 0;

	for (i = 0; i < COURSE_SLICES; i++)
		if (out->slice_bytes[i])
			n = i + 1;
	printf(",\"slice_ms\":%u,\"course\":[", slice_ms);
	for (i = 0; i < n; i++)
		printf("%s[%llu,%llu]", i ? "," : "", out->slice_bytes[i],
		       out->slice_longest_ns[i] / 1000);
	printf("]");
}

static void report_kind(const struct outcome *out, bool read, const char *prefix)
{
	u64 ns = out->ns ? out->ns : 1;

	printf(",\"%smb_s\":%.1f,\"%srequests\":%llu", prefix, out->bytes[read] * 1e3 / ns,
	       prefix, out->requests[read]);
	printf(",\"%sp50_us\":%llu,\"%sp99_us\":%llu,\"%sp999_us\":%llu,\"%smax_us\":%llu",
	       prefix, percentile(out, read, 500000) / 1000,
	       prefix, percentile(out, read, 990000) / 1000,
	       prefix, percentile(out, read, 999000) / 1000,
	       prefix, out->longest_ns[read] / 1000);
}

void outcome_report(const struct outcome *out, const struct job *job, u32 slice_ms)
{
	printf("{\"pattern\":\"%s\",\"procs\":%u,\"request\":%u,\"bytes\":%llu",
	       pattern_names[job->pattern], job->procs, job->request, out->bytes[0]);
	printf(",\"start_ms\":%llu,\"ms\":%llu,\"ns\":%llu,\"longest_ms\":%llu",
	       out->start_ns / 1000000, out->ns / 1000000, out->ns,
	       out->longest_ns[0] / 1000000);
	/* How long a process was at its requests, on average. */
	if (job->array)
		printf(",\"io_ms\":%llu",
		       out->sum_ns / (job->procs + nr_readers(job)) / 1000000);
	report_kind(out, false, "");
	if (out->requests[1]) {
		printf(",\"read_bytes\":%llu", out->bytes[1]);
		report_kind(out, true, "read_");
	}
	if (slice_ms)
		report_course(out, slice_ms);
	printf("}\n");
}
