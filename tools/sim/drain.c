// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim: the drain.
 *
 * It does as drain/drain.c: it takes a group of the oldest segments in order of places, and three
 * batches take turns. While two are written, the next is read. A group that was copied becomes free
 * by a flush of the HDD, beside the next group; but not before its space is wanted, since no write
 * goes to the HDD meanwhile.
 */
#include "internal.h"

/* As in the module. */
#define BATCH_PIECES	256U
#define BATCH_SECTORS	5120U
#define RUN_SECTORS	2048U
#define RATE_FIRST	80.0e6		/* bytes a second that are drained; until it is measured */

static int by_place(const void *a, const void *b)
{
	const struct place *p = a, *q = b;

	return p->lba < q->lba ? -1 : p->lba > q->lba;
}

static void batch_read(struct buffer *b, struct batch *batch);
static void batch_write(struct buffer *b, struct batch *batch);

static void group_free(struct buffer *b)
{
	struct segment *s;

	for (; b->freeing; b->freeing--) {
		s = &b->log[b->oldest];
		s->nr = 0;
		b->nr_used--;
		b->oldest = (b->oldest + 1) % b->nr_segments;
	}
}

/* While groups follow each other, from one to the next. */
static void group_freed(struct sim_io *io)
{
	struct buffer *b = io->arg;

	b->rate = b->rate * 0.75 + b->freeing_bytes * 0.25e9 / (b->clock.now - b->since + 1);
	b->freed_at = b->clock.now;
	group_free(b);
	b->look(b);
}

static void free_begin(struct buffer *b)
{
	b->freeing = b->copying;
	b->freeing_bytes = b->group_bytes;
	b->since = max(b->chosen, b->freed_at);
	b->copying = 0;
	b->copied = false;
	b->free_io = (struct sim_io){
		.op = { .kind = HDD_OP_FLUSH }, .end = group_freed, .arg = b,
	};
	sim_hdd_send(&b->hdd, &b->free_io);
}

static void group_copied(struct buffer *b)
{
	b->copied = true;
	b->look(b);
}

/* Write the next batch when it has been read and the one before the last has been written. */
static void batch_next(struct buffer *b)
{
	struct batch *batch = &b->batch[b->turn], *next = &b->batch[(b->turn + 1) % BATCHES];
	u32 i;

	if (batch->nr && batch->read && !next->nr) {
		batch_write(b, batch);
		b->turn = (b->turn + 1) % BATCHES;
		batch_read(b, next);
		return;
	}
	for (i = 0; i < BATCHES; i++)
		if (b->batch[i].nr)
			return;
	group_copied(b);
}

static void batch_ended(struct batch *batch)
{
	if (batch->read)
		batch->nr = 0;
	batch->read = true;
	batch_next(batch->b);
}

static void piece_ended(struct sim_io *io)
{
	struct batch *batch = io->arg;

	if (!--batch->left)
		batch_ended(batch);
}

static void batch_read(struct buffer *b, struct batch *batch)
{
	u32 sectors = 0, i;

	batch->read = false;
	for (batch->nr = 0; b->taken < b->nr_order && batch->nr < BATCH_PIECES; batch->nr++) {
		batch->pieces[batch->nr] = b->order[b->taken];
		sectors += b->order[b->taken].sectors;
		if (sectors > BATCH_SECTORS && batch->nr)
			break;
		b->taken++;
	}
	batch->left = batch->nr;
	for (i = 0; i < batch->nr; i++) {
		/* Where in the log matters to no model. */
		batch->io[i] = (struct sim_io){
			.op = { .kind = HDD_OP_READ, .sectors = batch->pieces[i].sectors },
			.end = piece_ended, .arg = batch,
		};
		sim_ssd_send(&b->ssd[batch->pieces[i].ssd], &batch->io[i]);
	}
}

