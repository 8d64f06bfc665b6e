// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite bpf_htab_race: hash maps used from several CPUs at once.
 *
 * Threads bound to CPUs look up, update, delete and walk one map; the thread of
 * the case reads it in batches meanwhile. What they may see is what the kernel
 * promises to programs, no more:
 *
 * - A key that stays is always found, and with its own value, however much is
 *   inserted and deleted around it. A reader that stands on an element which is
 *   freed and used again for another bucket must notice and start again.
 * - A key that was never in the map is never found, not even while the bytes of
 *   one key are written over those of another. No mixture of two keys of these
 *   tests is a key; lookers ask for the mixtures.
 * - A key that comes and goes may be missed. A value may be seen that belongs
 *   to the key for which the element was used again, but never for long.
 * - Overwriting a key replaces its element, unless the value is per CPU or a
 *   map: a lookup without lock may miss the key just then. Operations under the
 *   bucket lock never miss it and never see a value of another key.
 * - A walk or for_each without lock may miss, repeat, or show a key in the
 *   making, but no byte that is not of a key; it ends.
 *
 * Afterwards nothing may be lost: each survivor has its value, the counters and
 * free lists add up, and the map takes exactly max_entries elements.
 *
 * Old bugs that show here: readers led to another bucket by an element that was
 * used again, values of another key in per-CPU elements that were used again,
 * inner maps leaked or freed early, counters that drift when one CPU inserts
 * and another deletes, free elements and LRU nodes that get lost, maps that
 * take more or fewer elements than they should under contention.
 *
 * Set the seed with htab_race_kunit.seed=N, and with htab_race_kunit.msecs=N how
 * long each case lasts.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/jhash.h>
#include <linux/kthread.h>
#include <linux/moduleparam.h>
#include <linux/prandom.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "htab_test.h"

static uint seed;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "seed of the random choices; 0 takes another one each time");

static uint msecs = 60;
module_param(msecs, uint, 0444);
MODULE_PARM_DESC(msecs, "how long the threads of one case run, in milliseconds");

/* Bounds of one case besides: steps of each thread */
#define RACE_STEPS_MIN	100	/* on a busy machine the time may be over before */
#define RACE_STEPS_MAX	1000000
#define RACE_BURST	8	/* writes in a row */
#define RACE_CPUS	4

#define RACE_KEY_MAX	16	/* bytes */
#define RACE_VALUE	16	/* bytes */

/* Kinds of keys, by number: up to ... */
#define RACE_STABLE	8			/* in the map from start to end, never written */
#define RACE_HOT	(RACE_STABLE + 8)	/* always in the map, overwritten */
#define RACE_KEYS	(RACE_HOT + 20)		/* come and go */
#define RACE_ENTRIES	56			/* more than keys and threads together */
#define RACE_FULL	(RACE_HOT + 8)		/* fewer than keys */

#define RACE_MIXES	64
#define RACE_TRIES	8	/* times in a row that an element can be used again */

struct race {
	struct htab_test t;
	u8 keys[256][RACE_KEY_MAX];	/* by number; 1 to RACE_KEYS are in use */
	bool byte_known[RACE_KEY_MAX][256];	/* by place in a key in use */
	u8 mixes[RACE_MIXES][RACE_KEY_MAX];
	u32 n_mixes;
	bool full;			/* there is not room for all keys */
	bool in_place;			/* overwriting keeps the element */
	unsigned long end;		/* in jiffies */
	s64 inner_ref[HTAB_TEST_INNER];	/* before the first update */
};

struct race_thread {
	struct race *r;
	void (*step)(struct race_thread *th);
	struct task_struct *task;
	struct task_struct *writer;	/* on another CPU */
	struct completion done;
	struct rnd_state rnd;
	int cpu;
	void *values;			/* of all CPUs */
	u64 steps;
	u64 updated;
	u32 nomem;
	u32 missed;
	u32 foreign;
	char failure[128];
};

static __printf(2, 3) void race_fail(struct race_thread *th, const char *fmt, ...)
{
	va_list args;

	if (th->failure[0])
		return;
	va_start(args, fmt);
	vsnprintf(th->failure, sizeof(th->failure), fmt, args);
	va_end(args);
}

static u32 race_random(struct race_thread *th, u32 below)
{
	return prandom_u32_state(&th->rnd) % below;
}

static void race_key(const struct race *r, u32 n, u8 *key)
{
	memcpy(key, r->keys[n], r->t.key_size);
}

/* The number of a key, 0 if it is none. */
static u32 race_key_number(const struct race *r, const u8 *key)
{
	u32 n;

	for (n = RACE_KEYS; n; n--)
		if (!memcmp(r->keys[n], key, r->t.key_size))
			break;
	return n;
}

static bool race_known(u32 n)
{
	return n >= 1 && n <= RACE_KEYS;
}

static bool race_key_bytes_known(const struct race *r, const u8 *key)
{
	u32 i;

	for (i = 0; i < r->t.key_size; i++)
		if (!r->byte_known[i][key[i]])
			return false;
	return true;
}

