// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite bpf_htab_syscall: bpf(2) on hash maps, and the iterator behind
 * seq_file, for each flavour with many key and value sizes.
 *
 * Old bugs that would show here: a batch that loses elements when the buffer is
 * smaller than a bucket or cannot be written, sizes of batch buffers that
 * overflow, a batch over a map of maps that gives pointers instead of ids, a
 * walk that stops or skips when its key is gone, values of other CPUs touched
 * by BPF_F_CPU or left over on insert, creation that takes sizes which overflow.
 */
#include <kunit/test.h>
#include <linux/bpf.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include "htab_test.h"

#define ENTRIES	16

/* Not mapped in any of the test's address spaces */
#define BAD_USER	((unsigned long)(PAGE_SIZE / 2))

static void htab_sys_elem(struct kunit *test)
{
	const struct htab_shape *s = test->param_value;
	struct htab_test t;
	u32 i;

	htab_test_init(test, &t, s->flavour, s->key_size, s->value_size, ENTRIES);

	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, 1, 1), -ENOENT);
	KUNIT_EXPECT_EQ(test, htab_sys_delete(&t, 1), -ENOENT);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 1, 1, BPF_EXIST), -ENOENT);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 1, 1, BPF_NOEXIST), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 1, 2, BPF_NOEXIST), -EEXIST);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, 1, 1), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 1, 2, BPF_EXIST), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, 1, 2), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 1, 3, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, 1, 3), 0);
	for (i = 2; i < 6; i++)
		KUNIT_EXPECT_EQ(test, htab_sys_update(&t, i, i, BPF_ANY), 0);
	for (i = 2; i < 6; i++)
		KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, i, i), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 5);
	KUNIT_EXPECT_EQ(test, htab_sys_delete(&t, 3), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, 3, 3), -ENOENT);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 4);
}

static void htab_sys_bad_flags(struct kunit *test)
{
	const struct htab_flavour *f = test->param_value;
	union bpf_attr attr;
	struct htab_test t;
	u64 flags[] = { BPF_F_LOCK, 32, 1ULL << 32, BPF_F_ALL_CPUS | BPF_F_CPU };
	u32 i;

	htab_test_init(test, &t, f, 8, 8, ENTRIES);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 1, 1, BPF_ANY), 0);
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		KUNIT_EXPECT_EQ_MSG(test, htab_sys_update(&t, 1, 2, flags[i]), -EINVAL,
				    "flags %llx", flags[i]);
		attr = (union bpf_attr) {
			.map_fd = t.fd, .key = (unsigned long)t.ukey,
			.value = (unsigned long)t.uvalue, .flags = flags[i],
		};
		KUNIT_EXPECT_EQ_MSG(test, htab_test_bpf(&t, BPF_MAP_LOOKUP_ELEM, &attr), -EINVAL,
				    "flags %llx", flags[i]);
		KUNIT_EXPECT_EQ_MSG(test,
				    htab_test_bpf(&t, BPF_MAP_LOOKUP_AND_DELETE_ELEM, &attr),
				    -EINVAL, "flags %llx", flags[i]);
	}
	/* commands without flags do not take any */
	attr = (union bpf_attr) { .map_fd = t.fd, .key = (unsigned long)t.ukey, .flags = 1 };
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&t, BPF_MAP_DELETE_ELEM, &attr), -EINVAL);
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&t, BPF_MAP_GET_NEXT_KEY, &attr), -EINVAL);
	/* a descriptor that is none */
	attr = (union bpf_attr) { .map_fd = -1, .key = (unsigned long)t.ukey };
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&t, BPF_MAP_DELETE_ELEM, &attr), -EBADF);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, 1, 1), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 1);
}

/* Memory that cannot be read or written loses nothing. */
static void htab_sys_bad_memory(struct kunit *test)
{
	const struct htab_flavour *f = test->param_value;
	union bpf_attr attr;
	struct htab_test t;

	htab_test_init(test, &t, f, 8, 8, ENTRIES);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 1, 1, BPF_ANY), 0);

	attr = (union bpf_attr) {
		.map_fd = t.fd, .key = BAD_USER, .value = (unsigned long)t.uvalue,
	};
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&t, BPF_MAP_LOOKUP_ELEM, &attr), -EFAULT);
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&t, BPF_MAP_UPDATE_ELEM, &attr), -EFAULT);
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&t, BPF_MAP_LOOKUP_AND_DELETE_ELEM, &attr), -EFAULT);
	attr = (union bpf_attr) { .map_fd = t.fd, .key = BAD_USER };
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&t, BPF_MAP_DELETE_ELEM, &attr), -EFAULT);
	attr = (union bpf_attr) {
		.map_fd = t.fd, .key = BAD_USER, .next_key = (unsigned long)t.unext,
	};
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&t, BPF_MAP_GET_NEXT_KEY, &attr), -EFAULT);
	attr = (union bpf_attr) { .map_fd = t.fd, .next_key = BAD_USER };
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&t, BPF_MAP_GET_NEXT_KEY, &attr), -EFAULT);

	/* t.ukey holds key 1 since the update */
	attr = (union bpf_attr) {
		.map_fd = t.fd, .key = (unsigned long)t.ukey, .value = BAD_USER,
	};
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&t, BPF_MAP_LOOKUP_ELEM, &attr), -EFAULT);
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&t, BPF_MAP_UPDATE_ELEM, &attr), -EFAULT);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, 1, 1), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 1);
}

