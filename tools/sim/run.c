// SPDX-License-Identifier: GPL-2.0-only
/* sim: who writes and reads, and what came of it. */
#include <math.h>
#include <stdio.h>
#include "internal.h"

#define THINK_NS	2000		/* of a processor, for each request */
#define READ_SECTORS	512U
#define READ_FROM	(20ULL << 21)
#define SSD_READ	32U		/* sectors */
#define LEARN_NS	1000000000ULL

/* --- Writers --- */

static void arrive(void *arg);

static double draw(u64 *state)
{
	return ((next_random(state) >> 11) + 1) / 9007199254740993.0;
}

static void go_on(struct writer *w)
{
	struct buffer *b = w->b;

	b->active = b->clock.now;
	clock_in(&b->clock, THINK_NS - log(draw(&w->random)) * w->job->jitter_us * 1000, arrive, w);
}

static void begin_round(void *arg)
{
	struct buffer *b = arg;
	u32 i;

	b->began = b->clock.now;
	b->live = b->nr_writers;
	for (i = 0; i < b->nr_writers; i++) {
		b->writers[i].at = 0;
		clock_in(&b->clock, i * 100000, arrive, &b->writers[i]);
	}
}

static void end_writer(struct buffer *b)
{
	if (--b->live)
		return;
	b->spent += b->clock.now - b->began;
	if (++b->round < max(b->load->rounds, 1U)) {
		clock_in(&b->clock, b->load->gap_ms * 1000000ULL, begin_round, b);
		buffer_look(b);
		return;
	}
	b->over = true;
	buffer_look(b);
}

static void note_wait(struct buffer *b, u64 ns)
{
	b->waits = room_for(b->waits, b->nr_waits, &b->room_waits, sizeof(*b->waits));
	b->waits[b->nr_waits++] = ns / 1e6;
}

static void write_ended(struct writer *w)
{
	struct buffer *b = w->b;

	if (w->counts)
		note_wait(b, b->clock.now - w->born);
	if (w->counts)
		b->bytes += w->job->request;
	else
		b->beside += w->job->request;
	w->commits = w->job->fsync;
	go_on(w);
}

static void flush_ended(struct writer *w)
{
	w->commits = false;
	w->b->commits += w->counts;
	go_on(w);
}

static void arrive(void *arg)
{
	struct writer *w = arg;
	struct buffer *b = w->b;

	if (b->stop && b->clock.now >= b->stop)
		return;
	b->active = b->clock.now;
	if (w->commits) {
		buffer_flush(b, w);
		return;
	}
	if (w->at == w->nr) {
		if (!b->stop) {
			end_writer(b);
			return;
		}
		w->at = 0;
	}
	w->born = b->clock.now;
	w->io = (struct sim_io){
		.op = { .kind = HDD_OP_WRITE,
			/* No round writes over what another has written. */
			.lba = (w->order[w->at++] + b->round * w->job->size) / SECTOR,
			.sectors = w->job->request / SECTOR },
	};
	buffer_take(b, w);
}

/* --- Readers --- */

static void read_on(void *arg)
{
	struct reader *r = arg;

	sim_hdd_send(&r->b->hdd, &r->io);
}

static void read_ended(struct sim_io *io)
{
	struct reader *r = io->arg;
	struct buffer *b = r->b;

	b->beside += READ_SECTORS * SECTOR;
	/* One file, whose parts are read by whoever is ready. */
	io->op.lba = READ_FROM + b->reads++ * READ_SECTORS;
	if (b->clock.now < b->stop)
		clock_in(&b->clock, THINK_NS, read_on, r);
}

static void ssd_read_on(void *arg)
{
	struct reader *r = arg;

	r->b->load_of[1][0].sectors += SSD_READ;
	sim_ssd_send(&r->b->ssd[0], &r->io);
}

