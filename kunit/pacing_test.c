// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>

#include "core/pacing.c"
#include "prng.h"

#define HDD	.route = SSDUP_HDD
#define SSD	.route = SSDUP_SSD
#define EAGER	.drain = SSDUP_DRAIN_EAGER
#define MANUAL	.drain = SSDUP_DRAIN_MANUAL
#define RO	.mode = MODE_LOG_READ_ONLY
#define FAILED	.mode = MODE_LOG_FAILED

struct pacing_case {
	const char *name;
	struct pacing_in in;
	enum pacing_action action;
	u32 wait_ms;
};

static const struct pacing_case pacing_cases[] = {
	{ "nothing at all", { HDD }, PACING_SLEEP },
	{ "writers wait", { HDD, .waiters = 1, .sealed = 1, .hdd_inflight = 9 }, PACING_DRAIN },
	{ "writers wait, manual", { MANUAL, .waiters = 1, .sealed = 1 }, PACING_DRAIN },
	{ "writers wait, paused", { .paused = 1, .waiters = 1, .sealed = 1 }, PACING_DRAIN },
	{ "writers wait, all is open", { .waiters = 1, .all_open = 1, .dirty = 1, .reads = 1,
					 .hdd_inflight = 9 }, PACING_SEAL },
	{ "writers wait, all is open, manual", { MANUAL, .waiters = 1, .all_open = 1,
						 .dirty = 1 }, PACING_SEAL },
	{ "writers wait, nothing held", { MANUAL, .waiters = 1, .all_open = 1 }, PACING_SLEEP },
	{ "writers wait, others are being freed", { MANUAL, .waiters = 1, .dirty = 1 },
	  PACING_SLEEP },
	{ "asked", { HDD, .asked = 1, .sealed = 1, .hdd_inflight = 9 }, PACING_DRAIN },
	{ "asked, manual", { MANUAL, .asked = 1, .sealed = 1 }, PACING_DRAIN },
	{ "asked, readers", { .asked = 1, .sealed = 1, .reads = 1, .took_ms = 20,
			      .deferred_ms = 7 },
	  PACING_DEFER, PACING_POLL_MS },
	{ "asked, readers, held off", { .asked = 1, .sealed = 1, .reads = 1, .took_ms = 20,
					.deferred_ms = 20 * PACING_GENTLE }, PACING_DRAIN },
	{ "asked, readers, eager", { EAGER, .asked = 1, .sealed = 1, .reads = 1, .took_ms = 20 },
	  PACING_DRAIN },
	{ "asked, readers, writers wait", { .asked = 1, .waiters = 1, .sealed = 1, .reads = 1,
					    .took_ms = 20 }, PACING_DRAIN },
	{ "asked, paused", { .paused = 1, .asked = 1, .sealed = 1 }, PACING_DRAIN },
	{ "asked, only the open segment", { .asked = 1, .dirty = 1, .hdd_inflight = 9 },
	  PACING_SEAL },
	{ "asked, only the open segment, manual", { MANUAL, .asked = 1, .dirty = 1 },
	  PACING_SEAL },
	{ "asked, nothing held", { .asked = 1, .quiet_ms = 1000 }, PACING_SLEEP },
	{ "asked, sealed ones first", { .asked = 1, .sealed = 1, .dirty = 1 }, PACING_DRAIN },
	{ "paused", { SSD, .paused = 1, .sealed = 1, .fill = 9000 }, PACING_SLEEP },
	{ "paused, eager", { EAGER, .paused = 1, .sealed = 1 }, PACING_SLEEP },
	{ "paused, idle", { .paused = 1, .dirty = 1, .quiet_ms = 1000 }, PACING_SLEEP },
	{ "manual", { MANUAL, SSD, .sealed = 1, .quiet_ms = 1000 }, PACING_SLEEP },
	{ "manual, idle", { MANUAL, .dirty = 1, .quiet_ms = 1000 }, PACING_SLEEP },
	{ "late, idle", { SSD, .late = 1, .sealed = 1, .dirty = 1, .quiet_ms = 1000 },
	  PACING_SLEEP },
	{ "late, eager", { EAGER, .late = 1, .sealed = 1 }, PACING_SLEEP },
	{ "late, a part is full", { SSD, .late = 1, .sealed = 1, .part = 1 }, PACING_DRAIN },
	{ "late, a part is full, HDD busy", { HDD, .late = 1, .sealed = 1, .part = 1,
					      .hdd_inflight = 4 }, PACING_DEFER, PACING_POLL_MS },
	{ "late, writers wait", { .late = 1, .waiters = 1, .sealed = 1 }, PACING_DRAIN },
	{ "late, asked", { .late = 1, .asked = 1, .sealed = 1 }, PACING_DRAIN },
	{ "late, asked, only the open segment", { .late = 1, .asked = 1, .dirty = 1 },
	  PACING_SEAL },
	{ "late and empty, paused", { .paused = 1, .late = 1, .sealed = 1, .empty = 1 },
	  PACING_DRAIN },
	{ "late and empty, manual", { MANUAL, .late = 1, .sealed = 1, .empty = 1 }, PACING_DRAIN },
	{ "eager, busy HDD", { EAGER, HDD, .sealed = 1, .hdd_inflight = 9 }, PACING_DRAIN },
	{ "random stream, HDD free", { SSD, .sealed = 1, .part = 1 }, PACING_DRAIN },
	{ "random stream, HDD reads", { SSD, .sealed = 1, .part = 1, .hdd_inflight = 1 },
	  PACING_DEFER, PACING_POLL_MS },
	{ "sequential stream, HDD busy", { HDD, .sealed = 1, .part = 1, .hdd_inflight = 4 },
	  PACING_DEFER, PACING_POLL_MS },
	{ "sequential stream, between two requests", { HDD, .sealed = 1, .part = 1,
	  .quiet_ms = PACING_QUIET_MS - 1 }, PACING_DEFER, PACING_POLL_MS },
	{ "sequential stream, over", { HDD, .sealed = 1, .part = 1, .quiet_ms = PACING_QUIET_MS },
	  PACING_DRAIN },
	{ "a long request is not quiet", { HDD, .sealed = 1, .part = 1, .hdd_inflight = 1,
	  .quiet_ms = 100 }, PACING_DEFER, PACING_POLL_MS },
	{ "held long enough", { HDD, .sealed = 1, .part = 1, .hdd_inflight = 4,
	  .deferred_ms = PACING_DEFER_MS }, PACING_DRAIN },
	{ "nearly held long enough", { HDD, .sealed = 1, .part = 1, .hdd_inflight = 4,
	  .deferred_ms = PACING_DEFER_MS - 3 }, PACING_DEFER, 3 },
	{ "half as urgent, half the hold", { HDD, .sealed = 1, .part = 1, .hdd_inflight = 4,
	  .fill = PACING_URGENT / 2, .deferred_ms = PACING_DEFER_MS / 2 }, PACING_DRAIN },
	{ "half as urgent, not yet", { HDD, .sealed = 1, .part = 1, .hdd_inflight = 4,
	  .fill = PACING_URGENT / 2, .deferred_ms = PACING_DEFER_MS / 2 - 1 }, PACING_DEFER, 1 },
	{ "urgent", { HDD, .sealed = 1, .part = 1, .hdd_inflight = 4, .fill = PACING_URGENT },
	  PACING_DRAIN },
	{ "urgent, but patient", { HDD, .patient = 1, .sealed = 1, .part = 1, .hdd_inflight = 4,
				   .fill = PACING_URGENT, .deferred_ms = 100000 },
	  PACING_DEFER, PACING_QUIET_MS },
	{ "patient, the HDD has just ended a request", { SSD, .patient = 1, .sealed = 1, .part = 1,
	  .quiet_ms = PACING_QUIET_MS - 1 }, PACING_DEFER, PACING_QUIET_MS },
	{ "patient, the HDD is quiet", { SSD, .patient = 1, .sealed = 1, .part = 1,
	  .quiet_ms = PACING_QUIET_MS }, PACING_DRAIN },
	{ "patient, writers wait", { HDD, .patient = 1, .waiters = 1, .sealed = 1,
				     .hdd_inflight = 4 }, PACING_DRAIN },
	{ "open segment, in use", { HDD, .dirty = 1, .quiet_ms = 100 },
	  PACING_DEFER, PACING_IDLE_MS - 100 },
	{ "open segment, a request under way", { HDD, .dirty = 1, .quiet_ms = 1000,
	  .hdd_inflight = 1 }, PACING_DEFER, PACING_IDLE_MS },
	{ "open segment, idle", { SSD, .dirty = 1, .quiet_ms = PACING_IDLE_MS },
	  PACING_SEAL },
	{ "sealed ones, idle", { SSD, .sealed = 1, .quiet_ms = PACING_IDLE_MS }, PACING_DRAIN },
	{ "both, idle", { SSD, .sealed = 1, .dirty = 1, .quiet_ms = PACING_IDLE_MS },
	  PACING_SEAL },
	{ "a part that is not full, HDD free", { SSD, .sealed = 1, .quiet_ms = PACING_QUIET_MS },
	  PACING_DEFER, PACING_IDLE_MS - PACING_QUIET_MS },
	{ "a part that is not full, nearly urgent", { SSD, .sealed = 1, .fill = 9999 },
	  PACING_DEFER, PACING_IDLE_MS },
	{ "a part that is full, nothing sealed", { SSD, .part = 1, .dirty = 1, .fill = 9999 },
	  PACING_DEFER, PACING_IDLE_MS },
	{ "a part that is full, paused", { SSD, .sealed = 1, .part = 1, .paused = 1 },
	  PACING_SLEEP },
	{ "a part that is full, manual", { MANUAL, SSD, .sealed = 1, .part = 1 }, PACING_SLEEP },
	{ "open segment, idle, empty", { .quiet_ms = 1000 }, PACING_SLEEP },
	{ "empty, guard closed", { .guarded = 1, .quiet_ms = 1000 },
	  PACING_SLEEP, PACING_GUARD_MS - 1000 },
	{ "empty, guard closed, idle", { .guarded = 1, .quiet_ms = PACING_GUARD_MS }, PACING_OPEN },
	{ "the same, a request under way", { .guarded = 1, .quiet_ms = 0, .hdd_inflight = 1 },
	  PACING_SLEEP, PACING_GUARD_MS },
	{ "the same, manual", { MANUAL, .guarded = 1, .quiet_ms = PACING_GUARD_MS }, PACING_OPEN },
	{ "the same, late", { .late = 1, .guarded = 1, .quiet_ms = PACING_GUARD_MS }, PACING_OPEN },
	{ "guard closed, not empty", { .dirty = 1, .guarded = 1, .quiet_ms = PACING_GUARD_MS },
	  PACING_SEAL },
	{ "guard closed, log failed", { FAILED, .guarded = 1, .quiet_ms = PACING_GUARD_MS },
	  PACING_SLEEP },
	{ "writers wait, nothing sealed yet", { HDD, .waiters = 1, .dirty = 1,
	  .quiet_ms = 0 }, PACING_DEFER, PACING_IDLE_MS },
	{ "log failed", { FAILED, .asked = 1, .waiters = 1, .sealed = 1, .dirty = 1 },
	  PACING_SLEEP },
	{ "log read-only, open segment, asked", { RO, .asked = 1, .dirty = 1 },
	  PACING_DRAIN },
	{ "log read-only, open segment, in use", { RO, .dirty = 1, .quiet_ms = 100 },
	  PACING_DEFER, PACING_IDLE_MS - 100 },
	{ "log read-only, paused", { RO, .paused = 1, .sealed = 1 }, PACING_SLEEP },
};

