// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite bpf_htab_fault: what hash maps do when something is refused.
 *
 * Each case makes an operation fail, and then looks whether everything is as
 * before: the elements with their values, the counters, the free lists, the
 * references of inner maps, the memory; and whether the map still takes exactly
 * max_entries elements. What is refused:
 *
 * - the lock of a bucket, as it is to a program in NMI that interrupted an
 *   update: updates (which have an element by then if the map is LRU), deletes,
 *   reads that delete, all batches, eviction of elements in that bucket;
 * - the locks of the free lists and LRU lists: the extra free list, elements
 *   that can be freed only later (pending_free);
 * - memory for an element or for a per-CPU value; in a kernel with failslab,
 *   each allocation of map creation and of a batch that deletes, one after
 *   another, with kmemleak as the judge of what they leave;
 * - room: at exactly max_entries, with an atomic and with a per-CPU counter,
 *   while replacing is still allowed;
 * - flags that do not go with the key, unknown flags, inner maps that do not
 *   fit;
 * - sizes whose product or sum does not fit in 32 bits: never a map with less
 *   memory than it needs.
 *
 * Old bugs that show here: elements, inner maps and counts lost on these paths,
 * an inner map freed on a failed update but still in the map, a batch that
 * deletes more than it returns, link of a batch used after it was overwritten,
 * allocations of overflowed size, maps full too early or too late, leaks and
 * double frees when map creation fails half way (with KASAN).
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/mount.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "htab_test.h"

/*
 * Three elements a CPU: LRU maps this small take them one by one, and evict
 * only if there is no free one at all.
 */
#define FAULT_PER_CPU	3
#define FAULT_ENTRIES	(FAULT_PER_CPU * num_possible_cpus())
#define FAULT_KEY_MAX	512

static void fault_on_cpu(struct kunit *test, int cpu)
{
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(cpu)), 0);
}

/* All of a case runs on one CPU, so that LRU maps find what they freed. */
static void fault_init(struct kunit *test, struct htab_test *t, const struct htab_flavour *f,
		       u32 key_size, u32 value_size, u32 max_entries)
{
	fault_on_cpu(test, cpumask_first(cpu_online_mask));
	htab_test_init(test, t, f, key_size, value_size, max_entries);
}

/* Parameters: flavours of one sort */
static const void *fault_next_flavour(struct kunit *test, const void *prev, char *desc,
				      bool (*want)(const struct htab_flavour *f))
{
	do
		prev = htab_flavour_gen_params(test, prev, desc);
	while (prev && !want(prev));
	return prev;
}

