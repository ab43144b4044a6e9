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

/* Not to stderr, which says nothing here. */
#define EXPECT(cond) do {							\
	if (!(cond)) {								\
		dprintf(2, "%s:%d: not so: %s\n", __FILE__, __LINE__, #cond);	\
		abort();							\
	}									\
} while (0)

static struct bench bench;

static void put_block(const void *from, u64 sector)
{
	static u8 block[SSDUP_BLOCK_BYTES];

	memcpy(block, from, SECTOR_BYTES);
	bench_write(&bench, block, sector, SSDUP_BLOCK_SECTORS);
}

static void put_image(const struct image *im)
{
	u32 i;

	bench_silence();
	if (!bench.ssd_sectors)
		bench_open(&bench, IMAGE_SSD_SECTORS, HDD_SECTORS);
	for (i = 0; i < SSDUP_COPIES; i++) {
		put_block(&im->super[i], IMAGE_HOME(i));
		put_block(&im->record[i], IMAGE_HOME(i) + SSDUP_RECORD_PLACE(0));
	}
	for (i = 0; i < IMAGE_SEGMENTS; i++) {
		u64 at = SSDUP_HOME_SECTORS + i * IMAGE_SEGMENT_SECTORS;

		put_block(&im->header[i], at);
		bench_write(&bench, im->slot[i], at + SSDUP_BLOCK_SECTORS,
			    sizeof(im->slot[i]) / 512);
	}
}

/* --- The kernel's map --- */

#define NODES	(2U * IMAGE_SEGMENTS * IMAGE_PAGES * SSDUP_PAGE_ENTRIES)

struct kernel_map {
	struct log_file		*l;
	struct extent_tree	tree;
	struct ssdup_page	slots[SSDUP_PAGE_SLOTS];
	u32			used;	/* of: */
	struct extent		node[NODES];
};

static struct extent *node(struct kernel_map *k)
{
	EXPECT(k->used < NODES);
	return &k->node[k->used++];
}

static int kernel_page(void *arg, u32 segment, u32 page, const struct ssdup_page **slots)
{
	struct kernel_map *k = arg;

	*slots = k->slots;
	return disk_read(&k->l->ssd, k->slots,
			 ssdup_log_slot_sector(&k->l->s.g, segment, page, 0),
			 sizeof(k->slots) / 512);
}

/* As replay_among() of recovery.c. */
static void kernel_entry(struct kernel_map *k, u32 segment, struct log_entry le)
{
	u64 start = le.sector, end = start + le.sectors, from;
	bool data = le.kind == SSDUP_KIND_DATA;
	struct extent *e;
	u32 sectors;

	while ((sectors = ssdup_extent_older_span(&k->tree, start, end, le.seq, &from))) {
		e = node(k);
		*e = (struct extent){
			.start = from, .seq = le.seq, .sectors = sectors, .kind = le.kind,
			.pos = data ? log_data_sector(&k->l->s.g, segment, le.pos) +
				      (from - le.sector) :
			       log_segment_sector(&k->l->s.g, segment),
		};
		ssdup_extent_insert(&k->tree, e,
				    ssdup_extent_splits(&k->tree, e) ? node(k) : NULL);
		start = from + sectors;
	}
}

static int kernel_entries(void *arg, u32 segment, const struct ssdup_entry *e, u32 nr)
{
	for (; nr; nr--, e++)
		kernel_entry(arg, segment, log_entry_read(e));
	return 0;
}

static bool alike(const struct extent *a, const struct extent *b)
{
	return a->start == b->start && a->sectors == b->sectors && a->kind == b->kind &&
	       a->pos == b->pos && a->seq == b->seq;
}

static u32 kernel_headers(struct log_file *l, struct log_header *h)
{
	static u8 block[SSDUP_BLOCK_BYTES];
	u32 i, nr = 0;
	u64 next;

	for (i = 0; i < l->s.g.nr_segments; i++) {
		bench_read(&bench, block, log_segment_sector(&l->s.g, i), SSDUP_BLOCK_SECTORS);
		nr += ssdup_log_header_decode(block, &l->s, i, &h[nr]) == LOG_OK;
	}
	EXPECT(ssdup_replay_live(&l->s, h, &nr, &next) == LOG_OK);
	return nr;
}

