// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite bpf_htab_dynkey: hash maps with dynptrs in their keys.
 *
 * Keys of several types, given to bpf(2) and to programs that run by the
 * interpreter or the JIT. Key n is made from its number: fixed bytes, and data
 * whose length depends on n and may be anything from 1 byte to 4088.
 *
 * Only the VM's selftests can show: packets as keys, and what the compiler makes
 * of such a type.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/kthread.h>
#include <linux/moduleparam.h>
#include <linux/rcupdate_trace.h>
#include <linux/slab.h>
#include "htab_load.h"
#include "htab_test.h"

#define KEY_MAX		64
#define DATA_MAX	BPF_KEY_DYNPTR_SIZE_MAX
#define VALUE_SIZE	8

enum dynkey_value {
	VALUE_PLAIN,
	VALUE_LOCK,	/* struct { u32 word; struct bpf_spin_lock lock; } */
	VALUE_TIMER,	/* struct { u64 word; struct bpf_timer timer; } */
	VALUE_KPTR,	/* struct { u64 word; struct htab_object __kptr *object; } */
	VALUE_LARGE,	/* no key data fits behind it */
};

/* a special field stands behind the word */
static const u32 dynkey_value_size[] = {
	[VALUE_PLAIN] = VALUE_SIZE,
	[VALUE_LOCK] = VALUE_SIZE,
	[VALUE_TIMER] = 24,
	[VALUE_KPTR] = 16,
	[VALUE_LARGE] = 8192,
};

/**
 * struct dynkey_shape - a key type, as a parameter
 * @name: for the names of cases
 * @size: bytes of a key
 * @cnt: how many dynptrs
 * @off: where they are
 */
struct dynkey_shape {
	const char *name;
	u32 size;
	u32 cnt;
	u32 off[BPF_KEY_DYNPTR_MAX];
};

enum {
	SHAPE_BARE,
	SHAPE_STRUCT,
	SHAPE_ID,
	SHAPE_NESTED,
	SHAPE_ARRAY,
	SHAPE_TAIL,
};

static const struct dynkey_shape dynkey_shapes[] = {
	/* struct bpf_dynptr */
	[SHAPE_BARE] = { "bare", 16, 1, { 0 } },
	/* struct { struct bpf_dynptr name; } */
	[SHAPE_STRUCT] = { "struct", 16, 1, { 0 } },
	/* struct { u32 id; struct bpf_dynptr name; } */
	[SHAPE_ID] = { "id", 24, 1, { 8 } },
	/* struct { struct { u32 id; struct bpf_dynptr name; } f1; u32 when; typedef tag; } */
	[SHAPE_NESTED] = { "nested", 48, 2, { 8, 32 } },
	/* struct bpf_dynptr [2] */
	[SHAPE_ARRAY] = { "array", 32, 2, { 0, 16 } },
	/* struct { struct bpf_dynptr name; u32 a; u32 b; } */
	[SHAPE_TAIL] = { "tail", 24, 1, { 0 } },
};

KUNIT_ARRAY_PARAM_DESC(dynkey_shape, dynkey_shapes, name);

/**
 * struct dynkey - a map
 * @t: the map and user memory
 * @shape: its key type
 * @udata: user memory for data of keys
 * @key: memory for a key
 * @data: memory for its data
 */
struct dynkey {
	struct htab_test t;
	const struct dynkey_shape *shape;
	void __user *udata[BPF_KEY_DYNPTR_MAX];
	u8 key[KEY_MAX];
	u8 data[BPF_KEY_DYNPTR_MAX][DATA_MAX];
};

static void dynkey_btf(struct htab_btf *b, const struct dynkey_shape *s,
		       enum dynkey_value value, u32 *key_id, u32 *value_id)
{
	u32 u32_id = htab_btf_int(b, "u32", 4), dynptr_id, inner_id, tag_id;

	dynptr_id = htab_btf_struct(b, "bpf_dynptr", 16, 0);
	switch (s - dynkey_shapes) {
	case SHAPE_BARE:
		*key_id = dynptr_id;
		break;
	case SHAPE_STRUCT:
		*key_id = htab_btf_struct(b, "key", 16, 1);
		htab_btf_member(b, "name", dynptr_id, 0);
		break;
	case SHAPE_ID:
		*key_id = htab_btf_struct(b, "key", 24, 2);
		htab_btf_member(b, "id", u32_id, 0);
		htab_btf_member(b, "name", dynptr_id, 8);
		break;
	case SHAPE_NESTED:
		inner_id = htab_btf_struct(b, "inner", 24, 2);
		htab_btf_member(b, "id", u32_id, 0);
		htab_btf_member(b, "name", dynptr_id, 8);
		/* a dynptr that is called otherwise */
		tag_id = htab_btf_type_tag(b, "tag", dynptr_id);
		*key_id = htab_btf_struct(b, "key", 48, 3);
		htab_btf_member(b, "f1", inner_id, 0);
		htab_btf_member(b, "when", u32_id, 24);
		htab_btf_member(b, "tag", tag_id, 32);
		break;
	case SHAPE_ARRAY:
		*key_id = htab_btf_array(b, dynptr_id, u32_id, 2);
		break;
	case SHAPE_TAIL:
		*key_id = htab_btf_struct(b, "key", 24, 3);
		htab_btf_member(b, "name", dynptr_id, 0);
		htab_btf_member(b, "a", u32_id, 16);
		htab_btf_member(b, "b", u32_id, 20);
		break;
	}
	if (value == VALUE_LOCK) {
		u32 lock_id = htab_btf_struct(b, "bpf_spin_lock", 4, 0);

		*value_id = htab_btf_struct(b, "value", VALUE_SIZE, 2);
		htab_btf_member(b, "word", u32_id, 0);
		htab_btf_member(b, "lock", lock_id, 4);
	} else if (value == VALUE_TIMER) {
		u32 timer_id = htab_btf_struct(b, "bpf_timer", 16, 0);

		*value_id = htab_btf_struct(b, "value", dynkey_value_size[value], 2);
		htab_btf_member(b, "word", u32_id, 0);
		htab_btf_member(b, "timer", timer_id, 8);
	} else if (value == VALUE_KPTR) {
		u32 kptr_id = htab_btf_kptr(b, "kptr");

		*value_id = htab_btf_struct(b, "value", dynkey_value_size[value], 2);
		htab_btf_member(b, "word", u32_id, 0);
		htab_btf_member(b, "object", kptr_id, 8);
	} else {
		*value_id = htab_btf_array(b, u32_id, u32_id, dynkey_value_size[value] / 4);
	}
}

/* BPF_MAP_CREATE with these types. Returns the descriptor or an error. */
static int dynkey_try(struct dynkey *d, const struct htab_btf *b, u32 key_id, u32 value_id,
		      union bpf_attr *attr)
{
	int fd = htab_btf_load(&d->t, b), ret;

	if (fd < 0) {
		KUNIT_FAIL(d->t.test, "BTF is refused: %d", fd);
		return fd;
	}
	attr->btf_fd = fd;
	attr->btf_key_type_id = key_id;
	attr->btf_value_type_id = value_id;
	ret = htab_test_bpf(&d->t, BPF_MAP_CREATE, attr);
	htab_test_close_fd(d->t.test, fd);
	htab_test_close_fd_now(d->t.test, fd);
	return ret;
}

static union bpf_attr dynkey_attr(const struct dynkey_shape *s, u32 max_entries)
{
	return (union bpf_attr) {
		.map_type = BPF_MAP_TYPE_HASH,
		.map_flags = BPF_F_NO_PREALLOC | BPF_F_ZERO_SEED,
		.key_size = s->size,
		.value_size = VALUE_SIZE,
		.max_entries = max_entries,
	};
}

static struct dynkey *dynkey_start(struct kunit *test, const struct dynkey_shape *s)
{
	struct dynkey *d = kunit_kzalloc(test, sizeof(*d), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, d);
	d->shape = s;
	htab_test_start(test, &d->t);
	for (i = 0; i < BPF_KEY_DYNPTR_MAX; i++)
		d->udata[i] = htab_test_user(test, DATA_MAX + 8);
	return d;
}

static struct dynkey *dynkey_init(struct kunit *test, const struct dynkey_shape *s,
				  u32 max_entries, enum dynkey_value value)
{
	struct dynkey *d = dynkey_start(test, s);
	struct htab_btf *b = htab_btf_new(test);
	union bpf_attr attr = dynkey_attr(s, max_entries);
	struct btf *kernel_btf = NULL;
	u32 key_id = 0, value_id = 0;
	int fd;

	dynkey_btf(b, s, value, &key_id, &value_id);
	attr.value_size = dynkey_value_size[value];
	if (value == VALUE_KPTR)
		kernel_btf = htab_btf_lend(&d->t);
	fd = dynkey_try(d, b, key_id, value_id, &attr);
	if (value == VALUE_KPTR)
		htab_btf_take_back(kernel_btf);
	KUNIT_ASSERT_GE(test, fd, 0);
	htab_test_adopt(&d->t, &attr, fd);
	KUNIT_ASSERT_TRUE(test, bpf_map_has_dynptr_key(d->t.map));
	return d;
}

