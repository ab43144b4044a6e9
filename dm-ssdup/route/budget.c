// SPDX-License-Identifier: GPL-2.0-only
/* Owns the account of the SSD's budget, and the price of room there. */
#include "log/clean_list.h"
#include "log/log.h"
#include "router.h"

u64 ssdup_budget_day(const struct ssdup_router *router)
{
	return ssdup_settings_sectors(READ_ONCE(router->c->set.ssd_budget),
				      all_ssd_sectors(router->c));
}

u64 ssdup_budget_written(struct ssdup_router *router)
{
	return ssdup_log_written(router->log) + ssdup_meta_written(router->log) +
	       ssdup_copied(router->log);
}

u64 ssdup_budget_settle(struct ssdup_router *router)
{
	struct ssdup_budget *b = &router->budget;
	u32 budget;
	u64 day;
	s64 left;

	do {
		budget = READ_ONCE(router->c->set.ssd_budget);
		day = budget ? ssdup_budget_day(router) : 0;
		if ((budget || READ_ONCE(b->account.then)) &&
		    !test_and_set_bit_lock(0, &b->settling)) {
			ssdup_allowance_update(&b->account, day, ktime_get_boottime_ns(),
					       ssdup_budget_written(router));
			clear_bit_unlock(0, &b->settling);
		}
		left = READ_ONCE(b->account.left);
		WRITE_ONCE(b->price, ssdup_allowance_price(day, left));
		/* Pairs with the one after a change of the key: what was set last counts. */
		smp_mb();
	} while (budget != READ_ONCE(router->c->set.ssd_budget));
	return max(left, 0LL);
}

void ssdup_budget_inherit(struct ssdup_router *router, struct ssdup_router *from)
{
	/* One of them may still be under construction, and this one may go on with its own. */
	if (!router || !from || router->c->recovered || !from->budget.account.then)
		return;
	ssdup_budget_settle(from);
	router->budget.account = from->budget.account;
	router->budget.account.used = ssdup_budget_written(router);
}
