// SPDX-License-Identifier: GPL-2.0-only
/// A KUnit case goes on after a failed KUNIT_EXPECT_*(). What is dereferenced
/// afterwards must be checked with KUNIT_ASSERT_*(), which ends the case: a
/// failure then fails one case and not the kernel under all others.
// Options: --no-includes

virtual report

@r@
expression test, ptr;
identifier fld;
position p;
@@
(
 KUNIT_EXPECT_NOT_NULL@p(test, ptr);
|
 KUNIT_EXPECT_NOT_ERR_OR_NULL@p(test, ptr);
|
 KUNIT_EXPECT_PTR_NE@p(test, ptr, NULL);
|
 KUNIT_EXPECT_FALSE@p(test, IS_ERR(ptr));
)
 ... when != ptr = ...
     when != if (!ptr) { ... return ...; }
     when != if (IS_ERR(ptr)) { ... return ...; }
     when != if (IS_ERR_OR_NULL(ptr)) { ... return ...; }
(
 ptr->fld
|
 *ptr
|
 ptr[...]
)

@script:python depends on report@
p << r.p;
ptr << r.ptr;
@@
coccilib.report.print_report(p[0], "%s is used afterwards: KUNIT_ASSERT" % ptr)