static bool fault_is_lru(const struct htab_flavour *f)
{
	return f->type == BPF_MAP_TYPE_LRU_HASH || f->type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

static bool fault_is_not_lru(const struct htab_flavour *f)
{
	return !fault_is_lru(f);
}

static bool fault_is_of_maps(const struct htab_flavour *f)
{
	return f->type == BPF_MAP_TYPE_HASH_OF_MAPS;
}

static bool fault_is_prealloc(const struct htab_flavour *f)
{
	return !(f->flags & BPF_F_NO_PREALLOC);
}

static bool fault_is_nopre(const struct htab_flavour *f)
{
	return f->flags & BPF_F_NO_PREALLOC;
}

static const void *fault_lru_gen_params(struct kunit *test, const void *prev, char *desc)
{
	return fault_next_flavour(test, prev, desc, fault_is_lru);
}

static const void *fault_not_lru_gen_params(struct kunit *test, const void *prev, char *desc)
{
	return fault_next_flavour(test, prev, desc, fault_is_not_lru);
}

static const void *fault_of_maps_gen_params(struct kunit *test, const void *prev, char *desc)
{
	return fault_next_flavour(test, prev, desc, fault_is_of_maps);
}

static const void *fault_prealloc_gen_params(struct kunit *test, const void *prev, char *desc)
{
	return fault_next_flavour(test, prev, desc, fault_is_prealloc);
}

static const void *fault_nopre_gen_params(struct kunit *test, const void *prev, char *desc)
{
	return fault_next_flavour(test, prev, desc, fault_is_nopre);
}

/* What a failed operation must not change */
struct fault_state {
	s64 sum;		/* bpf_map_sum_elem_count() */
	s64 count;		/* that says when the map is full */
	u32 keys;		/* a walk finds */
	u32 free;		/* on all free lists */
	s64 refs[HTAB_TEST_INNER];	/* of inner maps */
};

static void fault_state(struct htab_test *t, struct fault_state *s)
{
	int cpu;
	u32 i;

	memset(s, 0, sizeof(*s));
	s->sum = bpf_map_sum_elem_count(t->map);
	s->count = htab_hook_count(t->map);
	s->keys = htab_sys_count(t);
	if (t->prealloc && !t->lru) {
		s->free = htab_hook_free_elems(t->map, -1);
		for_each_possible_cpu(cpu)
			s->free += htab_hook_free_elems(t->map, cpu);
	}
	for (i = 0; i < HTAB_TEST_INNER && t->of_maps; i++)
		s->refs[i] = atomic64_read(&t->inner[i]->refcnt);
}

static void fault_expect_same(struct htab_test *t, const struct fault_state *before,
			      const char *after)
{
	struct kunit *test = t->test;
	struct fault_state now;
	u32 i;

	fault_state(t, &now);
	KUNIT_EXPECT_EQ_MSG(test, now.sum, before->sum, "after %s", after);
	KUNIT_EXPECT_EQ_MSG(test, now.count, before->count, "after %s", after);
	KUNIT_EXPECT_EQ_MSG(test, now.keys, before->keys, "after %s", after);
	KUNIT_EXPECT_EQ_MSG(test, now.free, before->free, "after %s", after);
	for (i = 0; i < HTAB_TEST_INNER; i++)
		KUNIT_EXPECT_EQ_MSG(test, now.refs[i], before->refs[i],
				    "inner map %u after %s", i, after);
}

/* Counters and free lists of a map that holds @n elements */
static void fault_expect_count(struct htab_test *t, u32 n)
{
	struct kunit *test = t->test;
	struct fault_state now;

	fault_state(t, &now);
	KUNIT_EXPECT_EQ(test, now.sum, n);
	KUNIT_EXPECT_EQ(test, now.count, t->prealloc ? -1 : (s64)n);
	KUNIT_EXPECT_EQ(test, now.keys, n);
	if (t->prealloc && !t->lru)
		KUNIT_EXPECT_EQ(test, now.free, t->map->max_entries - n);
}

/* Fills an empty map to the last element and empties it again. */
static void fault_expect_fill(struct htab_test *t)
{
	bool own_lists = t->map->map_flags & BPF_F_NO_COMMON_LRU;
	struct kunit *test = t->test;
	u32 n = 0, i, entries;
	int cpu;

	for_each_online_cpu(cpu) {
		entries = own_lists ? FAULT_PER_CPU : t->map->max_entries;
		fault_on_cpu(test, cpu);
		for (i = 0; i < entries; i++, n++)
			KUNIT_EXPECT_EQ_MSG(test, htab_prog_update(t, n, n, BPF_NOEXIST), 0,
					    "element %u", n);
		if (!own_lists)
			break;
	}
	fault_on_cpu(test, cpumask_first(cpu_online_mask));
	if (!t->lru)
		KUNIT_EXPECT_EQ(test, htab_prog_update(t, n, n, BPF_ANY), -E2BIG);
	fault_expect_count(t, n);
	while (n--)
		KUNIT_EXPECT_EQ_MSG(test, htab_prog_delete(t, n), 0, "element %u", n);
	fault_expect_count(t, 0);
}

static u32 fault_bucket(struct htab_test *t, u32 key)
{
	u8 bytes[FAULT_KEY_MAX];

	htab_test_key(t, key, bytes);
	return htab_hook_bucket(t->map, bytes);
}

/* The first key at or after @from that belongs, or does not, where @key does */
static u32 fault_key(struct htab_test *t, u32 key, u32 from, bool same_bucket)
{
	u32 bucket = fault_bucket(t, key);

	while ((fault_bucket(t, from) == bucket) != same_bucket)
		from++;
	return from;
}

/*
 * A lock that is held while its CPU goes on: what would be refused to a program
 * in NMI on top of the holder is refused to this thread, which may sleep, be
 * preempted and call bpf(2). Nobody else uses the lock. Nothing may end the case
 * until it is released.
 */
static int fault_hold(struct htab_test *t, u32 key, unsigned long *flags)
{
	u8 bytes[FAULT_KEY_MAX];
	int ret;

	htab_test_key(t, key, bytes);
	migrate_disable();
	ret = htab_hook_lock_bucket(t->map, bytes, flags);
	if (ret) {
		migrate_enable();
		return ret;
	}
	local_irq_restore(*flags);
	preempt_enable();
	return 0;
}

static void fault_release(struct htab_test *t, u32 key, unsigned long flags)
{
	u8 bytes[FAULT_KEY_MAX];

	htab_test_key(t, key, bytes);
	preempt_disable();
	local_irq_disable();
	htab_hook_unlock_bucket(t->map, bytes, flags);
	migrate_enable();
}

/* The same for the free list, or LRU list, of each CPU */
static int fault_hold_free(struct htab_test *t)
{
	int cpu, ret;

	migrate_disable();
	for_each_possible_cpu(cpu) {
		ret = htab_hook_lock_free(t->map, cpu);
		if (ret)
			return ret;
		preempt_enable();
	}
	return 0;
}

static void fault_release_free(struct htab_test *t)
{
	int cpu;

	for (cpu = nr_cpu_ids - 1; cpu >= 0; cpu--) {
		if (!cpu_possible(cpu))
			continue;
		preempt_disable();
		htab_hook_unlock_free(t->map, cpu);
	}
	migrate_enable();
}

/* Where a batch stopped: user memory behind the arguments of bpf(2) */
static u64 fault_token(struct htab_test *t)
{
	BUILD_BUG_ON(sizeof(union bpf_attr) > PAGE_SIZE / 2);
	return (unsigned long)t->uattr + PAGE_SIZE / 2;
}

/*
 * A batch. Keys and values are in t->ukey and t->uvalue; a read batch starts
 * where the last one stopped if @more.
 */
static int fault_batch(struct htab_test *t, int cmd, bool more, u32 *count)
{
	union bpf_attr attr = {
		.batch.map_fd = t->fd,
		.batch.keys = (unsigned long)t->ukey,
		.batch.values = (unsigned long)t->uvalue,
		.batch.count = *count,
	};
	int ret;

	if (cmd == BPF_MAP_LOOKUP_BATCH || cmd == BPF_MAP_LOOKUP_AND_DELETE_BATCH) {
		attr.batch.in_batch = more ? fault_token(t) : 0;
		attr.batch.out_batch = fault_token(t);
	}
	ret = htab_test_bpf(t, cmd, &attr);
	*count = attr.batch.count;
	return ret;
}

/* A batch of one key and one value */
static int fault_batch_one(struct htab_test *t, int cmd, u32 key, u32 value, u32 *count)
{
	u8 bytes[FAULT_KEY_MAX];
	void *v = kunit_kzalloc(t->test, t->sys_value_size, GFP_KERNEL);
	int ret = -ENOMEM;

	*count = 1;
	htab_test_key(t, key, bytes);
	if (v)
		htab_test_sys_value(t, value, v);
	if (v && !copy_to_user(t->ukey, bytes, t->key_size) &&
	    !copy_to_user(t->uvalue, v, t->sys_value_size))
		ret = fault_batch(t, cmd, false, count);
	kunit_kfree(t->test, v);
	return ret;
}

/* Whether key number @i of the last read batch is one of @keys; strikes it out. */
static bool fault_batch_has(struct htab_test *t, u32 i, u32 *keys, u32 n_keys)
{
	u8 bytes[FAULT_KEY_MAX];
	u32 n, j;
	void *v;
	bool is;

	v = kunit_kzalloc(t->test, t->sys_value_size, GFP_KERNEL);
	if (!v || copy_from_user(bytes, t->ukey + (size_t)i * t->key_size, t->key_size) ||
	    copy_from_user(v, t->uvalue + i * t->sys_value_size, t->sys_value_size))
		return false;
	n = htab_test_key_number(t, bytes);
	/* its value has the same number */
	is = htab_test_sys_value_is(t, n, v);
	kunit_kfree(t->test, v);
	for (j = 0; is && j < n_keys; j++) {
		if (keys[j] != n)
			continue;
		keys[j] = U32_MAX;
		return true;
	}
	return false;
}

/* Two elements in the locked bucket, none elsewhere */
static void htab_fault_bucket_lock(struct kunit *test)
{
	struct fault_state before;
	u32 a, b, new, other, count;
	unsigned long flags;
	struct htab_test t;
	int no_take;

	fault_init(test, &t, test->param_value, 8, 8, FAULT_ENTRIES);
	no_take = t.of_maps ? -ENOTSUPP : -EDEADLK;
	a = 1;
	b = fault_key(&t, a, 2, true);
	new = fault_key(&t, a, b + 1, true);
	other = fault_key(&t, a, 2, false);
	KUNIT_ASSERT_EQ(test, htab_sys_update(&t, a, 10, BPF_ANY), 0);
	KUNIT_ASSERT_EQ(test, htab_sys_update(&t, b, 11, BPF_ANY), 0);
	fault_state(&t, &before);

	KUNIT_ASSERT_EQ(test, fault_hold(&t, a, &flags), 0);

#define REFUSED(call)								\
	do {									\
		KUNIT_EXPECT_EQ(test, call, -EDEADLK);				\
		fault_expect_same(&t, &before, #call);				\
	} while (0)
	REFUSED(htab_prog_update(&t, a, 2, BPF_ANY));
	REFUSED(htab_prog_update(&t, a, 2, BPF_EXIST));
	REFUSED(htab_prog_update(&t, a, 2, BPF_NOEXIST));
	REFUSED(htab_prog_update(&t, new, 2, BPF_ANY));
	REFUSED(htab_prog_update(&t, new, 2, BPF_NOEXIST));
	REFUSED(htab_prog_update(&t, new, 2, BPF_EXIST));
	REFUSED(htab_prog_delete(&t, a));
	REFUSED(htab_prog_delete(&t, new));
	REFUSED(htab_sys_update(&t, b, 2, BPF_ANY));
	REFUSED(htab_sys_update(&t, new, 2, BPF_ANY));
	REFUSED(htab_sys_delete(&t, b));
	REFUSED(htab_sys_delete(&t, new));
#undef REFUSED
	KUNIT_EXPECT_EQ(test, htab_sys_lookup_and_delete(&t, a, 10), no_take);
	fault_expect_same(&t, &before, "lookup and delete");
	KUNIT_EXPECT_EQ(test, htab_sys_lookup_and_delete(&t, new, 10), no_take);
	fault_expect_same(&t, &before, "lookup and delete of a missing key");

	count = t.map->max_entries;
	KUNIT_EXPECT_EQ(test, fault_batch(&t, BPF_MAP_LOOKUP_BATCH, false, &count), -EDEADLK);
	KUNIT_EXPECT_EQ(test, count, 0);
	fault_expect_same(&t, &before, "lookup batch");
	count = t.map->max_entries;
	KUNIT_EXPECT_EQ(test, fault_batch(&t, BPF_MAP_LOOKUP_AND_DELETE_BATCH, false, &count),
			-EDEADLK);
	KUNIT_EXPECT_EQ(test, count, 0);
	fault_expect_same(&t, &before, "lookup and delete batch");
	KUNIT_EXPECT_EQ(test, fault_batch_one(&t, BPF_MAP_UPDATE_BATCH, a, 2, &count), -EDEADLK);
	KUNIT_EXPECT_EQ(test, count, 0);
	fault_expect_same(&t, &before, "update batch");
	KUNIT_EXPECT_EQ(test, fault_batch_one(&t, BPF_MAP_UPDATE_BATCH, new, 2, &count),
			-EDEADLK);
	KUNIT_EXPECT_EQ(test, count, 0);
	fault_expect_same(&t, &before, "update batch with a new key");
	KUNIT_EXPECT_EQ(test, fault_batch_one(&t, BPF_MAP_DELETE_BATCH, a, 0, &count), -EDEADLK);
	KUNIT_EXPECT_EQ(test, count, 0);
	fault_expect_same(&t, &before, "delete batch");

	/* Reads need no lock, other buckets have their own. */
	KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, a, 10), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, b, 11), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, new, 2), -ENOENT);
	KUNIT_EXPECT_EQ(test, htab_prog_update(&t, other, 3, BPF_NOEXIST), 0);
	KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, other, 3), 0);
	KUNIT_EXPECT_EQ(test, htab_prog_delete(&t, other), 0);
	fault_expect_same(&t, &before, "work in another bucket");

	fault_release(&t, a, flags);

	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, a, 10), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, b, 11), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, a, 12, BPF_EXIST), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, a, 12), 0);
	KUNIT_EXPECT_EQ(test, htab_prog_delete(&t, a), 0);
	KUNIT_EXPECT_EQ(test, htab_prog_delete(&t, b), 0);
	fault_expect_fill(&t);
}

