// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suites that measure what BPF hash maps cost. They fail only if a map
 * operation fails, never for a number.
 *
 *   bpf_htab_measure_memory  bytes of a full map: flavours, sizes, entries
 *   bpf_htab_measure_speed   time of an operation on a full map
 *   bpf_htab_measure_large   the same for maps that no cache holds
 *   bpf_htab_measure_real    bytes of the maps in htab_catalogue.h, full
 *
 * Results are lines that start with a tag and go on with fields between tabs,
 * behind whatever KUnit puts before them:
 *
 *   htab-memory: type flags key_size value_size entries elem asked given
 *   htab-speed:  type flags key_size value_size entries operation ns
 *   htab-side:   side, then as htab-speed, if the kernel has more than one hash map
 *   htab-real:   project map type key_size value_size flags entries elem
 *                asked given from
 *
 * elem is what the map asks for each element, asked is what the map itself says
 * of its memory, given is what slab, vmalloc and the per-CPU allocator really
 * gave: see htab_hooks.h. All in bytes.
 *
 * Speed is measured by calling map ops as a program does that is not inlined.
 * Its numbers mean something on a kernel without SMP and debugging only.
 */
#include <kunit/test.h>
#include <linux/bpf.h>
#include <linux/ktime.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>
#include "htab_catalogue.h"
#include "htab_test.h"

/* Keys are random: with regular ones a weak hash looks perfect. Those below the
 * number of entries are in the map; the ones above are not.
 */
#define MEASURE_SEED	0x9e3779b9U

/* What a map is given depends on what the maps before it have left: page by page,
 * a case is as lucky in every boot. Boots with another order give it other pages.
 */
static unsigned int order;
module_param(order, uint, 0444);
MODULE_PARM_DESC(order, "shuffles the cases, each number in another way (default: 0, not)");

/* tools/speed links stock's hash map into a kernel of the branch, whose own is side 0 */
static unsigned int sides = 1;
module_param(sides, uint, 0444);
MODULE_PARM_DESC(sides, "how many hash maps tools/speed has put into this kernel (default: 1)");

unsigned int htab_measure_side;

static u32 measure_xorshift(u32 x)
{
	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x;
}

/* Maps 32-bit numbers to 32-bit numbers, one to one. */
static u32 measure_mix(u32 x)
{
	x ^= MEASURE_SEED;
	x ^= x >> 16;
	x *= 0x85ebca6bU;
	x ^= x >> 13;
	x *= 0xc2b2ae35U;
	x ^= x >> 16;
	return x;
}

/* Different numbers make different keys, as far as key_size allows. */
static void measure_key(const struct htab_test *t, u32 n, u8 *key)
{
	u32 left = t->key_size, word = left < 4 ? n : measure_mix(n);

	for (; left > 4; left -= 4, key += 4) {
		memcpy(key, &word, 4);
		word = measure_xorshift(word);
	}
	memcpy(key, &word, left);
}

/* Maps what lies below 1 << @bits to itself, one to one: another order. */
static u32 measure_order(u32 i, u32 bits)
{
	u32 mask = (1U << bits) - 1;

	i = (i * 0x2c1b3c6dU) & mask;
	i ^= i >> (bits / 2);
	i = (i * 0x297a2d39U) & mask;
	return i ^ i >> (bits / 2);
}

static const char *measure_type(const struct htab_test *t)
{
	switch (t->type) {
	case BPF_MAP_TYPE_HASH:
		return "HASH";
	case BPF_MAP_TYPE_PERCPU_HASH:
		return "PERCPU_HASH";
	case BPF_MAP_TYPE_LRU_HASH:
		return "LRU_HASH";
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
		return "LRU_PERCPU_HASH";
	case BPF_MAP_TYPE_HASH_OF_MAPS:
		return "HASH_OF_MAPS";
	case BPF_MAP_TYPE_RHASH:
		return "RHASH";
	default:
		return "?";
	}
}

