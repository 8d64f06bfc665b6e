// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite bpf_htab_fields: special fields in the values of hash maps.
 *
 * BTF is written down here, so that no compiler and no BTF of the kernel is
 * needed. Timers and work are used as programs do, through the helpers. A kptr
 * points to an object whose reference count says how often the kernel dropped
 * it. Of the bugs that this code has had before, the suite covers:
 * - special fields at every offset of the value, in every flavour that may have
 *   them: empty in new elements, kept or cancelled on update, dropped once on
 *   every way that an element can go, also through the allocator's destructor;
 * - copies of values around special fields, and BPF_F_LOCK in lookup, update
 *   and batch;
 * - fields of evicted LRU elements;
 * - the destructor's context, which outlives the map and its BTF.
 *
 * What the kernel specifies: timers, work and task work go when an element is
 * deleted, replaced or evicted. A kptr stays in the memory of an element that
 * is deleted and may turn up again in another element; it is dropped when that
 * memory goes, at the latest with the map.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/rcupdate_trace.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include "htab_test.h"
#include "htab_load.h"

enum fields_kind {
	FIELD_LOCK,
	FIELD_RES_LOCK,
	FIELD_TIMER,
	FIELD_WQ,
	FIELD_TASK_WORK,
	FIELD_KPTR,
	FIELD_KPTR_UNTRUSTED,
	FIELD_REFCOUNT,
	FIELD_LIST_HEAD,
	FIELD_RB_ROOT,
	FIELD_KINDS
};

#define TYPES_HASH	BIT(BPF_MAP_TYPE_HASH)
#define TYPES_ASYNC	(TYPES_HASH | BIT(BPF_MAP_TYPE_LRU_HASH))
#define TYPES_LRU	(BIT(BPF_MAP_TYPE_LRU_HASH) | BIT(BPF_MAP_TYPE_LRU_PERCPU_HASH))
#define TYPES_PERCPU	(BIT(BPF_MAP_TYPE_PERCPU_HASH) | BIT(BPF_MAP_TYPE_LRU_PERCPU_HASH))
#define TYPES_ALL	(TYPES_HASH | TYPES_LRU | TYPES_PERCPU)

/*
 * Which types of map may have which field. Lists and trees need a spin lock
 * beside them, which only HASH may have.
 */
static const struct {
	const char *name;
	const char *btf_name;
	u32 size;
	u32 types;
	bool needs_lock;
} fields_kinds[FIELD_KINDS] = {
	[FIELD_LOCK] = { "lock", "bpf_spin_lock", 4, TYPES_HASH },
	[FIELD_RES_LOCK] = { "res_lock", "bpf_res_spin_lock", 4, TYPES_HASH },
	[FIELD_TIMER] = { "timer", "bpf_timer", 16, TYPES_ASYNC },
	[FIELD_WQ] = { "wq", "bpf_wq", 16, TYPES_ASYNC },
	[FIELD_TASK_WORK] = { "task_work", "bpf_task_work", 8, TYPES_ASYNC },
	[FIELD_KPTR] = { "kptr", NULL, 8, TYPES_ALL },
	[FIELD_KPTR_UNTRUSTED] = { "kptr_untrusted", NULL, 8, TYPES_ALL },
	[FIELD_REFCOUNT] = { "refcount", "bpf_refcount", 4, TYPES_ALL },
	[FIELD_LIST_HEAD] = { "list_head", "bpf_list_head", 16, TYPES_HASH, true },
	[FIELD_RB_ROOT] = { "rb_root", "bpf_rb_root", 16, TYPES_HASH, true },
};

/* Where a field stands in a value. Behind it there is room for a lock. */
static const struct {
	u32 key_size;
	u32 off;
	u32 value_size;
} fields_sizes[] = {
	{ 4, 0, 24 }, { 8, 8, 28 }, { 12, 16, 40 }, { 16, 24, 52 }, { 20, 8, 64 },
};

/* How an element goes */
enum fields_way {
	WAY_PROG_DELETE,
	WAY_DELETE,
	WAY_LOOKUP_AND_DELETE,
	WAY_DELETE_BATCH,
	WAY_LOOKUP_AND_DELETE_BATCH,
	WAY_REPLACE,
	WAY_RELEASE,
	WAYS
};

static const char * const fields_ways[WAYS] = {
	[WAY_PROG_DELETE] = "prog_delete",
	[WAY_DELETE] = "delete",
	[WAY_LOOKUP_AND_DELETE] = "lookup_and_delete",
	[WAY_DELETE_BATCH] = "delete_batch",
	[WAY_LOOKUP_AND_DELETE_BATCH] = "lookup_and_delete_batch",
	[WAY_REPLACE] = "replace",
	[WAY_RELEASE] = "release",
};

struct fields_param {
	const struct htab_flavour *flavour;
	enum fields_kind kind;
	u32 key_size;
	u32 off;
	u32 value_size;
	int way;	/* negative: does not matter */
};

/*
 * Parameters of a case: @kinds of fields in @types of maps with @flags. For
 * each of them there are @sizes of the sizes, or all; or one for each of the
 * @ways. They take turns.
 */
struct fields_list {
	u32 types;
	u32 flags;
	u32 kinds;
	u32 ways;
	u32 sizes;
	u32 n;
	struct fields_param param[80];
};

static void fields_list_add(struct fields_list *l, const struct htab_flavour *f,
			    enum fields_kind kind, u32 size, int way)
{
	if (WARN_ON_ONCE(l->n == ARRAY_SIZE(l->param)))
		return;
	l->param[l->n++] = (struct fields_param) {
		.flavour = f,
		.kind = kind,
		.key_size = fields_sizes[size].key_size,
		.off = fields_sizes[size].off,
		.value_size = fields_sizes[size].value_size,
		.way = way,
	};
}

static void fields_list_fill(struct fields_list *l)
{
	u32 f, kind, i, turn = 0;
	int way;

	for (kind = 0; kind < FIELD_KINDS; kind++) {
		for (f = 0; f < HTAB_FLAVOURS; f++) {
			if (!(l->kinds & BIT(kind)) ||
			    !(BIT(htab_flavours[f].type) & l->types & fields_kinds[kind].types) ||
			    (htab_flavours[f].flags & l->flags) != l->flags)
				continue;
			for (way = 0; way < WAYS; way++)
				if (l->ways & BIT(way))
					fields_list_add(l, &htab_flavours[f], kind,
							turn++ % ARRAY_SIZE(fields_sizes), way);
			for (i = 0; !l->ways && i < (l->sizes ?: ARRAY_SIZE(fields_sizes)); i++)
				fields_list_add(l, &htab_flavours[f], kind,
						turn++ % ARRAY_SIZE(fields_sizes), -1);
		}
	}
}

static const void *fields_gen(struct fields_list *l, const struct fields_param *prev, char *desc)
{
	const struct fields_param *p = prev ? prev + 1 : l->param;

	if (!l->n)
		fields_list_fill(l);
	if (p >= l->param + l->n)
		return NULL;
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s %s k=%u v=%u off=%u%s%s",
		 fields_kinds[p->kind].name, p->flavour->name, p->key_size, p->value_size,
		 p->off, p->way < 0 ? "" : " ", p->way < 0 ? "" : fields_ways[p->way]);
	return p;
}

