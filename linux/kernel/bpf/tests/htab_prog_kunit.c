// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite bpf_htab_prog: programs that use hash maps.
 *
 * Programs are written down as instructions, pass the verifier and run: by the
 * interpreter, or by the JIT if there is one, where the verifier puts the
 * lookup of most flavours into the program itself. Of the bugs that this code
 * has had before, the suite covers:
 * - re-used per-CPU elements that show old values on other CPUs;
 * - the reference bit of LRU elements, which lookups of programs set and those
 *   of bpf(2) do not, and its place in the inlined lookup;
 * - an element deleted under the callback of for_each, and an iterator that
 *   stands on an element which was deleted under it.
 * It also covers lookups in an inner map, for which the verifier only has the
 * template of the inner maps at hand.
 *
 * Only a JIT can show: wrong offsets in inlined lookups, and programs with a
 * callback, which the interpreter does not have. Only two CPUs can show what
 * happens to values of other CPUs.
 */
#include <kunit/test.h>
#include <linux/bpf_verifier.h>
#include <linux/slab.h>
#include "htab_test.h"
#include "htab_load.h"

/* Context of all programs here */
struct prog_ctx {
	u64 flags;
	u32 cpu;
	u32 word;
	u64 visits;
	u64 sum;
	u8 key[40];
	u8 inner_key[40];
	u8 value[256];
};

#define CTX(member)	((int)offsetof(struct prog_ctx, member))

/* Where programs keep things on their stacks */
#define STACK_KEY	(-40)
#define STACK_INNER_KEY	(-80)
#define STACK_VALUE	(-80 - 256)

struct prog_insns {
	u32 n;
	struct bpf_insn insn[512];
};

static const struct {
	u32 key_size;
	u32 value_size;
} prog_sizes[] = {
	{ 4, 4 }, { 8, 8 }, { 12, 4 }, { 16, 17 }, { 20, 20 }, { 40, 256 },
};

static struct htab_shape prog_shapes[HTAB_FLAVOURS * ARRAY_SIZE(prog_sizes)];
static u32 prog_n_shapes;

/* All sizes, or a @few of them in turn */
static const void *prog_next_shape(const struct htab_shape *s, u32 types, bool few, char *desc)
{
	u32 i, f;

	if (!prog_n_shapes) {
		for (f = 0; f < HTAB_FLAVOURS; f++)
			for (i = 0; i < ARRAY_SIZE(prog_sizes); i++)
				prog_shapes[prog_n_shapes++] = (struct htab_shape) {
					.flavour = &htab_flavours[f],
					.key_size = prog_sizes[i].key_size,
					.value_size = prog_sizes[i].value_size,
				};
	}
	for (s = s ? s + 1 : prog_shapes; s < prog_shapes + prog_n_shapes; s++) {
		i = s - prog_shapes;
		if (!(BIT(s->flavour->type) & types) ||
		    (few && (i + i / ARRAY_SIZE(prog_sizes)) % 3))
			continue;
		snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s k=%u v=%u", s->flavour->name,
			 s->key_size, s->value_size);
		return s;
	}
	return NULL;
}

#define PERCPU_TYPES	(BIT(BPF_MAP_TYPE_PERCPU_HASH) | BIT(BPF_MAP_TYPE_LRU_PERCPU_HASH))
#define LRU_TYPES	(BIT(BPF_MAP_TYPE_LRU_HASH) | BIT(BPF_MAP_TYPE_LRU_PERCPU_HASH))
#define VALUE_TYPES	(BIT(BPF_MAP_TYPE_HASH) | PERCPU_TYPES | LRU_TYPES)

/* Every flavour except maps of maps */
static const void *prog_gen_values(struct kunit *test, const void *prev, char *desc)
{
	return prog_next_shape(prev, VALUE_TYPES, false, desc);
}

static const void *prog_gen_few_values(struct kunit *test, const void *prev, char *desc)
{
	return prog_next_shape(prev, VALUE_TYPES, true, desc);
}

static const void *prog_gen_percpu(struct kunit *test, const void *prev, char *desc)
{
	return prog_next_shape(prev, PERCPU_TYPES, false, desc);
}

static const void *prog_gen_few_percpu(struct kunit *test, const void *prev, char *desc)
{
	return prog_next_shape(prev, PERCPU_TYPES, true, desc);
}

static const void *prog_gen_lru(struct kunit *test, const void *prev, char *desc)
{
	return prog_next_shape(prev, LRU_TYPES, false, desc);
}

static const void *prog_gen_few_lru(struct kunit *test, const void *prev, char *desc)
{
	return prog_next_shape(prev, LRU_TYPES, true, desc);
}

static const void *prog_gen_lru_percpu(struct kunit *test, const void *prev, char *desc)
{
	return prog_next_shape(prev, BIT(BPF_MAP_TYPE_LRU_PERCPU_HASH), true, desc);
}

static const void *prog_gen_of_maps(struct kunit *test, const void *prev, char *desc)
{
	return prog_next_shape(prev, BIT(BPF_MAP_TYPE_HASH_OF_MAPS), false, desc);
}

static void emit(struct prog_insns *p, const struct bpf_insn *insn, u32 n)
{
	if (WARN_ON_ONCE(p->n + n > ARRAY_SIZE(p->insn)))
		return;
	memcpy(p->insn + p->n, insn, n * sizeof(*insn));
	p->n += n;
}

#define EMIT(p, ...) do {						\
	const struct bpf_insn __insn[] = { __VA_ARGS__ };		\
									\
	emit(p, __insn, ARRAY_SIZE(__insn));				\
} while (0)

static void emit_call(struct prog_insns *p, int func)
{
	EMIT(p, BPF_RAW_INSN(BPF_JMP | BPF_CALL, 0, 0, 0, func));
}

/* Starts a program: R6 is the context; notes the CPU in it. */
static struct prog_insns *prog_new(struct kunit *test)
{
	struct prog_insns *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	EMIT(p, BPF_MOV64_REG(BPF_REG_6, BPF_REG_1));
	emit_call(p, BPF_FUNC_get_smp_processor_id);
	EMIT(p, BPF_STX_MEM(BPF_W, BPF_REG_6, BPF_REG_0, CTX(cpu)));
	return p;
}

