// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite bpf_htab_model: random operations on a hash map and on a simple
 * exact model, an array indexed by the number of the key, compared after each
 * step. Bounded in steps and in time.
 *
 * The seed is printed. To repeat a run: htab_model_kunit.seed=N on the kernel's
 * command line.
 *
 * LRU maps may forget a key at any insert. The model forgets what a lookup
 * misses, but never takes another value for what it remembers.
 */
#include <kunit/test.h>
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/prandom.h>
#include <linux/random.h>
#include <linux/slab.h>
#include "htab_test.h"

#define KEYS		96	/* different keys, more than a map holds */
#define ENTRIES		64
#define STEPS		4000
#define SECONDS		5	/* gives up, with a note, on a slow machine */
#define NOTHING		U32_MAX

static unsigned long seed;
module_param(seed, ulong, 0444);
MODULE_PARM_DESC(seed, "Seed of the random operations; 0 takes a new one each time");

struct htab_model {
	struct htab_test t;
	struct rnd_state rnd;
	u32 self;			/* CPU that runs */
	u32 count;
	/* What each key has: the number of its value as bpf(2) wrote it to all
	 * CPUs, and as a program wrote it to this one since.
	 */
	struct {
		bool there;
		u32 all;		/* NOTHING: zeroes */
		u32 own;		/* NOTHING: as all */
		bool evicted;		/* maybe, see model_update() */
	} key[KEYS];
};

static void model_forget(struct htab_model *m, u32 key)
{
	m->count -= m->key[key].there;
	m->key[key].there = false;
}

/* Reads a key through bpf(2) and compares. Returns what there is to complain. */
static const char *model_compare(struct htab_model *m, u32 key)
{
	struct htab_test *t = &m->t;
	u32 size = round_up(t->value_size, 8), cpu;
	union bpf_attr attr = {
		.map_fd = t->fd,
		.key = (unsigned long)t->ukey,
		.value = (unsigned long)t->uvalue,
	};
	const char *wrong = NULL;
	void *k, *v;
	int ret;

	k = kmalloc(t->key_size, GFP_KERNEL);
	v = kmalloc(t->sys_value_size, GFP_KERNEL);
	if (!k || !v) {
		wrong = "no memory for the test";
		goto out;
	}
	htab_test_key(t, key, k);
	ret = copy_to_user(t->ukey, k, t->key_size) ? -EFAULT :
	      htab_test_bpf(t, BPF_MAP_LOOKUP_ELEM, &attr);
	if (ret == -ENOENT) {
		if (m->key[key].there && !t->lru)
			wrong = "lost a key";
		model_forget(m, key);
		goto out;
	}
	if (ret) {
		wrong = "lookup failed";
		goto out;
	}
	if (!m->key[key].there) {
		wrong = "found a key that was never put in, or deleted";
		goto out;
	}
	if (copy_from_user(v, t->uvalue, t->sys_value_size)) {
		wrong = "no value";
		goto out;
	}
	if (t->of_maps || !t->percpu) {
		if (!htab_test_sys_value_is(t, m->key[key].all, v))
			wrong = "another value";
		goto out;
	}
	for (cpu = 0; cpu < num_possible_cpus(); cpu++) {
		void *part = v + cpu * size;
		bool ok;

		if (cpu == m->self && m->key[key].own != NOTHING)
			ok = htab_test_value_is(t, m->key[key].own, part);
		else if (m->key[key].all == NOTHING ||
			 (m->key[key].evicted && !memchr_inv(part, 0, t->value_size)))
			ok = !memchr_inv(part, 0, t->value_size);
		else
			ok = htab_test_cpu_value_is(t, m->key[key].all, cpu, part);
		if (!ok)
			wrong = cpu == m->self ? "another value on this CPU" :
						 "another value on another CPU";
	}
out:
	kfree(k);
	kfree(v);
	return wrong;
}

static const char *model_update(struct htab_model *m, u32 key, bool sys)
{
	static const u64 any_flags[] = { BPF_ANY, BPF_ANY, BPF_ANY, BPF_NOEXIST, BPF_EXIST };
	u64 flags = any_flags[prandom_u32_state(&m->rnd) % ARRAY_SIZE(any_flags)];
	u32 value = prandom_u32_state(&m->rnd) >> 1;
	struct htab_test *t = &m->t;
	bool there = m->key[key].there;
	int ret, want = 0;

	if (there && flags == BPF_NOEXIST)
		want = -EEXIST;
	else if (!there && flags == BPF_EXIST)
		want = -ENOENT;
	else if (!there && !t->lru && m->count >= ENTRIES)
		want = -E2BIG;

	ret = sys ? htab_sys_update(t, key, value, flags) :
		    htab_prog_update(t, key, value, flags);
	/* what the model remembers may have been evicted */
	if (ret != want && t->lru && there &&
	    ((flags == BPF_NOEXIST && !ret) || (flags == BPF_EXIST && ret == -ENOENT))) {
		model_forget(m, key);
		there = false;
		want = ret;
	}
	if (ret != want)
		return "update returned something else";
	if (ret)
		return NULL;
	if (!there)
		m->count++;
	if (!there || sys || !t->percpu)
		m->key[key].all = sys || !t->percpu ? value : NOTHING;
	m->key[key].own = sys || !t->percpu ? NOTHING : value;
	/* An LRU map may have evicted this very key to make room for it. Then a
	 * program's update was an insert, and zeroed the other CPUs' values.
	 */
	m->key[key].evicted = t->lru && there && !sys;
	m->key[key].there = true;
	return NULL;
}

