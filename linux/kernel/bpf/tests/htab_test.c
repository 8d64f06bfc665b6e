// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the KUnit suites for BPF hash maps share: see htab_test.h.
 */
#include <linux/delay.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/filter.h>
#include <linux/irq_work.h>
#include <linux/mman.h>
#include <linux/slab.h>
#include <linux/syscalls.h>
#include <linux/unaligned.h>
#include "htab_test.h"

const struct htab_flavour htab_flavours[HTAB_FLAVOURS] = {
	{ "hash", BPF_MAP_TYPE_HASH, 0 },
	{ "hash_nopre", BPF_MAP_TYPE_HASH, BPF_F_NO_PREALLOC },
	{ "percpu", BPF_MAP_TYPE_PERCPU_HASH, 0 },
	{ "percpu_nopre", BPF_MAP_TYPE_PERCPU_HASH, BPF_F_NO_PREALLOC },
	{ "lru", BPF_MAP_TYPE_LRU_HASH, 0 },
	{ "lru_nocommon", BPF_MAP_TYPE_LRU_HASH, BPF_F_NO_COMMON_LRU },
	{ "lru_percpu", BPF_MAP_TYPE_LRU_PERCPU_HASH, 0 },
	{ "lru_percpu_nocommon", BPF_MAP_TYPE_LRU_PERCPU_HASH, BPF_F_NO_COMMON_LRU },
	{ "of_maps", BPF_MAP_TYPE_HASH_OF_MAPS, 0 },
	{ "of_maps_nopre", BPF_MAP_TYPE_HASH_OF_MAPS, BPF_F_NO_PREALLOC },
};

/* Sizes around every boundary that a layout can have: each key size with a
 * common value size, each value size with a common key size.
 */
static const struct {
	u32 key_size;
	u32 value_size;
} htab_sizes[] = {
	{ 1, 8 }, { 2, 8 }, { 3, 8 }, { 4, 8 }, { 5, 8 }, { 6, 8 }, { 7, 8 },
	{ 8, 8 }, { 9, 8 }, { 11, 8 }, { 12, 8 }, { 13, 8 }, { 15, 8 },
	{ 16, 8 }, { 17, 8 }, { 20, 8 }, { 24, 8 }, { 31, 8 }, { 32, 8 },
	{ 33, 8 }, { 40, 8 }, { 64, 8 }, { 255, 8 }, { 512, 8 },
	{ 8, 1 }, { 8, 2 }, { 8, 3 }, { 8, 4 }, { 8, 5 }, { 8, 7 }, { 8, 9 },
	{ 8, 12 }, { 8, 16 }, { 8, 20 }, { 8, 24 }, { 8, 63 }, { 8, 64 },
	{ 8, 65 }, { 8, 256 }, { 8, 4096 },
	{ 4, 4 }, { 4, 1 }, { 4, 65 }, { 2, 3 }, { 9, 1 }, { 13, 63 },
	{ 16, 16 }, { 33, 65 }, { 40, 24 }, { 512, 4096 },
};

/* What KUnit hands to a case as parameter must outlive the generator call. */
static struct htab_shape htab_shapes[HTAB_FLAVOURS * ARRAY_SIZE(htab_sizes)];
static u32 htab_n_shapes;

