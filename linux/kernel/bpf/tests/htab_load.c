// SPDX-License-Identifier: GPL-2.0-only
/*
 * BTF and programs that KUnit suites for BPF hash maps write down word by word
 * and load through bpf(2): see htab_load.h.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "htab_load.h"

/* Where things stand in htab_test.uvalue while something is loaded */
#define LOAD_LICENSE	0x6000
#define LOAD_FUNC_INFO	0x7000
#define LOAD_LOG	0x8000
#define LOAD_LOG_SIZE	0x8000

/**
 * htab_btf_new() - start with empty BTF
 * @test: the case; the memory goes when it ends
 *
 * Return: BTF without types.
 */
struct htab_btf *htab_btf_new(struct kunit *test)
{
	struct htab_btf *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->chars = 1;	/* offset 0 is the empty string */
	return b;
}

static u32 btf_str(struct htab_btf *b, const char *s)
{
	u32 off = b->chars, len = s ? strlen(s) + 1 : 0;

	if (!len)
		return 0;
	if (off + len > sizeof(b->str)) {
		b->full = true;
		return 0;
	}
	memcpy(b->str + off, s, len);
	b->chars += len;
	return off;
}

static void btf_word(struct htab_btf *b, u32 word)
{
	if (b->words == ARRAY_SIZE(b->type))
		b->full = true;
	else
		b->type[b->words++] = word;
}

static u32 btf_type(struct htab_btf *b, const char *name, u32 kind, u32 vlen, u32 size_or_type)
{
	btf_word(b, btf_str(b, name));
	btf_word(b, kind << 24 | vlen);
	btf_word(b, size_or_type);
	return ++b->n_types;
}

/**
 * htab_btf_int() - add an unsigned integer
 * @b: BTF
 * @name: its name
 * @size: bytes
 *
 * Return: the id of the type.
 */
u32 htab_btf_int(struct htab_btf *b, const char *name, u32 size)
{
	u32 id = btf_type(b, name, BTF_KIND_INT, 0, size);

	btf_word(b, 8 * size);
	return id;
}

/**
 * htab_btf_ptr() - add a pointer
 * @b: BTF
 * @type: id of what it points to
 *
 * Return: the id of the type.
 */
u32 htab_btf_ptr(struct htab_btf *b, u32 type)
{
	return btf_type(b, NULL, BTF_KIND_PTR, 0, type);
}

/**
 * htab_btf_array() - add an array
 * @b: BTF
 * @elem: id of the type of its elements
 * @index: id of an integer
 * @n: number of elements
 *
 * Return: the id of the type.
 */
u32 htab_btf_array(struct htab_btf *b, u32 elem, u32 index, u32 n)
{
	u32 id = btf_type(b, NULL, BTF_KIND_ARRAY, 0, 0);

	btf_word(b, elem);
	btf_word(b, index);
	btf_word(b, n);
	return id;
}

/**
 * htab_btf_struct() - add a structure
 * @b: BTF
 * @name: its name
 * @size: bytes
 * @members: number of calls of htab_btf_member() that follow
 *
 * Members need not cover the structure.
 *
 * Return: the id of the type.
 */
u32 htab_btf_struct(struct htab_btf *b, const char *name, u32 size, u32 members)
{
	return btf_type(b, name, BTF_KIND_STRUCT, members, size);
}

/**
 * htab_btf_union() - add a union
 * @b: BTF
 * @name: its name
 * @size: bytes
 * @members: number of calls of htab_btf_member() that follow
 *
 * Return: the id of the type.
 */
u32 htab_btf_union(struct htab_btf *b, const char *name, u32 size, u32 members)
{
	return btf_type(b, name, BTF_KIND_UNION, members, size);
}

/**
 * htab_btf_member() - add a member to what was added last
 * @b: BTF
 * @name: its name
 * @type: id of its type
 * @off: where it stands, in bytes
 */
void htab_btf_member(struct htab_btf *b, const char *name, u32 type, u32 off)
{
	btf_word(b, btf_str(b, name));
	btf_word(b, type);
	btf_word(b, 8 * off);
}

/**
 * htab_btf_type_tag() - tag a type
 * @b: BTF
 * @name: the tag
 * @type: id of the type
 *
 * Return: the id of the tagged type.
 */
u32 htab_btf_type_tag(struct htab_btf *b, const char *name, u32 type)
{
	return btf_type(b, name, BTF_KIND_TYPE_TAG, 0, type);
}

/**
 * htab_btf_kptr() - add a pointer to struct htab_object that values may own
 * @b: BTF
 * @tag: "kptr" or another one
 *
 * Return: the id of the type.
 */
u32 htab_btf_kptr(struct htab_btf *b, const char *tag)
{
	u32 refs_id = htab_btf_struct(b, "bpf_refcount", 4, 0), object_id;

	object_id = htab_btf_struct(b, "kunit_object", sizeof(struct htab_object), 1);
	htab_btf_member(b, "refs", refs_id, offsetof(struct htab_object, refs));
	return htab_btf_ptr(b, htab_btf_type_tag(b, tag, object_id));
}