static void pacing_case_desc(const struct pacing_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(pacing, pacing_cases, pacing_case_desc);

static void pacing_by_example(struct kunit *test)
{
	const struct pacing_case *c = test->param_value;
	struct pacing_out out = ssdup_pacing_decide(&c->in);

	KUNIT_EXPECT_EQ(test, out.action, c->action);
	KUNIT_EXPECT_EQ(test, out.wait_ms, c->wait_ms);
}

struct manner_case {
	struct pacing_in in;
	bool gentle, spread;
};

/* With whom a batch shares the disks. */
static void pacing_manner(struct kunit *test)
{
	static const struct manner_case cases[] = {
		{ { SSD, .sealed = 1, .part = 1 } },
		{ { SSD, .sealed = 1, .part = 1, .patient = 1, .quiet_ms = PACING_QUIET_MS } },
		{ { SSD, .sealed = 1, .asked = 1 } },
		{ { SSD, .sealed = 1, .asked = 1, .reads = 1 }, .gentle = 1 },
		{ { SSD, .sealed = 1, .asked = 1, .reads = 1, .waiters = 1 } },
		{ { SSD, EAGER, .sealed = 1, .asked = 1, .reads = 1 } },
		{ { SSD, .sealed = 1, .asked = 1, .reads = 1, .writes = 1 },
		  .gentle = 1, .spread = 1 },
		{ { SSD, .sealed = 1, .part = 1, .writes = 1 }, .spread = 1 },
		{ { SSD, .sealed = 1, .writes = 1, .waiters = 1 } },
		{ { SSD, EAGER, .sealed = 1, .writes = 1 } },
		{ { SSD, .asked = 1, .dirty = 1, .writes = 1 } },
		{ { SSD, RO, .asked = 1, .dirty = 1, .writes = 1 } },
	};
	struct pacing_out out;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		out = ssdup_pacing_decide(&cases[i].in);
		KUNIT_EXPECT_EQ_MSG(test, out.gentle, cases[i].gentle, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, out.spread, cases[i].spread, "row %u", i);
	}
}

