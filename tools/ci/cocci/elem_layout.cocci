// SPDX-License-Identifier: GPL-2.0-only
/// Where things stand in an element of a hash map is for kernel/bpf/htab_elem.h
/// to say, and for nobody else: an offset that is worked out elsewhere is the one
/// that the next change of the layout forgets.
// Options: --no-includes

virtual report

@r@
struct htab_elem *l;
struct htab_elem_lru *lru;
struct htab_elem_pcpu *pcpu;
expression e;
type T;
position p;
identifier fld;
@@
(
 (T *)l +@p e
|
 (T *)lru +@p e
|
 (T *)pcpu +@p e
|
 l +@p e
|
 lru +@p e
|
 pcpu +@p e
|
 sizeof@p(struct htab_elem)
|
 sizeof@p(struct htab_elem_lru)
|
 sizeof@p(struct htab_elem_pcpu)
|
 offsetof@p(struct htab_elem, fld)
|
 offsetof@p(struct htab_elem_lru, fld)
|
 offsetof@p(struct htab_elem_pcpu, fld)
|
 offsetof@p(struct htab_elem_lru, fld.ref)
)

@script:python depends on report@
p << r.p;
@@
if not p[0].file.endswith("htab_elem.h"):
    coccilib.report.print_report(p[0], "layout of an element outside of htab_elem.h")