#define FIELDS_PARAMS(name, ...)							\
static struct fields_list fields_list_##name = { __VA_ARGS__ };				\
static const void *fields_gen_##name(struct kunit *test, const void *prev, char *desc)	\
{											\
	return fields_gen(&fields_list_##name, prev, desc);				\
}

FIELDS_PARAMS(lock, .types = TYPES_ALL, .kinds = BIT(FIELD_LOCK));
FIELDS_PARAMS(timer, .types = TYPES_ALL, .kinds = BIT(FIELD_TIMER));
FIELDS_PARAMS(few_timer, .types = TYPES_ALL, .kinds = BIT(FIELD_TIMER), .sizes = 2);
FIELDS_PARAMS(lru_timer, .types = TYPES_LRU, .kinds = BIT(FIELD_TIMER), .sizes = 2);
FIELDS_PARAMS(hash_timer, .types = TYPES_HASH, .kinds = BIT(FIELD_TIMER));
FIELDS_PARAMS(wq, .types = TYPES_ALL, .kinds = BIT(FIELD_WQ));
FIELDS_PARAMS(kptr, .types = TYPES_ALL, .kinds = BIT(FIELD_KPTR));
FIELDS_PARAMS(few_kptr, .types = TYPES_ALL, .kinds = BIT(FIELD_KPTR), .sizes = 2);
FIELDS_PARAMS(nopre_kptr, .types = TYPES_ALL, .flags = BPF_F_NO_PREALLOC,
	      .kinds = BIT(FIELD_KPTR));
FIELDS_PARAMS(lru_kptr, .types = TYPES_LRU, .kinds = BIT(FIELD_KPTR), .sizes = 2);
FIELDS_PARAMS(percpu_kptr, .types = TYPES_PERCPU, .kinds = BIT(FIELD_KPTR), .sizes = 2);
FIELDS_PARAMS(hash_kptr, .types = TYPES_HASH, .kinds = BIT(FIELD_KPTR));
FIELDS_PARAMS(graph, .types = TYPES_ALL,
	      .kinds = BIT(FIELD_LIST_HEAD) | BIT(FIELD_RB_ROOT));
FIELDS_PARAMS(refcount, .types = TYPES_ALL, .kinds = BIT(FIELD_REFCOUNT), .sizes = 2);
/* fields whose empty state is all zeroes */
FIELDS_PARAMS(zero, .types = TYPES_ALL,
	      .kinds = BIT(FIELD_LOCK) | BIT(FIELD_TIMER) | BIT(FIELD_KPTR));
FIELDS_PARAMS(few_zero, .types = TYPES_ALL,
	      .kinds = BIT(FIELD_LOCK) | BIT(FIELD_TIMER) | BIT(FIELD_KPTR), .sizes = 2);
FIELDS_PARAMS(async_ways, .types = TYPES_ALL,
	      .kinds = BIT(FIELD_TIMER) | BIT(FIELD_WQ), .ways = BIT(WAYS) - 1);
FIELDS_PARAMS(kptr_ways, .types = TYPES_ALL, .kinds = BIT(FIELD_KPTR),
	      .ways = BIT(WAY_RELEASE) - 1);

static const void *fields_gen_kinds(struct kunit *test, const void *prev, char *desc)
{
	static const enum fields_kind kinds[] = {
		FIELD_LOCK, FIELD_RES_LOCK, FIELD_TIMER, FIELD_WQ, FIELD_TASK_WORK, FIELD_KPTR,
		FIELD_KPTR_UNTRUSTED, FIELD_REFCOUNT, FIELD_LIST_HEAD, FIELD_RB_ROOT,
	};
	const enum fields_kind *k = prev ? (const enum fields_kind *)prev + 1 : kinds;

	if (k >= kinds + ARRAY_SIZE(kinds))
		return NULL;
	strscpy(desc, fields_kinds[*k].name, KUNIT_PARAM_DESC_SIZE);
	return k;
}

#define OBJECT_REFS	100000

/*
 * Each map gets an object of its own: a map that a case leaves behind is freed
 * when the next case runs already, and must not drop that one's object.
 */
static struct htab_object fields_objects[1024];
static u32 fields_n_objects;

/* A map whose values have a special field */
struct fields {
	struct htab_test t;
	struct kunit *test;
	struct fields_param p;
	bool with_lock;
	u32 lock_off;
	u32 btf_id;
	struct htab_object *object;
};

/* The types: a key, and a value with the field in it. Returns the id of the value's. */
static u32 fields_btf(struct fields *f, struct htab_btf *b, u32 *key_id)
{
	const bool tree = f->p.kind == FIELD_RB_ROOT;
	u32 u32_id, lock_id, field_id = 0, value_id;

	u32_id = htab_btf_int(b, "u32", 4);
	*key_id = htab_btf_array(b, u32_id, u32_id, f->p.key_size / 4);
	if (fields_kinds[f->p.kind].btf_name)
		field_id = htab_btf_struct(b, fields_kinds[f->p.kind].btf_name,
					   fields_kinds[f->p.kind].size, 0);
	lock_id = f->with_lock ? htab_btf_struct(b, "bpf_spin_lock", 4, 0) : 0;
	switch (f->p.kind) {
	case FIELD_KPTR:
	case FIELD_KPTR_UNTRUSTED:
		field_id = htab_btf_kptr(b, fields_kinds[f->p.kind].name);
		break;
	case FIELD_LIST_HEAD:
	case FIELD_RB_ROOT: {
		u32 node_id = htab_btf_struct(b, tree ? "bpf_rb_node" : "bpf_list_node",
					      tree ? 32 : 24, 0);

		htab_btf_struct(b, "kunit_node", 40, 1);
		htab_btf_member(b, "node", node_id, 8);
		break;
	}
	default:
		break;
	}
	value_id = htab_btf_struct(b, "value", f->p.value_size, 1 + f->with_lock);
	htab_btf_member(b, "field", field_id, f->p.off);
	if (f->with_lock)
		htab_btf_member(b, "lock", lock_id, f->lock_off);
	if (fields_kinds[f->p.kind].needs_lock)
		htab_btf_decl_tag(b, "contains:kunit_node:node", value_id, 0);
	return value_id;
}

/* Makes the map, unless bpf(2) refuses: then returns its error. */
static int fields_try(struct kunit *test, struct fields *f, const struct fields_param *p,
		      u32 max_entries, bool with_lock, u32 flags)
{
	struct btf *kernel_btf, *btf;
	struct htab_btf *b;
	union bpf_attr attr;
	u32 key_id = 0, value_id;
	int fd, ret;

	*f = (struct fields) {
		.test = test,
		.p = *p,
		.with_lock = with_lock || fields_kinds[p->kind].needs_lock,
		.lock_off = p->off + fields_kinds[p->kind].size,
	};
	f->object = &fields_objects[fields_n_objects++ % ARRAY_SIZE(fields_objects)];
	refcount_set(&f->object->refs, OBJECT_REFS);
	htab_test_start(test, &f->t);
	b = htab_btf_new(test);
	value_id = fields_btf(f, b, &key_id);
	kernel_btf = htab_btf_lend(&f->t);
	fd = htab_btf_load(&f->t, b);
	attr = htab_test_attr(&f->t, p->flavour, p->key_size, p->value_size, max_entries);
	attr.map_flags |= flags;
	attr.btf_fd = fd;
	attr.btf_key_type_id = key_id;
	attr.btf_value_type_id = value_id;
	ret = fd < 0 ? fd : htab_test_bpf(&f->t, BPF_MAP_CREATE, &attr);
	htab_btf_take_back(kernel_btf);
	KUNIT_ASSERT_GE_MSG(test, fd, 0, "BTF is refused");
	htab_test_close_fd(test, fd);
	if (ret < 0)
		goto close;
	htab_test_adopt(&f->t, &attr, ret);
	btf = btf_get_by_fd(fd);
	KUNIT_ASSERT_FALSE(test, IS_ERR(btf));
	f->btf_id = btf_obj_id(btf);
	btf_put(btf);
	ret = 0;
close:
	/* From here on the map alone holds its BTF. */
	htab_test_close_fd_now(test, fd);
	return ret;
}

static void fields_init(struct kunit *test, struct fields *f, u32 max_entries, bool with_lock)
{
	const struct fields_param *p = test->param_value;

	KUNIT_ASSERT_EQ(test, 0, fields_try(test, f, p, max_entries, with_lock, 0));
}

/*
 * A value as bpf(2) moves it, from a number, with @fill in place of special
 * fields. Goes when the case ends.
 */
static u8 *fields_value(struct fields *f, u32 n, u8 fill)
{
	u32 i, step = round_up(f->p.value_size, 8);
	u8 *v = kunit_kzalloc(f->test, f->t.sys_value_size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(f->test, v);
	htab_test_sys_value(&f->t, n, v);
	for (i = 0; i + f->p.value_size <= f->t.sys_value_size; i += step) {
		memset(v + i + f->p.off, fill, fields_kinds[f->p.kind].size);
		if (f->with_lock)
			memset(v + i + f->lock_off, fill, 4);
	}
	return v;
}

static int fields_put_key(struct fields *f, u32 key)
{
	u8 k[20];

	htab_test_key(&f->t, key, k);
	return copy_to_user(f->t.ukey, k, f->p.key_size) ? -EFAULT : 0;
}

/* bpf(2) writes a value with rubbish where special fields are. */
static int fields_update(struct fields *f, u32 key, u32 n, u64 flags)
{
	union bpf_attr attr = {
		.map_fd = f->t.fd,
		.key = (unsigned long)f->t.ukey,
		.value = (unsigned long)f->t.uvalue,
		.flags = flags,
	};

	htab_test_refill();
	if (fields_put_key(f, key) ||
	    copy_to_user(f->t.uvalue, fields_value(f, n, 0xff), f->t.sys_value_size))
		return -EFAULT;
	return htab_test_bpf(&f->t, BPF_MAP_UPDATE_ELEM, &attr);
}

/* Is what bpf(2) wrote to user memory the value, with zeroes for special fields? */
static void fields_expect_user(struct fields *f, const void __user *user, u32 n)
{
	u8 *got = kunit_kzalloc(f->test, f->t.sys_value_size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(f->test, got);
	KUNIT_ASSERT_EQ(f->test, 0, copy_from_user(got, user, f->t.sys_value_size));
	KUNIT_EXPECT_MEMEQ(f->test, got, fields_value(f, n, 0), f->t.sys_value_size);
}

/* bpf(2) reads a value into memory full of rubbish. */
static int fields_read(struct fields *f, int cmd, u32 key, u32 n, u64 flags)
{
	union bpf_attr attr = {
		.map_fd = f->t.fd,
		.key = (unsigned long)f->t.ukey,
		.value = (unsigned long)f->t.uvalue,
		.flags = flags,
	};
	int ret;

	if (fields_put_key(f, key) ||
	    copy_to_user(f->t.uvalue, fields_value(f, n + 1, 0xee), f->t.sys_value_size))
		return -EFAULT;
	ret = htab_test_bpf(&f->t, cmd, &attr);
	if (!ret)
		fields_expect_user(f, f->t.uvalue, n);
	return ret;
}

/* The value as a program gets it, of one CPU */
static void *fields_lookup(struct fields *f, u32 key, u32 cpu)
{
	struct bpf_map *map = f->t.map;
	u8 k[20];
	void *v;

	htab_test_key(&f->t, key, k);
	rcu_read_lock();
	migrate_disable();
	v = f->t.percpu ? map->ops->map_lookup_percpu_elem(map, k, cpu) :
			  map->ops->map_lookup_elem(map, k);
	migrate_enable();
	rcu_read_unlock();
	return v;
}

/* The CPUs whose values there are; one if values are not per CPU */
static u32 fields_cpus(const struct fields *f)
{
	return f->t.percpu ? num_possible_cpus() : 1;
}

/* Does the element hold the value, with zeroes for special fields? */
static void fields_expect_elem(struct fields *f, u32 key, u32 n)
{
	u8 *want = fields_value(f, n, 0), *v;
	u32 cpu;

	for (cpu = 0; cpu < fields_cpus(f); cpu++) {
		v = fields_lookup(f, key, cpu);
		KUNIT_ASSERT_NOT_NULL(f->test, v);
		KUNIT_EXPECT_MEMEQ_MSG(f->test, v, want + cpu * round_up(f->p.value_size, 8),
				       f->p.value_size, "key %u, CPU %u", key, cpu);
	}
}

static union bpf_attr fields_batch(struct fields *f, u32 count, u64 elem_flags)
{
	union bpf_attr attr = {};

	attr.batch.map_fd = f->t.fd;
	attr.batch.count = count;
	attr.batch.keys = (unsigned long)f->t.ukey;
	attr.batch.values = (unsigned long)f->t.uvalue;
	attr.batch.out_batch = (unsigned long)f->t.unext;
	attr.batch.elem_flags = elem_flags;
	return attr;
}

/* Keys 0 ... n - 1 to user memory, for a batch */
static void fields_put_keys(struct fields *f, u32 n)
{
	u8 k[20];
	u32 i;

	for (i = 0; i < n; i++) {
		htab_test_key(&f->t, i, k);
		KUNIT_ASSERT_EQ(f->test, 0, copy_to_user(f->t.ukey + i * f->p.key_size, k,
							 f->p.key_size));
	}
}

/* Keys 0 ... n - 1, the only ones in the map, go. */
static void fields_remove(struct fields *f, int way, u32 n)
{
	union bpf_attr attr = fields_batch(f, n, 0);
	u32 key;

	switch (way) {
	case WAY_PROG_DELETE:
		for (key = 0; key < n; key++)
			KUNIT_EXPECT_EQ(f->test, htab_prog_delete(&f->t, key), 0);
		break;
	case WAY_DELETE:
		for (key = 0; key < n; key++)
			KUNIT_EXPECT_EQ(f->test, htab_sys_delete(&f->t, key), 0);
		break;
	case WAY_LOOKUP_AND_DELETE:
		for (key = 0; key < n; key++)
			KUNIT_EXPECT_EQ(f->test, fields_read(f, BPF_MAP_LOOKUP_AND_DELETE_ELEM,
							     key, key, 0), 0);
		break;
	case WAY_DELETE_BATCH:
		fields_put_keys(f, n);
		KUNIT_EXPECT_EQ(f->test, htab_test_bpf(&f->t, BPF_MAP_DELETE_BATCH, &attr), 0);
		KUNIT_EXPECT_EQ(f->test, attr.batch.count, n);
		break;
	case WAY_LOOKUP_AND_DELETE_BATCH:
		attr.batch.count = n + 1;
		KUNIT_EXPECT_EQ(f->test, htab_test_bpf(&f->t, BPF_MAP_LOOKUP_AND_DELETE_BATCH,
						       &attr), -ENOENT);
		KUNIT_EXPECT_EQ(f->test, attr.batch.count, n);
		break;
	case WAY_REPLACE:
		for (key = 0; key < n; key++)
			KUNIT_EXPECT_EQ(f->test, fields_update(f, key, key + 50, BPF_ANY), 0);
		break;
	case WAY_RELEASE:
		/* the last descriptor goes; the map stays, as programs keep it */
		htab_test_close_fd_now(f->test, f->t.fd);
		flush_delayed_fput();
		break;
	}
	if (way != WAY_REPLACE && way != WAY_RELEASE)
		KUNIT_EXPECT_EQ(f->test, htab_sys_count(&f->t), 0);
}

/* Is the map's BTF still there? */
static bool fields_btf_lives(struct fields *f)
{
	union bpf_attr attr = { .start_id = f->btf_id - 1 };

	return !htab_test_bpf(&f->t, BPF_BTF_GET_NEXT_ID, &attr) && attr.next_id == f->btf_id;
}

/*
 * Frees the map and waits for the last user of its BTF, which is the one that
 * drops fields last.
 */
static void fields_free(struct fields *f)
{
	KUNIT_EXPECT_TRUE_MSG(f->test, fields_btf_lives(f), "the map does not hold its BTF");
	htab_test_drop(&f->t);
	flush_delayed_fput();
	KUNIT_ASSERT_TRUE_MSG(f->test, htab_test_wait(!fields_btf_lives(f)), "the BTF is leaked");
}

static u32 fields_dropped(const struct fields *f)
{
	return OBJECT_REFS - refcount_read(&f->object->refs);
}

/* Puts the object into an element, as bpf_kptr_xchg(). Returns what was there. */
static void *fields_xchg(struct fields *f, u32 key, u32 cpu, void *object)
{
	u8 *v = fields_lookup(f, key, cpu);

	KUNIT_ASSERT_NOT_NULL(f->test, v);
	return xchg((void **)(v + f->p.off), object);
}

/* Every kind of field in every type of map: allowed or refused */
static void fields_create(struct kunit *test)
{
	struct fields_param p = {
		.kind = *(const enum fields_kind *)test->param_value,
		.key_size = 8,
		.off = 8,
		.value_size = 40,
	};
	struct fields *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, f);
	for (i = 0; i < HTAB_FLAVOURS; i++) {
		p.flavour = &htab_flavours[i];
		if (p.flavour->type == BPF_MAP_TYPE_HASH_OF_MAPS)
			continue;
		if (fields_kinds[p.kind].types & BIT(p.flavour->type)) {
			KUNIT_EXPECT_EQ_MSG(test, fields_try(test, f, &p, 8, false, 0), 0,
					    "%s", p.flavour->name);
			KUNIT_EXPECT_EQ_MSG(test, fields_try(test, f, &p, 8, false,
							     BPF_F_RDONLY_PROG), -EACCES,
					    "%s", p.flavour->name);
		} else {
			KUNIT_EXPECT_EQ_MSG(test, fields_try(test, f, &p, 8, false, 0),
					    -EOPNOTSUPP, "%s", p.flavour->name);
		}
	}
}

/* A hash map needs a type for its key. */
static void fields_create_without_key(struct kunit *test)
{
	const struct htab_flavour *flavour = test->param_value;
	struct htab_btf *b = htab_btf_new(test);
	struct htab_test t;
	union bpf_attr attr;
	int fd;

	if (flavour->type == BPF_MAP_TYPE_HASH_OF_MAPS)
		kunit_skip(test, "takes no types");
	htab_test_start(test, &t);
	htab_btf_int(b, "u32", 4);
	fd = htab_btf_load(&t, b);
	htab_test_close_fd(test, fd);
	attr = htab_test_attr(&t, flavour, 4, 4, 8);
	attr.btf_fd = fd;
	attr.btf_value_type_id = 1;
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&t, BPF_MAP_CREATE, &attr), -EINVAL);
}

