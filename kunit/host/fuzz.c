// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is read from an SSD may be anything. An image is taken the way that the
 * kernel's recovery takes it: both copies of the superblock are decoded, one is
 * picked and held against the disks, the halves are replayed in the order of their
 * generations into an extent map, and each half gets its role.
 */
#include "../../dm-ssdup/core/extent_map.h"
#include "../../dm-ssdup/core/replay.h"
#include "fuzz.h"

#define HDD_SECTORS	32768U
#define SSD_SECTORS	(SSDUP_HEAD_SECTORS + IMAGE_HALVES * IMAGE_STRIDE)
#define NODES		(2U * IMAGE_HALVES * IMAGE_PAGES * SSDUP_PAGE_ENTRIES + 2)
#define MAX_LOOKS	256U	/* at pages behind the end of a half, see replay_look_on() */

/* A violated rule ends the run, so that the fuzzer keeps the input. */
#define EXPECT(cond)	((void)WARN_ON(!(cond)))

static struct extent nodes[NODES];

struct rig {
	const struct image	*im;
	struct log_super	s;
	struct extent_tree	tree;
	struct extent_list	pool;
	u32			pages_read;
};

/* --- Superblock --- */

/* One that was accepted: nothing in it can lead astray. */
static void check_super(const struct log_super *s)
{
	static u8 again[SSDUP_SUPER_BYTES];
	struct log_limits writers = ssdup_log_limits_writers(&s->g);
	struct log_limits all = ssdup_log_limits_all(&s->g);
	u32 half, longest = ssdup_log_longest_write(&s->g);
	struct log_super t;
	u64 word;

	for (half = 0; half < s->g.nr_halves; half++) {
		u64 start = ssdup_log_slot_sector(&s->g, half, 0, 0);
		u64 data = ssdup_log_data_sector(&s->g, half, to_log_pos(0));
		u64 end = ssdup_log_data_sector(&s->g, half, to_log_pos(s->g.data_sectors));

		EXPECT(start >= SSDUP_HEAD_SECTORS);
		EXPECT(start < data && data < end && end <= s->ssd_sectors);
		EXPECT(end <= start + s->g.half_stride);
	}

	EXPECT(all.entries < BIT_ULL(29) && all.entries / SSDUP_PAGE_ENTRIES == s->g.meta_pages);
	EXPECT(writers.entries && writers.entries < all.entries);
	EXPECT(writers.sectors && writers.sectors < all.sectors);
	/* An empty half takes the longest write, whatever the blocks. */
	EXPECT(longest >= SSDUP_PAGE_SECTORS && longest % s->g.block_sectors == 0);
	EXPECT(log_word_reserve(0, &writers, longest, &word));
	EXPECT(ssdup_log_next_generation(s) > 1);

	ssdup_log_super_encode(s, again);
	EXPECT(ssdup_log_super_decode(again, &t) == LOG_OK);
	EXPECT(!memcmp(s, &t, sizeof(t)));
}

/* As pick_super() of recovery.c. Return: whether the log is loaded. */
static bool load_super(struct rig *rig)
{
	static u8 block[SSDUP_SUPER_BYTES];
	struct log_super copy[SSDUP_SUPER_COPIES];
	enum log_fault f[SSDUP_SUPER_COPIES], fault;
	u32 i, best;
	bool mend;

	for (i = 0; i < SSDUP_SUPER_COPIES; i++) {
		memcpy(block, rig->im->super[i].b, sizeof(rig->im->super[i]));
		f[i] = ssdup_log_super_decode(block, &copy[i]);
		EXPECT(f[i] < LOG_NR_FAULTS);
		if (f[i] == LOG_OK)
			check_super(&copy[i]);
	}
	fault = ssdup_log_super_pick(f, copy, &best, &mend);
	EXPECT(fault < LOG_NR_FAULTS && ssdup_log_fault_text(fault));
	if (fault != LOG_OK)
		return false;
	EXPECT(best < SSDUP_SUPER_COPIES && f[best] == LOG_OK);
	rig->s = copy[best];
	return ssdup_log_super_fits(&rig->s, HDD_SECTORS, SSD_SECTORS, 1) == LOG_OK;
}

/* --- Replay --- */

static int read_page(void *ctx, u32 half, u32 page, const struct ssdup_page **slots)
{
	static const struct ssdup_page blank[SSDUP_PAGE_SLOTS];
	struct rig *rig = ctx;

	EXPECT(half < rig->s.g.nr_halves && page < rig->s.g.meta_pages);
	EXPECT(ssdup_log_slot_sector(&rig->s.g, half, page, 1) + SSDUP_PAGE_SECTORS <= SSD_SECTORS);
	rig->pages_read++;
	*slots = half < IMAGE_HALVES && page < IMAGE_PAGES ? rig->im->slot[half][page] : blank;
	return 0;
}

