/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: what an HDD shows while its log is not empty: the guard. Pure; the kernel and the tool
 * share it.
 *
 * The guard stands between the device and the first SSDUP_GUARD_SECTORS of the HDD, where file
 * systems, partition tables, LVM, LUKS and swap have their marks. While it is closed, the HDD has
 * the member block in its first sector, and the rest of the range is masked: XORed with a stream
 * that the guard's epoch gives. The sector that the member block displaces, the head, is packed in
 * it as far as there is room; whole it stands in the log's record. So what the device has there
 * can be computed from the HDD, and it is written and drained there like everything else.
 *
 * Invariant 11: while the log has a durable page, the HDD has a member block of the record's epoch,
 * and outside a change all of the range is masked. So each change is one of an empty log, but for
 * a log from before the guard, or an HDD that refused the change.
 *
 * Order of a change, each step durable before the next:
 *
 *	closing					opening
 *	HDD: the range, as it is		HDD: the range, as it is
 *	record: changing, epoch, head		record: changing, head
 *	HDD: member block, changing		HDD: member block, changing
 *	HDD: the range, masked			HDD: the range, plain
 *	HDD: member block, closed		HDD: the head
 *	record: closed				record: open
 *
 * So with an empty log either there is no member block, and the HDD is as the device was, or there
 * is one. One that is changing has a checksum of each block, which tells how far the change got:
 * a power cut may leave each sector masked or plain.
 */
#ifndef SSDUP_GUARD_BLOCK_H
#define SSDUP_GUARD_BLOCK_H

#include "codec.h"

#define GUARD_BLOCK_BYTES	(SSDUP_GUARD_BLOCK * SSDUP_SECTOR_BYTES)

/* A member block. */
struct guard_member {
	u8	uuid[16];	/* of the log */
	u8	pool[16];	/* of the SSD */
	u64	epoch;
	u64	hdd_sectors;
	bool	changing;
	u32	covered;	/* bytes of the head that it has: SSDUP_SECTOR_BYTES if it fits */
	u8	head[SSDUP_SECTOR_BYTES];	/* zero behind those */
	u32	crc[SSDUP_GUARD_BLOCKS];	/* while changing: of the blocks, plain */
};

/**
 * ssdup_member_encode() - fill a sector; also sets @m->covered
 * @m: the head is given whole
 */
void ssdup_member_encode(struct guard_member *m, void *sector);

/**
 * ssdup_member_decode() - read a sector
 *
 * Return: LOG_OK with @m filled in, LOG_NOT_OURS for none, or why it cannot be read.
 */
enum log_fault ssdup_member_decode(const void *sector, struct guard_member *m);

/** ssdup_guard_crc() - checksum of plain block @nr; without the head, which has its own places */
u32 ssdup_guard_crc(u32 nr, const void *block);

/**
 * ssdup_guard_cover() - make of a plain block what the HDD is to show
 * @masked: mask it; else only the head is replaced
 */
void ssdup_guard_cover(struct guard_member *m, u32 nr, void *block, bool masked);

/**
 * ssdup_guard_uncover() - make a block plain that the HDD shows behind @m
 *
 * Return: false when it is not what any step of a change leaves. Then it is as it was: it was
 * written since, when the HDD had refused the change.
 */
bool ssdup_guard_uncover(const struct guard_member *m, u32 nr, void *block);

/**
 * ssdup_guard_judge() - does the HDD belong to the log as it is?
 * @s: superblock and record
 * @found: of ssdup_member_decode() of the HDD's first sector
 * @m: the member block, if LOG_OK
 * @empty: the log has no live page
 * @state: set to what the HDD shows; GUARD_OPEN: what it has is what the device has
 *
 * Return: LOG_OK, LOG_HDD_WRITTEN, or LOG_HDD_OTHER.
 */
enum log_fault ssdup_guard_judge(const struct log_super *s, enum log_fault found,
				 const struct guard_member *m, bool empty,
				 enum guard_state *state);

/** guard_head() - the member block's, unless it has only a part, and the record has it all */
static inline const u8 *guard_head(const struct log_super *s, const struct guard_member *m)
{
	return m->covered == SSDUP_SECTOR_BYTES || !s->guard_epoch ? m->head : s->head;
}

#endif
