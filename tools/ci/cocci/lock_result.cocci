// SPDX-License-Identifier: GPL-2.0-only
/// The lock of a bucket can be refused (-EDEADLK, -ETIMEDOUT). Whoever goes on
/// without looking at the answer changes a bucket that is not locked, and then
/// gives back a lock that is not held.
// Options: --no-includes

virtual report

@r@
position p;
expression list args;
identifier lock =~ "^(htab_lock_bucket|htab_hook_lock_bucket|raw_res_spin_lock|raw_res_spin_lock_irqsave)$";
@@
 lock@p(args);

@script:python depends on report@
p << r.p;
lock << r.lock;
@@
coccilib.report.print_report(p[0], "the result of %s() is not looked at" % lock)
