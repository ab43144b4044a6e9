// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim: small writes end in memory. A buffer of them goes to the SSD when it is full, when somebody
 * flushes, or after STAGE_NS.
 */
#include "internal.h"

#define STAGE_NS	2000000ULL

static void part_ended(struct sim_io *io)
{
	struct stage *s = io->arg;
	struct buffer *b = s->b;

	s->segment[io - s->io]->in_flight--;
	if (--s->left)
		return;
	s->sectors = 0;
	s->nr = 0;
	if (s->awaited) {
		s->awaited = false;
		b->flush_staged -= !!b->flush_staged;
	}
	b->look(b);
}

void stage_send(struct buffer *b)
{
	struct stage *s = b->filling;
	u32 i;

	if (!s)
		return;
	b->filling = NULL;
	s->left = s->nr;
	for (i = 0; i < s->nr; i++) {
		s->io[i].sectors = s->io[i].op.sectors;
		s->io[i].end = part_ended;
		s->io[i].arg = s;
		sim_ssd_send(&b->ssd[0], &s->io[i]);
	}
}

struct due {
	struct stage	*s;
	u64		turn;
};

static void is_due(void *arg)
{
	struct due *d = arg;

	if (d->s->b->filling == d->s && d->s->turn == d->turn)
		stage_send(d->s->b);
	free(d);
}

static struct stage *begin(struct buffer *b)
{
	struct due *due;
	u32 i;

	for (i = 0; i < STAGE_BUFFERS; i++) {
		if (b->stage[i].sectors)
			continue;
		b->filling = &b->stage[i];
		b->filling->b = b;
		due = zeroed(1, sizeof(*due));
		*due = (struct due){ b->filling, ++b->filling->turn };
		clock_in(&b->clock, STAGE_NS, is_due, due);
		return b->filling;
	}
	return NULL;
}

bool stage_has_room(struct buffer *b, u32 sectors)
{
	struct stage *s = b->filling;

	if (s && s->sectors + sectors > STAGE_SECTORS) {
		stage_send(b);
		s = NULL;
	}
	return s || begin(b);
}

void stage_add(struct buffer *b, struct segment *segment, u64 lba, u32 sectors)
{
	struct stage *s = b->filling;
	struct sim_io *io = &s->io[s->nr - 1];

	if (s->nr && s->segment[s->nr - 1] == segment && io->op.lba + io->op.sectors == lba) {
		io->op.sectors += sectors;
	} else {
		io = &s->io[s->nr++];
		s->segment[s->nr - 1] = segment;
		segment->in_flight++;
		*io = (struct sim_io){
			.op = { .kind = HDD_OP_WRITE, .lba = lba, .sectors = sectors },
		};
	}
	s->sectors += sectors;
	if (s->sectors == STAGE_SECTORS || s->nr == STAGE_RECORDS)
		stage_send(b);
}

u32 stage_await(struct buffer *b)
{
	u32 i, nr = 0;

	stage_send(b);
	for (i = 0; i < STAGE_BUFFERS; i++) {
		b->stage[i].awaited = b->stage[i].sectors;
		nr += b->stage[i].awaited;
	}
	return nr;
}