/* Bytes of the data of dynptr @i of key @n: all lengths up to a word, and those
 * around the sizes where the place of the data changes.
 */
static u32 dynkey_len(u32 n, u32 i)
{
	static const u16 lens[] = {
		1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 40, 64, 100, 255, 256, 700,
		1500, 2000, 2040, 2041, 3000, 3900, 3999, 4000, 4020, 4040, 4060, 4087, 4088,
	};

	return lens[(n * (i ? 7 : 1) + 5 * i) % ARRAY_SIZE(lens)];
}

static u8 dynkey_byte(u32 n, u32 i, u32 at)
{
	/* keys share long beginnings; the number stands at the end too */
	return at < 4 ? n >> 8 * at : 'a' + i + at % 23;
}

/* Makes key @n in @d->key, with its data in @d->data; returns its sizes in @len. */
static void dynkey_make(struct dynkey *d, u32 n, u32 len[BPF_KEY_DYNPTR_MAX])
{
	u32 i, at;

	for (at = 0; at < d->shape->size; at++)
		d->key[at] = (at & 3) == 1 ? n / 32 : 0x5a;
	for (i = 0; i < d->shape->cnt; i++) {
		len[i] = dynkey_len(n, i);
		for (at = 0; at < len[i]; at++)
			d->data[i][at] = dynkey_byte(n, i, at);
		/* 255 keys of each length */
		d->data[i][len[i] - 1] = n / 32;
	}
}

/* A dynptr as map operations get it */
static void dynkey_kern(struct bpf_dynptr_kern *ptr, void *data, u32 size)
{
	bpf_dynptr_init(ptr, data, BPF_DYNPTR_TYPE_LOCAL, 0, size);
}

/* Makes key @n in @d->key as a map operation gets it. */
static void dynkey_make_kern(struct dynkey *d, u32 n)
{
	u32 len[BPF_KEY_DYNPTR_MAX], i;

	dynkey_make(d, n, len);
	for (i = 0; i < d->shape->cnt; i++)
		dynkey_kern((void *)d->key + d->shape->off[i], d->data[i], len[i]);
}

/* Puts key @n into user memory at @ukey. */
static int dynkey_put(struct dynkey *d, u32 n, void __user *ukey)
{
	u32 len[BPF_KEY_DYNPTR_MAX], i;

	dynkey_make(d, n, len);
	for (i = 0; i < d->shape->cnt; i++) {
		struct bpf_dynptr ptr = {
			.data = (unsigned long)d->udata[i],
			.size = len[i],
		};

		memcpy(d->key + d->shape->off[i], &ptr, sizeof(ptr));
		if (copy_to_user(d->udata[i], d->data[i], len[i]))
			return -EFAULT;
	}
	return copy_to_user(ukey, d->key, d->shape->size) ? -EFAULT : 0;
}

static int dynkey_call(struct dynkey *d, int cmd, u64 flags)
{
	union bpf_attr attr = {
		.map_fd = d->t.fd,
		.key = (unsigned long)d->t.ukey,
		/* BPF_MAP_DELETE_ELEM has none, and says so */
		.value = cmd == BPF_MAP_DELETE_ELEM ? 0 : (unsigned long)d->t.uvalue,
		.flags = flags,
	};

	htab_test_refill();
	return htab_test_bpf(&d->t, cmd, &attr);
}

static int dynkey_update(struct dynkey *d, u32 n, u64 value, u64 flags)
{
	int ret = dynkey_put(d, n, d->t.ukey);
	u32 tries;

	if (ret || copy_to_user(d->t.uvalue, &value, sizeof(value)))
		return ret ?: -EFAULT;
	ret = dynkey_call(d, BPF_MAP_UPDATE_ELEM, flags);
	/* The allocator has one large piece to begin with, and gets more from an
	 * interrupt: a key may want two.
	 */
	for (tries = 0; ret == -ENOMEM && tries < 2; tries++)
		ret = dynkey_call(d, BPF_MAP_UPDATE_ELEM, flags);
	return ret;
}

static int dynkey_delete(struct dynkey *d, u32 n)
{
	return dynkey_put(d, n, d->t.ukey) ?: dynkey_call(d, BPF_MAP_DELETE_ELEM, 0);
}

/* The value, or a negative error */
static s64 dynkey_lookup_by(struct dynkey *d, u32 n, int cmd)
{
	int ret = dynkey_put(d, n, d->t.ukey) ?: dynkey_call(d, cmd, 0);
	u64 value = 0;

	if (!ret && copy_from_user(&value, d->t.uvalue, sizeof(value)))
		ret = -EFAULT;
	return ret ?: (s64)value;
}

static s64 dynkey_lookup(struct dynkey *d, u32 n)
{
	return dynkey_lookup_by(d, n, BPF_MAP_LOOKUP_ELEM);
}

/* Keys 0 to @keys - 1 come, are replaced, and go. */
static void dynkey_try_ops(struct dynkey *d, u32 keys)
{
	struct kunit *test = d->t.test;
	u32 n;

	for (n = 0; n < keys; n++) {
		KUNIT_ASSERT_EQ_MSG(test, dynkey_lookup(d, n), -ENOENT, "key %u", n);
		KUNIT_ASSERT_EQ(test, dynkey_delete(d, n), -ENOENT);
		KUNIT_ASSERT_EQ(test, dynkey_update(d, n, n, BPF_EXIST), -ENOENT);
		KUNIT_ASSERT_EQ(test, dynkey_update(d, n, n, BPF_NOEXIST), 0);
		KUNIT_ASSERT_EQ(test, dynkey_update(d, n, n, BPF_NOEXIST), -EEXIST);
		KUNIT_ASSERT_EQ(test, dynkey_lookup(d, n), n);
		KUNIT_ASSERT_EQ(test, htab_hook_count(d->t.map), n + 1);
	}
	for (n = 0; n < keys; n++) {
		KUNIT_ASSERT_EQ(test, dynkey_lookup(d, n), n);
		KUNIT_ASSERT_EQ(test, dynkey_update(d, n, n + 1000, BPF_EXIST), 0);
		KUNIT_ASSERT_EQ(test, dynkey_update(d, n, n + 2000, BPF_ANY), 0);
		KUNIT_ASSERT_EQ(test, dynkey_lookup(d, n), n + 2000);
		KUNIT_ASSERT_EQ(test, dynkey_update(d, n, n, 3), -EINVAL);
	}
	KUNIT_EXPECT_EQ(test, htab_hook_count(d->t.map), keys);
	for (n = 0; n < keys; n++) {
		if (n & 1)
			KUNIT_ASSERT_EQ(test, dynkey_delete(d, n), 0);
		else
			KUNIT_ASSERT_EQ(test,
					dynkey_lookup_by(d, n, BPF_MAP_LOOKUP_AND_DELETE_ELEM),
					n + 2000);
		KUNIT_ASSERT_EQ(test, dynkey_lookup(d, n), -ENOENT);
		KUNIT_ASSERT_EQ(test, dynkey_update(d, n, n, BPF_ANY), 0);
		KUNIT_ASSERT_EQ(test, dynkey_delete(d, n), 0);
		if (n + 1 < keys)
			KUNIT_ASSERT_EQ(test, dynkey_lookup(d, n + 1), n + 2001);
	}
	KUNIT_EXPECT_EQ(test, htab_hook_count(d->t.map), 0);
}

static void dynkey_ops(struct kunit *test)
{
	dynkey_try_ops(dynkey_init(test, test->param_value, 512, VALUE_PLAIN), 320);
}

/* Elements so large that all key data is elsewhere */
static void dynkey_large_value(struct kunit *test)
{
	struct dynkey *d = dynkey_init(test, test->param_value, 64, VALUE_LARGE);
	u64 empty = d->t.map->ops->map_mem_usage(d->t.map);

	dynkey_try_ops(d, 64);
	KUNIT_EXPECT_EQ(test, d->t.map->ops->map_mem_usage(d->t.map), empty);
}

/* Asks for the key after the one in t.ukey, or the first: room for @room bytes. */
static int dynkey_next(struct dynkey *d, bool first, u32 room)
{
	union bpf_attr attr = {
		.map_fd = d->t.fd,
		.key = first ? 0 : (unsigned long)d->t.ukey,
		.next_key = (unsigned long)d->t.unext,
	};
	u8 key[KEY_MAX] = {};
	u32 i;

	for (i = 0; i < d->shape->cnt; i++) {
		struct bpf_dynptr ptr = {
			.data = (unsigned long)d->udata[i],
			.size = room,
		};

		memcpy(key + d->shape->off[i], &ptr, sizeof(ptr));
	}
	if (copy_to_user(d->t.unext, key, d->shape->size))
		return -EFAULT;
	return htab_test_bpf(&d->t, BPF_MAP_GET_NEXT_KEY, &attr);
}