static const char *measure_flags(u32 flags)
{
	if (flags & BPF_F_NO_PREALLOC)
		return "BPF_F_NO_PREALLOC";
	return flags & BPF_F_NO_COMMON_LRU ? "BPF_F_NO_COMMON_LRU" : "-";
}

/* Maps are freed by a work item, which may leave the allocator of elements to
 * another one. Without waiting, the map of the case before would take memory
 * and time from this one.
 */
static int measure_settle(struct kunit *test)
{
	__flush_workqueue(system_dfl_wq);
	__flush_workqueue(system_dfl_wq);
	return 0;
}

/* Like htab_test_init(), for maps with larger keys and values too: they never
 * go through the user memory of @t.
 */
static void measure_create(struct kunit *test, struct htab_test *t,
			   const struct htab_flavour *f, u32 key_size, u32 value_size,
			   u32 max_entries)
{
	union bpf_attr attr;
	struct bpf_map *map;

	htab_test_start(test, t);
	attr = htab_test_attr(t, f, key_size, value_size, max_entries);
	/* its seed cannot be fixed */
	if (f->type == BPF_MAP_TYPE_RHASH)
		attr.map_flags = f->flags;
	t->fd = htab_test_bpf(t, BPF_MAP_CREATE, &attr);
	htab_test_close_fd(test, t->fd);
	map = bpf_map_get(t->fd);
	KUNIT_ASSERT_FALSE(test, IS_ERR(map));
	/* the descriptor keeps it */
	bpf_map_put(map);
	t->map = map;
	t->type = f->type;
	t->key_size = key_size;
	t->value_size = map->value_size;
	t->percpu = f->type == BPF_MAP_TYPE_PERCPU_HASH ||
		    f->type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
	t->lru = f->type == BPF_MAP_TYPE_LRU_HASH ||
		 f->type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
	t->of_maps = f->type == BPF_MAP_TYPE_HASH_OF_MAPS;
	t->prealloc = !(f->flags & BPF_F_NO_PREALLOC);
	t->sys_value_size = t->percpu ?
		round_up(t->value_size, 8) * num_possible_cpus() : t->value_size;
}

/* A value as a program passes it, rounded up because map ops may copy so much */
static u8 *measure_value(struct kunit *test, const struct htab_test *t)
{
	u8 *value = htab_test_alloc(test, round_up(t->value_size, 8));
	u32 i;

	for (i = 0; i < t->value_size; i++)
		value[i] = i + 1;
	return value;
}

/* Programs cannot write to a map of maps: there this is what bpf(2) calls. */
static long measure_update(struct htab_test *t, u8 *key, u8 *value, u64 flags)
{
	if (t->of_maps)
		return bpf_fd_htab_map_update_elem(t->map, NULL, key, &t->inner_fd[0], flags);
	return t->map->ops->map_update_elem(t->map, key, value, flags);
}

static long measure_insert(struct htab_test *t, u8 *key, u8 *value)
{
	htab_test_refill();
	guard(rcu)();
	guard(migrate)();
	return measure_update(t, key, value, BPF_NOEXIST);
}

/* Inserts keys 0 to n - 1. */
static void measure_fill(struct htab_test *t, u32 n)
{
	u8 *key = htab_test_alloc(t->test, t->key_size);
	u8 *value = measure_value(t->test, t);
	u32 i, tries;
	long ret;

	for (i = 0; i < n; i++) {
		measure_key(t, i, key);
		ret = measure_insert(t, key, value);
		/* An insert cannot sleep, and so finds per-CPU memory only where
		 * there is some already. Make some be there.
		 */
		for (tries = 0; ret == -ENOMEM && t->percpu && tries < 4; tries++) {
			free_percpu(__alloc_percpu(round_up(t->value_size, 8), 8));
			ret = measure_insert(t, key, value);
		}
		KUNIT_ASSERT_EQ_MSG(t->test, ret, 0, "insert %u of %u", i, n);
		if (i % 1024 == 0)
			cond_resched();
	}
	htab_hook_settle(t->map);
}

