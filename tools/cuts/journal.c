// SPDX-License-Identifier: GPL-2.0-only
/*
 * cuts: the journal, and the judge.
 *
 * Everything that is sent gets an entry with the time it was sent and the time
 * it had ended; time counts events. A write that had ended before another was
 * sent is older than that one. A read that was sent after both had ended, and
 * found one of them, settles it as well: that one is newer, for good.
 *
 * A version of a sector may be found unless something newer is there for sure:
 * by a read, something that had ended before the read was sent; after a cut,
 * something durable, which is what ended with FUA, or ended before a FLUSH was
 * sent that ended well. When a FLUSH fails because an SSD has, that is told once:
 * what it was to make durable may be lost, however many succeed later.
 *
 * A discard promises nothing: until the sector is written again, it may hold
 * zeros or what was written before, and need not stay the same.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../iocheck/stamp.h"
#include "journal.h"
#include "util.h"

#define NEVER		UINT64_MAX
#define MAX_REPORTS	3
#define MAX_ENTRIES	200000U
#define MAX_NODES	4000000U

struct entry {
	uint64_t sent, ended, start;
	uint32_t sectors;
	uint8_t kind, writer;
	bool fua, failed;
	bool unsure;			/* see journal_unsure() */
};

/* A version of one sector. */
struct node {
	uint32_t entry, next;		/* next older one, 0: none */
	uint64_t won;			/* last read that preferred it to all that had ended */
	uint64_t settled;		/* found after a cut at this time: ended, and durable */
	bool dead;			/* something else was found after a cut */
};

static struct entry *entries;
static struct node *nodes;
static uint32_t nr_entries, nr_nodes;
static uint32_t newest[HDD_SECTORS];
static bool zeros_dead[HDD_SECTORS];	/* those that it began with */
static uint64_t now, flushed, salt;
static unsigned int reports;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void journal_reset(uint64_t case_salt)
{
	if (!entries)
		entries = calloc(MAX_ENTRIES, sizeof(*entries));
	if (!nodes)
		nodes = calloc(MAX_NODES, sizeof(*nodes));
	if (!entries || !nodes)
		die("memory");
	memset(newest, 0, sizeof(newest));
	memset(zeros_dead, 0, sizeof(zeros_dead));
	nr_entries = 1;
	nr_nodes = 1;
	now = 1;
	flushed = 0;
	reports = 0;
	salt = case_salt << 8;
}

uint64_t journal_time(void)
{
	uint64_t t;

	pthread_mutex_lock(&lock);
	t = now++;
	pthread_mutex_unlock(&lock);
	return t;
}

uint32_t journal_entries(void)
{
	return nr_entries - 1;
}

uint32_t journal_begin(enum kind kind, unsigned int writer, uint64_t start, uint32_t sectors,
		       bool fua)
{
	uint32_t number, i;

	pthread_mutex_lock(&lock);
	if (nr_entries == MAX_ENTRIES || nr_nodes + sectors > MAX_NODES)
		die("the journal is full");
	number = nr_entries++;
	entries[number] = (struct entry){
		.sent = now++, .ended = NEVER, .start = start, .sectors = sectors,
		.kind = kind, .writer = writer, .fua = fua
	};
	/* Of a FLUSH: what was durable when it was sent. */
	if (kind == KIND_FLUSH)
		entries[number].start = flushed;
	for (i = 0; kind != KIND_FLUSH && i < sectors; i++) {
		nodes[nr_nodes] = (struct node){ .entry = number, .next = newest[start + i] };
		newest[start + i] = nr_nodes++;
	}
	pthread_mutex_unlock(&lock);
	return number;
}

void journal_end(uint32_t number, bool ok)
{
	struct entry *e = &entries[number];

	pthread_mutex_lock(&lock);
	e->failed = !ok;
	if (ok)
		e->ended = now++;
	if (ok && e->kind == KIND_FLUSH && e->sent > flushed)
		flushed = e->sent;
	pthread_mutex_unlock(&lock);
}

void journal_unsure(uint32_t flush)
{
	struct entry *e;

	pthread_mutex_lock(&lock);
	for (e = entries; e < entries + nr_entries; e++)
		e->unsure |= e->ended != NEVER && e->ended >= entries[flush].start;
	pthread_mutex_unlock(&lock);
}

void journal_stamp(void *buf, uint32_t number, uint64_t start, uint32_t sectors)
{
	struct stamp *s = buf;
	uint32_t i;

	for (i = 0; i < sectors; i++)
		stamp_make(&s[i], start + i, number, salt | entries[number].writer);
}

/* --- Judging --- */

static uint64_t node_ended(const struct node *n)
{
	return n->settled ? n->settled : entries[n->entry].ended;
}

/* It is there, unless something newer is; @since as for journal_check(). */
static bool counts(const struct node *n, uint64_t since)
{
	const struct entry *e = &entries[n->entry];

	if (n->dead)
		return false;
	if (since)
		return node_ended(n) < since;
	return n->settled || (e->ended != NEVER && (e->fua || (e->ended < flushed && !e->unsure)));
}

/* Something that is there for sure is newer than what had ended at @ended. */
static bool outdated(uint64_t sector, const struct node *self, uint64_t ended, uint64_t since)
{
	const struct node *n;
	uint64_t order;
	uint32_t i;

	for (i = newest[sector]; i; i = n->next) {
		n = &nodes[i];
		order = entries[n->entry].sent > n->won ? entries[n->entry].sent : n->won;
		if (n != self && order > ended && counts(n, since))
			return true;
	}
	return false;
}