/**
 * htab_btf_decl_tag() - tag a member of a structure
 * @b: BTF
 * @name: the tag
 * @type: id of the structure
 * @member: number of the member, from 0
 *
 * Return: the id of the tag.
 */
u32 htab_btf_decl_tag(struct htab_btf *b, const char *name, u32 type, u32 member)
{
	u32 id = btf_type(b, name, BTF_KIND_DECL_TAG, 0, type);

	btf_word(b, member);
	return id;
}

/**
 * htab_btf_proto() - add the type of a function
 * @b: BTF
 * @ret: id of the type that it returns
 * @params: number of calls of htab_btf_param() that follow
 *
 * Return: the id of the type.
 */
u32 htab_btf_proto(struct htab_btf *b, u32 ret, u32 params)
{
	return btf_type(b, NULL, BTF_KIND_FUNC_PROTO, params, ret);
}

/**
 * htab_btf_param() - add a parameter to the function that was added last
 * @b: BTF
 * @name: its name
 * @type: id of its type
 */
void htab_btf_param(struct htab_btf *b, const char *name, u32 type)
{
	btf_word(b, btf_str(b, name));
	btf_word(b, type);
}

/**
 * htab_btf_func() - add a function
 * @b: BTF
 * @name: its name
 * @proto: id from htab_btf_proto()
 * @linkage: BTF_FUNC_STATIC or BTF_FUNC_GLOBAL
 *
 * Return: the id of the function.
 */
u32 htab_btf_func(struct htab_btf *b, const char *name, u32 proto, u32 linkage)
{
	return btf_type(b, name, BTF_KIND_FUNC, linkage, proto);
}

/**
 * htab_btf_load() - BPF_BTF_LOAD
 * @t: from htab_test_start()
 * @b: the BTF
 *
 * Return: a file descriptor, or what bpf(2) returns.
 */
int htab_btf_load(struct htab_test *t, const struct htab_btf *b)
{
	struct btf_header hdr = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(hdr),
		.type_len = b->words * 4,
		.str_off = b->words * 4,
		.str_len = b->chars,
	};
	union bpf_attr attr = {
		.btf = (unsigned long)t->uvalue,
		.btf_size = sizeof(hdr) + hdr.type_len + hdr.str_len,
	};

	if (b->full)
		return -ENOSPC;
	if (copy_to_user(t->uvalue, &hdr, sizeof(hdr)) ||
	    copy_to_user(t->uvalue + sizeof(hdr), b->type, hdr.type_len) ||
	    copy_to_user(t->uvalue + sizeof(hdr) + hdr.str_off, b->str, hdr.str_len))
		return -EFAULT;
	return htab_test_bpf(t, BPF_BTF_LOAD, &attr);
}

/**
 * htab_btf_lend() - let a kernel without BTF have some
 * @t: from htab_test_start()
 *
 * Types of kptrs are first looked up in the BTF of the kernel, and those that are
 * not there belong to the program. This lends the kernel BTF without types of
 * interest, for as long as BPF_MAP_CREATE takes.
 *
 * Return: what htab_btf_take_back() wants.
 */
struct btf *htab_btf_lend(struct htab_test *t)
{
	struct htab_btf *b;
	struct btf *btf;
	int fd;

	if (IS_ENABLED(CONFIG_DEBUG_INFO_BTF))
		return NULL;
	b = htab_btf_new(t->test);
	htab_btf_int(b, "u32", 4);
	fd = htab_btf_load(t, b);
	htab_test_close_fd(t->test, fd);
	btf = btf_get_by_fd(fd);
	KUNIT_ASSERT_FALSE(t->test, IS_ERR(btf));
	swap(btf_vmlinux, btf);
	return btf;
}

/**
 * htab_btf_take_back() - end what htab_btf_lend() has begun
 * @btf: what it returned
 */
void htab_btf_take_back(struct btf *btf)
{
	if (IS_ENABLED(CONFIG_DEBUG_INFO_BTF))
		return;
	swap(btf_vmlinux, btf);
	btf_put(btf);
}

static void load_show_log(struct htab_test *t, union bpf_attr attr)
{
	char *log = kvzalloc(LOAD_LOG_SIZE, GFP_KERNEL), *line, *rest = log;

	attr.log_level = 1;
	attr.log_size = LOAD_LOG_SIZE - 1;
	attr.log_buf = (unsigned long)t->uvalue + LOAD_LOG;
	if (log && htab_test_bpf(t, BPF_PROG_LOAD, &attr) < 0 &&
	    !copy_from_user(log, t->uvalue + LOAD_LOG, LOAD_LOG_SIZE - 1)) {
		while ((line = strsep(&rest, "\n")))
			kunit_err(t->test, "%s", line);
	}
	kvfree(log);
}

static void load_prog_put(void *prog)
{
	bpf_prog_put(prog);
}

