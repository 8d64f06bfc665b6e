// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite bpf_htab_ops: the operations that programs have on hash maps, by
 * calling map ops, for each flavour with many key and value sizes.
 *
 * Old bugs that would show here: per-CPU values of other CPUs left over from
 * another key, the reference bit of LRU elements set by reads of user space,
 * max_entries of LRU maps without common list, free lists of uneven length,
 * a walk that does not start over when its key is gone, elements deleted
 * under a callback, the map full too early or too late, memory not counted.
 */
#include <kunit/test.h>
#include <linux/filter.h>
#include <linux/slab.h>
#include "htab_test.h"

/* Enough for a few elements in a bucket, few enough for 4 KiB values */
#define ENTRIES	16

static void htab_ops_update_flags(struct kunit *test)
{
	const struct htab_shape *s = test->param_value;
	struct htab_test t;

	htab_test_init(test, &t, s->flavour, s->key_size, s->value_size, ENTRIES);

	KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 1, 1, BPF_EXIST), -ENOENT);
	KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, 1, 1), -ENOENT);
	KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 1, 2, BPF_NOEXIST), 0);
	KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, 1, 2), 0);
	KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 1, 3, BPF_NOEXIST), -EEXIST);
	KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, 1, 2), 0);
	KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 1, 4, BPF_EXIST), 0);
	KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, 1, 4), 0);
	KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 1, 5, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, 1, 5), 0);
	/* BPF_NOEXIST | BPF_EXIST, a lock without a field for it, nonsense */
	KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 1, 6, 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 1, 6, BPF_F_LOCK), -EINVAL);
	KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 1, 6, 1ULL << 40), -EINVAL);
	KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, 1, 5), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 1);
}

static void htab_ops_delete(struct kunit *test)
{
	const struct htab_shape *s = test->param_value;
	struct htab_test t;

	htab_test_init(test, &t, s->flavour, s->key_size, s->value_size, ENTRIES);

	KUNIT_EXPECT_EQ(test, htab_prog_delete(&t, 7), -ENOENT);
	KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 7, 70, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 8, 80, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, htab_prog_delete(&t, 7), 0);
	KUNIT_EXPECT_EQ(test, htab_prog_delete(&t, 7), -ENOENT);
	KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, 7, 70), -ENOENT);
	KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, 8, 80), 0);
	KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 7, 71, BPF_NOEXIST), 0);
	KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, 7, 71), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 2);
}

/* A full map holds what was put into it, and nothing else. */
static void htab_ops_fill(struct kunit *test)
{
	const struct htab_shape *s = test->param_value;
	struct htab_test t;
	u32 i;

	htab_test_init(test, &t, s->flavour, s->key_size, s->value_size, ENTRIES);

	for (i = 0; i < ENTRIES; i++)
		KUNIT_EXPECT_EQ(test, htab_prog_update(&t, i, 100 + i, BPF_NOEXIST), 0);
	if (t.lru)	/* may have evicted already */
		return;
	KUNIT_EXPECT_EQ(test, htab_prog_update(&t, ENTRIES, 1, BPF_ANY), -E2BIG);
	KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 3, 1003, BPF_ANY), 0);
	for (i = 0; i < ENTRIES; i++)
		KUNIT_EXPECT_EQ_MSG(test, htab_prog_lookup(&t, i, i == 3 ? 1003 : 100 + i),
				    0, "key %u", i);
	for (; i < 4 * ENTRIES; i++)
		KUNIT_EXPECT_EQ_MSG(test, htab_prog_lookup(&t, i, 0), -ENOENT, "key %u", i);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), ENTRIES);
	KUNIT_EXPECT_EQ(test, htab_prog_delete(&t, 5), 0);
	KUNIT_EXPECT_EQ(test, htab_prog_update(&t, ENTRIES, 1, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 5, 1, BPF_ANY), -E2BIG);
	for (i = 0; i <= ENTRIES; i++)
		KUNIT_EXPECT_EQ(test, htab_prog_delete(&t, i), i == 5 ? -ENOENT : 0);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 0);
}