static bool htab_is_percpu(const struct htab_flavour *f)
{
	return f->type == BPF_MAP_TYPE_PERCPU_HASH || f->type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

static void htab_shapes_fill(void)
{
	u32 f, s, n = 0;

	for (f = 0; f < HTAB_FLAVOURS; f++) {
		for (s = 0; s < ARRAY_SIZE(htab_sizes); s++) {
			bool of_maps = htab_flavours[f].type == BPF_MAP_TYPE_HASH_OF_MAPS;

			/* an inner map is always 4 bytes to bpf(2) */
			if (of_maps && htab_sizes[s].value_size != 8)
				continue;
			/* The allocator refills such values with whole pages,
			 * which a work may give or take back at any time: an
			 * insert can run out of them on any kernel.
			 */
			if (htab_is_percpu(&htab_flavours[f]) &&
			    (htab_flavours[f].flags & BPF_F_NO_PREALLOC) &&
			    htab_sizes[s].value_size > 1024)
				continue;
			/* checking each access makes a case far slower: take a
			 * part of the sizes, another one for each flavour
			 */
			if (IS_ENABLED(CONFIG_KASAN) && (s + f) % 6)
				continue;
			htab_shapes[n++] = (struct htab_shape) {
				.flavour = &htab_flavours[f],
				.key_size = htab_sizes[s].key_size,
				.value_size = of_maps ? 4 : htab_sizes[s].value_size,
			};
		}
	}
	htab_n_shapes = n;
}

static bool htab_is_any(const struct htab_flavour *f)
{
	return true;
}

static bool htab_is_lru(const struct htab_flavour *f)
{
	return f->type == BPF_MAP_TYPE_LRU_HASH || f->type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

static bool htab_is_nocommon(const struct htab_flavour *f)
{
	return f->flags & BPF_F_NO_COMMON_LRU;
}

static bool htab_has_free_lists(const struct htab_flavour *f)
{
	return !(f->flags & BPF_F_NO_PREALLOC) && !htab_is_lru(f);
}

static bool htab_is_for_progs(const struct htab_flavour *f)
{
	return f->type != BPF_MAP_TYPE_HASH_OF_MAPS;
}

static const void *htab_next_shape(const struct htab_shape *s, char *desc,
				   bool (*want)(const struct htab_flavour *f))
{
	if (!htab_n_shapes)
		htab_shapes_fill();
	for (s = s ? s + 1 : htab_shapes; s < htab_shapes + htab_n_shapes; s++) {
		if (!want(s->flavour))
			continue;
		snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s k=%u v=%u", s->flavour->name,
			 s->key_size, s->value_size);
		return s;
	}
	return NULL;
}

static const void *htab_next_flavour(const struct htab_flavour *f, char *desc,
				     bool (*want)(const struct htab_flavour *f))
{
	for (f = f ? f + 1 : htab_flavours; f < htab_flavours + HTAB_FLAVOURS; f++) {
		if (!want(f))
			continue;
		strscpy(desc, f->name, KUNIT_PARAM_DESC_SIZE);
		return f;
	}
	return NULL;
}

/*
 * Generators of parameters for KUNIT_CASE_PARAM(). The "shape" ones give a
 * &struct htab_shape and name it "FLAVOUR k=KEY_SIZE v=VALUE_SIZE", the
 * "flavour" ones give a &struct htab_flavour and its name.
 */
#define HTAB_GEN_PARAMS(_name, _next, _want)						\
const void *_name##_gen_params(struct kunit *test, const void *prev, char *desc)	\
{											\
	return _next(prev, desc, _want);						\
}

HTAB_GEN_PARAMS(htab_shape, htab_next_shape, htab_is_any)
HTAB_GEN_PARAMS(htab_shape_percpu, htab_next_shape, htab_is_percpu)
HTAB_GEN_PARAMS(htab_shape_lru, htab_next_shape, htab_is_lru)
HTAB_GEN_PARAMS(htab_shape_prog, htab_next_shape, htab_is_for_progs)
HTAB_GEN_PARAMS(htab_flavour, htab_next_flavour, htab_is_any)
HTAB_GEN_PARAMS(htab_flavour_percpu, htab_next_flavour, htab_is_percpu)
HTAB_GEN_PARAMS(htab_flavour_lru, htab_next_flavour, htab_is_lru)
HTAB_GEN_PARAMS(htab_flavour_nocommon, htab_next_flavour, htab_is_nocommon)
HTAB_GEN_PARAMS(htab_flavour_free_lists, htab_next_flavour, htab_has_free_lists)

/**
 * htab_test_user() - memory of a user
 * @test: the case; the memory goes when it ends
 * @size: bytes, more than 0
 *
 * The case's thread gets an address space of its own with the first call; only
 * that thread can reach the memory.
 *
 * Return: the address; the case ends if there is none.
 */
void __user *htab_test_user(struct kunit *test, size_t size)
{
	unsigned long addr;

	addr = kunit_vm_mmap(test, NULL, 0, PAGE_ALIGN(size), PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE_MSG(test, addr, 0, "no user memory");
	KUNIT_ASSERT_LT_MSG(test, addr, TASK_SIZE, "no user memory: %ld", (long)addr);
	return (void __user *)addr;
}

/* The entry of the system call itself, as a trap would reach it. */
#if defined(CONFIG_X86_64) && defined(CONFIG_ARCH_HAS_SYSCALL_WRAPPER)
asmlinkage long __x64_sys_bpf(const struct pt_regs *regs);

static long htab_sys_bpf(int cmd, void __user *attr, unsigned int size)
{
	struct pt_regs regs = { .di = cmd, .si = (unsigned long)attr, .dx = size };

	return __x64_sys_bpf(&regs);
}
#elif defined(CONFIG_X86_32) && defined(CONFIG_ARCH_HAS_SYSCALL_WRAPPER)
asmlinkage long __ia32_sys_bpf(const struct pt_regs *regs);

static long htab_sys_bpf(int cmd, void __user *attr, unsigned int size)
{
	struct pt_regs regs = { .bx = cmd, .cx = (unsigned long)attr, .dx = size };

	return __ia32_sys_bpf(&regs);
}
#else
static long htab_sys_bpf(int cmd, void __user *attr, unsigned int size)
{
	return sys_bpf(cmd, attr, size, NULL, 0);
}
#endif

/**
 * htab_test_start() - prepare for bpf(2) without a map
 * @test: the case
 * @t: gets user memory for arguments, two keys and a value; the rest is zeroed
 *
 * The case's thread runs on CPU 0 from now on, so that it finds per-CPU values
 * where it wrote them.
 */
void htab_test_start(struct kunit *test, struct htab_test *t)
{
	const size_t key_max = PAGE_SIZE, value_max = 16 * PAGE_SIZE;
	void __user *user = htab_test_user(test, PAGE_SIZE + 2 * key_max + value_max);

	set_cpus_allowed_ptr(current, cpumask_of(0));
	*t = (struct htab_test) {
		.test = test,
		.fd = -1,
		.uattr = user,
		.ukey = user + PAGE_SIZE,
		.unext = user + PAGE_SIZE + key_max,
		.uvalue = user + PAGE_SIZE + 2 * key_max,
	};
}

/**
 * htab_test_bpf() - call bpf(2)
 * @t: where to find user memory for @attr
 * @cmd: BPF_*
 * @attr: arguments; pointers in it are of user memory. Comes back as the call
 *	left it.
 *
 * Context: process; may sleep.
 * Return: what the system call returns.
 */
int htab_test_bpf(struct htab_test *t, int cmd, union bpf_attr *attr)
{
	int ret;

	if (copy_to_user(t->uattr, attr, sizeof(*attr)))
		return -EFAULT;
	ret = htab_sys_bpf(cmd, t->uattr, sizeof(*attr));
	if (copy_from_user(attr, t->uattr, sizeof(*attr)))
		return -EFAULT;
	return ret;
}

static void htab_close_fd_action(void *fd)
{
	close_fd((long)fd);
}

/**
 * htab_test_close_fd() - close a file descriptor when the case ends
 * @test: the case
 * @fd: what bpf(2) returned; the case ends here if that was an error
 *
 * KUnit's threads share the table of open files, so nothing closes them
 * otherwise.
 */
void htab_test_close_fd(struct kunit *test, int fd)
{
	KUNIT_ASSERT_GE(test, fd, 0);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, htab_close_fd_action,
							   (void *)(long)fd));
}