/*
 * A batch that deletes gets some buckets and then a locked one: it has returned
 * what it deleted, and goes on where it stopped.
 */
static void htab_fault_batch_lock(struct kunit *test)
{
	u32 keys[FAULT_PER_CPU], first, later, n, got, count, i;
	unsigned long flags;
	struct htab_test t;

	fault_init(test, &t, test->param_value, 8, 8, FAULT_ENTRIES);
	/* two keys in one bucket, one in a later one */
	later = 1;
	while (!fault_bucket(&t, later))
		later++;
	first = 0;
	while (fault_bucket(&t, first) >= fault_bucket(&t, later))
		first++;
	keys[0] = first;
	keys[1] = fault_key(&t, first, first + 1, true);
	keys[2] = later;
	for (n = 0; n < ARRAY_SIZE(keys); n++)
		KUNIT_ASSERT_EQ(test, htab_sys_update(&t, keys[n], keys[n], BPF_ANY), 0);

	KUNIT_ASSERT_EQ(test, fault_hold(&t, later, &flags), 0);
	count = t.map->max_entries;
	KUNIT_EXPECT_EQ(test, fault_batch(&t, BPF_MAP_LOOKUP_AND_DELETE_BATCH, false, &count),
			-EDEADLK);
	KUNIT_EXPECT_EQ(test, count, 2);
	got = min_t(u32, count, t.map->max_entries);
	for (i = 0; i < got; i++)
		KUNIT_EXPECT_TRUE(test, fault_batch_has(&t, i, keys, 2));
	fault_expect_count(&t, 1);
	/* still refused, nothing more returned */
	count = t.map->max_entries;
	KUNIT_EXPECT_EQ(test, fault_batch(&t, BPF_MAP_LOOKUP_AND_DELETE_BATCH, true, &count),
			-EDEADLK);
	KUNIT_EXPECT_EQ(test, count, 0);
	fault_expect_count(&t, 1);
	fault_release(&t, later, flags);

	count = t.map->max_entries;
	KUNIT_EXPECT_EQ(test, fault_batch(&t, BPF_MAP_LOOKUP_AND_DELETE_BATCH, true, &count),
			-ENOENT);
	KUNIT_EXPECT_EQ(test, count, 1);
	KUNIT_EXPECT_TRUE(test, fault_batch_has(&t, 0, &keys[2], 1));
	fault_expect_count(&t, 0);
	fault_expect_fill(&t);
}

/* A full LRU map whose elements are all in a locked bucket has none to evict. */
static void htab_fault_evict_lock(struct kunit *test)
{
	u32 n_keys, key, other, n;
	struct fault_state before;
	unsigned long flags;
	struct htab_test t;

	fault_init(test, &t, test->param_value, 8, 8, FAULT_ENTRIES);
	n_keys = t.map->map_flags & BPF_F_NO_COMMON_LRU ? FAULT_PER_CPU : t.map->max_entries;
	for (key = 0, n = 0; n < n_keys; n++, key++) {
		key = fault_key(&t, 0, key, true);
		KUNIT_ASSERT_EQ(test, htab_prog_update(&t, key, key, BPF_ANY), 0);
	}
	other = fault_key(&t, 0, 0, false);
	fault_expect_count(&t, n_keys);
	fault_state(&t, &before);

	KUNIT_ASSERT_EQ(test, fault_hold(&t, 0, &flags), 0);
	for (n = 0; n < 2 * n_keys; n++)
		KUNIT_EXPECT_EQ(test, htab_prog_update(&t, other, 1, BPF_ANY), -ENOMEM);
	fault_expect_same(&t, &before, "eviction");
	fault_release(&t, 0, flags);

	for (key = 0, n = 0; n < n_keys; n++, key++) {
		key = fault_key(&t, 0, key, true);
		KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, key, key), 0);
	}
	/* now one of them goes */
	KUNIT_EXPECT_EQ(test, htab_prog_update(&t, other, 1, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, other, 1), 0);
	fault_expect_count(&t, n_keys);
	for (key = 0, n = 0; n < n_keys; n++, key++) {
		key = fault_key(&t, 0, key, true);
		htab_prog_delete(&t, key);
	}
	KUNIT_EXPECT_EQ(test, htab_prog_delete(&t, other), 0);
	fault_expect_fill(&t);
}

/*
 * The lists of free elements are locked. Elements still come back: to the extra
 * list, or they are marked for later if the map is LRU.
 */
