// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks for KUnit suites, included at the end of kernel/bpf/hashtab.c.
 * See htab_hooks.h for what they are for.
 */
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "htab_hooks.h"

static const struct bpf_htab *hook_htab(const struct bpf_map *map)
{
	return container_of(map, struct bpf_htab, map);
}

static const struct bpf_rhtab *hook_rhtab(const struct bpf_map *map)
{
	return container_of(map, struct bpf_rhtab, map);
}

/* The data and the hash of a key with dynptrs, or an error */
static int hook_dynkey_hash(const struct bpf_htab *htab, const void *key,
			    struct htab_dynkey_data *data, u32 *hash)
{
	int ret = htab_dynkey_open(&htab->dynkey, key, data);

	if (!ret)
		*hash = htab_dynkey_hash(&htab->dynkey, key, data, &htab->dynkey_seed);
	return ret;
}

/**
 * htab_hook_elem_size() - size of one element
 * @map: a hash map, BPF_MAP_TYPE_RHASH too
 *
 * Return: the bytes that @map asks its allocator for, for each element.
 */
u32 htab_hook_elem_size(const struct bpf_map *map)
{
	if (map->map_type == BPF_MAP_TYPE_RHASH)
		return hook_rhtab(map)->elem_size;
	return hook_htab(map)->elem_size;
}

/**
 * htab_hook_n_buckets() - number of buckets
 * @map: a hash map
 *
 * Return: how many buckets @map has.
 */
u32 htab_hook_n_buckets(const struct bpf_map *map)
{
	return hook_htab(map)->n_buckets;
}

/**
 * htab_hook_bucket() - where a key belongs
 * @map: a hash map
 * @key: a key, in the map or not
 *
 * Return: the index of the bucket for @key.
 */
u32 htab_hook_bucket(const struct bpf_map *map, const void *key)
{
	const struct bpf_htab *htab = hook_htab(map);
	struct htab_dynkey_data data;
	u32 hash;

	if (bpf_map_has_dynptr_key(map))
		return hook_dynkey_hash(htab, key, &data, &hash) ? 0 :
		       hash & (htab->n_buckets - 1);
	return htab_map_hash(key, map->key_size, htab->hashrnd) & (htab->n_buckets - 1);
}

/**
 * htab_hook_count() - the count that says when a map is full
 * @map: a hash map
 *
 * Return: the number of elements that a map with BPF_F_NO_PREALLOC believes to
 * hold, -1 for other maps, which do not count.
 */
s64 htab_hook_count(const struct bpf_map *map)
{
	const struct bpf_htab *htab = hook_htab(map);

	if (htab_is_prealloc(htab))
		return -1;
	if (htab->use_percpu_counter)
		return percpu_counter_sum((struct percpu_counter *)&htab->pcount);
	return atomic_read(&htab->count);
}

/**
 * htab_hook_free_elems() - length of a free list
 * @map: a preallocated hash map without LRU that nobody else uses
 * @cpu: whose list; a negative number stands for the extra list
 *
 * Return: the number of elements on the list.
 */
u32 htab_hook_free_elems(const struct bpf_map *map, int cpu)
{
	const struct bpf_htab *htab = hook_htab(map);
	const struct pcpu_freelist_head *head = &htab->freelist.extralist;
	struct pcpu_freelist_node *node;
	u32 n = 0;

	if (cpu >= 0)
		head = per_cpu_ptr(htab->freelist.freelist, cpu);
	for (node = head->first; node; node = node->next)
		n++;
	return n;
}

/**
 * htab_hook_elem() - what inlined lookups start from
 * @map: a hash map
 * @key: a key
 *
 * Context: RCU read-side critical section.
 * Return: the element of @key, or NULL.
 */
void *htab_hook_elem(struct bpf_map *map, void *key)
{
	const struct bpf_htab *htab = hook_htab(map);
	struct htab_dynkey_data data;
	u32 hash, gen;

	if (!bpf_map_has_dynptr_key(map))
		return __htab_map_lookup_elem(map, key);
	if (hook_dynkey_hash(htab, key, &data, &hash))
		return NULL;
	return htab_dynkey_find(htab, hash, key, &data, &gen);
}

/**
 * htab_hook_lookup_from() - go on with a lookup that has reached an element
 * @map: a hash map with one bucket, or with dynptrs in its keys
 * @elem: from htab_hook_elem(); by now it may be free, or be in use again
 * @key: a key
 *
 * A reader can be held up between the pointer to an element and the element.
 * Context: RCU read-side critical section.
 * Return: the element with @key, @elem or one behind it, or NULL. If keys have
 * dynptrs, ERR_PTR(-EAGAIN) where a lookup starts again.
 */
