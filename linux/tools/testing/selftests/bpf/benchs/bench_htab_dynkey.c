// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keys with dynptrs beside padded ones, in a hash map of the same strings: random
 * bytes of random length up to --max_len, which is the size of a padded key.
 */
#include <argp.h>
#include <stdlib.h>
#include "bench.h"
#include "progs/htab_dynkey.h"
#include "htab_dynkey_bench.skel.h"

static struct htab_dynkey_bench *skel;

static struct {
	__u32 max_len;
	__u32 entries;
	bool padded;
} args = {
	.max_len = 256,
	.entries = 8192,
};

enum {
	ARG_MAX_LEN = 14000,
	ARG_ENTRIES,
	ARG_PADDED,
};

static const struct argp_option opts[] = {
	{ "max_len", ARG_MAX_LEN, "BYTES", 0, "Length of the longest string, 4088 at most" },
	{ "entries", ARG_ENTRIES, "N", 0, "Number of strings" },
	{ "padded", ARG_PADDED, NULL, 0, "Pad keys to the longest instead of dynptrs" },
	{},
};

static error_t parse_arg(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case ARG_MAX_LEN:
		args.max_len = strtoul(arg, NULL, 10);
		if (args.max_len < 4 || args.max_len > HTAB_DYNKEY_DATA)
			argp_error(state, "max_len is from 4 to %d", HTAB_DYNKEY_DATA);
		break;
	case ARG_ENTRIES:
		args.entries = strtoul(arg, NULL, 10);
		if (!args.entries || args.entries > 1 << 20)
			argp_error(state, "entries is from 1 to %d", 1 << 20);
		break;
	case ARG_PADDED:
		args.padded = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp bench_htab_dynkey_argp = {
	.options = opts,
	.parser = parse_arg,
};

static void validate(void)
{
	if (env.consumer_cnt) {
		fprintf(stderr, "benchmark doesn't support consumer!\n");
		exit(1);
	}
}

static void die(const char *what, int err)
{
	fprintf(stderr, "%s: %s\n", what, strerror(-err));
	exit(1);
}

/* Puts string @i into the array and into the map that is measured. */
static void add_string(__u32 i)
{
	struct htab_dynkey_string s = {};
	struct bpf_dynptr key = {};
	__u64 value = 0;
	int err;
	__u32 at;

	/* the number makes strings differ */
	s.len = 4 + random() % (args.max_len - 3);
	for (at = 0; at < s.len; at++)
		s.data[at] = at < 4 ? i >> 8 * at : random();
	key.data = (unsigned long)s.data;
	key.size = s.len;
	err = bpf_map_update_elem(bpf_map__fd(skel->maps.strings), &i, &s, BPF_ANY);
	if (!err && args.padded)
		err = bpf_map_update_elem(bpf_map__fd(skel->maps.padded), s.data, &value, BPF_ANY);
	else if (!err)
		err = bpf_map_update_elem(bpf_map__fd(skel->maps.dynptr), &key, &value, BPF_ANY);
	if (err)
		die("failed to add a string", err);
}

static void setup(bool update)
{
	struct bpf_program *prog, *p;
	__u32 i;
	int err;

	setup_libbpf();
	skel = htab_dynkey_bench__open();
	if (!skel)
		die("failed to open skeleton", -errno);
	if (update)
		prog = args.padded ? skel->progs.update_padded : skel->progs.update_dynptr;
	else
		prog = args.padded ? skel->progs.lookup_padded : skel->progs.lookup_dynptr;
	bpf_object__for_each_program(p, skel->obj)
		bpf_program__set_autoload(p, p == prog);
	bpf_map__set_max_entries(skel->maps.strings, args.entries);
	bpf_map__set_max_entries(skel->maps.dynptr, args.entries);
	bpf_map__set_max_entries(skel->maps.padded, args.entries);
	bpf_map__set_key_size(skel->maps.padded, args.max_len);
	skel->data->n_strings = args.entries;
	err = htab_dynkey_bench__load(skel);
	if (err)
		die("failed to load skeleton", err);
	srandom(1);
	for (i = 0; i < args.entries; i++)
		add_string(i);
	if (!bpf_program__attach(prog))
		die("failed to attach program", -errno);
}

static void setup_lookup(void)
{
	setup(false);
}

static void setup_update(void)
{
	setup(true);
}

static void *producer(void *input)
{
	while (true)
		syscall(__NR_getpgid);
	return NULL;
}

static void measure(struct bench_res *res)
{
	res->hits = atomic_swap(&skel->bss->hits, 0);
	/* an element that is missing, or memory: then the rate means something else */
	res->drops = atomic_swap(&skel->bss->failed, 0);
}

const struct bench bench_htab_dynkey_lookup = {
	.name = "htab-dynkey-lookup",
	.argp = &bench_htab_dynkey_argp,
	.validate = validate,
	.setup = setup_lookup,
	.producer_thread = producer,
	.measure = measure,
	.report_progress = hits_drops_report_progress,
	.report_final = hits_drops_report_final,
};

const struct bench bench_htab_dynkey_update = {
	.name = "htab-dynkey-update",
	.argp = &bench_htab_dynkey_argp,
	.validate = validate,
	.setup = setup_update,
	.producer_thread = producer,
	.measure = measure,
	.report_progress = hits_drops_report_progress,
	.report_final = hits_drops_report_final,
};
