// SPDX-License-Identifier: GPL-2.0-only
/* Owns the question of which cgroup the data of a write belongs to. */
#include <linux/bio.h>
#include <linux/cgroup.h>
#include <linux/kstrtox.h>
#include <linux/memcontrol.h>

#include "cgroups.h"

/*
 * What a page is charged to that the page cache writes back, or NULL. The buffer of a direct write
 * may be a page of the page cache too, of a file that is mapped: who writes is what counts then.
 */
static struct cgroup *page_cgroup(const struct bio *bio)
{
	struct mem_cgroup *memcg = NULL;
	struct folio *folio;

	if (bio_op(bio) != REQ_OP_WRITE)
		return NULL;
	folio = page_folio(bio_page(bio));
	if (folio_test_writeback(folio) && folio->mapping && !folio_test_anon(folio))
		memcg = page_memcg_check(&folio->page);
	return memcg && memcg->css.cgroup->root == &cgrp_dfl_root ? memcg->css.cgroup : NULL;
}

u32 ssdup_cgroup_class(const struct class_rules *rules, const struct bio *bio)
{
	struct cgroup *cgroup;
	u32 class = 0;

	if (!rules->nr_cgroups)
		return 0;
	cgroup = page_cgroup(bio) ?: task_dfl_cgroup(current);
	for (; cgroup && !class; cgroup = cgroup_parent(cgroup))
		class = ssdup_class_of_cgroup(rules, cgroup_id(cgroup));
	return class;
}

int ssdup_cgroup_id(const char *name, u64 *id)
{
	struct cgroup *cgroup;

	if (!kstrtou64(name, 10, id))
		return *id ? 0 : -EINVAL;
	cgroup = cgroup_get_from_path(name);
	if (IS_ERR(cgroup))
		return PTR_ERR(cgroup);
	*id = cgroup_id(cgroup);
	cgroup_put(cgroup);
	return 0;
}
