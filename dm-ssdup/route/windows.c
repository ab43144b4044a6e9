// SPDX-License-Identifier: GPL-2.0-only
/* Owns what is known of the disks, for policy balance. */
#include <linux/slab.h>

#include "base/wakeups.h"
#include "windows.h"

int ssdup_window_create(struct ssdup_router *router)
{
	/* All zero: nothing is known yet. */
	router->windows = kvzalloc(sizeof(*router->windows), GFP_KERNEL);
	if (!router->windows)
		return -ENOMEM;
	router->windows->read_until = jiffies;
	router->windows->flush_until = jiffies;
	return 0;
}

void ssdup_window_pass(struct ssdup_router *router, enum window_pass pass, bool begins)
{
	struct ssdup_windows *w = router->windows;

	if (begins) {
		set_bit(pass, &w->passes);
		return;
	}
	if (test_and_clear_bit(pass, &w->passes) && ssdup_windowed(router->c) &&
	    atomic_read(&router->c->wake.nr_waiting))
		ssdup_kick_waiting(router->c);
}

bool ssdup_window_wants_pass(struct ssdup_router *router)
{
	struct wait_first first;
	struct window_facts f;
	u32 kinds;

	if (!ssdup_full_ssds(router->log))
		return false;
	kinds = ssdup_wait_look(router, ssdup_classes_with_room(router->log), &first);
	if (!kinds)
		return false;
	f = ssdup_window_facts(router, false);
	f.waiting = kinds;
	return ssdup_window_drains(&f);
}
