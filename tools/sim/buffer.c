// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim: the writes before the log and the HDD: which disk each is sent to, and flushes.
 *
 * What is not here: writes over what the log holds, and the records of what it holds.
 */
#include "internal.h"

#define IDLE_NS		500000000ULL	/* nobody has written for so long */
#define QUIET_NS	20000000ULL	/* the same, if half of the log is in use */
#define SEEN_NS		100000000ULL	/* who flushed so lately does it again */
#define COMMIT_SECTORS	8U

/* --- Flushes from above: the log's record, and the HDD if it may hold what was written --- */

static void flush_begin(struct buffer *b);

static void flush_part_ended(struct sim_io *io)
{
	struct buffer *b = io->arg;
	struct writer *w;

	if (io == &b->flush_io[0] && io->op.kind != HDD_OP_FLUSH) {
		io->op.kind = HDD_OP_FLUSH;
		sim_ssd_send(&b->ssd[0], io);
		return;
	}
	if (--b->flush_left)
		return;
	while (b->flush[0].first) {
		w = queue_pop(&b->flush[0]);
		w->flushed(w);
	}
	flush_begin(b);
}

/* Go on with a flush if what was staged when it began is on the SSD. */
static void flush_go(struct buffer *b)
{
	bool hdd = b->hdd_dirty, log = b->strategy->kind != STRATEGY_BARE;

	if (!b->flush_waits || b->flush_staged)
		return;
	b->flush_waits = false;
	b->hdd_dirty = false;
	b->flush_left = hdd + log;
	if (!b->flush_left) {
		/* There is nothing that a flush could do. */
		b->flush_left = 1;
		b->flush_io[1] = (struct sim_io){ .arg = b };
		flush_part_ended(&b->flush_io[1]);
		return;
	}
	if (log) {
		b->flush_io[0] = (struct sim_io){
			.op = { .kind = HDD_OP_WRITE, .sectors = COMMIT_SECTORS },
			.end = flush_part_ended, .arg = b,
		};
		sim_ssd_send(&b->ssd[0], &b->flush_io[0]);
	}
	if (hdd) {
		b->flush_io[1] = (struct sim_io){
			.op = { .kind = HDD_OP_FLUSH }, .end = flush_part_ended, .arg = b,
		};
		sim_hdd_send(&b->hdd, &b->flush_io[1]);
	}
}

static void flush_begin(struct buffer *b)
{
	if (b->flush[0].first || !b->flush[1].first)
		return;
	b->flush[0] = b->flush[1];
	b->flush[1].first = NULL;
	b->flush_staged = stage_await(b);
	b->flush_waits = true;
	flush_go(b);
}

static bool flushes(const struct buffer *b)
{
	return b->flushed && b->clock.now - b->flushed < SEEN_NS;
}

void buffer_flush(struct buffer *b, struct writer *w)
{
	/* Not at the first one: who flushes once does not do it again soon. */
	if (flushes(b))
		b->rests = b->clock.now + SEEN_NS;
	b->flushed = b->clock.now;
	queue_add(&b->flush[1], w);
	flush_begin(b);
}

/* --- Writes --- */

static bool fits(const struct buffer *b, const struct writer *w, u32 ssd)
{
	const struct segment *s = b->open[ssd];
	u32 most = b->nr_segments - (flushes(b) && !w->job->fsync);

	return b->nr_used < most || (b->nr_used == most && s &&
				     s->sectors + w->io.op.sectors <= b->segment_sectors);
}

/* While somebody flushes, the last segment is his. */
static bool has_room(const struct buffer *b, const struct writer *w)
{
	u32 i;

	for (i = 0; i < b->ssds.nr; i++)
		if (fits(b, w, i))
			return true;
	return false;
}

/* As in base/load.c. */
static void look_at_loads(struct buffer *b)
{
	struct ssd_load reads;
	u32 i, size;

	if (b->clock.now < b->look_at)
		return;
	b->look_at = b->clock.now + LOAD_LOOK;
	for (i = 0; i < b->ssds.nr; i++) {
		reads = b->load_of[1][i];
		for (size = 0; size < LOAD_SIZES; size++)
			reads.others += b->load_of[0][i].timed[size].nr;
		b->load_of[0][i].others = reads.timed[ssdup_load_size(32)].nr;
		ssdup_interference_look(&b->seen[0][i], &b->load_of[0][i], b->clock.now);
		ssdup_interference_look(&b->seen[1][i], &reads, b->clock.now);
	}
}

void buffer_timed(struct buffer *b, bool read, u32 ssd, u32 sectors, u64 ns)
{
	struct ssd_load *load = &b->load_of[read][ssd];
	struct load_timed *timed = &load->timed[ssdup_load_size(sectors)];

	timed->ns += ns;
	timed->nr++;
	look_at_loads(b);
	load->sectors -= sectors;
}