static const char *model_delete(struct htab_model *m, u32 key, u32 how)
{
	struct htab_test *t = &m->t;
	bool there = m->key[key].there;
	int ret;

	if (how == 2 && !t->of_maps) {
		u32 value = m->key[key].all;

		ret = htab_sys_lookup_and_delete(t, key, value);
		/* the value was compared before; here only that it goes */
		if (ret == -EBADMSG && t->percpu)
			ret = 0;
	} else {
		ret = how ? htab_sys_delete(t, key) : htab_prog_delete(t, key);
	}
	model_forget(m, key);
	if (ret == (there ? 0 : -ENOENT) || (t->lru && there && ret == -ENOENT))
		return NULL;
	return "delete returned something else";
}

static const char *model_walk(struct htab_model *m)
{
	u32 n = htab_sys_count(&m->t);

	if (m->t.lru ? n > m->t.map->max_entries : n != m->count)
		return "a walk finds another number of keys";
	return NULL;
}

static const char *model_step(struct htab_model *m)
{
	u32 dice = prandom_u32_state(&m->rnd) % 64, key = prandom_u32_state(&m->rnd) % KEYS;
	const char *wrong = NULL;

	/* what the map has evicted meanwhile must not surprise the model */
	if (m->t.lru)
		wrong = model_compare(m, key);
	if (wrong)
		return wrong;
	if (dice < 16)
		wrong = model_update(m, key, false);
	else if (dice < 32)
		wrong = model_update(m, key, true);
	else if (dice < 48)
		wrong = model_delete(m, key, dice % 3);
	else if (dice == 48)
		wrong = model_walk(m);
	return wrong ?: model_compare(m, key);
}

static const struct {
	u32 key_size;
	u32 value_size;
} model_sizes[] = { { 4, 4 }, { 8, 8 }, { 7, 20 }, { 12, 16 }, { 24, 65 } };

static void htab_model(struct kunit *test)
{
	const struct htab_flavour *f = test->param_value;
	unsigned long start = jiffies, used = seed ?: get_random_u32();
	const char *wrong = NULL;
	struct htab_model *m;
	u32 size, step = 0, key;

	m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m);
	kunit_info(test, "htab_model_kunit.seed=%lu\n", used);
	prandom_seed_state(&m->rnd, used);
	for (size = 0; size < ARRAY_SIZE(model_sizes); size++) {
		memset(m->key, 0, sizeof(m->key));
		m->count = 0;
		htab_test_init(test, &m->t, f, model_sizes[size].key_size,
			       model_sizes[size].value_size, ENTRIES);
		m->self = raw_smp_processor_id();
		for (step = 0; step < STEPS / ARRAY_SIZE(model_sizes) && !wrong; step++) {
			if (time_after(jiffies, start + SECONDS * HZ)) {
				kunit_info(test, "out of time after %u steps\n", step);
				break;
			}
			wrong = model_step(m);
		}
		KUNIT_ASSERT_NULL_MSG(test, wrong, "%s at step %u, k=%u v=%u, seed %lu", wrong,
				      step, m->t.key_size, m->t.value_size, used);
		for (key = 0; key < KEYS; key++) {
			wrong = model_compare(m, key);
			KUNIT_ASSERT_NULL_MSG(test, wrong, "%s at the end, key %u, seed %lu", wrong,
					      key, used);
		}
		KUNIT_EXPECT_EQ(test, htab_sys_count(&m->t), m->count);
	}
}

static struct kunit_case htab_model_cases[] = {
	KUNIT_CASE_PARAM(htab_model, htab_flavour_gen_params),
	{}
};

static struct kunit_suite htab_model_suite = {
	.name = "bpf_htab_model",
	.test_cases = htab_model_cases,
};

kunit_test_suite(htab_model_suite);

MODULE_DESCRIPTION("KUnit test of BPF hash maps against a model");
MODULE_LICENSE("GPL");