/*
 * Every other byte of a value is the number of its key. An inner map is one of
 * two, for keys with odd and with even numbers.
 */
static void race_value(u32 n, u8 generation, u8 *value)
{
	u32 i;

	for (i = 0; i < RACE_VALUE; i += 2) {
		value[i] = n;
		value[i + 1] = generation;
	}
}

static u32 race_inner(u32 n, u8 generation)
{
	return 2 * (n & 1) + (generation & 1);
}

/* Is this the value of key number @n, for whoever reads under the lock? */
static bool race_value_right(u32 n, const u8 *value)
{
	u32 i;

	for (i = 0; i < RACE_VALUE; i += 2)
		if (value[i] != n)
			return false;
	return true;
}

/* Another CPU's value, if a program inserted the element */
static bool race_value_zero(const u8 *value)
{
	return !memchr_inv(value, 0, RACE_VALUE);
}

/* As a program sees it: without lock, so byte by byte. */
static bool race_seen_right(const struct race *r, u32 n, const void *seen, bool may_be_zero)
{
	const u8 *value = seen;
	u32 i;
	u8 b;

	if (r->t.of_maps)
		return seen == r->t.inner[race_inner(n, 0)] || seen == r->t.inner[race_inner(n, 1)];
	for (i = 0; i < RACE_VALUE; i += 2) {
		b = READ_ONCE(value[i]);
		if (b != n && (b || !may_be_zero))
			return false;
	}
	return true;
}

/* Can it be the value of any key? */
static bool race_seen_known(const struct race *r, const void *seen)
{
	const u8 *value = seen;
	u32 i;
	u8 b;

	if (r->t.of_maps) {
		for (i = 0; i < HTAB_TEST_INNER; i++)
			if (seen == r->t.inner[i])
				return true;
		return false;
	}
	for (i = 0; i < RACE_VALUE; i += 2) {
		b = READ_ONCE(value[i]);
		if (b && !race_known(b))
			return false;
	}
	return true;
}

static int race_update(struct race *r, void *values, u32 n, u8 generation, u64 flags,
		       bool all_cpus)
{
	struct bpf_map *map = r->t.map;
	u8 key[RACE_KEY_MAX];
	u32 cpu;
	int ret;

	htab_test_refill();
	race_key(r, n, key);
	if (r->t.of_maps)
		return bpf_fd_htab_map_update_elem(map, NULL, key,
						   &r->t.inner_fd[race_inner(n, generation)],
						   flags);
	for (cpu = 0; cpu < (r->t.percpu ? num_possible_cpus() : 1); cpu++)
		race_value(n, generation, values + cpu * RACE_VALUE);
	rcu_read_lock();
	migrate_disable();
	if (r->t.percpu && all_cpus)
		ret = bpf_percpu_hash_update(map, key, values, flags);
	else
		ret = map->ops->map_update_elem(map, key, values, flags);
	migrate_enable();
	rcu_read_unlock();
	return ret;
}

static int race_delete(struct race *r, u32 n)
{
	u8 key[RACE_KEY_MAX];
	int ret;

	race_key(r, n, key);
	rcu_read_lock();
	migrate_disable();
	ret = r->t.map->ops->map_delete_elem(r->t.map, key);
	migrate_enable();
	rcu_read_unlock();
	return ret;
}

static void *race_find(struct race_thread *th, void *key)
{
	struct bpf_map *map = th->r->t.map;

	if (th->r->t.percpu && race_random(th, 2))
		return map->ops->map_lookup_percpu_elem(map, key,
							race_random(th, num_possible_cpus()));
	return map->ops->map_lookup_elem(map, key);
}

static void race_look_mix(struct race_thread *th)
{
	struct race *r = th->r;
	u8 key[RACE_KEY_MAX];

	memcpy(key, r->mixes[race_random(th, r->n_mixes)], sizeof(key));
	rcu_read_lock();
	migrate_disable();
	if (race_find(th, key))
		race_fail(th, "found key %*phN, which was never in the map", r->t.key_size, key);
	migrate_enable();
	rcu_read_unlock();
}

static void race_look_key(struct race_thread *th, u32 n)
{
	struct race *r = th->r;
	u32 tries;
	u8 key[RACE_KEY_MAX];
	bool stays;
	void *v;

	/* Found each time, in an element that is not used for anything else? */
	stays = !r->t.lru && (n <= RACE_STABLE || (n <= RACE_HOT && r->in_place));
	race_key(r, n, key);
	rcu_read_lock();
	migrate_disable();
	for (tries = 0; tries < RACE_TRIES; tries++) {
		v = race_find(th, key);
		if (!v && stays)
			race_fail(th, "key %u stays in the map, but was not found", n);
		if (!v && n <= RACE_HOT)
			th->missed++;
		if (!v || race_seen_right(r, n, v, !stays))
			break;
		if (stays)
			race_fail(th, "key %u has a wrong value", n);
		else if (!race_seen_known(r, v))
			race_fail(th, "key %u has a value of no key", n);
		th->foreign++;
	}
	if (tries == RACE_TRIES)
		race_fail(th, "key %u has the value of another key, %u times in a row", n, tries);
	migrate_enable();
	rcu_read_unlock();
}