static void htab_sys_lookup_delete(struct kunit *test)
{
	const struct htab_shape *s = test->param_value;
	struct htab_test t;

	htab_test_init(test, &t, s->flavour, s->key_size, s->value_size, ENTRIES);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 1, 10, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 2, 20, BPF_ANY), 0);
	if (t.of_maps) {
		KUNIT_EXPECT_EQ(test, htab_sys_lookup_and_delete(&t, 1, 10), -ENOTSUPP);
		KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 2);
		return;
	}
	KUNIT_EXPECT_EQ(test, htab_sys_lookup_and_delete(&t, 3, 30), -ENOENT);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup_and_delete(&t, 1, 10), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup_and_delete(&t, 1, 10), -ENOENT);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, 2, 20), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 1, 11, BPF_NOEXIST), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup_and_delete(&t, 1, 11), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 1);
}

/* Reads key 1 as bpf(2) gives it, with flags, into buf. */
static int htab_read_flags(struct htab_test *t, u64 flags, void *buf, u32 size)
{
	union bpf_attr attr = {
		.map_fd = t->fd,
		.key = (unsigned long)t->ukey,
		.value = (unsigned long)t->uvalue,
		.flags = flags,
	};
	int ret = htab_test_bpf(t, BPF_MAP_LOOKUP_ELEM, &attr);

	return ret ?: copy_from_user(buf, t->uvalue, size) ? -EFAULT : 0;
}

static int htab_write_flags(struct htab_test *t, u64 flags, u32 n)
{
	union bpf_attr attr = {
		.map_fd = t->fd,
		.key = (unsigned long)t->ukey,
		.value = (unsigned long)t->uvalue,
		.flags = flags,
	};
	void *v = kunit_kzalloc(t->test, round_up(t->value_size, 8), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(t->test, v);
	if (t->of_maps)
		memcpy(v, &t->inner_fd[0], 4);
	else
		htab_test_value(t, n, v);
	htab_test_refill();
	return copy_to_user(t->uvalue, v, round_up(t->value_size, 8)) ? -EFAULT :
	       htab_test_bpf(t, BPF_MAP_UPDATE_ELEM, &attr);
}

static void htab_sys_cpu_flags(struct kunit *test)
{
	const struct htab_shape *s = test->param_value;
	u32 size = round_up(s->value_size, 8), last = num_possible_cpus() - 1, cpu;
	u64 on_last = (u64)last << 32 | BPF_F_CPU;
	struct htab_test t;
	void *buf;

	htab_test_init(test, &t, s->flavour, s->key_size, s->value_size, ENTRIES);
	buf = kunit_kzalloc(test, t.sys_value_size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, buf);

	/* old values on all CPUs, in the element that comes next */
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 1, 1, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_delete(&t, 1), 0);

	/* insert for one CPU: zeroes on the others */
	KUNIT_EXPECT_EQ(test, htab_write_flags(&t, on_last | BPF_NOEXIST, 7), 0);
	KUNIT_EXPECT_EQ(test, htab_read_flags(&t, 0, buf, t.sys_value_size), 0);
	for (cpu = 0; cpu <= last; cpu++) {
		if (cpu == last)
			KUNIT_EXPECT_TRUE(test, htab_test_value_is(&t, 7, buf + cpu * size));
		else
			KUNIT_EXPECT_PTR_EQ(test, memchr_inv(buf + cpu * size, 0, s->value_size),
					    NULL);
	}
	/* the same value for all */
	KUNIT_EXPECT_EQ(test, htab_write_flags(&t, BPF_F_ALL_CPUS, 8), 0);
	KUNIT_EXPECT_EQ(test, htab_read_flags(&t, 0, buf, t.sys_value_size), 0);
	for (cpu = 0; cpu <= last; cpu++)
		KUNIT_EXPECT_TRUE(test, htab_test_value_is(&t, 8, buf + cpu * size));
	/* one CPU of an element that is there */
	KUNIT_EXPECT_EQ(test, htab_write_flags(&t, on_last, 9), 0);
	for (cpu = 0; cpu <= last; cpu++) {
		memset(buf, 0x33, t.sys_value_size);
		KUNIT_EXPECT_EQ(test, htab_read_flags(&t, (u64)cpu << 32 | BPF_F_CPU, buf,
						      s->value_size), 0);
		KUNIT_EXPECT_TRUE(test, htab_test_value_is(&t, cpu == last ? 9 : 8, buf));
	}
	KUNIT_EXPECT_EQ(test, htab_read_flags(&t, (u64)nr_cpu_ids << 32 | BPF_F_CPU, buf, 1),
			-ERANGE);
	KUNIT_EXPECT_EQ(test, htab_write_flags(&t, (u64)nr_cpu_ids << 32 | BPF_F_CPU, 1), -ERANGE);
	KUNIT_EXPECT_EQ(test, htab_read_flags(&t, BPF_F_ALL_CPUS, buf, 1), -EINVAL);
}