/**
 * htab_test_close_fd_now() - close a file descriptor before the case ends
 * @test: the case
 * @fd: what was given to htab_test_close_fd()
 */
void htab_test_close_fd_now(struct kunit *test, int fd)
{
	kunit_release_action(test, htab_close_fd_action, (void *)(long)fd);
}

static void htab_map_put_action(void *map)
{
	bpf_map_put(map);
}

static struct bpf_map *htab_map_hold(struct kunit *test, int fd)
{
	struct bpf_map *map = bpf_map_get(fd);

	KUNIT_ASSERT_FALSE(test, IS_ERR(map));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, htab_map_put_action, map));
	return map;
}

static void htab_create_inner(struct htab_test *t)
{
	struct bpf_map *map;
	int i;

	for (i = 0; i < HTAB_TEST_INNER; i++) {
		union bpf_attr attr = {
			.map_type = BPF_MAP_TYPE_ARRAY,
			.key_size = 4,
			.value_size = 8,
			.max_entries = 1,
		};

		t->inner_fd[i] = htab_test_bpf(t, BPF_MAP_CREATE, &attr);
		htab_test_close_fd(t->test, t->inner_fd[i]);
		map = htab_map_hold(t->test, t->inner_fd[i]);
		t->inner[i] = map;
		t->inner_id[i] = map->id;
	}
}