static void htab_fault_free_lock(struct kunit *test)
{
	struct fault_state before;
	struct htab_test t;
	u32 n;

	fault_init(test, &t, test->param_value, 8, 8, FAULT_ENTRIES);
	for (n = 0; n < FAULT_PER_CPU; n++)
		KUNIT_ASSERT_EQ(test, htab_prog_update(&t, n, n, BPF_ANY), 0);

	if (fault_hold_free(&t)) {
		KUNIT_FAIL(test, "free lists cannot be locked, some stay locked");
		return;
	}
	/* overwriting needs no free element, but in LRU_HASH */
	KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 0, 7, BPF_EXIST),
			t.type == BPF_MAP_TYPE_LRU_HASH ? -ENOMEM : 0);
	KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, 0,
					       t.type == BPF_MAP_TYPE_LRU_HASH ? 0 : 7), 0);
	/* nothing to insert with */
	fault_state(&t, &before);
	KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 100, 1, BPF_ANY), t.lru ? -ENOMEM : -E2BIG);
	KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 101, 1, BPF_NOEXIST),
			t.lru ? -ENOMEM : -E2BIG);
	fault_expect_same(&t, &before, "insert");

	KUNIT_EXPECT_EQ(test, htab_prog_delete(&t, 1), 0);
	KUNIT_EXPECT_EQ(test, htab_prog_delete(&t, 2), 0);
	fault_expect_count(&t, 1);
	if (!t.lru) {
		KUNIT_EXPECT_EQ(test, htab_hook_free_elems(t.map, -1), 2);
		/* inserts take from there */
		KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 102, 8, BPF_NOEXIST), 0);
		KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, 102, 8), 0);
		KUNIT_EXPECT_EQ(test, htab_hook_free_elems(t.map, -1), 1);
		KUNIT_EXPECT_EQ(test, htab_prog_delete(&t, 102), 0);
		KUNIT_EXPECT_EQ(test, htab_hook_free_elems(t.map, -1), 2);
	}
	fault_release_free(&t);
	fault_expect_count(&t, 1);

	/* LRU takes up what was marked when it needs it, and evicts with it. */
	for (n = 200; n < 200 + FAULT_ENTRIES; n++)
		KUNIT_EXPECT_EQ(test, htab_prog_update(&t, n, n, BPF_ANY),
				n == 200 + FAULT_ENTRIES - 1 && !t.lru ? -E2BIG : 0);
	htab_prog_delete(&t, 0);
	for (n = 200; n < 200 + FAULT_ENTRIES; n++)
		htab_prog_delete(&t, n);
	fault_expect_fill(&t);
}

static s64 fault_ref(struct htab_test *t, u32 i)
{
	return atomic64_read(&t->inner[i]->refcnt);
}

/* Maps are freed by a worker. */
static void fault_wait_ref(struct htab_test *t, u32 i, s64 want)
{
	unsigned long end = jiffies + 10 * HZ;

	while (fault_ref(t, i) != want && time_before(jiffies, end))
		msleep(20);
	KUNIT_EXPECT_EQ_MSG(t->test, fault_ref(t, i), want, "inner map %u", i);
}

/* Value n is inner map n % HTAB_TEST_INNER. */
static void htab_fault_inner_refs(struct kunit *test)
{
	union bpf_attr wrong_attr = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = 4,
		.value_size = 16,	/* other than that of the template */
		.max_entries = 1,
	};
	const struct htab_flavour *f = test->param_value;
	union bpf_attr attr, batch;
	s64 ref[HTAB_TEST_INNER];
	int fd, wrong, fds[3];
	u8 keys[3 * 8];
	struct htab_test t;
	u32 i, n;

	fault_init(test, &t, f, 8, 4, FAULT_ENTRIES);
	for (i = 0; i < HTAB_TEST_INNER; i++)
		ref[i] = fault_ref(&t, i);
	wrong = htab_test_bpf(&t, BPF_MAP_CREATE, &wrong_attr);
	htab_test_close_fd(test, wrong);

#define REFS(a, b, c)						\
	do {							\
		KUNIT_EXPECT_EQ(test, fault_ref(&t, 0), ref[0] + (a));	\
		KUNIT_EXPECT_EQ(test, fault_ref(&t, 1), ref[1] + (b));	\
		KUNIT_EXPECT_EQ(test, fault_ref(&t, 2), ref[2] + (c));	\
	} while (0)
	/* insert, failed inserts */
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 5, 0, BPF_NOEXIST), 0);
	REFS(1, 0, 0);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 5, 1, BPF_NOEXIST), -EEXIST);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 5, 0, BPF_NOEXIST), -EEXIST);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 6, 1, BPF_EXIST), -ENOENT);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 6, 1, BPF_EXIST + 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 5, 1, BPF_F_LOCK), -EINVAL);
	REFS(1, 0, 0);
	/* replace, by another and by the same map */
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 5, 1, BPF_ANY), 0);
	REFS(0, 1, 0);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 5, 1, BPF_EXIST), 0);
	REFS(0, 1, 0);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, 5, 1), 0);
	/* one map under several keys */
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 6, 1, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 7, 2, BPF_ANY), 0);
	REFS(0, 2, 1);
	KUNIT_EXPECT_EQ(test, htab_sys_delete(&t, 5), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_delete(&t, 5), -ENOENT);
	REFS(0, 1, 1);
	/* to the last element, and one more */
	for (n = 10; n < 10 + FAULT_ENTRIES - 2; n++)
		KUNIT_EXPECT_EQ(test, htab_sys_update(&t, n, 0, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 5, 2, BPF_ANY), -E2BIG);
	REFS(FAULT_ENTRIES - 2, 1, 1);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 6, 2, BPF_ANY), 0);
	REFS(FAULT_ENTRIES - 2, 0, 2);
	/* a batch that deletes, after which the map is empty */
	n = t.map->max_entries;
	KUNIT_EXPECT_EQ(test, fault_batch(&t, BPF_MAP_LOOKUP_AND_DELETE_BATCH, false, &n),
			-ENOENT);
	KUNIT_EXPECT_EQ(test, n, t.map->max_entries);
	REFS(0, 0, 0);
	/* an update batch that fails half way: a map that does not fit */
	for (i = 0; i < 3; i++)
		htab_test_key(&t, 20 + i, keys + i * 8);
	fds[0] = t.inner_fd[0];
	fds[1] = t.inner_fd[1];
	fds[2] = wrong;
	KUNIT_ASSERT_EQ(test, copy_to_user(t.ukey, keys, sizeof(keys)), 0);
	KUNIT_ASSERT_EQ(test, copy_to_user(t.uvalue, fds, sizeof(fds)), 0);
	batch = (union bpf_attr) {
		.batch.map_fd = t.fd,
		.batch.keys = (unsigned long)t.ukey,
		.batch.values = (unsigned long)t.uvalue,
		.batch.count = 3,
	};
	htab_test_refill();
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&t, BPF_MAP_UPDATE_BATCH, &batch), -EINVAL);
	KUNIT_EXPECT_EQ(test, batch.batch.count, 2);
	REFS(1, 1, 0);
	KUNIT_EXPECT_EQ(test, htab_sys_delete(&t, 20), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_delete(&t, 21), 0);
	REFS(0, 0, 0);
	/* a descriptor that is not of a map at all */
	attr = (union bpf_attr) {
		.map_fd = t.fd,
		.key = (unsigned long)t.ukey,
		.value = (unsigned long)t.uvalue,
	};
	fd = -1;
	KUNIT_ASSERT_EQ(test, copy_to_user(t.uvalue, &fd, sizeof(fd)), 0);
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&t, BPF_MAP_UPDATE_ELEM, &attr), -EBADF);
	REFS(0, 0, 0);
	fault_expect_count(&t, 0);

	/* a map that is freed with elements; its template counts too, or not */
	attr = htab_test_attr(&t, f, 8, 4, FAULT_ENTRIES);
	fd = htab_test_bpf(&t, BPF_MAP_CREATE, &attr);
	KUNIT_ASSERT_GE(test, fd, 0);
	swap(fd, t.fd);
	for (n = 0; n < FAULT_ENTRIES; n++)
		KUNIT_EXPECT_EQ(test, htab_sys_update(&t, n, n % 3, BPF_ANY), 0);
	swap(fd, t.fd);
	REFS(FAULT_ENTRIES / 3, FAULT_ENTRIES / 3, FAULT_ENTRIES / 3);
	close_fd(fd);
	for (i = 0; i < 3; i++)
		fault_wait_ref(&t, i, ref[i]);
	REFS(0, 0, 0);