/* Keys that differ in one bit only are different keys, at each byte. */
static void htab_ops_near_keys(struct kunit *test)
{
	const struct htab_shape *s = test->param_value;
	struct htab_test t;
	void *key, *value;
	u32 i;
	int ret;

	htab_test_init(test, &t, s->flavour, s->key_size, s->value_size, ENTRIES);
	key = kunit_kzalloc(test, s->key_size, GFP_KERNEL);
	value = kunit_kzalloc(test, round_up(s->value_size, 8), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, key);
	KUNIT_ASSERT_NOT_NULL(test, value);
	rcu_read_lock();
	migrate_disable();
	ret = t.map->ops->map_update_elem(t.map, key, value, BPF_ANY);
	KUNIT_EXPECT_EQ(test, ret, 0);
	KUNIT_EXPECT_NOT_NULL(test, t.map->ops->map_lookup_elem(t.map, key));
	for (i = 0; i < s->key_size; i++) {
		((u8 *)key)[i] ^= 1 << (i % 8);
		KUNIT_EXPECT_NULL_MSG(test, t.map->ops->map_lookup_elem(t.map, key),
				      "byte %u", i);
		((u8 *)key)[i] ^= 1 << (i % 8);
	}
	migrate_enable();
	rcu_read_unlock();
}

/* Everything in one bucket: each element is found, wherever it stands. */
static void htab_ops_one_bucket(struct kunit *test)
{
	const struct htab_shape *s = test->param_value;
	u32 keys[6], n = 0, i, j, limit;
	struct htab_test t;
	void *key;

	htab_test_init(test, &t, s->flavour, s->key_size, s->value_size, ENTRIES);
	key = kunit_kmalloc(test, s->key_size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, key);
	limit = min_t(u32, htab_test_keys(&t), 4096);
	for (i = 0; i < limit && n < ARRAY_SIZE(keys); i++) {
		htab_test_key(&t, i, key);
		if (htab_hook_bucket(t.map, key) == 5)
			keys[n++] = i;
	}
	KUNIT_ASSERT_EQ(test, n, ARRAY_SIZE(keys));

	for (i = 0; i < n; i++)
		KUNIT_EXPECT_EQ(test, htab_prog_update(&t, keys[i], keys[i], BPF_NOEXIST), 0);
	for (i = 0; i < n; i++) {
		/* the middle, the ends, then what is left */
		u32 gone = (i + n / 2) % n;

		if (t.lru)	/* how many stay depends on the number of CPUs */
			break;
		KUNIT_EXPECT_EQ(test, htab_prog_update(&t, keys[gone], keys[gone] + 1,
						       BPF_EXIST), 0);
		KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, keys[gone], keys[gone] + 1), 0);
		KUNIT_EXPECT_EQ(test, htab_prog_delete(&t, keys[gone]), 0);
		for (j = 0; j < n; j++) {
			bool there = (j + n - n / 2) % n > i;

			KUNIT_EXPECT_EQ_MSG(test, htab_prog_lookup(&t, keys[j], keys[j]),
					    there ? 0 : -ENOENT, "key %u of %u", j, n);
		}
	}
}

struct htab_walk {
	struct htab_test *t;
	DECLARE_BITMAP(seen, ENTRIES);
	u32 calls;
	u32 stop_at;
	u32 bad;
	bool delete;
};

/* What a program's callback would be; called as bpf_for_each_map_elem() does. */
static u64 htab_walk_cb(u64 map, u64 key, u64 value, u64 ctx, u64 unused)
{
	struct htab_walk *w = (void *)(unsigned long)ctx;
	struct htab_test *t = w->t;
	u32 n = htab_test_key_number(t, (void *)(unsigned long)key);

	w->calls++;
	if (n >= ENTRIES || __test_and_set_bit(n, w->seen) ||
	    !htab_test_value_is(t, n, (void *)(unsigned long)value))
		w->bad++;
	if (w->delete && t->map->ops->map_delete_elem(t->map, (void *)(unsigned long)key))
		w->bad++;
	return w->calls == w->stop_at;
}

