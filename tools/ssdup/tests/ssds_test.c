// SPDX-License-Identifier: GPL-2.0-only
/*
 * A log on several SSDs, without the module: what they say together, and which of them has what.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dm-ssdup/core/ssds.h"

#include <kunit/test.h>

#include "bench.h"

#define NR	3U
#define SECTORS	(2 * SSDUP_HOME_SECTORS + 64 * SSDUP_MIN_SEGMENT_SECTORS)

/* SSDs of different sizes, and a log that was written to all of them. */
struct rig {
	struct ssds	ssds;
	struct log_super s;
};

static void rig_begin(struct rig *r)
{
	static const u8 pool[16] = { 1 }, uuid[16] = { 2 };
	struct log_ssds ssds = { .nr = NR };
	struct log_geometry g;
	u64 sectors[NR];
	u32 i;

	memset(r, 0, sizeof(*r));
	r->ssds.nr = NR;
	for (i = 0; i < NR; i++) {
		sectors[i] = SECTORS + i * 8 * SSDUP_MIN_SEGMENT_SECTORS;
		r->ssds.sectors[i] = sectors[i];
		r->ssds.fd[i] = memfd_create("ssd", MFD_CLOEXEC);
		if (r->ssds.fd[i] < 0 || ftruncate(r->ssds.fd[i], sectors[i] * SECTOR_BYTES))
			abort();
		ssds.uuid[i][0] = 10 + i;
	}
	if (!ssdup_log_spread(&g, &ssds, sectors, SSDUP_MIN_SEGMENT_SECTORS, 1))
		abort();
	ssdup_log_super_fresh(&r->s, pool, uuid, &g, 1000, sectors[0]);
	r->s.ssds = ssds;
	ssdup_log_classes(&r->s, 1, 1);
	r->s.pool_seq = SSDS_BEING_MADE + 1;
	r->s.seq = 1;
	r->s.epoch = 1;
	r->s.flags = SSDUP_RECORD_CLOSED;
	if (ssd_log_write(&r->ssds, &r->s))
		abort();
}

static void rig_end(struct rig *r)
{
	while (r->ssds.nr)
		close(r->ssds.fd[--r->ssds.nr]);
}

/* As they are now, in the order of @order. Return: the fault of the log */
static enum log_fault together(const struct rig *r, const u32 *order, u32 nr, struct ssd_log *log)
{
	struct ssds ssds = { .nr = nr };
	u32 i;

	for (i = 0; i < nr; i++)
		ssds.fd[i] = r->ssds.fd[order[i]];
	return ssd_log_read(&ssds, log, NULL) ? LOG_NR_FAULTS : log->fault;
}

static void all_are_needed_in_their_order(struct kunit *test)
{
	static const u32 right[] = { 0, 1, 2 }, swapped[] = { 0, 2, 1 }, twice[] = { 0, 1, 1 };
	struct ssd_log log;
	struct rig r;

	rig_begin(&r);
	KUNIT_EXPECT_EQ(test, together(&r, right, NR, &log), LOG_OK);
	KUNIT_EXPECT_FALSE(test, log.mend);
	KUNIT_EXPECT_EQ(test, ssd_super(&log)->ssds.nr, NR);
	KUNIT_EXPECT_EQ(test, ssd_super(&log)->ssd_sectors, r.ssds.sectors[0]);
	KUNIT_EXPECT_EQ(test, together(&r, right, NR - 1, &log), LOG_SSD_MISSING);
	KUNIT_EXPECT_EQ(test, together(&r, right, 1, &log), LOG_SSD_MISSING);
	KUNIT_EXPECT_EQ(test, together(&r, swapped, NR, &log), LOG_SSD_PLACE);
	KUNIT_EXPECT_EQ(test, together(&r, twice, NR, &log), LOG_SSD_PLACE);
	KUNIT_EXPECT_EQ(test, log.of[PART_SUPER], NR - 1);
	rig_end(&r);
}

