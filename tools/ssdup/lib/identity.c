// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssdup: which disk it is, whatever its name is today: what its log is bound to.
 */
#include <blkid/blkid.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "identity.h"

/* In place: fields of a WWID are padded with blanks. */
static void squeeze(char *text)
{
	char *to = text, *from = text;

	while (isspace((unsigned char)*from))
		from++;
	for (; *from; from++) {
		if (!isspace((unsigned char)*from))
			*to++ = *from;
		else if (from[1] && !isspace((unsigned char)from[1]))
			*to++ = '_';
	}
	*to = '\0';
}

/* "wwn:" and what follows, or NULL when there is nothing, or too much; @value is freed. */
static char *tagged(const char *tag, char *value)
{
	char *text = NULL;

	if (value)
		squeeze(value);
	if (value && *value && strlen(tag) + strlen(value) < SSDUP_HDD_ID_BYTES)
		text = xprintf("%s%s", tag, value);
	free(value);
	return text;
}

static char *partition_uuid(const char *path)
{
	blkid_probe pr = blkid_new_probe_from_filename(path);
	const char *value;
	char *uuid = NULL;

	if (!pr)
		return NULL;
	blkid_probe_enable_superblocks(pr, 0);
	blkid_probe_enable_partitions(pr, 1);
	blkid_probe_set_partitions_flags(pr, BLKID_PARTS_ENTRY_DETAILS);
	if (blkid_do_safeprobe(pr) >= 0 &&
	    !blkid_probe_lookup_value(pr, "PART_ENTRY_UUID", &value, NULL))
		uuid = xstrdup(value);
	blkid_free_probe(pr);
	return uuid;
}

static char *disk_identity(dev_t disk)
{
	return tagged("wwn:", dev_wwn(disk)) ?:
	       tagged("serial:", dev_sysfs_read(disk, "serial")) ?:
	       tagged("serial:", dev_sysfs_read(disk, "device/serial"));
}

/*
 * Tables of partitions get copied, with the UUIDs in them. So what counts is the disk, and the
 * number of the partition.
 */
static char *part_identity(const struct dev *dev, const char *number)
{
	char *disk_is, *text = NULL;
	dev_t disk;

	if (!dev_disks(dev->rdev, &disk, 1))
		return NULL;
	disk_is = disk_identity(disk);
	if (disk_is)
		text = tagged("", xprintf("%s-part%s", disk_is, number));
	free(disk_is);
	return text ?: tagged("partuuid:", partition_uuid(dev->path));
}

/* A disk on several paths is the disk, and so are its partitions, which kpartx makes. */
static char *mapped_identity(const struct dev *dev, char *uuid)
{
	char number[8], *at;
	dev_t disk;
	int n = 0;

	if (!strncmp(uuid, "mpath-", strlen("mpath-")))
		return dev_disks(dev->rdev, &disk, 1) ? disk_identity(disk) : NULL;
	if (sscanf(uuid, "part%7[0-9]-mpath-%n", number, &n) == 1 && n)
		return part_identity(dev, number);
	/* CRYPT-LUKS2-UUID-NAME: anybody may call it otherwise. */
	at = strncmp(uuid, "CRYPT-LUKS", strlen("CRYPT-LUKS")) ? NULL :
	     strchr(uuid + strlen("CRYPT-"), '-');
	at = at ? strchr(at + 1, '-') : NULL;
	if (at)
		*at = '\0';
	return tagged("dm:", xstrdup(uuid));
}

/* An array that the kernel did not make has zeros. */
static char *array_identity(char *uuid)
{
	if (uuid && !uuid[strspn(uuid, "0-:")])
		*uuid = '\0';
	return tagged("md:", uuid);
}

static char *identity(const struct dev *dev)
{
	char *value = dev_sysfs_read(dev->rdev, "partition"), *text;

	if (value) {
		text = part_identity(dev, value);
		free(value);
		return text;
	}
	value = dev_sysfs_read(dev->rdev, "dm/uuid");
	if (value) {
		text = mapped_identity(dev, value);
		free(value);
		return text;
	}
	return array_identity(dev_sysfs_read(dev->rdev, "md/uuid")) ?: disk_identity(dev->rdev);
}

void dev_identity(const struct dev *dev, u8 id[SSDUP_HDD_ID_BYTES])
{
	char *text = dev->rdev ? identity(dev) : NULL;

	memset(id, 0, SSDUP_HDD_ID_BYTES);
	if (text)
		memcpy(id, text, strlen(text));
	free(text);
}

bool identity_known(const u8 id[SSDUP_HDD_ID_BYTES])
{
	return *id;
}

bool identity_other(const u8 a[SSDUP_HDD_ID_BYTES], const u8 b[SSDUP_HDD_ID_BYTES])
{
	return identity_known(a) && identity_known(b) && memcmp(a, b, SSDUP_HDD_ID_BYTES);
}

const char *identity_text(char text[IDENTITY_TEXT], const u8 id[SSDUP_HDD_ID_BYTES])
{
	unsigned int i;

	if (!identity_known(id)) {
		snprintf(text, IDENTITY_TEXT, "unknown");
		return text;
	}
	for (i = 0; i < SSDUP_HDD_ID_BYTES && id[i]; i++)
		text[i] = isgraph(id[i]) ? id[i] : '?';
	text[i] = '\0';
	return text;
}
