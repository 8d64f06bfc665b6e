/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keys of BPF hash maps that hold dynptrs: how they are read, hashed and kept in
 * elements. The map operations are in hashtab.c, where the key stands in an element
 * is in htab_elem.h.
 *
 * A key is a sequence of parts: bytes that its type fixes, padding among them, and
 * the data of up to BPF_KEY_DYNPTR_MAX dynptrs. Map operations get it with
 * dynptrs of any kind. Elements hold it with read-only local dynptrs. Their data
 * follows the element in the same piece of memory if that is not more than the
 * allocator of elements gives, else it is a piece of its own.
 *
 * Elements and data are reused at once, as the elements of any hash map without
 * preallocation are, and a lockless reader may stand on them. Pointer and size of a
 * dynptr cannot be read at once, so elements have a generation, which counts as a
 * seqcount_t does: it is odd from when the element is freed to when it is in a map
 * again, and a reader that sees it odd or changed forgets what it has read. Both
 * allocators keep memory for as long as any reader, so reading it is safe. (No
 * seqcount_t, as that grows under lockdep; and nobody waits for an even count.)
 */
#ifndef __BPF_HTAB_DYNKEY_H
#define __BPF_HTAB_DYNKEY_H

#include <linux/bpf.h>
#include <linux/siphash.h>
#include "htab_elem.h"

/**
 * struct htab_dynkey - where the dynptrs are
 * @cnt: how many
 * @size: bytes of a key
 * @off: where in a key each one is, ascending
 */
struct htab_dynkey {
	u32 cnt;
	u32 size;
	u32 off[BPF_KEY_DYNPTR_MAX];
};

/**
 * struct htab_dynkey_data - the data of a key's dynptrs
 * @data: where it is
 * @size: how many bytes
 */
struct htab_dynkey_data {
	const void *data[BPF_KEY_DYNPTR_MAX];
	u32 size[BPF_KEY_DYNPTR_MAX];
};

/* The member size of a dynptr in an element */
#define HTAB_DYNKEY_SIZE(_bytes) \
	((_bytes) | BPF_DYNPTR_TYPE_LOCAL << DYNPTR_TYPE_SHIFT | DYNPTR_RDONLY_BIT)

/**
 * htab_dynkey_open() - find the data of a key that a map operation got
 * @k: where dynptrs are
 * @key: the key
 * @d: the answer
 *
 * The data may change under the caller, as it may be memory of a program.
 *
 * Return: 0; -EINVAL if a dynptr has no data, or none in one piece; -E2BIG if it
 * has more than BPF_KEY_DYNPTR_SIZE_MAX bytes.
 */
static __always_inline int htab_dynkey_open(const struct htab_dynkey *k, const void *key,
					    struct htab_dynkey_data *d)
{
	const struct bpf_dynptr_kern *ptr;
	u32 size, i;

	for (i = 0; i < k->cnt; i++) {
		ptr = key + k->off[i];
		/* no data, or size: left by a helper that failed */
		size = ptr->size & DYNPTR_SIZE_MASK;
		if (!ptr->data || !size)
			return -EINVAL;
		if (size > BPF_KEY_DYNPTR_SIZE_MAX)
			return -E2BIG;
		d->size[i] = size;
		switch (bpf_dynptr_get_type(ptr)) {
		case BPF_DYNPTR_TYPE_LOCAL:
		case BPF_DYNPTR_TYPE_RINGBUF:
			d->data[i] = ptr->data + ptr->offset;
			break;
		case BPF_DYNPTR_TYPE_FILE:
			/* the verifier refuses it */
			return -EINVAL;
		default:
			d->data[i] = __bpf_dynptr_data(ptr, size);
			if (!d->data[i])
				return -EINVAL;
		}
	}
	return 0;
}

/**
 * htab_dynkey_hash() - hash a key
 * @k: where dynptrs are
 * @key: the key
 * @d: from htab_dynkey_open()
 * @seed: the map's
 *
 * Each part is hashed with its length and with the hash of what is before it, so
 * that ("ab", "c") and ("a", "bc") collide by chance only. Strings are often chosen by
 * an attacker, and are long enough to find some that collide, whatever the seed, under
 * hashes that are just fast. This one is keyed, and reads whole words.
 *
 * Return: the hash.
 */
