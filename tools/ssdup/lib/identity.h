/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ssdup: which disk it is, whatever its name is today.
 *
 * Disks of one size cannot be told apart by what they hold. So a log says for which HDD it was
 * made, by what that says of itself: "wwn:" and the WWN of a disk or "serial:" and its serial
 * number, with "-part1" for a partition of it; else "partuuid:" and the UUID of that; "dm:" or
 * "md:" and the UUID of a volume or an array. An image in a file has no identity.
 */
#ifndef SSDUP_IDENTITY_H
#define SSDUP_IDENTITY_H

#include "dm-ssdup/core/codec.h"

#include "dev.h"

#define IDENTITY_TEXT	(SSDUP_HDD_ID_BYTES + 1)

/** dev_identity() - as it stands in a record; all zero: unknown */
void dev_identity(const struct dev *dev, u8 id[SSDUP_HDD_ID_BYTES]);

/** identity_known() - is it that of a disk? */
bool identity_known(const u8 id[SSDUP_HDD_ID_BYTES]);

/** identity_other() - are these certainly two disks? */
bool identity_other(const u8 a[SSDUP_HDD_ID_BYTES], const u8 b[SSDUP_HDD_ID_BYTES]);

/** identity_text() - for people; any bytes may stand in a record. Returns @text */
const char *identity_text(char text[IDENTITY_TEXT], const u8 id[SSDUP_HDD_ID_BYTES]);

#endif