struct measure_memory {
	u32 elem;
	u64 asked;
	u64 given;
};

static struct measure_memory measure_weigh(const struct htab_test *t)
{
	struct htab_hook_given given;

	htab_hook_given(t->map, &given);
	return (struct measure_memory) {
		.elem = htab_hook_elem_size(t->map),
		.asked = t->map->ops->map_mem_usage(t->map),
		.given = given.fixed + given.buckets + given.elems + given.spare +
			 given.values,
	};
}

/**
 * struct measure_case - a parameter: one map
 * @flavour: kind of map
 * @key_size: bytes of a key
 * @value_size: bytes of a value; HASH_OF_MAPS always takes 4
 * @entries: elements that the map may hold and does hold
 * @side: whose hash map it is
 */
struct measure_case {
	const struct htab_flavour *flavour;
	u32 key_size;
	u32 value_size;
	u32 entries;
	u32 side;
};

static const struct {
	u32 key_size;
	u32 value_size;
} measure_sizes[] = {
	{ 4, 4 }, { 8, 8 }, { 16, 16 }, { 14, 56 }, { 40, 64 }, { 64, 256 },
};

static const u32 measure_entries[] = { SZ_1K, SZ_64K, SZ_1M };

/* Behind the flavours: the resizable hash map, for comparison. It always is
 * without preallocation.
 */
static const struct htab_flavour measure_rhash = {
	"rhash", BPF_MAP_TYPE_RHASH, BPF_F_NO_PREALLOC
};

#define MEASURE_FLAVOURS (HTAB_FLAVOURS + 1)
#define MEASURE_SIDES	3	/* at most */
#define MEASURE_CASES	(MEASURE_FLAVOURS * ARRAY_SIZE(measure_sizes) *	\
			 ARRAY_SIZE(measure_entries) * MEASURE_SIDES)

static void measure_shuffle(struct measure_case *cases, u32 n)
{
	u32 x = order * MEASURE_SEED, i;

	for (i = n; order && i > 1; i--) {
		x = measure_xorshift(x);
		swap(cases[i - 1], cases[x % i]);
	}
}

/* The same map of each side. Returns how many that is: one where there is one hash
 * map only, or where bpf(2) calls functions of this one by their names.
 */
static u32 measure_add(struct measure_case *cases, const struct measure_case *c)
{
	enum bpf_map_type type = c->flavour->type;
	u32 i, n = clamp(sides, 1, MEASURE_SIDES);

	if (type == BPF_MAP_TYPE_RHASH || type == BPF_MAP_TYPE_HASH_OF_MAPS)
		n = 1;
	for (i = 0; i < n; i++) {
		cases[i] = *c;
		cases[i].side = i;
	}
	return n;
}

/* What KUnit hands to a case as parameter must outlive the generator call. */
static const void *measure_gen_params(struct measure_case *cases, const void *prev, char *desc,
				      bool (*wanted)(const struct measure_case *c))
{
	const struct measure_case *c = prev ? (const struct measure_case *)prev + 1 : cases;
	struct measure_case next;
	u32 f, s, e, n = 0;

	for (f = 0; !prev && f < MEASURE_FLAVOURS; f++) {
		for (s = 0; s < ARRAY_SIZE(measure_sizes); s++) {
			for (e = 0; e < ARRAY_SIZE(measure_entries); e++) {
				next = (struct measure_case) {
					.flavour = f < HTAB_FLAVOURS ? &htab_flavours[f] :
								       &measure_rhash,
					.key_size = measure_sizes[s].key_size,
					.value_size = measure_sizes[s].value_size,
					.entries = measure_entries[e],
				};
				if (next.flavour->type == BPF_MAP_TYPE_HASH_OF_MAPS)
					next.value_size = 4;
				if (wanted(&next))
					n += measure_add(&cases[n], &next);
			}
		}
	}
	if (!prev) {
		cases[n].flavour = NULL;
		measure_shuffle(cases, n);
	}
	if (!c->flavour)
		return NULL;
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s k=%u v=%u n=%u", c->flavour->name,
		 c->key_size, c->value_size, c->entries);
	return c;
}

