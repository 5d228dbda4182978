/* selfcheck.c - checks the invariants of threads (TH1, TH2), with --gc-verify. */
#include "vm/base/os.h"
#include "vm/state/vm.h"
#include "vm/thread/thread_internal.h"

static void check_no_young(const struct domain *d, const value *from, const value *to) {
    for (; from < to; from++)
        vm_require(is_int(*from) || !gc_is_young(&d->gc, *from),
                   "TH2: a young block of a thread that is not dirty");
}

static void check_no_young_roots(const struct domain *d, const struct gc_local_roots *r) {
    for (; r != NULL; r = r->next)
        for (intptr_t i = 0; i < r->ntables; i++)
            check_no_young(d, r->tables[i], r->tables[i] + r->nitems);
}

static void check_clean(const struct domain *d, const struct vm_thread *t) {
    check_no_young(d, t->context.stack.sp, t->context.stack.high);
    check_no_young(d, &t->handle, &t->handle + 1);
    check_no_young_roots(d, t->local_roots);
    check_no_young_roots(d, t->abi_roots);
}

void vm_selfcheck_threads(struct vm_threads *threads) {
    const struct domain *d = threads->domain;
    vm_require(d->thread == threads->owner && d->thread == threads->latest,
               "TH1: the domain's thread does not hold the runtime lock");
    size_t words = 0;
    for (const struct vm_thread *t = threads->all; t != NULL; t = t->next)
        words += (size_t)(t->context.stack.high - t->context.stack.sp);
    if (!gc_check_due(&threads->domain->gc, &threads->checked, words)) return;
    for (const struct vm_thread *t = threads->all; t != NULL; t = t->next) {
        if (t == d->thread) continue;
        vm_require(t->context.stack.low != d->stack.low, "TH1: two threads have one stack");
        if (!t->dirty) check_clean(d, t);
    }
}