static void ssd_read_ended(struct sim_io *io)
{
	struct reader *r = io->arg;
	struct buffer *b = r->b;

	buffer_timed(b, true, 0, SSD_READ, b->clock.now - io->sent);
	/* What was before the writers does not count. */
	if (b->began)
		b->beside += SSD_READ * SECTOR;
	io->op.lba = next_random(&r->random) % (1U << 21) / SSD_READ * SSD_READ;
	if (b->clock.now < b->stop)
		clock_in(&b->clock, THINK_NS, ssd_read_on, r);
}

/* Readers of the first SSD. Writers come when it is known what reads take without them. */
static void begin_ssd_readers(struct buffer *b)
{
	u32 i;

	b->readers = zeroed(b->load->ssd_readers, sizeof(*b->readers));
	for (i = 0; i < b->load->ssd_readers; i++) {
		b->readers[i].b = b;
		b->readers[i].random = i + 1;
		b->readers[i].io = (struct sim_io){
			.op = { .kind = HDD_OP_READ, .sectors = SSD_READ },
			.end = ssd_read_ended, .arg = &b->readers[i],
		};
		ssd_read_on(&b->readers[i]);
	}
	b->stop += LEARN_NS;
	clock_in(&b->clock, LEARN_NS, begin_round, b);
}

/* --- The whole --- */

static void make_writers(struct buffer *b, const struct disks_params *disks)
{
	const struct load *load = b->load;
	struct writer *w;
	struct job *jobs = zeroed(LOAD_JOBS, sizeof(*jobs));
	const char *fault;
	u32 i, j;

	memcpy(jobs, load->jobs, sizeof(load->jobs));
	for (j = 0; j < LOAD_JOBS && jobs[j].procs; j++)
		b->nr_writers += jobs[j].procs;
	b->writers = zeroed(b->nr_writers, sizeof(*b->writers));
	w = b->writers;
	for (j = 0; j < LOAD_JOBS && jobs[j].procs; j++) {
		if (load->times)
			jobs[j].size = (u64)disks->ssd_size_mb * load->times << 20;
		fault = job_fault(&jobs[j]);
		if (fault) {
			fprintf(stderr, "%s: %s\n", load->name, fault);
			exit(2);
		}
		b->stop = jobs[j].ms * 1000000ULL;
		for (i = 0; i < jobs[j].procs; i++, w++) {
			w->b = b;
			w->ended = write_ended;
			w->flushed = flush_ended;
			w->job = &jobs[j];
			w->order = make_order(w->job, i);
			w->nr = requests_each(w->job);
			w->random = random_start(w->job, i) ^ 0x5bd1e995;
			w->counts = !j;
		}
	}
}

static void make_log(struct buffer *b, const struct disks_params *disks)
{
	u64 sectors = (u64)disks->ssd_size_mb << 11;

	b->segment_sectors = max(sectors / 1024, 8192ULL);
	/* So many are for the records, and spare: of 128 segments, writers get 117. */
	b->nr_segments = (sectors / b->segment_sectors - 11) * b->ssds.nr;
	b->log = zeroed(b->nr_segments, sizeof(*b->log));
}

/* They come when the log is full, as it is in a long run. What was before is not counted. */
static void begin_readers(struct buffer *b)
{
	u64 log = (u64)b->nr_segments * b->segment_sectors, ms = b->stop;
	u32 i;

	if (!b->load->readers)
		return;
	b->stop = ~0ULL;
	while ((b->strategy->kind == STRATEGY_BARE ? b->bytes / SECTOR < log :
						     b->nr_used < b->nr_segments) &&
	       clock_step(&b->clock))
		;
	b->stop = b->clock.now + ms;
	b->bytes = 0;
	b->logged = 0;
	b->nr_waits = 0;
	b->readers = zeroed(b->load->readers, sizeof(*b->readers));
	for (i = 0; i < b->load->readers; i++) {
		b->readers[i].b = b;
		b->readers[i].io = (struct sim_io){
			.op = { .kind = HDD_OP_READ, .sectors = READ_SECTORS,
				.lba = READ_FROM + b->reads++ * READ_SECTORS },
			.end = read_ended, .arg = &b->readers[i],
		};
		read_on(&b->readers[i]);
	}
}