/* Rubbish from user memory does not reach special fields of new elements. */
static void fields_insert_leaves_empty(struct kunit *test)
{
	struct fields f;
	u32 key;

	fields_init(test, &f, 64, false);
	for (key = 0; key < 4; key++) {
		KUNIT_ASSERT_EQ(test, fields_update(&f, key, 10 + key, BPF_ANY), 0);
		fields_expect_elem(&f, key, 10 + key);
	}
	KUNIT_ASSERT_EQ(test, fields_update(&f, 2, 22, BPF_EXIST), 0);
	fields_expect_elem(&f, 2, 22);
	fields_expect_elem(&f, 3, 13);
}

/* A program's value does not reach them either. */
static void fields_prog_insert_leaves_empty(struct kunit *test)
{
	struct fields f;
	u32 i, cpu;
	u8 *want;
	int ret;

	fields_init(test, &f, 64, false);
	want = fields_value(&f, 5, 0);
	for (i = 0; i < 2; i++) {
		u8 k[20], *v = fields_value(&f, 5, 0xff);

		htab_test_key(&f.t, 1, k);
		htab_test_refill();
		rcu_read_lock();
		migrate_disable();
		ret = f.t.map->ops->map_update_elem(f.t.map, k, v, BPF_ANY);
		cpu = f.t.percpu ? raw_smp_processor_id() : 0;
		migrate_enable();
		rcu_read_unlock();
		KUNIT_ASSERT_EQ(test, ret, 0);
		v = fields_lookup(&f, 1, cpu);
		KUNIT_ASSERT_NOT_NULL(test, v);
		KUNIT_EXPECT_MEMEQ(test, v, want, f.p.value_size);
	}
}

