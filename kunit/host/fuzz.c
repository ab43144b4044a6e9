// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is read from an SSD may be anything. An image is taken the way that the kernel's recovery
 * takes it: both copies of the superblock and of the record are decoded, one of each is picked and
 * held against the disks, the headers tell which segments are live, and these are replayed in the
 * order of their generations into an extent map.
 */
#include "../../dm-ssdup/core/extent_map.h"
#include "../../dm-ssdup/core/replay.h"
#include "fuzz.h"

#define HDD_SECTORS	32768U
/* A forged superblock may say that they are smaller. */
#define MAX_SEGMENTS	(IMAGE_SSD_SECTORS / SSDUP_MIN_SEGMENT_SECTORS)
#define NODES		(4U * IMAGE_SEGMENTS * IMAGE_PAGES * SSDUP_PAGE_ENTRIES + 2)
#define MAX_LOOKS	256U	/* at pages behind the end of a segment, see replay_look_on() */

/* A violated rule ends the run, so that the fuzzer keeps the input. */
#define EXPECT(cond)	((void)WARN_ON(!(cond)))

static struct extent nodes[NODES];

struct rig {
	const struct image	*im;
	struct log_super	s;
	struct log_header	live[MAX_SEGMENTS];
	u32			nr_live;
	struct extent_tree	tree;
	u32			used;		/* of the nodes */
	u32			pages_read;
};

/* --- Superblock and record --- */

/* What this SSD has of the segments is between its homes. */
static void check_ssds(const struct log_super *s)
{
	const struct log_ssds *ssds = &s->ssds;
	u32 here = ssds->nr > 1 ? ssds->segments[ssds->index] : s->g.nr_segments;
	u64 before = log_ssd_before(ssds, &s->g, ssds->index);
	u64 all = log_ssd_before(ssds, &s->g, ssds->nr);

	EXPECT(here && s->g.segment_start + (u64)here * s->g.segment_sectors <=
	       log_home(s->ssd_sectors, 1));
	EXPECT(before + (u64)here * s->g.segment_sectors <=
	       (u64)s->g.nr_segments * s->g.segment_sectors);
	EXPECT(ssds->nr == 1 || all == (u64)s->g.nr_segments * s->g.segment_sectors);
}

/* One that was accepted: nothing in it can lead astray. */
static void check_super(const struct log_super *s)
{
	static u8 again[SSDUP_BLOCK_BYTES];
	u32 segment = 0, longest = log_longest_write(&s->g);
	struct log_super t;
	u64 word;

	do {
		u64 start = log_segment_sector(&s->g, segment);
		u64 slots = ssdup_log_slot_sector(&s->g, segment, 0, 0);
		u64 data = log_data_sector(&s->g, segment, to_log_pos(0));
		u64 end = log_data_sector(&s->g, segment, to_log_pos(s->g.data_sectors));

		EXPECT(start >= SSDUP_HOME_SECTORS && slots == start + SSDUP_BLOCK_SECTORS);
		EXPECT(slots < data && data < end);
		EXPECT(end == start + s->g.segment_sectors && end <= BIT_ULL(36));
		EXPECT(log_segment_of(&s->g, start) == segment);
		EXPECT(log_segment_of(&s->g, end - 1) == segment);
		segment += s->g.nr_segments - 1;
	} while (segment < s->g.nr_segments);
	check_ssds(s);

	EXPECT(log_segment_entries(&s->g) < 1U << SSDUP_SEQ_BITS);
	EXPECT(log_segment_entries(&s->g) / SSDUP_PAGE_ENTRIES == s->g.meta_pages);
	/* An empty segment takes the longest write, whatever the blocks. */
	EXPECT(longest >= SSDUP_PAGE_SECTORS && longest % SSDUP_PAGE_SECTORS == 0);
	EXPECT(log_word_reserve(0, &s->g, longest, &word));

	ssdup_log_super_encode(s, again);
	EXPECT(ssdup_log_super_decode(again, &t) == LOG_OK);
	EXPECT(!memcmp(s, &t, sizeof(t)));
}

static void check_record(const struct log_super *s)
{
	static u8 again[SSDUP_BLOCK_BYTES];
	struct log_super t = *s;

	EXPECT(s->classes.nr && s->classes.nr <= SSDUP_MAX_CLASSES);
	EXPECT(s->tail[0] && s->tail[s->classes.nr - 1] && s->first && s->hdd_sectors &&
	       !ssdup_log_super_spent(s));
	ssdup_log_record_encode(s, again);
	EXPECT(ssdup_log_record_decode(again, &t) == LOG_OK);
	EXPECT(!memcmp(s, &t, sizeof(t)));
}

static bool judge(enum log_fault fault)
{
	EXPECT(fault < LOG_NR_FAULTS && strcmp(ssdup_log_fault_text(fault), "unknown fault"));
	return fault == LOG_OK;
}