/**
 * htab_test_attr() - arguments of BPF_MAP_CREATE
 * @t: from htab_test_start(); gets inner maps if @f wants them
 * @f: kind of map
 * @key_size: bytes of a key
 * @value_size: bytes of a value
 * @max_entries: elements that the map shall hold
 *
 * Return: arguments for htab_test_create() or htab_test_bpf(), with a fixed
 * hash seed, so that a case runs the same way each time.
 */
union bpf_attr htab_test_attr(struct htab_test *t, const struct htab_flavour *f,
			      u32 key_size, u32 value_size, u32 max_entries)
{
	union bpf_attr attr = {
		.map_type = f->type,
		.map_flags = f->flags | BPF_F_ZERO_SEED,
		.key_size = key_size,
		.value_size = value_size,
		.max_entries = max_entries,
	};

	if (f->type == BPF_MAP_TYPE_HASH_OF_MAPS) {
		if (!t->inner[0])
			htab_create_inner(t);
		attr.value_size = 4;
		attr.inner_map_fd = t->inner_fd[0];
	}
	return attr;
}

/**
 * htab_test_adopt() - take over a map that is there
 * @t: from htab_test_start(); gets the map
 * @attr: arguments of BPF_MAP_CREATE that made it
 * @fd: its descriptor
 *
 * Map and descriptor go when the case ends.
 */
void htab_test_adopt(struct htab_test *t, const union bpf_attr *attr, int fd)
{
	t->type = attr->map_type;
	t->key_size = attr->key_size;
	t->value_size = attr->value_size;
	t->percpu = t->type == BPF_MAP_TYPE_PERCPU_HASH ||
		    t->type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
	t->lru = t->type == BPF_MAP_TYPE_LRU_HASH ||
		 t->type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
	t->of_maps = t->type == BPF_MAP_TYPE_HASH_OF_MAPS;
	t->prealloc = !(attr->map_flags & BPF_F_NO_PREALLOC);
	t->sys_value_size = t->percpu ?
		round_up(t->value_size, 8) * num_possible_cpus() : t->value_size;
	t->fd = fd;
	htab_test_close_fd(t->test, t->fd);
	KUNIT_ASSERT_LE(t->test, t->key_size, PAGE_SIZE);
	KUNIT_ASSERT_LE(t->test, t->sys_value_size, 16 * PAGE_SIZE);
	t->map = htab_map_hold(t->test, t->fd);
}

/**
 * htab_test_create() - make a map
 * @t: from htab_test_start(); gets the map
 * @attr: arguments of BPF_MAP_CREATE
 *
 * The case ends here if the map is refused. Map and descriptor go when the
 * case ends.
 */
void htab_test_create(struct htab_test *t, union bpf_attr *attr)
{
	htab_test_adopt(t, attr, htab_test_bpf(t, BPF_MAP_CREATE, attr));
}

