// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hook for KUnit suites, included at the end of mm/percpu.c.
 * See htab_hooks.h for what it is for.
 */
#include "htab_hooks.h"

/**
 * pcpu_hook_given() - what a per-CPU allocation really costs
 * @ptr: from alloc_percpu() and the like, or NULL
 *
 * Reads the chunk's map of allocations.
 *
 * Context: any; takes pcpu_lock.
 * Return: bytes, over all possible CPUs.
 */
u64 pcpu_hook_given(void __percpu *ptr)
{
	unsigned int start, end;
	struct pcpu_chunk *chunk;
	unsigned long flags;
	void *addr;

	if (!ptr)
		return 0;
	addr = __pcpu_ptr_to_addr(ptr);
	spin_lock_irqsave(&pcpu_lock, flags);
	chunk = pcpu_chunk_addr_search(addr);
	start = (addr - chunk->base_addr) / PCPU_MIN_ALLOC_SIZE;
	end = find_next_bit(chunk->bound_map, pcpu_chunk_map_bits(chunk), start + 1);
	spin_unlock_irqrestore(&pcpu_lock, flags);
	return (u64)(end - start) * PCPU_MIN_ALLOC_SIZE * num_possible_cpus();
}
