// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: /sys/block/dm-N/ssdup: knobs, state and statistics, a line each.
 *
 * The folder is a group of files of the disk, so it has no object of its own whose last
 * reference somebody else may drop when this module is gone. It is there from the first
 * resume of a table until its owner is destroyed. The owner is the table that was resumed
 * last: another one takes the folder over, and a suspend leaves it alone.
 */
#include <linux/sysfs.h>

#include "args.h"
#include "status.h"
#include "super.h"
#include "sysfs.h"

/*
 * folder_lock is held while folders are made and removed; that waits for those who read or
 * write a file. They take owner_lock, and nobody is destroyed meanwhile: so who waits for
 * them must not hold it.
 */
static DEFINE_MUTEX(folder_lock);
static DEFINE_MUTEX(owner_lock);	/* owners; taken with folder_lock, or a file in use */
static LIST_HEAD(owners);

struct ssdup_attr {
	struct device_attribute attr;
	const char	*key;		/* a knob */
	ssize_t		(*show)(struct ssdup *c, char *buf);
	enum ssdup_field field;		/* if it is neither */
};

static ssize_t ssdup_show(struct device *dev, struct device_attribute *attr, char *buf);
static ssize_t ssdup_store(struct device *dev, struct device_attribute *attr, const char *buf,
			   size_t len);

#define SHOW(file, fmt, value)							\
	static ssize_t show_##file(struct ssdup *c, char *buf)			\
	{									\
		return sysfs_emit(buf, fmt "\n", value);			\
	}

SHOW(hdd_dev, "%s", c->hdd->name)
SHOW(ssd_dev, "%s", c->ssd->name)
SHOW(log_uuid, "%pUb", ssdup_super(c)->uuid)
SHOW(range_mb, "%u", 1U << (c->range_shift - 11))
SHOW(half_data_sectors, "%u", c->g.data_sectors)

static struct ssdup_attr files[] = {
#define SSDUP_KEY(name, file, ...)						\
	{ .attr = __ATTR(file, 0644, ssdup_show, ssdup_store), .key = #name },
#include "core/keys.h"
#define READ_FIELD(symbol, file, ...)						\
	{ .attr = __ATTR(file, 0444, ssdup_show, NULL), .field = FIELD_##symbol },
#define SSDUP_FIELD		READ_FIELD
#define SSDUP_STAT		READ_FIELD
#define SSDUP_FILE(file, ...)							\
	{ .attr = __ATTR(file, 0444, ssdup_show, NULL), .show = show_##file },
#include "core/fields.h"
};

static struct attribute *ssdup_attrs[ARRAY_SIZE(files) + 1];

static const struct attribute_group ssdup_group = {
	.name	= "ssdup",
	.attrs	= ssdup_attrs,
};

/* The owner of a disk's folder, or NULL; owner_lock is held. */
static struct ssdup *owner_of(const struct device *dev)
{
	struct ssdup *c;

	list_for_each_entry(c, &owners, folder)
		if (disk_to_dev(dm_disk(c->md)) == dev)
			return c;
	return NULL;
}

static ssize_t show_of(struct ssdup *c, const struct ssdup_attr *a, char *buf)
{
	u64 value[SSDUP_NR_FIELDS];
	int len;

	if (a->show)
		return a->show(c, buf);
	if (a->key) {
		len = ssdup_key_value(c, a->key, buf, PAGE_SIZE - 1);
		return len + sysfs_emit_at(buf, len, "\n");
	}
	ssdup_fields(c, value);
	if (a->field == FIELD_ROUTE)
		return sysfs_emit(buf, "%s\n", value[a->field] == SSDUP_ROUTE_SSD ? "ssd" : "hdd");
	return sysfs_emit(buf, "%llu\n", value[a->field]);
}

static ssize_t ssdup_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	ssize_t r = -ENODEV;
	struct ssdup *c;

	mutex_lock(&owner_lock);
	c = owner_of(dev);
	if (c)
		r = show_of(c, container_of(attr, struct ssdup_attr, attr), buf);
	mutex_unlock(&owner_lock);
	return r;
}

static ssize_t ssdup_store(struct device *dev, struct device_attribute *attr, const char *buf,
			   size_t len)
{
	struct ssdup_attr *a = container_of(attr, struct ssdup_attr, attr);
	const char *error;
	struct ssdup *c;
	char text[32];
	int r = -ENODEV;

	if (len >= sizeof(text))
		return -EINVAL;
	memcpy(text, buf, len);
	text[len] = '\0';
	mutex_lock(&owner_lock);
	c = owner_of(dev);
	if (c) {
		r = ssdup_set(c, a->key, strim(text), &error);
		if (r)
			DMERR_LIMIT("%s: %s: %s", dm_device_name(c->md), attr->attr.name, error);
	}
	mutex_unlock(&owner_lock);
	return r ?: len;
}

/* Make @c the owner in another's place. Return: false when there is no owner. */
static bool take_over(struct ssdup *c)
{
	struct ssdup *old;

	mutex_lock(&owner_lock);
	old = owner_of(disk_to_dev(dm_disk(c->md)));
	if (old) {
		list_del_init(&old->folder);
		list_add(&c->folder, &owners);
	}
	mutex_unlock(&owner_lock);
	return old;
}

/* Make nobody the owner. Return: was it @c? */
static bool disown(struct ssdup *c)
{
	bool owned;

	mutex_lock(&owner_lock);
	owned = !list_empty(&c->folder);
	list_del_init(&c->folder);
	mutex_unlock(&owner_lock);
	return owned;
}

/* The field "policy" has the file of its key. */
static void list_files(void)
{
	u32 i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(files); i++)
		if (files[i].field != FIELD_POLICY)
			ssdup_attrs[nr++] = &files[i].attr.attr;
}

int ssdup_sysfs_add(struct ssdup *c)
{
	int r;

	/* A folder is taken over without waiting for one that is removed, perhaps for memory. */
	if (take_over(c))
		return 0;
	mutex_lock(&folder_lock);
	/* Nobody else makes an owner: tables of one device are resumed one after the other. */
	mutex_lock(&owner_lock);
	list_add(&c->folder, &owners);
	mutex_unlock(&owner_lock);
	list_files();
	r = sysfs_create_group(&disk_to_dev(dm_disk(c->md))->kobj, &ssdup_group);
	if (r)
		disown(c);
	mutex_unlock(&folder_lock);
	return r;
}

void ssdup_sysfs_remove(struct ssdup *c)
{
	mutex_lock(&folder_lock);
	if (disown(c))
		sysfs_remove_group(&disk_to_dev(dm_disk(c->md))->kobj, &ssdup_group);
	mutex_unlock(&folder_lock);
}
