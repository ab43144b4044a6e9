/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: superblock and record of an SSD, read and written without the kernel module, by the
 * kernel's own code (dm-ssdup/core/codec.c).
 */
#ifndef SSDUP_SUPER_H
#define SSDUP_SUPER_H

#include "dm-ssdup/core/twins.h"

#include "tool.h"

#define UUID_TEXT	37

/* Two blocks that exist twice: the pool's superblock, and the record of a log. */
enum ssd_part {
	PART_SUPER,
	PART_RECORD,
	NR_PARTS,
};

/*
 * The SSDs that a log is on, open, in their order. Behind these, the mirror of each that is to get
 * what is written to that. It is never read.
 */
#define SSD_DISKS	(2 * SSDUP_MAX_SSDS)

/** ssd_mirror() - the place of the mirror of an SSD */
static inline u32 ssd_mirror(u32 ssd)
{
	return SSDUP_MAX_SSDS + ssd;
}

struct ssds {
	u32		nr;
	int		fd[SSD_DISKS];	/* -1: it is missing, which @some allows */
	u32		mirrors;	/* a bit for each SSD whose mirror is open */
	u64		sectors[SSDUP_MAX_SSDS];	/* that the superblock of each says */
	bool		some;		/* others may be missing: it is only looked at */
};

/** ssds_one() - those of a log on one SSD */
static inline struct ssds ssds_one(int fd)
{
	return (struct ssds){ .nr = 1, .fd = { fd } };
}

/** ssds_some() - one SSD, perhaps of several that its log is on */
static inline struct ssds ssds_some(int fd)
{
	return (struct ssds){ .nr = 1, .fd = { fd }, .some = true };
}

struct ssd_copies {
	int		error[SSDUP_COPIES];	/* of reading that copy: 0 or -errno */
	enum log_fault	copy_fault[SSDUP_COPIES];
	/* Of a record, with the superblock's fields. */
	struct log_super copy[SSDUP_COPIES];
	enum log_fault	fault;		/* LOG_OK, LOG_BLANK, or why it is refused */
	u32		best;		/* the copy that counts, when @fault is LOG_OK */
	bool		mend;		/* the other one is bad or old */
};

/* Of several SSDs: superblock and record of those that have the newest, or a fault. */
struct ssd_log {
	struct ssd_copies part[NR_PARTS];
	u32		of[NR_PARTS];	/* whose they are */
	u64		ssd_sectors;	/* that say where its homes are */
	u32		number;		/* of the log that was chosen */
	/*
	 * Of the superblock or, when that is well, of the record: LOG_SEVERAL where none is chosen,
	 * LOG_ABSENT where there is none of that name.
	 */
	enum log_fault	fault;
	bool		mend;		/* one copy is bad or old */
};

/** ssd_super() - superblock and record that count; only when log->fault is LOG_OK */
static inline const struct log_super *ssd_super(const struct ssd_log *log)
{
	return &log->part[PART_RECORD].copy[log->part[PART_RECORD].best];
}

/** ssd_pool() - the superblock that counts; only when its fault is LOG_OK */
static inline const struct log_super *ssd_pool(const struct ssd_log *log)
{
	return &log->part[PART_SUPER].copy[log->part[PART_SUPER].best];
}

/** super_several() - does it name more than one log? */
static inline bool super_several(const struct log_super *s)
{
	return s->logs & (s->logs - 1);
}

/** ssd_several() - does the SSD hold more than one log? */
static inline bool ssd_several(const struct ssd_log *log)
{
	return log->part[PART_SUPER].fault == LOG_OK && super_several(ssd_pool(log));
}

/** ssd_holds_log() - one, whether it can be read or not */
static inline bool ssd_holds_log(const struct ssd_log *log)
{
	return log->fault != LOG_BLANK && log->fault != LOG_NOT_OURS;
}

/** ssd_uuid() - of the log; NULL for none */
const u8 *ssd_uuid(const struct ssd_log *log);

/** part_name() - "superblock" or "record" */
const char *part_name(enum ssd_part part);

/** part_sector() - where a copy is on an SSD of @ssd_sectors, the record of log @number */
u64 part_sector(u64 ssd_sectors, u32 number, enum ssd_part part, u32 copy);

/**
 * ssd_log_read() - read both copies of superblock and record, and choose as the kernel does
 * @ssds: or images of them, opened with O_DIRECT or without; their sizes are filled in
 * @name: of the log, see ssd_log_choose()
 *
 * Return: 0 with @log filled in, -errno when an SSD has no copy of the superblock that can be read.
 */
int ssd_log_read(struct ssds *ssds, struct ssd_log *log, const char *name);

/**
 * ssd_log_read_for() - the same, for a device of that HDD
 *
 * Where there are several and none is named, it is the one that is for this HDD, if that is known.
 */
int ssd_log_read_for(struct ssds *ssds, struct ssd_log *log, const char *name,
		     const u8 hdd_id[SSDUP_HDD_ID_BYTES]);

/** spec_uuid() - the UUID of a log that an SSD is called by, "UUID=...", or NULL */
const char *spec_uuid(const char *spec);

/** log_would_be() - would the kernel take such a superblock and record? LOG_OK, or why not */
enum log_fault log_would_be(const struct log_super *s);

