// SPDX-License-Identifier: GPL-2.0-only
/*
 * Passings of requests and of dm-ssdup's steps are counted, and the power goes at one of them.
 *
 * The steps are those of dm-ssdup's tracepoint ssdup_step, which is looked for
 * by its name, so that either module can be loaded without the other, or first.
 */
#include <linux/atomic.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include "../../dm-ssdup/base/step.h"
#include "disks.h"

#define CUT_AT_REQUEST	STEP_NR

bool disks_all_off;

enum cut_state { CUT_NONE, CUT_ARMED, CUT_DONE };

static struct {
	enum cut_state	state;
	unsigned int	at;		/* step, or CUT_AT_REQUEST */
	u64		seed;
	atomic_t	left;		/* passings until the cut */
} cut;

static atomic_t passed[STEP_NR + 1];

static const char *cut_name(unsigned int at)
{
	return at == CUT_AT_REQUEST ? "request" : ssdup_step_name(at);
}

/* Cuts the power of all disks. */
static void (*cut_all)(u64 seed);

static void cut_work_fn(struct work_struct *work)
{
	cut_all(cut.seed);
	/* Pairs with the load in cut_at_get(): who reads it finds all disks decided. */
	smp_store_release(&cut.state, CUT_DONE);
}

static DECLARE_WORK(cut_work, cut_work_fn);

/* Any context: the switch goes now, the rest is decided when there is time. */
static void pass(unsigned int at)
{
	atomic_inc(&passed[at]);
	/* Pairs with the release in cut_at_set(). */
	if (smp_load_acquire(&cut.state) != CUT_ARMED || cut.at != at ||
	    !atomic_dec_and_test(&cut.left))
		return;
	WRITE_ONCE(disks_all_off, true);
	schedule_work(&cut_work);
}

void disks_pass_request(void)
{
	pass(CUT_AT_REQUEST);
}

/* --- The tracepoint --- */

struct ssdup;

static void step_probe(void *data, struct ssdup *c, enum ssdup_step step)
{
	pass(step);
}

static struct tracepoint *step_tracepoint(struct module *mod)
{
	struct tracepoint *tp;
	unsigned int i;

	for (i = 0; i < mod->num_tracepoints; i++) {
		tp = tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]);
		if (!strcmp(tp->name, "ssdup_step"))
			return tp;
	}
	return NULL;
}

static int module_notify(struct notifier_block *nb, unsigned long event, void *data)
{
	struct tp_module *m = data;
	struct tracepoint *tp = step_tracepoint(m->mod);

	if (tp && event == MODULE_STATE_COMING)
		return notifier_from_errno(tracepoint_probe_register(tp, step_probe, NULL));
	if (tp && event == MODULE_STATE_GOING)
		tracepoint_probe_unregister(tp, step_probe, NULL);
	return NOTIFY_DONE;
}

static struct notifier_block module_nb = { .notifier_call = module_notify };

int disks_passings_init(void (*cut)(u64 seed))
{
	WRITE_ONCE(cut_all, cut);
	return register_tracepoint_module_notifier(&module_nb);
}

void disks_passings_exit(void)
{
	unregister_tracepoint_module_notifier(&module_nb);
	tracepoint_synchronize_unregister();
	cancel_work_sync(&cut_work);
}

/* --- Parameters --- */

/* A cut that is about to happen happens, and is forgotten. */
static void cut_disarm(void)
{
	WRITE_ONCE(cut.state, CUT_NONE);
	tracepoint_synchronize_unregister();
	flush_work(&cut_work);
	WRITE_ONCE(cut.state, CUT_NONE);
}

static int cut_at_set(const char *val, const struct kernel_param *kp)
{
	unsigned int at, count;
	char name[32];
	u64 seed;

	if (sysfs_streq(val, "off")) {
		cut_disarm();
		return 0;
	}
	if (sscanf(val, "%31s %u %llu", name, &count, &seed) != 3 || !count || count > INT_MAX)
		return -EINVAL;
	for (at = 0; strcmp(name, cut_name(at)); at++)
		if (at == CUT_AT_REQUEST)
			return -EINVAL;
	/* The module is not there yet. */
	if (!READ_ONCE(cut_all))
		return -EAGAIN;
	cut_disarm();
	cut.at = at;
	cut.seed = seed;
	atomic_set(&cut.left, count);
	/* Pairs with the load in pass(). */
	smp_store_release(&cut.state, CUT_ARMED);
	return 0;
}

static int cut_at_get(char *buf, const struct kernel_param *kp)
{
	/* Pairs with the release in cut_work_fn(). */
	switch (smp_load_acquire(&cut.state)) {
	case CUT_ARMED:
		return sysfs_emit(buf, "%s %s\n",
				  atomic_read(&cut.left) > 0 ? "armed" : "cutting",
				  cut_name(cut.at));
	case CUT_DONE:
		return sysfs_emit(buf, "done %s\n", cut_name(cut.at));
	default:
		return sysfs_emit(buf, "off\n");
	}
}

static int steps_set(const char *val, const struct kernel_param *kp)
{
	unsigned int i;

	for (i = 0; i <= STEP_NR; i++)
		atomic_set(&passed[i], 0);
	return 0;
}

static int steps_get(char *buf, const struct kernel_param *kp)
{
	unsigned int i;
	int n = 0;

	for (i = 0; i <= STEP_NR; i++)
		n += sysfs_emit_at(buf, n, "%s %u\n", cut_name(i), atomic_read(&passed[i]));
	return n;
}

static const struct kernel_param_ops cut_at_ops = { .set = cut_at_set, .get = cut_at_get };
static const struct kernel_param_ops steps_ops = { .set = steps_set, .get = steps_get };

module_param_cb(cut_at, &cut_at_ops, NULL, 0644);
MODULE_PARM_DESC(cut_at, "cut the power at a passing: write \"STEP COUNT SEED\" or \"off\"");
module_param_cb(steps, &steps_ops, NULL, 0644);
MODULE_PARM_DESC(steps, "passings of each step; write 0: none");
