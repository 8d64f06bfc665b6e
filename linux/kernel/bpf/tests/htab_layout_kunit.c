// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite bpf_htab_layout: how many bytes an element takes.
 *
 * The table has numbers and no formula, so that a change of the layout has to
 * say what it costs whom. Stock Linux 7.3 stands beside, which no flavour may
 * exceed.
 */
#include <kunit/test.h>
#include <linux/bpf.h>
#include "htab_test.h"

enum layout_kind {
	LAYOUT_HASH,		/* also maps of maps */
	LAYOUT_PERCPU,
	LAYOUT_PERCPU_NOPRE,
	LAYOUT_LRU,
	LAYOUT_LRU_PERCPU,
	LAYOUT_KINDS
};

struct layout_row {
	u32 key_size;
	u32 value_size;
	u32 bytes[LAYOUT_KINDS];
	u32 stock;
	u32 stock_percpu;
};

static const struct layout_row layout_rows[] = {
	/* key value { hash, percpu, not preallocated, lru, lru_percpu } stock, percpu */
#if BITS_PER_LONG == 64
	{   1,   1, {  32,  32,  40,  64,  64 },  64,  64 },
	{   2,   8, {  32,  32,  40,  64,  64 },  64,  64 },
	{   4,   4, {  32,  32,  40,  64,  64 },  64,  64 },
	{   5,   5, {  32,  32,  40,  64,  64 },  64,  64 },
	{   8,   8, {  32,  32,  40,  64,  64 },  64,  64 },
	{   8,   9, {  40,  32,  40,  72,  64 },  72,  64 },
	{   9,   8, {  48,  48,  56,  72,  72 },  72,  72 },
	{  12,   4, {  48,  48,  56,  72,  72 },  72,  72 },
	{  16,  64, { 104,  48,  56, 128,  72 }, 128,  72 },
	{  20,  24, {  72,  56,  64,  96,  80 },  96,  80 },
	{  64,   8, {  96,  96, 104, 120, 120 }, 120, 120 },
	{ 255, 255, { 536, 288, 296, 560, 312 }, 560, 312 },
#else
	{   1,   1, {  24,  20,  28,  48,  44 },  48,  44 },
	{   2,   8, {  24,  20,  28,  48,  44 },  48,  44 },
	{   4,   4, {  24,  20,  28,  48,  44 },  48,  44 },
	{   5,   5, {  32,  28,  28,  48,  44 },  48,  44 },
	{   8,   8, {  32,  28,  28,  48,  44 },  48,  44 },
	{   8,   9, {  40,  28,  28,  56,  44 },  56,  44 },
	{   9,   8, {  40,  36,  36,  56,  52 },  56,  52 },
	{  12,   4, {  40,  36,  36,  56,  52 },  56,  52 },
	{  16,  64, {  96,  36,  36, 112,  52 }, 112,  52 },
	{  20,  24, {  64,  44,  44,  80,  60 },  80,  60 },
	{  64,   8, {  88,  84,  84, 104, 100 }, 104, 100 },
	{ 255, 255, { 528, 276, 276, 544, 292 }, 544, 292 },
#endif
};

static enum layout_kind layout_kind(const struct htab_flavour *f)
{
	switch (f->type) {
	case BPF_MAP_TYPE_PERCPU_HASH:
		return f->flags & BPF_F_NO_PREALLOC ? LAYOUT_PERCPU_NOPRE : LAYOUT_PERCPU;
	case BPF_MAP_TYPE_LRU_HASH:
		return LAYOUT_LRU;
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
		return LAYOUT_LRU_PERCPU;
	default:
		return LAYOUT_HASH;
	}
}

static void htab_layout_bytes(struct kunit *test)
{
	const struct htab_flavour *f = test->param_value;
	bool of_maps = f->type == BPF_MAP_TYPE_HASH_OF_MAPS;
	const struct layout_row *row;
	u32 i, size, rows = 0;
	struct htab_test t;

	for (i = 0; i < ARRAY_SIZE(layout_rows); i++) {
		row = &layout_rows[i];
		/* the value is a pointer, whatever is asked for */
		if (of_maps && row->value_size > 8)
			continue;
		htab_test_init(test, &t, f, row->key_size, of_maps ? 4 : row->value_size, 16);
		size = htab_hook_elem_size(t.map);
		KUNIT_EXPECT_EQ_MSG(test, size, row->bytes[layout_kind(f)], "k=%u v=%u",
				    row->key_size, row->value_size);
		KUNIT_EXPECT_LE_MSG(test, size, t.percpu ? row->stock_percpu : row->stock,
				    "more than stock, k=%u v=%u", row->key_size, row->value_size);
		rows++;
	}
	KUNIT_EXPECT_GE(test, rows, 5);
}

/* A value stands behind its key, and neither reaches into the next element. */
static void htab_layout_apart(struct kunit *test)
{
	const struct htab_flavour *f = test->param_value;
	/* an LRU map is far from full, so that it evicts nothing */
	u32 i, key, entries = layout_kind(f) >= LAYOUT_LRU ? 1024 : 8;
	struct htab_test t;

	for (i = 0; i < ARRAY_SIZE(layout_rows); i++) {
		htab_test_init(test, &t, f, layout_rows[i].key_size,
			       f->type == BPF_MAP_TYPE_HASH_OF_MAPS ? 4 : layout_rows[i].value_size,
			       entries);
		for (key = 0; key < 8; key++)
			KUNIT_ASSERT_EQ(test, htab_sys_update(&t, key, 100 + key, BPF_ANY), 0);
		for (key = 0; key < 8; key += 2)
			KUNIT_ASSERT_EQ(test, htab_sys_update(&t, key, 200 + key, BPF_ANY), 0);
		for (key = 0; key < 8; key++)
			KUNIT_EXPECT_EQ_MSG(test,
					    htab_sys_lookup(&t, key, (key % 2 ? 100 : 200) + key),
					    0, "key %u, k=%u v=%u", key, t.key_size, t.value_size);
	}
}

static struct kunit_case htab_layout_cases[] = {
	KUNIT_CASE_PARAM(htab_layout_bytes, htab_flavour_gen_params),
	KUNIT_CASE_PARAM(htab_layout_apart, htab_flavour_gen_params),
	{}
};

static struct kunit_suite htab_layout_suite = {
	.name = "bpf_htab_layout",
	.test_cases = htab_layout_cases,
};

kunit_test_suite(htab_layout_suite);

MODULE_DESCRIPTION("KUnit test of the layout of BPF hash map elements");
MODULE_LICENSE("GPL");