/* Which key stands in t.unext? Compares all of it. */
static int dynkey_which(struct dynkey *d, u32 keys)
{
	u32 len[BPF_KEY_DYNPTR_MAX], n, i;
	u8 *got = kmalloc(DATA_MAX, GFP_KERNEL), key[KEY_MAX];
	struct bpf_dynptr ptr;
	bool same;

	if (!got || copy_from_user(key, d->t.unext, d->shape->size))
		goto none;
	for (n = 0; n < keys; n++) {
		dynkey_make(d, n, len);
		for (i = 0, same = true; same && i < d->shape->cnt; i++) {
			memcpy(&ptr, key + d->shape->off[i], sizeof(ptr));
			same = ptr.size == len[i] && !ptr.reserved &&
			       ptr.data == (unsigned long)d->udata[i] &&
			       !copy_from_user(got, d->udata[i], len[i]) &&
			       !memcmp(got, d->data[i], len[i]);
			memcpy(d->key + d->shape->off[i], &ptr, sizeof(ptr));
		}
		if (same && !memcmp(key, d->key, d->shape->size)) {
			kfree(got);
			return n;
		}
	}
none:
	kfree(got);
	return -ENOENT;
}

static void dynkey_walk(struct kunit *test)
{
	struct dynkey *d = dynkey_init(test, test->param_value, 64, VALUE_PLAIN);
	DECLARE_BITMAP(seen, 64) = {};
	u32 i, keys = 64;
	u8 key[KEY_MAX];
	int n, ret;

	KUNIT_EXPECT_EQ(test, dynkey_next(d, true, DATA_MAX), -ENOENT);
	for (i = 0; i < keys; i++)
		KUNIT_ASSERT_EQ(test, dynkey_update(d, i, i, BPF_ANY), 0);
	for (i = 0; i < keys; i++) {
		ret = dynkey_next(d, !i, DATA_MAX);
		KUNIT_ASSERT_EQ_MSG(test, ret, 0, "after %u keys", i);
		n = dynkey_which(d, keys);
		KUNIT_ASSERT_GE_MSG(test, n, 0, "not a key of the map");
		KUNIT_ASSERT_FALSE_MSG(test, __test_and_set_bit(n, seen), "key %d again", n);
		KUNIT_ASSERT_EQ(test, 0, copy_from_user(key, d->t.unext, d->shape->size));
		KUNIT_ASSERT_EQ(test, 0, copy_to_user(d->t.ukey, key, d->shape->size));
	}
	KUNIT_EXPECT_EQ(test, dynkey_next(d, false, DATA_MAX), -ENOENT);
	/* a key that is gone: from the beginning */
	KUNIT_ASSERT_EQ(test, dynkey_delete(d, n), 0);
	KUNIT_EXPECT_EQ(test, dynkey_next(d, false, DATA_MAX), 0);
	/* more room than a key can want is no error */
	KUNIT_EXPECT_EQ(test, dynkey_next(d, true, U32_MAX), 0);
}