/* BPF_NOEXIST and BPF_EXIST mean what they say beside any other flag. */
static void htab_sys_exist_flags(struct kunit *test)
{
	static const struct {
		u64 flags;
		bool there;
		int percpu;
		int other;
	} cases[] = {
		{ BPF_NOEXIST | BPF_EXIST, true, -EINVAL, -EINVAL },
		{ BPF_F_CPU | BPF_NOEXIST, true, -EEXIST, -EINVAL },
		{ BPF_F_CPU | BPF_EXIST, false, -ENOENT, -EINVAL },
		{ BPF_F_ALL_CPUS | BPF_NOEXIST, true, -EEXIST, -EINVAL },
		{ BPF_F_ALL_CPUS | BPF_EXIST, false, -ENOENT, -EINVAL },
	};
	const struct htab_flavour *f = test->param_value;
	u32 i, wrong = 0;
	struct htab_test t;

	htab_test_init(test, &t, f, 8, 8, ENTRIES);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		int ret;

		KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 1, 1, BPF_ANY), 0);
		if (!cases[i].there)
			KUNIT_EXPECT_EQ(test, htab_sys_delete(&t, 1), 0);
		ret = htab_write_flags(&t, cases[i].flags, 2);
		if (t.percpu)
			wrong += ret != cases[i].percpu;
		else
			KUNIT_EXPECT_EQ_MSG(test, ret, cases[i].other, "flags %llx",
					    cases[i].flags);
	}
	/* htab_map_check_update_flags() lets 3 pass and refuses 17 and 18;
	 * check_flags() compares all flags but BPF_F_LOCK with BPF_NOEXIST.
	 */
	if (wrong)
		kunit_skip(test, "expected failure: per-CPU maps do not tell such flags apart");
}

/* Other maps do not know CPUs. */
static void htab_sys_no_cpu_flags(struct kunit *test)
{
	const struct htab_flavour *f = test->param_value;
	struct htab_test t;
	u64 value;

	htab_test_init(test, &t, f, 8, 8, ENTRIES);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 1, 1, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, htab_read_flags(&t, BPF_F_CPU, &value, 8), t.percpu ? 0 : -EINVAL);
	KUNIT_EXPECT_EQ(test, htab_write_flags(&t, BPF_F_CPU, 1), t.percpu ? 0 : -EINVAL);
	KUNIT_EXPECT_EQ(test, htab_write_flags(&t, BPF_F_ALL_CPUS, 1), t.percpu ? 0 : -EINVAL);
}

static void htab_sys_next_key(struct kunit *test)
{
	const struct htab_shape *s = test->param_value;
	DECLARE_BITMAP(seen, ENTRIES) = {};
	u32 i, n, k = 0, first;
	union bpf_attr attr;
	struct htab_test t;
	void *key;

	htab_test_init(test, &t, s->flavour, s->key_size, s->value_size, ENTRIES);
	key = kunit_kzalloc(test, s->key_size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, key);
	for (i = 0; i < ENTRIES; i++)
		KUNIT_EXPECT_EQ(test, htab_sys_update(&t, i, i, BPF_ANY), 0);
	n = htab_sys_count(&t);
	if (!t.lru)
		KUNIT_EXPECT_EQ(test, n, ENTRIES);

	/* deleting what was just read: the walk starts over, and ends */
	attr = (union bpf_attr) { .map_fd = t.fd, .next_key = (unsigned long)t.unext };
	KUNIT_ASSERT_EQ(test, htab_test_bpf(&t, BPF_MAP_GET_NEXT_KEY, &attr), 0);
	KUNIT_ASSERT_EQ(test, copy_from_user(key, t.unext, s->key_size), 0);
	first = htab_test_key_number(&t, key);
	/* a key that is not there gives the first one */
	htab_test_key(&t, 99, key);
	KUNIT_ASSERT_EQ(test, copy_to_user(t.ukey, key, s->key_size), 0);
	attr.key = (unsigned long)t.ukey;
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&t, BPF_MAP_GET_NEXT_KEY, &attr), 0);
	KUNIT_ASSERT_EQ(test, copy_from_user(key, t.unext, s->key_size), 0);
	KUNIT_EXPECT_EQ(test, htab_test_key_number(&t, key), first);

	for (i = 0; i <= n; i++) {
		if (htab_test_bpf(&t, BPF_MAP_GET_NEXT_KEY, &attr))
			break;
		KUNIT_ASSERT_EQ(test, copy_from_user(key, t.unext, s->key_size), 0);
		k = htab_test_key_number(&t, key);
		KUNIT_ASSERT_LT(test, k, ENTRIES);
		KUNIT_EXPECT_FALSE(test, __test_and_set_bit(k, seen));
		KUNIT_EXPECT_EQ(test, htab_sys_delete(&t, k), 0);	/* leaves it in ukey */
	}
	KUNIT_EXPECT_EQ(test, i, n);
	KUNIT_EXPECT_EQ(test, bitmap_weight(seen, ENTRIES), n);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 0);
}

/* Buffers of a user for batch commands */
struct htab_batch {
	struct htab_test *t;
	void __user *keys;
	void __user *values;
	void __user *in;
	void __user *out;
	u32 count;	/* in: room, out: elements */
};

static void htab_batch_init(struct htab_batch *b, struct htab_test *t, u32 room)
{
	void __user *user;
	size_t keys = PAGE_ALIGN((size_t)room * t->key_size);

	user = htab_test_user(t->test, PAGE_SIZE + keys + (size_t)room * t->sys_value_size);
	*b = (struct htab_batch) {
		.t = t,
		.in = user,
		.out = user + 8,
		.keys = user + PAGE_SIZE,
		.values = user + PAGE_SIZE + keys,
		.count = room,
	};
}