/* Memory */

/* A million elements are made for two sizes only: they take a second, and half
 * a gigabyte if values are large.
 */
static bool measure_common_size(const struct measure_case *c)
{
	return c->key_size == 8 || c->key_size == 14;
}

static bool measure_memory_wanted(const struct measure_case *c)
{
	return c->entries < SZ_1M || measure_common_size(c);
}

static const void *measure_memory_params(struct kunit *test, const void *prev, char *desc)
{
	static struct measure_case cases[MEASURE_CASES + 1];

	return measure_gen_params(cases, prev, desc, measure_memory_wanted);
}

static void htab_measure_memory(struct kunit *test)
{
	const struct measure_case *c = test->param_value;
	struct measure_memory m;
	struct htab_test t;

	measure_create(test, &t, c->flavour, c->key_size, c->value_size, c->entries);
	measure_fill(&t, c->entries);
	m = measure_weigh(&t);
	kunit_info(test, "htab-memory:\t%s\t%s\t%u\t%u\t%u\t%u\t%llu\t%llu", measure_type(&t),
		   measure_flags(c->flavour->flags), t.key_size, t.value_size, c->entries,
		   m.elem, m.asked, m.given);
}

/* Real maps */

static const void *measure_real_params(struct kunit *test, const void *prev, char *desc)
{
	const struct htab_catalogue_map *c = prev ?
		(const struct htab_catalogue_map *)prev + 1 : htab_catalogue;

	if (c >= htab_catalogue + ARRAY_SIZE(htab_catalogue))
		return NULL;
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s %s", c->project, c->name);
	return c;
}

static void htab_measure_real(struct kunit *test)
{
	const struct htab_catalogue_map *c = test->param_value;
	const struct htab_flavour f = { c->name, c->type, c->flags };
	struct measure_memory m;
	struct htab_test t;

	measure_create(test, &t, &f, c->key_size, c->value_size, c->max_entries);
	measure_fill(&t, c->max_entries);
	m = measure_weigh(&t);
	kunit_info(test, "htab-real:\t%s\t%s\t%s\t%u\t%u\t%s\t%u\t%u\t%llu\t%llu\t%s",
		   c->project, c->name, measure_type(&t), t.key_size, t.value_size,
		   measure_flags(c->flags), c->max_entries, m.elem, m.asked, m.given,
		   c->from == HTAB_ASSUMED ? "assumed" : "default");
}

/* Speed */

/* A measurement is the best of so many rounds. What disturbs a round only ever
 * makes it longer.
 */
#define MEASURE_ROUNDS	16
/* Operations of a round: enough to take much longer than reading the clock,
 * few enough that most rounds see no timer tick and no other process.
 */
#define MEASURE_OPS	2048

/**
 * struct measure - a map whose speed is measured
 * @t: the map, full
 * @entries: keys in the map, a power of two
 * @keys: how many keys @hit and @miss hold
 * @begin: where in the order of all keys the keys of the next round begin
 * @hit: keys in the map, for one round
 * @miss: as many keys that are not
 * @value: what to write
 * @cursor: keys of the walk, the current and the next
 * @walking: @cursor has a current key
 * @user: what BPF_MAP_LOOKUP_BATCH fills: a token, then keys, then values
 * @batching: the token is valid
 * @failed: operations that did not do what they should
 * @sink: what was read, so that reading it is not left out
 */
struct measure {
	struct htab_test t;
	u32 entries;
	u32 keys;
	u32 begin;
	u8 *hit;
	u8 *miss;
	u8 *value;
	u8 *cursor[2];
	bool walking;
	void __user *user;
	bool batching;
	u32 failed;
	unsigned long sink;
};