#undef REFS
	fault_expect_fill(&t);
	for (i = 0; i < HTAB_TEST_INNER; i++)
		KUNIT_EXPECT_EQ(test, fault_ref(&t, i), ref[i]);
}

/* Updates without anything that could let the allocator refill */
static int fault_update_irqs_off(struct htab_test *t, u32 key, u32 value, u64 flags)
{
	u8 bytes[FAULT_KEY_MAX];
	u64 v;
	int ret;

	htab_test_key(t, key, bytes);
	if (t->of_maps)
		return bpf_fd_htab_map_update_elem(t->map, NULL, bytes,
						   &t->inner_fd[value % HTAB_TEST_INNER], flags);
	htab_test_value(t, value, &v);
	rcu_read_lock();
	ret = t->map->ops->map_update_elem(t->map, bytes, &v, flags);
	rcu_read_unlock();
	return ret;
}

static u64 fault_given(struct htab_test *t)
{
	struct htab_hook_given given;

	htab_hook_given(t->map, &given);
	return given.elems + given.spare + given.values;
}

/*
 * With interrupts off the allocator's caches run dry. Per-CPU values run dry
 * before elements; with keys over 256 bytes there is one element to begin with,
 * and elements run dry before values.
 */
static void fault_no_memory(struct kunit *test, u32 key_size)
{
	const u32 attempts = 40, entries = 4096;
	u64 given, given_before;
	struct htab_test t;
	unsigned long flags;
	s64 ref = 0;
	u32 n, i, round;
	int ret;

	fault_init(test, &t, test->param_value, key_size, 8, entries);
	if (t.of_maps)
		ref = fault_ref(&t, 0);
	n = 0;
	/* the first round with what the map was created with */
	for (round = 0; round < 3; round++) {
		u32 refused = 0, first = n;

		local_irq_save(flags);
		do
			ret = fault_update_irqs_off(&t, n, n, BPF_NOEXIST);
		while (!ret && ++n < entries / 2);
		given_before = fault_given(&t);
		for (i = 0; i < attempts; i++)
			refused += fault_update_irqs_off(&t, n + i, 0, BPF_ANY) == -ENOMEM;
		given = fault_given(&t);
		local_irq_restore(flags);

		KUNIT_EXPECT_EQ(test, ret, -ENOMEM);
		KUNIT_EXPECT_GT_MSG(test, n, first, "round %u", round);
		KUNIT_EXPECT_EQ_MSG(test, refused, attempts, "round %u", round);
		KUNIT_EXPECT_EQ_MSG(test, given, given_before, "round %u", round);
		fault_expect_count(&t, n);
		if (t.of_maps)
			KUNIT_EXPECT_EQ(test, fault_ref(&t, 0) - ref, DIV_ROUND_UP(n, 4));

		/* replacing: in place, or with a new element that is not there */
		local_irq_save(flags);
		while (!fault_update_irqs_off(&t, n, n, BPF_NOEXIST))
			n++;
		ret = fault_update_irqs_off(&t, 0, 4, BPF_EXIST);
		local_irq_restore(flags);
		if (t.percpu || t.of_maps)
			KUNIT_EXPECT_EQ(test, ret, 0);
		else
			KUNIT_EXPECT_EQ(test, ret, -ENOMEM);
		KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, 0, t.percpu ? 4 : 0), 0);
		KUNIT_EXPECT_EQ(test, bpf_map_sum_elem_count(t.map), n);
		KUNIT_EXPECT_EQ(test, htab_hook_count(t.map), n);

		/* works again: htab_prog_update() lets the allocator refill first */
		KUNIT_EXPECT_EQ(test, htab_prog_update(&t, n, n, BPF_NOEXIST), 0);
		KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, n, n), 0);
		n++;
		htab_test_refill();
	}
	for (i = 1; i < n; i++)
		KUNIT_EXPECT_EQ(test, htab_prog_lookup(&t, i, i), 0);
	for (i = 0; i < n; i++)
		KUNIT_EXPECT_EQ(test, htab_prog_delete(&t, i), 0);
	fault_expect_count(&t, 0);
	if (t.of_maps)
		KUNIT_EXPECT_EQ(test, fault_ref(&t, 0), ref);
}

static void htab_fault_no_memory(struct kunit *test)
{
	fault_no_memory(test, 8);
}

static void htab_fault_no_memory_large_key(struct kunit *test)
{
	fault_no_memory(test, 300);
}

/* As user space writes, but without waiting for a grace period each time */
static int fault_update(struct htab_test *t, u32 key, u32 value, u64 flags)
{
	return t->of_maps ? htab_prog_update(t, key, value, flags) :
			    htab_sys_update(t, key, value, flags);
}

/* One after another of the CPUs inserts; the map is full at exactly max_entries. */
static void fault_full(struct kunit *test, u32 entries)
{
	struct htab_test t;
	u32 n;
	int cpu;

	fault_init(test, &t, test->param_value, 8, 8, entries);
	cpu = cpumask_first(cpu_online_mask);
	for (n = 0; n < entries; n++) {
		if (n % 7 == 0) {
			fault_on_cpu(test, cpu);
			cpu = cpumask_next_wrap(cpu, cpu_online_mask);
		}
		KUNIT_ASSERT_EQ(test, fault_update(&t, n, n, BPF_NOEXIST), 0);
	}
	fault_expect_count(&t, entries);
	for_each_online_cpu(cpu) {
		fault_on_cpu(test, cpu);
		KUNIT_EXPECT_EQ(test, fault_update(&t, n, n, BPF_ANY), -E2BIG);
		KUNIT_EXPECT_EQ(test, htab_prog_update(&t, n, n, BPF_NOEXIST), -E2BIG);
		KUNIT_EXPECT_EQ(test, fault_update(&t, n, n, BPF_EXIST), -ENOENT);
		KUNIT_EXPECT_EQ(test, fault_update(&t, 0, 1, BPF_NOEXIST), -EEXIST);
		fault_expect_count(&t, entries);
		/* replacing all of it */
		for (n = 0; n < entries; n++) {
			u64 flags = n % 2 ? BPF_ANY : BPF_EXIST;

			KUNIT_EXPECT_EQ(test, fault_update(&t, n, n + 1 + cpu, flags), 0);
		}
		fault_expect_count(&t, entries);
		KUNIT_EXPECT_EQ(test, fault_update(&t, n, n, BPF_ANY), -E2BIG);
		for (n = 0; n < entries; n++)
			KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, n, n + 1 + cpu), 0);
		/* one goes, another comes */
		KUNIT_EXPECT_EQ(test, htab_prog_delete(&t, 3), 0);
		fault_expect_count(&t, entries - 1);
		KUNIT_EXPECT_EQ(test, fault_update(&t, entries, 3, BPF_ANY), 0);
		KUNIT_EXPECT_EQ(test, fault_update(&t, 3, 3, BPF_ANY), -E2BIG);
		KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, entries, 3), 0);
		KUNIT_EXPECT_EQ(test, htab_prog_delete(&t, entries), 0);
		KUNIT_EXPECT_EQ(test, fault_update(&t, 3, 3, BPF_ANY), 0);
		fault_expect_count(&t, entries);
	}
}