/* @from: where to go on, NULL for the start; the next call wants b->out. */
static int htab_batch(struct htab_batch *b, int cmd, void __user *from, u64 elem_flags)
{
	union bpf_attr attr = {
		.batch = {
			.in_batch = (unsigned long)from,
			.out_batch = (unsigned long)b->out,
			.keys = (unsigned long)b->keys,
			.values = (unsigned long)b->values,
			.count = b->count,
			.map_fd = b->t->fd,
			.elem_flags = elem_flags,
		},
	};
	int ret;

	htab_test_refill();
	ret = htab_test_bpf(b->t, cmd, &attr);
	b->count = attr.batch.count;
	return ret;
}

/* Checks element @i of a batch, and marks its key as seen. */
static bool htab_batch_elem_ok(struct htab_batch *b, u32 i, unsigned long *seen)
{
	struct htab_test *t = b->t;
	void *key = kmalloc(t->key_size, GFP_KERNEL);
	void *value = kmalloc(t->sys_value_size, GFP_KERNEL);
	bool ok = false;
	u32 n;

	if (key && value &&
	    !copy_from_user(key, b->keys + (size_t)i * t->key_size, t->key_size) &&
	    !copy_from_user(value, b->values + (size_t)i * t->sys_value_size,
			    t->sys_value_size)) {
		n = htab_test_key_number(t, key);
		ok = n < ENTRIES && !__test_and_set_bit(n, seen) &&
		     htab_test_sys_value_is(t, n, value);
	}
	kfree(key);
	kfree(value);
	return ok;
}

static u32 htab_fill(struct htab_test *t)
{
	u32 i;

	for (i = 0; i < ENTRIES; i++)
		KUNIT_EXPECT_EQ(t->test, htab_sys_update(t, i, i, BPF_ANY), 0);
	return htab_sys_count(t);
}

static void htab_sys_batch_lookup(struct kunit *test)
{
	const struct htab_shape *s = test->param_value;
	DECLARE_BITMAP(seen, ENTRIES) = {};
	struct htab_batch b;
	struct htab_test t;
	u32 i, n;

	htab_test_init(test, &t, s->flavour, s->key_size, s->value_size, ENTRIES);
	n = htab_fill(&t);
	htab_batch_init(&b, &t, ENTRIES);
	KUNIT_EXPECT_EQ(test, htab_batch(&b, BPF_MAP_LOOKUP_BATCH, NULL, 0), -ENOENT);
	KUNIT_ASSERT_EQ(test, b.count, n);
	for (i = 0; i < n; i++)
		KUNIT_EXPECT_TRUE_MSG(test, htab_batch_elem_ok(&b, i, seen), "element %u", i);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), n);
}

/* In pieces that just hold the fullest bucket */
static void htab_sys_batch_pieces(struct kunit *test)
{
	const struct htab_shape *s = test->param_value;
	u8 in_bucket[2 * ENTRIES] = {};
	DECLARE_BITMAP(seen, ENTRIES) = {};
	u32 i, n, total = 0, most = 0, calls;
	void __user *from = NULL;
	struct htab_batch b;
	struct htab_test t;
	u8 *key;
	int ret;

	htab_test_init(test, &t, s->flavour, s->key_size, s->value_size, ENTRIES);
	n = htab_fill(&t);
	key = kunit_kzalloc(test, s->key_size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, key);
	for (i = 0; i < ENTRIES; i++) {
		u32 bucket;

		htab_test_key(&t, i, key);
		bucket = htab_hook_bucket(t.map, key);
		KUNIT_ASSERT_LT(test, bucket, ARRAY_SIZE(in_bucket));
		most = max_t(u32, most, ++in_bucket[bucket]);
	}
	KUNIT_ASSERT_GT(test, most, 1);
	htab_batch_init(&b, &t, ENTRIES);

	for (calls = 0; calls <= htab_hook_n_buckets(t.map); calls++) {
		b.count = most;
		ret = htab_batch(&b, BPF_MAP_LOOKUP_BATCH, from, 0);
		KUNIT_ASSERT_LE(test, b.count, most);
		for (i = 0; i < b.count; i++)
			KUNIT_EXPECT_TRUE(test, htab_batch_elem_ok(&b, i, seen));
		total += b.count;
		if (ret)
			break;
		from = b.out;
	}
	KUNIT_EXPECT_EQ(test, ret, -ENOENT);
	KUNIT_EXPECT_EQ(test, total, n);

	if (t.lru)
		return;
	/* less room than the fullest bucket wants: an error, nothing lost */
	from = NULL;
	for (calls = 0; calls <= htab_hook_n_buckets(t.map); calls++) {
		b.count = most - 1;
		ret = htab_batch(&b, BPF_MAP_LOOKUP_AND_DELETE_BATCH, from, 0);
		n -= b.count;
		if (ret)
			break;
		from = b.out;
	}
	KUNIT_EXPECT_EQ(test, ret, -ENOSPC);
	KUNIT_EXPECT_EQ(test, b.count, 0);
	KUNIT_EXPECT_GE(test, n, most);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), n);
	/* with room it goes on from there */
	b.count = ENTRIES;
	KUNIT_EXPECT_EQ(test, htab_batch(&b, BPF_MAP_LOOKUP_AND_DELETE_BATCH, b.out, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, b.count, n);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 0);
}