/* bpf(2) reads zeroes where special fields are, whatever they hold. */
static void fields_reads_hide(struct kunit *test)
{
	union bpf_attr attr;
	struct fields f;
	u32 cpu;

	fields_init(test, &f, 64, false);
	KUNIT_ASSERT_EQ(test, fields_update(&f, 1, 10, BPF_ANY), 0);
	if (f.p.kind == FIELD_KPTR)
		for (cpu = 0; cpu < fields_cpus(&f); cpu++)
			fields_xchg(&f, 1, cpu, f.object);
	KUNIT_EXPECT_EQ(test, fields_read(&f, BPF_MAP_LOOKUP_ELEM, 1, 10, 0), 0);
	attr = fields_batch(&f, 8, 0);
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&f.t, BPF_MAP_LOOKUP_BATCH, &attr), -ENOENT);
	KUNIT_EXPECT_EQ(test, attr.batch.count, 1);
	fields_expect_user(&f, f.t.uvalue, 10);
	attr = fields_batch(&f, 8, 0);
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&f.t, BPF_MAP_LOOKUP_AND_DELETE_BATCH, &attr), -ENOENT);
	KUNIT_EXPECT_EQ(test, attr.batch.count, 1);
	fields_expect_user(&f, f.t.uvalue, 10);
	KUNIT_ASSERT_EQ(test, fields_update(&f, 2, 20, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, fields_read(&f, BPF_MAP_LOOKUP_AND_DELETE_ELEM, 2, 20, 0), 0);
}

/* Each CPU's value by itself: BPF_F_CPU and BPF_F_ALL_CPUS around fields */
static void fields_cpu_flags(struct kunit *test)
{
	u32 cpu, last = cpumask_last(cpu_possible_mask);
	u64 on_last = (u64)last << 32 | BPF_F_CPU;
	union bpf_attr attr;
	struct fields f;
	u8 *got, *want;

	fields_init(test, &f, 64, false);
	KUNIT_ASSERT_EQ(test, fields_update(&f, 1, 10, BPF_F_ALL_CPUS), 0);
	want = fields_value(&f, 10, 0);
	for (cpu = 0; cpu < fields_cpus(&f); cpu++)
		KUNIT_EXPECT_MEMEQ(test, (u8 *)fields_lookup(&f, 1, cpu), want, f.p.value_size);
	for (cpu = 0; cpu < fields_cpus(&f); cpu++)
		KUNIT_EXPECT_NULL(test, fields_xchg(&f, 1, cpu, f.object));
	KUNIT_ASSERT_EQ(test, fields_update(&f, 1, 20, on_last), 0);
	for (cpu = 0; cpu < fields_cpus(&f); cpu++)
		KUNIT_EXPECT_PTR_EQ(test, fields_xchg(&f, 1, cpu, f.object), f.object);

	attr = (union bpf_attr) {
		.map_fd = f.t.fd,
		.key = (unsigned long)f.t.ukey,
		.value = (unsigned long)f.t.uvalue,
		.flags = on_last,
	};
	got = kunit_kzalloc(test, f.p.value_size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, got);
	want = fields_value(&f, 20, 0);
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&f.t, BPF_MAP_LOOKUP_ELEM, &attr), 0);
	KUNIT_ASSERT_EQ(test, 0, copy_from_user(got, f.t.uvalue, f.p.value_size));
	KUNIT_EXPECT_MEMEQ(test, got, want, f.p.value_size);
	KUNIT_EXPECT_EQ(test, fields_dropped(&f), 0);
}