/* Each round takes other keys, so that a large map is as cold as in real use. */
static void measure_next_keys(struct measure *m)
{
	u32 bits = ilog2(m->entries), i, n;

	for (i = 0; i < m->keys; i++) {
		n = measure_order((m->begin + i) & (m->entries - 1), bits);
		measure_key(&m->t, n, m->hit + i * m->t.key_size);
		measure_key(&m->t, n + m->entries, m->miss + i * m->t.key_size);
	}
	m->begin += m->keys;
}

static u32 measure_lookups(struct measure *m, u8 *keys)
{
	struct bpf_map *map = m->t.map;
	u32 i, key_size = m->t.key_size, found = 0;
	unsigned long sum = 0;
	u8 *value;

	guard(rcu)();
	guard(migrate)();
	for (i = 0; i < m->keys; i++) {
		value = map->ops->map_lookup_elem(map, keys + i * key_size);
		if (!value)
			continue;
		found++;
		sum += m->t.of_maps ? (unsigned long)value : *value;
	}
	m->sink += sum;
	return found;
}

static u32 measure_lookup_hit(struct measure *m)
{
	u32 ops;

	for (ops = 0; ops < MEASURE_OPS; ops += m->keys)
		m->failed += m->keys - measure_lookups(m, m->hit);
	return ops;
}

static u32 measure_lookup_miss(struct measure *m)
{
	u32 ops;

	for (ops = 0; ops < MEASURE_OPS; ops += m->keys)
		m->failed += measure_lookups(m, m->miss);
	return ops;
}

/* bpf(2) with memory of a user, a whole round in one call if the map is large
 * enough; a small map is read again and again.
 */
static u32 measure_lookup_batch(struct measure *m)
{
	union bpf_attr attr;
	u32 ops = 0;
	int ret;

	while (ops < MEASURE_OPS) {
		attr = (union bpf_attr) {
			.batch.map_fd = m->t.fd,
			.batch.in_batch = m->batching ? (unsigned long)m->user : 0,
			.batch.out_batch = (unsigned long)m->user,
			.batch.keys = (unsigned long)m->user + PAGE_SIZE,
			.batch.values = (unsigned long)m->user + PAGE_SIZE +
					MEASURE_OPS * m->t.key_size,
			.batch.count = MEASURE_OPS,
		};
		ret = htab_test_bpf(&m->t, BPF_MAP_LOOKUP_BATCH, &attr);
		m->batching = !ret;
		if (ret && ret != -ENOENT) {
			m->failed++;
			break;
		}
		ops += attr.batch.count;
	}
	return ops;
}

static u32 measure_iterate(struct measure *m)
{
	struct bpf_map *map = m->t.map;
	u32 ops;
	int ret;

	guard(rcu)();
	guard(migrate)();
	for (ops = 0; ops < MEASURE_OPS; ops++) {
		ret = map->ops->map_get_next_key(map, m->walking ? m->cursor[0] : NULL,
						 m->cursor[1]);
		m->walking = !ret;
		swap(m->cursor[0], m->cursor[1]);
		m->failed += ret && ret != -ENOENT;
	}
	return ops;
}

static u32 measure_overwrite(struct measure *m)
{
	u32 ops, i;

	guard(rcu)();
	guard(migrate)();
	for (ops = 0; ops < MEASURE_OPS; ops += m->keys) {
		for (i = 0; i < m->keys; i++)
			m->failed += !!measure_update(&m->t, m->hit + i * m->t.key_size,
						      m->value, BPF_ANY);
	}
	return ops;
}

/* A key leaves, another comes, and the map stays full. A small map goes back
 * and forth between two sets of keys; a large one is not seen again. Elements of
 * BPF_MAP_TYPE_RHASH come back after a grace period, for which a round does not
 * wait: its allocator has to get new ones, which is part of what it costs.
 */