static void htab_sys_batch_delete(struct kunit *test)
{
	const struct htab_shape *s = test->param_value;
	DECLARE_BITMAP(seen, ENTRIES) = {};
	struct htab_batch b;
	struct htab_test t;
	u32 i, n, left;

	htab_test_init(test, &t, s->flavour, s->key_size, s->value_size, ENTRIES);
	n = htab_fill(&t);
	htab_batch_init(&b, &t, ENTRIES);
	KUNIT_EXPECT_EQ(test, htab_batch(&b, BPF_MAP_LOOKUP_AND_DELETE_BATCH, NULL, 0), -ENOENT);
	KUNIT_ASSERT_EQ(test, b.count, n);
	for (i = 0; i < n; i++)
		KUNIT_EXPECT_TRUE_MSG(test, htab_batch_elem_ok(&b, i, seen), "element %u", i);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 0);

	/* every element is free again; the keys are still in the buffer */
	KUNIT_EXPECT_EQ(test, htab_fill(&t), n);
	b.count = 5;
	left = n - 5;
	KUNIT_EXPECT_EQ(test, htab_batch(&b, BPF_MAP_DELETE_BATCH, NULL, 0), 0);
	KUNIT_EXPECT_EQ(test, b.count, 5);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), left);
	/* the first is gone: stops there and says how far it came */
	b.count = 5;
	KUNIT_EXPECT_EQ(test, htab_batch(&b, BPF_MAP_DELETE_BATCH, NULL, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, b.count, 0);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), left);
}

static void htab_sys_batch_update(struct kunit *test)
{
	const struct htab_shape *s = test->param_value;
	struct htab_batch b;
	struct htab_test t;
	void *key, *value;
	u32 i;

	htab_test_init(test, &t, s->flavour, s->key_size, s->value_size, ENTRIES);
	htab_batch_init(&b, &t, 4);
	key = kunit_kzalloc(test, s->key_size, GFP_KERNEL);
	value = kunit_kzalloc(test, t.sys_value_size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, key);
	KUNIT_ASSERT_NOT_NULL(test, value);
	for (i = 0; i < 4; i++) {
		htab_test_key(&t, i, key);
		htab_test_sys_value(&t, i, value);
		KUNIT_ASSERT_EQ(test, copy_to_user(b.keys + (size_t)i * s->key_size, key,
						   s->key_size), 0);
		KUNIT_ASSERT_EQ(test, copy_to_user(b.values + (size_t)i * t.sys_value_size, value,
						   t.sys_value_size), 0);
	}
	/* one after the other, each when the allocator is full again */
	for (i = 0; i < 4; i++) {
		struct htab_batch one = b;

		one.keys += (size_t)i * s->key_size;
		one.values += (size_t)i * t.sys_value_size;
		one.count = 1;
		KUNIT_EXPECT_EQ(test, htab_batch(&one, BPF_MAP_UPDATE_BATCH, NULL, 0), 0);
		KUNIT_EXPECT_EQ(test, one.count, 1);
	}
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, i, i), 0);
	/* flags of single updates are none of a batch */
	KUNIT_EXPECT_EQ(test, htab_batch(&b, BPF_MAP_UPDATE_BATCH, NULL, BPF_NOEXIST), -EINVAL);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 4);
	if (!t.prealloc || t.lru)
		return;
	/* room for two of four: says how far it came */
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, htab_sys_delete(&t, i), 0);
	for (i = 0; i < ENTRIES - 2; i++)
		KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 100 + i, 0, BPF_ANY), 0);
	b.count = 4;
	KUNIT_EXPECT_EQ(test, htab_batch(&b, BPF_MAP_UPDATE_BATCH, NULL, 0), -E2BIG);
	KUNIT_EXPECT_EQ(test, b.count, 2);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, 1, 1), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, 2, 2), -ENOENT);
}