static void batch_write(struct buffer *b, struct batch *batch)
{
	struct place *runs = batch->pieces;
	u32 i, nr = 1;

	for (i = 1; i < batch->nr; i++) {
		if (runs[nr - 1].lba + runs[nr - 1].sectors == runs[i].lba &&
		    runs[nr - 1].sectors + runs[i].sectors <= RUN_SECTORS)
			runs[nr - 1].sectors += runs[i].sectors;
		else
			runs[nr++] = runs[i];
	}
	batch->nr = nr;
	batch->left = nr;
	for (i = 0; i < nr; i++) {
		batch->io[i] = (struct sim_io){
			.op = { .kind = HDD_OP_WRITE, .lba = runs[i].lba,
				.sectors = runs[i].sectors },
			.end = piece_ended, .arg = batch,
		};
		sim_hdd_send(&b->hdd, &batch->io[i]);
	}
}

/* Put all places of the group in order. */
static void order_group(struct buffer *b)
{
	struct segment *s;
	u32 i, nr = 0;

	for (i = 0; i < b->copying; i++)
		nr += b->log[(b->oldest + b->freeing + i) % b->nr_segments].nr;
	free(b->order);
	b->order = zeroed(nr, sizeof(*b->order));
	b->group_bytes = 0;
	b->nr_order = 0;
	for (i = 0; i < b->copying; i++) {
		s = &b->log[(b->oldest + b->freeing + i) % b->nr_segments];
		memcpy(b->order + b->nr_order, s->places, s->nr * sizeof(*s->places));
		b->nr_order += s->nr;
		b->group_bytes += s->sectors * 512ULL;
	}
	qsort(b->order, b->nr_order, sizeof(*b->order), by_place);
	b->taken = 0;
}

/* As many segments as a pass has time for: if nobody writes, as long as that has been so. */
static u32 choose_group(const struct buffer *b)
{
	u64 ns = b->live ? 0 : b->clock.now - b->active;
	u64 most = max(b->rate * max(PACING_WAIT_MS / 1e3, ns / 1e9) / (b->segment_sectors * 512.0),
		       1.0);
	const struct segment *s;
	u32 i, nr = 0;

	most = min(b->over ? b->nr_segments : most, b->nr_segments * 3ULL / 4);
	for (i = b->freeing; i < b->nr_used && nr < most; i++, nr++) {
		s = &b->log[(b->oldest + i) % b->nr_segments];
		if (!s->sealed || s->in_flight)
			break;
	}
	return nr;
}

static void seal_all(struct buffer *b)
{
	u32 i;

	for (i = 0; i < b->ssds.nr; i++) {
		if (b->open[i])
			b->open[i]->sealed = true;
		b->open[i] = NULL;
	}
}

void drain_begin(struct buffer *b)
{
	if (b->strategy->kind == STRATEGY_BARE || (b->copied && b->freeing))
		return;
	if (b->copied)
		free_begin(b);
	if (b->copying || b->nr_used == b->freeing)
		return;
	/* As after a while without writes: all of it is on the SSD. */
	if (!b->live && stage_await(b))
		return;
	if (!b->live)
		seal_all(b);
	b->copying = choose_group(b);
	if (!b->copying)
		return;
	order_group(b);
	b->chosen = b->clock.now;
	batch_read(b, &b->batch[b->turn]);
}

void drain_init(struct buffer *b)
{
	u32 i;

	b->rate = RATE_FIRST;
	for (i = 0; i < BATCHES; i++) {
		b->batch[i].b = b;
		b->batch[i].pieces = zeroed(BATCH_PIECES, sizeof(*b->batch[i].pieces));
		b->batch[i].io = zeroed(BATCH_PIECES, sizeof(*b->batch[i].io));
	}
}

void drain_exit(struct buffer *b)
{
	u32 i;

	for (i = 0; i < BATCHES; i++) {
		free(b->batch[i].pieces);
		free(b->batch[i].io);
	}
	free(b->order);
}