/**
 * htab_test_init() - make a map of a flavour
 * @test: the case
 * @t: gets the map
 * @f: kind of map
 * @key_size: bytes of a key
 * @value_size: bytes of a value
 * @max_entries: elements that the map shall hold
 */
void htab_test_init(struct kunit *test, struct htab_test *t, const struct htab_flavour *f,
		    u32 key_size, u32 value_size, u32 max_entries)
{
	union bpf_attr attr;

	htab_test_start(test, t);
	attr = htab_test_attr(t, f, key_size, value_size, max_entries);
	htab_test_create(t, &attr);
}

/**
 * htab_test_drop() - let go of a map before the case ends
 * @t: a map; must not be used afterwards
 *
 * If nobody else holds the map it is freed, but not at once: the kernel puts
 * that off to a work.
 */
void htab_test_drop(struct htab_test *t)
{
	kunit_release_action(t->test, htab_map_put_action, t->map);
	htab_test_close_fd_now(t->test, t->fd);
	t->map = NULL;
	t->fd = -1;
}

/**
 * htab_test_keys() - how many keys there can be
 * @t: a map
 *
 * Return: the number of different keys that htab_test_key() makes, at most
 * what a u32 holds.
 */
u32 htab_test_keys(const struct htab_test *t)
{
	return t->key_size < 4 ? 1U << (8 * t->key_size) : U32_MAX;
}

/**
 * htab_test_key() - bytes of a key
 * @t: a map
 * @n: number of the key, below htab_test_keys()
 * @key: gets key_size bytes
 *
 * Keys of 8 bytes and more differ in their first and in their last four bytes,
 * and carry bytes of a pattern between.
 */
void htab_test_key(const struct htab_test *t, u32 n, void *key)
{
	__le32 word = cpu_to_le32(n);
	u8 *bytes = key;
	u32 i;

	for (i = 0; i < t->key_size; i++)
		bytes[i] = 0xa5 ^ i;
	if (t->key_size > 4)
		put_unaligned_le32(n ^ 0x5aa5a55a, bytes + t->key_size - 4);
	memcpy(key, &word, min_t(u32, t->key_size, 4));
}

/**
 * htab_test_key_number() - number of a key
 * @t: a map
 * @key: key_size bytes
 *
 * Return: the number for which htab_test_key() makes these bytes, U32_MAX if
 * there is none.
 */
u32 htab_test_key_number(const struct htab_test *t, const void *key)
{
	u8 bytes[512];
	__le32 word = 0;
	u32 n;

	if (WARN_ON_ONCE(t->key_size > sizeof(bytes)))
		return U32_MAX;
	memcpy(&word, key, min_t(u32, t->key_size, 4));
	n = le32_to_cpu(word);
	htab_test_key(t, n, bytes);
	return memcmp(bytes, key, t->key_size) ? U32_MAX : n;
}

static void htab_pattern(u32 n, u32 cpu, u8 *bytes, u32 size)
{
	u32 x = n * 2654435761U + cpu * 40503U + 1, i;

	for (i = 0; i < size; i++) {
		if (i % 4 == 0)
			x = x * 1664525U + 1013904223U;
		bytes[i] = x >> (24 - 8 * (i % 4));
	}
}

static bool htab_pattern_is(u32 n, u32 cpu, const u8 *bytes, u32 size)
{
	u32 x = n * 2654435761U + cpu * 40503U + 1, i;

	for (i = 0; i < size; i++) {
		if (i % 4 == 0)
			x = x * 1664525U + 1013904223U;
		if (bytes[i] != (u8)(x >> (24 - 8 * (i % 4))))
			return false;
	}
	return true;
}

/**
 * htab_test_value() - bytes of a value as a program sees it
 * @t: a map, not of maps
 * @n: number of the value
 * @value: gets value_size bytes
 */
void htab_test_value(const struct htab_test *t, u32 n, void *value)
{
	htab_pattern(n, 0, value, t->value_size);
}

/**
 * htab_test_value_is() - does a program see this value?
 * @t: a map, not of maps
 * @n: number of the value
 * @value: value_size bytes
 *
 * Return: whether htab_test_value() makes these bytes from @n.
 */