static bool load_super(struct rig *rig)
{
	static u8 block[SSDUP_BLOCK_BYTES];
	struct log_super copy[SSDUP_COPIES];
	enum log_fault f[SSDUP_COPIES];
	u32 i, best;
	bool mend;

	for (i = 0; i < SSDUP_COPIES; i++) {
		memcpy(block, rig->im->super[i].b, sizeof(rig->im->super[i]));
		f[i] = ssdup_log_super_decode(block, &copy[i]);
		if (judge(f[i]))
			check_super(&copy[i]);
	}
	if (!judge(ssdup_log_pick(false, f, copy, &best, &mend)))
		return false;
	EXPECT(best < SSDUP_COPIES && f[best] == LOG_OK);
	rig->s = copy[best];
	return true;
}

static bool load_record(struct rig *rig)
{
	static u8 block[SSDUP_BLOCK_BYTES];
	struct log_super copy[SSDUP_COPIES];
	enum log_fault f[SSDUP_COPIES];
	u32 i, best;
	bool mend;

	for (i = 0; i < SSDUP_COPIES; i++) {
		copy[i] = rig->s;
		memcpy(block, rig->im->record[i].b, sizeof(rig->im->record[i]));
		f[i] = ssdup_log_record_decode(block, &copy[i]);
		if (judge(f[i]))
			check_record(&copy[i]);
	}
	if (!judge(ssdup_log_pick(true, f, copy, &best, &mend)))
		return false;
	EXPECT(best < SSDUP_COPIES && f[best] == LOG_OK);
	rig->s = copy[best];
	return judge(ssdup_log_super_fits(&rig->s, HDD_SECTORS, IMAGE_SSD_SECTORS, 1, NULL));
}

/* --- Headers --- */

/* As find_live() of recovery.c. Return: whether the log is loaded. */
static bool load_headers(struct rig *rig)
{
	static u8 head[LOG_HEAD_BYTES];
	enum log_fault fault;
	u64 next;
	u32 i;

	EXPECT(rig->s.g.nr_segments <= MAX_SEGMENTS);
	for (i = 0; i < rig->s.g.nr_segments; i++) {
		struct log_header *h = &rig->live[rig->nr_live];

		memset(head, 0, sizeof(head));
		if (i < IMAGE_SEGMENTS) {
			memcpy(head, rig->im->header[i].b, sizeof(rig->im->header[i]));
			memcpy(head + SSDUP_BLOCK_BYTES, rig->im->slot[i][0],
			       sizeof(rig->im->slot[i][0]));
		}
		fault = ssdup_log_head_decode(head, &rig->s, i, h);
		if (fault == LOG_HEADER_STALE || fault == LOG_BAD_CRC)
			continue;
		if (!judge(fault))
			return false;
		EXPECT(h->segment == i && h->generation && h->epoch <= rig->s.epoch);
		rig->nr_live++;
	}
	if (!judge(ssdup_replay_live(&rig->s, rig->live, &rig->nr_live, &next)))
		return false;
	EXPECT(next >= log_highest(&rig->s));
	for (i = 0; i < rig->nr_live; i++) {
		EXPECT(log_live(&rig->s, rig->live[i].generation));
		EXPECT(rig->live[i].generation < next);
		EXPECT(!i || rig->live[i].generation > rig->live[i - 1].generation);
	}
	return true;
}

/* --- Replay --- */

static int read_page(void *ctx, u32 segment, u32 page, const struct ssdup_page **slots)
{
	static const struct ssdup_page blank[SSDUP_PAGE_SLOTS];
	struct rig *rig = ctx;

	EXPECT(segment < rig->s.g.nr_segments && page < rig->s.g.meta_pages);
	EXPECT(ssdup_log_slot_sector(&rig->s.g, segment, page, 1) + SSDUP_PAGE_SECTORS <=
	       IMAGE_SSD_SECTORS);
	rig->pages_read++;
	*slots = segment < IMAGE_SEGMENTS && page < IMAGE_PAGES ? rig->im->slot[segment][page] :
								  blank;
	return 0;
}

/* A node that is in no tree, and not @but: a new one, or one that has left it. */
static struct extent *node(struct rig *rig, const struct extent *but)
{
	u32 i;

	if (rig->used < NODES) {
		RB_CLEAR_NODE(&nodes[rig->used].node);
		return &nodes[rig->used++];
	}
	for (i = 0; i < NODES; i++)
		if (!extent_mapped(&nodes[i]) && &nodes[i] != but)
			return &nodes[i];
	EXPECT(false);
	return NULL;
}