static long htab_walk(struct htab_walk *w, u64 flags)
{
	long ret;

	migrate_disable();
	ret = w->t->map->ops->map_for_each_callback(w->t->map, htab_walk_cb, w, flags);
	migrate_enable();
	return ret;
}

static void htab_ops_for_each(struct kunit *test)
{
	const struct htab_shape *s = test->param_value;
	struct htab_walk w = {};
	struct htab_test t;
	u32 i, n = 0;

	htab_test_init(test, &t, s->flavour, s->key_size, s->value_size, ENTRIES);
	for (i = 0; i < ENTRIES; i++)
		KUNIT_EXPECT_EQ(test, htab_prog_update(&t, i, i, BPF_NOEXIST), 0);
	for (i = 0; i < ENTRIES; i++)
		n += !htab_prog_lookup(&t, i, i);

	w.t = &t;
	KUNIT_EXPECT_EQ(test, htab_walk(&w, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, w.calls, 0);
	KUNIT_EXPECT_EQ(test, htab_walk(&w, 0), n);
	KUNIT_EXPECT_EQ(test, w.calls, n);
	KUNIT_EXPECT_EQ(test, w.bad, 0);
	KUNIT_EXPECT_EQ(test, bitmap_weight(w.seen, ENTRIES), n);

	w = (struct htab_walk) { .t = &t, .stop_at = 2 };
	KUNIT_EXPECT_EQ(test, htab_walk(&w, 0), 2);
	KUNIT_EXPECT_EQ(test, w.calls, 2);

	/* each element goes while the walk stands on it */
	w = (struct htab_walk) { .t = &t, .delete = true };
	KUNIT_EXPECT_EQ(test, htab_walk(&w, 0), n);
	KUNIT_EXPECT_EQ(test, w.bad, 0);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 0);
}

static void htab_ops_next_key(struct kunit *test)
{
	const struct htab_shape *s = test->param_value;
	DECLARE_BITMAP(seen, ENTRIES);
	u32 i, n = 0, steps = 0, first, k;
	void *key, *next;
	struct htab_test t;
	int ret;

	htab_test_init(test, &t, s->flavour, s->key_size, s->value_size, ENTRIES);
	key = kunit_kzalloc(test, s->key_size, GFP_KERNEL);
	next = kunit_kzalloc(test, s->key_size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, key);
	KUNIT_ASSERT_NOT_NULL(test, next);

	rcu_read_lock();
	ret = t.map->ops->map_get_next_key(t.map, NULL, next);
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, ret, -ENOENT);
	for (i = 0; i < ENTRIES; i++)
		KUNIT_EXPECT_EQ(test, htab_prog_update(&t, i, i, BPF_NOEXIST), 0);
	for (i = 0; i < ENTRIES; i++)
		n += !htab_prog_lookup(&t, i, i);

	bitmap_zero(seen, ENTRIES);
	rcu_read_lock();
	for (ret = t.map->ops->map_get_next_key(t.map, NULL, next); !ret;
	     ret = t.map->ops->map_get_next_key(t.map, key, next)) {
		k = htab_test_key_number(&t, next);
		if (k >= ENTRIES || __test_and_set_bit(k, seen) || ++steps > n)
			break;
		memcpy(key, next, s->key_size);
	}
	KUNIT_EXPECT_EQ(test, ret, -ENOENT);
	KUNIT_EXPECT_EQ(test, steps, n);
	/* a key that is not there: from the start again */
	t.map->ops->map_get_next_key(t.map, NULL, next);
	first = htab_test_key_number(&t, next);
	htab_test_key(&t, ENTRIES + 1, key);
	ret = t.map->ops->map_get_next_key(t.map, key, next);
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, ret, 0);
	KUNIT_EXPECT_EQ(test, htab_test_key_number(&t, next), first);
}