static void the_newest_counts(struct kunit *test)
{
	static const u32 right[] = { 0, 1, 2 };
	struct ssd_log log;
	struct rig r;
	u32 i;

	for (i = 0; i < NR; i++) {
		struct ssds one = { .nr = 1 };
		struct log_super s;

		rig_begin(&r);
		one = ssds_one(r.ssds.fd[i]);
		s = r.s;
		s.seq = 7;
		s.flags = 0;
		s.ssd_sectors = r.ssds.sectors[i];
		KUNIT_EXPECT_EQ(test, ssd_part_write(&one, PART_RECORD, &s), 0);
		KUNIT_EXPECT_EQ(test, together(&r, right, NR, &log), LOG_OK);
		KUNIT_EXPECT_EQ(test, ssd_super(&log)->seq, 7);
		KUNIT_EXPECT_EQ(test, log.of[PART_RECORD], i);
		KUNIT_EXPECT_TRUE(test, log.mend);
		/* A log of another UUID there is no older record of this one. */
		s.uuid[0]++;
		KUNIT_EXPECT_EQ(test, ssd_part_write(&one, PART_RECORD, &s), 0);
		KUNIT_EXPECT_EQ(test, together(&r, right, NR, &log), LOG_TWO_LOGS);
		rig_end(&r);
	}
}

static void places_are_on_their_ssds(struct kunit *test)
{
	struct ssds some;
	struct rig r;
	u64 stamp, place;
	u32 i, first, ssd;

	rig_begin(&r);
	for (i = 0; i < r.s.g.nr_segments; i++) {
		ssd = ssdup_log_ssd_of(&r.s.ssds, i, &first);
		stamp = i;
		if (write_all(r.ssds.fd[ssd], &stamp, sizeof(stamp),
			      log_segment_sector(&r.s.g, i - first) * SECTOR_BYTES))
			abort();
	}
	some = r.ssds;
	some.fd[1] = -1;
	some.some = true;
	for (i = 0; i < r.s.g.nr_segments; i++) {
		place = log_segment_sector(&r.s.g, i);
		KUNIT_EXPECT_EQ(test, ssds_read(&r.ssds, &r.s, &stamp, sizeof(stamp), place), 0);
		KUNIT_EXPECT_EQ(test, stamp, i);
		ssd = ssdup_log_ssd_of(&r.s.ssds, i, &first);
		KUNIT_EXPECT_EQ(test, ssds_read(&some, &r.s, &stamp, sizeof(stamp), place),
				ssd == 1 ? -ENXIO : 0);
	}
	rig_end(&r);
}

static void one_is_lost(struct kunit *test)
{
	struct ssds some;
	struct ssd_log log;
	struct rig r;
	u32 i;

	for (i = 0; i < NR; i++) {
		rig_begin(&r);
		some = r.ssds;
		some.fd[i] = -1;
		some.some = true;
		KUNIT_EXPECT_EQ(test, ssd_log_read(&some, &log, NULL), 0);
		KUNIT_EXPECT_EQ(test, log.fault, LOG_OK);
		KUNIT_EXPECT_NE(test, log.of[PART_SUPER], i);
		KUNIT_EXPECT_NE(test, log.of[PART_RECORD], i);
		/* Whether the rest of it is empty nobody knows. */
		r.s.flags = 0;
		KUNIT_EXPECT_NE(test, ssd_log_used(&some, &r.s), 0);
		KUNIT_EXPECT_EQ(test, ssd_log_used(&r.ssds, &r.s), 0);
		rig_end(&r);
	}
}