/* size bytes from *(src + src_off) to *(dst + dst_off), by way of R1 */
static void emit_copy(struct prog_insns *p, int dst, int dst_off, int src, int src_off, u32 size)
{
	for (; size >= 4; size -= 4, dst_off += 4, src_off += 4)
		EMIT(p,
		     BPF_LDX_MEM(BPF_W, BPF_REG_1, src, src_off),
		     BPF_STX_MEM(BPF_W, dst, BPF_REG_1, dst_off));
	for (; size; size--, dst_off++, src_off++)
		EMIT(p,
		     BPF_LDX_MEM(BPF_B, BPF_REG_1, src, src_off),
		     BPF_STX_MEM(BPF_B, dst, BPF_REG_1, dst_off));
}

/* R1 = map, R2 = &key */
static void emit_map_key(struct prog_insns *p, const struct htab_test *t)
{
	emit_copy(p, BPF_REG_10, STACK_KEY, BPF_REG_6, CTX(key), t->key_size);
	EMIT(p,
	     BPF_LD_MAP_FD(BPF_REG_1, t->fd),
	     BPF_MOV64_REG(BPF_REG_2, BPF_REG_10),
	     BPF_ALU64_IMM(BPF_ADD, BPF_REG_2, STACK_KEY));
}

/* R3 = &value, R4 = flags; does not touch R2 */
static void emit_value_flags(struct prog_insns *p)
{
	EMIT(p,
	     BPF_MOV64_REG(BPF_REG_3, BPF_REG_10),
	     BPF_ALU64_IMM(BPF_ADD, BPF_REG_3, STACK_VALUE),
	     BPF_LDX_MEM(BPF_DW, BPF_REG_4, BPF_REG_6, CTX(flags)));
}

/* return -ENOENT if R0 is NULL */
static void emit_null_check(struct prog_insns *p)
{
	EMIT(p,
	     BPF_JMP_IMM(BPF_JNE, BPF_REG_0, 0, 2),
	     BPF_MOV64_IMM(BPF_REG_0, -ENOENT),
	     BPF_EXIT_INSN());
}

/* The end of a lookup: copies the value to the context, returns 0. */
static void emit_read_value(struct prog_insns *p, u32 size)
{
	emit_null_check(p);
	emit_copy(p, BPF_REG_6, CTX(value), BPF_REG_0, 0, size);
	EMIT(p, BPF_MOV64_IMM(BPF_REG_0, 0), BPF_EXIT_INSN());
}

static struct bpf_prog *prog_load(struct htab_test *t, const struct prog_insns *p)
{
	return htab_load_prog(t, p->insn, p->n, 0, NULL, 0);
}

static struct bpf_prog *prog_lookup(struct htab_test *t)
{
	struct prog_insns *p = prog_new(t->test);

	emit_map_key(p, t);
	emit_call(p, BPF_FUNC_map_lookup_elem);
	emit_read_value(p, t->value_size);
	return prog_load(t, p);
}

static struct bpf_prog *prog_lookup_percpu(struct htab_test *t)
{
	struct prog_insns *p = prog_new(t->test);

	emit_map_key(p, t);
	EMIT(p, BPF_LDX_MEM(BPF_W, BPF_REG_3, BPF_REG_6, CTX(word)));
	emit_call(p, BPF_FUNC_map_lookup_percpu_elem);
	emit_read_value(p, t->value_size);
	return prog_load(t, p);
}

static struct bpf_prog *prog_update(struct htab_test *t)
{
	struct prog_insns *p = prog_new(t->test);

	emit_copy(p, BPF_REG_10, STACK_VALUE, BPF_REG_6, CTX(value), t->value_size);
	emit_map_key(p, t);
	emit_value_flags(p);
	emit_call(p, BPF_FUNC_map_update_elem);
	EMIT(p, BPF_EXIT_INSN());
	return prog_load(t, p);
}

static struct bpf_prog *prog_delete(struct htab_test *t)
{
	struct prog_insns *p = prog_new(t->test);

	emit_map_key(p, t);
	emit_call(p, BPF_FUNC_map_delete_elem);
	EMIT(p, BPF_EXIT_INSN());
	return prog_load(t, p);
}

/* Looks up and writes a word through the pointer. */
static struct bpf_prog *prog_write_word(struct htab_test *t)
{
	struct prog_insns *p = prog_new(t->test);

	emit_map_key(p, t);
	emit_call(p, BPF_FUNC_map_lookup_elem);
	emit_null_check(p);
	EMIT(p,
	     BPF_LDX_MEM(BPF_W, BPF_REG_1, BPF_REG_6, CTX(word)),
	     BPF_STX_MEM(BPF_W, BPF_REG_0, BPF_REG_1, 0),
	     BPF_MOV64_IMM(BPF_REG_0, 0),
	     BPF_EXIT_INSN());
	return prog_load(t, p);
}

static int prog_run(const struct htab_test *t, const struct bpf_prog *prog,
		    struct prog_ctx *ctx, u32 key)
{
	htab_test_refill();
	htab_test_key(t, key, ctx->key);
	return htab_run_prog(prog, ctx);
}

/*
 * The value that htab_test_sys_value() makes from a number, of one CPU. Also
 * called from callbacks, which must not sleep.
 */
static bool prog_value_is(const struct htab_test *t, u32 n, u32 cpu, const void *value)
{
	u8 *all = kzalloc(t->sys_value_size, GFP_ATOMIC);
	bool is;

	KUNIT_ASSERT_NOT_NULL(t->test, all);
	htab_test_sys_value(t, n, all);
	is = !memcmp(all + (t->percpu ? cpu * round_up(t->value_size, 8) : 0), value,
		     t->value_size);
	kfree(all);
	return is;
}

static void prog_init(struct kunit *test, struct htab_test *t, u32 max_entries)
{
	const struct htab_shape *s = test->param_value;

	htab_test_init(test, t, s->flavour, s->key_size, s->value_size, max_entries);
}

/* A program reads the value of its key, on its CPU. */
static void prog_reads_value(struct kunit *test)
{
	struct prog_ctx ctx = {};
	struct bpf_prog *prog;
	struct htab_test t;
	u32 key;

	prog_init(test, &t, 64);
	prog = prog_lookup(&t);
	KUNIT_EXPECT_EQ(test, (int)prog->jited, IS_ENABLED(CONFIG_BPF_JIT));
	for (key = 0; key < 8; key++)
		KUNIT_ASSERT_EQ(test, htab_sys_update(&t, key, 100 + key, BPF_ANY), 0);
	for (key = 0; key < 8; key++) {
		memset(ctx.value, 0, sizeof(ctx.value));
		KUNIT_EXPECT_EQ(test, prog_run(&t, prog, &ctx, key), 0);
		KUNIT_EXPECT_TRUE_MSG(test, prog_value_is(&t, 100 + key, ctx.cpu, ctx.value),
				      "key %u, CPU %u: another value", key, ctx.cpu);
	}
	KUNIT_EXPECT_EQ(test, prog_run(&t, prog, &ctx, 8), -ENOENT);
}

