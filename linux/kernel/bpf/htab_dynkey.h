/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keys of BPF hash maps that hold dynptrs: how they are read, hashed, compared
 * and kept in elements. The map operations are in hashtab.c, where the key stands
 * in an element is in htab_elem.h.
 *
 * A key is a sequence of parts: bytes that its type fixes, padding among them, and
 * the data of up to BPF_KEY_DYNPTR_MAX dynptrs. Map operations get it with
 * dynptrs of any kind. Elements hold it with read-only local dynptrs. Their data
 * follows the element in the same piece of memory if that is not more than the
 * allocator of elements gives, else it is a piece of its own.
 *
 * Nothing of a key changes until no lockless reader can see its element any more:
 * elements are reused after a grace period only, since pointer and size of a
 * dynptr cannot be read at once.
 */
#ifndef __BPF_HTAB_DYNKEY_H
#define __BPF_HTAB_DYNKEY_H

#include <linux/bpf.h>
#include <linux/jhash.h>

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
 * that ("ab", "c") and ("a", "bc") differ.
 *
 * Return: the hash.
 */
static __always_inline u32 htab_dynkey_hash(const struct htab_dynkey *k, const void *key,
					    const struct htab_dynkey_data *d, u32 seed)
{
	u32 i, pos = 0, hash = seed;

	for (i = 0; i < k->cnt; i++) {
		if (k->off[i] > pos)
			hash = jhash(key + pos, k->off[i] - pos, hash);
		hash = jhash(d->data[i], d->size[i], hash);
		pos = k->off[i] + sizeof(struct bpf_dynptr_kern);
	}
	if (k->size > pos)
		hash = jhash(key + pos, k->size - pos, hash);
	return hash;
}

/**
 * htab_dynkey_equal() - compare a key with the one of an element
 * @k: where dynptrs are
 * @stored: the key in an element; the caller sees to it that it stays
 * @key: the other key
 * @d: from htab_dynkey_open() for @key
 *
 * Return: whether they are equal.
 */
static __always_inline bool htab_dynkey_equal(const struct htab_dynkey *k, const void *stored,
					      const void *key,
					      const struct htab_dynkey_data *d)
{
	const struct bpf_dynptr_kern *ptr;
	u32 i, pos = 0;

	for (i = 0; i < k->cnt; i++) {
		if (k->off[i] > pos && memcmp(stored + pos, key + pos, k->off[i] - pos))
			return false;
		ptr = stored + k->off[i];
		if (ptr->size != HTAB_DYNKEY_SIZE(d->size[i]) ||
		    memcmp(ptr->data, d->data[i], d->size[i]))
			return false;
		pos = k->off[i] + sizeof(struct bpf_dynptr_kern);
	}
	return k->size == pos || !memcmp(stored + pos, key + pos, k->size - pos);
}

#endif
