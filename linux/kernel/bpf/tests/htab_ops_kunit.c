// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite bpf_htab_ops: the operations that programs have on hash maps, by
 * calling map ops, for each flavour with many key and value sizes.
 */
#include <kunit/test.h>
#include "htab_test.h"

static void htab_ops_smoke(struct kunit *test)
{
	const struct htab_shape *s = test->param_value;
	struct htab_test t;

	htab_test_init(test, &t, s->flavour, s->key_size, s->value_size, 16);
	KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, 1, 1), -ENOENT);
	KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 1, 1, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, 1, 1), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 1, 2, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, 1, 2), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 1);
	KUNIT_EXPECT_EQ(test, htab_sys_delete(&t, 1), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 0);
}

static struct kunit_case htab_ops_cases[] = {
	KUNIT_CASE_PARAM(htab_ops_smoke, htab_shape_gen_params),
	{}
};

static struct kunit_suite htab_ops_suite = {
	.name = "bpf_htab_ops",
	.test_cases = htab_ops_cases,
};

kunit_test_suite(htab_ops_suite);

MODULE_DESCRIPTION("KUnit tests for the operations of BPF hash maps");
MODULE_LICENSE("GPL");
