/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where everything stands in an element of a BPF hash map.
 *
 * An element holds only what its kind of map needs, in this order:
 *
 *	links		every map; shared with the free list and with batches
 *	lru_node	LRU maps
 *	ptr_to_pptr	per-CPU maps without preallocation
 *	hash		4 bytes, right before the key; only LRU maps, which evict
 *			by it, and maps with keys longer than a word, where it
 *			saves comparing most keys that differ
 *	key		offset a multiple of 8, padded to 8 bytes
 *	value		padded to 8 bytes; or the pointer to the per-CPU values,
 *			or to the inner map
 *
 * The layout is a function of map type, key size, value size and flags, and of
 * nothing else. An inner map and its template agree in all of them
 * (bpf_map_meta_equal()), so that what is computed for a template, which is no
 * struct bpf_htab, holds for every map that takes its place.
 *
 * Only this file knows offsets. It compiles in user space too, with stand-ins
 * for the kernel's list nodes.
 */
#ifndef __BPF_HTAB_ELEM_H
#define __BPF_HTAB_ELEM_H

#ifdef __KERNEL__
#include <linux/bpf.h>
#include <linux/build_bug.h>
#include <linux/list_nulls.h>
#include "bpf_lru_list.h"
#include "percpu_freelist.h"
#else
#include <assert.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>

typedef __u16 u16;
typedef __u32 u32;
typedef __u8 u8;

struct hlist_nulls_node {
	struct hlist_nulls_node *next, **pprev;
};

struct pcpu_freelist_node {
	struct pcpu_freelist_node *next;
};

struct bpf_lru_node {
	void *list[2];
	u16 cpu;
	u8 type;
	u8 ref;
	u8 pending_free;
};
#endif

/**
 * struct htab_elem - what the elements of all hash maps begin with
 * @hash_node: links of the bucket's list
 * @padding: keeps @hash_node.next alone: a lockless reader that stands on an
 *	element which was freed must still find its way to the end of the list
 * @fnode: link of the free list, while the element is free
 * @batch_flink: link of the elements that a batch has deleted, until they are
 *	freed
 */
struct htab_elem {
	union {
		struct hlist_nulls_node hash_node;
		struct {
			void *padding;
			union {
				struct pcpu_freelist_node fnode;
				struct htab_elem *batch_flink;
			};
		};
	};
};

/* the free list must leave hash_node.next alone */
static_assert(offsetof(struct htab_elem, fnode.next) ==
	      offsetof(struct htab_elem, hash_node.pprev), "free list in the way of readers");

/**
 * struct htab_elem_lru - beginning of an element of an LRU map
 * @elem: what all elements begin with
 * @lru_node: place in the LRU lists, reference bit
 */
struct htab_elem_lru {
	struct htab_elem elem;
	struct bpf_lru_node lru_node;
};

/**
 * struct htab_elem_pcpu - beginning of an element of a per-CPU map without
 *	preallocation
 * @elem: what all elements begin with
 * @ptr_to_pptr: the allocator's object that holds the per-CPU pointer
 */
struct htab_elem_pcpu {
	struct htab_elem elem;
	void *ptr_to_pptr;
};

/* For the free list, the LRU lists and inlined lookups, which work on offsets */
#define HTAB_FNODE_OFFSET	offsetof(struct htab_elem, fnode)
#define HTAB_LRU_NODE_OFFSET	offsetof(struct htab_elem_lru, lru_node)
#define HTAB_LRU_REF_OFFSET	offsetof(struct htab_elem_lru, lru_node.ref)

/* Keys and values have offsets that are multiples of 8, whatever the machine's
 * word. Elements themselves are aligned to a word.
 */
static inline u32 htab_pad(u32 bytes)
{
	return (bytes + 7) & ~7u;
}