static u32 choose_ssd(struct buffer *b, const struct writer *w)
{
	u32 i;

	look_at_loads(b);
	for (i = 0; i < b->ssds.nr; i++) {
		b->spread[i].out = !fits(b, w, i);
		b->spread[i].apart = b->ssds.apart &&
			ssdup_spread_apart(&b->apart_until[i],
					   ssdup_interference_gain(&b->seen[1][i], &b->seen[0][i]),
					   b->clock.now);
	}
	b->spread_turn = ssdup_spread(b->spread, b->ssds.nr, b->spread_turn + 1, w->io.op.sectors,
				      b->clock.now);
	return b->spread_turn;
}

static void write_ended(struct sim_io *io)
{
	struct writer *w = io->arg;
	struct buffer *b = w->b;
	struct spread_ssd *ssd;

	if (w->segment) {
		ssd = &b->spread[w->segment->ssd];
		if (w->timed)
			ssdup_spread_learn(&ssd->speed, b->clock.now - io->sent, ssd->in_flight,
					   b->clock.now);
		ssd->in_flight -= io->sectors;
		buffer_timed(b, false, w->segment->ssd, io->sectors, b->clock.now - io->sent);
		b->at_ssd -= io->sectors;
		w->segment->in_flight--;
	} else {
		b->at_hdd -= io->sectors;
		b->hdd_dirty = true;
		w->met_pass |= buffer_passes(b);
	}
	if (w->timed && (w->segment || !w->met_pass))
		ssdup_window_ended(&b->speed, w->segment ? SSDUP_SSD : SSDUP_HDD, w->kind,
				   b->clock.now - io->sent, io->sectors, w->beside, b->clock.now);
	w->ended(w);
	buffer_look(b);
}

static void to_hdd(struct buffer *b, struct writer *w)
{
	u32 sectors = w->io.op.sectors;

	b->at_hdd += sectors;
	w->beside = b->at_hdd;
	w->timed = ssdup_window_times(&b->speed, SSDUP_HDD, w->io.op.lba, sectors, b->clock.now);
	w->met_pass = buffer_passes(b);
	w->segment = NULL;
	ssdup_window_note(&b->map, w->io.op.lba, sectors, SSDUP_HDD);
	sim_hdd_send(&b->hdd, &w->io);
}

static struct segment *open_segment(struct buffer *b, u32 ssd)
{
	struct segment *s = &b->log[(b->oldest + b->nr_used++) % b->nr_segments];

	s->nr = 0;
	s->sectors = 0;
	s->sealed = false;
	s->ssd = ssd;
	b->open[ssd] = s;
	return s;
}

static struct segment *take_place(struct buffer *b, struct writer *w, u32 ssd, u64 *lba)
{
	u32 sectors = w->io.op.sectors;
	struct segment *s = b->open[ssd];

	if (!s || s->sectors + sectors > b->segment_sectors) {
		if (s)
			s->sealed = true;
		s = open_segment(b, ssd);
	}
	s->places = room_for(s->places, s->nr, &s->room, sizeof(*s->places));
	s->places[s->nr++] = (struct place){ w->io.op.lba, sectors, ssd };
	*lba = (s - b->log) * (u64)b->segment_sectors / b->ssds.nr + s->sectors;
	s->sectors += sectors;
	b->logged += sectors;
	return s;
}

static void to_ssd(struct buffer *b, struct writer *w)
{
	u32 sectors = w->io.op.sectors, ssd = choose_ssd(b, w);
	u64 lba;
	struct segment *s = take_place(b, w, ssd, &lba);

	ssdup_window_note(&b->map, w->io.op.lba, sectors, SSDUP_SSD);
	w->segment = s;
	s->in_flight++;
	b->at_ssd += sectors;
	b->spread[ssd].in_flight += sectors;
	b->load_of[0][ssd].sectors += sectors;
	w->beside = b->at_ssd;
	w->timed = ssdup_window_times(&b->speed, SSDUP_SSD, w->io.op.lba, sectors, b->clock.now);
	w->io.sectors = sectors;
	w->io.op.lba = lba;
	sim_ssd_send(&b->ssd[ssd], &w->io);
}

static bool choose_fixed(const struct strategy *s, const struct window_facts *f,
			 struct window_choice *c)
{
	int kind;

	c->disk = SSDUP_SSD;
	for (kind = WINDOW_KINDS - 1; kind >= 0; kind--) {
		c->kind = kind;
		if (f->waiting & BIT(kind) && f->room && f->ssd < s->ssd &&
		    (kind >= WINDOW_HDD_NEAR || !s->by_kind))
			return true;
	}
	c->disk = SSDUP_HDD;
	for (kind = 0; kind < WINDOW_KINDS; kind++) {
		c->kind = kind;
		if (f->waiting & BIT(kind) && f->hdd < s->hdd &&
		    (kind < WINDOW_HDD_NEAR || !s->by_kind || !f->room))
			return true;
	}
	return false;
}

