// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite bpf_htab_measure_dynkey: what a hash map with dynptrs in its keys
 * costs beside one with padded keys. It fails only if a map operation fails, never
 * for a number.
 *
 * A key is a cookie of 8 bytes and a string. The one map holds the string in an
 * array as long as the longest, the other in a dynptr; both without preallocation.
 * Strings are random bytes of random length, the names of the kernel's symbols, or the
 * lines of /strings/btf and /strings/words in the initramfs, if these are there.
 *
 * Results are lines with fields between tabs:
 *
 *   htab-dynkey: set operation max_len padded_ns dynkey_ns padded_bytes dynkey_bytes
 *
 * Bytes are those of the whole map when full, as the allocators gave them to the
 * padded map and as the other one counts them.
 */
#include <kunit/test.h>
#include <linux/kallsyms.h>
#include <linux/kernel_read_file.h>
#include <linux/ktime.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "htab_load.h"
#include "htab_test.h"

#define DYNKEY_ENTRIES	8192
#define DYNKEY_ROUNDS	12	/* of sets of that size, fewer of larger ones */

/* In this order each round */
enum dynkey_op {
	DYNKEY_HIT,
	DYNKEY_MISS,
	DYNKEY_OVERWRITE,
	DYNKEY_DELETE,
	DYNKEY_INSERT,
	DYNKEY_REPLACE,		/* each key goes, and comes back at once */
	DYNKEY_OPS
};

static const char * const dynkey_ops[] = {
	"lookup_hit", "lookup_miss", "overwrite", "delete", "insert", "delete+insert",
};

struct dynkey_padded {
	u64 cookie;
	char name[];
};

struct dynkey_short {
	u64 cookie;
	struct bpf_dynptr_kern name;
};

/**
 * struct dynkey_set - strings, as a parameter
 * @name: for the report
 * @max_len: bytes of the longest, 0 for the lines of @file
 * @file: where they are, NULL if they are made here
 */
struct dynkey_set {
	const char *name;
	u32 max_len;
	const char *file;
};

static const struct dynkey_set dynkey_sets[] = {
	{ "random", 64 }, { "random", 128 }, { "random", 256 }, { "random", 512 },
	{ "random", 1024 }, { "random", 2048 }, { "random", 4088 }, { "symbols", 64 },
	{ "btf", 0, "/strings/btf" }, { "words", 0, "/strings/words" },
};

static void dynkey_set_desc(const struct dynkey_set *s, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s %u", s->name, s->max_len);
}

KUNIT_ARRAY_PARAM(dynkey_set, dynkey_sets, dynkey_set_desc);

struct dynkey_measure {
	struct kunit *test;
	struct htab_test padded;
	struct htab_test dynkey;
	u32 n;
	u32 entries;		/* as many as there can be */
	u32 max_len;
	u32 padded_size;
	u8 *padded_keys;	/* @n keys of @padded_size bytes */
	struct dynkey_short *keys;
	char *strings;		/* what dynptrs point to, one after another */
	size_t chars;
	size_t max_chars;
	u32 *order;
	u32 failed;
};

/* Both forms of the key with this string */
static void dynkey_add(struct dynkey_measure *m, const char *s, u32 len)
{
	struct dynkey_padded *p = (void *)m->padded_keys + (size_t)m->n * m->padded_size;

	p->cookie = m->n;
	memcpy(p->name, s, len);
	m->keys[m->n].cookie = m->n;
	memcpy(m->strings + m->chars, s, len);
	bpf_dynptr_init(&m->keys[m->n].name, m->strings + m->chars, BPF_DYNPTR_TYPE_LOCAL, 0,
			len);
	m->chars += len;
	m->n++;
}

#ifdef CONFIG_KALLSYMS
static int dynkey_add_symbol(void *data, const char *name, unsigned long addr)
{
	struct dynkey_measure *m = data;
	u32 len = strlen(name);

	if (m->n == m->entries)
		return 1;
	if (len && len <= m->max_len)
		dynkey_add(m, name, len);
	return 0;
}

static void dynkey_add_symbols(struct dynkey_measure *m)
{
	kallsyms_on_each_symbol(dynkey_add_symbol, m);
}
#else
static void dynkey_add_symbols(struct dynkey_measure *m)
{
	kunit_skip(m->test, "needs CONFIG_KALLSYMS");
}
#endif

static void dynkey_add_random(struct dynkey_measure *m, struct rnd_state *rnd)
{
	char *buf = htab_test_alloc(m->test, m->max_len);

	while (m->n < m->entries) {
		prandom_bytes_state(rnd, buf, m->max_len);
		dynkey_add(m, buf, 1 + prandom_u32_state(rnd) % m->max_len);
	}
}

static void dynkey_vfree(void *text)
{
	vfree(text);
}

