// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks for KUnit suites, included at the end of kernel/bpf/memalloc.c.
 * See htab_hooks.h for what they are for.
 */
#include <linux/slab.h>
#include "htab_hooks.h"

static u64 hook_list_given(const struct bpf_mem_cache *c, const struct llist_head *list)
{
	struct llist_node *node;
	u64 bytes = 0;

	llist_for_each(node, list->first) {
		bytes += ksize(node);
		/* behind the node stands the pointer to the per-CPU object */
		if (c->percpu_size)
			bytes += pcpu_hook_given(((void __percpu **)node)[1]);
	}
	return bytes;
}

/**
 * bpf_mem_alloc_hook_given() - what an allocator keeps for itself
 * @ma: an allocator of objects of one size, or one that was never set up
 *
 * Counts objects that are free or wait for a grace period, and the caches
 * themselves, on all CPUs.
 *
 * Context: process; the caller must be the only user of @ma.
 * Return: bytes as given by slab and the per-CPU allocator.
 */
u64 bpf_mem_alloc_hook_given(const struct bpf_mem_alloc *ma)
{
	const struct bpf_mem_cache *c;
	u64 bytes = 0;
	int cpu;

	if (!ma->cache)
		return 0;
	bytes += pcpu_hook_given(ma->cache);
	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(ma->cache, cpu);
		bytes += hook_list_given(c, &c->free_llist);
		bytes += hook_list_given(c, &c->free_llist_extra);
		bytes += hook_list_given(c, &c->free_by_rcu);
		bytes += hook_list_given(c, &c->waiting_for_gp);
		bytes += hook_list_given(c, &c->free_llist_extra_rcu);
		bytes += hook_list_given(c, &c->free_by_rcu_ttrace);
		bytes += hook_list_given(c, &c->waiting_for_gp_ttrace);
	}
	return bytes;
}