/* As recovery.c does. */
static void same_as_kernel(struct log_file *l)
{
	static const struct replay_ops ops = { kernel_page, kernel_entries };
	struct log_header *h = xalloc(l->s.g.nr_segments * sizeof(*h));
	struct kernel_map *k = xalloc(sizeof(*k));
	struct ssdup_replay rp;
	struct extent *a, *b;
	u32 i, pages, nr = kernel_headers(l, h);

	k->l = l;
	ssdup_extent_tree_init(&k->tree);
	ssdup_replay_begin(&rp, &l->s, &ops, k);
	for (i = 0; i < nr; i++)
		EXPECT(!ssdup_replay_segment(&rp, &h[i], &pages));
	EXPECT(!ssdup_replay_end(&rp));
	EXPECT(k->tree.nr == l->map.nr && k->tree.sectors == l->map.sectors);
	a = ssdup_extent_first(&k->tree, 0, U64_MAX);
	b = ssdup_extent_first(&l->map, 0, U64_MAX);
	for (; a && b; a = ssdup_extent_next(a), b = ssdup_extent_next(b))
		EXPECT(alike(a, b));
	free(k);
	free(h);
}

/* --- Commands --- */

static void check_one(int *verdict)
{
	struct log_file l;
	int code;

	bench_log(&bench, &l, NO_COPY);
	*verdict = check_log(&l, true, true);
	code = findings_exit(&l.findings);
	if (l.known) {
		/* Whatever the kernel refuses has a number that says so. */
		EXPECT(*verdict == LOG_OK || code != EXIT_OK);
		/* Where it stops and this goes on, something is lost, or can be mended. */
		if (*verdict == LOG_OK && code == EXIT_OK)
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
	dump_log(&l, bench_null, DUMP_SUPER | DUMP_HEADERS | DUMP_PAGES | DUMP_EXTENTS |
		 DUMP_ENTRIES | DUMP_FULL, json);
	log_close(&l);
}

/* The areas are where the stamps of their sectors were not written over. */
static bool usual(const struct log_super *s)
{
	return s->g.segment_sectors == IMAGE_SEGMENT_SECTORS &&
	       s->g.segment_start == SSDUP_HOME_SECTORS && s->hdd_sectors == HDD_SECTORS;
}

static void export_one(void)
{
	struct export_result res;
	struct log_file l;
	struct disk hdd;
	int r;

	bench_log(&bench, &l, NO_COPY);
	if (l.known) {
		check_log(&l, true, false);
		bench_hdd(&bench, &hdd);
		r = export_log(&l, &hdd, NULL, &res);
		if (usual(&l.s)) {
			EXPECT(!r && !res.lost && res.sectors + res.known == l.sectors);
			EXPECT(bench_exported(&bench, &l));
		}
		disk_close(&hdd);
	}
	log_close(&l);
}

/* Whatever headers say, what is found is a log that the kernel would look at. */
static void find_one(void)
{
	void *block = xpages(SSDUP_BLOCK_BYTES);
	struct found_logs logs;
	struct found_log *x;
	struct log_super s;
	struct log_file l;

	bench_log(&bench, &l, NO_COPY);
	find_logs(&l, NULL, &logs);
	for (x = logs.all; x < logs.all + logs.nr; x++) {
		ssdup_log_super_encode(&x->s, block);
		EXPECT(ssdup_log_super_decode(block, &s) == LOG_OK);
		ssdup_log_record_encode(&x->s, block);
		EXPECT(ssdup_log_record_decode(block, &s) == LOG_OK);
		EXPECT((x->segments || x->recorded) && x->last.segment < x->s.g.nr_segments);
	}
	free(logs.all);
	log_close(&l);
	free(block);
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

bool fuzz_image(const struct image *im)
{
	int before, after;

	put_image(im);
	check_one(&before);
	dump_one(false);
	dump_one(true);
	export_one();
	find_one();
	repair_one(NO_COPY);
	check_one(&after);
	/* What was accepted is not made worse. */
	EXPECT(before != LOG_OK || after == LOG_OK);
	repair_one(1);
	return before == LOG_OK;
}
