/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What hash maps and their allocator show to KUnit suites beyond map ops.
 *
 * The hooks are compiled at the ends of kernel/bpf/hashtab.c (hashtab_hooks.c),
 * kernel/bpf/memalloc.c (memalloc_hooks.c) and mm/percpu.c (percpu_hooks.c),
 * where the private structures are in sight. They only read, except for the
 * locks of buckets and free lists, which they really take. A suite that goes
 * through them does not depend on where something stands in an element.
 */
#ifndef __BPF_HTAB_HOOKS_H
#define __BPF_HTAB_HOOKS_H

#include <linux/types.h>

struct bpf_map;
struct bpf_mem_alloc;

/**
 * struct htab_hook_given - bytes that allocators gave to a map
 * @fixed: the map's own structure, per-CPU counters, heads of free lists
 * @buckets: the table of buckets
 * @elems: elements in use and, if preallocated, all others too
 * @spare: elements and per-CPU values that lie in the allocator's caches
 * @values: per-CPU values, over all possible CPUs
 */
struct htab_hook_given {
	u64 fixed;
	u64 buckets;
	u64 elems;
	u64 spare;
	u64 values;
};

u32 htab_hook_elem_size(const struct bpf_map *map);
u32 htab_hook_n_buckets(const struct bpf_map *map);
u32 htab_hook_bucket(const struct bpf_map *map, const void *key);
s64 htab_hook_count(const struct bpf_map *map);
u32 htab_hook_free_elems(const struct bpf_map *map, int cpu);
void *htab_hook_elem(struct bpf_map *map, void *key);
void *htab_hook_lookup_from(struct bpf_map *map, void *elem, void *key);
int htab_hook_lru_ref(struct bpf_map *map, void *key);
int htab_hook_lock_bucket(struct bpf_map *map, const void *key, unsigned long *flags);
void htab_hook_unlock_bucket(struct bpf_map *map, const void *key, unsigned long flags);
int htab_hook_lock_free(struct bpf_map *map, int cpu);
void htab_hook_unlock_free(struct bpf_map *map, int cpu);
void htab_hook_settle(struct bpf_map *map);
void htab_hook_given(const struct bpf_map *map, struct htab_hook_given *given);
u64 bpf_mem_alloc_hook_given(const struct bpf_mem_alloc *ma);
u64 pcpu_hook_given(void __percpu *ptr);

/* Whose hash map a new map gets, in a kernel that tools/speed has put together */
extern unsigned int htab_measure_side;

/* The number of elements that programs can ask for: a kfunc, in map_iter.c */
s64 bpf_map_sum_elem_count(const struct bpf_map *map);

#endif