/* A reference count in a value reads as 1. */
static void fields_refcount_reads(struct kunit *test)
{
	struct fields f;
	u8 *got, *want;
	u32 i;

	fields_init(test, &f, 64, false);
	KUNIT_ASSERT_EQ(test, fields_update(&f, 1, 10, BPF_ANY), 0);
	fields_put_key(&f, 1);
	got = kunit_kzalloc(test, f.t.sys_value_size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, got);
	for (i = 0; i < 2; i++) {
		union bpf_attr attr = {
			.map_fd = f.t.fd,
			.key = (unsigned long)f.t.ukey,
			.value = (unsigned long)f.t.uvalue,
		};

		want = fields_value(&f, 10, 0);
		KUNIT_ASSERT_EQ(test, htab_test_bpf(&f.t, i ? BPF_MAP_LOOKUP_AND_DELETE_ELEM :
							      BPF_MAP_LOOKUP_ELEM, &attr), 0);
		KUNIT_ASSERT_EQ(test, 0, copy_from_user(got, f.t.uvalue, f.t.sys_value_size));
		KUNIT_EXPECT_EQ(test, *(u32 *)(got + f.p.off), 1);
		*(u32 *)(got + f.p.off) = 0;
		KUNIT_EXPECT_MEMEQ(test, got, want, f.p.value_size);
	}
	fields_free(&f);
}

/* Without a lock in the value, BPF_F_LOCK is refused by every command. */
static void fields_lock_refused(struct kunit *test)
{
	const struct htab_flavour *flavour = test->param_value;
	union bpf_attr elem, batch = {};
	struct htab_test t;

	htab_test_init(test, &t, flavour, 8, 8, 64);
	KUNIT_ASSERT_EQ(test, htab_sys_update(&t, 1, 1, BPF_ANY), 0);
	elem = (union bpf_attr) {
		.map_fd = t.fd,
		.key = (unsigned long)t.ukey,
		.value = (unsigned long)t.uvalue,
		.flags = BPF_F_LOCK,
	};
	batch.batch.map_fd = t.fd;
	batch.batch.count = 1;
	batch.batch.keys = (unsigned long)t.ukey;
	batch.batch.values = (unsigned long)t.uvalue;
	batch.batch.out_batch = (unsigned long)t.unext;
	batch.batch.elem_flags = BPF_F_LOCK;
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&t, BPF_MAP_LOOKUP_ELEM, &elem), -EINVAL);
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&t, BPF_MAP_UPDATE_ELEM, &elem), -EINVAL);
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&t, BPF_MAP_LOOKUP_AND_DELETE_ELEM, &elem), -EINVAL);
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&t, BPF_MAP_LOOKUP_BATCH, &batch), -EINVAL);
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&t, BPF_MAP_LOOKUP_AND_DELETE_BATCH, &batch), -EINVAL);
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&t, BPF_MAP_UPDATE_BATCH, &batch), -EINVAL);
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&t, BPF_MAP_DELETE_BATCH, &batch), -EINVAL);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, 1, 1), 0);
}

/* Under the lock, an update goes into the element that is there. */
static void fields_lock_updates_in_place(struct kunit *test)
{
	struct fields f;
	void *v;

	fields_init(test, &f, 64, false);
	KUNIT_ASSERT_EQ(test, fields_update(&f, 1, 10, BPF_ANY), 0);
	v = fields_lookup(&f, 1, 0);
	KUNIT_EXPECT_EQ(test, fields_update(&f, 1, 11, BPF_F_LOCK), 0);
	KUNIT_EXPECT_PTR_EQ(test, fields_lookup(&f, 1, 0), v);
	fields_expect_elem(&f, 1, 11);
	KUNIT_EXPECT_EQ(test, fields_update(&f, 1, 12, BPF_F_LOCK | BPF_EXIST), 0);
	KUNIT_EXPECT_PTR_EQ(test, fields_lookup(&f, 1, 0), v);
	fields_expect_elem(&f, 1, 12);
	/* without the flag the element is another one */
	KUNIT_EXPECT_EQ(test, fields_update(&f, 1, 13, BPF_ANY), 0);
	KUNIT_EXPECT_PTR_NE(test, fields_lookup(&f, 1, 0), v);
	fields_expect_elem(&f, 1, 13);
}

/* Under the lock, a missing element is inserted, and flags mean what they mean. */
static void fields_lock_inserts(struct kunit *test)
{
	struct fields f;

	fields_init(test, &f, 64, false);
	KUNIT_EXPECT_EQ(test, fields_update(&f, 1, 10, BPF_F_LOCK | BPF_EXIST), -ENOENT);
	KUNIT_EXPECT_EQ(test, fields_update(&f, 1, 11, BPF_F_LOCK | BPF_NOEXIST), 0);
	fields_expect_elem(&f, 1, 11);
	KUNIT_EXPECT_EQ(test, fields_update(&f, 1, 12, BPF_F_LOCK | BPF_NOEXIST), -EEXIST);
	fields_expect_elem(&f, 1, 11);
	KUNIT_EXPECT_EQ(test, fields_update(&f, 2, 20, BPF_F_LOCK), 0);
	fields_expect_elem(&f, 2, 20);
	KUNIT_EXPECT_EQ(test, fields_update(&f, 2, 20, BPF_F_LOCK | (BPF_EXIST + 1)), -EINVAL);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&f.t), 2);
}

/* Reads under the lock give the value and hide the lock. */
static void fields_lock_reads(struct kunit *test)
{
	struct fields f;

	fields_init(test, &f, 64, false);
	KUNIT_ASSERT_EQ(test, fields_update(&f, 1, 10, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, fields_read(&f, BPF_MAP_LOOKUP_ELEM, 1, 10, BPF_F_LOCK), 0);
	KUNIT_EXPECT_EQ(test, fields_read(&f, BPF_MAP_LOOKUP_ELEM, 2, 10, BPF_F_LOCK), -ENOENT);
	fields_expect_elem(&f, 1, 10);
	KUNIT_EXPECT_EQ(test, fields_read(&f, BPF_MAP_LOOKUP_AND_DELETE_ELEM, 1, 10, BPF_F_LOCK),
			0);
	KUNIT_EXPECT_EQ(test, fields_read(&f, BPF_MAP_LOOKUP_AND_DELETE_ELEM, 1, 10, BPF_F_LOCK),
			-ENOENT);
}

/* The same in batches */
static void fields_lock_batch(struct kunit *test)
{
	union bpf_attr attr;
	struct fields f;
	void *v;

	fields_init(test, &f, 64, false);
	KUNIT_ASSERT_EQ(test, fields_update(&f, 0, 5, BPF_ANY), 0);
	v = fields_lookup(&f, 0, 0);

	/* two elements: one is there, one is new */
	fields_put_keys(&f, 2);
	KUNIT_ASSERT_EQ(test, 0, copy_to_user(f.t.uvalue, fields_value(&f, 10, 0xff),
					      f.p.value_size));
	KUNIT_ASSERT_EQ(test, 0, copy_to_user(f.t.uvalue + f.p.value_size,
					      fields_value(&f, 11, 0xff), f.p.value_size));
	attr = fields_batch(&f, 2, BPF_F_LOCK);
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&f.t, BPF_MAP_UPDATE_BATCH, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.batch.count, 2);
	KUNIT_EXPECT_PTR_EQ(test, fields_lookup(&f, 0, 0), v);
	fields_expect_elem(&f, 0, 10);
	fields_expect_elem(&f, 1, 11);

	KUNIT_ASSERT_EQ(test, htab_sys_delete(&f.t, 1), 0);
	attr = fields_batch(&f, 2, BPF_F_LOCK);
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&f.t, BPF_MAP_LOOKUP_BATCH, &attr), -ENOENT);
	KUNIT_EXPECT_EQ(test, attr.batch.count, 1);
	fields_expect_user(&f, f.t.uvalue, 10);
	fields_expect_elem(&f, 0, 10);

	attr = fields_batch(&f, 2, BPF_F_LOCK);
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&f.t, BPF_MAP_LOOKUP_AND_DELETE_BATCH, &attr), -ENOENT);
	KUNIT_EXPECT_EQ(test, attr.batch.count, 1);
	fields_expect_user(&f, f.t.uvalue, 10);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&f.t), 0);
}