bool htab_test_value_is(const struct htab_test *t, u32 n, const void *value)
{
	return htab_pattern_is(n, 0, value, t->value_size);
}

/**
 * htab_test_sys_value() - bytes of a value as bpf(2) takes it
 * @t: a map
 * @n: number of the value
 * @value: gets sys_value_size bytes: another value for each CPU, or the
 *	descriptor of an inner map
 *
 * CPU 0 of a per-CPU value gets what htab_test_value() makes.
 */
void htab_test_sys_value(const struct htab_test *t, u32 n, void *value)
{
	u32 cpu, size = round_up(t->value_size, 8);

	if (t->of_maps) {
		memcpy(value, &t->inner_fd[n % HTAB_TEST_INNER], 4);
	} else if (!t->percpu) {
		htab_test_value(t, n, value);
	} else {
		memset(value, 0, t->sys_value_size);
		for (cpu = 0; cpu < num_possible_cpus(); cpu++)
			htab_pattern(n, cpu, value + cpu * size, t->value_size);
	}
}

/**
 * htab_test_sys_value_is() - did bpf(2) read this value?
 * @t: a map
 * @n: number of the value
 * @value: sys_value_size bytes
 *
 * Return: whether they are what was written as htab_test_sys_value() of @n; for
 * an inner map the id of the map that was written.
 */
bool htab_test_sys_value_is(const struct htab_test *t, u32 n, const void *value)
{
	u32 cpu, size = round_up(t->value_size, 8);

	if (t->of_maps)
		return !memcmp(value, &t->inner_id[n % HTAB_TEST_INNER], 4);
	if (!t->percpu)
		return htab_test_value_is(t, n, value);
	for (cpu = 0; cpu < num_possible_cpus(); cpu++)
		if (!htab_pattern_is(n, cpu, value + cpu * size, t->value_size))
			return false;
	return true;
}

/**
 * htab_test_cpu_value_is() - is this one CPU's part of a value?
 * @t: a per-CPU map
 * @n: number of the value
 * @cpu: the CPU whose part it was when it was written, 0 for what
 *	htab_test_value() makes
 * @value: value_size bytes
 *
 * Return: whether they are.
 */
bool htab_test_cpu_value_is(const struct htab_test *t, u32 n, u32 cpu, const void *value)
{
	return htab_pattern_is(n, cpu, value, t->value_size);
}

static void *htab_scratch(struct htab_test *t, size_t size)
{
	void *p = kmalloc(size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(t->test, p);
	return p;
}

static void htab_kvfree_action(void *p)
{
	kvfree(p);
}

/**
 * htab_test_alloc() - zeroed memory for a case, also where it is much
 * @test: the case; ends if there is none
 * @size: bytes
 *
 * Return: the memory; it goes when the case ends.
 */
void *htab_test_alloc(struct kunit *test, size_t size)
{
	void *p = kvzalloc(size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, htab_kvfree_action, p));
	return p;
}

/**
 * htab_test_refill() - let allocators refill their caches
 *
 * The caches of bpf_mem_alloc are refilled from irq_work. UML runs that at the
 * timer tick only, so that a tight loop of inserts runs into -ENOMEM on any
 * kernel. This runs what is queued on this CPU at once. Call it between
 * inserts. It is no reason to try a failed one again: htab_test_again() knows
 * the one that there is.
 *
 * Context: process, interrupts on.
 */
void htab_test_refill(void)
{
	unsigned long flags;

	local_irq_save(flags);
	irq_work_run();
	local_irq_restore(flags);
}

/* Before an insert: nothing asynchronous may be what makes it fail. */
static void htab_test_ready(struct htab_test *t)
{
	void __percpu *chunks[4];
	u32 i;

	if (t->prealloc)
		return;
	/* Refilling per-CPU values takes pages that are there already, as it
	 * may not sleep. Make some be there.
	 */
	for (i = 0; t->percpu && i < ARRAY_SIZE(chunks); i++)
		chunks[i] = __alloc_percpu(round_up(t->value_size, 8), 8);
	for (i = 0; t->percpu && i < ARRAY_SIZE(chunks); i++)
		free_percpu(chunks[i]);
	htab_test_refill();
}