static u32 measure_replace(struct measure *m)
{
	const bool refill = m->t.type == BPF_MAP_TYPE_RHASH;
	struct bpf_map *map = m->t.map;
	u32 ops, i;
	long ret;

	guard(rcu)();
	guard(migrate)();
	for (ops = 0; ops < MEASURE_OPS; ops += m->keys) {
		for (i = 0; i < m->keys; i++) {
			ret = map->ops->map_delete_elem(map, m->hit + i * m->t.key_size);
			/* an LRU map makes room as it likes */
			m->failed += ret && !(m->t.lru && ret == -ENOENT);
			if (refill)
				htab_test_refill();
			m->failed += !!measure_update(&m->t, m->miss + i * m->t.key_size,
						      m->value, BPF_NOEXIST);
		}
		swap(m->hit, m->miss);
	}
	return ops;
}

/* The order matters: an LRU map that is full loses elements to the writes. */
static const struct {
	const char *name;
	u32 (*run)(struct measure *m);
} measure_ops[] = {
	{ "lookup_hit", measure_lookup_hit },
	{ "lookup_miss", measure_lookup_miss },
	{ "lookup_batch", measure_lookup_batch },
	{ "iterate", measure_iterate },
	{ "overwrite", measure_overwrite },
	{ "insert+delete", measure_replace },
};

/* All sizes for the kinds of map that are used most, 8/8 for the others */
static bool measure_speed_wanted(const struct measure_case *c)
{
	enum bpf_map_type type = c->flavour->type;

	if (c->entries == SZ_1M || c->key_size == 64)
		return false;
	if (type == BPF_MAP_TYPE_HASH || type == BPF_MAP_TYPE_RHASH ||
	    (type == BPF_MAP_TYPE_LRU_HASH && !c->flavour->flags))
		return true;
	if (c->key_size != 8)
		return false;
	return type == BPF_MAP_TYPE_PERCPU_HASH || type == BPF_MAP_TYPE_LRU_HASH ||
	       !c->flavour->flags;
}

static const void *measure_speed_params(struct kunit *test, const void *prev, char *desc)
{
	static struct measure_case cases[MEASURE_CASES + 1];

	return measure_gen_params(cases, prev, desc, measure_speed_wanted);
}

/* These take seconds: one of each layout */
static bool measure_large_wanted(const struct measure_case *c)
{
	enum bpf_map_type type = c->flavour->type;

	if (c->entries != SZ_1M || !measure_common_size(c))
		return false;
	if (type == BPF_MAP_TYPE_PERCPU_HASH)
		return c->key_size == 8 && !c->flavour->flags;
	return type == BPF_MAP_TYPE_HASH || type == BPF_MAP_TYPE_RHASH ||
	       (type == BPF_MAP_TYPE_LRU_HASH && !c->flavour->flags);
}

static const void *measure_large_params(struct kunit *test, const void *prev, char *desc)
{
	static struct measure_case cases[MEASURE_CASES + 1];

	return measure_gen_params(cases, prev, desc, measure_large_wanted);
}

static void measure_speed_init(struct kunit *test, struct measure *m,
			       const struct measure_case *c)
{
	*m = (struct measure) {
		.entries = c->entries,
		.keys = min_t(u32, c->entries, MEASURE_OPS),
	};
	htab_measure_side = c->side;
	measure_create(test, &m->t, c->flavour, c->key_size, c->value_size, c->entries);
	m->hit = htab_test_alloc(test, (size_t)m->keys * c->key_size);
	m->miss = htab_test_alloc(test, (size_t)m->keys * c->key_size);
	m->cursor[0] = htab_test_alloc(test, c->key_size);
	m->cursor[1] = htab_test_alloc(test, c->key_size);
	m->value = measure_value(test, &m->t);
	m->user = htab_test_user(test, PAGE_SIZE + MEASURE_OPS *
				 (c->key_size + m->t.sys_value_size));
	measure_fill(&m->t, c->entries);
}