/* What callbacks of timers and work were given */
static struct {
	atomic_t calls;
	void *map;
	u8 key[20];
	void *value;
} fields_fired;

static u64 fields_timer_callback(u64 map, u64 key, u64 value, u64 unused1, u64 unused2)
{
	fields_fired.map = (void *)(long)map;
	fields_fired.value = (void *)(long)value;
	memcpy(fields_fired.key, (void *)(long)key, fields_fired.map ?
	       ((struct bpf_map *)fields_fired.map)->key_size : 0);
	atomic_inc(&fields_fired.calls);
	return 0;
}

/* A timer or a work in an element, with its callback; it takes one reference to the program. */
static int fields_async_init(struct fields *f, struct bpf_prog *prog, u32 key)
{
	void *field = fields_lookup(f, key, 0);
	int ret;

	KUNIT_ASSERT_NOT_NULL(f->test, field);
	field += f->p.off;
	if (f->p.kind == FIELD_WQ)
		return bpf_wq_init(field, f->t.map, 0) ?:
		       bpf_wq_set_callback(field, (void *)fields_timer_callback, 0, prog->aux);
	ret = htab_call_helper(prog, BPF_FUNC_timer_init, field, (unsigned long)f->t.map,
			       CLOCK_MONOTONIC);
	if (!ret)
		ret = htab_call_helper(prog, BPF_FUNC_timer_set_callback, field,
				       (unsigned long)fields_timer_callback,
				       (unsigned long)prog->aux);
	return ret;
}

static int fields_timer_start(struct fields *f, struct bpf_prog *prog, u32 key, u64 nsecs)
{
	return htab_call_helper(prog, BPF_FUNC_timer_start, fields_lookup(f, key, 0) + f->p.off,
				nsecs, 0);
}

static void fields_expect_fired(struct fields *f, u32 key)
{
	u8 k[20];

	htab_test_key(&f->t, key, k);
	KUNIT_ASSERT_TRUE_MSG(f->test, htab_test_wait(atomic_read(&fields_fired.calls)),
			      "the callback did not run");
	KUNIT_EXPECT_PTR_EQ(f->test, fields_fired.map, f->t.map);
	KUNIT_EXPECT_PTR_EQ(f->test, fields_fired.value, fields_lookup(f, key, 0));
	KUNIT_EXPECT_MEMEQ(f->test, fields_fired.key, k, f->p.key_size);
	KUNIT_EXPECT_EQ(f->test, atomic_read(&fields_fired.calls), 1);
}

/* A timer fires with the element's key and value. */
static void fields_timer_fires(struct kunit *test)
{
	struct bpf_prog *prog;
	struct fields f;

	fields_init(test, &f, 64, false);
	prog = htab_load_idle_prog(&f.t);
	atomic_set(&fields_fired.calls, 0);
	KUNIT_ASSERT_EQ(test, fields_update(&f, 3, 10, BPF_ANY), 0);
	KUNIT_ASSERT_EQ(test, fields_async_init(&f, prog, 3), 0);
	KUNIT_ASSERT_EQ(test, fields_timer_start(&f, prog, 3, 0), 0);
	fields_expect_fired(&f, 3);
}

/* So does work. */
static void fields_wq_runs(struct kunit *test)
{
	struct bpf_prog *prog;
	struct fields f;

	fields_init(test, &f, 64, false);
	prog = htab_load_idle_prog(&f.t);
	atomic_set(&fields_fired.calls, 0);
	KUNIT_ASSERT_EQ(test, fields_update(&f, 3, 10, BPF_ANY), 0);
	KUNIT_ASSERT_EQ(test, fields_async_init(&f, prog, 3), 0);
	rcu_read_lock();
	KUNIT_EXPECT_EQ(test, bpf_wq_start(fields_lookup(&f, 3, 0) + f.p.off, 0), 0);
	rcu_read_unlock();
	fields_expect_fired(&f, 3);
}

/* A timer or work goes with its element, whichever way that goes. */
static void fields_async_goes(struct kunit *test)
{
	const struct fields_param *p = test->param_value;
	struct bpf_prog *prog;
	struct fields f;
	s64 refs;
	u32 key;

	fields_init(test, &f, 64, false);
	prog = htab_load_idle_prog(&f.t);
	refs = htab_prog_refs(prog);
	atomic_set(&fields_fired.calls, 0);
	for (key = 0; key < 4; key++) {
		KUNIT_ASSERT_EQ(test, fields_update(&f, key, key, BPF_ANY), 0);
		KUNIT_ASSERT_EQ(test, fields_async_init(&f, prog, key), 0);
		if (p->kind == FIELD_TIMER)
			KUNIT_ASSERT_EQ(test, fields_timer_start(&f, prog, key, NSEC_PER_SEC / 20),
					0);
	}
	KUNIT_EXPECT_EQ(test, htab_prog_refs(prog), refs + 4);
	fields_remove(&f, p->way, 4);
	KUNIT_EXPECT_EQ(test, htab_prog_refs(prog), refs);
	if (p->way == WAY_REPLACE)
		for (key = 0; key < 4; key++)
			fields_expect_elem(&f, key, key + 50);
	if (p->kind == FIELD_TIMER)
		msleep(60);
	KUNIT_EXPECT_EQ(test, atomic_read(&fields_fired.calls), 0);
}