static void race_look(struct race_thread *th)
{
	if (th->r->n_mixes && !race_random(th, 3))
		race_look_mix(th);
	else
		race_look_key(th, 1 + race_random(th, RACE_KEYS));
}

/* Which errors an update may have, apart from what @flags say */
static bool race_update_may(struct race_thread *th, u32 n, int ret)
{
	struct race *r = th->r;

	switch (ret) {
	case -ENOMEM:
		/* The caches refill from irq_work, which the other thread on
		 * this CPU may have waited for; LRU finds nothing to evict.
		 */
		th->nomem++;
		return !r->t.prealloc || r->t.lru;
	case -E2BIG:
		return r->full && !r->t.lru && n > RACE_HOT;
	default:
		return false;
	}
}

static void race_write_key(struct race_thread *th, u32 n)
{
	static const u64 all_flags[] = { BPF_ANY, BPF_NOEXIST, BPF_EXIST };
	u64 flags = all_flags[race_random(th, ARRAY_SIZE(all_flags))];
	bool there = !th->r->t.lru && n <= RACE_HOT;
	struct race *r = th->r;
	int ret;

	ret = race_update(r, th->values, n, race_random(th, 256), flags, race_random(th, 2));
	if (!ret)
		th->updated++;
	if (race_update_may(th, n, ret))
		return;
	if (there && ret != (flags == BPF_NOEXIST ? -EEXIST : 0))
		race_fail(th, "key %u is there, update with %llu returned %d", n, flags, ret);
	else if (ret && ret != (flags == BPF_NOEXIST ? -EEXIST : -ENOENT))
		race_fail(th, "update of key %u with %llu returned %d", n, flags, ret);
	else if (ret && flags == BPF_ANY)
		race_fail(th, "update of key %u returned %d", n, ret);
}

static void race_take_key(struct race_thread *th, u32 n)
{
	struct bpf_map *map = th->r->t.map;
	u8 key[RACE_KEY_MAX], *v;
	u32 cpu;
	int ret;

	race_key(th->r, n, key);
	rcu_read_lock();
	migrate_disable();
	ret = map->ops->map_lookup_and_delete_elem(map, key, th->values, 0);
	migrate_enable();
	rcu_read_unlock();
	if (ret && ret != -ENOENT)
		race_fail(th, "lookup and delete of key %u returned %d", n, ret);
	for (cpu = 0; !ret && cpu < (th->r->t.percpu ? num_possible_cpus() : 1); cpu++) {
		v = th->values + cpu * RACE_VALUE;
		if (!race_value_right(n, v) && !(th->r->t.percpu && race_value_zero(v)))
			race_fail(th, "took a wrong value with key %u", n);
	}
}

static void race_write(struct race_thread *th)
{
	u32 n = RACE_STABLE + 1 + race_random(th, RACE_KEYS - RACE_STABLE);
	int ret;

	if (n <= RACE_HOT || race_random(th, 2)) {
		race_write_key(th, n);
	} else if (th->r->t.of_maps || race_random(th, 2)) {
		ret = race_delete(th->r, n);
		if (ret && ret != -ENOENT)
			race_fail(th, "delete of key %u returned %d", n, ret);
	} else {
		race_take_key(th, n);
	}
	/* The reader on this CPU goes on until one elsewhere calls. */
	if (th->steps % RACE_BURST == 0)
		schedule_timeout_interruptible(1);
}

static u64 race_each(u64 map, u64 key, u64 value, u64 ctx, u64 unused)
{
	struct race_thread *th = (void *)(long)ctx;
	u8 bytes[RACE_KEY_MAX];

	memcpy(bytes, (void *)(long)key, th->r->t.key_size);
	if (!race_key_bytes_known(th->r, bytes))
		race_fail(th, "for_each showed key %*phN", th->r->t.key_size, bytes);
	if (!race_seen_known(th->r, (void *)(long)value))
		race_fail(th, "for_each showed a value of no key");
	return 0;
}

static void race_walk(struct race_thread *th)
{
	struct bpf_map *map = th->r->t.map;
	u8 key[RACE_KEY_MAX], next[RACE_KEY_MAX];
	u32 n;
	int ret;

	/* A key that is gone starts the walk again, so it may never end. */
	for (n = 0; n < 4 * RACE_ENTRIES; n++) {
		rcu_read_lock();
		ret = map->ops->map_get_next_key(map, n ? key : NULL, next);
		rcu_read_unlock();
		if (ret && ret != -ENOENT)
			race_fail(th, "get_next_key returned %d", ret);
		if (ret)
			break;
		memcpy(key, next, sizeof(key));
		if (!race_key_bytes_known(th->r, key))
			race_fail(th, "get_next_key showed key %*phN", th->r->t.key_size, key);
	}
	if (!map->ops->map_for_each_callback)
		return;
	migrate_disable();
	map->ops->map_for_each_callback(map, (bpf_callback_t)race_each, th, 0);
	migrate_enable();
}