/* bpf_map_lookup_percpu_elem(), and what a program's insert leaves to others */
static void htab_ops_percpu(struct kunit *test)
{
	const struct htab_shape *s = test->param_value;
	u32 cpu, self, i;
	struct htab_test t;
	void *key, *value;

	htab_test_init(test, &t, s->flavour, s->key_size, s->value_size, ENTRIES);
	self = raw_smp_processor_id();
	key = kunit_kzalloc(test, s->key_size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, key);

	/* give every element old values on all CPUs, then free them all */
	for (i = 0; i < ENTRIES; i++)
		KUNIT_EXPECT_EQ(test, htab_sys_update(&t, i, i, BPF_ANY), 0);
	for (i = 0; i < ENTRIES; i++)
		htab_sys_delete(&t, i);

	for (i = 0; i < ENTRIES; i++)
		KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 32 + i, 50 + i, BPF_ANY), 0);
	rcu_read_lock();
	migrate_disable();
	htab_test_key(&t, 32 + ENTRIES - 1, key);
	for_each_possible_cpu(cpu) {
		value = t.map->ops->map_lookup_percpu_elem(t.map, key, cpu);
		KUNIT_EXPECT_NOT_NULL(test, value);
		if (!value)
			continue;
		if (cpu == self)
			KUNIT_EXPECT_TRUE(test, htab_test_value_is(&t, 50 + ENTRIES - 1, value));
		else
			KUNIT_EXPECT_PTR_EQ_MSG(test, memchr_inv(value, 0, s->value_size), NULL,
						"old bytes on CPU %u", cpu);
		/* aligned for 64-bit atomics */
		KUNIT_EXPECT_EQ(test, (unsigned long)value % 8, 0);
	}
	KUNIT_EXPECT_NULL(test, t.map->ops->map_lookup_percpu_elem(t.map, key, nr_cpu_ids));
	htab_test_key(&t, 200, key);
	KUNIT_EXPECT_NULL(test, t.map->ops->map_lookup_percpu_elem(t.map, key, self));
	migrate_enable();
	rcu_read_unlock();

	/* then each CPU its own: an update by a program touches one only */
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 40, 9, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 40, 77, BPF_EXIST), 0);
	htab_test_key(&t, 40, key);
	rcu_read_lock();
	migrate_disable();
	for_each_possible_cpu(cpu) {
		value = t.map->ops->map_lookup_percpu_elem(t.map, key, cpu);
		KUNIT_EXPECT_NOT_NULL(test, value);
		if (value)
			KUNIT_EXPECT_TRUE(test, cpu == self ? htab_test_value_is(&t, 77, value) :
						htab_test_cpu_value_is(&t, 9, cpu, value));
	}
	migrate_enable();
	rcu_read_unlock();
}

static void htab_ops_lru_ref(struct kunit *test)
{
	const struct htab_shape *s = test->param_value;
	struct htab_test t;
	void *key;

	htab_test_init(test, &t, s->flavour, s->key_size, s->value_size, ENTRIES);
	key = kunit_kzalloc(test, s->key_size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, key);
	htab_test_key(&t, 1, key);

	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 1, 1, BPF_NOEXIST), 0);
	rcu_read_lock();
	KUNIT_EXPECT_EQ(test, htab_hook_lru_ref(t.map, key), 0);
	rcu_read_unlock();
	/* user space looks, and walks */
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, 1, 1), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 1);
	rcu_read_lock();
	KUNIT_EXPECT_EQ(test, htab_hook_lru_ref(t.map, key), 0);
	rcu_read_unlock();
	/* a program looks */
	KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, 1, 1), 0);
	rcu_read_lock();
	KUNIT_EXPECT_EQ(test, htab_hook_lru_ref(t.map, key), 1);
	rcu_read_unlock();
	/* the mark leaves key and value alone */
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, 1, 1), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_delete(&t, 1), 0);
}