static void destroy(struct buffer *b)
{
	u32 i;

	for (i = 0; i < b->nr_segments; i++)
		free(b->log[i].places);
	for (i = 0; i < b->nr_writers; i++)
		free(b->writers[i].order);
	free((void *)b->writers[0].job);
	free(b->writers);
	free(b->readers);
	free(b->seen[0]);
	free(b->seen[1]);
	free(b->log);
	free(b->waits);
	drain_exit(b);
	sim_hdd_exit(&b->hdd);
	for (i = 0; i < b->ssds.nr; i++)
		sim_ssd_exit(&b->ssd[i]);
	clock_free(&b->clock);
	free(b);
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void last_flush_ended(struct sim_io *io)
{
	struct buffer *b = io->arg;

	b->began = b->clock.now;
}

static struct outcome outcome_of(struct buffer *b, double seconds)
{
	struct outcome o = { .ran = 1 };
	u64 written = b->bytes + (b->load->figure == LOAD_COMMITS ? b->beside : 0);

	qsort(b->waits, b->nr_waits, sizeof(*b->waits), by_size);
	o.speed = b->load->figure == LOAD_COMMITS ? b->commits / seconds :
						    b->bytes / seconds / 1e6;
	o.beside = b->beside / seconds / 1e6;
	o.p99 = b->nr_waits ? b->waits[b->nr_waits * 99ULL / 100] : 0;
	o.longest = b->nr_waits ? b->waits[b->nr_waits - 1] : 0;
	o.logged = written ? b->logged * 512.0 / written : 0;
	return o;
}

static void make_ssds(struct buffer *b, const struct disks_params *disks)
{
	struct disks_params p = *disks;
	u32 i;

	for (i = 0; i < b->ssds.nr; i++) {
		sim_ssd_init(&b->ssd[i], &b->clock, &p);
		p.ssd_rate_mbps = disks->ssd_rate_mbps / b->ssds.slower;
	}
}

struct outcome simulate(const struct disks_params *disks, const struct sim_ssds *ssds,
			const struct load *load, const struct strategy *strategy)
{
	struct buffer *b = zeroed(1, sizeof(*b));
	struct sim_io flush = { .op = { .kind = HDD_OP_FLUSH }, .end = last_flush_ended, .arg = b };
	struct outcome o;
	u64 begun;

	b->load = load;
	b->strategy = strategy;
	sim_hdd_init(&b->hdd, &b->clock, disks);
	b->ssds = *ssds;
	b->seen[0] = zeroed(ssds->nr, sizeof(*b->seen[0]));
	b->seen[1] = zeroed(ssds->nr, sizeof(*b->seen[1]));
	make_ssds(b, disks);
	make_writers(b, disks);
	b->cached = disks->hdd_cache_mb;
	make_log(b, disks);
	b->look = buffer_look;
	drain_init(b);
	if (load->ssd_readers)
		begin_ssd_readers(b);
	else
		begin_round(b);
	begin_readers(b);
	if (b->stop) {
		begun = load->ssd_readers ? LEARN_NS : load->readers ? b->clock.now : 0;
		while (b->clock.now < b->stop && clock_step(&b->clock))
			;
		o = outcome_of(b, (b->stop - begun) / 1e9);
	} else {
		while (clock_step(&b->clock))
			;
		if (b->live || b->nr_used) {
			fprintf(stderr, "%s, %s: nothing goes on\n", load->name, strategy->name);
			exit(1);
		}
		o = outcome_of(b, b->spent / 1e9);
		sim_hdd_send(&b->hdd, &flush);
		while (clock_step(&b->clock))
			;
		o.drained = b->began / 1e9;
	}
	destroy(b);
	return o;
}