/* The pointer that a program gets leads to the value itself. */
static void prog_writes_value(struct kunit *test)
{
	struct prog_ctx ctx = { .word = 0x600dbeef };
	struct bpf_prog *read, *write;
	struct htab_test t;

	prog_init(test, &t, 64);
	read = prog_lookup(&t);
	write = prog_write_word(&t);
	KUNIT_ASSERT_EQ(test, htab_sys_update(&t, 1, 1, BPF_ANY), 0);
	KUNIT_ASSERT_EQ(test, htab_sys_update(&t, 2, 2, BPF_ANY), 0);
	migrate_disable();
	KUNIT_EXPECT_EQ(test, prog_run(&t, write, &ctx, 1), 0);
	KUNIT_EXPECT_EQ(test, prog_run(&t, read, &ctx, 1), 0);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, *(u32 *)ctx.value, 0x600dbeef);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, 1, 1), -EBADMSG);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, 2, 2), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 2);
}

/* A program inserts and overwrites, and what it wrote is there. */
static void prog_updates(struct kunit *test)
{
	struct bpf_prog *update, *lookup;
	struct prog_ctx ctx = {};
	struct htab_test t;
	u32 key, value;

	prog_init(test, &t, 64);
	update = prog_update(&t);
	lookup = prog_lookup(&t);
	for (value = 100; value < 300; value += 100) {
		for (key = 0; key < 8; key++) {
			migrate_disable();
			htab_test_value(&t, value + key, ctx.value);
			KUNIT_EXPECT_EQ(test, prog_run(&t, update, &ctx, key), 0);
			memset(ctx.value, 0, sizeof(ctx.value));
			KUNIT_EXPECT_EQ(test, prog_run(&t, lookup, &ctx, key), 0);
			migrate_enable();
			KUNIT_EXPECT_TRUE(test, htab_test_value_is(&t, value + key, ctx.value));
		}
		KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 8);
	}
}

/* The flags of an update, and which a program may not use */
static void prog_update_flags(struct kunit *test)
{
	struct prog_ctx ctx = {};
	struct bpf_prog *update;
	struct htab_test t;

	prog_init(test, &t, 64);
	update = prog_update(&t);
	htab_test_value(&t, 1, ctx.value);
	ctx.flags = BPF_EXIST;
	KUNIT_EXPECT_EQ(test, prog_run(&t, update, &ctx, 1), -ENOENT);
	ctx.flags = BPF_NOEXIST;
	KUNIT_EXPECT_EQ(test, prog_run(&t, update, &ctx, 1), 0);
	KUNIT_EXPECT_EQ(test, prog_run(&t, update, &ctx, 1), -EEXIST);
	ctx.flags = BPF_EXIST;
	KUNIT_EXPECT_EQ(test, prog_run(&t, update, &ctx, 1), 0);
	ctx.flags = BPF_EXIST + 1;
	KUNIT_EXPECT_EQ(test, prog_run(&t, update, &ctx, 1), -EINVAL);
	ctx.flags = BPF_F_LOCK;
	KUNIT_EXPECT_EQ(test, prog_run(&t, update, &ctx, 1), -EINVAL);
	ctx.flags = BPF_F_CPU;
	KUNIT_EXPECT_EQ(test, prog_run(&t, update, &ctx, 1), -EINVAL);
	ctx.flags = BPF_F_ALL_CPUS;
	KUNIT_EXPECT_EQ(test, prog_run(&t, update, &ctx, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 1);
}

/* A program deletes its key and no other. */
static void prog_deletes(struct kunit *test)
{
	struct bpf_prog *delete, *lookup;
	struct prog_ctx ctx = {};
	struct htab_test t;
	u32 key;

	prog_init(test, &t, 64);
	delete = prog_delete(&t);
	lookup = prog_lookup(&t);
	for (key = 0; key < 8; key++)
		KUNIT_ASSERT_EQ(test, htab_sys_update(&t, key, key, BPF_ANY), 0);
	for (key = 0; key < 8; key += 2) {
		KUNIT_EXPECT_EQ(test, prog_run(&t, delete, &ctx, key), 0);
		KUNIT_EXPECT_EQ(test, prog_run(&t, delete, &ctx, key), -ENOENT);
	}
	for (key = 0; key < 8; key++)
		KUNIT_EXPECT_EQ(test, prog_run(&t, lookup, &ctx, key), key % 2 ? 0 : -ENOENT);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 4);
}

/* A program reads the value of each CPU. */
static void prog_reads_other_cpus(struct kunit *test)
{
	struct prog_ctx ctx = {};
	struct bpf_prog *prog;
	struct htab_test t;
	u32 cpu;

	prog_init(test, &t, 64);
	prog = prog_lookup_percpu(&t);
	KUNIT_ASSERT_EQ(test, htab_sys_update(&t, 1, 100, BPF_ANY), 0);
	KUNIT_ASSERT_EQ(test, htab_sys_update(&t, 2, 200, BPF_ANY), 0);
	for_each_possible_cpu(cpu) {
		ctx.word = cpu;
		KUNIT_EXPECT_EQ(test, prog_run(&t, prog, &ctx, 1), 0);
		KUNIT_EXPECT_TRUE_MSG(test, prog_value_is(&t, 100, cpu, ctx.value),
				      "CPU %u: another value", cpu);
		KUNIT_EXPECT_EQ(test, prog_run(&t, prog, &ctx, 3), -ENOENT);
	}
	ctx.word = nr_cpu_ids;
	KUNIT_EXPECT_EQ(test, prog_run(&t, prog, &ctx, 1), -ENOENT);
}

static int prog_ref(struct htab_test *t, u32 key)
{
	u8 bytes[40];
	int ref;

	htab_test_key(t, key, bytes);
	rcu_read_lock();
	ref = htab_hook_lru_ref(t->map, bytes);
	rcu_read_unlock();
	return ref;
}