void *htab_hook_lookup_from(struct bpf_map *map, void *elem, void *key)
{
	struct bpf_htab *htab = container_of(map, struct bpf_htab, map);
	struct hlist_nulls_head head = { .first = &((struct htab_elem *)elem)->hash_node };
	struct htab_dynkey_data data;
	u32 hash, gen;

	if (!bpf_map_has_dynptr_key(map)) {
		hash = htab_map_hash(key, map->key_size, htab->hashrnd);
		return lookup_nulls_elem_raw(htab, &head, hash, key);
	}
	if (hook_dynkey_hash(htab, key, &data, &hash))
		return NULL;
	return htab_dynkey_walk(htab, head.first, hash, key, &data, &gen);
}

/**
 * htab_hook_lru_ref() - the reference bit of an element
 * @map: an LRU hash map
 * @key: a key
 *
 * Does not set the bit.
 * Context: RCU read-side critical section.
 * Return: the bit, or -ENOENT.
 */
int htab_hook_lru_ref(struct bpf_map *map, void *key)
{
	struct htab_elem *l = __htab_map_lookup_elem(map, key);

	return l ? READ_ONCE(htab_elem_lru(l)->lru_node.ref) : -ENOENT;
}

/**
 * htab_hook_lock_bucket() - take the lock of a key's bucket
 * @map: a hash map
 * @key: a key, in the map or not
 * @flags: where to keep the state of interrupts
 *
 * Until htab_hook_unlock_bucket(), whatever wants the lock on this CPU is
 * refused with -EDEADLK, as a program in NMI is that interrupted an update.
 * Context: interrupts are off afterwards.
 * Return: 0, or the error of the lock.
 */
int htab_hook_lock_bucket(struct bpf_map *map, const void *key, unsigned long *flags)
{
	struct bpf_htab *htab = container_of(map, struct bpf_htab, map);

	return htab_lock_bucket(&htab->buckets[htab_hook_bucket(map, key)], flags);
}

/**
 * htab_hook_unlock_bucket() - give the lock of a key's bucket back
 * @map: a hash map
 * @key: the key that was given to htab_hook_lock_bucket()
 * @flags: what htab_hook_lock_bucket() kept
 */
void htab_hook_unlock_bucket(struct bpf_map *map, const void *key, unsigned long flags)
{
	struct bpf_htab *htab = container_of(map, struct bpf_htab, map);

	htab_unlock_bucket(&htab->buckets[htab_hook_bucket(map, key)], flags);
}

static rqspinlock_t *hook_free_lock(struct bpf_map *map, int cpu)
{
	struct bpf_htab *htab = container_of(map, struct bpf_htab, map);

	if (!htab_is_lru(htab))
		return &per_cpu_ptr(htab->freelist.freelist, cpu)->lock;
	if (htab->lru.percpu)
		return &per_cpu_ptr(htab->lru.percpu_lru, cpu)->lock;
	return &per_cpu_ptr(htab->lru.common_lru.local_list, cpu)->lock;
}

/**
 * htab_hook_lock_free() - take the lock of a list of free elements
 * @map: a preallocated hash map
 * @cpu: whose free list or LRU list; local list if the LRU list is common
 *
 * Until htab_hook_unlock_free(), whatever wants the lock on this CPU is refused
 * with -EDEADLK.
 * Context: preemption is off afterwards.
 * Return: 0, or the error of the lock.
 */
int htab_hook_lock_free(struct bpf_map *map, int cpu)
{
	return raw_res_spin_lock(hook_free_lock(map, cpu));
}

/**
 * htab_hook_unlock_free() - give the lock of a list of free elements back
 * @map: a preallocated hash map
 * @cpu: as it was given to htab_hook_lock_free()
 *
 * Locks are given back in the reverse order of taking.
 */
void htab_hook_unlock_free(struct bpf_map *map, int cpu)
{
	raw_res_spin_unlock(hook_free_lock(map, cpu));
}

static u64 hook_area_given(const void *area)
{
	const struct vm_struct *vm;

	if (!area)
		return 0;
	if (!is_vmalloc_addr(area))
		return ksize(area);
	vm = find_vm_area(area);
	return vm ? (u64)vm->nr_pages << PAGE_SHIFT : 0;
}