/**
 * htab_load_prog() - BPF_PROG_LOAD
 * @t: from htab_test_start()
 * @insns: the program, of type BPF_PROG_TYPE_SYSCALL: the one that every
 *	kernel with bpf(2) has. Its context is plain memory.
 * @cnt: number of instructions
 * @btf_fd: BTF that describes its functions, or 0
 * @info: the functions, or NULL
 * @n_info: number of functions
 *
 * If the verifier refuses the program, its log is shown and the case ends.
 *
 * Return: the program; it goes when the case ends.
 */
struct bpf_prog *htab_load_prog(struct htab_test *t, const struct bpf_insn *insns, u32 cnt,
				int btf_fd, const struct bpf_func_info *info, u32 n_info)
{
	static const char license[] = "GPL";
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SYSCALL,
		.prog_flags = BPF_F_SLEEPABLE,
		.insns = (unsigned long)t->uvalue,
		.insn_cnt = cnt,
		.license = (unsigned long)t->uvalue + LOAD_LICENSE,
		.prog_btf_fd = btf_fd,
		.func_info = n_info ? (unsigned long)t->uvalue + LOAD_FUNC_INFO : 0,
		.func_info_cnt = n_info,
		.func_info_rec_size = n_info ? sizeof(*info) : 0,
	};
	union bpf_attr again = attr;
	struct bpf_prog *prog;
	int fd;

	KUNIT_ASSERT_LE(t->test, cnt * sizeof(*insns), LOAD_LICENSE);
	KUNIT_ASSERT_LE(t->test, n_info * sizeof(*info), LOAD_LOG - LOAD_FUNC_INFO);
	KUNIT_ASSERT_EQ(t->test, 0, copy_to_user(t->uvalue, insns, cnt * sizeof(*insns)));
	KUNIT_ASSERT_EQ(t->test, 0, copy_to_user(t->uvalue + LOAD_LICENSE, license,
						 sizeof(license)));
	KUNIT_ASSERT_EQ(t->test, 0, copy_to_user(t->uvalue + LOAD_FUNC_INFO, info,
						 n_info * sizeof(*info)));
	fd = htab_test_bpf(t, BPF_PROG_LOAD, &attr);
	if (fd < 0)
		load_show_log(t, again);
	htab_test_close_fd(t->test, fd);
	prog = bpf_prog_get(fd);
	KUNIT_ASSERT_FALSE(t->test, IS_ERR(prog));
	KUNIT_ASSERT_EQ(t->test, 0, kunit_add_action_or_reset(t->test, load_prog_put, prog));
	return prog;
}

/**
 * htab_run_prog() - run a program
 * @prog: from htab_load_prog()
 * @ctx: its context
 *
 * Return: what the program returns.
 */
u32 htab_run_prog(const struct bpf_prog *prog, void *ctx)
{
	u32 ret;

	rcu_read_lock();
	migrate_disable();
	ret = bpf_prog_run(prog, ctx);
	migrate_enable();
	rcu_read_unlock();
	return ret;
}

/**
 * htab_load_idle_prog() - a program for timers and work to refer to
 * @t: from htab_test_start()
 *
 * They do so as long as they have a callback. Their memory is allocated without
 * locks. Where cmpxchg16b is missing, as in UML, this works with slabs that are
 * debugged only: if it does not, the case is skipped.
 *
 * Return: the program, which does nothing; it goes when the case ends.
 */
struct bpf_prog *htab_load_idle_prog(struct htab_test *t)
{
	static const struct bpf_insn insns[] = {
		BPF_MOV64_IMM(BPF_REG_0, 0),
		BPF_EXIT_INSN(),
	};
	void *probe = kmalloc_nolock(192, 0, NUMA_NO_NODE);

	if (!probe)
		kunit_skip(t->test, "kmalloc_nolock() needs slab_debug=F,kmalloc-*");
	kfree_nolock(probe);
	return htab_load_prog(t, insns, ARRAY_SIZE(insns), 0, NULL, 0);
}

/**
 * htab_prog_refs() - how many references a program has
 * @prog: the program
 *
 * Return: the number.
 */
s64 htab_prog_refs(const struct bpf_prog *prog)
{
	return atomic64_read(&prog->aux->refcnt);
}

/**
 * htab_call_helper() - call a helper as a program does
 * @prog: the program
 * @id: the helper
 * @field: its first argument, a special field in a value
 * @a: the second
 * @b: the third
 *
 * Return: what the helper returns, -EOPNOTSUPP if the program may not call it.
 */
long htab_call_helper(struct bpf_prog *prog, enum bpf_func_id id, void *field, u64 a, u64 b)
{
	const struct bpf_func_proto *proto = bpf_base_func_proto(id, prog);
	long ret;

	if (!proto)
		return -EOPNOTSUPP;
	rcu_read_lock();
	migrate_disable();
	ret = proto->func((unsigned long)field, a, b, 0, 0);
	migrate_enable();
	rcu_read_unlock();
	return ret;
}