/* The reference bit: set by a program that looks up, for its key alone */
static void prog_sets_ref(struct kunit *test)
{
	struct prog_ctx ctx = {};
	struct bpf_prog *prog;
	struct htab_test t;

	prog_init(test, &t, 64);
	prog = prog_lookup(&t);
	KUNIT_ASSERT_EQ(test, htab_sys_update(&t, 1, 1, BPF_ANY), 0);
	KUNIT_ASSERT_EQ(test, htab_sys_update(&t, 2, 2, BPF_ANY), 0);
	KUNIT_ASSERT_EQ(test, prog_ref(&t, 1), 0);
	KUNIT_EXPECT_EQ(test, prog_run(&t, prog, &ctx, 1), 0);
	KUNIT_EXPECT_EQ(test, prog_ref(&t, 1), 1);
	KUNIT_EXPECT_EQ(test, prog_ref(&t, 2), 0);
	KUNIT_EXPECT_EQ(test, prog_run(&t, prog, &ctx, 1), 0);
	KUNIT_EXPECT_EQ(test, prog_ref(&t, 1), 1);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, 1, 1), 0);
}

/* The reference bit is not set by reads of bpf(2). */
static void prog_sys_reads_keep_ref(struct kunit *test)
{
	union bpf_attr attr = {};
	struct htab_test t;

	prog_init(test, &t, 8);
	KUNIT_ASSERT_EQ(test, htab_sys_update(&t, 1, 1, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, 1, 1), 0);
	KUNIT_EXPECT_EQ(test, prog_ref(&t, 1), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 1);
	KUNIT_EXPECT_EQ(test, prog_ref(&t, 1), 0);
	attr.batch.map_fd = t.fd;
	attr.batch.count = 8;
	attr.batch.keys = (unsigned long)t.ukey;
	attr.batch.values = (unsigned long)t.uvalue;
	attr.batch.out_batch = (unsigned long)t.unext;
	KUNIT_EXPECT_EQ(test, htab_test_bpf(&t, BPF_MAP_LOOKUP_BATCH, &attr), -ENOENT);
	KUNIT_EXPECT_EQ(test, attr.batch.count, 1);
	KUNIT_EXPECT_EQ(test, prog_ref(&t, 1), 0);
}