static __always_inline u32 htab_dynkey_hash(const struct htab_dynkey *k, const void *key,
					    const struct htab_dynkey_data *d,
					    const hsiphash_key_t *seed)
{
	hsiphash_key_t part = *seed;
	u32 i, hash = 0, pos = 0;

	for (i = 0; i < k->cnt; i++) {
		if (k->off[i] > pos) {
			hash = hsiphash(key + pos, k->off[i] - pos, &part);
			part.key[0] = seed->key[0] ^ hash;
		}
		hash = hsiphash(d->data[i], d->size[i], &part);
		part.key[0] = seed->key[0] ^ hash;
		pos = k->off[i] + sizeof(struct bpf_dynptr_kern);
	}
	if (k->size > pos)
		hash = hsiphash(key + pos, k->size - pos, &part);
	return hash;
}

/**
 * htab_dynkey_read_begin() - begin to read an element without the bucket lock
 * @l: the element
 * @key_offset: from htab_key_offset()
 *
 * Context: RCU read side, of any of the kinds that programs run under.
 * Return: the generation, for htab_dynkey_read_retry().
 */
static __always_inline u32 htab_dynkey_read_begin(const struct htab_elem *l, u32 key_offset)
{
	/* pairs with htab_dynkey_write_end(): an even one comes with all the rest */
	return smp_load_acquire(htab_elem_gen(l, key_offset));
}

/**
 * htab_dynkey_read_retry() - is what has been read of an element worth nothing?
 * @l: the element
 * @key_offset: from htab_key_offset()
 * @gen: from htab_dynkey_read_begin()
 *
 * Pointers that were read may be followed only after this has said false.
 *
 * Return: whether the element was free, or has been freed, so that what was read
 * is worth nothing.
 */
static __always_inline bool htab_dynkey_read_retry(const struct htab_elem *l, u32 key_offset,
						   u32 gen)
{
	/* pairs with htab_dynkey_retire() */
	smp_rmb();
	return unlikely(gen & 1 || READ_ONCE(*htab_elem_gen(l, key_offset)) != gen);
}

/**
 * htab_dynkey_write_begin() - begin to write an element that came from the allocator
 * @l: the element
 * @key_offset: from htab_key_offset()
 */
static __always_inline void htab_dynkey_write_begin(struct htab_elem *l, u32 key_offset)
{
	u32 *gen = htab_elem_gen(l, key_offset);

	/* odd already unless the memory is new, and then nobody reads it */
	WRITE_ONCE(*gen, *gen | 1);
}

/**
 * htab_dynkey_write_end() - the element is whole
 * @l: the element, which goes into the bucket's list next
 * @key_offset: from htab_key_offset()
 *
 * Context: under the bucket lock.
 */
static __always_inline void htab_dynkey_write_end(struct htab_elem *l, u32 key_offset)
{
	u32 *gen = htab_elem_gen(l, key_offset);

	/* pairs with htab_dynkey_read_begin() */
	smp_store_release(gen, *gen + 1);
}

/**
 * htab_dynkey_retire() - before an element that was in the map is freed
 * @l: the element, not in the bucket's list any more
 * @key_offset: from htab_key_offset()
 */
static __always_inline void htab_dynkey_retire(struct htab_elem *l, u32 key_offset)
{
	u32 *gen = htab_elem_gen(l, key_offset);

	WRITE_ONCE(*gen, *gen + 1);
	/* before anything that is written by who gets the memory next; pairs with
	 * htab_dynkey_read_retry()
	 */
	smp_wmb();
}

/**
 * htab_dynkey_open_stored() - find the data of an element's key
 * @k: where dynptrs are
 * @stored: the key in an element
 * @d: the answer
 */
static __always_inline void htab_dynkey_open_stored(const struct htab_dynkey *k,
						    const void *stored,
						    struct htab_dynkey_data *d)
{
	const struct bpf_dynptr_kern *ptr;
	u32 i;

	for (i = 0; i < k->cnt; i++) {
		ptr = stored + k->off[i];
		d->data[i] = READ_ONCE(ptr->data);
		d->size[i] = READ_ONCE(ptr->size) & DYNPTR_SIZE_MASK;
	}
}

/**
 * htab_dynkey_same_sizes() - may two keys be equal?
 * @k: where dynptrs are
 * @a: the data of the one
 * @b: the data of the other
 *
 * Return: whether they have data of the same sizes.
 */
static __always_inline bool htab_dynkey_same_sizes(const struct htab_dynkey *k,
						   const struct htab_dynkey_data *a,
						   const struct htab_dynkey_data *b)
{
	u32 i;

	for (i = 0; i < k->cnt; i++)
		if (a->size[i] != b->size[i])
			return false;
	return true;
}

#endif