/* The text of a file, or NULL */
static char *dynkey_read(struct dynkey_measure *m, const char *file, ssize_t *bytes)
{
	void *text = NULL;

	*bytes = kernel_read_file_from_path_initns(file, 0, &text, INT_MAX, NULL, READING_UNKNOWN);
	if (*bytes < 0)
		return NULL;
	KUNIT_ASSERT_EQ(m->test, 0, kunit_add_action_or_reset(m->test, dynkey_vfree, text));
	return text;
}

/* Calls @add for each line that is not empty. */
static void dynkey_each_line(struct dynkey_measure *m, const char *text, ssize_t bytes,
			     void (*add)(struct dynkey_measure *m, const char *s, u32 len))
{
	const char *end = text + bytes, *nl;

	for (; text < end; text = nl + 1) {
		nl = memchr(text, '\n', end - text) ?: end;
		if (nl > text)
			add(m, text, nl - text);
	}
}

static void dynkey_count(struct dynkey_measure *m, const char *s, u32 len)
{
	m->entries++;
	m->max_len = max(m->max_len, len);
}

static void dynkey_strings(struct dynkey_measure *m, const struct dynkey_set *s)
{
	struct rnd_state rnd;
	ssize_t bytes = 0;
	char *text = NULL;
	u32 i, j;

	m->max_len = s->max_len;
	if (s->file) {
		text = dynkey_read(m, s->file, &bytes);
		if (!text)
			kunit_skip(m->test, "no %s", s->file);
		dynkey_each_line(m, text, bytes, dynkey_count);
	} else {
		m->entries = DYNKEY_ENTRIES;
	}
	m->padded_size = sizeof(struct dynkey_padded) + m->max_len;
	m->padded_keys = htab_test_alloc(m->test, (size_t)m->entries * m->padded_size);
	m->keys = htab_test_alloc(m->test, m->entries * sizeof(*m->keys));
	m->strings = htab_test_alloc(m->test, (size_t)m->entries * m->max_len);
	m->order = htab_test_alloc(m->test, m->entries * sizeof(*m->order));
	prandom_seed_state(&rnd, 42);
	if (text)
		dynkey_each_line(m, text, bytes, dynkey_add);
	else if (!strcmp(s->name, "symbols"))
		dynkey_add_symbols(m);
	else
		dynkey_add_random(m, &rnd);
	for (i = 0; i < m->n; i++)
		m->order[i] = i;
	for (i = m->n - 1; i > 0; i--) {
		j = prandom_u32_state(&rnd) % (i + 1);
		swap(m->order[i], m->order[j]);
	}
}

/* struct { u64 cookie; char name[max_len] or struct bpf_dynptr name; } */
static void dynkey_map(struct dynkey_measure *m, struct htab_test *t, bool dynkey)
{
	struct htab_btf *b = htab_btf_new(m->test);
	u32 u64_id = htab_btf_int(b, "u64", 8), char_id = htab_btf_int(b, "u8", 1), name_id;
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_HASH,
		.map_flags = BPF_F_NO_PREALLOC | BPF_F_ZERO_SEED,
		.key_size = dynkey ? sizeof(struct dynkey_short) : m->padded_size,
		.value_size = 8,
		.max_entries = m->entries,
		.btf_value_type_id = u64_id,
	};
	int fd, map_fd;

	htab_test_start(m->test, t);
	name_id = dynkey ? htab_btf_struct(b, "bpf_dynptr", 16, 0) :
			   htab_btf_array(b, char_id, u64_id, m->max_len);
	attr.btf_key_type_id = htab_btf_struct(b, "key", attr.key_size, 2);
	htab_btf_member(b, "cookie", u64_id, 0);
	htab_btf_member(b, "name", name_id, 8);
	fd = htab_btf_load(t, b);
	htab_test_close_fd(m->test, fd);
	attr.btf_fd = fd;
	map_fd = htab_test_bpf(t, BPF_MAP_CREATE, &attr);
	KUNIT_ASSERT_GE(m->test, map_fd, 0);
	htab_test_adopt(t, &attr, map_fd);
	KUNIT_ASSERT_EQ(m->test, bpf_map_has_dynptr_key(t->map), dynkey);
}

static void *dynkey_key(struct dynkey_measure *m, bool dynkey, u32 i)
{
	if (dynkey)
		return &m->keys[i];
	return m->padded_keys + (size_t)i * m->padded_size;
}

static void dynkey_change_cookies(struct dynkey_measure *m, bool dynkey, u64 bit)
{
	u32 i;

	/* both begin with it */
	for (i = 0; i < m->n; i++)
		*(u64 *)dynkey_key(m, dynkey, i) ^= bit;
}

static void dynkey_lookups(struct dynkey_measure *m, struct bpf_map *map, bool dynkey, bool hit)
{
	u32 i;

	guard(rcu)();
	guard(migrate)();
	for (i = 0; i < m->n; i++)
		m->failed += !!map->ops->map_lookup_elem(map, dynkey_key(m, dynkey,
									m->order[i])) != hit;
}