/*
 * A writer has a higher priority than the readers. It sleeps until a reader of
 * another CPU wakes it, and interrupts the one of its own CPU wherever that is:
 * many readers find, when they go on, that they stand on an element which has
 * been used again meanwhile.
 */
static void race_read(struct race_thread *th)
{
	if (!race_random(th, 16))
		wake_up_process(th->writer);
	if (race_random(th, 32))
		race_look(th);
	else
		race_walk(th);
}

static int race_thread_fn(void *data)
{
	struct race_thread *th = data;

	if (th->step == race_write)
		sched_set_fifo_low(current);
	while (th->steps < RACE_STEPS_MAX && !th->failure[0] &&
	       (th->steps < RACE_STEPS_MIN || time_before(jiffies, th->r->end))) {
		th->step(th);
		th->steps++;
		cond_resched();
	}
	complete(&th->done);
	return 0;
}

/*
 * User memory for one batch: for every key once. While the map is walked, keys
 * may move in front of the walk, so that it meets more than fit the map at a time.
 */
struct race_batch {
	void __user *ukeys;
	void __user *uvalues;
	void __user *utoken;
	u8 *keys;
	u8 *values;
	u32 value_size;
};

static void race_batch_init(struct race *r, struct race_batch *b)
{
	struct kunit *test = r->t.test;
	const u32 n = RACE_KEYS;

	b->value_size = r->t.of_maps ? 4 : r->t.sys_value_size;
	b->ukeys = htab_test_user(test, n * r->t.key_size);
	b->uvalues = htab_test_user(test, (size_t)n * b->value_size);
	b->utoken = htab_test_user(test, 4);
	b->keys = kunit_kzalloc(test, n * r->t.key_size, GFP_KERNEL);
	b->values = kunit_kzalloc(test, (size_t)n * b->value_size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, b->keys);
	KUNIT_ASSERT_NOT_NULL(test, b->values);
}

static bool race_batch_value_right(struct race *r, u32 n, const u8 *value)
{
	u32 cpu;

	if (r->t.of_maps)
		return !memcmp(value, &r->t.inner_id[race_inner(n, 0)], 4) ||
		       !memcmp(value, &r->t.inner_id[race_inner(n, 1)], 4);
	if (!r->t.percpu)
		return race_value_right(n, value);
	for (cpu = 0; cpu < num_possible_cpus(); cpu++)
		if (!race_value_right(n, value + cpu * RACE_VALUE) &&
		    !race_value_zero(value + cpu * RACE_VALUE))
			return false;
	return true;
}

/*
 * Reads the whole map. Each bucket is read under its lock: no key is torn, or
 * there twice, and all values are right. Returns the number of elements, or an
 * error after a failed expectation.
 */
static int race_read_batch(struct race *r, struct race_batch *b)
{
	struct kunit *test = r->t.test;
	union bpf_attr attr = {
		.batch.map_fd = r->t.fd,
		.batch.out_batch = (unsigned long)b->utoken,
		.batch.keys = (unsigned long)b->ukeys,
		.batch.values = (unsigned long)b->uvalues,
		.batch.count = RACE_KEYS,
	};
	bool seen[256] = {};
	u32 i, n, count;
	int ret;

	ret = htab_test_bpf(&r->t, BPF_MAP_LOOKUP_BATCH, &attr);
	count = attr.batch.count;
	KUNIT_EXPECT_EQ(test, ret, -ENOENT);
	KUNIT_EXPECT_LE(test, count, RACE_KEYS);
	if (ret != -ENOENT || count > RACE_KEYS)
		return -EINVAL;
	if (copy_from_user(b->keys, b->ukeys, count * r->t.key_size) ||
	    copy_from_user(b->values, b->uvalues, (size_t)count * b->value_size)) {
		KUNIT_FAIL(test, "no access to the batch");
		return -EFAULT;
	}
	for (i = 0; i < count; i++) {
		n = race_key_number(r, b->keys + i * r->t.key_size);
		if (!n || seen[n]) {
			KUNIT_FAIL(test, "batch read key %*phN, %s", r->t.key_size,
				   b->keys + i * r->t.key_size, n ? "again" : "which is no key");
			return -EINVAL;
		}
		seen[n] = true;
		if (!race_batch_value_right(r, n, b->values + (size_t)i * b->value_size)) {
			KUNIT_FAIL(test, "batch read a wrong value for key %u", n);
			return -EINVAL;
		}
	}
	for (n = 1; n <= RACE_HOT && !r->t.lru; n++) {
		if (!seen[n]) {
			KUNIT_FAIL(test, "batch missed key %u, which stays in the map", n);
			return -EINVAL;
		}
	}
	return count;
}

