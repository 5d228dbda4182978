/* prim_watch.c - checks that primitives do only what their rows say (vm/stack/prim_watch.h). */
#include "vm/stack/prim_watch.h"

#include "vm/stack/frame_layout.h"
#include "vm/state/domain.h"

#ifdef BACTRIAN_ASSERTIONS
#include "gc/stats.h"
#include "vm/code/kinds.h"

#include <stdio.h>
#include <stdlib.h>

static size_t collections(const struct domain *d) {
    struct gc_stats stats = gc_stats_read(&d->gc);
    return stats.minor_collections + stats.major_collections + stats.compactions;
}

static void require(const struct vm_prim *row, enum vm_effect effect) {
    static const char *const effects[] = {
        [PRIM_LEAF] = "PRIM_LEAF",
        [PRIM_RAISES] = "PRIM_RAISES",
        [PRIM_ALLOCATES] = "PRIM_ALLOCATES",
        [PRIM_CALLS] = "PRIM_CALLS",
    };
    if ((row->flags & PRIM_EFFECT) >= effect) return;
    fprintf(stderr, "%s: its row has %s, its call had %s\n", row->name,
            effects[row->flags & PRIM_EFFECT], effects[effect]);
    abort();
}

static bool has_kind(const struct domain *d, char kind, value v) {
    if (kind == 'u') return v == VAL_UNIT;
    return kind != 'x' && vm_kind_accepts(d, kind, v);
}

void vm_watch_call(struct domain *d, const struct vm_prim *row) {
    d->activation->watch = (struct vm_prim_watch){row, d->gc.young_ptr, collections(d), false};
}

void vm_watch_return(struct domain *d, value result) {
    struct vm_prim_watch *watch = &d->activation->watch;
    if (watch->row == NULL) return; /* a stub */
    if (watch->called) require(watch->row, PRIM_CALLS);
    if (watch->young_ptr != d->gc.young_ptr || watch->collections != collections(d))
        require(watch->row, PRIM_ALLOCATES);
    if (!has_kind(d, watch->row->result, result)) {
        fprintf(stderr, "%s: its result is not of the kind %c\n", watch->row->name,
                watch->row->result);
        abort();
    }
    watch->row = NULL;
}

void vm_watch_raised(struct vm_prim_watch *watch) {
    if (watch->row != NULL) require(watch->row, PRIM_RAISES);
    watch->row = NULL;
}

void vm_watch_ocaml(struct domain *d) {
    struct vm_activation *activation = d->activation;
    while (activation != NULL && activation->watch.row == NULL) activation = activation->outer;
    if (activation != NULL) activation->watch.called = true;
}
#endif