/* Updates that fail leave the timer alone. */
static void fields_timer_survives_failure(struct kunit *test)
{
	struct bpf_prog *prog;
	struct fields f;
	u64 opaque;
	s64 refs;

	fields_init(test, &f, 64, false);
	prog = htab_load_idle_prog(&f.t);
	KUNIT_ASSERT_EQ(test, fields_update(&f, 1, 10, BPF_ANY), 0);
	KUNIT_ASSERT_EQ(test, fields_async_init(&f, prog, 1), 0);
	opaque = *(u64 *)(fields_lookup(&f, 1, 0) + f.p.off);
	refs = htab_prog_refs(prog);
	KUNIT_EXPECT_NE(test, opaque, 0);
	KUNIT_EXPECT_EQ(test, fields_update(&f, 1, 11, BPF_NOEXIST), -EEXIST);
	KUNIT_EXPECT_EQ(test, fields_update(&f, 1, 11, BPF_EXIST + 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, fields_update(&f, 2, 11, BPF_EXIST), -ENOENT);
	KUNIT_EXPECT_EQ(test, htab_sys_delete(&f.t, 2), -ENOENT);
	KUNIT_EXPECT_EQ(test, fields_read(&f, BPF_MAP_LOOKUP_ELEM, 1, 10, 0), 0);
	KUNIT_EXPECT_EQ(test, *(u64 *)(fields_lookup(&f, 1, 0) + f.p.off), opaque);
	KUNIT_EXPECT_EQ(test, htab_prog_refs(prog), refs);
	KUNIT_EXPECT_EQ(test, fields_async_init(&f, prog, 1), -EBUSY);
}

/* An element that is used again has no timer, and can get one. */
static void fields_timer_reuse(struct kunit *test)
{
	struct bpf_prog *prog;
	struct fields f;
	u32 round, key;
	s64 refs;

	fields_init(test, &f, 16, false);
	prog = htab_load_idle_prog(&f.t);
	refs = htab_prog_refs(prog);
	for (round = 0; round < 3; round++) {
		for (key = 0; key < 8; key++) {
			KUNIT_ASSERT_EQ(test, fields_update(&f, 8 * round + key, key, BPF_ANY), 0);
			fields_expect_elem(&f, 8 * round + key, key);
			KUNIT_ASSERT_EQ(test, fields_async_init(&f, prog, 8 * round + key), 0);
		}
		for (key = 0; key < 8; key++)
			htab_sys_delete(&f.t, 8 * round + key);
		KUNIT_ASSERT_EQ(test, htab_sys_count(&f.t), 0);
		KUNIT_EXPECT_EQ(test, htab_prog_refs(prog), refs);
	}
}

/* An element that is replaced many times gets and loses a timer each time. */
static void fields_timer_replace(struct kunit *test)
{
	struct bpf_prog *prog;
	struct fields f;
	s64 refs;
	u32 n;

	fields_init(test, &f, 16, false);
	prog = htab_load_idle_prog(&f.t);
	refs = htab_prog_refs(prog);
	for (n = 0; n < 20; n++) {
		KUNIT_ASSERT_EQ(test, fields_update(&f, 1, n, BPF_ANY), 0);
		KUNIT_EXPECT_EQ(test, htab_prog_refs(prog), refs);
		fields_expect_elem(&f, 1, n);
		KUNIT_ASSERT_EQ(test, fields_async_init(&f, prog, 1), 0);
	}
	KUNIT_EXPECT_EQ(test, htab_prog_refs(prog), refs + 1);
}

/* Timers of evicted elements go; those of the others stay. */
static void fields_timer_evict(struct kunit *test)
{
	struct bpf_prog *prog;
	struct fields f;
	u32 key, live;
	s64 refs;

	fields_init(test, &f, 16, false);
	prog = htab_load_idle_prog(&f.t);
	refs = htab_prog_refs(prog);
	for (key = 0; key < 100; key++) {
		KUNIT_ASSERT_EQ(test, fields_update(&f, key, key, BPF_ANY), 0);
		fields_expect_elem(&f, key, key);
		KUNIT_ASSERT_EQ(test, fields_async_init(&f, prog, key), 0);
	}
	live = htab_sys_count(&f.t);
	KUNIT_EXPECT_LE(test, live, 16);
	KUNIT_EXPECT_GE(test, live, 1);
	KUNIT_EXPECT_EQ(test, htab_prog_refs(prog), refs + live);
	KUNIT_EXPECT_EQ(test, htab_sys_delete(&f.t, 99), 0);
	KUNIT_EXPECT_EQ(test, htab_prog_refs(prog), refs + live - 1);
	fields_free(&f);
	KUNIT_EXPECT_EQ(test, htab_prog_refs(prog), refs);
}

/* An update in place, under the lock, keeps the timer. */
static void fields_timer_keeps_in_place(struct kunit *test)
{
	struct bpf_prog *prog;
	struct fields f;
	u64 opaque;
	s64 refs;

	fields_init(test, &f, 64, true);
	prog = htab_load_idle_prog(&f.t);
	KUNIT_ASSERT_EQ(test, fields_update(&f, 1, 10, BPF_ANY), 0);
	KUNIT_ASSERT_EQ(test, fields_async_init(&f, prog, 1), 0);
	refs = htab_prog_refs(prog);
	opaque = *(u64 *)(fields_lookup(&f, 1, 0) + f.p.off);
	KUNIT_EXPECT_EQ(test, fields_update(&f, 1, 11, BPF_F_LOCK), 0);
	KUNIT_EXPECT_EQ(test, *(u64 *)(fields_lookup(&f, 1, 0) + f.p.off), opaque);
	KUNIT_EXPECT_EQ(test, htab_prog_refs(prog), refs);
	KUNIT_EXPECT_EQ(test, fields_read(&f, BPF_MAP_LOOKUP_ELEM, 1, 11, BPF_F_LOCK), 0);
}

/* Gives the object to every CPU's value of keys 0 ... n - 1. */
static void fields_kptr_fill(struct fields *f, u32 n)
{
	u32 key, cpu;

	for (key = 0; key < n; key++) {
		KUNIT_ASSERT_EQ(f->test, fields_update(f, key, key, BPF_ANY), 0);
		for (cpu = 0; cpu < fields_cpus(f); cpu++)
			KUNIT_ASSERT_NULL(f->test, fields_xchg(f, key, cpu, f->object));
	}
}

/* A map that goes drops each kptr once. */
static void fields_kptr_free(struct kunit *test)
{
	struct fields f;

	fields_init(test, &f, 64, false);
	fields_kptr_fill(&f, 8);
	KUNIT_EXPECT_EQ(test, fields_dropped(&f), 0);
	fields_free(&f);
	KUNIT_EXPECT_EQ(test, fields_dropped(&f), 8 * (f.t.percpu ? num_possible_cpus() : 1));
}

/* So it does for those that were deleted or replaced before. */
static void fields_kptr_goes(struct kunit *test)
{
	const struct fields_param *p = test->param_value;
	u32 key, cpu, kept;
	struct fields f;

	fields_init(test, &f, 64, false);
	fields_kptr_fill(&f, 4);
	fields_remove(&f, p->way, 4);
	KUNIT_EXPECT_LE(test, fields_dropped(&f), 4 * fields_cpus(&f));
	/* a value per CPU is changed in place, others get another element */
	for (key = 0, kept = 0; p->way == WAY_REPLACE && key < 4; key++)
		for (cpu = 0; cpu < fields_cpus(&f); cpu++)
			kept += *(void **)(fields_lookup(&f, key, cpu) + f.p.off) == f.object;
	if (p->way == WAY_REPLACE && f.t.percpu)
		KUNIT_EXPECT_EQ(test, kept, 4 * num_possible_cpus());
	fields_free(&f);
	KUNIT_EXPECT_EQ(test, fields_dropped(&f), 4 * (f.t.percpu ? num_possible_cpus() : 1));
}

/* Updates that fail, and reads, leave the kptr alone. */
static void fields_kptr_survives_failure(struct kunit *test)
{
	struct fields f;
	u32 cpu;

	fields_init(test, &f, 64, false);
	fields_kptr_fill(&f, 1);
	KUNIT_EXPECT_EQ(test, fields_update(&f, 0, 11, BPF_NOEXIST), -EEXIST);
	KUNIT_EXPECT_EQ(test, fields_update(&f, 1, 11, BPF_EXIST), -ENOENT);
	KUNIT_EXPECT_EQ(test, fields_update(&f, 0, 11, BPF_F_LOCK), -EINVAL);
	KUNIT_EXPECT_EQ(test, fields_read(&f, BPF_MAP_LOOKUP_ELEM, 0, 0, 0), 0);
	for (cpu = 0; cpu < fields_cpus(&f); cpu++)
		KUNIT_EXPECT_PTR_EQ(test, fields_xchg(&f, 0, cpu, f.object), f.object);
	KUNIT_EXPECT_EQ(test, fields_dropped(&f), 0);
	fields_free(&f);
	KUNIT_EXPECT_EQ(test, fields_dropped(&f), f.t.percpu ? num_possible_cpus() : 1);
}

/* An update in place, under the lock, keeps the kptr. */
static void fields_kptr_keeps_in_place(struct kunit *test)
{
	struct fields f;

	fields_init(test, &f, 64, true);
	fields_kptr_fill(&f, 1);
	KUNIT_EXPECT_EQ(test, fields_update(&f, 0, 11, BPF_F_LOCK), 0);
	KUNIT_EXPECT_PTR_EQ(test, fields_xchg(&f, 0, 0, f.object), f.object);
	KUNIT_EXPECT_EQ(test, fields_read(&f, BPF_MAP_LOOKUP_AND_DELETE_ELEM, 0, 11, BPF_F_LOCK),
			0);
	fields_free(&f);
	KUNIT_EXPECT_EQ(test, fields_dropped(&f), 1);
}

/*
 * Elements come and go, many more than there are: what was not taken back out
 * of an element is dropped, once.
 */
static void fields_kptr_reuse(struct kunit *test)
{
	u32 round, key, cpu, given = 0, taken = 0;
	struct fields f;
	void *old;

	fields_init(test, &f, 16, false);
	for (round = 0; round < 4; round++) {
		for (key = 0; key < 8; key++) {
			KUNIT_ASSERT_EQ(test, fields_update(&f, key, key, BPF_ANY), 0);
			for (cpu = 0; cpu < fields_cpus(&f); cpu++, given++) {
				old = fields_xchg(&f, key, cpu, f.object);
				taken += !!old;
				if (old)
					KUNIT_EXPECT_PTR_EQ(test, old, f.object);
			}
		}
		for (key = 0; key < 8; key++)
			htab_sys_delete(&f.t, key);
	}
	fields_free(&f);
	KUNIT_EXPECT_EQ(test, given, 32 * (f.t.percpu ? num_possible_cpus() : 1));
	KUNIT_EXPECT_EQ(test, fields_dropped(&f) + taken, given);
}

/* The same with elements that are evicted */
static void fields_kptr_evict(struct kunit *test)
{
	u32 key, cpu, given = 0, taken = 0;
	struct fields f;

	fields_init(test, &f, 16, false);
	for (key = 0; key < 100; key++) {
		KUNIT_ASSERT_EQ(test, fields_update(&f, key, key, BPF_ANY), 0);
		for (cpu = 0; cpu < fields_cpus(&f); cpu++, given++)
			taken += !!fields_xchg(&f, key, cpu, f.object);
	}
	KUNIT_EXPECT_LE(test, htab_sys_count(&f.t), 16);
	fields_free(&f);
	KUNIT_EXPECT_EQ(test, fields_dropped(&f) + taken, given);
}

/*
 * Every element of a full map carries a kptr, and so does the spare one that
 * replacing needs.
 */
static void fields_kptr_full(struct kunit *test)
{
	u32 round, key, cpu, given = 0, taken = 0;
	struct fields f;

	fields_init(test, &f, 8, false);
	for (round = 0; round < 3; round++) {
		for (key = 0; key < 8; key++) {
			KUNIT_ASSERT_EQ(test, fields_update(&f, key, key, BPF_ANY), 0);
			for (cpu = 0; cpu < fields_cpus(&f); cpu++, given++)
				taken += !!fields_xchg(&f, key, cpu, f.object);
		}
	}
	fields_free(&f);
	KUNIT_EXPECT_EQ(test, given, 24 * (f.t.percpu ? num_possible_cpus() : 1));
	KUNIT_EXPECT_EQ(test, fields_dropped(&f) + taken, given);
}

/*
 * So many elements are deleted right before the map goes that the allocator
 * waits for sleepable readers, of which there is one. The map is freed, but the
 * destructor's context is still needed, and with it the BTF.
 */
static void fields_kptr_outlives_map(struct kunit *test)
{
	struct fields f;
	u32 key;

	/* room for all on one CPU's LRU list */
	fields_init(test, &f, 400 * num_possible_cpus(), false);
	fields_kptr_fill(&f, 300);
	rcu_read_lock_trace();
	for (key = 0; key < 300; key++) {
		htab_sys_delete(&f.t, key);
		if (key % 50 == 49)
			htab_test_refill();
	}
	htab_test_drop(&f.t);
	flush_delayed_fput();
	KUNIT_EXPECT_TRUE_MSG(test, htab_test_wait(fields_dropped(&f) >= 300 * fields_cpus(&f)),
			      "kptrs are not dropped");
	msleep(30);
	KUNIT_EXPECT_TRUE_MSG(test, fields_btf_lives(&f), "the BTF is gone");
	rcu_read_unlock_trace();
	KUNIT_EXPECT_TRUE_MSG(test, htab_test_wait(!fields_btf_lives(&f)), "the BTF is leaked");
	KUNIT_EXPECT_EQ(test, fields_dropped(&f), 300 * (f.t.percpu ? num_possible_cpus() : 1));
}

/* Empty lists and trees: in elements of every age, and when the map goes */
static void fields_graph(struct kunit *test)
{
	struct fields f;
	u32 key;

	fields_init(test, &f, 64, false);
	for (key = 0; key < 4; key++) {
		KUNIT_ASSERT_EQ(test, fields_update(&f, key, key, BPF_ANY), 0);
		fields_expect_elem(&f, key, key);
	}
	KUNIT_EXPECT_EQ(test, fields_update(&f, 0, 10, BPF_F_LOCK), 0);
	fields_expect_elem(&f, 0, 10);
	KUNIT_EXPECT_EQ(test, fields_update(&f, 1, 11, BPF_ANY), 0);
	fields_expect_elem(&f, 1, 11);
	KUNIT_EXPECT_EQ(test, htab_sys_delete(&f.t, 2), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&f.t), 3);
	fields_free(&f);
}

