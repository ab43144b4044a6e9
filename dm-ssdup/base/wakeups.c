// SPDX-License-Identifier: GPL-2.0-only
/* Owns the workqueue, the works and the wait queues by which rooms wake each other. */
#include "wakeups.h"

static void event_work(struct work_struct *work)
{
	struct ssdup *c = container_of(work, struct ssdup, wake.event_work);

	dm_table_event(c->ti->table);
}

int ssdup_wake_create(struct ssdup *c)
{
	init_waitqueue_head(&c->wake.wb_wait);
	init_waitqueue_head(&c->wake.settle_wait);
	init_waitqueue_head(&c->wake.done_wait);
	INIT_WORK(&c->wake.event_work, event_work);
	c->wake.wq = alloc_workqueue("ssdup/%s", WQ_MEM_RECLAIM | WQ_HIGHPRI | WQ_PERCPU,
				     0, dm_device_name(c->md));
	return c->wake.wq ? 0 : -ENOMEM;
}

void ssdup_wake_destroy(struct ssdup *c)
{
	if (c->wake.wq)
		destroy_workqueue(c->wake.wq);
}

void ssdup_wake_stop(struct ssdup *c)
{
	cancel_work_sync(&c->wake.clean_work);
	cancel_work_sync(&c->wake.guard_work);
	cancel_delayed_work_sync(&c->wake.wait_work);
	cancel_delayed_work_sync(&c->wake.stage_work);
	cancel_delayed_work_sync(&c->wake.autocommit);
	cancel_delayed_work_sync(&c->wake.discard_work);
	WRITE_ONCE(c->wake.autocommit_armed, false);
	flush_workqueue(c->wake.wq);
}

void ssdup_kick_writeback(struct ssdup *c)
{
	WRITE_ONCE(c->wake.wb_kick, true);
	/* The barrier in wq_has_sleeper() pairs with those of the thread. */
	if (wq_has_sleeper(&c->wake.wb_wait))
		wake_up(&c->wake.wb_wait);
}

void ssdup_kick_clean(struct ssdup *c)
{
	queue_work(c->wake.wq, &c->wake.clean_work);
}

void ssdup_kick_waiting(struct ssdup *c)
{
	if (atomic_read(&c->wake.nr_waiting))
		mod_delayed_work(c->wake.wq, &c->wake.wait_work, 0);
}

void ssdup_kick_waiting_in(struct ssdup *c, unsigned long delay)
{
	queue_delayed_work(c->wake.wq, &c->wake.wait_work, delay);
}

void ssdup_kick_guard(struct ssdup *c)
{
	queue_work(c->wake.wq, &c->wake.guard_work);
}

void ssdup_commit_soon(struct ssdup *c, bool now)
{
	WRITE_ONCE(c->wake.autocommit_armed, true);
	if (now)
		mod_delayed_work(c->wake.wq, &c->wake.autocommit, 0);
	else
		queue_delayed_work(c->wake.wq, &c->wake.autocommit,
				   msecs_to_jiffies(READ_ONCE(c->set.autocommit_ms)));
}

void ssdup_stage_soon(struct ssdup *c, bool now)
{
	if (now)
		mod_delayed_work(c->wake.wq, &c->wake.stage_work, 0);
	else
		queue_delayed_work(c->wake.wq, &c->wake.stage_work, 1);
}

void ssdup_drain_told(struct ssdup *c)
{
	wake_up_all(&c->wake.done_wait);
}

void ssdup_event(struct ssdup *c)
{
	queue_work(c->wake.wq, &c->wake.event_work);
}
