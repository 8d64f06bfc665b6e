/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BTF and programs that KUnit suites for BPF hash maps write down word by word
 * and load through bpf(2).
 */
#ifndef __BPF_HTAB_LOAD_H
#define __BPF_HTAB_LOAD_H

#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/filter.h>
#include <linux/refcount.h>
#include "htab_test.h"

/**
 * struct htab_btf - BTF in the making
 * @n_types: types so far, which is also the id of the last one
 * @words: words of @type in use
 * @chars: bytes of @str in use
 * @full: something did not fit
 * @type: the type section
 * @str: the string section
 */
struct htab_btf {
	u32 n_types;
	u32 words;
	u32 chars;
	bool full;
	u32 type[256];
	char str[512];
};

/* What kptrs of tests point to. The kernel drops one by lowering @refs. */
struct htab_object {
	u64 word;
	refcount_t refs;
};

struct htab_btf *htab_btf_new(struct kunit *test);
u32 htab_btf_int(struct htab_btf *b, const char *name, u32 size);
u32 htab_btf_ptr(struct htab_btf *b, u32 type);
u32 htab_btf_array(struct htab_btf *b, u32 elem, u32 index, u32 n);
u32 htab_btf_struct(struct htab_btf *b, const char *name, u32 size, u32 members);
u32 htab_btf_union(struct htab_btf *b, const char *name, u32 size, u32 members);
void htab_btf_member(struct htab_btf *b, const char *name, u32 type, u32 off);
u32 htab_btf_type_tag(struct htab_btf *b, const char *name, u32 type);
u32 htab_btf_kptr(struct htab_btf *b, const char *tag);
u32 htab_btf_decl_tag(struct htab_btf *b, const char *name, u32 type, u32 member);
u32 htab_btf_proto(struct htab_btf *b, u32 ret, u32 params);
void htab_btf_param(struct htab_btf *b, const char *name, u32 type);
u32 htab_btf_func(struct htab_btf *b, const char *name, u32 proto, u32 linkage);
int htab_btf_load(struct htab_test *t, const struct htab_btf *b);
struct btf *htab_btf_lend(struct htab_test *t);
void htab_btf_take_back(struct btf *btf);

struct bpf_prog *htab_load_prog(struct htab_test *t, const struct bpf_insn *insns, u32 cnt,
				int btf_fd, const struct bpf_func_info *info, u32 n_info);
u32 htab_run_prog(const struct bpf_prog *prog, void *ctx);
struct bpf_prog *htab_load_idle_prog(struct htab_test *t);
s64 htab_prog_refs(const struct bpf_prog *prog);
long htab_call_helper(struct bpf_prog *prog, enum bpf_func_id id, void *field, u64 a, u64 b);

/* What kernel/bpf/ shares without a header */
extern struct btf *btf_vmlinux;
int bpf_wq_init(struct bpf_wq *wq, void *p__const_map, unsigned int flags);
int bpf_wq_start(struct bpf_wq *wq, unsigned int flags);
int bpf_wq_set_callback(struct bpf_wq *wq, int (*callback_fn)(void *map, int *key, void *value),
			unsigned int flags, struct bpf_prog_aux *aux);

#endif
