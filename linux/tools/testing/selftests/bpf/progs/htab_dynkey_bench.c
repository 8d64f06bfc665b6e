// SPDX-License-Identifier: GPL-2.0-only
/* What benchs/bench_htab_dynkey.c runs: one kind of key and one operation each. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "bpf_misc.h"
#include "htab_dynkey.h"

char _license[] SEC("license") = "GPL";

/* Sizes and numbers of entries are set by the bench. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct htab_dynkey_string);
} strings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, struct bpf_dynptr);
	__type(value, __u64);
} dynptr SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__uint(key_size, HTAB_DYNKEY_DATA);
	__uint(value_size, sizeof(__u64));
} padded SEC(".maps");

__u32 n_strings = 1;
long hits, failed;

static __always_inline struct htab_dynkey_string *string_of(__u32 i)
{
	i = i * 2654435761u % n_strings;
	return bpf_map_lookup_elem(&strings, &i);
}

static __always_inline long make_key(struct htab_dynkey_string *s, struct bpf_dynptr *key)
{
	__u32 len = s->len;

	return len && len <= sizeof(s->data) ? bpf_dynptr_from_mem(s->data, len, 0, key) : -1;
}

static int one_lookup_dynptr(__u32 i, void *ctx)
{
	struct htab_dynkey_string *s = string_of(i);
	struct bpf_dynptr key;

	if (!s || make_key(s, &key) || !bpf_map_lookup_elem(&dynptr, &key))
		__sync_add_and_fetch(&failed, 1);
	return 0;
}

static int one_lookup_padded(__u32 i, void *ctx)
{
	struct htab_dynkey_string *s = string_of(i);

	if (!s || !bpf_map_lookup_elem(&padded, s->data))
		__sync_add_and_fetch(&failed, 1);
	return 0;
}

static int one_update_dynptr(__u32 i, void *ctx)
{
	struct htab_dynkey_string *s = string_of(i);
	struct bpf_dynptr key;
	__u64 value = i;

	if (!s || make_key(s, &key) || bpf_map_update_elem(&dynptr, &key, &value, BPF_ANY))
		__sync_add_and_fetch(&failed, 1);
	return 0;
}

static int one_update_padded(__u32 i, void *ctx)
{
	struct htab_dynkey_string *s = string_of(i);
	__u64 value = i;

	if (!s || bpf_map_update_elem(&padded, s->data, &value, BPF_ANY))
		__sync_add_and_fetch(&failed, 1);
	return 0;
}

#define BENCH(_name)							\
SEC("fentry/" SYS_PREFIX "sys_getpgid")					\
int _name(void *ctx)							\
{									\
	bpf_loop(n_strings, one_ ## _name, NULL, 0);			\
	__sync_add_and_fetch(&hits, n_strings);				\
	return 0;							\
}

BENCH(lookup_dynptr)
BENCH(lookup_padded)
BENCH(update_dynptr)
BENCH(update_padded)