/* A program that reads another CPU's value sets the reference bit too. */
static void prog_percpu_sets_ref(struct kunit *test)
{
	struct prog_ctx ctx = {};
	struct bpf_prog *prog;
	struct htab_test t;

	prog_init(test, &t, 64);
	prog = prog_lookup_percpu(&t);
	KUNIT_ASSERT_EQ(test, htab_sys_update(&t, 1, 1, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, prog_run(&t, prog, &ctx, 1), 0);
	KUNIT_EXPECT_EQ(test, prog_ref(&t, 1), 1);
}

/* Is a per-CPU value the one that was written on its CPU, and zero elsewhere? */
static void prog_expect_only(struct htab_test *t, u32 key, u32 value, u32 writer)
{
	static const u8 zero[256];
	u8 bytes[40];
	u32 cpu;
	void *v;

	htab_test_key(t, key, bytes);
	for_each_possible_cpu(cpu) {
		rcu_read_lock();
		v = t->map->ops->map_lookup_percpu_elem(t->map, bytes, cpu);
		rcu_read_unlock();
		KUNIT_ASSERT_NOT_NULL(t->test, v);
		if (cpu == writer)
			KUNIT_EXPECT_TRUE_MSG(t->test, htab_test_value_is(t, value, v),
					      "key %u: not what CPU %u wrote", key, cpu);
		else
			KUNIT_EXPECT_MEMEQ_MSG(t->test, v, zero, t->value_size,
					       "key %u: an old value on CPU %u", key, cpu);
	}
}

/* Fills every element with values on all CPUs, then empties the map. */
static void prog_dirty(struct htab_test *t, u32 n)
{
	u32 key;

	for (key = 0; key < n; key++)
		KUNIT_ASSERT_EQ(t->test, htab_sys_update(t, key, 500 + key, BPF_ANY), 0);
	for (key = 0; key < n; key++)
		htab_sys_delete(t, key);
	KUNIT_ASSERT_EQ(t->test, htab_sys_count(t), 0);
}

/* What a program inserts on its CPU reads as zero on others, in re-used elements. */
static void prog_insert_zeroes_other_cpus(struct kunit *test)
{
	struct prog_ctx ctx = {};
	struct bpf_prog *prog;
	struct htab_test t;
	u32 key;

	if (num_possible_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	prog_init(test, &t, 16);
	prog = prog_update(&t);
	prog_dirty(&t, 16);
	for (key = 100; key < 108; key++) {
		htab_test_value(&t, key, ctx.value);
		KUNIT_ASSERT_EQ(test, prog_run(&t, prog, &ctx, key), 0);
		prog_expect_only(&t, key, key, ctx.cpu);
	}
}

static int prog_sys_update_cpu(struct htab_test *t, u32 key, u32 value, u64 flags)
{
	union bpf_attr attr = {
		.map_fd = t->fd,
		.key = (unsigned long)t->ukey,
		.value = (unsigned long)t->uvalue,
		.flags = flags,
	};
	u8 k[40], *v;

	v = kunit_kzalloc(t->test, t->value_size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(t->test, v);
	htab_test_refill();
	htab_test_key(t, key, k);
	htab_test_value(t, value, v);
	if (copy_to_user(t->ukey, k, t->key_size) ||
	    copy_to_user(t->uvalue, v, t->value_size))
		return -EFAULT;
	return htab_test_bpf(t, BPF_MAP_UPDATE_ELEM, &attr);
}

/* The same for what bpf(2) inserts for one CPU */
static void prog_sys_insert_zeroes_other_cpus(struct kunit *test)
{
	struct htab_test t;
	u32 cpu;

	if (num_possible_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	prog_init(test, &t, 16);
	prog_dirty(&t, 16);
	for_each_possible_cpu(cpu) {
		KUNIT_ASSERT_EQ(test, prog_sys_update_cpu(&t, 100 + cpu, cpu,
							  (u64)cpu << 32 | BPF_F_CPU), 0);
		prog_expect_only(&t, 100 + cpu, cpu, cpu);
	}
}

/* An update of one CPU's value leaves those of others alone. */
static void prog_update_keeps_other_cpus(struct kunit *test)
{
	struct bpf_prog *update, *lookup;
	struct prog_ctx ctx = {};
	struct htab_test t;
	u32 cpu;

	if (num_possible_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	prog_init(test, &t, 16);
	update = prog_update(&t);
	lookup = prog_lookup_percpu(&t);
	KUNIT_ASSERT_EQ(test, htab_sys_update(&t, 1, 100, BPF_ANY), 0);
	htab_test_value(&t, 200, ctx.value);
	KUNIT_ASSERT_EQ(test, prog_run(&t, update, &ctx, 1), 0);
	for_each_possible_cpu(cpu) {
		u32 writer = ctx.cpu;
		struct prog_ctx read = { .word = cpu };

		KUNIT_ASSERT_EQ(test, prog_run(&t, lookup, &read, 1), 0);
		if (cpu == writer)
			KUNIT_EXPECT_TRUE(test, htab_test_value_is(&t, 200, read.value));
		else
			KUNIT_EXPECT_TRUE(test, prog_value_is(&t, 100, cpu, read.value));
	}
}

/* BPF_F_ALL_CPUS writes one value everywhere, BPF_F_CPU then changes one. */
static void prog_sys_update_cpu_flags(struct kunit *test)
{
	u32 cpu, last = cpumask_last(cpu_possible_mask);
	struct prog_ctx ctx = {};
	struct bpf_prog *prog;
	struct htab_test t;

	prog_init(test, &t, 16);
	prog = prog_lookup_percpu(&t);
	KUNIT_ASSERT_EQ(test, htab_sys_update(&t, 1, 100, BPF_ANY), 0);
	KUNIT_ASSERT_EQ(test, prog_sys_update_cpu(&t, 1, 200, BPF_F_ALL_CPUS), 0);
	KUNIT_ASSERT_EQ(test, prog_sys_update_cpu(&t, 1, 300, (u64)last << 32 | BPF_F_CPU), 0);
	for_each_possible_cpu(cpu) {
		ctx.word = cpu;
		KUNIT_ASSERT_EQ(test, prog_run(&t, prog, &ctx, 1), 0);
		KUNIT_EXPECT_TRUE_MSG(test, htab_test_value_is(&t, cpu == last ? 300 : 200,
							       ctx.value),
				      "CPU %u: another value", cpu);
	}
}

/* A map of maps whose inner maps are hash maps */
struct prog_inner {
	struct htab_test outer;
	struct htab_test in[2];
};

/*
 * The inner maps are two more than the template. They may differ from it in
 * the number of elements.
 */
static struct prog_inner *prog_inner_init(struct kunit *test, const struct htab_shape *s)
{
	static const u32 max_entries[] = { 16, 300 };
	struct prog_inner *pi = kunit_kzalloc(test, sizeof(*pi), GFP_KERNEL);
	union bpf_attr attr;
	struct htab_test t;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, pi);
	htab_test_init(test, &t, s->flavour, s->key_size, s->value_size, 64);
	htab_test_start(test, &pi->outer);
	attr = htab_test_attr(&pi->outer, &htab_flavours[0], s->key_size, 4, 8);
	attr.map_type = BPF_MAP_TYPE_HASH_OF_MAPS;
	attr.inner_map_fd = t.fd;
	htab_test_create(&pi->outer, &attr);
	for (i = 0; i < 2; i++) {
		htab_test_init(test, &pi->in[i], s->flavour, s->key_size, s->value_size,
			       max_entries[i]);
		pi->outer.inner_fd[i] = pi->in[i].fd;
		KUNIT_ASSERT_EQ(test, htab_sys_update(&pi->outer, i, i, BPF_ANY), 0);
	}
	/* the template goes; maps stay usable without it */
	htab_test_drop(&t);
	return pi;
}

/* Looks up the inner map and leaves the program if there is none; R1 = it, R2 = &key */
static void emit_inner(struct prog_insns *p, struct prog_inner *pi)
{
	emit_map_key(p, &pi->outer);
	emit_call(p, BPF_FUNC_map_lookup_elem);
	EMIT(p,
	     BPF_JMP_IMM(BPF_JNE, BPF_REG_0, 0, 2),
	     BPF_MOV64_IMM(BPF_REG_0, -ESRCH),
	     BPF_EXIT_INSN(),
	     BPF_MOV64_REG(BPF_REG_7, BPF_REG_0));
	emit_copy(p, BPF_REG_10, STACK_INNER_KEY, BPF_REG_6, CTX(inner_key),
		  pi->in[0].key_size);
	EMIT(p,
	     BPF_MOV64_REG(BPF_REG_1, BPF_REG_7),
	     BPF_MOV64_REG(BPF_REG_2, BPF_REG_10),
	     BPF_ALU64_IMM(BPF_ADD, BPF_REG_2, STACK_INNER_KEY));
}

static struct bpf_prog *prog_inner_lookup(struct kunit *test, struct prog_inner *pi)
{
	struct prog_insns *p = prog_new(test);

	emit_inner(p, pi);
	emit_call(p, BPF_FUNC_map_lookup_elem);
	emit_read_value(p, pi->in[0].value_size);
	return prog_load(&pi->outer, p);
}

static int prog_run_inner(struct prog_inner *pi, const struct bpf_prog *prog,
			  struct prog_ctx *ctx, u32 key, u32 inner_key)
{
	htab_test_key(&pi->in[0], inner_key, ctx->inner_key);
	return prog_run(&pi->outer, prog, ctx, key);
}

/* A program finds the inner map, and in it the value. */
static void prog_reads_inner(struct kunit *test)
{
	struct prog_inner *pi = prog_inner_init(test, test->param_value);
	struct prog_ctx ctx = {};
	struct bpf_prog *prog;
	u32 i, key;

	prog = prog_inner_lookup(test, pi);
	for (i = 0; i < 2; i++)
		for (key = 0; key < 4; key++)
			KUNIT_ASSERT_EQ(test, htab_sys_update(&pi->in[i], 10 * i + key,
							      100 * i + key, BPF_ANY), 0);
	for (i = 0; i < 2; i++) {
		for (key = 0; key < 4; key++) {
			KUNIT_EXPECT_EQ(test, prog_run_inner(pi, prog, &ctx, i, 10 * i + key), 0);
			KUNIT_EXPECT_TRUE_MSG(test, prog_value_is(&pi->in[i], 100 * i + key,
								  ctx.cpu, ctx.value),
					      "map %u key %u: another value", i, key);
			KUNIT_EXPECT_EQ(test, prog_run_inner(pi, prog, &ctx, !i, 10 * i + key),
					-ENOENT);
		}
	}
	KUNIT_EXPECT_EQ(test, prog_run_inner(pi, prog, &ctx, 2, 0), -ESRCH);
}

/* A program changes an inner map: the one that it found and no other. */
static void prog_changes_inner(struct kunit *test)
{
	struct prog_inner *pi = prog_inner_init(test, test->param_value);
	struct bpf_prog *lookup, *update, *delete;
	u32 value_size = pi->in[0].value_size;
	struct prog_ctx ctx = {};
	struct prog_insns *p;

	lookup = prog_inner_lookup(test, pi);
	p = prog_new(test);
	emit_copy(p, BPF_REG_10, STACK_VALUE, BPF_REG_6, CTX(value), value_size);
	emit_inner(p, pi);
	emit_value_flags(p);
	emit_call(p, BPF_FUNC_map_update_elem);
	EMIT(p, BPF_EXIT_INSN());
	update = prog_load(&pi->outer, p);
	p = prog_new(test);
	emit_inner(p, pi);
	emit_call(p, BPF_FUNC_map_delete_elem);
	EMIT(p, BPF_EXIT_INSN());
	delete = prog_load(&pi->outer, p);

	htab_test_value(&pi->in[0], 7, ctx.value);
	migrate_disable();
	KUNIT_EXPECT_EQ(test, prog_run_inner(pi, update, &ctx, 1, 3), 0);
	memset(ctx.value, 0, sizeof(ctx.value));
	KUNIT_EXPECT_EQ(test, prog_run_inner(pi, lookup, &ctx, 1, 3), 0);
	migrate_enable();
	KUNIT_EXPECT_TRUE(test, htab_test_value_is(&pi->in[1], 7, ctx.value));
	KUNIT_EXPECT_EQ(test, htab_sys_count(&pi->in[0]), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&pi->in[1]), 1);
	KUNIT_EXPECT_EQ(test, prog_run_inner(pi, delete, &ctx, 1, 3), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&pi->in[1]), 0);
	KUNIT_EXPECT_EQ(test, prog_run_inner(pi, lookup, &ctx, 1, 3), -ENOENT);
}

/*
 * What the verifier puts in place of a lookup, read as far as it reaches into
 * the element, without a JIT to run it: it must find what the map op finds. The
 * verifier has the template of the inner maps only, which ends after its
 * struct bpf_map.
 */
static void prog_inlines_inner(struct kunit *test)
{
	struct prog_inner *pi = prog_inner_init(test, test->param_value);
	struct bpf_map *template = pi->outer.map->inner_map_meta;
	struct htab_test *t = &pi->in[1];
	struct bpf_insn *insns;
	void *elem, *found, *reached;
	u8 key[40];
	int i, n;

	if (!template->ops->map_gen_lookup)
		kunit_skip(test, "lookups in such maps are not inlined");
	insns = kunit_kcalloc(test, INSN_BUF_SIZE, sizeof(*insns), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, insns);
	n = template->ops->map_gen_lookup(template, insns);
	if (n == -EOPNOTSUPP)
		kunit_skip(test, "needs a JIT with per-CPU instructions");
	KUNIT_ASSERT_GE(test, n, 3);
	KUNIT_ASSERT_LE(test, n, INSN_BUF_SIZE);
	KUNIT_ASSERT_EQ(test, htab_sys_update(t, 3, 33, BPF_ANY), 0);
	htab_test_key(t, 3, key);

	rcu_read_lock();
	migrate_disable();
	elem = htab_hook_elem(t->map, key);
	found = t->map->ops->map_lookup_elem(t->map, key);
	reached = elem;
	for (i = 0; i < n && elem; i++) {
		const struct bpf_insn *insn = &insns[i];

		switch (insn->code) {
		case BPF_ALU64 | BPF_ADD | BPF_K:
			reached += insn->imm;
			break;
		case BPF_LDX | BPF_MEM | BPF_DW:
			reached = *(void **)(reached + insn->off);
			break;
		case BPF_LDX | BPF_MEM | BPF_B:
			KUNIT_EXPECT_PTR_EQ(test, reached, elem);
			KUNIT_EXPECT_EQ(test, *(u8 *)(elem + insn->off), 1);
			break;
		case BPF_ST | BPF_MEM | BPF_B:
			*(u8 *)(elem + insn->off) = 0;
			break;
		}
	}
	if (t->percpu && elem)
		reached = this_cpu_ptr((__force void __percpu *)reached);
	i = t->lru ? htab_hook_lru_ref(t->map, key) : 0;
	migrate_enable();
	rcu_read_unlock();
	KUNIT_ASSERT_NOT_NULL(test, elem);
	KUNIT_EXPECT_PTR_EQ(test, reached, found);
	KUNIT_EXPECT_EQ_MSG(test, i, 0, "another byte than the reference bit was cleared");
}

/* Lookups in an inner LRU map set its elements' reference bits. */
static void prog_inner_sets_ref(struct kunit *test)
{
	struct prog_inner *pi = prog_inner_init(test, test->param_value);
	struct prog_ctx ctx = {};
	struct bpf_prog *prog;

	prog = prog_inner_lookup(test, pi);
	KUNIT_ASSERT_EQ(test, htab_sys_update(&pi->in[1], 1, 1, BPF_ANY), 0);
	KUNIT_ASSERT_EQ(test, htab_sys_update(&pi->in[1], 2, 2, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, prog_run_inner(pi, prog, &ctx, 1, 2), 0);
	KUNIT_EXPECT_EQ(test, prog_ref(&pi->in[1], 1), 0);
	KUNIT_EXPECT_EQ(test, prog_ref(&pi->in[1], 2), 1);
}

/* A program sees the inner map that was put last, and none after deletion. */
static void prog_follows_inner(struct kunit *test)
{
	const struct htab_shape *of_maps = test->param_value;
	struct htab_shape s = {
		.flavour = &htab_flavours[0],
		.key_size = of_maps->key_size,
		.value_size = of_maps->value_size,
	};
	struct prog_inner *pi = prog_inner_init(test, &s);
	struct prog_ctx ctx = {};
	struct bpf_prog *prog;
	u32 i;

	prog = prog_inner_lookup(test, pi);
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(test, htab_sys_update(&pi->in[i], 5, 50 + i, BPF_ANY), 0);
	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, htab_sys_update(&pi->outer, 7, i, BPF_ANY), 0);
		KUNIT_EXPECT_EQ(test, prog_run_inner(pi, prog, &ctx, 7, 5), 0);
		KUNIT_EXPECT_TRUE(test, htab_test_value_is(&pi->in[i], 50 + i, ctx.value));
	}
	KUNIT_ASSERT_EQ(test, htab_sys_delete(&pi->outer, 7), 0);
	KUNIT_EXPECT_EQ(test, prog_run_inner(pi, prog, &ctx, 7, 5), -ESRCH);
}

#define EACH_KEYS	6

enum each_mode {
	EACH_LOOK,
	EACH_STOP,
	EACH_DELETE_SELF,
	EACH_DELETE_ALL,
};

/* What a callback in C knows and finds */
struct each {
	struct htab_test *t;
	enum each_mode mode;
	u32 keys[EACH_KEYS];
	u32 seen[EACH_KEYS];
	u32 visits;
	u32 strangers;
	u32 wrong_values;
};

static u64 each_callback(u64 map, u64 key, u64 value, u64 ctx, u64 unused)
{
	struct each *e = (struct each *)(long)ctx;
	struct htab_test *t = e->t;
	u8 bytes[40];
	u32 i, n;

	n = htab_test_key_number(t, (void *)(long)key);
	for (i = 0; i < EACH_KEYS; i++)
		if (e->keys[i] == n)
			break;
	if (i < EACH_KEYS && (void *)(long)map == t->map) {
		e->seen[i]++;
		if (!prog_value_is(t, 100 + i, raw_smp_processor_id(), (void *)(long)value))
			e->wrong_values++;
	} else {
		e->strangers++;
	}
	e->visits++;
	if (e->mode == EACH_DELETE_SELF)
		t->map->ops->map_delete_elem(t->map, (void *)(long)key);
	for (i = 0; i < EACH_KEYS && e->mode == EACH_DELETE_ALL && e->visits == 1; i++) {
		htab_test_key(t, e->keys[i], bytes);
		t->map->ops->map_delete_elem(t->map, bytes);
	}
	return e->mode == EACH_STOP && e->visits == 2;
}

static long each_call(struct htab_test *t, struct each *e, u64 flags)
{
	guard(rcu)();
	guard(migrate)();
	return t->map->ops->map_for_each_callback(t->map, each_callback, e, flags);
}

/*
 * Inserts EACH_KEYS keys, all in one bucket if @one_bucket, and runs
 * bpf_for_each_map_elem() with a callback in C, as the JIT would with one of a
 * program.
 */
static long each_run(struct kunit *test, struct each *e, struct htab_test *t,
		     enum each_mode mode, bool one_bucket)
{
	u32 n = 0, i, bucket = 0;
	u8 bytes[40];
	long ret;

	prog_init(test, t, 128);
	*e = (struct each) { .t = t, .mode = mode };
	for (i = 0; i < EACH_KEYS; n++) {
		htab_test_key(t, n, bytes);
		if (!i)
			bucket = htab_hook_bucket(t->map, bytes);
		else if (one_bucket && htab_hook_bucket(t->map, bytes) != bucket)
			continue;
		KUNIT_ASSERT_EQ(test, htab_sys_update(t, n, 100 + i, BPF_ANY), 0);
		e->keys[i++] = n;
	}
	ret = each_call(t, e, 0);
	KUNIT_EXPECT_EQ(test, e->strangers, 0);
	return ret;
}

/* for_each visits each element once, with its key and value. */
static void prog_each_visits_all(struct kunit *test)
{
	struct htab_test t;
	struct each e;
	u32 i;

	KUNIT_EXPECT_EQ(test, each_run(test, &e, &t, EACH_LOOK, false), EACH_KEYS);
	for (i = 0; i < EACH_KEYS; i++)
		KUNIT_EXPECT_EQ(test, e.seen[i], 1);
	KUNIT_EXPECT_EQ(test, e.wrong_values, 0);
	KUNIT_EXPECT_EQ(test, each_call(&t, &e, 1), -EINVAL);
}

/* for_each ends when the callback says so. */
static void prog_each_stops(struct kunit *test)
{
	struct htab_test t;
	struct each e;

	KUNIT_EXPECT_EQ(test, each_run(test, &e, &t, EACH_STOP, false), 2);
	KUNIT_EXPECT_EQ(test, e.visits, 2);
}

/* An element deleted under the callback does not hide those behind it. */
static void prog_each_deletes_itself(struct kunit *test)
{
	struct htab_test t;
	struct each e;
	u32 i;

	KUNIT_EXPECT_EQ(test, each_run(test, &e, &t, EACH_DELETE_SELF, true), EACH_KEYS);
	for (i = 0; i < EACH_KEYS; i++)
		KUNIT_EXPECT_EQ(test, e.seen[i], 1);
	KUNIT_EXPECT_EQ(test, e.wrong_values, 0);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 0);
}