/* How long a batch is held off while the HDD is never free. */
static u32 held_off(struct kunit *test, u32 fill)
{
	struct pacing_in in = {
		HDD, .sealed = true, .part = true, .dirty = true, .hdd_inflight = 4, .fill = fill,
	};
	struct pacing_out out;

	for (;;) {
		out = ssdup_pacing_decide(&in);
		if (out.action == PACING_DRAIN)
			return in.deferred_ms;
		KUNIT_ASSERT_EQ(test, out.action, PACING_DEFER);
		KUNIT_ASSERT_GT(test, out.wait_ms, 0);
		in.deferred_ms += out.wait_ms;
		KUNIT_ASSERT_LE(test, in.deferred_ms, PACING_DEFER_MS);
	}
}

/* Against a load that never ends, a batch still gets its turn: sooner in a fuller log. */
static void pacing_never_starves(struct kunit *test)
{
	u32 fill, held, last = U32_MAX;

	for (fill = 0; fill <= SSDUP_PCT_ONE; fill += 50) {
		held = held_off(test, fill);
		KUNIT_EXPECT_LE(test, held, last);
		last = held;
	}
	KUNIT_EXPECT_EQ(test, held_off(test, 0), PACING_DEFER_MS);
	KUNIT_EXPECT_EQ(test, held_off(test, PACING_URGENT), 0);
}

