/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: what its files call of each other. Included by ssdup.h, which has
 * the structures, and the locks in whose terms the contexts are given.
 */
#ifndef SSDUP_CALLS_H
#define SSDUP_CALLS_H

/* --- args.c --- */

/**
 * ssdup_parse() - settings from the arguments behind the two devices
 *
 * Return: 0, or -EINVAL with *error set to a text that names the key.
 */
int ssdup_parse(struct ssdup *c, struct dm_arg_set *as, char **error);

/**
 * ssdup_set() - one key at run time
 *
 * Context: process. Takes effect at once; keys that are fixed by the log or
 * the table are refused.
 * Return: 0, -EINVAL with *error set.
 */
int ssdup_set(struct ssdup *c, const char *key, const char *value, const char **error);

/**
 * ssdup_error() - a text for ti->error that is made up at run time
 *
 * Return: one of a few static buffers, in turn; it outlives the constructor.
 */
char *ssdup_error(const char *fmt, ...) __printf(1, 2);

/** ssdup_given() - was a key part of the table line, or set since? */
bool ssdup_given(struct ssdup *c, const char *name);

/**
 * ssdup_emit_args() - the optional arguments of a table line, as given or set since
 *
 * Return: characters written.
 */
unsigned int ssdup_emit_args(struct ssdup *c, char *result, unsigned int maxlen);

/** ssdup_key_value() - the value of a key that exists as text. Return: its length. */
int ssdup_key_value(struct ssdup *c, const char *key, char *buf, size_t len);

/* --- stream.c --- */

/** ssdup_stream_init() - empty windows, first route by policy; context: the constructor */
void ssdup_stream_init(struct ssdup *c);

/** ssdup_stream_full() - evaluate the current window, whose last place the caller filled */
void ssdup_stream_full(struct ssdup *c, struct stream_window *w);

/** ssdup_stream_go_on() - the sampling has rested; any context */
void ssdup_stream_go_on(struct ssdup *c);

/* --- space.c --- */

/**
 * ssdup_reserve() - a place in the open half
 * @io: half, page, slot, pos and e are filled in, and nodes gets one perhaps; half->writes
 * stays raised until ssdup_put_write()
 * @sectors: of data, 0 for a tombstone
 * @limits: the gate, writers' or all
 *
 * Opens the next half when this one is full and another is free.
 * Context: any; lock-free but for that switch.
 * Return: 0, -ENOSPC, -EAGAIN when the ring is full (a commit is then started), or
 * -ENOMEM.
 */
int ssdup_reserve(struct ssdup *c, struct ssdup_io *io, u32 sectors,
		  const struct log_limits *limits);

/** ssdup_give_up() - a handed-out entry stays empty; any context */
void ssdup_give_up(struct ssdup *c, const struct ssdup_io *io);

/** ssdup_insert_among() - the part of ssdup_insert() for what overlaps others; range's lock held */
void ssdup_insert_among(struct ssdup *c, struct ssdup_range *r, struct ssdup_io *io);

/**
 * ssdup_move() - let part of an extent be in another half
 * @io: its new place; io->e is the part, and its seq stays; io->nodes are freed
 * @from: the half that must hold all of it, in one extent
 *
 * Published as in ssdup_insert(). The caller calls ssdup_put_write().
 * Return: false, and nothing was changed, when @from does not hold it any more.
 */
bool ssdup_move(struct ssdup *c, struct ssdup_io *io, u8 from);

/* --- io.c --- */

int ssdup_map(struct dm_target *ti, struct bio *bio);
int ssdup_end_io(struct dm_target *ti, struct bio *bio, blk_status_t *status);

/** ssdup_wait_work() - try the waiting writes again, in order */
void ssdup_wait_work(struct work_struct *work);

/* --- away.c --- */

int ssdup_away_create(struct ssdup *c);
void ssdup_away_destroy(struct ssdup *c);

/** ssdup_away() - is @error, of a request to the SSD, one that passes by itself? any context */
bool ssdup_away(int error);

