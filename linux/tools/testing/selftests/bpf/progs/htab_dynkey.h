/* SPDX-License-Identifier: GPL-2.0-only */
/* Types that programs and user space share in the tests of dynptr keys. */
#ifndef __HTAB_DYNKEY_H
#define __HTAB_DYNKEY_H

#define HTAB_DYNKEY_DATA	4088

struct htab_dynkey_id {
	int id;
	struct bpf_dynptr name;
};

struct htab_dynkey_two {
	struct htab_dynkey_id f1;
	unsigned long when;
	struct bpf_dynptr tag;
};

/* What a key is made of. Behind its length the data is zero. */
struct htab_dynkey_string {
	unsigned int len;
	char data[HTAB_DYNKEY_DATA];
};

#endif
