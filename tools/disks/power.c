// SPDX-License-Identifier: GPL-2.0-only
/*
 * The power of all disks together: cut, switched on again, and disks as they come from the shop.
 */
#include <linux/module.h>
#include "disks.h"

static void all_disks(int (*fn)(struct disk *d, u64 arg), u64 arg)
{
	mutex_lock(&disks_lock);
	disks_each(fn, arg);
	mutex_unlock(&disks_lock);
}

/*
 * No disk acknowledges anything once the common switch is off, so that nothing
 * one disk did after the cut can be built on what another did before it.
 */
void disks_cut(u64 seed)
{
	WRITE_ONCE(disks_all_off, true);
	all_disks(disk_power_cut, seed);
	WRITE_ONCE(disks_all_off, false);
}

/* --- Parameters --- */

static int power_cut_all_set(const char *val, const struct kernel_param *kp)
{
	u64 seed;
	int r = kstrtou64(val, 0, &seed);

	if (!r)
		disks_cut(seed);
	return r;
}

static int power_on_all_set(const char *val, const struct kernel_param *kp)
{
	all_disks(disk_power_on, 0);
	return 0;
}

static int erase_all_set(const char *val, const struct kernel_param *kp)
{
	all_disks(disk_erase, 0);
	return 0;
}

static const struct kernel_param_ops power_cut_all_ops = { .set = power_cut_all_set };
static const struct kernel_param_ops power_on_all_ops = { .set = power_on_all_set };
static const struct kernel_param_ops erase_all_ops = { .set = erase_all_set };

module_param_cb(power_cut_all, &power_cut_all_ops, NULL, 0200);
MODULE_PARM_DESC(power_cut_all, "cut the power of all disks at once: write a seed");
module_param_cb(power_on_all, &power_on_all_ops, NULL, 0200);
MODULE_PARM_DESC(power_on_all, "switch all disks on again: write 1");
module_param_cb(erase_all, &erase_all_ops, NULL, 0200);
MODULE_PARM_DESC(erase_all, "let all disks be new and empty: write 1");