/* A buffer that is too small; and what bad input leaves behind: nothing */
static void dynkey_bad_input(struct kunit *test)
{
	struct dynkey *d = dynkey_init(test, test->param_value, 4, VALUE_PLAIN);
	const struct dynkey_shape *s = d->shape;
	struct bpf_dynptr ptr, bad;
	static const struct {
		u32 size;
		u32 reserved;
		bool astray;
		int ret;
	} tries[] = {
		{ 0, 0, false, -EINVAL },
		{ 4, 1, false, -EINVAL },
		{ 4, 0x80000000, false, -EINVAL },
		{ 4089, 0, false, -E2BIG },
		{ U32_MAX, 0, false, -E2BIG },
		{ 4, 0, true, -EFAULT },
	};
	static const int cmds[] = {
		BPF_MAP_UPDATE_ELEM, BPF_MAP_LOOKUP_ELEM, BPF_MAP_DELETE_ELEM,
		BPF_MAP_LOOKUP_AND_DELETE_ELEM,
	};
	u64 usage = d->t.map->ops->map_mem_usage(d->t.map);
	u32 i, field, c;

	for (i = 0; i < ARRAY_SIZE(tries); i++) {
		for (field = 0; field < s->cnt; field++) {
			KUNIT_ASSERT_EQ(test, 0, dynkey_put(d, 1, d->t.ukey));
			memcpy(&ptr, d->key + s->off[field], sizeof(ptr));
			bad = ptr;
			bad.size = tries[i].size;
			bad.reserved = tries[i].reserved;
			if (tries[i].astray)
				bad.data = 16;
			KUNIT_ASSERT_EQ(test, 0, copy_to_user(d->t.ukey + s->off[field], &bad,
							      sizeof(bad)));
			for (c = 0; c < ARRAY_SIZE(cmds); c++)
				KUNIT_EXPECT_EQ_MSG(test, dynkey_call(d, cmds[c], 0),
						    tries[i].ret, "try %u, field %u, cmd %d", i,
						    field, cmds[c]);
			KUNIT_EXPECT_EQ(test, dynkey_next(d, false, DATA_MAX), tries[i].ret);
		}
	}
	KUNIT_EXPECT_EQ(test, htab_hook_count(d->t.map), 0);
	KUNIT_EXPECT_EQ(test, d->t.map->ops->map_mem_usage(d->t.map), usage);

	KUNIT_ASSERT_EQ(test, dynkey_update(d, 31, 5, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, dynkey_next(d, true, 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, dynkey_next(d, true, dynkey_len(31, 0) - 1), -ENOSPC);
	KUNIT_EXPECT_EQ(test, dynkey_next(d, true, DATA_MAX), 0);
	KUNIT_EXPECT_EQ(test, dynkey_which(d, 32), 31);
	bad = (struct bpf_dynptr) { .size = DATA_MAX, .reserved = 1 };
	KUNIT_ASSERT_EQ(test, 0, dynkey_put(d, 1, d->t.unext));
	KUNIT_ASSERT_EQ(test, 0, copy_to_user(d->t.unext + s->off[0], &bad, sizeof(bad)));
	{
		union bpf_attr attr = {
			.map_fd = d->t.fd,
			.next_key = (unsigned long)d->t.unext,
		};

		KUNIT_EXPECT_EQ(test, htab_test_bpf(&d->t, BPF_MAP_GET_NEXT_KEY, &attr),
				-EINVAL);
		bad = (struct bpf_dynptr) { .data = 16, .size = DATA_MAX };
		for (field = 0; field < s->cnt; field++)
			KUNIT_ASSERT_EQ(test, 0, copy_to_user(d->t.unext + s->off[field], &bad,
							      sizeof(bad)));
		KUNIT_EXPECT_EQ(test, htab_test_bpf(&d->t, BPF_MAP_GET_NEXT_KEY, &attr),
				-EFAULT);
	}
}

/* What such a map does not do */
static void dynkey_unsupported(struct kunit *test)
{
	static const int cmds[] = {
		BPF_MAP_LOOKUP_BATCH, BPF_MAP_LOOKUP_AND_DELETE_BATCH, BPF_MAP_UPDATE_BATCH,
		BPF_MAP_DELETE_BATCH,
	};
	struct dynkey *d = dynkey_init(test, test->param_value, 4, VALUE_PLAIN);
	const struct bpf_map_ops *ops = d->t.map->ops;
	u32 c;

	KUNIT_ASSERT_EQ(test, dynkey_update(d, 1, 1, BPF_ANY), 0);
	for (c = 0; c < ARRAY_SIZE(cmds); c++) {
		union bpf_attr attr = {
			.batch.map_fd = d->t.fd,
			.batch.out_batch = (unsigned long)d->t.unext,
			.batch.keys = (unsigned long)d->t.ukey,
			.batch.values = (unsigned long)d->t.uvalue,
			.batch.count = 1,
		};

		KUNIT_EXPECT_EQ_MSG(test, htab_test_bpf(&d->t, cmds[c], &attr), -EOPNOTSUPP,
				    "cmd %d", cmds[c]);
	}
	KUNIT_EXPECT_NULL(test, ops->map_for_each_callback);
	KUNIT_EXPECT_NULL(test, ops->map_seq_show_elem);
	KUNIT_EXPECT_NULL(test, ops->map_gen_lookup);
	KUNIT_EXPECT_EQ(test, dynkey_lookup(d, 1), 1);
}

/* Creation: every type of map, preallocated, read or written by programs only */
static void dynkey_create_bad(struct kunit *test)
{
	static const struct {
		u32 type;
		u32 flags;
		int ret;
	} tries[] = {
		{ BPF_MAP_TYPE_HASH, 0, -EINVAL },
		{ BPF_MAP_TYPE_HASH, BPF_F_NO_PREALLOC | BPF_F_RDONLY_PROG, -EACCES },
		{ BPF_MAP_TYPE_HASH, BPF_F_NO_PREALLOC | BPF_F_WRONLY_PROG, -EACCES },
		{ BPF_MAP_TYPE_PERCPU_HASH, BPF_F_NO_PREALLOC, -EOPNOTSUPP },
		{ BPF_MAP_TYPE_PERCPU_HASH, 0, -EOPNOTSUPP },
		{ BPF_MAP_TYPE_LRU_HASH, 0, -EOPNOTSUPP },
		{ BPF_MAP_TYPE_LRU_PERCPU_HASH, BPF_F_NO_COMMON_LRU, -EOPNOTSUPP },
		{ BPF_MAP_TYPE_RHASH, BPF_F_NO_PREALLOC, -EOPNOTSUPP },
	};
	const struct dynkey_shape *s = test->param_value;
	struct dynkey *d = dynkey_start(test, s);
	struct htab_btf *b = htab_btf_new(test);
	u32 key_id = 0, value_id = 0, i;
	union bpf_attr attr;

	dynkey_btf(b, s, VALUE_PLAIN, &key_id, &value_id);
	for (i = 0; i < ARRAY_SIZE(tries); i++) {
		attr = dynkey_attr(s, 4);
		attr.map_type = tries[i].type;
		attr.map_flags = tries[i].flags;
		KUNIT_EXPECT_EQ_MSG(test, dynkey_try(d, b, key_id, value_id, &attr), tries[i].ret,
				    "type %u flags %x", tries[i].type, tries[i].flags);
	}
	/* the size must be the type's */
	attr = dynkey_attr(s, 4);
	attr.key_size += 8;
	KUNIT_EXPECT_EQ(test, dynkey_try(d, b, key_id, value_id, &attr), -EINVAL);
}

/* A map with such a key is made, and has no dynptrs. */
static void dynkey_expect_bytes(struct dynkey *d, const struct htab_btf *b, u32 key_id,
				u32 value_id, union bpf_attr *attr)
{
	struct kunit *test = d->t.test;
	int fd = dynkey_try(d, b, key_id, value_id, attr);

	KUNIT_ASSERT_GE(test, fd, 0);
	htab_test_adopt(&d->t, attr, fd);
	KUNIT_EXPECT_FALSE(test, bpf_map_has_dynptr_key(d->t.map));
	htab_test_drop(&d->t);
}

/* Types that are refused, and those that are no dynptrs */
static void dynkey_types(struct kunit *test)
{
	struct dynkey_shape s = { .size = 48 };
	struct dynkey *d = dynkey_start(test, &s);
	struct htab_btf *b = htab_btf_new(test);
	u32 u32_id = htab_btf_int(b, "u32", 4), value_id, dynptr_id, union_id;
	union bpf_attr attr = dynkey_attr(&s, 4);
	u32 key_id;

	value_id = htab_btf_array(b, u32_id, u32_id, VALUE_SIZE / 4);
	dynptr_id = htab_btf_struct(b, "bpf_dynptr", 16, 0);

	key_id = htab_btf_array(b, dynptr_id, u32_id, 3);
	KUNIT_EXPECT_EQ(test, dynkey_try(d, b, key_id, value_id, &attr), -E2BIG);

	key_id = htab_btf_struct(b, "three", 48, 3);
	htab_btf_member(b, "a", dynptr_id, 0);
	htab_btf_member(b, "b", dynptr_id, 16);
	htab_btf_member(b, "c", dynptr_id, 32);
	KUNIT_EXPECT_EQ(test, dynkey_try(d, b, key_id, value_id, &attr), -E2BIG);

	/* packed */
	key_id = htab_btf_struct(b, "packed", 48, 2);
	htab_btf_member(b, "id", u32_id, 0);
	htab_btf_member(b, "a", dynptr_id, 4);
	KUNIT_EXPECT_EQ(test, dynkey_try(d, b, key_id, value_id, &attr), -EINVAL);

	/* a dynptr or something else, on its own and deeper down */
	key_id = htab_btf_union(b, "either", 48, 2);
	htab_btf_member(b, "id", u32_id, 0);
	htab_btf_member(b, "a", dynptr_id, 0);
	KUNIT_EXPECT_EQ(test, dynkey_try(d, b, key_id, value_id, &attr), -EINVAL);
	union_id = htab_btf_union(b, "inner", 24, 1);
	htab_btf_member(b, "a", dynptr_id, 0);
	key_id = htab_btf_struct(b, "outer", 48, 2);
	htab_btf_member(b, "a", dynptr_id, 0);
	htab_btf_member(b, "u", union_id, 16);
	KUNIT_EXPECT_EQ(test, dynkey_try(d, b, key_id, value_id, &attr), -EINVAL);

	/* a union without any stays plain bytes */
	key_id = htab_btf_union(b, "bytes", 48, 1);
	htab_btf_member(b, "id", u32_id, 0);
	dynkey_expect_bytes(d, b, key_id, value_id, &attr);

	/* a struct of that name which is something else, too */
	dynptr_id = htab_btf_struct(b, "bpf_dynptr", 24, 0);
	key_id = htab_btf_array(b, dynptr_id, u32_id, 2);
	dynkey_expect_bytes(d, b, key_id, value_id, &attr);
}

/* Full at exactly max_entries; replacing goes on; a refused lock loses nothing */
static void dynkey_full_and_refused(struct kunit *test)
{
	struct dynkey *d = dynkey_init(test, test->param_value, 1, VALUE_PLAIN);
	u64 usage, empty = d->t.map->ops->map_mem_usage(d->t.map);
	unsigned long flags;
	int locked, update, del;
	u64 value = 3;

	KUNIT_ASSERT_EQ(test, dynkey_update(d, 1, 1, BPF_ANY), 0);
	usage = d->t.map->ops->map_mem_usage(d->t.map);
	KUNIT_EXPECT_GT(test, usage, empty);
	KUNIT_EXPECT_EQ(test, dynkey_update(d, 31, 2, BPF_ANY), -E2BIG);
	KUNIT_EXPECT_EQ(test, dynkey_update(d, 31, 2, BPF_NOEXIST), -E2BIG);
	KUNIT_EXPECT_EQ(test, dynkey_update(d, 1, 2, BPF_ANY), 0);
	KUNIT_EXPECT_EQ(test, dynkey_lookup(d, 1), 2);
	KUNIT_EXPECT_EQ(test, d->t.map->ops->map_mem_usage(d->t.map), usage);

	/* one bucket, whose lock this CPU holds; keys as a program gives them */
	dynkey_make_kern(d, 1);
	htab_test_refill();
	rcu_read_lock();
	migrate_disable();
	locked = htab_hook_lock_bucket(d->t.map, d->key, &flags);
	update = d->t.map->ops->map_update_elem(d->t.map, d->key, &value, BPF_ANY);
	del = d->t.map->ops->map_delete_elem(d->t.map, d->key);
	if (!locked)
		htab_hook_unlock_bucket(d->t.map, d->key, flags);
	migrate_enable();
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, locked, 0);
	KUNIT_EXPECT_EQ(test, update, -EDEADLK);
	KUNIT_EXPECT_EQ(test, del, -EDEADLK);
	KUNIT_EXPECT_EQ(test, dynkey_lookup(d, 1), 2);
	KUNIT_EXPECT_EQ(test, htab_hook_count(d->t.map), 1);
	KUNIT_EXPECT_EQ(test, d->t.map->ops->map_mem_usage(d->t.map), usage);

	KUNIT_EXPECT_EQ(test, dynkey_delete(d, 1), 0);
	KUNIT_EXPECT_EQ(test, d->t.map->ops->map_mem_usage(d->t.map), empty);
}

/* The length of each part counts. */
static void dynkey_parts(struct kunit *test)
{
	static const struct {
		const char *a;
		const char *b;
	} keys[] = {
		{ "ab", "c" }, { "a", "bc" }, { "abc", "c" }, { "a", "c" }, { "c", "ab" },
		{ "bc", "a" }, { "aa", "a" }, { "a", "aa" },
	};
	struct dynkey *d = dynkey_init(test, &dynkey_shapes[SHAPE_ARRAY], 16, VALUE_PLAIN);
	struct bpf_dynptr_kern key[2];
	u64 value;
	u64 *found;
	long ret;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		dynkey_kern(&key[0], (void *)keys[i].a, strlen(keys[i].a));
		dynkey_kern(&key[1], (void *)keys[i].b, strlen(keys[i].b));
		htab_test_refill();
		value = i;
		rcu_read_lock();
		migrate_disable();
		ret = d->t.map->ops->map_update_elem(d->t.map, key, &value, BPF_NOEXIST);
		found = d->t.map->ops->map_lookup_elem(d->t.map, key);
		migrate_enable();
		rcu_read_unlock();
		KUNIT_ASSERT_EQ_MSG(test, ret, 0, "key %u", i);
		KUNIT_ASSERT_NOT_NULL(test, found);
		KUNIT_EXPECT_EQ(test, *found, i);
	}
	/* what a helper that failed leaves behind */
	memset(&key[1], 0, sizeof(key[1]));
	rcu_read_lock();
	migrate_disable();
	ret = d->t.map->ops->map_update_elem(d->t.map, key, &value, BPF_ANY);
	found = d->t.map->ops->map_lookup_elem(d->t.map, key);
	migrate_enable();
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, ret, -EINVAL);
	KUNIT_EXPECT_NULL(test, found);
	KUNIT_EXPECT_EQ(test, htab_hook_count(d->t.map), ARRAY_SIZE(keys));
}

#define SPREAD_WORDS	1000000
#define SPREAD_BUCKETS	65536

