// SPDX-License-Identifier: GPL-2.0-only
/* Owns requests that their caller waits for. */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/sizes.h>

#include "hints.h"
#include "mirror_io.h"
#include "sync_io.h"

static void wait_end_io(struct bio *bio)
{
	complete(bio->bi_private);
}

/* As submit_bio_wait(). */
static int mirror_and_wait(struct ssdup_mirror *m, struct bio *bio)
{
	DECLARE_COMPLETION_ONSTACK(done);

	bio->bi_private = &done;
	bio->bi_end_io = wait_end_io;
	bio->bi_opf |= REQ_SYNC;
	ssdup_mirror_submit(m, bio);
	wait_for_completion_io(&done);
	return blk_status_to_errno(bio->bi_status);
}

static int submit_and_wait(struct drive_user *disk, struct bio *bio)
{
	int r;

	if (bio_op(bio) == REQ_OP_READ)
		ssdup_load_read(&disk->drive->load);
	r = disk->mirror ? mirror_and_wait(disk->mirror, bio) : submit_bio_wait(bio);
	drive_ended(disk, bio->bi_status);
	bio_uninit(bio);
	return r;
}

int ssdup_sync_io(struct drive_user *disk, blk_opf_t opf, u64 sector, struct page *page,
		  unsigned int offset, unsigned int bytes)
{
	return ssdup_sync_stream(disk, opf, sector, page, offset, bytes, 0);
}

int ssdup_sync_stream(struct drive_user *disk, blk_opf_t opf, u64 sector, struct page *page,
		      unsigned int offset, unsigned int bytes, u8 stream)
{
	struct bio_vec bv;
	struct bio bio;

	bio_init(&bio, disk->bdev, &bv, 1, opf);
	bio.bi_iter.bi_sector = sector;
	ssdup_set_stream(&bio, stream);
	__bio_add_page(&bio, page, bytes, offset);
	return submit_and_wait(disk, &bio);
}

int ssdup_sync_blocks(struct drive_user *disk, blk_opf_t opf, u64 sector, void **blocks, u32 nr)
{
	struct bio_vec bv[SSDUP_SYNC_BLOCKS];
	struct bio bio;
	u32 i;

	bio_init(&bio, disk->bdev, bv, nr, opf);
	bio.bi_iter.bi_sector = sector;
	for (i = 0; i < nr; i++)
		__bio_add_page(&bio, virt_to_page(blocks[i]), SZ_4K, offset_in_page(blocks[i]));
	return submit_and_wait(disk, &bio);
}

/* 2 GiB: a bio counts bytes in 32 bits. */
#define RANGE_SECTORS	((u32)SZ_4M)

int ssdup_sync_range(struct drive_user *disk, blk_opf_t opf, u64 sector, u64 sectors)
{
	struct bio bio;
	u32 part;
	int r;

	for (r = 0; sectors && !r; sectors -= part, sector += part) {
		part = min_t(u64, sectors, RANGE_SECTORS);
		bio_init(&bio, disk->bdev, NULL, 0, opf);
		bio.bi_iter.bi_sector = sector;
		bio.bi_iter.bi_size = part << SECTOR_SHIFT;
		r = submit_and_wait(disk, &bio);
	}
	return r;
}