/**
 * ssdup_data_error() - a write of data to the SSD failed with @status; any context
 *
 * Counts it, and shuts the log for a moment, or gives it up after too many.
 * Return: true when the SSD is away for the moment.
 */
bool ssdup_data_error(struct ssdup *c, blk_status_t status);

/**
 * ssdup_refused() - the SSD has refused a write, which is to be routed again
 * @io: io->route may change
 *
 * Context: any.
 */
void ssdup_refused(struct ssdup *c, struct ssdup_io *io, blk_status_t status);

/** ssdup_renew() - make a bio as it came, that has come back from below; process context */
void ssdup_renew(struct ssdup *c, struct bio *bio, const struct ssdup_io *io);

/** ssdup_look_for_ssd() - open a log that was shut, when its time is over; ssdup_wait_work() */
void ssdup_look_for_ssd(struct ssdup *c);

/** ssdup_fua_is_no_flush() - the disk writes with FUA without a flush; any context */
bool ssdup_fua_is_no_flush(struct block_device *bdev);

/**
 * ssdup_meta_again() - write metadata again that the SSD has refused
 * @error: of the write, which must have had REQ_FUA and not REQ_PREFLUSH; or 0
 * @sector: its sector on the SSD
 * @page: 4 KiB, as written
 * @end: jiffies; of all that is written together, RETRY_AWAY_MS from its first error
 *
 * Until @end, while the SSD is away; each version of a page has one place, so a try whose
 * end we did not hear of does no harm. A flush that fails is never tried again, see commit.c:
 * so this does nothing where FUA may be made of one.
 *
 * Context: process, sleeps.
 * Return: 0 when it is durable, or the error.
 */
int ssdup_meta_again(struct ssdup *c, int error, u64 sector, struct page *page,
		     unsigned long end);

/* --- commit.c --- */

int ssdup_commit_init(struct ssdup *c);
void ssdup_commit_exit(struct ssdup *c);

/**
 * ssdup_commit() - make every published entry durable, and the data before it
 *
 * Context: process, sleeps. Shares one round with whoever waits for the lock.
 * Return: 0 or -EIO; the device is then read-only as to its log.
 */
int ssdup_commit(struct ssdup *c);

void ssdup_autocommit_work(struct work_struct *work);

/* --- super.c --- */

/**
 * ssdup_write_super() - write both copies, durable
 * @between: the step between the two
 *
 * Context: process, sleeps; super_lock held.
 */
int ssdup_write_super(struct ssdup *c, enum ssdup_step between);

/**
 * ssdup_commits_end() - a flush or a write of metadata has failed: nothing more becomes durable
 * @flush: it was a flush
 *
 * If it was a flush, or may have been one below, the SSD may have dropped data: that is owed.
 *
 * Context: ssd_lock held.
 */
void ssdup_commits_end(struct ssdup *c, bool flush);

/** ssdup_flush_ssd() - what the SSD has in its cache is durable then; context: process, sleeps */
int ssdup_flush_ssd(struct ssdup *c);

/** ssdup_sync_io() - one synchronous transfer of a page-backed buffer */
int ssdup_sync_io(struct block_device *bdev, blk_opf_t opf, u64 sector,
		  struct page *page, unsigned int offset, unsigned int bytes);

/* --- flush.c --- */

/** ssdup_flush_init() - nothing waits, nothing is owed; context: the constructor */
void ssdup_flush_init(struct ssdup *c);

/** ssdup_queue_flush() - a FLUSH: it is done after the next commit and a flush of the HDD */
void ssdup_queue_flush(struct ssdup *c, struct bio *bio);

/** ssdup_queue_fua() - a FUA write whose extent is published: it is done after the next commit */
void ssdup_queue_fua(struct ssdup *c, struct bio *bio);

/** ssdup_take_fuas() - those that the commit about to begin covers; process context */
struct bio_list ssdup_take_fuas(struct ssdup *c);

/** ssdup_end_fuas() - that commit has ended, with @error or 0; process context, no lock held */
void ssdup_end_fuas(struct ssdup *c, struct bio_list *bios, int error);