static void htab_sys_batch_errors(struct kunit *test)
{
	const struct htab_flavour *f = test->param_value;
	static const int cmds[] = {
		BPF_MAP_LOOKUP_BATCH, BPF_MAP_LOOKUP_AND_DELETE_BATCH,
		BPF_MAP_UPDATE_BATCH, BPF_MAP_DELETE_BATCH,
	};
	struct htab_batch b, bad;
	struct htab_test t;
	u32 i, n, past;

	htab_test_init(test, &t, f, 8, 8, ENTRIES);
	n = htab_fill(&t);
	htab_batch_init(&b, &t, ENTRIES);
	for (i = 0; i < ARRAY_SIZE(cmds); i++) {
		bad = b;
		bad.count = 0;
		KUNIT_EXPECT_EQ_MSG(test, htab_batch(&bad, cmds[i], NULL, 0), 0, "command %d",
				    cmds[i]);
		bad = b;
		KUNIT_EXPECT_EQ_MSG(test, htab_batch(&bad, cmds[i], NULL, BPF_F_LOCK), -EINVAL,
				    "command %d", cmds[i]);
		KUNIT_EXPECT_EQ_MSG(test, htab_batch(&bad, cmds[i], NULL, 1ULL << 32), -EINVAL,
				    "command %d", cmds[i]);
		bad = b;
		bad.keys = (void __user *)BAD_USER;
		KUNIT_EXPECT_EQ_MSG(test, htab_batch(&bad, cmds[i], NULL, 0), -EFAULT,
				    "command %d", cmds[i]);
		KUNIT_EXPECT_EQ_MSG(test, bad.count, 0, "command %d", cmds[i]);
		/* what a delete had read before it failed to say so is gone */
		if (cmds[i] == BPF_MAP_LOOKUP_AND_DELETE_BATCH)
			n = htab_sys_count(&t);
		else
			KUNIT_EXPECT_EQ(test, htab_sys_count(&t), n);
	}
	KUNIT_EXPECT_EQ(test, htab_fill(&t) > 0, true);
	/* a position behind the last bucket, one that cannot be read or written */
	past = htab_hook_n_buckets(t.map);
	KUNIT_ASSERT_EQ(test, copy_to_user(b.in, &past, sizeof(past)), 0);
	bad = b;
	KUNIT_EXPECT_EQ(test, htab_batch(&bad, BPF_MAP_LOOKUP_BATCH, b.in, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, bad.count, 0);
	bad = b;
	KUNIT_EXPECT_EQ(test, htab_batch(&bad, BPF_MAP_LOOKUP_BATCH, (void __user *)BAD_USER, 0),
			-EFAULT);
	bad = b;
	bad.out = (void __user *)BAD_USER;
	KUNIT_EXPECT_EQ(test, htab_batch(&bad, BPF_MAP_LOOKUP_BATCH, NULL, 0), -EFAULT);
}

/* More room than 32 bits of bytes: the size must not wrap around. */
static void htab_sys_batch_large_count(struct kunit *test)
{
	const struct htab_flavour *f = test->param_value;
	struct htab_batch b;
	struct htab_test t;
	u32 n;

	htab_test_init(test, &t, f, 512, 256, ENTRIES);
	n = htab_fill(&t);
	htab_batch_init(&b, &t, ENTRIES);
	b.count = U32_MAX;
	KUNIT_EXPECT_EQ(test, htab_batch(&b, BPF_MAP_LOOKUP_BATCH, NULL, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, b.count, n);
}

/* Long runs of empty buckets, then elements at the very end */
static void htab_sys_batch_sparse(struct kunit *test)
{
	const struct htab_flavour *f = test->param_value;
	struct htab_batch b;
	struct htab_test t;

	htab_test_init(test, &t, f, 8, 8, 4096);
	htab_batch_init(&b, &t, 4);
	KUNIT_EXPECT_EQ(test, htab_batch(&b, BPF_MAP_LOOKUP_BATCH, NULL, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, b.count, 0);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 1, 1, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 2, 2, BPF_ANY), 0);
	b.count = 4;
	KUNIT_EXPECT_EQ(test, htab_batch(&b, BPF_MAP_LOOKUP_AND_DELETE_BATCH, NULL, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, b.count, 2);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 0);
}

/* BPF_F_CPU reads one CPU's values in a batch. */
static void htab_sys_batch_cpu(struct kunit *test)
{
	const struct htab_flavour *f = test->param_value;
	u32 last = num_possible_cpus() - 1, i, k;
	struct htab_batch b;
	struct htab_test t;
	u8 key[8], value[16];

	htab_test_init(test, &t, f, 8, 12, ENTRIES);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, htab_sys_update(&t, i, i, BPF_ANY), 0);
	htab_batch_init(&b, &t, ENTRIES);
	KUNIT_EXPECT_EQ(test, htab_batch(&b, BPF_MAP_LOOKUP_BATCH, NULL,
					 (u64)last << 32 | BPF_F_CPU), -ENOENT);
	KUNIT_ASSERT_EQ(test, b.count, 4);
	for (i = 0; i < 4; i++) {
		KUNIT_ASSERT_EQ(test, copy_from_user(key, b.keys + i * 8, 8), 0);
		/* one CPU's value is not rounded up */
		KUNIT_ASSERT_EQ(test, copy_from_user(value, b.values + i * 12, 12), 0);
		k = htab_test_key_number(&t, key);
		KUNIT_EXPECT_TRUE(test, htab_test_cpu_value_is(&t, k, last, value));
	}
	b.count = 4;
	KUNIT_EXPECT_EQ(test, htab_batch(&b, BPF_MAP_LOOKUP_BATCH, NULL,
					 (u64)nr_cpu_ids << 32 | BPF_F_CPU), -ERANGE);
	KUNIT_EXPECT_EQ(test, htab_batch(&b, BPF_MAP_LOOKUP_AND_DELETE_BATCH, NULL, BPF_F_CPU),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 4);
}

/* The iterator behind seq_file, which maps of maps do not have, read in pieces
 * of @piece elements
 */