/* Words that differ in little are spread as random numbers are. */
static void dynkey_spread(struct kunit *test)
{
	struct dynkey *d = dynkey_init(test, &dynkey_shapes[SHAPE_BARE], SPREAD_BUCKETS,
				       VALUE_PLAIN);
	u16 *words = kunit_kcalloc(test, SPREAD_BUCKETS, sizeof(*words), GFP_KERNEL);
	const u32 mean = SPREAD_WORDS / SPREAD_BUCKETS;
	struct bpf_dynptr_kern key;
	u64 squares = 0, expected;
	u32 i, longest = 0;
	char word[32];

	KUNIT_ASSERT_NOT_NULL(test, words);
	KUNIT_ASSERT_EQ(test, htab_hook_n_buckets(d->t.map), SPREAD_BUCKETS);
	for (i = 0; i < SPREAD_WORDS; i++) {
		dynkey_kern(&key, word, snprintf(word, sizeof(word), i & 1 ? "/proc/%u/fd/%u" :
						 "%u%u", i / 16, i % 16));
		words[htab_hook_bucket(d->t.map, &key)]++;
		if (i % 4096 == 0)
			cond_resched();
	}
	for (i = 0; i < SPREAD_BUCKETS; i++) {
		squares += (u64)words[i] * words[i];
		longest = max(longest, words[i]);
	}
	/* The sum of squares of a binomial distribution, and three times what it
	 * may be off by chance
	 */
	expected = SPREAD_WORDS + div_u64((u64)SPREAD_WORDS * SPREAD_WORDS, SPREAD_BUCKETS);
	KUNIT_EXPECT_LT(test, squares, expected + expected / 150);
	KUNIT_EXPECT_GT(test, squares, expected - expected / 150);
	KUNIT_EXPECT_LT(test, longest, 4 * mean);
}

/* Memory is refused: with interrupts off nothing refills the allocator. */
static void dynkey_no_memory(struct kunit *test)
{
	struct dynkey *d = dynkey_init(test, &dynkey_shapes[SHAPE_ARRAY], 4096, VALUE_PLAIN);
	u64 empty = d->t.map->ops->map_mem_usage(d->t.map), usage;
	struct bpf_dynptr_kern key[2];
	u32 n, len, made = 0;
	unsigned long flags;
	u64 value = 7;
	long ret = 0;

	for (len = 40; len <= DATA_MAX; len += 1349) {
		made = 0;
		memset(d->data, 'x', sizeof(d->data));
		dynkey_kern(&key[0], d->data[0], len);
		dynkey_kern(&key[1], d->data[1], len);
		htab_test_refill();
		rcu_read_lock();
		migrate_disable();
		local_irq_save(flags);
		for (n = 0; n < 4096; n++) {
			memcpy(d->data[1] + len - 4, &n, 4);
			ret = d->t.map->ops->map_update_elem(d->t.map, key, &value, BPF_ANY);
			if (ret)
				break;
			made++;
		}
		local_irq_restore(flags);
		usage = d->t.map->ops->map_mem_usage(d->t.map);
		for (n = 0; n < made; n++) {
			memcpy(d->data[1] + len - 4, &n, 4);
			/* replacing fails as well, and leaves the old one */
			if (!n && d->t.map->ops->map_update_elem(d->t.map, key, &value,
								 BPF_EXIST) == -ENOMEM &&
			    !d->t.map->ops->map_lookup_elem(d->t.map, key))
				ret = 1;
			if (d->t.map->ops->map_delete_elem(d->t.map, key))
				ret = 2;
		}
		migrate_enable();
		rcu_read_unlock();
		KUNIT_EXPECT_EQ_MSG(test, ret, -ENOMEM, "after %u keys with %u bytes", made, len);
		KUNIT_EXPECT_GE(test, usage, empty + (u64)made * 2 * len);
		KUNIT_EXPECT_EQ(test, htab_hook_count(d->t.map), 0);
		KUNIT_EXPECT_EQ(test, d->t.map->ops->map_mem_usage(d->t.map), empty);
		KUNIT_EXPECT_EQ(test, bpf_map_sum_elem_count(d->t.map), 0);
	}
}

/* An inner map must have its dynptrs where the template has them. */
static void dynkey_inner(struct kunit *test)
{
	static const struct {
		u32 shape;
		int ret;
	} inner[] = {
		{ SHAPE_ID, 0 }, { SHAPE_TAIL, -EINVAL }, { SHAPE_ID, 0 },
	};
	struct dynkey *d = dynkey_init(test, &dynkey_shapes[SHAPE_ID], 4, VALUE_PLAIN);
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY_OF_MAPS,
		.key_size = 4,
		.value_size = 4,
		.max_entries = 1,
		.inner_map_fd = d->t.fd,
	};
	int fd = htab_test_bpf(&d->t, BPF_MAP_CREATE, &attr);
	struct dynkey *other;
	u32 i, zero = 0;

	htab_test_close_fd(test, fd);
	for (i = 0; i < ARRAY_SIZE(inner); i++) {
		other = dynkey_init(test, &dynkey_shapes[inner[i].shape], 8, VALUE_PLAIN);
		KUNIT_ASSERT_EQ(test, dynkey_update(other, 1, 1, BPF_ANY), 0);
		KUNIT_ASSERT_EQ(test, 0, copy_to_user(d->t.ukey, &zero, sizeof(zero)));
		KUNIT_ASSERT_EQ(test, 0, copy_to_user(d->t.uvalue, &other->t.fd, sizeof(int)));
		attr = (union bpf_attr) {
			.map_fd = fd,
			.key = (unsigned long)d->t.ukey,
			.value = (unsigned long)d->t.uvalue,
		};
		KUNIT_EXPECT_EQ_MSG(test, htab_test_bpf(&d->t, BPF_MAP_UPDATE_ELEM, &attr),
				    inner[i].ret, "inner map %u", i);
		KUNIT_EXPECT_EQ(test, dynkey_lookup(other, 1), 1);
	}
}

/* A value with a lock: BPF_F_LOCK works in place, and leaves the lock alone */
static void dynkey_spin_lock(struct kunit *test)
{
	struct dynkey *d = dynkey_init(test, test->param_value, 8, VALUE_LOCK);
	u64 usage;
	u32 n;

	for (n = 0; n < 8; n++) {
		KUNIT_ASSERT_EQ(test, dynkey_update(d, n, ~0ULL, BPF_F_LOCK), 0);
		KUNIT_EXPECT_EQ(test, dynkey_lookup(d, n), U32_MAX);
	}
	usage = d->t.map->ops->map_mem_usage(d->t.map);
	for (n = 0; n < 8; n++) {
		KUNIT_ASSERT_EQ(test, dynkey_update(d, n, n, BPF_F_LOCK | BPF_EXIST), 0);
		KUNIT_ASSERT_EQ(test, dynkey_update(d, n, n, BPF_F_LOCK | BPF_NOEXIST), -EEXIST);
		KUNIT_EXPECT_EQ(test, dynkey_lookup(d, n), n);
	}
	KUNIT_EXPECT_EQ(test, d->t.map->ops->map_mem_usage(d->t.map), usage);
	KUNIT_EXPECT_EQ(test, htab_hook_count(d->t.map), 8);
}

/* Values with timers and kptrs */

static u64 dynkey_timer_callback(u64 map, u64 key, u64 value, u64 unused1, u64 unused2)
{
	return 0;
}

/* The special field in the value of key @n, or NULL */
static void *dynkey_field(struct dynkey *d, u32 n)
{
	void *value;

	dynkey_make_kern(d, n);
	rcu_read_lock();
	migrate_disable();
	value = d->t.map->ops->map_lookup_elem(d->t.map, d->key);
	migrate_enable();
	rcu_read_unlock();
	return value ? value + 8 : NULL;
}

/* A timer goes with its element, whichever way that goes; elements get it empty.
 * When a map goes that was never used, nothing in the allocator is taken for one.
 */
static void dynkey_timer(struct kunit *test)
{
	enum { KEYS = 32, WAYS = 5 };
	struct bpf_prog *prog;
	struct dynkey *d;
	u32 n, way;
	s64 refs;

	/* no element, ever */
	d = dynkey_init(test, test->param_value, KEYS, VALUE_TIMER);
	htab_test_drop(&d->t);
	htab_test_refill();

	for (way = 0; way < WAYS; way++) {
		d = dynkey_init(test, test->param_value, KEYS, VALUE_TIMER);
		prog = htab_load_idle_prog(&d->t);
		refs = htab_prog_refs(prog);
		for (n = 0; n < KEYS; n++) {
			void *timer;

			KUNIT_ASSERT_EQ(test, dynkey_update(d, n, n, BPF_ANY), 0);
			timer = dynkey_field(d, n);
			KUNIT_ASSERT_NOT_NULL(test, timer);
			KUNIT_ASSERT_EQ(test, 0, htab_call_helper(prog, BPF_FUNC_timer_init, timer,
								  (unsigned long)d->t.map,
								  CLOCK_MONOTONIC));
			KUNIT_ASSERT_EQ(test, 0,
					htab_call_helper(prog, BPF_FUNC_timer_set_callback, timer,
							 (unsigned long)dynkey_timer_callback,
							 (unsigned long)prog->aux));
			KUNIT_ASSERT_EQ(test, 0, htab_call_helper(prog, BPF_FUNC_timer_start,
								  timer, 3600 * NSEC_PER_SEC, 0));
		}
		KUNIT_EXPECT_EQ(test, htab_prog_refs(prog), refs + KEYS);
		for (n = 0; n < KEYS; n++) {
			if (way == 0)
				KUNIT_EXPECT_EQ(test, dynkey_delete(d, n), 0);
			else if (way == 1)
				KUNIT_EXPECT_EQ(test, dynkey_update(d, n, n + 1, BPF_EXIST), 0);
			else if (way == 2)
				KUNIT_EXPECT_EQ(test, n, dynkey_lookup_by
						(d, n, BPF_MAP_LOOKUP_AND_DELETE_ELEM));
		}
		if (way == 3) {
			/* the last descriptor goes */
			htab_test_close_fd_now(test, d->t.fd);
			flush_delayed_fput();
		} else if (way == 4) {
			htab_test_drop(&d->t);
		}
		/* the map goes by a work */
		if (way == 4)
			htab_test_wait(htab_prog_refs(prog) == refs);
		KUNIT_EXPECT_EQ_MSG(test, htab_prog_refs(prog), refs, "way %u", way);
	}
}