/* Whether to try an insert again: pages for per-CPU values can still be missing, as
 * the per-CPU allocator gives back what is not used. It populates new ones from a work
 * item, which has to be waited for.
 */
static bool htab_test_again(const struct htab_test *t, int ret, u32 *tries)
{
	if (ret != -ENOMEM || t->prealloc || !t->percpu || ++*tries > 4)
		return false;
	msleep(20);
	return true;
}

/**
 * htab_prog_update() - write an element as a program does
 * @t: a map
 * @key: number of the key
 * @value: number of the value
 * @flags: BPF_ANY, BPF_NOEXIST, ...
 *
 * A per-CPU value is written on the CPU where this runs. Programs cannot write
 * to a map of maps: there this does what bpf(2) does, except that it does not
 * wait for a grace period afterwards.
 *
 * Return: what the map op returns.
 */
int htab_prog_update(struct htab_test *t, u32 key, u32 value, u64 flags)
{
	void *k, *v;
	u32 tries = 0;
	int ret;

	k = htab_scratch(t, t->key_size);
	htab_test_key(t, key, k);
	if (t->of_maps) {
		htab_test_ready(t);
		ret = bpf_fd_htab_map_update_elem(t->map, NULL, k,
						  &t->inner_fd[value % HTAB_TEST_INNER], flags);
		kfree(k);
		return ret;
	}
	v = htab_scratch(t, round_up(t->value_size, 8));
	htab_test_value(t, value, v);
	do {
		htab_test_ready(t);
		rcu_read_lock();
		migrate_disable();
		ret = t->map->ops->map_update_elem(t->map, k, v, flags);
		migrate_enable();
		rcu_read_unlock();
	} while (htab_test_again(t, ret, &tries));
	kfree(k);
	kfree(v);
	return ret;
}

/**
 * htab_prog_delete() - delete an element as a program does
 * @t: a map
 * @key: number of the key
 *
 * Return: what the map op returns.
 */
int htab_prog_delete(struct htab_test *t, u32 key)
{
	void *k;
	int ret;

	k = htab_scratch(t, t->key_size);
	htab_test_key(t, key, k);
	rcu_read_lock();
	migrate_disable();
	ret = t->map->ops->map_delete_elem(t->map, k);
	migrate_enable();
	rcu_read_unlock();
	kfree(k);
	return ret;
}

/**
 * htab_prog_lookup() - read an element as a program does
 * @t: a map
 * @key: number of the key
 * @value: number of the value that should be there
 *
 * Return: 0 if it is, -EBADMSG if another is, -ENOENT if there is none.
 */
int htab_prog_lookup(struct htab_test *t, u32 key, u32 value)
{
	void *k = htab_scratch(t, t->key_size);
	int ret = -ENOENT;
	void *v;

	htab_test_key(t, key, k);
	rcu_read_lock();
	migrate_disable();
	v = t->map->ops->map_lookup_elem(t->map, k);
	if (v && t->of_maps)
		ret = v == t->inner[value % HTAB_TEST_INNER] ? 0 : -EBADMSG;
	else if (v)
		ret = htab_test_value_is(t, value, v) ? 0 : -EBADMSG;
	migrate_enable();
	rcu_read_unlock();
	kfree(k);
	return ret;
}

static int htab_put_key(struct htab_test *t, u32 n, void __user *ukey)
{
	void *k = htab_scratch(t, t->key_size);
	int ret;

	htab_test_key(t, n, k);
	ret = copy_to_user(ukey, k, t->key_size) ? -EFAULT : 0;
	kfree(k);
	return ret;
}

static union bpf_attr htab_elem_attr(struct htab_test *t, u64 flags)
{
	return (union bpf_attr) {
		.map_fd = t->fd,
		.key = (unsigned long)t->ukey,
		.value = (unsigned long)t->uvalue,
		.flags = flags,
	};
}