static u32 htab_iterate(struct htab_test *t, u32 piece, void **seen, u32 room)
{
	const struct bpf_iter_seq_info *info = t->map->ops->iter_seq_info;
	struct bpf_iter_aux_info aux = { .map = t->map };
	struct seq_file seq = {};
	loff_t pos = 0;
	u32 n = 0, i;
	void *v;

	seq.private = kunit_kzalloc(t->test, info->seq_priv_size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(t->test, seq.private);
	KUNIT_ASSERT_EQ(t->test, info->init_seq_private(seq.private, &aux), 0);
	do {
		v = info->seq_ops->start(&seq, &pos);
		for (i = 0; v && i < piece && n < room; i++) {
			seen[n++] = v;
			v = info->seq_ops->next(&seq, v, &pos);
		}
		/* at the end, stop() would call a program, which is not there */
		if (v)
			info->seq_ops->stop(&seq, v);
	} while (v && n < room);
	info->fini_seq_private(seq.private);
	return n;
}

static void htab_sys_iterator(struct kunit *test)
{
	const struct htab_shape *s = test->param_value;
	u32 piece, i, j, n, got;
	void *seen[2 * ENTRIES];
	struct htab_test t;

	htab_test_init(test, &t, s->flavour, s->key_size, s->value_size, ENTRIES);
	KUNIT_EXPECT_EQ(test, htab_iterate(&t, 1, seen, ARRAY_SIZE(seen)), 0);
	n = htab_fill(&t);
	for (piece = 1; piece <= n + 1; piece += 3) {
		got = htab_iterate(&t, piece, seen, ARRAY_SIZE(seen));
		KUNIT_EXPECT_EQ_MSG(test, got, n, "pieces of %u", piece);
		for (i = 0; i < got; i++)
			for (j = 0; j < i; j++)
				KUNIT_EXPECT_PTR_NE(test, seen[i], seen[j]);
	}
}

struct htab_create_case {
	const char *name;
	enum bpf_map_type type;
	u32 flags;
	u32 key_size;
	u32 value_size;
	u32 max_entries;
	int error;
};

/* Every attribute out of range, and the errno that bpf(2) documents for it */
static const struct htab_create_case htab_create_cases[] = {
	{ "no entries", BPF_MAP_TYPE_HASH, 0, 8, 8, 0, -EINVAL },
	{ "no key", BPF_MAP_TYPE_HASH, 0, 0, 8, 1, -EINVAL },
	{ "no value", BPF_MAP_TYPE_HASH, 0, 8, 0, 1, -EINVAL },
	{ "no value, lru", BPF_MAP_TYPE_LRU_HASH, 0, 8, 0, 1, -EINVAL },
	{ "no value, percpu", BPF_MAP_TYPE_PERCPU_HASH, 0, 8, 0, 1, -EINVAL },
	{ "value of 8, of maps", BPF_MAP_TYPE_HASH_OF_MAPS, 0, 8, 8, 1, -EINVAL },
	{ "no inner map, of maps", BPF_MAP_TYPE_HASH_OF_MAPS, 0, 8, 4, 1, -EBADF },
	{ "unknown flag", BPF_MAP_TYPE_HASH, 1U << 31, 8, 8, 1, -EINVAL },
	{ "flag of arrays", BPF_MAP_TYPE_HASH, BPF_F_MMAPABLE, 8, 8, 1, -EINVAL },
	{ "read and write only", BPF_MAP_TYPE_HASH,
	  BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG, 8, 8, 1, -EINVAL },
	{ "own lru lists, no lru", BPF_MAP_TYPE_HASH, BPF_F_NO_COMMON_LRU, 8, 8, 1, -EINVAL },
	{ "own lru lists, percpu", BPF_MAP_TYPE_PERCPU_HASH, BPF_F_NO_COMMON_LRU, 8, 8, 1,
	  -EINVAL },
	{ "lru not preallocated", BPF_MAP_TYPE_LRU_HASH, BPF_F_NO_PREALLOC, 8, 8, 1, -ENOTSUPP },
	{ "lru percpu not preallocated", BPF_MAP_TYPE_LRU_PERCPU_HASH, BPF_F_NO_PREALLOC, 8, 8, 1,
	  -ENOTSUPP },
	{ "numa node of percpu", BPF_MAP_TYPE_PERCPU_HASH, BPF_F_NUMA_NODE, 8, 8, 1, -EINVAL },
	{ "numa node of own lru lists", BPF_MAP_TYPE_LRU_HASH,
	  BPF_F_NUMA_NODE | BPF_F_NO_COMMON_LRU, 8, 8, 1, -EINVAL },
	{ "key too large", BPF_MAP_TYPE_HASH, 0, KMALLOC_MAX_SIZE, 8, 1, -E2BIG },
	{ "value too large", BPF_MAP_TYPE_HASH, 0, 8, KMALLOC_MAX_SIZE, 1, -E2BIG },
	{ "key and value overflow", BPF_MAP_TYPE_HASH, 0, U32_MAX, U32_MAX, 1, -E2BIG },
	{ "key and value overflow, lru", BPF_MAP_TYPE_LRU_HASH, 0, U32_MAX, U32_MAX, 1, -E2BIG },
	{ "value of 4 GiB less 1", BPF_MAP_TYPE_HASH, BPF_F_NO_PREALLOC, 8, U32_MAX, 1, -E2BIG },
	{ "percpu value too large", BPF_MAP_TYPE_PERCPU_HASH, 0, 8, PCPU_MIN_UNIT_SIZE + 1, 1,
	  -E2BIG },
	{ "percpu lru value too large", BPF_MAP_TYPE_LRU_PERCPU_HASH, 0, 8,
	  PCPU_MIN_UNIT_SIZE + 1, 1, -E2BIG },
	{ "4 Gi buckets", BPF_MAP_TYPE_HASH, BPF_F_NO_PREALLOC, 8, 8, U32_MAX, -E2BIG },
	{ "2 Gi buckets", BPF_MAP_TYPE_HASH, BPF_F_NO_PREALLOC, 8, 8, 1U << 31, -E2BIG },
	{ "one bucket too many", BPF_MAP_TYPE_HASH, BPF_F_NO_PREALLOC, 8, 8, (1U << 28) + 1,
	  -E2BIG },
	{ "one entry", BPF_MAP_TYPE_HASH, 0, 8, 8, 1, 0 },
	{ "one byte each", BPF_MAP_TYPE_HASH, 0, 1, 1, 1, 0 },
	{ "read only for programs", BPF_MAP_TYPE_HASH, BPF_F_RDONLY_PROG, 8, 8, 1, 0 },
	{ "write only for user space", BPF_MAP_TYPE_HASH, BPF_F_WRONLY, 8, 8, 1, 0 },
	{ "own lru lists", BPF_MAP_TYPE_LRU_HASH, BPF_F_NO_COMMON_LRU, 8, 8, 1, 0 },
	{ "large value", BPF_MAP_TYPE_HASH, 0, 8, 1U << 20, 1, 0 },
};

KUNIT_ARRAY_PARAM_DESC(htab_create_cases, htab_create_cases, name);

static void htab_sys_create(struct kunit *test)
{
	const struct htab_create_case *c = test->param_value;
	struct htab_test t;
	union bpf_attr attr = {
		.map_type = c->type,
		.map_flags = c->flags,
		.key_size = c->key_size,
		.value_size = c->value_size,
		.max_entries = c->max_entries,
		.inner_map_fd = c->type == BPF_MAP_TYPE_HASH_OF_MAPS ? ~0U : 0,
	};
	int ret;

	htab_test_start(test, &t);
	ret = htab_test_bpf(&t, BPF_MAP_CREATE, &attr);
	if (ret >= 0)
		htab_test_close_fd(test, ret);
	KUNIT_EXPECT_EQ(test, min(ret, 0), c->error);
}

/* What may not be written or read by user space is not. */
static void htab_sys_access(struct kunit *test)
{
	const struct htab_flavour *f = test->param_value;
	struct htab_flavour limited = *f;
	struct htab_test t;

	limited.flags = f->flags | BPF_F_RDONLY;
	htab_test_init(test, &t, &limited, 8, 8, ENTRIES);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 1, 1, BPF_ANY), -EPERM);
	KUNIT_EXPECT_EQ(test, htab_sys_delete(&t, 1), -EPERM);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, 1, 1), -ENOENT);

	limited.flags = f->flags | BPF_F_WRONLY;
	htab_test_init(test, &t, &limited, 8, 8, ENTRIES);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, 1, 1, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, 1, 1), -EPERM);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup_and_delete(&t, 1, 1), -EPERM);
	KUNIT_EXPECT_EQ(test, htab_sys_delete(&t, 1), 0);
}

