/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the KUnit suites for BPF hash maps share.
 *
 * A suite makes a map of some flavour (htab_test_init()), talks about keys and
 * values as small numbers ("key 3", "value 17") and lets this library turn them
 * into bytes, also where a value is per CPU or an inner map. It reaches the map
 * in two ways: htab_prog_*() call map ops as a program does, htab_sys_*() go
 * through bpf(2) with memory of a user. Nothing here knows how an element is
 * laid out.
 */
#ifndef __BPF_HTAB_TEST_H
#define __BPF_HTAB_TEST_H

#include <kunit/test.h>
#include <linux/bpf.h>
#include "htab_hooks.h"

/* Numbers of inner maps that values of HASH_OF_MAPS choose from */
#define HTAB_TEST_INNER	4

/**
 * struct htab_flavour - one kind of hash map
 * @name: for the names of cases
 * @type: BPF_MAP_TYPE_*
 * @flags: map_flags that make it this kind
 */
struct htab_flavour {
	const char *name;
	enum bpf_map_type type;
	u32 flags;
};

/* HASH, PERCPU_HASH, HASH_OF_MAPS each preallocated and not, LRU_HASH and
 * LRU_PERCPU_HASH each with and without common LRU list
 */
#define HTAB_FLAVOURS	10
extern const struct htab_flavour htab_flavours[HTAB_FLAVOURS];

/**
 * struct htab_shape - a parameter: a flavour with sizes
 * @flavour: which kind of map
 * @key_size: bytes of a key
 * @value_size: bytes of a value; HASH_OF_MAPS always takes 4
 */
struct htab_shape {
	const struct htab_flavour *flavour;
	u32 key_size;
	u32 value_size;
};

/**
 * struct htab_test - a map under test
 * @test: the KUnit case that owns it
 * @uattr: user memory for the arguments of bpf(2)
 * @ukey: user memory for one key
 * @unext: user memory for another key
 * @uvalue: user memory for one value of @sys_value_size bytes
 * @map: the map; a reference is held until the case ends
 * @fd: file descriptor of the map, closed when the case ends
 * @type: BPF_MAP_TYPE_*, a copy
 * @key_size: bytes of a key
 * @value_size: bytes of a value as given at creation
 * @sys_value_size: bytes of a value as bpf(2) moves it: for all possible CPUs,
 *	each rounded up to 8, if the map is per CPU
 * @percpu: values are per CPU
 * @lru: elements can be evicted
 * @prealloc: elements are allocated with the map
 * @of_maps: values are inner maps
 * @inner_fd: file descriptors of inner maps, if @of_maps
 * @inner_id: their ids, as bpf(2) reads them
 * @inner: the maps themselves, as programs see them
 */
struct htab_test {
	struct kunit *test;
	void __user *uattr;
	void __user *ukey;
	void __user *unext;
	void __user *uvalue;
	struct bpf_map *map;
	int fd;
	enum bpf_map_type type;
	u32 key_size;
	u32 value_size;
	u32 sys_value_size;
	bool percpu;
	bool lru;
	bool prealloc;
	bool of_maps;
	int inner_fd[HTAB_TEST_INNER];
	u32 inner_id[HTAB_TEST_INNER];
	struct bpf_map *inner[HTAB_TEST_INNER];
};

/* Parameters: flavours with the sizes worth testing, and flavours alone; all of
 * them, or those with some property ("prog": programs can write to the map).
 */
#define HTAB_DECLARE_PARAMS(_name) \
	const void *_name##_gen_params(struct kunit *test, const void *prev, char *desc)

HTAB_DECLARE_PARAMS(htab_shape);
HTAB_DECLARE_PARAMS(htab_shape_percpu);
HTAB_DECLARE_PARAMS(htab_shape_lru);
HTAB_DECLARE_PARAMS(htab_shape_prog);
HTAB_DECLARE_PARAMS(htab_flavour);
HTAB_DECLARE_PARAMS(htab_flavour_percpu);
HTAB_DECLARE_PARAMS(htab_flavour_lru);
HTAB_DECLARE_PARAMS(htab_flavour_nocommon);
HTAB_DECLARE_PARAMS(htab_flavour_free_lists);

/* bpf(2) */
void __user *htab_test_user(struct kunit *test, size_t size);
void htab_test_start(struct kunit *test, struct htab_test *t);
int htab_test_bpf(struct htab_test *t, int cmd, union bpf_attr *attr);
void htab_test_close_fd(struct kunit *test, int fd);
void htab_test_close_fd_now(struct kunit *test, int fd);

/* Maps */
union bpf_attr htab_test_attr(struct htab_test *t, const struct htab_flavour *f,
			      u32 key_size, u32 value_size, u32 max_entries);
void htab_test_adopt(struct htab_test *t, const union bpf_attr *attr, int fd);
void htab_test_create(struct htab_test *t, union bpf_attr *attr);
void htab_test_init(struct kunit *test, struct htab_test *t, const struct htab_flavour *f,
		    u32 key_size, u32 value_size, u32 max_entries);
void htab_test_drop(struct htab_test *t);
u32 htab_test_keys(const struct htab_test *t);

/* Keys and values from numbers, and back */
void htab_test_key(const struct htab_test *t, u32 n, void *key);
u32 htab_test_key_number(const struct htab_test *t, const void *key);
void htab_test_value(const struct htab_test *t, u32 n, void *value);
bool htab_test_value_is(const struct htab_test *t, u32 n, const void *value);
void htab_test_sys_value(const struct htab_test *t, u32 n, void *value);
bool htab_test_sys_value_is(const struct htab_test *t, u32 n, const void *value);
bool htab_test_cpu_value_is(const struct htab_test *t, u32 n, u32 cpu, const void *value);

/* As a program does it */
int htab_prog_update(struct htab_test *t, u32 key, u32 value, u64 flags);
int htab_prog_delete(struct htab_test *t, u32 key);
int htab_prog_lookup(struct htab_test *t, u32 key, u32 value);

/* As user space does it */
int htab_sys_update(struct htab_test *t, u32 key, u32 value, u64 flags);
int htab_sys_delete(struct htab_test *t, u32 key);
int htab_sys_lookup(struct htab_test *t, u32 key, u32 value);
int htab_sys_lookup_and_delete(struct htab_test *t, u32 key, u32 value);
u32 htab_sys_count(struct htab_test *t);

/* Memory, of any size, that goes when the case ends */
void *htab_test_alloc(struct kunit *test, size_t size);

/* Lets the allocator of a map without preallocation fill up again. */
void htab_test_refill(void);

/* Waits for what maps that go leave to others, a few seconds at most; false if it does
 * not come. Wants linux/file.h.
 */
#define htab_test_wait(cond) ({							\
	int __left = 500;							\
										\
	while (!(cond) && __left--) {						\
		htab_test_refill();						\
		flush_delayed_fput();						\
		schedule_timeout_uninterruptible(1);				\
	}									\
	__left >= 0;								\
})

#endif
