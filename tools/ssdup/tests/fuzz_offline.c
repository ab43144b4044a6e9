// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fuzzer's target for the commands that read a log without the module: whatever
 * is on the SSD, check, dump, export and repair end, agree with the kernel's code,
 * and what repair leaves is accepted. Takes the place of fuzz_image() of
 * kunit/host/fuzz.c, and its corpus.
 */
#include "bench.h"
#include "kunit/host/fuzz.h"

#define HDD_SECTORS	32768U
#define SSD_SECTORS	(SSDUP_HEAD_SECTORS + IMAGE_HALVES * IMAGE_STRIDE)
/* Not to stderr, which says nothing here. */
#define EXPECT(cond) do {							\
	if (!(cond)) {								\
		dprintf(2, "%s:%d: not so: %s\n", __FILE__, __LINE__, #cond);	\
		abort();							\
	}									\
} while (0)

static struct bench bench;

static void put_image(const struct image *im)
{
	static u8 block[SSDUP_SUPER_BYTES];
	u32 i;

	bench_silence();
	if (!bench.ssd_sectors)
		bench_open(&bench, SSD_SECTORS, HDD_SECTORS);
	for (i = 0; i < SSDUP_SUPER_COPIES; i++) {
		memset(block, 0, sizeof(block));
		memcpy(block, im->super[i].b, sizeof(im->super[i]));
		bench_write(&bench, block, SSDUP_SUPER_SECTOR(i), SSDUP_SUPER_BYTES / 512);
	}
	for (i = 0; i < IMAGE_HALVES; i++)
		bench_write(&bench, im->slot[i], SSDUP_HEAD_SECTORS + i * IMAGE_STRIDE,
			    sizeof(im->slot[i]) / 512);
}

/* --- The kernel's map --- */

struct kernel_map {
	struct log_file		*l;
	struct extent_tree	tree;
	struct extent_list	all;
	struct ssdup_page	slots[SSDUP_PAGE_SLOTS];
};

static struct extent *node(void)
{
	return xalloc(sizeof(struct extent));
}

static int kernel_page(void *arg, u32 half, u32 page, const struct ssdup_page **slots)
{
	struct kernel_map *k = arg;

	*slots = k->slots;
	return disk_read(&k->l->ssd, k->slots, ssdup_log_slot_sector(&k->l->s.g, half, page, 0),
			 sizeof(k->slots) / 512);
}

static void kernel_entry(struct kernel_map *k, u32 half, struct log_entry le)
{
	struct extent_list spares = {}, unused = {};
	struct extent *e = node(), *old;
	u32 need;

	*e = (struct extent){ .start = le.sector, .seq = le.seq, .sectors = le.sectors,
			      .pos = le.pos, .half = half, .kind = le.kind };
	if (extent_insert_alone(&k->tree, e, &old)) {
		free(old);
		return;
	}
	for (need = ssdup_extent_spares(&k->tree, e); need; need--)
		extent_push(&spares, node());
	ssdup_extent_insert(&k->tree, e, &spares, &unused);
	while ((e = extent_pop(&spares)) || (e = extent_pop(&unused)))
		free(e);
}

static int kernel_entries(void *arg, u32 half, const struct ssdup_entry *e, u32 nr)
{
	for (; nr; nr--, e++)
		kernel_entry(arg, half, log_entry_read(e));
	return 0;
}

static bool alike(const struct extent *a, const struct extent *b)
{
	return a->start == b->start && a->sectors == b->sectors && a->kind == b->kind &&
	       a->pos == b->pos && a->half == b->half && a->seq == b->seq;
}