/* What was used lately stays when others must go. */
static void htab_ops_lru_evict(struct kunit *test)
{
	const struct htab_flavour *f = test->param_value;
	u32 cpus = num_possible_cpus(), per_cpu = 512, i, kept = 0, there = 0;
	struct htab_test t;

	htab_test_init(test, &t, f, 8, 8, per_cpu * cpus);
	for (i = 0; i < 128; i++)
		KUNIT_EXPECT_EQ(test, htab_prog_update(&t, i, i, BPF_NOEXIST), 0);
	for (; i < 16 * per_cpu; i++) {
		u32 hot = i % 128;

		/* the first 128 are in use all the time */
		htab_prog_lookup(&t, hot, hot);
		htab_prog_lookup(&t, (hot + 64) % 128, (hot + 64) % 128);
		KUNIT_EXPECT_EQ(test, htab_prog_update(&t, i, i, BPF_NOEXIST), 0);
	}
	for (i = 0; i < 128; i++)
		kept += !htab_prog_lookup(&t, i, i);
	for (i = 128; i < 16 * per_cpu; i++) {
		int ret = htab_prog_lookup(&t, i, i);

		there += !ret;
		KUNIT_EXPECT_NE_MSG(test, ret, -EBADMSG, "key %u has another's value", i);
	}
	KUNIT_EXPECT_EQ(test, kept, 128);
	KUNIT_EXPECT_LE(test, kept + there, t.map->max_entries);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), kept + there);
	/* the newest is there */
	KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, 16 * per_cpu - 1, 16 * per_cpu - 1), 0);
}

/* Without common list, each CPU's list must get elements, and equally many. */
static void htab_ops_lru_rounding(struct kunit *test)
{
	const struct htab_flavour *f = test->param_value;
	u32 cpus = num_possible_cpus(), n;
	struct htab_test t;

	for (n = 1; n <= 2 * cpus + 1; n++) {
		htab_test_init(test, &t, f, 8, 8, n);
		KUNIT_EXPECT_EQ(test, t.map->max_entries, DIV_ROUND_UP(n, cpus) * cpus);
		KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 1, 1, BPF_ANY), 0);
		KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, 1, 1), 0);
		KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 2, 2, BPF_ANY), 0);
		KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, 2, 2), 0);
	}
}

/* Preallocated elements are spread evenly, with one spare for each CPU. */
static void htab_ops_free_lists(struct kunit *test)
{
	const struct htab_flavour *f = test->param_value;
	u32 cpus = num_possible_cpus(), total = 0, min = U32_MAX, max = 0, cpu, n, spare, i;
	struct htab_test t;

	htab_test_init(test, &t, f, 8, 8, 101);
	/* HASH updates through a spare element; the others write in place */
	spare = t.type == BPF_MAP_TYPE_HASH ? cpus : 0;
	for_each_possible_cpu(cpu) {
		n = htab_hook_free_elems(t.map, cpu);
		total += n;
		min = min(min, n);
		max = max(max, n);
	}
	KUNIT_EXPECT_EQ(test, total, 101);
	/* the spare elements are all taken from the list of the CPU that creates */
	KUNIT_EXPECT_LE(test, max - min, 1 + spare);
	KUNIT_EXPECT_EQ(test, htab_hook_free_elems(t.map, -1), 0);

	for (i = 0; i < 101; i++)
		KUNIT_EXPECT_EQ(test, htab_prog_update(&t, i, i, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 101, 1, BPF_ANY), -E2BIG);
	for (i = 0; i < 101; i++)
		KUNIT_EXPECT_EQ(test, htab_prog_update(&t, i, i + 1, BPF_EXIST), 0);
	for (i = 0; i < 101; i++)
		KUNIT_EXPECT_EQ(test, htab_prog_delete(&t, i), 0);
	for (total = 0, cpu = 0; cpu < nr_cpu_ids; cpu++)
		total += htab_hook_free_elems(t.map, cpu);
	KUNIT_EXPECT_EQ(test, total + htab_hook_free_elems(t.map, -1), 101);
}