/*
 * The whole bucket goes under the callback: for_each then stands on an element
 * that is free, and must find its way to the end from there.
 */
static void prog_each_deletes_bucket(struct kunit *test)
{
	struct htab_test t;
	struct each e;
	long ret;
	u32 i;

	ret = each_run(test, &e, &t, EACH_DELETE_ALL, true);
	KUNIT_EXPECT_GE(test, ret, 1);
	KUNIT_EXPECT_LE(test, ret, EACH_KEYS);
	for (i = 0; i < EACH_KEYS; i++)
		KUNIT_EXPECT_LE(test, e.seen[i], 1);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_update(&t, e.keys[0], 1, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, htab_sys_lookup(&t, e.keys[0], 1), 0);
}

/* A program whose callback adds up the keys and deletes their elements */
static struct bpf_prog *prog_each(struct htab_test *t)
{
	struct bpf_func_info info[2] = {};
	struct prog_insns *p = prog_new(t->test);
	u32 ref, ptr, u64_id, proto;
	struct htab_btf *b;
	int fd;

	b = htab_btf_new(t->test);
	u64_id = htab_btf_int(b, "u64", 8);
	ptr = htab_btf_ptr(b, 0);
	proto = htab_btf_proto(b, u64_id, 1);
	htab_btf_param(b, "ctx", ptr);
	info[0].type_id = htab_btf_func(b, "main", proto, BTF_FUNC_GLOBAL);
	proto = htab_btf_proto(b, u64_id, 4);
	htab_btf_param(b, "map", ptr);
	htab_btf_param(b, "key", ptr);
	htab_btf_param(b, "value", ptr);
	htab_btf_param(b, "data", ptr);
	info[1].type_id = htab_btf_func(b, "callback", proto, BTF_FUNC_STATIC);
	fd = htab_btf_load(t, b);
	htab_test_close_fd(t->test, fd);