/*
 * In each place all keys have different bytes, so that a key which is partly one
 * and partly another is neither, nor any third. All are in two buckets: long
 * ways for readers, and each element has often been in the other one.
 */
static void race_choose_keys(struct race *r)
{
	const u32 half = htab_hook_n_buckets(r->t.map) / 2;
	u8 key[RACE_KEY_MAX] = {};
	u32 n = 0, try, i;

	for (try = 0; try < 1000000 && n < RACE_KEYS; try++) {
		for (i = 0; i < r->t.key_size; i++) {
			key[i] = jhash_2words(try, i, 0);
			if (r->byte_known[i][key[i]])
				break;
		}
		if (i < r->t.key_size || htab_hook_bucket(r->t.map, key) % half)
			continue;
		memcpy(r->keys[++n], key, sizeof(key));
		for (i = 0; i < r->t.key_size; i++)
			r->byte_known[i][key[i]] = true;
	}
	KUNIT_ASSERT_EQ(r->t.test, n, RACE_KEYS);
	/* for filling the map afterwards */
	while (++n < ARRAY_SIZE(r->keys)) {
		memset(r->keys[n], 0x5a, RACE_KEY_MAX);
		r->keys[n][0] = n;
	}
}

/*
 * Mixtures that belong into the bucket of one of their halves: who looks for
 * them passes that key while it is being written over.
 */
static void race_choose_mixes(struct race *r)
{
	u32 a, b, cut, bucket, cuts = r->t.key_size - 1;
	u8 key[RACE_KEY_MAX], other[RACE_KEY_MAX];
	struct bpf_map *map = r->t.map;

	for (a = 0; a < RACE_KEYS * RACE_KEYS * cuts && r->n_mixes < RACE_MIXES; a++) {
		/* halves first, they are the likeliest */
		cut = a / (RACE_KEYS * RACE_KEYS);
		cut = 1 + (r->t.key_size / 2 - 1 + cut) % cuts;
		b = a % RACE_KEYS;
		race_key(r, 1 + a / RACE_KEYS % RACE_KEYS, key);
		race_key(r, 1 + b, other);
		bucket = htab_hook_bucket(map, key);
		if (key[0] == other[0])
			continue;
		memcpy(key + cut, other + cut, r->t.key_size - cut);
		if (htab_hook_bucket(map, key) != bucket &&
		    htab_hook_bucket(map, key) != htab_hook_bucket(map, other))
			continue;
		memcpy(r->mixes[r->n_mixes++], key, r->t.key_size);
	}
}

static void race_run(struct race *r, struct race_batch *batch, u32 random)
{
	static void (*const steps[])(struct race_thread *) = { race_read, race_write };
	u32 n_cpus = min_t(u32, num_online_cpus(), RACE_CPUS), n = 0, i;
	struct kunit *test = r->t.test;
	u32 nomem = 0, missed = 0, foreign = 0, batches = 0;
	struct race_thread *threads, *th;
	u64 updated = 0, looked = 0;
	int cpu;

	threads = kunit_kcalloc(test, n_cpus * ARRAY_SIZE(steps), sizeof(*threads), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, threads);
	for_each_online_cpu(cpu) {
		if (n == n_cpus * ARRAY_SIZE(steps))
			break;
		for (i = 0; i < ARRAY_SIZE(steps); i++) {
			th = &threads[n++];
			th->r = r;
			th->cpu = cpu;
			th->step = steps[i];
			init_completion(&th->done);
			prandom_seed_state(&th->rnd, random + n);
			th->values = kunit_kzalloc(test, RACE_VALUE * num_possible_cpus(),
						   GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, th->values);
		}
	}

	/* From here to the last kthread_stop() nothing may end the case. */
	r->end = jiffies + msecs_to_jiffies(msecs);
	for (i = 0; i < n; i++) {
		th = &threads[i];
		th->task = kthread_create(race_thread_fn, th, "htab_race/%u", i);
		if (IS_ERR(th->task))
			break;
		kthread_bind(th->task, th->cpu);
		get_task_struct(th->task);
	}
	if (i < n) {
		while (i--)
			kthread_stop_put(threads[i].task);
		KUNIT_FAIL(test, "no threads");
		return;
	}
	/* a reader and a writer on each CPU */
	for (i = 0; i < n; i += 2)
		threads[i].writer = threads[(i + 3) % n].task;
	for (i = 0; i < n; i++)
		wake_up_process(threads[i].task);
	do {
		if (race_read_batch(r, batch) < 0)
			break;
		batches++;
		/* the CPUs are for the threads */
		if (batches % 8)
			cond_resched();
		else
			schedule_timeout_uninterruptible(1);
	} while (time_before(jiffies, r->end));
	for (i = 0; i < n; i++) {
		th = &threads[i];
		/* readers may still wake its writer, so all have to be done */
		wait_for_completion(&th->done);
	}
	for (i = 0; i < n; i++) {
		th = &threads[i];
		kthread_stop_put(th->task);
		if (th->failure[0])
			KUNIT_FAIL(test, "seed %u: %s", seed, th->failure);
		nomem += th->nomem;
		missed += th->missed;
		foreign += th->foreign;
		updated += th->updated;
		looked += th->step == race_read ? th->steps : 0;
	}
	KUNIT_EXPECT_GT(test, updated, 0);
	KUNIT_EXPECT_GT(test, batches, 0);
	kunit_info(test, "%llu updates, %u without memory, %llu lookups, %u missed, %u saw another value, %u batches\n",
		   updated, nomem, looked, missed, foreign, batches);
}