static bool choose(const struct buffer *b, const struct window_facts *f, struct window_choice *c)
{
	switch (b->strategy->kind) {
	case STRATEGY_WINDOWS:
		return ssdup_window_choose(f, c);
	case STRATEGY_FIXED:
		return choose_fixed(b->strategy, f, c);
	case STRATEGY_BARE:
		*c = (struct window_choice){ SSDUP_HDD, f->waiting ? __ffs(f->waiting) : 0 };
		return f->waiting;
	}
	return false;
}

static struct window_facts facts(const struct buffer *b, struct window_first first[WINDOW_KINDS])
{
	struct window_facts f = {
		.speed = &b->speed, .now = b->clock.now, .hdd = b->at_hdd, .ssd = b->at_ssd,
		.room = true, .pass = buffer_passes(b), .cached = b->cached,
		.first = first,
		.flushes = flushes(b),
		.kept = b->readers || flushes(b),
	};
	const struct writer *w;
	int kind;

	for (kind = 0; kind < WINDOW_KINDS; kind++) {
		w = b->waiting[kind].first;
		if (!w)
			continue;
		f.waiting |= BIT(kind);
		first[kind].turn = turn_of(w);
		first[kind].waited = (b->clock.now - w->born) / 1000000;
		f.room &= has_room(b, w);
	}
	return f;
}

/* The next write, and the disk that it is for, or NULL. */
static struct writer *next_write(const struct buffer *b, enum ssdup_disk *disk)
{
	struct window_first first[WINDOW_KINDS];
	struct window_facts f = facts(b, first);
	struct window_choice c;

	if (!choose(b, &f, &c))
		return NULL;
	*disk = c.disk;
	return b->waiting[c.kind].first;
}

/* Send what can be sent now. */
static void dispatch(struct buffer *b)
{
	enum ssdup_disk disk;
	struct writer *w;

	while ((w = next_write(b, &disk))) {
		queue_remove(&b->waiting[w->kind], w);
		b->turn_now = max(b->turn_now, w->turn);
		if (disk == SSDUP_HDD)
			to_hdd(b, w);
		else
			to_ssd(b, w);
	}
}

static void look_again(void *arg)
{
	struct buffer *b = arg;

	b->armed = false;
	buffer_look(b);
}

/* Is a pass due, for writes that wait or because nobody writes? */
static bool pass_due(struct buffer *b)
{
	struct window_first first[WINDOW_KINDS];
	struct window_facts f = facts(b, first);
	bool half = b->nr_used * 2 > b->nr_segments;
	u64 idle = b->active + (half ? QUIET_NS : IDLE_NS);

	if (b->over || (b->strategy->half && half) ||
	    (!b->live && b->clock.now >= idle))
		return true;
	if (!b->live && !b->armed) {
		b->armed = true;
		clock_at(&b->clock, idle, look_again, b);
	}
	return f.waiting && !f.room &&
	       (b->strategy->kind != STRATEGY_WINDOWS || ssdup_window_drains(&f));
}

void buffer_look(struct buffer *b)
{
	flush_go(b);
	dispatch(b);
	if ((b->copied || !b->copying) && pass_due(b))
		drain_begin(b);
}

/* As in route/waiters.c. */
static void take_turn(struct buffer *b, struct writer *w)
{
	w->turn = max(w->next_turn, b->turn_now);
	w->next_turn = w->turn + w->io.op.sectors;
	queue_add_in_order(&b->waiting[w->kind], w);
}

/*
 * Who flushes again and again would wait for what others have staged. And to be spread over several
 * SSDs, what is staged would have to be counted there.
 */
static bool may_stage(struct buffer *b, const struct writer *w)
{
	return b->strategy->kind == STRATEGY_WINDOWS && b->ssds.nr == 1 &&
	       w->io.op.sectors <= STAGE_MOST && b->clock.now >= b->rests && has_room(b, w) &&
	       stage_has_room(b, w->io.op.sectors);
}

static void to_stage(struct buffer *b, struct writer *w)
{
	u32 sectors = w->io.op.sectors;
	struct segment *s;
	u64 lba;

	s = take_place(b, w, 0, &lba);
	ssdup_window_note(&b->map, w->io.op.lba, sectors, SSDUP_SSD);
	stage_add(b, s, lba, sectors);
	w->ended(w);
}

void buffer_take(struct buffer *b, struct writer *w)
{
	w->io.end = write_ended;
	w->io.arg = w;
	w->kind = ssdup_window_kind(&b->map, w->io.op.lba, w->io.op.sectors);
	if (may_stage(b, w)) {
		to_stage(b, w);
		return;
	}
	/* Who flushes does not wait behind others. */
	if (b->strategy->kind == STRATEGY_WINDOWS && w->job->fsync && flushes(b) && has_room(b, w))
		to_ssd(b, w);
	else
		take_turn(b, w);
	buffer_look(b);
}