	/* visits and sum lie on the stack while for_each runs */
	EMIT(p,
	     BPF_ST_MEM(BPF_DW, BPF_REG_10, -16, 0),
	     BPF_ST_MEM(BPF_DW, BPF_REG_10, -8, 0),
	     BPF_LD_MAP_FD(BPF_REG_1, t->fd));
	ref = p->n;
	EMIT(p,
	     BPF_LD_IMM64_RAW(BPF_REG_2, BPF_PSEUDO_FUNC, 0),
	     BPF_MOV64_REG(BPF_REG_3, BPF_REG_10),
	     BPF_ALU64_IMM(BPF_ADD, BPF_REG_3, -16),
	     BPF_MOV64_IMM(BPF_REG_4, 0));
	emit_call(p, BPF_FUNC_for_each_map_elem);
	EMIT(p,
	     BPF_LDX_MEM(BPF_DW, BPF_REG_1, BPF_REG_10, -16),
	     BPF_STX_MEM(BPF_DW, BPF_REG_6, BPF_REG_1, CTX(visits)),
	     BPF_LDX_MEM(BPF_DW, BPF_REG_1, BPF_REG_10, -8),
	     BPF_STX_MEM(BPF_DW, BPF_REG_6, BPF_REG_1, CTX(sum)),
	     BPF_EXIT_INSN());
	p->insn[ref].imm = p->n - ref - 1;
	info[1].insn_off = p->n;
	EMIT(p,
	     BPF_LDX_MEM(BPF_DW, BPF_REG_0, BPF_REG_4, 0),
	     BPF_ALU64_IMM(BPF_ADD, BPF_REG_0, 1),
	     BPF_STX_MEM(BPF_DW, BPF_REG_4, BPF_REG_0, 0),
	     BPF_LDX_MEM(BPF_W, BPF_REG_5, BPF_REG_2, 0),
	     BPF_LDX_MEM(BPF_DW, BPF_REG_0, BPF_REG_4, 8),
	     BPF_ALU64_REG(BPF_ADD, BPF_REG_0, BPF_REG_5),
	     BPF_STX_MEM(BPF_DW, BPF_REG_4, BPF_REG_0, 8));
	emit_call(p, BPF_FUNC_map_delete_elem);
	EMIT(p, BPF_MOV64_IMM(BPF_REG_0, 0), BPF_EXIT_INSN());
	return htab_load_prog(t, p->insn, p->n, fd, info, ARRAY_SIZE(info));
}