/* A discard that nothing has made good for since. */
static const struct node *loose(uint64_t sector, uint64_t since)
{
	const struct node *n;
	uint32_t i;

	for (i = newest[sector]; i; i = n->next) {
		n = &nodes[i];
		if (entries[n->entry].kind == KIND_DISCARD && !n->dead &&
		    !outdated(sector, n, node_ended(n), since))
			return n;
	}
	return NULL;
}

static bool zeros_allowed(uint64_t sector, uint64_t since)
{
	const struct node *n;
	uint32_t i;

	if (!zeros_dead[sector] && !outdated(sector, NULL, 0, since))
		return true;
	for (i = newest[sector]; i; i = n->next) {
		n = &nodes[i];
		if (entries[n->entry].kind == KIND_ZERO && !n->dead &&
		    !outdated(sector, n, node_ended(n), since))
			return true;
	}
	return false;
}

static struct node *node_of(uint64_t sector, int64_t number)
{
	uint32_t i;

	for (i = newest[sector]; i; i = nodes[i].next)
		if (nodes[i].entry == number && entries[number].kind == KIND_WRITE)
			return &nodes[i];
	return NULL;
}

/* What was found after a cut is all there is. */
static void settle(uint64_t sector, struct node *found, const struct node *discard)
{
	struct node *n;
	uint32_t i;

	for (i = newest[sector]; i; i = n->next) {
		n = &nodes[i];
		if (n == found) {
			n->settled = n->settled ? n->settled : now;
			continue;
		}
		/* What a discard may bring back, and the discard, stay. */
		if (discard && entries[n->entry].sent <= node_ended(discard))
			continue;
		if (!found && entries[n->entry].kind == KIND_ZERO && !discard)
			n->settled = n->settled ? n->settled : now;
		else
			n->dead = true;
	}
	if (found)
		zeros_dead[sector] = true;
}

static bool judge(uint64_t sector, const struct stamp *s, uint64_t since)
{
	const struct node *discard = loose(sector, since);
	struct node *found = NULL;
	uint64_t writer;
	int64_t number = stamp_read(s, sector, &writer);
	bool brought_back = false, ok;

	if (number < 0 || number >= nr_entries)
		return false;
	if (number) {
		found = node_of(sector, number);
		if (!found || writer != (salt | entries[number].writer))
			return false;
		ok = !found->dead && !outdated(sector, found, node_ended(found), since);
		/*
		 * An older one; or a newer one that a drain had written to the HDD before its
		 * entry was durable. Then the log knew only of the discard after the cut.
		 */
		brought_back = !ok && discard;
	} else {
		ok = discard || zeros_allowed(sector, since);
	}
	if (!ok && !brought_back)
		return false;
	if (!since)
		settle(sector, found, discard);
	else if (found && !brought_back && node_ended(found) < since && since > found->won)
		found->won = since;
	return true;
}

/* --- Reports --- */

static void print_time(const char *what, uint64_t t)
{
	if (t == NEVER)
		printf(" never %s", what);
	else if (t)
		printf(" %s %llu", what, (unsigned long long)t);
}

static void print_node(const struct node *n)
{
	static const char *const kinds[] = { "write", "zeroes", "discard", "flush" };
	const struct entry *e = &entries[n->entry];

	printf("    %6u %-7s writer %u, %llu + %u%s:", n->entry, kinds[e->kind], e->writer,
	       (unsigned long long)e->start, e->sectors, e->fua ? " FUA" : "");
	print_time("sent", e->sent);
	print_time("ended", e->ended);
	print_time("won", n->won);
	print_time("found", n->settled);
	printf("%s%s%s\n", e->failed ? " failed" : "", n->dead ? " dead" : "",
	       counts(n, 0) ? " durable" : "");
}

static void history(uint64_t sector)
{
	const struct entry *e;
	uint32_t i;

	for (i = newest[sector]; i; i = nodes[i].next)
		print_node(&nodes[i]);
	printf("    zeros in the beginning%s; time is %llu; flushes, sent and ended:",
	       zeros_dead[sector] ? ", dead" : "", (unsigned long long)now);
	for (e = entries + 1; e < entries + nr_entries; e++)
		if (e->kind == KIND_FLUSH && !e->failed && e->ended != NEVER)
			printf(" %llu-%llu", (unsigned long long)e->sent,
			       (unsigned long long)e->ended);
	printf("\n");
}

static void report(uint64_t sector, const struct stamp *s, const char *where)
{
	uint64_t writer;
	int64_t number = stamp_read(s, sector, &writer);

	if (reports++ >= MAX_REPORTS)
		return;
	printf("  sector %llu, %s: found ", (unsigned long long)sector, where);
	if (number < 0)
		printf("what belongs to no write there (sector %llu seq %llu writer %#llx)",
		       (unsigned long long)s->sector, (unsigned long long)s->seq,
		       (unsigned long long)s->writer);
	else if (!number)
		printf("zeros");
	else
		printf("%lld%s", (long long)number,
		       writer >> 8 == salt >> 8 ? "" : " of another case");
	printf("; its versions, newest first:\n");
	history(sector);
}

unsigned int journal_check(const void *buf, uint64_t start, uint32_t sectors, uint64_t since,
			   const char *where)
{
	const struct stamp *s = buf;
	unsigned int bad = 0;
	uint32_t i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < sectors; i++)
		if (!judge(start + i, &s[i], since == NOW ? now : since)) {
			report(start + i, &s[i], where);
			bad++;
		}
	now++;
	pthread_mutex_unlock(&lock);
	return bad;
}