/* Half by half, the lowest generation first, as recovery.c does. */
static void same_as_kernel(struct log_file *l)
{
	static const struct replay_ops ops = { kernel_page, kernel_entries };
	struct kernel_map k = { .l = l };
	struct extent_list unused = {};
	struct ssdup_replay_half res;
	struct replay_fault fault;
	struct extent *a, *b;
	u64 done = 0, next, from;
	u32 i, half, nr;

	ssdup_extent_tree_init(&k.tree);
	for (nr = 0; nr < l->s.g.nr_halves; nr++, done = next) {
		for (i = 0, half = 0, next = U64_MAX; i < l->s.g.nr_halves; i++)
			if (l->s.generation[i] > done && l->s.generation[i] < next) {
				next = l->s.generation[i];
				half = i;
			}
		EXPECT(!ssdup_replay_half(&l->s, half, &ops, &k, &res, &fault));
	}
	EXPECT(k.tree.nr == l->map.nr && k.tree.sectors == l->map.sectors);
	a = ssdup_extent_first(&k.tree, 0, U64_MAX);
	b = ssdup_extent_first(&l->map, 0, U64_MAX);
	for (; a && b; a = ssdup_extent_next(a), b = ssdup_extent_next(b))
		EXPECT(alike(a, b));
	for (half = 0; half < l->s.g.nr_halves; half++)
		for (from = 0; !ssdup_extent_drop_half(&k.tree, half, &from, &unused);)
			;
	while ((a = extent_pop(&unused)))
		free(a);
}

/* --- Commands --- */

static bool gaps(const struct log_file *l)
{
	size_t i;

	for (i = 0; i < l->findings.nr; i++)
		if (l->findings.all[i].number == FAULT_PAGES_GAP)
			return true;
	return false;
}

static void check_one(int *verdict)
{
	struct log_file l;
	int code;

	bench_log(&bench, &l, NO_COPY);
	*verdict = check_log(&l, true, true);
	code = findings_exit(&l.findings);
	if (l.from != NO_COPY) {
		/* Whatever the kernel refuses has a number that says so. */
		EXPECT(*verdict == LOG_OK || code != EXIT_OK);
		EXPECT(*verdict != LOG_PAGES_GAP || gaps(&l));
		/* Where it stops and this goes on, something is lost. */
		if (*verdict == LOG_OK && !gaps(&l))
			same_as_kernel(&l);
	} else {
		EXPECT(no_log(&l) != EXIT_OK);
	}
	log_close(&l);
}

static void dump_one(bool json)
{
	struct log_file l;

	bench_log(&bench, &l, NO_COPY);
	dump_log(&l, bench_null, DUMP_SUPER | DUMP_PAGES | DUMP_EXTENTS | DUMP_ENTRIES, json);
	log_close(&l);
}

/* The areas are where the stamps of their sectors were not written over. */
static bool usual(const struct log_super *s)
{
	return s->g.half_stride == IMAGE_STRIDE && s->g.half_start == SSDUP_HEAD_SECTORS &&
	       s->g.meta_pages == IMAGE_PAGES && s->hdd_sectors == HDD_SECTORS;
}

static void export_one(void)
{
	struct export_result res;
	struct log_file l;
	struct disk hdd;
	int r;

	bench_log(&bench, &l, NO_COPY);
	if (l.from != NO_COPY) {
		check_log(&l, true, false);
		bench_hdd(&bench, &hdd);
		r = export_log(&l, &hdd, &res);
		if (usual(&l.s)) {
			EXPECT(!r && !res.lost && res.sectors + res.known == l.map.sectors);
			EXPECT(bench_exported(&bench, &l));
		}
		disk_close(&hdd);
	}
	log_close(&l);
}

static void repair_one(int asked)
{
	struct log_file l;
	struct plan plan;
	int r, again;

	bench_log(&bench, &l, asked);
	r = plan_make(&l, &plan);
	if (r == EXIT_OK) {
		plan_print(bench_null, &plan);
		r = plan_apply(&plan);
		EXPECT(!r || r == -ERANGE);
		again = !r;
	} else {
		again = false;
	}
	plan_free(&plan);
	log_close(&l);
	if (!again)
		return;
	bench_log(&bench, &l, NO_COPY);
	EXPECT(plan_make(&l, &plan) == EXIT_OK);
	EXPECT(!plan.nr);
	plan_free(&plan);
	EXPECT(log_accepts(&l) == LOG_OK);
	same_as_kernel(&l);
	log_close(&l);
}

void fuzz_image(const struct image *im)
{
	int before, after;

	put_image(im);
	check_one(&before);
	dump_one(false);
	dump_one(true);
	export_one();
	repair_one(NO_COPY);
	check_one(&after);
	/* What was accepted is not made worse. */
	EXPECT(before != LOG_OK || after == LOG_OK);
	repair_one(1);
}