/* for_each from a real program, which deletes what it visits */
static void prog_each_from_program(struct kunit *test)
{
	struct prog_ctx ctx = {};
	struct bpf_prog *prog;
	struct htab_test t;
	u32 key;

	if (!IS_ENABLED(CONFIG_BPF_JIT))
		kunit_skip(test, "callbacks of programs need a JIT");
	prog_init(test, &t, 128);
	prog = prog_each(&t);
	for (key = 1; key <= 6; key++)
		KUNIT_ASSERT_EQ(test, htab_sys_update(&t, key, key, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, htab_run_prog(prog, &ctx), 6);
	KUNIT_EXPECT_EQ(test, ctx.visits, 6);
	KUNIT_EXPECT_EQ(test, ctx.sum, 21);
	KUNIT_EXPECT_EQ(test, htab_sys_count(&t), 0);
}

static struct kunit_case htab_prog_cases[] = {
	KUNIT_CASE_PARAM(prog_reads_value, prog_gen_values),
	KUNIT_CASE_PARAM(prog_writes_value, prog_gen_few_values),
	KUNIT_CASE_PARAM(prog_updates, prog_gen_values),
	KUNIT_CASE_PARAM(prog_update_flags, prog_gen_few_values),
	KUNIT_CASE_PARAM(prog_deletes, prog_gen_values),
	KUNIT_CASE_PARAM(prog_reads_other_cpus, prog_gen_percpu),
	KUNIT_CASE_PARAM(prog_sets_ref, prog_gen_lru),
	KUNIT_CASE_PARAM(prog_sys_reads_keep_ref, prog_gen_few_lru),
	KUNIT_CASE_PARAM(prog_percpu_sets_ref, prog_gen_lru_percpu),
	KUNIT_CASE_PARAM(prog_insert_zeroes_other_cpus, prog_gen_few_percpu),
	KUNIT_CASE_PARAM(prog_sys_insert_zeroes_other_cpus, prog_gen_few_percpu),
	KUNIT_CASE_PARAM(prog_update_keeps_other_cpus, prog_gen_few_percpu),
	KUNIT_CASE_PARAM(prog_sys_update_cpu_flags, prog_gen_few_percpu),
	KUNIT_CASE_PARAM(prog_reads_inner, prog_gen_values),
	KUNIT_CASE_PARAM(prog_changes_inner, prog_gen_few_values),
	KUNIT_CASE_PARAM(prog_inlines_inner, prog_gen_values),
	KUNIT_CASE_PARAM(prog_inner_sets_ref, prog_gen_lru),
	KUNIT_CASE_PARAM(prog_follows_inner, prog_gen_of_maps),
	KUNIT_CASE_PARAM(prog_each_visits_all, prog_gen_values),
	KUNIT_CASE_PARAM(prog_each_stops, prog_gen_few_values),
	KUNIT_CASE_PARAM(prog_each_deletes_itself, prog_gen_few_values),
	KUNIT_CASE_PARAM(prog_each_deletes_bucket, prog_gen_few_values),
	KUNIT_CASE_PARAM(prog_each_from_program, prog_gen_few_values),
	{}
};

static struct kunit_suite htab_prog_suite = {
	.name = "bpf_htab_prog",
	.test_cases = htab_prog_cases,
};

kunit_test_suite(htab_prog_suite);

MODULE_DESCRIPTION("KUnit tests for programs that use BPF hash maps");
MODULE_LICENSE("GPL");