/* Whatever is going on: no wait of 0, nothing sealed in vain, who waits is served. */
static void pacing_rules(struct kunit *test)
{
	static const u32 ms[] = { 0, 1, PACING_QUIET_MS, PACING_DEFER_MS, PACING_IDLE_MS, U32_MAX };
	static const u32 fills[] = { 0, 1, PACING_URGENT - 1, PACING_URGENT, SSDUP_PCT_ONE };
	struct pacing_out out;
	u32 bits, i, j, k;
	bool beside, idle, wanted;

	for (bits = 0; bits < 16384; bits++)
		for (i = 0; i < ARRAY_SIZE(ms); i++)
			for (j = 0; j < ARRAY_SIZE(ms); j++)
				for (k = 0; k < ARRAY_SIZE(fills); k++) {
					struct pacing_in in = {
						.drain = (bits & 3) % 3, .paused = bits & 4,
						.asked = bits & 8, .waiters = bits & 16,
						.sealed = bits & 32, .part = bits & 64,
						.dirty = bits & 128, .route = !!(bits & 256),
						.hdd_inflight = !!(bits & 512), .fill = fills[k],
						.reads = bits & 1024, .writes = bits & 4096,
						.took_ms = bits & 2048 ? ms[i] : 0,
						.all_open = bits & 8192,
						.quiet_ms = ms[i], .deferred_ms = ms[j],
					};

					out = ssdup_pacing_decide(&in);
					KUNIT_ASSERT_EQ(test, out.action == PACING_DEFER,
							out.wait_ms != 0);
					KUNIT_ASSERT_LE(test, out.wait_ms, PACING_IDLE_MS);
					if (out.action == PACING_DRAIN)
						KUNIT_ASSERT_TRUE(test, in.sealed);
					wanted = in.sealed && (in.waiters || in.asked);
					if (out.action == PACING_SEAL)
						KUNIT_ASSERT_TRUE(test, in.dirty && !wanted);
					beside = in.reads && in.drain != SSDUP_DRAIN_EAGER &&
						 in.deferred_ms < PACING_PATIENCE_MS;
					if (in.sealed && (in.waiters || (in.asked && !beside)))
						KUNIT_ASSERT_EQ(test, out.action, PACING_DRAIN);
					/* If a write waits, something is being freed. */
					if (in.waiters && in.all_open && in.dirty)
						KUNIT_ASSERT_GE(test, out.action, PACING_SEAL);
					idle = in.quiet_ms >= PACING_IDLE_MS && !in.hdd_inflight &&
					       !in.paused && in.drain != SSDUP_DRAIN_MANUAL;
					if (idle && !in.asked && (in.sealed || in.dirty))
						KUNIT_ASSERT_GE(test, out.action, PACING_SEAL);
					if (out.gentle)
						KUNIT_ASSERT_TRUE(test, in.reads && !in.waiters);
					KUNIT_ASSERT_EQ(test, out.spread,
							out.action == PACING_DRAIN && in.writes &&
							!in.waiters &&
							in.drain != SSDUP_DRAIN_EAGER);
				}
}