#define KPTR_REFS	100000

/* Elements come and go, in every way, with data of every length: a kptr that was not
 * taken back out of an element is dropped once, when the element's memory goes.
 */
static void dynkey_kptr(struct kunit *test)
{
	/* one for each case: a map may still be there when the next one begins */
	static struct htab_object objects[ARRAY_SIZE(dynkey_shapes)];
	const struct dynkey_shape *s = test->param_value;
	struct htab_object *object = &objects[s - dynkey_shapes], *old;
	struct dynkey *d = dynkey_init(test, s, 64, VALUE_KPTR);
	enum { KEYS = 32, ROUNDS = 6 };
	u32 round, n, taken = 0;
	void **field;

	refcount_set(&object->refs, KPTR_REFS);
	for (round = 0; round < ROUNDS; round++) {
		for (n = 0; n < KEYS; n++) {
			/* takes the place of what the round before has left */
			KUNIT_ASSERT_EQ(test, dynkey_update(d, n, n, BPF_ANY), 0);
			field = dynkey_field(d, n);
			KUNIT_ASSERT_NOT_NULL(test, field);
			old = xchg(field, object);
			if (old)
				KUNIT_EXPECT_PTR_EQ(test, old, object);
			taken += !!old;
		}
		for (n = 0; n < KEYS; n++)
			if (n % 3 == 0)
				KUNIT_EXPECT_EQ(test, dynkey_delete(d, n), 0);
			else if (n % 3 == 1)
				KUNIT_EXPECT_EQ(test, n, dynkey_lookup_by
						(d, n, BPF_MAP_LOOKUP_AND_DELETE_ELEM));
	}
	htab_test_drop(&d->t);
	htab_test_wait(KPTR_REFS - refcount_read(&object->refs) + taken == KEYS * ROUNDS);
	KUNIT_EXPECT_EQ(test, KPTR_REFS - refcount_read(&object->refs) + taken, KEYS * ROUNDS);
}

/* Programs */

struct dynkey_ctx {
	u64 value;
	u64 flags;
	u32 len;
	u32 what;	/* 0: lookup, 1: update, 2: delete */
	u32 id;
};

#define CTX(member)	((int)offsetof(struct dynkey_ctx, member))

/*
 * struct { u32 id; struct bpf_dynptr name; } on the stack at -24, its data in the
 * only element of an array. Returns 0 and the value, or the error of a helper.
 */
static struct bpf_prog *dynkey_prog(struct dynkey *d, int data_fd, const struct dynkey_shape *s)
{
	const struct bpf_insn insns[] = {
		BPF_MOV64_REG(BPF_REG_6, BPF_REG_1),
		/* R7 = the data */
		BPF_ST_MEM(BPF_W, BPF_REG_10, -4, 0),
		BPF_LD_MAP_FD(BPF_REG_1, data_fd),
		BPF_MOV64_REG(BPF_REG_2, BPF_REG_10),
		BPF_ALU64_IMM(BPF_ADD, BPF_REG_2, -4),
		BPF_RAW_INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
		BPF_JMP_IMM(BPF_JNE, BPF_REG_0, 0, 2),
		BPF_MOV64_IMM(BPF_REG_0, -EFAULT),
		BPF_EXIT_INSN(),
		BPF_MOV64_REG(BPF_REG_1, BPF_REG_0),
		BPF_LDX_MEM(BPF_W, BPF_REG_2, BPF_REG_6, CTX(len)),
		BPF_JMP_IMM(BPF_JLE, BPF_REG_2, DATA_MAX, 2),
		BPF_MOV64_IMM(BPF_REG_0, -ERANGE),
		BPF_EXIT_INSN(),
		/* the key */
		BPF_LDX_MEM(BPF_W, BPF_REG_3, BPF_REG_6, CTX(id)),
		BPF_STX_MEM(BPF_DW, BPF_REG_10, BPF_REG_3, -24),
		BPF_MOV64_IMM(BPF_REG_3, 0),
		BPF_MOV64_REG(BPF_REG_4, BPF_REG_10),
		BPF_ALU64_IMM(BPF_ADD, BPF_REG_4, -16),
		BPF_RAW_INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_dynptr_from_mem),
		/* R1 = map, R2 = &key */
		BPF_LD_MAP_FD(BPF_REG_1, d->t.fd),
		BPF_MOV64_REG(BPF_REG_2, BPF_REG_10),
		BPF_ALU64_IMM(BPF_ADD, BPF_REG_2, s->off[0] ? -24 : -16),
		BPF_LDX_MEM(BPF_W, BPF_REG_0, BPF_REG_6, CTX(what)),
		BPF_JMP_IMM(BPF_JEQ, BPF_REG_0, 1, 8),
		BPF_JMP_IMM(BPF_JEQ, BPF_REG_0, 2, 14),
		BPF_RAW_INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
		BPF_JMP_IMM(BPF_JNE, BPF_REG_0, 0, 2),
		BPF_MOV64_IMM(BPF_REG_0, -ENOENT),
		BPF_EXIT_INSN(),
		BPF_LDX_MEM(BPF_DW, BPF_REG_1, BPF_REG_0, 0),
		BPF_STX_MEM(BPF_DW, BPF_REG_6, BPF_REG_1, CTX(value)),
		BPF_JMP_A(9),
		/* update */
		BPF_LDX_MEM(BPF_DW, BPF_REG_3, BPF_REG_6, CTX(value)),
		BPF_STX_MEM(BPF_DW, BPF_REG_10, BPF_REG_3, -32),
		BPF_MOV64_REG(BPF_REG_3, BPF_REG_10),
		BPF_ALU64_IMM(BPF_ADD, BPF_REG_3, -32),
		BPF_LDX_MEM(BPF_DW, BPF_REG_4, BPF_REG_6, CTX(flags)),
		BPF_RAW_INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_update_elem),
		BPF_EXIT_INSN(),
		/* delete */
		BPF_RAW_INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_delete_elem),
		BPF_EXIT_INSN(),
		/* found */
		BPF_MOV64_IMM(BPF_REG_0, 0),
		BPF_EXIT_INSN(),
	};

	return htab_load_prog(&d->t, insns, ARRAY_SIZE(insns), 0, NULL, 0);
}

/* An array of one element that holds the data of a key */
static int dynkey_data_array(struct dynkey *d, struct bpf_map **map)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = 4,
		.value_size = DATA_MAX,
		.max_entries = 1,
	};
	int fd = htab_test_bpf(&d->t, BPF_MAP_CREATE, &attr);

	htab_test_close_fd(d->t.test, fd);
	*map = bpf_map_get(fd);
	KUNIT_ASSERT_FALSE(d->t.test, IS_ERR(*map));
	/* the descriptor keeps it */
	bpf_map_put(*map);
	return fd;
}

static u32 dynkey_run(struct dynkey *d, const struct bpf_prog *prog, struct bpf_map *data,
		      u32 what, u32 n, struct dynkey_ctx *ctx)
{
	u32 len[BPF_KEY_DYNPTR_MAX], zero = 0;

	dynkey_make(d, n, len);
	rcu_read_lock();
	memcpy(data->ops->map_lookup_elem(data, &zero), d->data[0], len[0]);
	rcu_read_unlock();
	memcpy(&ctx->id, d->key, sizeof(ctx->id));
	ctx->what = what;
	ctx->len = len[0];
	htab_test_refill();
	return htab_run_prog(prog, ctx);
}