/* mem_usage grows by what more elements cost, and shrinks again. */
static void htab_ops_mem_usage(struct kunit *test)
{
	const struct htab_shape *s = test->param_value;
	u64 empty, full, value = 0, elem, link = sizeof(void *);
	struct htab_hook_given given;
	struct htab_test t, more;
	u32 i;

	htab_test_init(test, &t, s->flavour, s->key_size, s->value_size, ENTRIES);
	elem = htab_hook_elem_size(t.map);
	if (t.percpu)
		value = round_up(s->value_size, 8) * num_possible_cpus();
	empty = t.map->ops->map_mem_usage(t.map);
	for (i = 0; i < ENTRIES; i++)
		KUNIT_EXPECT_EQ(test, htab_prog_update(&t, i, i, BPF_NOEXIST), 0);
	full = t.map->ops->map_mem_usage(t.map);
	htab_hook_given(t.map, &given);
	KUNIT_EXPECT_GE(test, given.elems, ENTRIES * elem);
	KUNIT_EXPECT_GE(test, given.values, ENTRIES * value);
	KUNIT_EXPECT_GE(test, given.fixed + given.buckets + given.elems + given.values +
			      given.spare, full);

	if (!t.prealloc) {
		/* an element, its link in the allocator's list, and for a
		 * per-CPU value the pointer object with a link of its own
		 */
		u64 each = elem + link + (t.percpu ? link + sizeof(void *) + value : 0);

		KUNIT_EXPECT_EQ(test, full - empty, ENTRIES * each);
		for (i = 0; i < ENTRIES; i++)
			KUNIT_EXPECT_EQ(test, htab_prog_delete(&t, i), 0);
		KUNIT_EXPECT_EQ(test, (u64)t.map->ops->map_mem_usage(t.map), empty);
		return;
	}
	KUNIT_EXPECT_EQ(test, full, empty);
	/* 9 to 16 entries take 16 buckets: the difference is elements only */
	htab_test_init(test, &more, s->flavour, s->key_size, s->value_size, ENTRIES / 2 + 1);
	KUNIT_EXPECT_EQ(test, htab_hook_n_buckets(more.map), htab_hook_n_buckets(t.map));
	KUNIT_EXPECT_EQ(test, full - more.map->ops->map_mem_usage(more.map),
			(t.map->max_entries - more.map->max_entries) * (elem + value));
}

static struct kunit_case htab_ops_cases[] = {
	KUNIT_CASE_PARAM(htab_ops_update_flags, htab_shape_gen_params),
	KUNIT_CASE_PARAM(htab_ops_delete, htab_shape_gen_params),
	KUNIT_CASE_PARAM(htab_ops_fill, htab_shape_gen_params),
	KUNIT_CASE_PARAM(htab_ops_near_keys, htab_shape_prog_gen_params),
	KUNIT_CASE_PARAM(htab_ops_one_bucket, htab_shape_gen_params),
	KUNIT_CASE_PARAM(htab_ops_for_each, htab_shape_prog_gen_params),
	KUNIT_CASE_PARAM(htab_ops_next_key, htab_shape_gen_params),
	KUNIT_CASE_PARAM(htab_ops_percpu, htab_shape_percpu_gen_params),
	KUNIT_CASE_PARAM(htab_ops_lru_ref, htab_shape_lru_gen_params),
	KUNIT_CASE_PARAM(htab_ops_lru_evict, htab_flavour_lru_gen_params),
	KUNIT_CASE_PARAM(htab_ops_lru_rounding, htab_flavour_nocommon_gen_params),
	KUNIT_CASE_PARAM(htab_ops_free_lists, htab_flavour_free_lists_gen_params),
	KUNIT_CASE_PARAM(htab_ops_mem_usage, htab_shape_gen_params),
	{}
};

static struct kunit_suite htab_ops_suite = {
	.name = "bpf_htab_ops",
	.test_cases = htab_ops_cases,
};

kunit_test_suite(htab_ops_suite);

MODULE_DESCRIPTION("KUnit tests for the operations of BPF hash maps");
MODULE_LICENSE("GPL");
