// SPDX-License-Identifier: GPL-2.0-only
/// Elements of a map can take more than 4 GiB together, while an index and the
/// size of an element are 32 bits wide each. Their product must be made of 64
/// bits: cast one of them to u64 first.
// Options: --no-includes

virtual report

@fine disable drop_cast@
typedef u64;
expression i, e;
identifier size =~ "^(elem_size|value_size|key_size)$";
position p;
u64 wide;
@@
(
 wide * e->size@p
|
 e->size@p * wide
|
 (u64)(i) * e->size@p
|
 (u64)i * e->size@p
|
 (size_t)i * e->size@p
)

@r disable drop_cast@
expression i, e;
identifier size =~ "^(elem_size|value_size|key_size)$";
constant C;
position p != fine.p;
@@
(
 C * e->size
|
 e->size * C
|
 i * e->size@p
|
 e->size@p * i
)

@script:python depends on report@
p << r.p;
size << r.size;
@@
coccilib.report.print_report(p[0], "a product with %s of 32 bits" % size)