/* What a program writes user space finds, and the other way round. */
static void dynkey_programs(struct kunit *test)
{
	const struct dynkey_shape *s = test->param_value;
	struct dynkey *d = dynkey_init(test, s, 128, VALUE_PLAIN);
	struct dynkey_ctx ctx = {};
	struct bpf_map *data;
	struct bpf_prog *prog;
	u32 n;
	int fd;

	if (s->size != 16 && (s->size != 24 || !s->off[0]))
		kunit_skip(test, "the program makes no such keys");
	fd = dynkey_data_array(d, &data);
	prog = dynkey_prog(d, fd, s);
	for (n = 0; n < 96; n++) {
		KUNIT_ASSERT_EQ(test, (int)dynkey_run(d, prog, data, 0, n, &ctx), -ENOENT);
		KUNIT_ASSERT_EQ(test, (int)dynkey_run(d, prog, data, 2, n, &ctx), -ENOENT);
		ctx.value = n;
		ctx.flags = BPF_NOEXIST;
		KUNIT_ASSERT_EQ_MSG(test, (int)dynkey_run(d, prog, data, 1, n, &ctx), 0,
				    "key %u", n);
		KUNIT_ASSERT_EQ(test, (int)dynkey_run(d, prog, data, 1, n, &ctx), -EEXIST);
		ctx.value = 0;
		KUNIT_ASSERT_EQ(test, (int)dynkey_run(d, prog, data, 0, n, &ctx), 0);
		KUNIT_ASSERT_EQ(test, ctx.value, n);
	}
	/* the program writes 4 bytes of the id and 4 zeroes behind it */
	for (n = 0; n < 96 && s->size == 16; n++)
		KUNIT_ASSERT_EQ(test, dynkey_lookup(d, n), n);
	for (n = 0; n < 96; n++)
		KUNIT_ASSERT_EQ(test, (int)dynkey_run(d, prog, data, 2, n, &ctx), 0);
	KUNIT_EXPECT_EQ(test, htab_hook_count(d->t.map), 0);

	/* sizes that no key has: the helper makes a dynptr without data of it */
	ctx = (struct dynkey_ctx) { .what = 1 };
	KUNIT_EXPECT_EQ(test, (int)htab_run_prog(prog, &ctx), -EINVAL);
	KUNIT_EXPECT_EQ(test, htab_hook_count(d->t.map), 0);
}

/* A reader that is held up while the element that it will look at next is reused */

enum { REUSE_FIRST, REUSE_BEHIND, REUSE_SAME, REUSE_OTHER, REUSE_KEYS };

/* Keys of one bucket, but for the last one */
static void dynkey_reuse_keys(struct dynkey *d, struct bpf_dynptr_kern *key)
{
	u32 *n = htab_test_alloc(d->t.test, REUSE_KEYS * sizeof(*n)), i;
	struct bpf_map *map = d->t.map;

	for (i = 0; i < REUSE_KEYS; i++) {
		n[i] = i ? n[i - 1] + 1 : 0;
		dynkey_kern(&key[i], &n[i], sizeof(*n));
		while (i && (htab_hook_bucket(map, &key[i]) == htab_hook_bucket(map, &key[0])) !=
			    (i != REUSE_OTHER))
			n[i]++;
	}
}

/* Key @from goes, @to comes, and gets the element of the other. */
static void dynkey_reuse_one(struct dynkey *d, struct bpf_dynptr_kern *from,
			     struct bpf_dynptr_kern *to, void *elem)
{
	const struct bpf_map_ops *ops = d->t.map->ops;
	long deleted, inserted;
	unsigned long flags;
	u64 value = 0;

	htab_test_refill();
	/* nothing may refill the allocator in between */
	local_irq_save(flags);
	deleted = ops->map_delete_elem(d->t.map, from);
	inserted = ops->map_update_elem(d->t.map, to, &value, BPF_NOEXIST);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(d->t.test, deleted, 0);
	KUNIT_EXPECT_EQ(d->t.test, inserted, 0);
	KUNIT_EXPECT_PTR_EQ(d->t.test, htab_hook_elem(d->t.map, to), elem);
}

static void dynkey_reuse(struct kunit *test)
{
	struct dynkey *d = dynkey_init(test, &dynkey_shapes[SHAPE_BARE], REUSE_KEYS, VALUE_PLAIN);
	const struct bpf_map_ops *ops = d->t.map->ops;
	struct bpf_dynptr_kern key[REUSE_KEYS];
	struct bpf_map *map = d->t.map;
	void *first, *behind;
	u64 value = 0;

	dynkey_reuse_keys(d, key);
	htab_test_refill();
	guard(rcu)();
	guard(migrate)();
	KUNIT_EXPECT_EQ(test, ops->map_update_elem(map, &key[REUSE_BEHIND], &value, 0), 0);
	KUNIT_EXPECT_EQ(test, ops->map_update_elem(map, &key[REUSE_FIRST], &value, 0), 0);
	first = htab_hook_elem(map, &key[REUSE_FIRST]);
	behind = htab_hook_elem(map, &key[REUSE_BEHIND]);
	if (!first || !behind) {
		KUNIT_FAIL(test, "keys are not found");
		return;
	}
	KUNIT_EXPECT_PTR_EQ(test, htab_hook_lookup_from(map, first, &key[REUSE_BEHIND]), behind);

	/* as another key of the bucket, at its beginning again: nothing is lost */
	dynkey_reuse_one(d, &key[REUSE_FIRST], &key[REUSE_SAME], first);
	KUNIT_EXPECT_PTR_EQ(test, htab_hook_lookup_from(map, first, &key[REUSE_BEHIND]), behind);
	KUNIT_EXPECT_NULL(test, htab_hook_lookup_from(map, first, &key[REUSE_FIRST]));

	/* in another bucket, which does not have what the reader looks for */
	dynkey_reuse_one(d, &key[REUSE_SAME], &key[REUSE_OTHER], first);
	KUNIT_EXPECT_PTR_EQ(test, htab_hook_lookup_from(map, first, &key[REUSE_BEHIND]),
			    ERR_PTR(-EAGAIN));

	/* free: its key is still there, and none */
	KUNIT_EXPECT_EQ(test, ops->map_delete_elem(map, &key[REUSE_OTHER]), 0);
	KUNIT_EXPECT_PTR_EQ(test, htab_hook_lookup_from(map, first, &key[REUSE_OTHER]),
			    ERR_PTR(-EAGAIN));
	KUNIT_EXPECT_NULL(test, htab_hook_elem(map, &key[REUSE_OTHER]));
	KUNIT_EXPECT_PTR_EQ(test, htab_hook_elem(map, &key[REUSE_BEHIND]), behind);
}

/* Threads */

#define RACE_KEYS	16	/* come and go */
#define RACE_STABLE	4	/* are in the map all the time */
#define RACE_LENGTHS	8
#define RACE_STEP	577	/* between lengths: the longest do not fit the element */

static unsigned int msecs = 700;
module_param(msecs, uint, 0444);
MODULE_PARM_DESC(msecs, "how long dynkey_race and dynkey_replace take each (default: 700)");

#define RACE_REPLACED	2	/* of a map of their own: always in it, always replaced */
#define RACE_THREADS	5

enum dynkey_job {
	RACE_WRITE,
	RACE_LOOK,
	RACE_WALK,
	RACE_REPLACE,
	RACE_REPLACE_LOCKED,
};

struct dynkey_thread {
	struct dynkey *d;
	struct task_struct *task;
	enum dynkey_job job;
	u32 seed;
	u64 steps;
	u32 wrong;
};

/* Key n of length k, byte for byte n; returns its value. A stable key has one length. */
static u64 dynkey_race_key(struct bpf_dynptr_kern *key, u8 *data, u32 n, u32 k)
{
	u32 len = 1 + n + (n < RACE_KEYS ? k : n % RACE_LENGTHS) * RACE_STEP;

	memset(data, n, len);
	dynkey_kern(key, data, len);
	return n << 16 | len;
}

static bool dynkey_race_legal(u32 n, u32 len)
{
	return n < RACE_KEYS + RACE_STABLE && len > n && len <= DATA_MAX &&
	       (len - 1 - n) % RACE_STEP == 0;
}

/* Memory may be short, and a lock refused, at any time. */
static bool dynkey_race_ok(long ret)
{
	return !ret || ret == -ENOMEM || ret == -EDEADLK || ret == -ETIMEDOUT;
}

static bool dynkey_race_update(struct bpf_map *map, struct bpf_dynptr_kern *key, u64 value,
			       u64 flags)
{
	long ret;

	htab_test_refill();
	rcu_read_lock();
	migrate_disable();
	ret = map->ops->map_update_elem(map, key, &value, flags);
	migrate_enable();
	rcu_read_unlock();
	return dynkey_race_ok(ret);
}

static bool dynkey_race_delete(struct bpf_map *map, struct bpf_dynptr_kern *key)
{
	long ret;

	rcu_read_lock();
	migrate_disable();
	ret = map->ops->map_delete_elem(map, key);
	migrate_enable();
	rcu_read_unlock();
	return ret == -ENOENT || dynkey_race_ok(ret);
}

/* As a program, every second time as a sleepable one */
static bool dynkey_race_look(struct bpf_map *map, struct bpf_dynptr_kern *key, u32 n,
			     bool sleepable)
{
	u64 *found, value = 0;

	if (sleepable)
		rcu_read_lock_trace();
	else
		rcu_read_lock();
	migrate_disable();
	found = map->ops->map_lookup_elem(map, key);
	if (found)
		value = READ_ONCE(*found);
	migrate_enable();
	if (sleepable)
		rcu_read_unlock_trace();
	else
		rcu_read_unlock();
	/* by then its element may have been given to another key */
	return found ? dynkey_race_legal(value >> 16, value & 0xffff) : n < RACE_KEYS;
}