/* As replay_among() of recovery.c: where nothing newer is. */
static void insert_entry(struct rig *rig, u32 segment, const struct log_entry *le)
{
	u64 at = le->sector, end = at + le->sectors, from;
	bool data = le->kind == SSDUP_KIND_DATA;
	u64 pos = data ? log_data_sector(&rig->s.g, segment, le->pos) :
			 log_segment_sector(&rig->s.g, segment);
	struct extent *e;
	u32 len;

	for (; at < end; at = from + len) {
		len = ssdup_extent_older_span(&rig->tree, at, end, le->seq, &from);
		if (!len)
			break;
		EXPECT(from >= at && len <= end - from);
		e = node(rig, NULL);
		e->start = from;
		e->sectors = len;
		e->seq = le->seq;
		e->kind = le->kind;
		e->pos = pos + (data ? from - le->sector : 0);
		EXPECT(!ssdup_extent_overtaken(&rig->tree, e));
		if (extent_insert_alone(&rig->tree, e))
			continue;
		ssdup_extent_insert(&rig->tree, e,
				    ssdup_extent_splits(&rig->tree, e) ? node(rig, e) : NULL);
	}
}

static int take_entries(void *ctx, u32 segment, const struct ssdup_entry *entries, u32 nr)
{
	struct rig *rig = ctx;
	u32 i;

	EXPECT(nr && nr <= SSDUP_PAGE_ENTRIES);
	for (i = 0; i < nr; i++) {
		struct log_entry e = log_entry_read(&entries[i]);

		EXPECT(e.kind > SSDUP_KIND_NONE && e.kind <= SSDUP_KIND_MAX);
		EXPECT(e.sectors && e.sector < HDD_SECTORS && e.sectors <= HDD_SECTORS - e.sector);
		EXPECT(e.seq >> SSDUP_SEQ_BITS && !(e.seq >> 60));
		EXPECT(log_data_sector(&rig->s.g, segment, e.pos) +
		       (e.kind == SSDUP_KIND_DATA ? e.sectors : 0) <= IMAGE_SSD_SECTORS);
		insert_entry(rig, segment, &e);
	}
	return 0;
}

/* Is the place of an extent in the segment of its generation? */
static void check_place(const struct rig *rig, const struct extent *x)
{
	u32 segment = log_segment_of(&rig->s.g, x->pos), i;
	u64 data = log_data_sector(&rig->s.g, segment, to_log_pos(0));

	EXPECT(segment < rig->s.g.nr_segments);
	if (x->kind == SSDUP_KIND_DATA)
		EXPECT(x->pos >= data && x->pos - data + x->sectors <= rig->s.g.data_sectors);
	else
		EXPECT(x->pos == log_segment_sector(&rig->s.g, segment));
	for (i = 0; i < rig->nr_live && rig->live[i].segment != segment; i++)
		;
	EXPECT(i < rig->nr_live && x->seq >> SSDUP_SEQ_BITS == rig->live[i].generation);
}

static void check_map(const struct rig *rig)
{
	const struct extent *x;
	u64 at = 0, sectors = 0;
	u32 nr = 0;

	for (x = ssdup_extent_first(&rig->tree, 0, U64_MAX); x; x = ssdup_extent_next(x)) {
		EXPECT(x->sectors && x->start >= at);
		at = extent_end(x);
		EXPECT(at <= HDD_SECTORS);
		check_place(rig, x);
		sectors += x->sectors;
		nr++;
	}
	EXPECT(nr == rig->tree.nr && sectors == rig->tree.sectors);
}

static bool replay(struct rig *rig)
{
	static const struct replay_ops ops = { .read_page = read_page, .entries = take_entries };
	struct ssdup_replay rp;
	u32 i, pages, all = 0;
	int ret = 0;

	ssdup_replay_begin(&rp, &rig->s, &ops, rig);
	for (i = 0; i < rig->nr_live && !ret; i++) {
		ret = ssdup_replay_segment(&rp, &rig->live[i], &pages);
		EXPECT(pages <= rig->s.g.meta_pages);
		all += pages;
		if (ret)
			EXPECT(rp.fault.segment == rig->live[i].segment);
	}
	ret = ret ?: ssdup_replay_end(&rp);
	EXPECT(ret == 0 || (ret == -EINVAL && rp.fault.fault != LOG_OK));
	if (ret)
		return judge(rp.fault.fault);
	EXPECT(rp.pages == all && rp.segments <= rig->nr_live);
	return true;
}

bool fuzz_image(const struct image *im)
{
	struct rig rig = { .im = im };

	ssdup_extent_tree_init(&rig.tree);
	if (!load_super(&rig) || !load_record(&rig) || !load_headers(&rig) || !replay(&rig))
		return false;
	EXPECT(rig.pages_read <= rig.s.g.nr_segments * (IMAGE_PAGES + 1 + MAX_LOOKS));
	check_map(&rig);
	return true;
}