static void hook_elems_given(const struct bpf_htab *htab, struct htab_hook_given *given)
{
	u32 i;
	struct hlist_nulls_node *n;
	struct htab_elem *l;

	if (htab_is_prealloc(htab)) {
		given->elems = hook_area_given(htab->elems);
		if (!htab_is_percpu(htab))
			return;
		for (i = 0; i < htab->map.max_entries; i++) {
			l = get_htab_elem((struct bpf_htab *)htab, i);
			given->values += pcpu_hook_given(htab_elem_get_ptr(htab, l));
		}
		return;
	}
	for (i = 0; i < htab->n_buckets; i++) {
		hlist_nulls_for_each_entry(l, n, &htab->buckets[i].head, hash_node) {
			given->elems += ksize((void *)l - sizeof(struct llist_node));
			if (!htab_is_percpu(htab))
				continue;
			given->elems += ksize(htab_elem_pcpu(l)->ptr_to_pptr -
					      sizeof(struct llist_node));
			given->values += pcpu_hook_given(htab_elem_get_ptr(htab, l));
		}
	}
}

static void hook_rhash_given(const struct bpf_rhtab *rhtab, struct htab_hook_given *given)
{
	const struct bucket_table *tbl;
	const struct rhash_head *pos;
	const struct rhtab_elem *l;
	u32 i;

	rcu_read_lock();
	tbl = rht_dereference_rcu(rhtab->ht.tbl, (struct rhashtable *)&rhtab->ht);
	*given = (struct htab_hook_given) {
		.fixed = hook_area_given(rhtab) + pcpu_hook_given(rhtab->map.elem_count),
		.buckets = hook_area_given(tbl),
		.spare = bpf_mem_alloc_hook_given(&rhtab->ma),
	};
	for (i = 0; i < tbl->size; i++)
		rht_for_each_entry_rcu(l, pos, tbl, i, node)
			given->elems += ksize((void *)l - sizeof(struct llist_node));
	rcu_read_unlock();
}

/**
 * htab_hook_settle() - wait until a map has the table that suits its elements
 * @map: a hash map that nobody else uses
 *
 * A BPF_MAP_TYPE_RHASH grows behind the back of those who insert.
 *
 * Context: process, may sleep.
 */
void htab_hook_settle(struct bpf_map *map)
{
	struct rhashtable *ht;

	if (map->map_type != BPF_MAP_TYPE_RHASH)
		return;
	ht = &container_of(map, struct bpf_rhtab, map)->ht;
	/* an insert kicks the one, that the other, and this itself if it failed */
	irq_work_sync(&ht->run_irq_work);
	do
		flush_work(&ht->run_work);
	while (work_pending(&ht->run_work));
}

/**
 * htab_hook_given() - what a map really costs
 * @map: a hash map that nobody else uses, BPF_MAP_TYPE_RHASH too
 * @given: the answer
 *
 * Asks slab, vmalloc and the per-CPU allocator how large each piece of memory
 * of the map is. Nothing is computed from sizes that the map asked for.
 *
 * Maps inside a map of maps are not counted.
 *
 * Context: process.
 */
void htab_hook_given(const struct bpf_map *map, struct htab_hook_given *given)
{
	const struct bpf_htab *htab = hook_htab(map);

	if (map->map_type == BPF_MAP_TYPE_RHASH) {
		hook_rhash_given(hook_rhtab(map), given);
		return;
	}
	*given = (struct htab_hook_given) {
		.fixed = hook_area_given(htab) + pcpu_hook_given(map->elem_count),
		.buckets = hook_area_given(htab->buckets),
	};
#ifdef CONFIG_SMP
	if (htab->use_percpu_counter)
		given->fixed += pcpu_hook_given(htab->pcount.counters);
#endif
	if (!htab_is_prealloc(htab)) {
		given->spare = bpf_mem_alloc_hook_given(&htab->ma) +
			       bpf_mem_alloc_hook_given(&htab->pcpu_ma);
	} else if (!htab_is_lru(htab)) {
		given->fixed += pcpu_hook_given(htab->freelist.freelist) +
				pcpu_hook_given(htab->extra_elems);
	} else if (htab->lru.percpu) {
		given->fixed += pcpu_hook_given(htab->lru.percpu_lru);
	} else {
		given->fixed += pcpu_hook_given(htab->lru.common_lru.local_list);
	}
	hook_elems_given(htab, given);
}