static void htab_fault_full(struct kunit *test)
{
	fault_full(test, 16);
}

static void htab_fault_full_small(struct kunit *test)
{
	fault_full(test, 4);
}

/* Enough for a per-CPU counter: more than twice its batch of 32 for each CPU */
static void htab_fault_full_large(struct kunit *test)
{
	fault_full(test, 2 * 32 * num_possible_cpus() + 50);
}

/*
 * An update that its flags forbid, or that has wrong ones. LRU maps have taken
 * a free element by then; one short of full, they evict as soon as one is lost.
 */
static void htab_fault_flags(struct kunit *test)
{
	const u32 attempts = 3 * FAULT_ENTRIES;
	struct fault_state before;
	u32 n_keys, n, i, count;
	struct htab_test t;

	fault_init(test, &t, test->param_value, 8, 8, FAULT_ENTRIES);
	n_keys = (t.map->map_flags & BPF_F_NO_COMMON_LRU ? FAULT_PER_CPU : FAULT_ENTRIES) - 1;
	for (n = 0; n < n_keys; n++)
		KUNIT_ASSERT_EQ(test, htab_sys_update(&t, n, n, BPF_ANY), 0);
	fault_state(&t, &before);
	for (i = 0; i < attempts; i++) {
		KUNIT_EXPECT_EQ(test, htab_prog_update(&t, i % n_keys, 99, BPF_NOEXIST), -EEXIST);
		KUNIT_EXPECT_EQ(test, htab_sys_update(&t, i % n_keys, 99, BPF_NOEXIST), -EEXIST);
		KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 100, 99, BPF_EXIST), -ENOENT);
		KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 100, 99, BPF_EXIST), -ENOENT);
	}
	fault_expect_same(&t, &before, "forbidden updates");
	for (i = 0; i < attempts; i++) {
		KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 100, 99, BPF_EXIST + 1), -EINVAL);
		KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 0, 99, BPF_F_LOCK), -EINVAL);
		KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 0, 99, BPF_F_LOCK | BPF_EXIST), -EINVAL);
		KUNIT_EXPECT_EQ(test, htab_prog_update(&t, 0, 99, 1ULL << 63), -EINVAL);
		KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 0, 99, BPF_F_LOCK), -EINVAL);
		KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 0, 99, 2 * BPF_F_ALL_CPUS), -EINVAL);
		if (!t.percpu)
			KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 0, 99, BPF_NOEXIST | BPF_EXIST),
					-EINVAL);
	}
	fault_expect_same(&t, &before, "unknown flags");
	KUNIT_EXPECT_EQ(test, fault_batch_one(&t, BPF_MAP_DELETE_BATCH, 100, 0, &count), -ENOENT);
	KUNIT_EXPECT_EQ(test, htab_prog_delete(&t, 100), -ENOENT);
	KUNIT_EXPECT_EQ(test, htab_sys_delete(&t, 100), -ENOENT);
	fault_expect_same(&t, &before, "deletes of a missing key");
	for (n = 0; n < n_keys; n++)
		KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, n, n), 0);
	/*
	 * Expected failure: -EINVAL would be right. htab_map_check_update_flags()
	 * lets bpf(2) pass this to a per-CPU map, where it means BPF_ANY.
	 */
	if (t.percpu)
		KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 0, 99, BPF_NOEXIST | BPF_EXIST), 0);
	for (n = 0; n < n_keys; n++)
		KUNIT_EXPECT_EQ(test, htab_sys_delete(&t, n), 0);
	fault_expect_fill(&t);
}

/* Sizes that no kernel can have, or that overflow 32 bits */
static void htab_fault_sizes(struct kunit *test)
{
	static const struct {
		u32 key_size, value_size, max_entries;
		int err;
	} sizes[] = {
		/* nothing */
		{ 0, 8, 8, -EINVAL },
		{ 8, 0, 8, -EINVAL },
		{ 8, 8, 0, -EINVAL },
		/* number of buckets, or bytes of them */
		{ 8, 8, U32_MAX, -E2BIG },
		{ 8, 8, (1U << 31) + 1, -E2BIG },
		{ 8, 8, 1U << 31, -E2BIG },
		/* key and value, alone and together: 8 bytes in 32 bits */
		{ U32_MAX, 8, 8, -E2BIG },
		{ U32_MAX - 7, 16, 8, -E2BIG },
		{ U32_MAX - 6, 8, 8, -E2BIG },
		{ 8, U32_MAX, 8, -E2BIG },
		{ 16, U32_MAX - 7, 8, -E2BIG },
		{ 1U << 31, 1U << 31, 8, -E2BIG },
		{ KMALLOC_MAX_SIZE, 8, 8, -E2BIG },
		{ 8, KMALLOC_MAX_SIZE, 8, -E2BIG },
	};
	const struct htab_flavour *f = test->param_value;
	struct htab_test t;
	union bpf_attr attr;
	u32 i;
	int ret;

	htab_test_start(test, &t);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		attr = htab_test_attr(&t, f, sizes[i].key_size, sizes[i].value_size,
				      sizes[i].max_entries);
		if (f->type == BPF_MAP_TYPE_HASH_OF_MAPS) {
			/* to the kernel only 4 is right */
			if (sizes[i].value_size > 16)
				continue;
			if (sizes[i].value_size != 8)
				attr.value_size = sizes[i].value_size;
		}
		ret = htab_test_bpf(&t, BPF_MAP_CREATE, &attr);
		if (ret >= 0)
			close_fd(ret);
		if (f->type == BPF_MAP_TYPE_HASH_OF_MAPS && attr.value_size != 4)
			KUNIT_EXPECT_EQ(test, ret, -EINVAL);
		else
			KUNIT_EXPECT_EQ_MSG(test, ret, sizes[i].err, "key %u value %u entries %u",
					    sizes[i].key_size, sizes[i].value_size,
					    sizes[i].max_entries);
	}
}

/*
 * All elements together are more than there is memory, but in 32 bits they
 * would be a few megabytes.
 */