static u32 race_free_elems(struct bpf_map *map)
{
	u32 n = htab_hook_free_elems(map, -1);
	int cpu;

	for_each_possible_cpu(cpu)
		n += htab_hook_free_elems(map, cpu);
	return n;
}

/* The counters and free lists of a map with @n elements that nobody uses */
static void race_expect_count(struct race *r, u32 n)
{
	struct kunit *test = r->t.test;
	struct bpf_map *map = r->t.map;

	KUNIT_EXPECT_EQ(test, bpf_map_sum_elem_count(map), n);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&r->t), n);
	KUNIT_EXPECT_EQ(test, htab_hook_count(map), r->t.prealloc ? -1 : (s64)n);
	if (r->t.prealloc && !r->t.lru)
		KUNIT_EXPECT_EQ(test, race_free_elems(map) + n, map->max_entries);
}

/* References of inner maps, @used of them by elements */
static void race_expect_refs(struct race *r, const s64 *used)
{
	u32 i;

	for (i = 0; i < HTAB_TEST_INNER && r->t.of_maps; i++)
		KUNIT_EXPECT_EQ_MSG(r->t.test, atomic64_read(&r->t.inner[i]->refcnt),
				    r->inner_ref[i] + used[i], "references of inner map %u", i);
}

/* Survivors, as lookups see them */
static void race_expect_found(struct race *r, u32 count)
{
	struct kunit *test = r->t.test;
	s64 used[HTAB_TEST_INNER] = {};
	u32 n, i, found = 0;
	u8 key[RACE_KEY_MAX];
	void *v;

	for (n = 1; n <= RACE_KEYS; n++) {
		race_key(r, n, key);
		rcu_read_lock();
		migrate_disable();
		v = r->t.map->ops->map_lookup_elem(r->t.map, key);
		if (v) {
			found++;
			KUNIT_EXPECT_TRUE_MSG(test, race_seen_right(r, n, v, r->t.percpu),
					      "key %u has a wrong value", n);
			for (i = 0; i < HTAB_TEST_INNER; i++)
				used[i] += v == r->t.inner[i];
		} else if (n <= RACE_HOT && !r->t.lru) {
			KUNIT_FAIL(test, "key %u stays, but is gone", n);
		}
		migrate_enable();
		rcu_read_unlock();
	}
	KUNIT_EXPECT_EQ(test, found, count);
	race_expect_refs(r, used);
}

static void race_on_cpu(struct kunit *test, int cpu)
{
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(cpu)), 0);
}

/* All elements of an LRU map are still to be had: on their CPU, if they have one. */
static void race_expect_lru_fill(struct race *r, void *values)
{
	const u32 per_cpu = r->t.map->max_entries / num_possible_cpus();
	bool own_lists = r->t.map->map_flags & BPF_F_NO_COMMON_LRU;
	u32 n = 1, i, cpus = 0, want;
	int cpu;

	/* With less than four elements a CPU, LRU evicts only if it must. */
	for_each_online_cpu(cpu) {
		if (n + 8 * per_cpu > 255)
			break;
		race_on_cpu(r->t.test, cpu);
		for (i = 0; i < 8 * per_cpu; i++, n++)
			KUNIT_EXPECT_EQ(r->t.test, race_update(r, values, n, 0, BPF_ANY, true), 0);
		cpus++;
	}
	want = own_lists ? per_cpu * cpus : r->t.map->max_entries;
	race_expect_count(r, want);
}

static void race_expect_fill(struct race *r, void *values)
{
	struct kunit *test = r->t.test;
	u32 n;

	for (n = 1; n <= r->t.map->max_entries; n++)
		KUNIT_EXPECT_EQ_MSG(test, race_update(r, values, n, 0, BPF_NOEXIST, true), 0,
				    "element %u of %u", n, r->t.map->max_entries);
	KUNIT_EXPECT_EQ(test, race_update(r, values, n, 0, BPF_ANY, true), -E2BIG);
	race_expect_count(r, r->t.map->max_entries);
}