/** ssdup_owe() - a flush failed that somebody relied on, and who did was not told; any context */
void ssdup_owe(struct ssdup *c);

/** ssdup_pay_fua() - does a FUA write that comes now have to fail? any context */
bool ssdup_pay_fua(struct ssdup *c);

/** ssdup_unpay_fua() - part of a FUA write goes to the next table, which may undo its error */
void ssdup_unpay_fua(struct ssdup *c);

/** ssdup_inherit_owed() - what @from, of an earlier table, owes is @c's now; context: preresume */
void ssdup_inherit_owed(struct ssdup *c, struct ssdup *from);

/**
 * ssdup_hdd_dropped() - a flush of the HDD failed, and may have dropped what was in its cache
 *
 * To be called before the request that failed ends: a later flush, which finds nothing to do
 * any more and succeeds, is not sent before that.
 *
 * Context: any.
 */
void ssdup_hdd_dropped(struct ssdup *c);

/** ssdup_flush_hdd() - flush the HDD if direct writes ended since the last flush */
int ssdup_flush_hdd(struct ssdup *c);

/** ssdup_flush_drained() - flush the HDD for what a drain wrote there, beside other flushes */
int ssdup_flush_drained(struct ssdup *c);

/* --- recovery.c --- */

/**
 * ssdup_check_super() - may this SSD be used with this HDD? Reads only.
 *
 * Context: the constructor. An all-zero first block is fine: it will be formatted.
 * Return: 0, or -errno with *error set.
 */
int ssdup_check_super(struct ssdup *c, char **error);

/**
 * ssdup_recover() - format a blank SSD, else replay its log
 *
 * Context: preresume, before the first bio; once in the life of a table.
 * Return: 0 or -errno; the reason is in the kernel log.
 */
int ssdup_recover(struct ssdup *c);

/**
 * ssdup_begin_epoch() - from here on pages may be written
 *
 * The epoch is raised once after recovery. A later resume of the same table goes on
 * in the same epoch, for its pages do.
 * Context: preresume, each time.
 */
int ssdup_begin_epoch(struct ssdup *c);

/* --- writeback.c, drain.c --- */

/** ssdup_hdd_inflight() - requests at the HDD but for the drain's; any context, a hint */
u32 ssdup_hdd_inflight(struct ssdup *c);

/** ssdup_writeback_create() - the thread, still asleep; context: preresume */
int ssdup_writeback_create(struct ssdup *c);

/** ssdup_writeback_start() - context: resume, when no target can fail any more */
void ssdup_writeback_start(struct ssdup *c);

/** ssdup_writeback_stop() - ends at the next border of a batch */
void ssdup_writeback_stop(struct ssdup *c);

/**
 * ssdup_ask() - drain whatever the log holds now
 *
 * Context: any. Return: all generations up to this one are to be drained.
 */
u64 ssdup_ask(struct ssdup *c);

/**
 * ssdup_drain_all() - commit and drain everything written so far
 * @leaving: called by a suspend; else a suspend that begins meanwhile ends the wait
 *
 * Context: process, sleeps, interruptible.
 * Return: 0, -EINTR, -EAGAIN for a suspend, -ECANCELED for a pause, or the error
 * that keeps the log from being drained, of a try that began after the call; -EIO when
 * part of it had to stay.
 */
int ssdup_drain_all(struct ssdup *c, bool leaving);

/** ssdup_drainer_create() - buffers and arrays of the drain */
int ssdup_drainer_create(struct ssdup *c);
void ssdup_drainer_destroy(struct ssdup *c);

/* With whom a batch shares the disks. */
struct drain_manner {
	bool	wide;		/* on its way, take what other halves hold too */
	bool	gentle;		/* a small one, so that a read beside it waits for little */
	bool	spread;		/* read it bit by bit, so that a write beside it does */
	bool	urgent;		/* writes wait for the half, and do not use the HDD meanwhile */
};