/* Emptied without an SSD: what that has does not count when it comes back. */
static void what_is_lost_stays_lost(struct kunit *test)
{
	static const u32 right[] = { 0, 1, 2 };
	struct log_file l = { };
	struct ssd_log log;
	struct rig r;
	u64 last;

	rig_begin(&r);
	last = log_highest(&r.s) + (u64)r.s.classes.nr * r.s.g.nr_segments - 1;
	l.s = r.s;
	l.ssds = r.ssds;
	l.ssds.fd[1] = -1;
	l.ssds.some = true;
	l.header = xalloc(r.s.g.nr_segments * sizeof(*l.header));
	KUNIT_EXPECT_EQ(test, export_clear(&l), 0);
	KUNIT_EXPECT_EQ(test, together(&r, right, NR, &log), LOG_OK);
	KUNIT_EXPECT_EQ(test, ssd_super(&log)->seq, r.s.seq + 1);
	KUNIT_EXPECT_TRUE(test, log_live(&r.s, last));
	KUNIT_EXPECT_FALSE(test, log_live(ssd_super(&log), last));
	free(l.header);
	rig_end(&r);
}

/* One that is not used need not be there, wherever its place is; any other one has to. */
static void one_is_not_used(struct kunit *test)
{
	struct ssd_log log;
	struct rig r;
	u32 unused, gone;

	for (unused = 0; unused < NR; unused++)
		for (gone = 0; gone < NR; gone++) {
			rig_begin(&r);
			r.s.pool_seq++;
			r.s.flags = 0;
			KUNIT_EXPECT_TRUE(test, ssdup_ssds_set(&r.s, unused, SSDUP_SSD_LEAVES));
			KUNIT_EXPECT_TRUE(test, ssdup_ssds_set(&r.s, unused, SSDUP_SSD_UNUSED));
			KUNIT_EXPECT_EQ(test, ssd_log_write(&r.ssds, &r.s), 0);
			close(r.ssds.fd[gone]);
			r.ssds.fd[gone] = -1;
			KUNIT_EXPECT_EQ(test, ssd_log_read(&r.ssds, &log, NULL), 0);
			KUNIT_EXPECT_EQ(test, log.fault, gone == unused ? LOG_OK : LOG_SSD_MISSING);
			if (gone == unused)
				KUNIT_EXPECT_EQ(test, ssd_log_used(&r.ssds, ssd_super(&log)), 0);
			r.ssds.fd[gone] = memfd_create("ssd", MFD_CLOEXEC);
			rig_end(&r);
		}
}

/* A power cut while the log was made, at each step: it can be made again. */
static void it_was_being_made(struct kunit *test)
{
	static const u32 right[] = { 0, 1, 2 };
	void *home = xpages(SSDUP_BLOCK_BYTES);
	struct ssd_log log;
	struct rig r;
	u32 done, i;

	for (done = 0; done <= 2 * NR; done++) {
		rig_begin(&r);
		for (i = 0; i < NR; i++)
			KUNIT_EXPECT_EQ(test, ssd_log_wipe(r.ssds.fd[i], 0), 0);
		r.s.pool_seq = SSDS_BEING_MADE;
		for (i = 0; i < done; i++) {
			r.s.ssds.index = i % NR;
			r.s.ssd_sectors = r.ssds.sectors[i % NR];
			ssdup_log_super_encode(&r.s, home);
			if (write_all(r.ssds.fd[i % NR], home, SSDUP_BLOCK_BYTES,
				      log_home(r.s.ssd_sectors, i / NR) * SECTOR_BYTES))
				abort();
		}
		KUNIT_EXPECT_EQ(test, together(&r, right, NR, &log), LOG_BLANK);
		for (i = 0; i < NR; i++)
			ssd_blank_read(r.ssds.fd[i], &log);
		KUNIT_EXPECT_EQ(test, log.fault, LOG_BLANK);
		rig_end(&r);
	}
	free(home);
}

static struct kunit_case ssds_cases[] = {
	KUNIT_CASE(all_are_needed_in_their_order),
	KUNIT_CASE(the_newest_counts),
	KUNIT_CASE(places_are_on_their_ssds),
	KUNIT_CASE(one_is_lost),
	KUNIT_CASE(what_is_lost_stays_lost),
	KUNIT_CASE(one_is_not_used),
	KUNIT_CASE(it_was_being_made),
	{}
};

static struct kunit_suite ssds_suite = { .name = "several-ssds", .test_cases = ssds_cases };

kunit_test_suite(ssds_suite);