static void race_case(struct kunit *test, const struct htab_flavour *f, u32 key_size, bool full)
{
	static const s64 none[HTAB_TEST_INNER];
	u32 n_init = RACE_KEYS, entries = RACE_ENTRIES, i;
	struct race_batch batch;
	struct race *r;
	void *values;
	int n;

	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU does not race");
	r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, r);
	values = kunit_kzalloc(test, RACE_VALUE * num_possible_cpus(), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, values);

	if (full) {
		entries = RACE_FULL;
		n_init = RACE_FULL;
	}
	if (full && (f->type == BPF_MAP_TYPE_LRU_HASH || f->type == BPF_MAP_TYPE_LRU_PERCPU_HASH))
		entries = 3 * num_possible_cpus();
	htab_test_init(test, &r->t, f, key_size, RACE_VALUE, entries);
	r->full = full;
	r->in_place = r->t.percpu || r->t.of_maps;
	for (i = 0; i < HTAB_TEST_INNER && r->t.of_maps; i++)
		r->inner_ref[i] = atomic64_read(&r->t.inner[i]->refcnt);
	race_choose_keys(r);
	race_choose_mixes(r);
	race_batch_init(r, &batch);
	KUNIT_EXPECT_GT(test, r->n_mixes, 0);
	for (i = 1; i <= n_init; i++)
		KUNIT_ASSERT_EQ(test, race_update(r, values, i, 0, BPF_ANY, true), 0);

	race_run(r, &batch, seed ^ hash_32(key_size, 32));

	n = race_read_batch(r, &batch);
	KUNIT_ASSERT_GE(test, n, 0);
	race_expect_count(r, n);
	race_expect_found(r, n);
	for (i = 1; i <= RACE_KEYS; i++)
		race_delete(r, i);
	race_expect_count(r, 0);
	race_expect_refs(r, none);
	if (!r->t.lru)
		race_expect_fill(r, values);
	else if (full)
		race_expect_lru_fill(r, values);
}

struct race_param {
	const struct htab_flavour *flavour;
	u32 key_size;
};

static const u32 race_key_sizes[] = { 4, 6, 8, 12, 16 };

static struct race_param race_params[HTAB_FLAVOURS * ARRAY_SIZE(race_key_sizes)];

static const void *race_gen_params(struct kunit *test, const void *prev, char *desc)
{
	const struct race_param *p = prev ? (const struct race_param *)prev + 1 : race_params;

	if (p == race_params + ARRAY_SIZE(race_params))
		return NULL;
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s k=%u v=%u", p->flavour->name, p->key_size,
		 p->flavour->type == BPF_MAP_TYPE_HASH_OF_MAPS ? 4 : RACE_VALUE);
	return p;
}

/* There is room for all keys: no update may be refused. */
static void htab_race_room(struct kunit *test)
{
	const struct race_param *p = test->param_value;

	race_case(test, p->flavour, p->key_size, false);
}

/* There is not: inserts compete for the last elements, LRU evicts all the time. */
static void htab_race_full(struct kunit *test)
{
	race_case(test, test->param_value, 8, true);
}

/*
 * One CPU inserts, another deletes. Counts that are kept per CPU are off on each
 * of them, and must be right as a whole. The map is large enough to have a
 * per-CPU counter, in which case nearly full is counted with care.
 */
static void htab_race_count_drift(struct kunit *test)
{
	const u32 entries = 2 * 32 * num_possible_cpus() + 40, rounds = 8;
	struct htab_test t;
	u32 round, n;
	int cpu;

	htab_test_init(test, &t, test->param_value, 8, 8, entries);
	cpu = cpumask_first(cpu_online_mask);
	for (round = 0; round < rounds; round++) {
		race_on_cpu(test, cpu);
		/* LRU may evict earlier, so leave it alone there. */
		for (n = 0; n < (t.lru ? entries / 8 : entries); n++)
			KUNIT_ASSERT_EQ(test, htab_prog_update(&t, n, n, BPF_NOEXIST), 0);
		if (!t.lru)
			KUNIT_EXPECT_EQ(test, htab_prog_update(&t, n, n, BPF_ANY), -E2BIG);
		KUNIT_EXPECT_EQ(test, bpf_map_sum_elem_count(t.map), n);
		KUNIT_EXPECT_EQ(test, htab_hook_count(t.map), t.prealloc ? -1 : (s64)n);

		cpu = cpumask_next_wrap(cpu, cpu_online_mask);
		race_on_cpu(test, cpu);
		while (n--)
			KUNIT_ASSERT_EQ(test, htab_prog_delete(&t, n), 0);
		KUNIT_EXPECT_EQ(test, bpf_map_sum_elem_count(t.map), 0);
		KUNIT_EXPECT_EQ(test, htab_hook_count(t.map), t.prealloc ? -1 : 0);
		if (t.prealloc && !t.lru)
			KUNIT_EXPECT_EQ(test, race_free_elems(t.map), entries);
	}
}

/* One element of a map that holds no more, and the two keys that take turns in it */
struct race_torn {
	struct htab_test t;
	u8 keys[2][RACE_KEY_MAX];
	u8 value[RACE_VALUE];
	u64 rounds;
	int failed;
};