static struct kunit_case htab_syscall_cases[] = {
	KUNIT_CASE_PARAM(htab_sys_create, htab_create_cases_gen_params),
	KUNIT_CASE_PARAM(htab_sys_access, htab_flavour_gen_params),
	KUNIT_CASE_PARAM(htab_sys_elem, htab_shape_gen_params),
	KUNIT_CASE_PARAM(htab_sys_lookup_delete, htab_shape_gen_params),
	KUNIT_CASE_PARAM(htab_sys_next_key, htab_shape_gen_params),
	KUNIT_CASE_PARAM(htab_sys_bad_flags, htab_flavour_gen_params),
	KUNIT_CASE_PARAM(htab_sys_bad_memory, htab_flavour_gen_params),
	KUNIT_CASE_PARAM(htab_sys_cpu_flags, htab_shape_percpu_gen_params),
	KUNIT_CASE_PARAM(htab_sys_exist_flags, htab_flavour_gen_params),
	KUNIT_CASE_PARAM(htab_sys_no_cpu_flags, htab_flavour_gen_params),
	KUNIT_CASE_PARAM(htab_sys_batch_lookup, htab_shape_gen_params),
	KUNIT_CASE_PARAM(htab_sys_batch_pieces, htab_shape_gen_params),
	KUNIT_CASE_PARAM(htab_sys_batch_delete, htab_shape_gen_params),
	KUNIT_CASE_PARAM(htab_sys_batch_update, htab_shape_gen_params),
	KUNIT_CASE_PARAM(htab_sys_batch_errors, htab_flavour_gen_params),
	KUNIT_CASE_PARAM(htab_sys_batch_large_count, htab_flavour_gen_params),
	KUNIT_CASE_PARAM(htab_sys_batch_sparse, htab_flavour_gen_params),
	KUNIT_CASE_PARAM(htab_sys_batch_cpu, htab_flavour_percpu_gen_params),
	KUNIT_CASE_PARAM(htab_sys_iterator, htab_shape_prog_gen_params),
	{}
};

static struct kunit_suite htab_syscall_suite = {
	.name = "bpf_htab_syscall",
	.test_cases = htab_syscall_cases,
};

kunit_test_suite(htab_syscall_suite);

MODULE_DESCRIPTION("KUnit tests for bpf(2) on BPF hash maps");
MODULE_LICENSE("GPL");