static void htab_fault_product(struct kunit *test)
{
	const struct htab_flavour *f = test->param_value;
	u64 size = 1 << 16, memory = (u64)totalram_pages() << PAGE_SHIFT;
	struct htab_test t;
	union bpf_attr attr;
	int ret;

	while (size << 16 <= memory)
		size <<= 1;
	/* a byte too few, for what is rounded up */
	if (size + 1024 >= KMALLOC_MAX_SIZE)
		kunit_skip(test, "too much memory");
	htab_test_start(test, &t);
	attr = htab_test_attr(&t, f, size, 8, 1 << 16);
	ret = htab_test_bpf(&t, BPF_MAP_CREATE, &attr);
	KUNIT_EXPECT_EQ(test, ret, -ENOMEM);
	if (ret >= 0)
		close_fd(ret);
	if (f->type != BPF_MAP_TYPE_HASH && f->type != BPF_MAP_TYPE_LRU_HASH)
		return;
	attr = htab_test_attr(&t, f, 8, size, 1 << 16);
	ret = htab_test_bpf(&t, BPF_MAP_CREATE, &attr);
	KUNIT_EXPECT_EQ(test, ret, -ENOMEM);
	if (ret >= 0)
		close_fd(ret);
}

#if IS_ENABLED(CONFIG_DEBUG_FS)
static struct file *fault_debugfs_open(const char *name, int flags)
{
	struct vfsmount *mnt = NULL;
	struct file *file;
	int count = 0, ret;

	ret = simple_pin_fs(get_fs_type("debugfs"), &mnt, &count);
	if (ret)
		return ERR_PTR(ret);
	file = file_open_root_mnt(mnt, name, flags, 0);
	simple_release_fs(&mnt, &count);
	return file;
}

/* Writes to a file of debugfs, whose operation wants user memory. */
static int fault_debugfs_write(struct htab_test *t, const char *name, const char *what)
{
	struct file *file = fault_debugfs_open(name, O_WRONLY);
	loff_t pos = 0;
	int ret;

	if (IS_ERR(file))
		return PTR_ERR(file);
	ret = copy_to_user(t->uvalue, what, strlen(what)) ? -EFAULT : 0;
	if (!ret)
		ret = file->f_op->write(file, t->uvalue, strlen(what), &pos);
	fput(file);
	return ret < 0 ? ret : 0;
}

/* Reads a file of debugfs, as text. */
static int fault_debugfs_read(struct htab_test *t, const char *name, char *text, size_t size)
{
	struct file *file = fault_debugfs_open(name, O_RDONLY);
	size_t len = 0;
	loff_t pos = 0;
	ssize_t n;

	if (IS_ERR(file))
		return PTR_ERR(file);
	do {
		n = min_t(size_t, size - 1 - len, PAGE_SIZE);
		n = file->f_op->read(file, t->uvalue, n, &pos);
		if (n > 0 && copy_from_user(text + len, t->uvalue, n))
			n = -EFAULT;
		len += max_t(ssize_t, n, 0);
	} while (n > 0 && len < size - 1);
	text[len] = 0;
	fput(file);
	return n < 0 ? n : 0;
}
#else
static int fault_debugfs_write(struct htab_test *t, const char *name, const char *what)
{
	return -ENODEV;
}

static int fault_debugfs_read(struct htab_test *t, const char *name, char *text, size_t size)
{
	return -ENODEV;
}
#endif

#if IS_ENABLED(CONFIG_FAILSLAB) && IS_ENABLED(CONFIG_FAULT_INJECTION_DEBUG_FS)
static void fault_failslab_set(struct htab_test *t, const char *name, const char *value)
{
	char path[64];

	snprintf(path, sizeof(path), "failslab/%s", name);
	KUNIT_ASSERT_EQ_MSG(t->test, fault_debugfs_write(t, path, value), 0, "%s", path);
}

/*
 * Nothing is refused yet; then to this task only, also where it may wait, and
 * without a stack dump for each time.
 */
static void fault_failslab_init(struct htab_test *t)
{
	fault_failslab_set(t, "probability", "0");
	fault_failslab_set(t, "task-filter", "Y");
	fault_failslab_set(t, "ignore-gfp-wait", "N");
	fault_failslab_set(t, "verbose", "0");
}

/* bpf(2) with the @nth allocation from slab refused. @used: was there one? */
static int fault_bpf_nth(struct htab_test *t, int cmd, union bpf_attr *attr, u32 nth, bool *used)
{
	int ret;

	WRITE_ONCE(current->fail_nth, nth);
	ret = htab_test_bpf(t, cmd, attr);
	*used = !READ_ONCE(current->fail_nth);
	WRITE_ONCE(current->fail_nth, 0);
	return ret;
}

/*
 * bpf(2) with all allocations from slab refused after the first @bytes, so that
 * falling back to vmalloc() fails as well. @used: was any refused?
 */
static int fault_bpf_after(struct htab_test *t, int cmd, union bpf_attr *attr, u32 bytes,
			   bool *used)
{
	char text[16];
	int ret;

	snprintf(text, sizeof(text), "%u", bytes);
	fault_failslab_set(t, "space", text);
	fault_failslab_set(t, "times", "1000000");
	fault_failslab_set(t, "probability", "100");
	current->make_it_fail = 1;
	ret = htab_test_bpf(t, cmd, attr);
	current->make_it_fail = 0;
	fault_failslab_set(t, "probability", "0");
	KUNIT_ASSERT_EQ(t->test, fault_debugfs_read(t, "failslab/times", text, sizeof(text)), 0);
	*used = strcmp(strim(text), "1000000");
	return ret;
}
#else
static void fault_failslab_init(struct htab_test *t)
{
	kunit_skip(t->test, "needs FAILSLAB and FAULT_INJECTION_DEBUG_FS");
}

static int fault_bpf_nth(struct htab_test *t, int cmd, union bpf_attr *attr, u32 nth, bool *used)
{
	return -EOPNOTSUPP;
}

static int fault_bpf_after(struct htab_test *t, int cmd, union bpf_attr *attr, u32 bytes,
			   bool *used)
{
	return -EOPNOTSUPP;
}
#endif

#define FAULT_NTH_MAX	2000
#define FAULT_BYTES_MAX	(256 * 1024)

/* Creates a map, expects it or -ENOMEM, and says whether that was refused. */
static bool fault_create_one(struct kunit *test, struct htab_test *t, u32 value_size, u32 entries,
			     int (*bpf)(struct htab_test *t, int cmd, union bpf_attr *attr,
					u32 where, bool *used),
			     u32 where, bool *used)
{
	union bpf_attr attr = htab_test_attr(t, test->param_value, 8, value_size, entries);
	int ret = bpf(t, BPF_MAP_CREATE, &attr, where, used);

	if (!*used)
		KUNIT_EXPECT_GE_MSG(test, ret, 0, "nothing refused, at %u", where);
	else if (ret < 0)
		KUNIT_EXPECT_EQ_MSG(test, ret, -ENOMEM, "refused at %u", where);
	if (ret >= 0)
		close_fd(ret);
	cond_resched();
	return ret < 0;
}

/*
 * Refuses allocations of map creation: one after another, then all after every
 * @step bytes. What is left behind is for htab_fault_kmemleak() to find, what
 * is freed twice for KASAN.
 */