static int race_torn_fn(void *data)
{
	struct race_torn *r = data;
	struct bpf_map *map = r->t.map;
	u32 i;

	while (!kthread_should_stop()) {
		for (i = 0; i < 200 && !r->failed; i++) {
			rcu_read_lock();
			migrate_disable();
			r->failed = map->ops->map_update_elem(map, r->keys[i % 2], r->value,
							      BPF_NOEXIST) ?:
				    map->ops->map_delete_elem(map, r->keys[i % 2]);
			migrate_enable();
			rcu_read_unlock();
			WRITE_ONCE(r->rounds, r->rounds + 1);
		}
		cond_resched();
	}
	return 0;
}

/* Maps that are sure to use their one element again, and take a value of bytes */
static const void *race_torn_gen_params(struct kunit *test, const void *prev, char *desc)
{
	const struct race_param *p;

	do {
		p = race_gen_params(test, prev, desc);
		prev = p;
	} while (p && (p->flavour->flags || p->flavour->type == BPF_MAP_TYPE_HASH_OF_MAPS));
	return p;
}

/*
 * A reader stands on an element, which meanwhile is reused again and again. It
 * looks for keys that begin as the one and end as the other, which are never in
 * the map: it must not find them, however a key is written.
 */
static void htab_race_torn(struct kunit *test)
{
	const struct race_param *p = test->param_value;
	u32 i, cut, way = 0, found = 0, looked = 0;
	struct task_struct *writer;
	struct race_torn *r;
	unsigned long end, limit;
	u8 key[RACE_KEY_MAX];
	void *elem;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, r);
	htab_test_init(test, &r->t, p->flavour, p->key_size, RACE_VALUE, 1);
	KUNIT_ASSERT_EQ(test, htab_hook_n_buckets(r->t.map), 1);
	for (i = 0; i < p->key_size; i++) {
		r->keys[0][i] = 0x10 + i;
		r->keys[1][i] = 0x80 + i;
	}
	rcu_read_lock();
	migrate_disable();
	i = r->t.map->ops->map_update_elem(r->t.map, r->keys[0], r->value, BPF_ANY);
	elem = htab_hook_elem(r->t.map, r->keys[0]);
	r->failed = r->t.map->ops->map_delete_elem(r->t.map, r->keys[0]);
	migrate_enable();
	rcu_read_unlock();
	KUNIT_ASSERT_EQ(test, i, 0);
	KUNIT_ASSERT_NOT_NULL(test, elem);
	KUNIT_ASSERT_EQ(test, r->failed, 0);

	race_on_cpu(test, cpumask_first(cpu_online_mask));
	writer = kthread_create(race_torn_fn, r, "htab_race/torn");
	KUNIT_ASSERT_FALSE(test, IS_ERR(writer));
	kthread_bind(writer, cpumask_last(cpu_online_mask));
	wake_up_process(writer);
	end = jiffies + msecs_to_jiffies(msecs);
	/* on a busy machine the writer may not have begun by then */
	limit = end + 60 * HZ;
	while (time_before(jiffies, end) ||
	       (READ_ONCE(r->rounds) < RACE_STEPS_MIN && time_before(jiffies, limit))) {
		rcu_read_lock();
		for (cut = 1; cut < p->key_size; cut++, way = !way) {
			memcpy(key, r->keys[way], cut);
			memcpy(key + cut, r->keys[!way] + cut, p->key_size - cut);
			for (i = 0; i < 50; i++, looked++)
				found += !!htab_hook_lookup_from(r->t.map, elem, key);
		}
		rcu_read_unlock();
		cond_resched();
	}
	kthread_stop(writer);
	kunit_info(test, "%llu times reused, looked %u times\n", r->rounds, looked);
	KUNIT_EXPECT_EQ(test, r->failed, 0);
	KUNIT_EXPECT_EQ_MSG(test, found, 0, "found a key that was never in the map");
	KUNIT_EXPECT_GE(test, r->rounds, RACE_STEPS_MIN);
}

static int htab_race_suite_init(struct kunit_suite *suite)
{
	u32 f, k, n = 0;

	for (f = 0; f < HTAB_FLAVOURS; f++) {
		for (k = 0; k < ARRAY_SIZE(race_key_sizes); k++) {
			race_params[n].flavour = &htab_flavours[f];
			race_params[n++].key_size = race_key_sizes[k];
		}
	}
	if (!seed)
		seed = get_random_u32();
	kunit_info(suite, "seed=%u\n", seed);
	return 0;
}

static struct kunit_case htab_race_cases[] = {
	KUNIT_CASE_PARAM(htab_race_room, race_gen_params),
	KUNIT_CASE_PARAM(htab_race_torn, race_torn_gen_params),
	KUNIT_CASE_PARAM(htab_race_full, htab_flavour_gen_params),
	KUNIT_CASE_PARAM(htab_race_count_drift, htab_flavour_gen_params),
	{}
};

static struct kunit_suite htab_race_suite = {
	.name = "bpf_htab_race",
	.suite_init = htab_race_suite_init,
	.test_cases = htab_race_cases,
};

kunit_test_suite(htab_race_suite);

MODULE_DESCRIPTION("KUnit tests for concurrent use of BPF hash maps");
MODULE_LICENSE("GPL");