/* --- Classes --- */

struct choice_case {
	const char *name;
	struct pacing_class k[3];
	bool wanted;
	u32 class;
};

static const struct choice_case choice_cases[] = {
	{ "nothing anywhere", { }, true, 0 },
	{ "the only one", { { }, { }, { .dirty = 1 } }, false, 2 },
	{ "most segments", { { .sealed = 2 }, { .sealed = 5 }, { .sealed = 3 } }, false, 1 },
	{ "asked for", { { .sealed = 9 }, { .asked = 1 }, { .sealed = 1, .asked = 1 } }, true, 2 },
	{ "asked for, open", { { .sealed = 9 }, { .dirty = 1, .asked = 1 } }, false, 1 },
	{ "asked for, late", { { .sealed = 9 }, { .sealed = 1, .asked = 1, .late = 1 } }, false,
	  1 },
	{ "asked for, the late one last", { { .sealed = 9, .asked = 1, .late = 1 },
					    { .dirty = 1, .asked = 1 } }, true, 1 },
	{ "empty ones first", { { .asked = 1, .sealed = 9 },
				{ .late = 1, .sealed = 1, .empty = 1 } }, true, 1 },
	{ "late ones last", { { .sealed = 9, .late = 1 }, { .sealed = 1 } }, true, 1 },
	{ "late before an open one, for space", { { .dirty = 1 }, { .sealed = 1, .late = 1 } },
	  true, 1 },
	{ "a full SSD first", { { .sealed = 9 }, { .sealed = 1, .late = 1, .full = 1 } }, true,
	  1 },
	{ "a full SSD, open", { { .sealed = 9 }, { .dirty = 1, .full = 1 } }, true, 1 },
	{ "a full SSD, nobody waits", { { .sealed = 9 }, { .sealed = 1, .full = 1 } }, false, 0 },
	{ "late behind an open one", { { .sealed = 1, .late = 1 }, { .dirty = 1 } }, false, 1 },
};

static void choice_case_desc(const struct choice_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(choice, choice_cases, choice_case_desc);

static void class_by_example(struct kunit *test)
{
	const struct choice_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, ssdup_pacing_class(c->k, 3, c->wanted), c->class);
}

/* --- Drain groups --- */

#define MS	1000000ULL	/* ns */

struct group_case {
	const char *name;
	struct pacing_group g;
	u32 segments;
};

