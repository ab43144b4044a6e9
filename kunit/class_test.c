// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>

#include "core/class.c"

struct names_case {
	const char	*text;
	u32		nr;		/* 0: refused */
	u32		late;
	const char	*last;
};

static const struct names_case names_cases[] = {
	{ "scratch", 2, 0, "scratch" },
	{ "scratch:late", 2, 2, "scratch" },
	{ "a+b:late+c", 4, 4, "c" },
	{ "a+b+c+d+e+f+g:late", 8, 128, "g" },
	{ "a+b+c+d+e+f+g+h" },
	{ "a_name-of-15-by", 2, 0, "a_name-of-15-by" },
	{ "a_name_of_16_byt" },
	{ "" },
	{ "a+" },
	{ "+a" },
	{ "a++b" },
	{ "a:soon" },
	{ "a:late:late" },
	{ "a:hint=short", 2, 0, "a" },
	{ "a:late:hint=none+b:hint=extreme", 3, 2, "b" },
	{ "a:hint=short:late" },
	{ "a:hint=" },
	{ "a:hint=shorter" },
	{ "a:hint=long+b:hint=long" },
	{ "a:lat" },
	{ "A" },
	{ "a b" },
	{ "a+a" },
	{ "default" },
	{ "a+default" },
};

static void names_case_desc(const struct names_case *c, char *desc)
{
	strscpy(desc, c->text, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(names, names_cases, names_case_desc);

static void names_by_example(struct kunit *test)
{
	const struct names_case *c = test->param_value;
	struct class_table t;
	char text[64];
	u32 class;

	KUNIT_ASSERT_EQ(test, ssdup_classes_parse(&t, c->text), !!c->nr);
	if (!c->nr)
		return;
	KUNIT_EXPECT_EQ(test, ssdup_classes_text(&t, text, sizeof(text)), strlen(c->text));
	KUNIT_EXPECT_STREQ(test, text, c->text);
	KUNIT_EXPECT_EQ(test, t.nr, c->nr);
	KUNIT_EXPECT_EQ(test, t.late, c->late);
	KUNIT_EXPECT_TRUE(test, ssdup_class_find(&t, c->last, &class));
	KUNIT_EXPECT_EQ(test, class, c->nr - 1);
	KUNIT_EXPECT_EQ(test, class_is_late(&t, class), !!(c->late & BIT(class)));
	KUNIT_EXPECT_TRUE(test, ssdup_class_find(&t, "default", &class));
	KUNIT_EXPECT_EQ(test, class, 0);
	KUNIT_EXPECT_FALSE(test, class_is_late(&t, 0));
	KUNIT_EXPECT_FALSE(test, ssdup_class_find(&t, "nobody", &class));
}

static struct class_rules *new_rules(struct kunit *test, u32 epoch)
{
	struct class_rules *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	r->epoch = epoch;
	return r;
}

static bool set_range(struct kunit *test, struct class_rules *r, u64 start, u64 end, u32 class)
{
	struct class_rules *next = new_rules(test, 0);
	bool done;

	done = ssdup_class_set_range(next, r, start, end, class);
	if (done)
		*r = *next;
	return done;
}

static void new_data(struct kunit *test)
{
	struct class_rules *r = new_rules(test, 1);
	static const struct {
		u64 start;
		u32 sectors;
		u32 class;
		u32 part;
	} rows[] = {
		{ 0, 100, 1, 100 }, { 0, 101, 1, 100 }, { 99, 900, 1, 1 }, { 100, 8, 2, 8 },
		{ 100, 900, 2, 100 }, { 199, 2, 2, 1 }, { 200, 8, 3, 8 }, { 240, 100, 3, 60 },
		{ 300, 8, 1, 8 }, { 0, 1000, 1, 100 }, { 250, 50, 3, 50 },
	};
	u32 i, sectors = 50;

	KUNIT_EXPECT_EQ(test, ssdup_class_choose(r, 0, 90, &sectors), 1);
	KUNIT_EXPECT_EQ(test, sectors, 50);
	/* The ranges stand in no order. */
	KUNIT_EXPECT_TRUE(test, set_range(test, r, 200, 300, 3));
	KUNIT_EXPECT_TRUE(test, set_range(test, r, 100, 200, 2));
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		sectors = rows[i].sectors;
		KUNIT_EXPECT_EQ_MSG(test, ssdup_class_choose(r, 0, rows[i].start, &sectors),
				    rows[i].class, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, sectors, rows[i].part, "row %u", i);
	}
}

static u32 class_at(const struct class_rules *r, u64 sector)
{
	u32 one = 1;

	return ssdup_class_choose(r, 0, sector, &one);
}

static void hints_give_classes(struct kunit *test)
{
	struct class_rules *r = new_rules(test, 7);
	struct class_table t;
	u32 sectors = 50;

	KUNIT_ASSERT_TRUE(test, ssdup_classes_parse(&t, "a+b:hint=short+c:hint=extreme"));
	KUNIT_EXPECT_EQ(test, t.hint[2], 2);
	KUNIT_EXPECT_EQ(test, t.hint[5], 3);
	KUNIT_EXPECT_EQ(test, t.hint[0] + t.hint[1] + t.hint[3] + t.hint[4], 0);
	/* Before the job, behind a range. */
	KUNIT_ASSERT_TRUE(test, set_range(test, r, 100, 200, 1));
	KUNIT_EXPECT_EQ(test, ssdup_class_choose(r, 2, 80, &sectors), 2);
	KUNIT_EXPECT_EQ(test, sectors, 20);
	KUNIT_EXPECT_EQ(test, ssdup_class_choose(r, 2, 100, &sectors), 1);
}

/* Each sector has what was set last for it. */
static void ranges_change(struct kunit *test)
{
	struct class_rules *r = new_rules(test, 7);

	KUNIT_EXPECT_TRUE(test, set_range(test, r, 100, 200, 1));
	KUNIT_EXPECT_TRUE(test, set_range(test, r, 140, 160, 2));
	KUNIT_EXPECT_EQ(test, r->nr, 3);
	KUNIT_EXPECT_EQ(test, class_at(r, 139), 1);
	KUNIT_EXPECT_EQ(test, class_at(r, 140), 2);
	KUNIT_EXPECT_EQ(test, class_at(r, 159), 2);
	KUNIT_EXPECT_EQ(test, class_at(r, 160), 1);
	KUNIT_EXPECT_TRUE(test, set_range(test, r, 150, 190, 0));
	KUNIT_EXPECT_EQ(test, class_at(r, 149), 2);
	KUNIT_EXPECT_EQ(test, class_at(r, 150), 7);
	KUNIT_EXPECT_EQ(test, class_at(r, 189), 7);
	KUNIT_EXPECT_EQ(test, class_at(r, 190), 1);
	KUNIT_EXPECT_TRUE(test, set_range(test, r, 0, 1000, 0));
	KUNIT_EXPECT_EQ(test, r->nr, 0);
}

static void too_many_ranges(struct kunit *test)
{
	struct class_rules *r = new_rules(test, 0);
	u32 i;

	for (i = 0; i < SSDUP_CLASS_RANGES; i++)
		KUNIT_ASSERT_TRUE(test, set_range(test, r, 10 * i, 10 * i + 9, 1));
	KUNIT_EXPECT_FALSE(test, set_range(test, r, 1000, 1001, 1));
	/* It would cut one in two, also to forget a part of it. */
	KUNIT_EXPECT_FALSE(test, set_range(test, r, 3, 4, 0));
	KUNIT_EXPECT_EQ(test, r->nr, SSDUP_CLASS_RANGES);
	KUNIT_EXPECT_EQ(test, class_at(r, 3), 1);
	KUNIT_EXPECT_TRUE(test, set_range(test, r, 0, 10, 2));
	KUNIT_EXPECT_EQ(test, class_at(r, 3), 2);
}

static bool set_cgroup(struct kunit *test, struct class_rules *r, u64 id, u32 class)
{
	struct class_rules *next = new_rules(test, 0);
	bool done;

	done = ssdup_class_set_cgroup(next, r, id, class);
	if (done)
		*r = *next;
	return done;
}

static void cgroups_have_classes(struct kunit *test)
{
	struct class_rules *r = new_rules(test, 7);
	u32 i;

	KUNIT_EXPECT_EQ(test, ssdup_class_of_cgroup(r, 1), 0);
	for (i = 0; i < SSDUP_CLASS_CGROUPS; i++)
		KUNIT_ASSERT_TRUE(test, set_cgroup(test, r, 100 + i, 1 + i % 7));
	for (i = 0; i < SSDUP_CLASS_CGROUPS; i++)
		KUNIT_EXPECT_EQ(test, ssdup_class_of_cgroup(r, 100 + i), 1 + i % 7);
	KUNIT_EXPECT_FALSE(test, set_cgroup(test, r, 1, 1));
	KUNIT_EXPECT_EQ(test, ssdup_class_of_cgroup(r, 1), 0);
	/* One that is there takes no more room. */
	KUNIT_EXPECT_TRUE(test, set_cgroup(test, r, 100, 5));
	KUNIT_EXPECT_EQ(test, ssdup_class_of_cgroup(r, 100), 5);
	KUNIT_EXPECT_TRUE(test, set_cgroup(test, r, 101, 0));
	KUNIT_EXPECT_EQ(test, ssdup_class_of_cgroup(r, 101), 0);
	KUNIT_EXPECT_EQ(test, r->nr_cgroups, SSDUP_CLASS_CGROUPS - 1);
	KUNIT_EXPECT_TRUE(test, set_cgroup(test, r, 1, 1));
	/* A change of one kind keeps the others. */
	KUNIT_EXPECT_TRUE(test, set_range(test, r, 100, 200, 3));
	KUNIT_EXPECT_EQ(test, ssdup_class_of_cgroup(r, 1), 1);
	KUNIT_EXPECT_TRUE(test, set_cgroup(test, r, 1, 0));
	KUNIT_EXPECT_EQ(test, class_at(r, 100), 3);
	KUNIT_EXPECT_EQ(test, class_at(r, 99), 7);
}

static struct kunit_case class_cases[] = {
	KUNIT_CASE_PARAM(names_by_example, names_gen_params),
	KUNIT_CASE(new_data),
	KUNIT_CASE(hints_give_classes),
	KUNIT_CASE(ranges_change),
	KUNIT_CASE(too_many_ranges),
	KUNIT_CASE(cgroups_have_classes),
	{}
};

static struct kunit_suite class_suite = {
	.name = "ssdup-class",
	.test_cases = class_cases,
};

kunit_test_suite(class_suite);
