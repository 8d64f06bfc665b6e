// SPDX-License-Identifier: GPL-2.0-only
/* Hash maps with dynptrs in their keys: what the verifier refuses. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "bpf_misc.h"
#include "htab_dynkey.h"

char _license[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 8);
	__type(key, struct bpf_dynptr);
	__type(value, __u64);
} bare SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 8);
	__type(key, struct htab_dynkey_id);
	__type(value, __u64);
} id SEC(".maps");

struct timed {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 8);
	__type(key, struct bpf_dynptr);
	__type(value, struct timed);
} timers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, char[64]);
} buffers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ringbuf SEC(".maps");

static char *data_of(__u32 n)
{
	return bpf_map_lookup_elem(&buffers, &n);
}

SEC("syscall")
__failure __msg("no initialized dynptr at offset 0 of the key")
int uninitialized(void *ctx)
{
	struct bpf_dynptr key;

	bpf_map_lookup_elem(&bare, &key);
	return 0;
}

SEC("syscall")
__failure __msg("no initialized dynptr at offset 0 of the key")
int discarded(void *ctx)
{
	struct bpf_dynptr key;

	bpf_ringbuf_reserve_dynptr(&ringbuf, 8, 0, &key);
	bpf_ringbuf_discard_dynptr(&key, 0);
	bpf_map_lookup_elem(&bare, &key);
	return 0;
}

SEC("syscall")
__failure __msg("no initialized dynptr at offset 8 of the key")
int bytes_for_dynptr(void *ctx)
{
	struct htab_dynkey_id key;

	__builtin_memset(&key, 0, sizeof(key));
	bpf_map_delete_elem(&id, &key);
	return 0;
}

SEC("syscall")
__failure __msg("invalid read from stack")
int dynptr_for_bytes(void *ctx)
{
	struct { struct bpf_dynptr a; __u64 b[4]; } key;
	char *p = data_of(0);

	if (!p)
		return 0;
	__builtin_memset(&key, 0, sizeof(key));
	bpf_dynptr_from_mem(p, 8, 0, &key.a);
	bpf_map_lookup_elem(&id, &key);
	return 0;
}

SEC("syscall")
__failure __msg("no initialized dynptr at offset 0 of the key")
int halves_of_two(void *ctx)
{
	struct bpf_dynptr key[2];
	char *p = data_of(0);

	if (!p)
		return 0;
	bpf_dynptr_from_mem(p, 8, 0, &key[0]);
	bpf_dynptr_from_mem(p, 8, 0, &key[1]);
	bpf_map_lookup_elem(&bare, (void *)&key[0] + 8);
	return 0;
}

SEC("syscall")
__failure __msg("has to be aligned to 8 bytes")
int misaligned(void *ctx)
{
	struct bpf_dynptr key[2];
	char *p = data_of(0);

	if (!p)
		return 0;
	bpf_dynptr_from_mem(p, 8, 0, &key[0]);
	bpf_dynptr_from_mem(p, 8, 0, &key[1]);
	bpf_map_lookup_elem(&bare, (void *)&key[0] + 4);
	return 0;
}

SEC("syscall")
__failure __msg("has to be at a constant offset")
int variable_offset(void *ctx)
{
	struct bpf_dynptr key[2];
	char *p = data_of(0);
	__u64 off;

	if (!p)
		return 0;
	bpf_dynptr_from_mem(p, 8, 0, &key[0]);
	bpf_dynptr_from_mem(p, 8, 0, &key[1]);
	off = bpf_get_prandom_u32() & 1 ? 16 : 0;
	barrier_var(off);
	off &= 16;
	bpf_map_lookup_elem(&bare, (void *)&key[0] + off);
	return 0;
}

SEC("syscall")
__failure __msg("a key with dynptrs has to be on the stack")
int map_value_as_key(void *ctx)
{
	char *p = data_of(0);

	if (p)
		bpf_map_lookup_elem(&bare, p);
	return 0;
}

/* its data is read when it is asked for, and that may sleep */
SEC("lsm.s/file_open")
__failure __msg("a dynptr of a file cannot be part of a key")
int file_key(void *ctx)
{
	struct file *file = bpf_get_task_exe_file(bpf_get_current_task_btf());
	struct bpf_dynptr key;

	if (!file)
		return 0;
	bpf_dynptr_from_file(file, 0, &key);
	bpf_map_lookup_elem(&bare, &key);
	bpf_dynptr_file_discard(&key);
	bpf_put_file(file);
	return 0;
}

static long each(struct bpf_map *map, void *key, void *value, void *ctx)
{
	return 0;
}

SEC("syscall")
__failure __msg("callback function not allowed for map")
int for_each(void *ctx)
{
	bpf_for_each_map_elem(&bare, each, NULL, 0);
	return 0;
}

static int reads_key(void *map, __u64 *key, struct timed *value)
{
	return key[0] == 1;
}

/* what is stored for a dynptr is an address of the kernel */
SEC("syscall")
__failure __msg("is a key with dynptrs, which cannot be read here")
int timer_reads_key(void *ctx)
{
	struct bpf_dynptr key;
	struct timed *value;
	char *p = data_of(0);

	if (!p)
		return 0;
	bpf_dynptr_from_mem(p, 8, 0, &key);
	value = bpf_map_lookup_elem(&timers, &key);
	if (value)
		bpf_timer_set_callback(&value->timer, reads_key);
	return 0;
}
