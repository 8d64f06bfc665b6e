// SPDX-License-Identifier: GPL-2.0-only
/* Hash maps with dynptrs in their keys */
#include <test_progs.h>
#include "progs/htab_dynkey.h"
#include "htab_dynkey_success.skel.h"
#include "htab_dynkey_failure.skel.h"

static struct bpf_dynptr name_of(const char *s)
{
	return (struct bpf_dynptr) { .data = (unsigned long)s, .size = strlen(s) };
}

/* What a program has written user space finds; and walks over it. */
static void user_and_program(void)
{
	char buf[HTAB_DYNKEY_DATA];
	struct htab_dynkey_id key, next;
	struct htab_dynkey_success *skel;
	__u64 value, seen = 0;
	int fd, err, i;

	skel = htab_dynkey_success__open_and_load();
	if (!ASSERT_OK_PTR(skel, "open_and_load"))
		return;
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	err = bpf_prog_test_run_opts(bpf_program__fd(skel->progs.id_key), &opts);
	if (!ASSERT_OK(err, "run") || !ASSERT_OK(opts.retval, "retval"))
		goto out;

	fd = bpf_map__fd(skel->maps.id);
	memset(&key, 0, sizeof(key));
	key.id = 7;
	key.name = name_of("program");
	ASSERT_OK(bpf_map_lookup_elem(fd, &key, &value), "what the program wrote");
	ASSERT_EQ(value, 1, "value");
	key.name = name_of("user");
	ASSERT_EQ(bpf_map_lookup_elem(fd, &key, &value), -ENOENT, "miss");
	value = 2;
	ASSERT_OK(bpf_map_update_elem(fd, &key, &value, BPF_NOEXIST), "insert");
	ASSERT_EQ(bpf_map_update_elem(fd, &key, &value, BPF_NOEXIST), -EEXIST, "insert again");

	for (i = 0; i < 3; i++) {
		memset(&next, 0, sizeof(next));
		next.name.data = (unsigned long)buf;
		next.name.size = sizeof(buf);
		err = bpf_map_get_next_key(fd, i ? &key : NULL, &next);
		if (err)
			break;
		if (!ASSERT_EQ(next.id, 7, "id") || !ASSERT_EQ(next.name.reserved, 0, "reserved"))
			break;
		if (next.name.size == 7 && !memcmp(buf, "program", 7)) {
			key.name = name_of("program");
			seen |= 1;
		} else if (next.name.size == 4 && !memcmp(buf, "user", 4)) {
			key.name = name_of("user");
			seen |= 2;
		}
	}
	ASSERT_EQ(err, -ENOENT, "end");
	ASSERT_EQ(seen, 3, "both keys");
	next.name.data = (unsigned long)buf;
	next.name.size = 2;
	ASSERT_EQ(bpf_map_get_next_key(fd, NULL, &next), -ENOSPC, "small buffer");

	key.name = name_of("user");
	ASSERT_OK(bpf_map_lookup_and_delete_elem(fd, &key, &value), "lookup_and_delete");
	ASSERT_EQ(value, 2, "value");
	ASSERT_EQ(bpf_map_delete_elem(fd, &key), -ENOENT, "delete");
	key.name.size = 0;
	ASSERT_EQ(bpf_map_delete_elem(fd, &key), -EINVAL, "no data");
	key.name.size = 4089;
	ASSERT_EQ(bpf_map_delete_elem(fd, &key), -E2BIG, "too much data");
out:
	htab_dynkey_success__destroy(skel);
}

void test_htab_dynkey(void)
{
	if (test__start_subtest("user_and_program"))
		user_and_program();
	RUN_TESTS(htab_dynkey_success);
	RUN_TESTS(htab_dynkey_failure);
}
