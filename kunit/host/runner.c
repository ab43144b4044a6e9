// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs every suite that is linked in, or those named on the command line.
 * Prints KTAP: one line "ok N suite.case" or "not ok N suite.case" a case;
 * notes of a case are comments before it.
 */
#include <stdarg.h>

#include <kunit/test.h>

static struct kunit_suite *suites;

/* In the order of their names, so that the numbers do not depend on the linker. */
void kunit_register(struct kunit_suite *suite)
{
	struct kunit_suite **link = &suites;

	while (*link && strcmp((*link)->name, suite->name) < 0)
		link = &(*link)->next;
	suite->next = *link;
	*link = suite;
}

void kunit_note(struct kunit *test, const char *fmt, ...)
{
	va_list args;

	printf("# %s%s%s: ", test->name, test->desc[0] ? " " : "", test->desc);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	if (!*fmt || fmt[strlen(fmt) - 1] != '\n')
		putchar('\n');
}

/* A word in front of each block chains it; two words keep the alignment. */
void *kunit_zalloc(struct kunit *test, size_t len)
{
	void **block = calloc(1, 2 * sizeof(void *) + len);

	if (!block)
		return NULL;
	block[0] = test->mem;
	test->mem = block;
	return block + 2;
}

void kunit_kfree(struct kunit *test, void *p)
{
	void **link = &test->mem;

	while (*link && (void **)*link + 2 != p)
		link = *link;
	if (*link) {
		void **block = *link;

		*link = block[0];
		free(block);
	}
}

static void free_all(struct kunit *test)
{
	while (test->mem) {
		void **block = test->mem;

		test->mem = block[0];
		free(block);
	}
}

static void run_once(struct kunit_suite *suite, struct kunit_case *c, struct kunit *test)
{
	if (!setjmp(test->abort)) {
		if (suite->init && suite->init(test)) {
			kunit_note(test, "init failed");
			test->failed = true;
		} else {
			c->run_case(test);
		}
	}
	if (suite->exit)
		suite->exit(test);
	free_all(test);
}

static bool run_case(struct kunit_suite *suite, struct kunit_case *c)
{
	const void *param = NULL;
	bool failed = false;

	do {
		struct kunit test = { .name = c->name };

		if (c->generate_params) {
			param = c->generate_params(param, test.desc);
			if (!param)
				break;
			test.param_value = param;
		}
		run_once(suite, c, &test);
		failed |= test.failed;
	} while (c->generate_params);

	return !failed;
}

static bool wanted(const struct kunit_suite *suite, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], suite->name))
			return true;
	return argc < 2;
}

int main(int argc, char **argv)
{
	struct kunit_suite *suite;
	struct kunit_case *c;
	int nr = 0, bad = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("KTAP version 1");
	for (suite = suites; suite; suite = suite->next) {
		if (!wanted(suite, argc, argv))
			continue;
		if (suite->suite_init && suite->suite_init(suite)) {
			printf("not ok %d %s\n", ++nr, suite->name);
			bad++;
			continue;
		}
		for (c = suite->test_cases; c->run_case; c++) {
			bool ok = run_case(suite, c);

			printf("%sok %d %s.%s\n", ok ? "" : "not ", ++nr, suite->name, c->name);
			bad += !ok;
		}
		if (suite->suite_exit)
			suite->suite_exit(suite);
	}
	printf("# %d of %d passed\n", nr - bad, nr);
	return bad || !nr;
}