static inline bool htab_type_is_lru(u32 map_type)
{
	return map_type == BPF_MAP_TYPE_LRU_HASH ||
	       map_type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

static inline bool htab_type_is_percpu(u32 map_type)
{
	return map_type == BPF_MAP_TYPE_PERCPU_HASH ||
	       map_type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

/**
 * htab_key_is_word() - is a key stored and compared as one word?
 * @key_size: bytes of a key
 *
 * Such keys are written and read in one access, padded with zeroes, so that a
 * lockless lookup sees the one or the other key of an element that is reused,
 * and never halves of both. Comparing them costs no more than comparing hashes.
 * (Iterators hand out a pointer to the key, which is read as the program likes.)
 *
 * Return: whether keys of this size are.
 */
static inline bool htab_key_is_word(u32 key_size)
{
	return key_size <= sizeof(unsigned long);
}

/**
 * htab_key_offset() - where the key stands
 * @map_type: BPF_MAP_TYPE_*, a hash map
 * @key_size: bytes of a key
 * @map_flags: flags of the map
 *
 * Return: bytes from the start of the element, a multiple of 8.
 */
static inline u32 htab_key_offset(u32 map_type, u32 key_size, u32 map_flags)
{
	u32 offset = sizeof(struct htab_elem);

	if (htab_type_is_lru(map_type))
		offset = sizeof(struct htab_elem_lru);
	else if (htab_type_is_percpu(map_type) && (map_flags & BPF_F_NO_PREALLOC))
		offset = sizeof(struct htab_elem_pcpu);
	if (htab_type_is_lru(map_type) || !htab_key_is_word(key_size))
		offset += sizeof(u32);
	return htab_pad(offset);
}

/**
 * htab_value_offset() - where the value or the pointer to it stands
 * @map_type: BPF_MAP_TYPE_*, a hash map
 * @key_size: bytes of a key
 * @map_flags: flags of the map
 *
 * Return: bytes from the start of the element, a multiple of 8.
 */
static inline u32 htab_value_offset(u32 map_type, u32 key_size, u32 map_flags)
{
	return htab_key_offset(map_type, key_size, map_flags) + htab_pad(key_size);
}

/**
 * htab_elem_bytes() - size of an element
 * @map_type: BPF_MAP_TYPE_*, a hash map
 * @key_size: bytes of a key
 * @value_size: bytes of a value
 * @map_flags: flags of the map
 *
 * The caller has checked that key and value together fit 31 bits.
 *
 * Return: bytes to ask of the allocator, a multiple of 8 on 64-bit, of the
 * size of a pointer elsewhere.
 */
static inline u32 htab_elem_bytes(u32 map_type, u32 key_size, u32 value_size,
				  u32 map_flags)
{
	u32 offset = htab_value_offset(map_type, key_size, map_flags);

	if (htab_type_is_percpu(map_type))
		return offset + sizeof(void *);
	return offset + htab_pad(value_size);
}

/**
 * htab_elem_at() - reach into an element
 * @l: the element
 * @offset: from one of the functions above, for the map that @l is of
 *
 * Return: the address there.
 */
static inline void *htab_elem_at(const struct htab_elem *l, u32 offset)
{
	return (char *)l + offset;
}

/**
 * htab_elem_hash() - the hash that an element remembers, if it does
 * @l: the element
 * @key_offset: from htab_key_offset()
 *
 * Return: where it stands.
 */
static inline u32 *htab_elem_hash(const struct htab_elem *l, u32 key_offset)
{
	return htab_elem_at(l, key_offset - sizeof(u32));
}

/**
 * htab_elem_gen() - the generation of an element that is not preallocated, if its
 *	map has dynptrs in its keys
 * @l: the element
 * @key_offset: from htab_key_offset()
 *
 * It stands in bytes that would be padding, before the hash.
 *
 * Return: where it stands.
 */
static inline u32 *htab_elem_gen(const struct htab_elem *l, u32 key_offset)
{
	return htab_elem_at(l, key_offset - 2 * sizeof(u32));
}

/* a key that has a dynptr has a hash before it, at a multiple of 8 and 4 */
static_assert(sizeof(struct htab_elem) % 8 == 0, "generation in the way of the links");

/**
 * htab_lru_hash_offset() - where the LRU lists find the hash
 * @key_offset: from htab_key_offset()
 *
 * Return: bytes from the start of the LRU node.
 */
static inline u32 htab_lru_hash_offset(u32 key_offset)
{
	return key_offset - sizeof(u32) - HTAB_LRU_NODE_OFFSET;
}

static inline struct htab_elem_lru *htab_elem_lru(struct htab_elem *l)
{
	return (struct htab_elem_lru *)l;
}

static inline struct htab_elem_pcpu *htab_elem_pcpu(struct htab_elem *l)
{
	return (struct htab_elem_pcpu *)l;
}

#endif