static struct kunit_case htab_fields_cases[] = {
	KUNIT_CASE_PARAM(fields_create, fields_gen_kinds),
	KUNIT_CASE_PARAM(fields_create_without_key, htab_flavour_gen_params),
	KUNIT_CASE_PARAM(fields_insert_leaves_empty, fields_gen_zero),
	KUNIT_CASE_PARAM(fields_prog_insert_leaves_empty, fields_gen_few_zero),
	KUNIT_CASE_PARAM(fields_reads_hide, fields_gen_few_zero),
	KUNIT_CASE_PARAM(fields_cpu_flags, fields_gen_percpu_kptr),
	KUNIT_CASE_PARAM(fields_refcount_reads, fields_gen_refcount),
	KUNIT_CASE_PARAM(fields_lock_refused, htab_flavour_gen_params),
	KUNIT_CASE_PARAM(fields_lock_updates_in_place, fields_gen_lock),
	KUNIT_CASE_PARAM(fields_lock_inserts, fields_gen_lock),
	KUNIT_CASE_PARAM(fields_lock_reads, fields_gen_lock),
	KUNIT_CASE_PARAM(fields_lock_batch, fields_gen_lock),
	KUNIT_CASE_PARAM(fields_timer_fires, fields_gen_timer),
	KUNIT_CASE_PARAM(fields_wq_runs, fields_gen_wq),
	KUNIT_CASE_PARAM(fields_async_goes, fields_gen_async_ways),
	KUNIT_CASE_PARAM(fields_timer_survives_failure, fields_gen_few_timer),
	KUNIT_CASE_PARAM(fields_timer_reuse, fields_gen_few_timer),
	KUNIT_CASE_PARAM(fields_timer_replace, fields_gen_few_timer),
	KUNIT_CASE_PARAM(fields_timer_evict, fields_gen_lru_timer),
	KUNIT_CASE_PARAM(fields_timer_keeps_in_place, fields_gen_hash_timer),
	KUNIT_CASE_PARAM(fields_kptr_free, fields_gen_kptr),
	KUNIT_CASE_PARAM(fields_kptr_goes, fields_gen_kptr_ways),
	KUNIT_CASE_PARAM(fields_kptr_survives_failure, fields_gen_few_kptr),
	KUNIT_CASE_PARAM(fields_kptr_keeps_in_place, fields_gen_hash_kptr),
	KUNIT_CASE_PARAM(fields_kptr_reuse, fields_gen_few_kptr),
	KUNIT_CASE_PARAM(fields_kptr_evict, fields_gen_lru_kptr),
	KUNIT_CASE_PARAM(fields_kptr_full, fields_gen_few_kptr),
	KUNIT_CASE_PARAM(fields_kptr_outlives_map, fields_gen_nopre_kptr),
	KUNIT_CASE_PARAM(fields_graph, fields_gen_graph),
	{}
};

static struct kunit_suite htab_fields_suite = {
	.name = "bpf_htab_fields",
	.test_cases = htab_fields_cases,
};

kunit_test_suite(htab_fields_suite);

MODULE_DESCRIPTION("KUnit tests for special fields in BPF hash maps");
MODULE_LICENSE("GPL");