/* What an operation leaves in the caches depends on the layout: a layout of which
 * it reads less leaves less to the operation that follows. All find nothing, as far
 * as other data can push it out.
 */
#define MEASURE_CACHE_BYTES	SZ_16M

static void *measure_cache;

static int measure_cache_init(struct kunit_suite *suite)
{
	measure_cache = vmalloc(MEASURE_CACHE_BYTES);
	return measure_cache ? 0 : -ENOMEM;
}

static void measure_cache_exit(struct kunit_suite *suite)
{
	vfree(measure_cache);
}

static void measure_cool(int with)
{
	u32 i;

	for (i = 0; i < MEASURE_CACHE_BYTES; i += PAGE_SIZE)
		memset(measure_cache + i, with, PAGE_SIZE);
}

static void htab_measure_speed(struct kunit *test)
{
	const struct measure_case *c = test->param_value;
	char tag[16] = "htab-speed:";
	struct measure m;
	u32 op, round, n;
	u64 start, took, best;

	measure_speed_init(test, &m, c);
	for (op = 0; op < ARRAY_SIZE(measure_ops); op++) {
		measure_cool(op);
		best = U64_MAX;
		for (round = 0; round < MEASURE_ROUNDS; round++) {
			measure_next_keys(&m);
			htab_test_refill();
			cond_resched();
			start = ktime_get_ns();
			n = measure_ops[op].run(&m);
			took = ktime_get_ns() - start;
			best = min(best, div_u64(took * 100, max(n, 1)));
		}
		KUNIT_ASSERT_EQ_MSG(test, m.failed, 0, "%s", measure_ops[op].name);
		if (sides > 1)
			snprintf(tag, sizeof(tag), "htab-side:\t%u", c->side);
		kunit_info(test, "%s\t%s\t%s\t%u\t%u\t%u\t%s\t%llu.%02llu",
			   tag, measure_type(&m.t), measure_flags(c->flavour->flags),
			   m.t.key_size, m.t.value_size, c->entries,
			   measure_ops[op].name, best / 100, best % 100);
	}
}

static struct kunit_case measure_memory_cases[] = {
	KUNIT_CASE_PARAM(htab_measure_memory, measure_memory_params),
	{}
};

static struct kunit_suite measure_memory_suite = {
	.name = "bpf_htab_measure_memory",
	.init = measure_settle,
	.test_cases = measure_memory_cases,
};

static struct kunit_case measure_speed_cases[] = {
	KUNIT_CASE_PARAM(htab_measure_speed, measure_speed_params),
	{}
};

static struct kunit_suite measure_speed_suite = {
	.name = "bpf_htab_measure_speed",
	.suite_init = measure_cache_init,
	.suite_exit = measure_cache_exit,
	.init = measure_settle,
	.test_cases = measure_speed_cases,
};

static struct kunit_case measure_large_cases[] = {
	KUNIT_CASE_PARAM(htab_measure_speed, measure_large_params),
	{}
};

static struct kunit_suite measure_large_suite = {
	.name = "bpf_htab_measure_large",
	.suite_init = measure_cache_init,
	.suite_exit = measure_cache_exit,
	.init = measure_settle,
	.test_cases = measure_large_cases,
};

static struct kunit_case measure_real_cases[] = {
	KUNIT_CASE_PARAM(htab_measure_real, measure_real_params),
	{}
};

static struct kunit_suite measure_real_suite = {
	.name = "bpf_htab_measure_real",
	.init = measure_settle,
	.test_cases = measure_real_cases,
};

kunit_test_suites(&measure_memory_suite, &measure_speed_suite, &measure_large_suite,
		  &measure_real_suite);

MODULE_DESCRIPTION("KUnit suites that measure what BPF hash maps cost");
MODULE_LICENSE("GPL");