/** ssd_being_made() - did a power cut leave it so, while a log on several SSDs was made? */
bool ssd_being_made(int fd);

/**
 * ssd_blank_read() - look at all of the homes of an SSD that seems to be blank, as the kernel does
 *
 * Sets log->fault to LOG_NOT_OURS if it is not.
 */
void ssd_blank_read(int fd, struct ssd_log *log);

/**
 * ssd_log_choose() - which log of the SSD is meant: reads its record, and sets log->fault
 * @super: a superblock that says which there are
 * @name: UUID or number of the log; NULL for the only one
 */
void ssd_log_choose(const struct ssds *ssds, struct ssd_log *log, const struct log_super *super,
		    const char *name);

/**
 * ssd_each_log() - call @fn for each log that @super names, with that chosen
 *
 * Until it returns something else than 0; return that.
 */
int ssd_each_log(const struct ssds *ssds, const struct ssd_log *log, const struct log_super *super,
		 int (*fn)(void *arg, const struct ssd_log *log), void *arg);

/** log_name_valid() - may a log be called so? */
bool log_name_valid(const char *name);

/**
 * ssds_read() - read from a place in the log
 * @s: says which SSD has it
 *
 * Return: 0 or -errno; -ENXIO: that SSD is missing.
 */
int ssds_read(const struct ssds *ssds, const struct log_super *s, void *buf, size_t bytes,
	      u64 place);

/** ssds_fds() - all that SSD @i is written to: their number, and their descriptors */
u32 ssds_fds(const struct ssds *ssds, u32 i, int fd[2]);

/** ssds_write_block() - a block of SSD @i, and of its mirror, each made durable; 0 or -errno */
int ssds_write_block(const struct ssds *ssds, u32 i, const void *buf, u64 sector);

/**
 * ssd_part_write() - write both copies of one of them in the kernel's order, each made durable
 *
 * Return: 0 or -errno.
 */
int ssd_part_write(const struct ssds *ssds, enum ssd_part part, const struct log_super *s);

/**
 * ssd_log_write() - write the record, then the superblock
 *
 * Return: 0 or -errno; copy 0 of the superblock comes behind the record: it says what the SSD is.
 */
int ssd_log_write(const struct ssds *ssds, const struct log_super *s);

/**
 * ssd_home_tidy() - zero what a home holds besides superblocks and records: marks of others
 *
 * Not of an SSD with a mirror, whose block stands there. Return: 0 or -errno.
 */
int ssd_home_tidy(int fd, u64 ssd_sectors, u32 copy);

/**
 * ssd_log_wipe() - zero both homes of an SSD: no log any more
 * @sectors: that its superblock says, or 0
 *
 * Return: 0 or -errno.
 */
int ssd_log_wipe(int fd, u64 sectors);

/**
 * ssd_twin_read() - the newest block that says what an SSD with a mirror has
 * @sectors: that its superblock says
 */
enum twin_there ssd_twin_read(int fd, u64 sectors, struct twin_block *b);

/** ssd_place() - which SSD of its pool it is, or ssd_mirror() of that; SSD_DISKS: not known */
u32 ssd_place(const struct log_super *s, const struct twin_found *twin);

/** ssd_twin_write() - both copies, durable. Return: 0 or -errno */
int ssd_twin_write(int fd, u64 sectors, const struct twin_block *b);

/** ssd_twins_write() - the same on an SSD and its mirror, of which @b is to be of each */
int ssd_twins_write(const struct ssds *ssds, u32 ssd, struct twin_block *b);

/**
 * ssd_log_used() - may it hold anything?
 *
 * A clean suspend has counted the segments. Without one this looks at the header and at the first
 * page of each segment, and at further pages of those whose header is live or damaged. A damaged
 * page of the log may have held something.
 *
 * Return: 1, 0 for certainly nothing, or -errno.
 */
int ssd_log_used(const struct ssds *ssds, const struct log_super *s);

/**
 * generation_possible() - may a page of the log be of that generation?
 *
 * An earlier log of that UUID had generations far away, see pair_format().
 */
bool generation_possible(const struct log_super *s, u64 generation);

/** ssd_state_text() - ", unused", ", leaves", or nothing */
const char *ssd_state_text(u8 state);

/** segment_exists() - or is it on an SSD that is not used? */
bool segment_exists(const struct log_super *s, u32 segment);

/** super_end_text() - how its last use has ended: "suspended cleanly", ... */
const char *super_end_text(const struct log_super *s);

/** transfer() - @len bytes at @offset; 0, -errno, or -EIO at the end of the device */
int transfer(int fd, void *buf, size_t len, uint64_t offset, bool write);

/** read_all() - the same, reading */
int read_all(int fd, void *buf, size_t len, uint64_t offset);

/** write_all() - the same, writing */
int write_all(int fd, const void *buf, size_t len, uint64_t offset);

/** uuid_text() - as 8-4-4-4-12 hex digits; returns @text */
const char *uuid_text(char text[UUID_TEXT], const u8 uuid[16]);

/** uuid_read() - false for what is none, and for the nil UUID, which no log has */
bool uuid_read(const char *text, u8 uuid[16]);

#endif