static const struct group_case group_cases[] = {
	{ "nobody writes: what takes as long as that",
	  { .part = 60, .quiet_ns = 2000 * MS, .segment_ns = 20 * MS }, 100 },
	{ "quiet, for less than writes may wait",
	  { .part = 60, .quiet_ns = MS, .segment_ns = 20 * MS }, 12 },
	{ "all is to be drained: what takes five minutes",
	  { .part = 60, .quiet_ns = U64_MAX, .segment_ns = MS }, 300000 },
	{ "quiet, one segment takes longer", { .part = 60, .quiet_ns = MS,
					       .segment_ns = 60000 * MS }, 1 },
	{ "nobody writes, nothing was measured yet", { .part = 60, .quiet_ns = U64_MAX },
	  U32_MAX },
	{ "no part at all", { .part = 0, .writes = 1, .segment_ns = MS }, 1 },
	{ "waiters: as many as there is time for",
	  { .part = 60, .waiters = 1, .full_ns = 900 * MS, .segment_ns = 20 * MS }, 12 },
	{ "waiters, one segment takes too long",
	  { .part = 60, .waiters = 1, .segment_ns = 900 * MS }, 1 },
	{ "waiters, time for more than the part",
	  { .part = 7, .waiters = 1, .segment_ns = MS }, 7 },
	{ "waiters, nothing was measured yet",
	  { .part = 7, .waiters = 1 }, 7 },
	{ "waiters and writers", { .part = 60, .waiters = 1, .writes = 1, .full_ns = 900 * MS,
				   .segment_ns = 20 * MS }, 12 },
	{ "writers: until the log is full",
	  { .part = 60, .writes = 1, .full_ns = 900 * MS, .segment_ns = 20 * MS }, 45 },
	{ "writers, soon full: what there is time for",
	  { .part = 60, .writes = 1, .full_ns = 90 * MS, .segment_ns = 20 * MS }, 12 },
	{ "writers, not full for long", { .part = 60, .writes = 1, .full_ns = 90000 * MS,
					  .segment_ns = 20 * MS }, 60 },
	{ "writers, no time for one", { .part = 60, .writes = 1, .segment_ns = 300 * MS }, 1 },
	{ "shortest segment", { .part = U32_MAX, .waiters = 1, .segment_ns = 1 }, 250 * MS },
	{ "a disk that never ends", { .part = 60, .waiters = 1, .segment_ns = U64_MAX }, 1 },
};

static void group_case_desc(const struct group_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(group, group_cases, group_case_desc);

static void group_by_example(struct kunit *test)
{
	const struct group_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, ssdup_pacing_group(&c->g), c->segments);
}

/* Whatever was measured: never none, never beyond the part, and in time if that is possible. */
static void group_rules(struct kunit *test)
{
	struct prng r = { 5 };
	struct pacing_group g;
	u32 i, nr, waits;
	u64 time;

	for (i = 0; i < 100000; i++) {
		g = (struct pacing_group){
			.part = prng_u64(&r) >> prng_between(&r, 32, 63),
			.waiters = prng_below(&r, 2), .writes = prng_below(&r, 2),
			.full_ns = prng_u64(&r) >> prng_between(&r, 20, 63),
			.quiet_ns = prng_u64(&r) >> prng_between(&r, 26, 63),
			.segment_ns = prng_u64(&r) >> prng_between(&r, 20, 63),
		};
		nr = ssdup_pacing_group(&g);
		KUNIT_ASSERT_GE(test, nr, 1);
		time = PACING_WAIT_MS * MS;
		if (!g.waiters)
			time = max(time, g.writes ? g.full_ns : g.quiet_ns);
		if (g.waiters || g.writes)
			KUNIT_ASSERT_LE(test, nr, max(g.part, 1U));
		if (nr > 1)
			KUNIT_ASSERT_LE(test, g.segment_ns, div64_u64(time, nr));
		/* It is as many as possible: a pass is cheapest then. */
		if (nr < g.part)
			KUNIT_ASSERT_GT(test, max(g.segment_ns, 1ULL), div64_u64(time, nr + 1ULL));
		/* While writes wait, space comes back no later. */
		g.waiters = true;
		waits = ssdup_pacing_group(&g);
		KUNIT_ASSERT_LE(test, waits, nr);
		/* A faster disk, more segments. */
		g.segment_ns /= 2;
		KUNIT_ASSERT_GE(test, ssdup_pacing_group(&g), waits);
	}
}

static struct kunit_case pacing_suite_cases[] = {
	KUNIT_CASE_PARAM(pacing_by_example, pacing_gen_params),
	KUNIT_CASE(pacing_manner),
	KUNIT_CASE(pacing_never_starves),
	KUNIT_CASE(pacing_rules),
	KUNIT_CASE_PARAM(class_by_example, choice_gen_params),
	KUNIT_CASE_PARAM(group_by_example, group_gen_params),
	KUNIT_CASE(group_rules),
	{}
};

static struct kunit_suite pacing_suite = {
	.name = "ssdup-pacing",
	.test_cases = pacing_suite_cases,
};

kunit_test_suite(pacing_suite);