/* As replay_extent() of recovery.c. */
static void insert_one(struct rig *rig, struct extent *x)
{
	struct extent_list spares = {}, unused = {};
	struct extent *old;
	u32 i, nr;

	if (extent_insert_alone(&rig->tree, x, &old)) {
		if (old)
			extent_push(&rig->pool, old);
		return;
	}
	nr = ssdup_extent_spares(&rig->tree, x);
	for (i = 0; i < nr; i++) {
		struct extent *spare = extent_pop(&rig->pool);

		EXPECT(spare);
		extent_push(&spares, spare);
	}
	ssdup_extent_insert(&rig->tree, x, &spares, &unused);
	while ((x = extent_pop(&spares)) || (x = extent_pop(&unused)))
		extent_push(&rig->pool, x);
}

static int take_entries(void *ctx, u32 half, const struct ssdup_entry *entries, u32 nr)
{
	struct rig *rig = ctx;
	u32 i;

	EXPECT(nr && nr <= SSDUP_PAGE_ENTRIES);
	for (i = 0; i < nr; i++) {
		struct log_entry e = log_entry_read(&entries[i]);
		struct extent *x = extent_pop(&rig->pool);

		EXPECT(e.kind > SSDUP_KIND_NONE && e.kind <= SSDUP_KIND_MAX);
		EXPECT(e.sectors && e.sector < HDD_SECTORS && e.sectors <= HDD_SECTORS - e.sector);
		EXPECT(e.seq && e.seq <= LOG_MAX_COUNT);
		EXPECT(ssdup_log_data_sector(&rig->s.g, half, e.pos) +
		       (e.kind == SSDUP_KIND_DATA ? e.sectors : 0) <= SSD_SECTORS);

		EXPECT(x);
		*x = (struct extent){
			.start = e.sector, .sectors = e.sectors, .seq = e.seq,
			.pos = e.pos, .half = half, .kind = e.kind,
		};
		insert_one(rig, x);
	}
	return 0;
}

static void check_map(struct rig *rig)
{
	const struct extent *x;
	u64 at = 0, sectors = 0;
	u32 nr = 0;

	for (x = ssdup_extent_first(&rig->tree, 0, U64_MAX); x; x = ssdup_extent_next(x)) {
		EXPECT(x->sectors && x->start >= at);
		at = extent_end(x);
		EXPECT(at <= HDD_SECTORS && x->half < rig->s.g.nr_halves);
		EXPECT(from_log_pos(x->pos) + (x->kind == SSDUP_KIND_DATA ? x->sectors : 0) <=
		       rig->s.g.data_sectors);
		sectors += x->sectors;
		nr++;
	}
	EXPECT(nr == rig->tree.nr && sectors == rig->tree.sectors);
}

static void check_roles(struct rig *rig, const struct ssdup_replay_half *found)
{
	struct ssdup_replay_roles roles;
	u64 last = 0;
	u32 i;

	ssdup_replay_roles(&rig->s, found, &roles);
	EXPECT(roles.nr_sealed + 1 + roles.nr_free == rig->s.g.nr_halves);
	for (i = 0; i < rig->s.g.nr_halves; i++) {
		u32 half = i < roles.nr_sealed ? roles.sealed[i] :
			   i == roles.nr_sealed ? roles.open : roles.free[i - roles.nr_sealed - 1];

		EXPECT(rig->s.generation[half] > last);
		last = rig->s.generation[half];
	}
}

static bool replay_one(struct rig *rig, u32 half, struct ssdup_replay_half *found)
{
	static const struct replay_ops ops = { .read_page = read_page, .entries = take_entries };
	struct replay_fault fault;
	int ret = ssdup_replay_half(&rig->s, half, &ops, rig, found, &fault);

	EXPECT(ret == 0 || ret == -EINVAL);
	EXPECT(found->pages <= rig->s.g.meta_pages && found->max_seq <= LOG_MAX_COUNT);
	EXPECT(found->data_end <= rig->s.g.data_sectors);
	if (ret) {
		EXPECT(fault.fault > LOG_OK && fault.fault < LOG_NR_FAULTS);
		EXPECT(fault.half == half && fault.page <= rig->s.g.meta_pages);
	}
	return !ret;
}

void fuzz_image(const struct image *im)
{
	struct ssdup_replay_half found[SSDUP_MAX_HALVES];
	struct rig rig = { .im = im };
	u32 i, j, half;
	u64 done = 0, next;

	if (!load_super(&rig))
		return;
	ssdup_extent_tree_init(&rig.tree);
	for (i = 0; i < NODES; i++)
		extent_push(&rig.pool, &nodes[i]);

	/* The lowest generation first. */
	for (i = 0; i < rig.s.g.nr_halves; i++) {
		for (j = 0, half = 0, next = U64_MAX; j < rig.s.g.nr_halves; j++)
			if (rig.s.generation[j] > done && rig.s.generation[j] < next) {
				next = rig.s.generation[j];
				half = j;
			}
		done = next;
		if (!replay_one(&rig, half, &found[half]))
			return;
	}
	EXPECT(rig.pages_read <= rig.s.g.nr_halves * (IMAGE_PAGES + 1 + MAX_LOOKS));
	check_map(&rig);
	check_roles(&rig, found);
}