/* One step of a walk: what comes out is a key that was in the map. */
static bool dynkey_race_walk(struct bpf_map *map, struct bpf_dynptr_kern *key,
			     struct bpf_dynptr_kern *next, u8 *buf)
{
	long ret;

	dynkey_kern(next, buf, DATA_MAX);
	rcu_read_lock();
	ret = map->ops->map_get_next_key(map, key, next);
	rcu_read_unlock();
	if (ret)
		return ret == -ENOENT;
	return dynkey_race_legal(buf[0], __bpf_dynptr_size(next)) &&
	       !memchr_inv(buf, buf[0], __bpf_dynptr_size(next));
}

static int dynkey_race_fn(void *arg)
{
	struct dynkey_thread *th = arg;
	struct bpf_map *map = th->d->t.map;
	struct bpf_dynptr_kern key, next;
	u8 *data = kmalloc(DATA_MAX, GFP_KERNEL), *buf = kmalloc(DATA_MAX, GFP_KERNEL);
	u32 n, r = th->seed;
	bool ok = true;
	u64 value;

	while (data && buf && !kthread_should_stop()) {
		r = r * 1664525 + 1013904223;
		if (th->job == RACE_REPLACE || th->job == RACE_REPLACE_LOCKED)
			n = RACE_KEYS + (r >> 8) % RACE_REPLACED;
		else
			n = (r >> 8) % (RACE_KEYS + (th->job == RACE_WRITE ? 0 : RACE_STABLE));
		value = dynkey_race_key(&key, data, n, (r >> 16) % RACE_LENGTHS);
		switch (th->job) {
		case RACE_WRITE:
			ok = r & BIT(28) ? dynkey_race_update(map, &key, value, BPF_ANY) :
					   dynkey_race_delete(map, &key);
			break;
		case RACE_LOOK:
			ok = dynkey_race_look(map, &key, n, r & BIT(28));
			break;
		case RACE_WALK:
			ok = dynkey_race_walk(map, &key, &next, buf);
			break;
		case RACE_REPLACE:
			ok = dynkey_race_update(map, &key, value,
						r & BIT(28) ? BPF_ANY : BPF_EXIST);
			break;
		case RACE_REPLACE_LOCKED:
			ok = dynkey_race_update(map, &key, value, BPF_F_LOCK |
						(r & BIT(28) ? BPF_ANY : BPF_EXIST));
			break;
		}
		th->wrong += !ok;
		th->steps++;
		if (th->steps % 64 == 0) {
			/* UML does not preempt at the end of an interrupt, and where
			 * kernels are preemptible cond_resched() does nothing.
			 */
			if (need_resched())
				schedule();
		}
	}
	kfree(data);
	kfree(buf);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static void dynkey_race_run(struct dynkey *d, const enum dynkey_job *jobs)
{
	struct dynkey_thread th[RACE_THREADS] = {};
	struct kunit *test = d->t.test;
	u32 i;

	for (i = 0; i < RACE_THREADS; i++) {
		th[i].d = d;
		th[i].seed = 100 + i;
		th[i].job = jobs[i];
		th[i].task = kthread_run_on_cpu(dynkey_race_fn, &th[i], i % 2, "dynkey/%u");
		KUNIT_ASSERT_FALSE(test, IS_ERR(th[i].task));
	}
	msleep(msecs);
	for (i = 0; i < RACE_THREADS; i++) {
		kthread_stop(th[i].task);
		KUNIT_EXPECT_GT_MSG(test, th[i].steps, 0, "thread %u did nothing", i);
		KUNIT_EXPECT_EQ_MSG(test, th[i].wrong, 0, "thread %u, of %llu steps", i,
				    th[i].steps);
	}
}

/*
 * Lookups and walks beside updates and deletes of keys whose length changes. Elements
 * are reused under the readers: they must find every key that nobody writes, and see
 * no key that never was. (A lookup may miss a key while it is replaced, as in every
 * hash map: the new element is before it, the old one gone when it gets there.)
 */
static void dynkey_race(struct kunit *test)
{
	static const enum dynkey_job jobs[RACE_THREADS] = {
		RACE_WRITE, RACE_WRITE, RACE_LOOK, RACE_LOOK, RACE_WALK,
	};
	struct dynkey *d = dynkey_init(test, &dynkey_shapes[SHAPE_BARE], 256, VALUE_PLAIN);
	u64 empty = d->t.map->ops->map_mem_usage(d->t.map);
	u8 *data = kunit_kzalloc(test, DATA_MAX, GFP_KERNEL);
	struct bpf_dynptr_kern key;
	u32 n, k;
	u64 value;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	KUNIT_ASSERT_NOT_NULL(test, data);
	for (n = RACE_KEYS; n < RACE_KEYS + RACE_STABLE; n++) {
		value = dynkey_race_key(&key, data, n, 0);
		KUNIT_ASSERT_TRUE(test, dynkey_race_update(d->t.map, &key, value, BPF_NOEXIST));
	}
	KUNIT_ASSERT_EQ(test, htab_hook_count(d->t.map), RACE_STABLE);
	dynkey_race_run(d, jobs);

	/* everything can be taken out, and then there is nothing left */
	for (n = 0; n < RACE_KEYS + RACE_STABLE; n++) {
		for (k = 0; k < RACE_LENGTHS; k++) {
			dynkey_race_key(&key, data, n, k);
			KUNIT_EXPECT_TRUE(test, dynkey_race_delete(d->t.map, &key));
		}
	}
	KUNIT_EXPECT_EQ(test, htab_hook_count(d->t.map), 0);
	KUNIT_EXPECT_EQ(test, d->t.map->ops->map_mem_usage(d->t.map), empty);
}

/*
 * Updates of keys that other threads replace all the time, in a map that has no room
 * for another one: none may take such a key for one that is not there, and say
 * -ENOENT or -E2BIG.
 */
static void dynkey_replace(struct kunit *test)
{
	static const enum dynkey_job jobs[RACE_THREADS] = {
		RACE_REPLACE, RACE_REPLACE, RACE_REPLACE_LOCKED, RACE_REPLACE_LOCKED,
		RACE_REPLACE,
	};
	struct dynkey *d = dynkey_init(test, &dynkey_shapes[SHAPE_BARE], RACE_REPLACED,
				       VALUE_LOCK);
	u8 *data = kunit_kzalloc(test, DATA_MAX, GFP_KERNEL);
	struct bpf_dynptr_kern key;
	u64 value;
	u32 n;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	KUNIT_ASSERT_NOT_NULL(test, data);
	for (n = RACE_KEYS; n < RACE_KEYS + RACE_REPLACED; n++) {
		value = dynkey_race_key(&key, data, n, 0);
		KUNIT_ASSERT_TRUE(test, dynkey_race_update(d->t.map, &key, value, BPF_NOEXIST));
	}
	dynkey_race_run(d, jobs);
	KUNIT_EXPECT_EQ(test, htab_hook_count(d->t.map), RACE_REPLACED);
}

static struct kunit_case dynkey_cases[] = {
	KUNIT_CASE_PARAM(dynkey_ops, dynkey_shape_gen_params),
	KUNIT_CASE_PARAM(dynkey_large_value, dynkey_shape_gen_params),
	KUNIT_CASE_PARAM(dynkey_walk, dynkey_shape_gen_params),
	KUNIT_CASE_PARAM(dynkey_bad_input, dynkey_shape_gen_params),
	KUNIT_CASE_PARAM(dynkey_unsupported, dynkey_shape_gen_params),
	KUNIT_CASE_PARAM(dynkey_create_bad, dynkey_shape_gen_params),
	KUNIT_CASE(dynkey_types),
	KUNIT_CASE_PARAM(dynkey_full_and_refused, dynkey_shape_gen_params),
	KUNIT_CASE(dynkey_parts),
	KUNIT_CASE(dynkey_spread),
	KUNIT_CASE(dynkey_no_memory),
	KUNIT_CASE(dynkey_inner),
	KUNIT_CASE_PARAM(dynkey_spin_lock, dynkey_shape_gen_params),
	KUNIT_CASE_PARAM(dynkey_timer, dynkey_shape_gen_params),
	KUNIT_CASE_PARAM(dynkey_kptr, dynkey_shape_gen_params),
	KUNIT_CASE_PARAM(dynkey_programs, dynkey_shape_gen_params),
	KUNIT_CASE(dynkey_reuse),
	KUNIT_CASE_SLOW(dynkey_race),
	KUNIT_CASE_SLOW(dynkey_replace),
	{}
};

static struct kunit_suite dynkey_suite = {
	.name = "bpf_htab_dynkey",
	.test_cases = dynkey_cases,
};

kunit_test_suite(dynkey_suite);

MODULE_DESCRIPTION("KUnit suite for hash maps with dynptrs in their keys");
MODULE_LICENSE("GPL");