/**
 * htab_sys_update() - BPF_MAP_UPDATE_ELEM
 * @t: a map
 * @key: number of the key
 * @value: number of the value
 * @flags: BPF_ANY, BPF_NOEXIST, ...
 *
 * Return: what bpf(2) returns.
 */
int htab_sys_update(struct htab_test *t, u32 key, u32 value, u64 flags)
{
	union bpf_attr attr = htab_elem_attr(t, flags);
	void *v = htab_scratch(t, t->sys_value_size);
	u32 tries = 0;
	int ret;

	htab_test_sys_value(t, value, v);
	ret = htab_put_key(t, key, t->ukey);
	if (!ret)
		ret = copy_to_user(t->uvalue, v, t->sys_value_size) ? -EFAULT : 0;
	kfree(v);
	if (ret)
		return ret;
	do {
		htab_test_ready(t);
		ret = htab_test_bpf(t, BPF_MAP_UPDATE_ELEM, &attr);
	} while (htab_test_again(t, ret, &tries));
	return ret;
}

/**
 * htab_sys_delete() - BPF_MAP_DELETE_ELEM
 * @t: a map
 * @key: number of the key
 *
 * Return: what bpf(2) returns.
 */
int htab_sys_delete(struct htab_test *t, u32 key)
{
	union bpf_attr attr = { .map_fd = t->fd, .key = (unsigned long)t->ukey };

	return htab_put_key(t, key, t->ukey) ?: htab_test_bpf(t, BPF_MAP_DELETE_ELEM, &attr);
}

static int htab_sys_read(struct htab_test *t, int cmd, u32 key, u32 value)
{
	union bpf_attr attr = htab_elem_attr(t, 0);
	void *v = htab_scratch(t, t->sys_value_size);
	int ret;

	ret = htab_put_key(t, key, t->ukey);
	if (!ret)
		ret = htab_test_bpf(t, cmd, &attr);
	if (!ret)
		ret = copy_from_user(v, t->uvalue, t->sys_value_size) ? -EFAULT : 0;
	if (!ret)
		ret = htab_test_sys_value_is(t, value, v) ? 0 : -EBADMSG;
	kfree(v);
	return ret;
}

/**
 * htab_sys_lookup() - BPF_MAP_LOOKUP_ELEM
 * @t: a map
 * @key: number of the key
 * @value: number of the value that should be there
 *
 * Return: what bpf(2) returns, or -EBADMSG if it read another value.
 */
int htab_sys_lookup(struct htab_test *t, u32 key, u32 value)
{
	return htab_sys_read(t, BPF_MAP_LOOKUP_ELEM, key, value);
}

/**
 * htab_sys_lookup_and_delete() - BPF_MAP_LOOKUP_AND_DELETE_ELEM
 * @t: a map
 * @key: number of the key
 * @value: number of the value that should be there
 *
 * Return: what bpf(2) returns, or -EBADMSG if it read another value.
 */
int htab_sys_lookup_and_delete(struct htab_test *t, u32 key, u32 value)
{
	return htab_sys_read(t, BPF_MAP_LOOKUP_AND_DELETE_ELEM, key, value);
}

/**
 * htab_sys_count() - count elements with BPF_MAP_GET_NEXT_KEY
 * @t: a map that nobody else changes
 *
 * Return: the number of keys that a walk over the whole map finds, U32_MAX if
 * the walk does not end.
 */
u32 htab_sys_count(struct htab_test *t)
{
	union bpf_attr attr = {
		.map_fd = t->fd,
		.next_key = (unsigned long)t->unext,
	};
	u32 n;

	for (n = 0; n <= t->map->max_entries; n++) {
		if (htab_test_bpf(t, BPF_MAP_GET_NEXT_KEY, &attr))
			return n;
		swap(t->ukey, t->unext);
		attr.key = (unsigned long)t->ukey;
		attr.next_key = (unsigned long)t->unext;
	}
	return U32_MAX;
}
