// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: /sys/block/dm-N/ssdup: keys, state and statistics, one line in each file.
 *
 * The folder is an attribute group of the disk, not a kobject: the last reference to a kobject
 * may be dropped after this module is gone. The folder exists from the first resume of a table
 * until its owner is destroyed. The owner is the table that was resumed last: its resume takes
 * the folder over from the table before. A suspend does not change the owner.
 */
#include <linux/sched/mm.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "args.h"
#include "log/log.h"
#include "log/super.h"
#include "map/map.h"
#include "route/router.h"
#include "status.h"
#include "sysfs.h"

/*
 * folder_lock is held while folders are made and removed. Removing one waits for the readers
 * and writers of its files. They hold owner_lock, which keeps the owner alive, so the remover
 * must not hold it.
 */
static DEFINE_MUTEX(folder_lock);
static DEFINE_MUTEX(owner_lock);	/* protects owners; nests inside folder_lock */
static LIST_HEAD(owners);

struct ssdup_attr {
	struct device_attribute attr;
	const char	*key;		/* of a file that shows a key */
	ssize_t		(*show)(struct ssdup *c, char *buf);
	int		(*store)(struct ssdup *c, const char *text, const char **error);
	enum ssdup_field field;		/* shown when @key and @show are NULL */
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
SHOW(log_uuid, "%pUb", ssdup_super(c->log)->uuid)
SHOW(pool_uuid, "%pUb", ssdup_super(c->log)->pool)
SHOW(segment_sectors, "%u", c->log->g.segment_sectors)

static ssize_t show_ssd_dev(struct ssdup *c, char *buf)
{
	int len = 0;
	u32 i;

	for (i = 0; i < c->nr_ssds; i++) {
		len += sysfs_emit_at(buf, len, "%s%s", i ? " " : "", ssd_name(&c->ssd[i]));
		if (c->ssd[i].mirrored)
			len += sysfs_emit_at(buf, len, "+%s",
					     c->ssd[i].twin ? c->ssd[i].twin->name : "-");
	}
	return len + sysfs_emit_at(buf, len, "\n");
}

static ssize_t show_classes(struct ssdup *c, char *buf)
{
	struct ssdup_class_stats s;
	int len = 0;
	u32 i;

	if (log_lifetimes(c->log) == 1)
		return sysfs_emit(buf, "none\n");
	for (i = 0; i < log_lifetimes(c->log); i++) {
		s = ssdup_account_sum(c->map, i);
		len += sysfs_emit_at(buf, len, "%s %s %lld %llu %llu %llu\n",
				     i < c->set.classes.nr ? c->set.classes.name[i] : "unnamed",
				     class_is_late(&c->set.classes, i) ? "late" : "soon",
				     max(s.sectors, 0LL), s.written, s.drained, s.replaced);
	}
	return len;
}

static ssize_t show_class_cgroups(struct ssdup *c, char *buf)
{
	return ssdup_class_cgroups(c->router, buf);
}

static int store_class_cgroups(struct ssdup *c, const char *text, const char **error)
{
	return ssdup_class_cgroup(c->router, text, error);
}

static struct ssdup_attr files[] = {
#define KNOB(name, file, ...)							\
	{ .attr = __ATTR(file, 0644, ssdup_show, ssdup_store), .key = #name },
#define SSDUP_KEY		KNOB
#define SSDUP_AMOUNT_KEY	KNOB
#include "core/keys.h"
#define READ_FIELD(symbol, file, ...)						\
	{ .attr = __ATTR(file, 0444, ssdup_show, NULL), .field = FIELD_##symbol },
#define SSDUP_FIELD		READ_FIELD
#define SSDUP_STAT		READ_FIELD
#define SSDUP_FILE(file, ...)							\
	{ .attr = __ATTR(file, 0444, ssdup_show, NULL), .show = show_##file },
#define SSDUP_RULES_FILE(file, ...)						\
	{ .attr = __ATTR(file, 0644, ssdup_show, ssdup_store),			\
	  .show = show_##file, .store = store_##file },
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
		len = ssdup_key_value(c, ssdup_settings_find(a->key), buf, PAGE_SIZE - 1);
		return len + sysfs_emit_at(buf, len, "\n");
	}
	ssdup_fields(c, value);
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
	unsigned int noio;
	struct ssdup *c;
	char text[32];
	int r = -ENODEV;

	if (!a->store && strscpy(text, buf, sizeof(text)) < 0)
		return -EINVAL;
	/* A resume waits for the lock: whoever holds it must not wait for I/O of the device. */
	noio = memalloc_noio_save();
	mutex_lock(&owner_lock);
	c = owner_of(dev);
	if (c) {
		r = a->store ? a->store(c, buf, &error) :
		    ssdup_set(c, a->key, strim(text), &error);
		if (r)
			DMERR_LIMIT("%s: %s: %s", c->name, attr->attr.name, error);
	}
	mutex_unlock(&owner_lock);
	memalloc_noio_restore(noio);
	return r ?: len;
}

/* Make @c the owner instead of another table. Return: false when there is none. */
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

/* Take the folder from @c. Return: was @c the owner? */
static bool disown_folder(struct ssdup *c)
{
	bool owned;

	mutex_lock(&owner_lock);
	owned = !list_empty(&c->folder);
	list_del_init(&c->folder);
	mutex_unlock(&owner_lock);
	return owned;
}

static void list_files(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(files); i++)
		ssdup_attrs[i] = &files[i].attr.attr;
}

int ssdup_sysfs_add(struct ssdup *c)
{
	int r;

	/* A takeover needs no folder_lock: a removal may hold it and wait for memory. */
	if (take_over(c))
		return 0;
	mutex_lock(&folder_lock);
	/* No other table becomes owner here: tables of one device are resumed one by one. */
	mutex_lock(&owner_lock);
	list_add(&c->folder, &owners);
	mutex_unlock(&owner_lock);
	list_files();
	r = sysfs_create_group(&disk_to_dev(dm_disk(c->md))->kobj, &ssdup_group);
	if (r)
		disown_folder(c);
	mutex_unlock(&folder_lock);
	return r;
}

void ssdup_sysfs_remove(struct ssdup *c)
{
	mutex_lock(&folder_lock);
	if (disown_folder(c))
		sysfs_remove_group(&disk_to_dev(dm_disk(c->md))->kobj, &ssdup_group);
	mutex_unlock(&folder_lock);
}
