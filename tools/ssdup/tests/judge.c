// SPDX-License-Identifier: GPL-2.0-only
#include "judge.h"

int judge_log(struct kunit *test, struct maker *m, unsigned int number)
{
	struct log_file l;
	int verdict, code;
	bool there = !number;
	size_t i;

	bench_log(&m->b, &l, NO_COPY);
	l.hdd_sectors = m->b.hdd_sectors;
	verdict = check_log(&l, true, true);
	code = !l.known ? no_log(&l) : findings_exit(&l.findings);
	for (i = 0; i < l.findings.nr; i++) {
		const struct finding *f = &l.findings.all[i];

		there |= f->number == number;
		if (number && f->number != number)
			KUNIT_EXPECT_EQ_MSG(test, f->severity, SEV_NOTE, "also E%u", f->number);
	}
	KUNIT_EXPECT_TRUE_MSG(test, there, "E%u is not found", number);
	KUNIT_EXPECT_TRUE(test, verdict == LOG_OK || code != EXIT_OK);
	log_close(&l);
	return code;
}

int judge_mended(struct maker *m)
{
	struct log_file l;
	struct plan plan;
	bool lost;
	int r;

	bench_log(&m->b, &l, NO_COPY);
	l.hdd_sectors = m->b.hdd_sectors;
	r = plan_make(&l, &plan);
	lost = l.findings.of[SEV_LOST];
	if (r == EXIT_OK && !plan.nr)
		r = findings_exit(&l.findings);
	else if (r == EXIT_OK)
		r = plan_apply(&plan) ? EXIT_FAILED : lost ? EXIT_DEGRADED : EXIT_OK;
	plan_free(&plan);
	log_close(&l);
	return r;
}

void judge_describe(const struct damage *d, char *desc)
{
	strscpy(desc, d->name, KUNIT_PARAM_DESC_SIZE);
}

void judge_damage(struct kunit *test, struct maker *m)
{
	const struct damage *d = test->param_value;

	KUNIT_EXPECT_EQ(test, judge_log(test, m, 0), EXIT_OK);
	d->spoil(m);
	KUNIT_EXPECT_EQ_MSG(test, judge_log(test, m, d->number), d->check, "%s", d->name);
	KUNIT_EXPECT_EQ_MSG(test, judge_mended(m), d->repair, "%s", d->name);
	KUNIT_EXPECT_EQ_MSG(test, judge_log(test, m, 0), d->after, "%s", d->name);
	maker_end(m);
}