/**
 * ssdup_drain_step() - drain one batch of the oldest sealed half; frees it after the last
 *
 * With @how->urgent a batch of other halves is read beside the flush that frees it, and written
 * then.
 *
 * Return: 0, or an error after which the half is tried again from its start.
 */
int ssdup_drain_step(struct ssdup *c, const struct drain_manner *how);

/** ssdup_drain_finish() - forget what was already read; before the thread stops */
void ssdup_drain_finish(struct ssdup *c);

/* --- free.c --- */

/**
 * ssdup_flush_home() - make what was written of a half durable on the HDD
 *
 * Context: the writeback thread. One that failed for somebody else since the first
 * of the half was written counts too.
 * Return: 0, or -errno: all of the half has to be written again.
 */
int ssdup_flush_home(struct ssdup *c, struct ssdup_half *h);

/** ssdup_forget_home() - nothing of @h is on the HDD for sure; context: as above */
void ssdup_forget_home(struct ssdup *c, struct ssdup_half *h);

/**
 * ssdup_free_half() - make the oldest sealed half reusable; all it held is on the HDD or moved
 *
 * Context: the writeback thread. See ssdup.h for the order of things.
 * Return: 0, or -errno: it is tried again, from its start unless half->drained.
 */
int ssdup_free_half(struct ssdup *c, struct ssdup_half *h);

/** ssdup_drop_extents() - take what @h holds out of the map; context: as above */
void ssdup_drop_extents(struct ssdup *c, struct ssdup_half *h);

/* --- salvage.c --- */

/**
 * ssdup_salvage_next() - the half to bring home next, when the log is read-only
 *
 * Context: the writeback thread. The open half is sealed for good. All
 * halves are tried again when a flush has asked since the try began.
 * Return: NULL when each was tried: call ssdup_salvage_end().
 */
struct ssdup_half *ssdup_salvage_next(struct ssdup *c);

/**
 * ssdup_salvage_home() - what can be of @h has been written to the HDD: flush it
 * @left: blocks that were refused by the HDD, or could not be read
 * @lost: it holds extents that are lost
 *
 * Return: 0, or -errno: the half is to be written again.
 */
int ssdup_salvage_home(struct ssdup *c, struct ssdup_half *h, u32 left, bool lost);

/**
 * ssdup_salvage_end() - free what is home, if the SSD takes the record
 *
 * Return: 0 when the log is empty, -EROFS when something has to stay in it.
 */
int ssdup_salvage_end(struct ssdup *c);

/* --- carry.c --- */

/**
 * ssdup_carry() - move a piece to the open half
 * @p: the piece; when its kind is to be DATA, at most a page long
 * @from: the half that is being drained
 * @kind: DATA with its content in @page, or what the piece has become
 *
 * Context: the writeback thread.
 * Return: 0, or -errno when the half cannot be freed for now.
 */
int ssdup_carry(struct ssdup *c, const struct drain_piece *p, u8 from, u8 kind,
		struct page *page);

/* --- status.c --- */

void ssdup_status(struct dm_target *ti, status_type_t type, unsigned int flags,
		  char *result, unsigned int maxlen);
int ssdup_message(struct dm_target *ti, unsigned int argc, char **argv,
		  char *result, unsigned int maxlen);
u64 ssdup_stat_sum(struct ssdup *c, enum ssdup_stat stat);
void ssdup_clear_stats(struct ssdup *c);

/** ssdup_home_sectors() - dirty sectors that drains have copied already; any context */
u64 ssdup_home_sectors(struct ssdup *c);

/** ssdup_drain_state() - what the drain does or waits for; any context */
enum drain_state ssdup_drain_state(struct ssdup *c);

/** ssdup_wait_cause() - why the first of the waiting writes waits; any context */
enum wait_cause ssdup_wait_cause(struct ssdup *c);

/** ssdup_sysfs_add() - make /sys/block/dm-N/ssdup, or take it over; context: resume */
int ssdup_sysfs_add(struct ssdup *c);

/** ssdup_sysfs_remove() - unless another table has it; waits for readers; context: destruction */
void ssdup_sysfs_remove(struct ssdup *c);

#endif
