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

/* A disk on several paths is the disk, and its partitions, which kpartx makes, are partitions. */
static char *mapped_identity(const struct dev *dev, char *uuid)
{
	bool paths = !strncmp(uuid, "mpath-", strlen("mpath-"));
	char *text = NULL;
	dev_t disk;

	if (!strncmp(uuid, "part", strlen("part")))
		text = tagged("partuuid:", partition_uuid(dev->path));
	else if (paths && dev_disks(dev->rdev, &disk, 1))
		text = disk_identity(disk);
	if (text || paths) {
		free(uuid);
		return text;
	}
	return tagged("dm:", uuid);
}

static char *identity(const struct dev *dev)
{
	char *value = dev_sysfs_read(dev->rdev, "partition");

	if (value) {
		free(value);
		return tagged("partuuid:", partition_uuid(dev->path));
	}
	value = dev_sysfs_read(dev->rdev, "dm/uuid");
	if (value)
		return mapped_identity(dev, value);
	return tagged("md:", dev_sysfs_read(dev->rdev, "md/uuid")) ?: disk_identity(dev->rdev);
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