static void fault_create(struct kunit *test, u32 value_size, u32 entries, u32 step)
{
	u32 where, one = 0, all = 0;
	struct htab_test t;
	bool used = true;

	htab_test_start(test, &t);
	fault_failslab_init(&t);
	for (where = 1; used && where < FAULT_NTH_MAX; where++)
		one += fault_create_one(test, &t, value_size, entries, fault_bpf_nth, where, &used);
	KUNIT_EXPECT_FALSE(test, used);
	/* the map, its buckets, its file at the least */
	KUNIT_EXPECT_GT(test, where, 3);
	KUNIT_EXPECT_GE(test, one, 1);
	kunit_info(test, "%u of %u single refusals mattered\n", one, where - 1);

	used = true;
	for (where = 0; used && where < FAULT_BYTES_MAX; where += step)
		all += fault_create_one(test, &t, value_size, entries, fault_bpf_after, where,
					&used);
	KUNIT_EXPECT_FALSE(test, used);
	KUNIT_EXPECT_GE(test, all, 3);
	kunit_info(test, "%u refusals after up to %u bytes mattered\n", all, where);
}

static void htab_fault_create(struct kunit *test)
{
	fault_create(test, 8, 16, 128);
}

/* with a per-CPU counter */
static void htab_fault_create_large(struct kunit *test)
{
	fault_create(test, 8, 2 * 32 * num_possible_cpus() + 50, 512);
}

/* with per-CPU values that need chunks of memory of their own */
static void htab_fault_create_large_value(struct kunit *test)
{
	fault_create(test, 16384, 2, 512);
}

/*
 * A batch that deletes gets no memory: at first, or for a bucket with more
 * elements than it thought. It has then returned all that it deleted.
 */
static void htab_fault_batch_memory(struct kunit *test)
{
	u32 keys[12], nth, n, i, got, key;
	struct htab_test t;
	bool used = true;
	int ret;

	fault_init(test, &t, test->param_value, 8, 8, 64 * num_possible_cpus());
	fault_failslab_init(&t);
	for (nth = 1; nth < FAULT_NTH_MAX && used; nth++) {
		/* eight in one bucket, four in others */
		for (n = 0, key = 0; n < ARRAY_SIZE(keys); n++, key++) {
			key = fault_key(&t, 0, key, n < 8);
			keys[n] = key;
			KUNIT_ASSERT_EQ(test, fault_update(&t, key, key, BPF_ANY), 0);
		}
		for (got = 0, ret = 0; ret != -ENOENT; got += n) {
			union bpf_attr attr = {
				.batch.map_fd = t.fd,
				.batch.in_batch = got ? fault_token(&t) : 0,
				.batch.out_batch = fault_token(&t),
				.batch.keys = (unsigned long)t.ukey,
				.batch.values = (unsigned long)t.uvalue,
				.batch.count = ARRAY_SIZE(keys),
			};
			bool first = !got && !ret;

			if (first)
				ret = fault_bpf_nth(&t, BPF_MAP_LOOKUP_AND_DELETE_BATCH, &attr,
						    nth, &used);
			else
				ret = htab_test_bpf(&t, BPF_MAP_LOOKUP_AND_DELETE_BATCH, &attr);
			n = min_t(u32, attr.batch.count, ARRAY_SIZE(keys));
			if (ret != -ENOENT && !(first && used && ret == -ENOMEM)) {
				KUNIT_FAIL(test, "allocation %u: batch returned %d", nth, ret);
				return;
			}
			/* an error before anything was copied may leave the count */
			if (ret == -ENOMEM && n == ARRAY_SIZE(keys))
				n = 0;
			for (i = 0; i < n; i++)
				KUNIT_EXPECT_TRUE_MSG(test, fault_batch_has(&t, i, keys,
									    ARRAY_SIZE(keys)),
						      "allocation %u", nth);
			fault_expect_count(&t, ARRAY_SIZE(keys) - got - n);
		}
		KUNIT_EXPECT_EQ(test, got, ARRAY_SIZE(keys));
	}
	KUNIT_EXPECT_FALSE(test, used);
	KUNIT_EXPECT_GT(test, nth, 3);
}

/*
 * After all of the above, does kmemleak know of memory of hash maps that nobody
 * points to? It looks only at what is older than five seconds.
 */
static void htab_fault_kmemleak(struct kunit *test)
{
	static const char * const ours[] = {
		"htab_", "bpf_map_area_alloc", "bpf_map_alloc_percpu", "bpf_mem_alloc_init",
		"alloc_bulk", "pcpu_freelist_init", "bpf_lru_init", "map_create",
		"bpf_map_meta_alloc",
	};
	const size_t size = 256 * 1024;
	struct htab_test t;
	char *report, *line;
	bool leak = false;
	u32 i;

	if (!IS_ENABLED(CONFIG_DEBUG_KMEMLEAK))
		kunit_skip(test, "needs DEBUG_KMEMLEAK");
	htab_test_start(test, &t);
	report = kunit_kmalloc(test, size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, report);
	/* maps are freed by workers, after a grace period */
	rcu_barrier_tasks_trace();
	rcu_barrier();
	msleep(5500);
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(test, fault_debugfs_write(&t, "kmemleak", "scan"), 0);
	KUNIT_ASSERT_EQ(test, fault_debugfs_read(&t, "kmemleak", report, size), 0);
	for (i = 0; i < ARRAY_SIZE(ours); i++) {
		if (!strstr(report, ours[i]))
			continue;
		KUNIT_FAIL(test, "kmemleak reports memory from %s*", ours[i]);
		leak = true;
	}
	while (leak && (line = strsep(&report, "\n")))
		kunit_info(test, "%s\n", line);
}

static struct kunit_case htab_fault_cases[] = {
	KUNIT_CASE_PARAM(htab_fault_bucket_lock, htab_flavour_gen_params),
	KUNIT_CASE_PARAM(htab_fault_batch_lock, htab_flavour_gen_params),
	KUNIT_CASE_PARAM(htab_fault_evict_lock, fault_lru_gen_params),
	KUNIT_CASE_PARAM(htab_fault_free_lock, fault_prealloc_gen_params),
	KUNIT_CASE_PARAM(htab_fault_inner_refs, fault_of_maps_gen_params),
	KUNIT_CASE_PARAM(htab_fault_no_memory, fault_nopre_gen_params),
	KUNIT_CASE_PARAM(htab_fault_no_memory_large_key, fault_nopre_gen_params),
	KUNIT_CASE_PARAM(htab_fault_full_small, fault_not_lru_gen_params),
	KUNIT_CASE_PARAM(htab_fault_full, fault_not_lru_gen_params),
	KUNIT_CASE_PARAM(htab_fault_full_large, fault_not_lru_gen_params),
	KUNIT_CASE_PARAM(htab_fault_flags, htab_flavour_gen_params),
	KUNIT_CASE_PARAM(htab_fault_sizes, htab_flavour_gen_params),
	KUNIT_CASE_PARAM(htab_fault_product, fault_prealloc_gen_params),
	KUNIT_CASE_PARAM(htab_fault_create, htab_flavour_gen_params),
	KUNIT_CASE_PARAM(htab_fault_create_large, htab_flavour_gen_params),
	KUNIT_CASE_PARAM(htab_fault_create_large_value, htab_flavour_gen_params),
	KUNIT_CASE_PARAM(htab_fault_batch_memory, htab_flavour_gen_params),
	KUNIT_CASE_SLOW(htab_fault_kmemleak),
	{}
};

static struct kunit_suite htab_fault_suite = {
	.name = "bpf_htab_fault",
	.test_cases = htab_fault_cases,
};

kunit_test_suite(htab_fault_suite);

MODULE_DESCRIPTION("KUnit tests for failures in BPF hash maps");
MODULE_LICENSE("GPL");
