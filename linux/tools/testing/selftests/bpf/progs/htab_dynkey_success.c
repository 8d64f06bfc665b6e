// SPDX-License-Identifier: GPL-2.0-only
/* Hash maps with dynptrs in their keys: what programs can do. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "bpf_misc.h"
#include "htab_dynkey.h"
#include <errno.h>
#include "bpf_kfuncs.h"

char _license[] SEC("license") = "GPL";

struct bare {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 8);
	__type(key, struct bpf_dynptr);
	__type(value, __u64);
} bare SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct bare);
} outer SEC(".maps") = {
	.values = { (void *)&bare },
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 8);
	__type(key, struct htab_dynkey_id);
	__type(value, __u64);
} id SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 8);
	__type(key, struct htab_dynkey_two);
	__type(value, __u64);
} two SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, char[HTAB_DYNKEY_DATA]);
} buffers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ringbuf SEC(".maps");

static char *data_of(__u32 n)
{
	return bpf_map_lookup_elem(&buffers, &n);
}

/* One key through all that can happen to it. 0, or the step that went wrong. */
static __always_inline int take_round(void *map, void *key)
{
	__u64 one = 1, second = 2, *found;

	if (bpf_map_lookup_elem(map, key))
		return 1;
	if (bpf_map_delete_elem(map, key) != -ENOENT)
		return 2;
	if (bpf_map_update_elem(map, key, &one, BPF_EXIST) != -ENOENT)
		return 3;
	if (bpf_map_update_elem(map, key, &one, BPF_NOEXIST))
		return 4;
	if (bpf_map_update_elem(map, key, &one, BPF_NOEXIST) != -EEXIST)
		return 5;
	if (bpf_map_update_elem(map, key, &second, BPF_EXIST))
		return 6;
	found = bpf_map_lookup_elem(map, key);
	if (!found || *found != 2)
		return 7;
	if (bpf_map_delete_elem(map, key))
		return 8;
	if (bpf_map_lookup_elem(map, key))
		return 9;
	return bpf_map_update_elem(map, key, &one, BPF_ANY) ? 10 : 0;
}

SEC("syscall")
__success __retval(0)
int bare_key(void *ctx)
{
	struct bpf_dynptr key;
	char *p = data_of(0);

	if (!p)
		return -1;
	__builtin_memcpy(p, "bare", 4);
	bpf_dynptr_from_mem(p, 4, 0, &key);
	return take_round(&bare, &key);
}

SEC("syscall")
__success __retval(0)
int inner_map(void *ctx)
{
	struct bpf_dynptr key;
	char *p = data_of(0);
	__u32 zero = 0;
	void *map;

	map = bpf_map_lookup_elem(&outer, &zero);
	if (!p || !map)
		return -1;
	__builtin_memcpy(p, "inner", 5);
	bpf_dynptr_from_mem(p, 5, 0, &key);
	return take_round(map, &key);
}

SEC("syscall")
__success __retval(0)
int id_key(void *ctx)
{
	struct htab_dynkey_id key;
	char *p = data_of(0);

	if (!p)
		return -1;
	__builtin_memset(&key, 0, sizeof(key));
	key.id = 7;
	__builtin_memcpy(p, "program", 7);
	bpf_dynptr_from_mem(p, 7, 0, &key.name);
	return take_round(&id, &key);
}

SEC("syscall")
__success __retval(0)
int two_keys(void *ctx)
{
	struct htab_dynkey_two key;
	char *p = data_of(0), *q = data_of(1);

	if (!p || !q)
		return -1;
	__builtin_memset(&key, 0, sizeof(key));
	key.f1.id = 1;
	key.when = 2;
	__builtin_memcpy(p, "abc", 3);
	__builtin_memcpy(q, "de", 2);
	bpf_dynptr_from_mem(p, 3, 0, &key.f1.name);
	bpf_dynptr_from_mem(q, 2, 0, &key.tag);
	return take_round(&two, &key);
}

/* The data is copied in the call, so a record may go on its way afterwards. */
SEC("syscall")
__success __retval(0)
int ringbuf_key(void *ctx)
{
	struct bpf_dynptr key;
	__u64 value = 5, *found;
	char *p = data_of(0);

	if (!p)
		return -1;
	if (bpf_ringbuf_reserve_dynptr(&ringbuf, 6, 0, &key) ||
	    bpf_dynptr_write(&key, 0, "record", 6, 0) ||
	    bpf_map_update_elem(&bare, &key, &value, BPF_ANY)) {
		bpf_ringbuf_discard_dynptr(&key, 0);
		return -2;
	}
	bpf_ringbuf_submit_dynptr(&key, 0);
	__builtin_memcpy(p, "record", 6);
	bpf_dynptr_from_mem(p, 6, 0, &key);
	found = bpf_map_lookup_elem(&bare, &key);
	return found && *found == 5 ? 0 : -3;
}

/* A dynptr that a helper could not make is no key. */
SEC("syscall")
__success __retval(0)
int failed_dynptr(void *ctx)
{
	struct bpf_dynptr key;
	__u64 value = 1;
	int err = 0;

	if (!bpf_ringbuf_reserve_dynptr(&ringbuf, 1 << 20, 0, &key) ||
	    bpf_map_lookup_elem(&bare, &key) ||
	    bpf_map_update_elem(&bare, &key, &value, BPF_ANY) != -EINVAL ||
	    bpf_map_delete_elem(&bare, &key) != -EINVAL)
		err = 1;
	bpf_ringbuf_discard_dynptr(&key, 0);
	return err;
}

/* Packets: what is in the linear part. */
SEC("tc")
__success __retval(0)
int packet_key(struct __sk_buff *skb)
{
	struct bpf_dynptr key;
	__u64 value = 9, *found;

	if (bpf_dynptr_from_skb(skb, 0, &key))
		return 1;
	if (bpf_map_update_elem(&bare, &key, &value, BPF_ANY))
		return 2;
	found = bpf_map_lookup_elem(&bare, &key);
	if (!found || *found != 9)
		return 3;
	return bpf_map_delete_elem(&bare, &key) ? 4 : 0;
}