static void dynkey_insert_one(struct dynkey_measure *m, struct bpf_map *map, bool dynkey, u32 i,
			      u64 flags)
{
	u64 value = i;

	m->failed += !!map->ops->map_update_elem(map, dynkey_key(m, dynkey, i), &value, flags);
}

static void dynkey_delete_one(struct dynkey_measure *m, struct bpf_map *map, bool dynkey, u32 i)
{
	m->failed += !!map->ops->map_delete_elem(map, dynkey_key(m, dynkey, i));
}

/* All keys once, each with @op, which is one of those that write */
static void dynkey_writes(struct dynkey_measure *m, struct bpf_map *map, bool dynkey,
			  enum dynkey_op op)
{
	u32 i;

	for (i = 0; i < m->n; i++) {
		/* of long data there is one piece ready, so before each */
		htab_test_refill();
		rcu_read_lock();
		migrate_disable();
		if (op == DYNKEY_DELETE || op == DYNKEY_REPLACE)
			dynkey_delete_one(m, map, dynkey, m->order[i]);
		if (op != DYNKEY_DELETE)
			dynkey_insert_one(m, map, dynkey, m->order[i],
					  op == DYNKEY_OVERWRITE ? BPF_ANY : BPF_NOEXIST);
		migrate_enable();
		rcu_read_unlock();
	}
}

/* The time of one go over all keys, in ns */
static u64 dynkey_go(struct dynkey_measure *m, struct bpf_map *map, bool dynkey,
		     enum dynkey_op op)
{
	u64 start;

	cond_resched();
	start = ktime_get_ns();
	if (op == DYNKEY_HIT || op == DYNKEY_MISS)
		dynkey_lookups(m, map, dynkey, op == DYNKEY_HIT);
	else
		dynkey_writes(m, map, dynkey, op);
	return ktime_get_ns() - start;
}

/* The best of some rounds, in hundredths of a nanosecond an operation. A round
 * leaves the map full.
 */
static void dynkey_time(struct dynkey_measure *m, struct bpf_map *map, bool dynkey, u64 *best)
{
	enum dynkey_op op;
	u32 round, rounds = max(2, DYNKEY_ROUNDS * DYNKEY_ENTRIES / m->n);

	for (op = 0; op < DYNKEY_OPS; op++)
		best[op] = U64_MAX;
	for (round = 0; round < rounds; round++)
		for (op = 0; op < DYNKEY_OPS; op++) {
			if (op == DYNKEY_MISS)
				dynkey_change_cookies(m, dynkey, BIT_ULL(40));
			best[op] = min(best[op], dynkey_go(m, map, dynkey, op));
			if (op == DYNKEY_MISS)
				dynkey_change_cookies(m, dynkey, BIT_ULL(40));
		}
	for (op = 0; op < DYNKEY_OPS; op++)
		best[op] = div_u64(best[op] * 100, m->n);
}

static void htab_measure_dynkey(struct kunit *test)
{
	const struct dynkey_set *s = test->param_value;
	struct dynkey_measure *m = htab_test_alloc(test, sizeof(*m));
	struct htab_hook_given given;
	u64 padded[DYNKEY_OPS], dynkey[DYNKEY_OPS], padded_bytes, dynkey_bytes;
	enum dynkey_op op;

	m->test = test;
	dynkey_strings(m, s);
	dynkey_map(m, &m->padded, false);
	dynkey_map(m, &m->dynkey, true);
	dynkey_writes(m, m->padded.map, false, DYNKEY_INSERT);
	dynkey_writes(m, m->dynkey.map, true, DYNKEY_INSERT);
	KUNIT_ASSERT_EQ(test, m->failed, 0);
	htab_hook_given(m->padded.map, &given);
	padded_bytes = given.fixed + given.buckets + given.elems;
	dynkey_bytes = m->dynkey.map->ops->map_mem_usage(m->dynkey.map);
	dynkey_time(m, m->padded.map, false, padded);
	dynkey_time(m, m->dynkey.map, true, dynkey);
	KUNIT_EXPECT_EQ(test, m->failed, 0);
	for (op = 0; op < DYNKEY_OPS; op++)
		kunit_info(test, "htab-dynkey:\t%s\t%s\t%u\t%llu.%02llu\t%llu.%02llu\t%llu\t%llu",
			   s->name, dynkey_ops[op], m->max_len,
			   padded[op] / 100, padded[op] % 100,
			   dynkey[op] / 100, dynkey[op] % 100, padded_bytes, dynkey_bytes);
}

static struct kunit_case measure_dynkey_cases[] = {
	KUNIT_CASE_PARAM(htab_measure_dynkey, dynkey_set_gen_params),
	{}
};

static struct kunit_suite measure_dynkey_suite = {
	.name = "bpf_htab_measure_dynkey",
	.test_cases = measure_dynkey_cases,
};

kunit_test_suite(measure_dynkey_suite);

MODULE_DESCRIPTION("KUnit suite that measures hash maps with dynptrs in their keys");
MODULE_LICENSE("GPL");
