/* verify_tables.c - the heap verifier: roots, ephemerons, finalisers, custom blocks. */
#include "gc/verify_internal.h"
#include "gc/weak.h"

#include <stdlib.h>

/* ---- Roots: G4 and M1 hold for them as for fields ---- */

struct root_visitor {
    struct gc_visitor visitor;
    const struct gc_checker *c;
};

static void check_slots(struct gc_visitor *visitor, value *from, value *to) {
    const struct gc_checker *c = ((struct root_visitor *)visitor)->c;
    for (; from < to; from++) gc_verify_word(c, *from, "root", (uintptr_t)from);
}

static void check_roots(const struct gc_checker *c) {
    struct root_visitor v = {.visitor = {.slots = check_slots}, .c = c};
    for (size_t i = 0; i < c->heap->scanner_count; i++)
        c->heap->scanners[i].scan(c->heap->scanners[i].context, &v.visitor);
    for (const struct gc_local_roots *r = c->g->local_roots; r != NULL; r = r->next)
        for (intptr_t t = 0; t < r->ntables; t++)
            check_slots(&v.visitor, r->tables[t], r->tables[t] + r->nitems);
    const struct gc_root_set *sets[] = {&c->heap->roots, &c->heap->plain_roots};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < sets[k]->capacity; i++) {
            value *slot = sets[k]->slots[i];
            if ((uintptr_t)slot > 1) check_slots(&v.visitor, slot, slot + 1);
        }
}

/* ---- Ephemerons ---- */

static int compare_pairs(const void *a, const void *b) {
    const uintptr_t *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

static void check_ephemeron(const struct gc_checker *c, size_t n, const uintptr_t *young) {
    const struct gc_weak *weak = &c->heap->weak;
    value e = (value)weak->all.items[n];
    if (!gc_verify_is_block(c, e) || tag_of(e) != TAG_ABSTRACT || wosize_of(e) < EPHE_FIRST_KEY ||
        field(e, EPHE_LINK) != val_of_int((intptr_t)n) || gc_verify_is_dead(c, e)) /* W3 */
        gc_verify_fail(c, "W3", "ephemeron %zu at %#zx is none, or not number %zu", n, (size_t)e,
                       n);
    for (size_t i = EPHE_DATA; i < wosize_of(e); i++) {
        value v = field(e, i);
        if (!gc_is_heap_block(c->g, v)) continue;
        if (!gc_verify_is_block(c, v) || gc_verify_is_dead(c, v)) /* W1 */
            gc_verify_fail(c, "W1", "slot %zu of ephemeron %#zx holds dead %#zx", i, (size_t)e,
                           (size_t)v);
        uintptr_t pair[2] = {(uintptr_t)e, i};
        if (gc_is_young(c->g, v) &&
            bsearch(pair, young, weak->young.count / 2, 16, compare_pairs) == NULL) /* W4 */
            gc_verify_fail(c, "W4", "slot %zu of ephemeron %#zx holds young %#zx unremembered", i,
                           (size_t)e, (size_t)v);
    }
}

static void check_ephemerons(const struct gc_checker *c) {
    const struct gc_weak *weak = &c->heap->weak;
    size_t bytes = 8 * weak->young.count;
    uintptr_t *young = malloc(bytes + 8);
    if (young == NULL) gc_fatal_no_memory("verifying the heap");
    if (bytes > 0) memcpy(young, weak->young.items, bytes);
    qsort(young, weak->young.count / 2, 16, compare_pairs);
    for (size_t n = 0; n < weak->all.count; n++) check_ephemeron(c, n, young);
    free(young);
}

/* ---- Finalisers ---- */

static void check_functions(const struct gc_checker *c, const struct gc_final_table *table) {
    for (size_t i = 0; i < table->count; i++) {
        value f = table->items[i].function;
        gc_verify_word(c, f, "finaliser", i);
        if (i < table->old && is_block(f) && gc_is_young(c->g, f)) /* F3 */
            gc_verify_fail(c, "F3", "function %zu is young", i);
    }
}

static void check_arguments(const struct gc_checker *c, const struct gc_final_table *table,
                            const char *invariant) {
    for (size_t i = 0; i < table->count; i++) {
        value v = table->items[i].argument;
        if (!gc_verify_is_block(c, v) || gc_verify_is_dead(c, v))
            gc_verify_fail(c, invariant, "the finalised value %zu at %#zx is dead", i, (size_t)v);
        if (i < table->old && gc_is_young(c->g, v)) /* F3 */
            gc_verify_fail(c, "F3", "the finalised value %zu at %#zx is young", i, (size_t)v);
    }
}

static void check_finalisers(const struct gc_checker *c) {
    const struct gc_final *final = &c->heap->final;
    if (final->due.capacity < final->due.count + final->first.count + final->last.count) /* F4 */
        gc_verify_fail(c, "F4", "the due queue has room for %zu items only", final->due.capacity);
    check_functions(c, &final->first);
    check_functions(c, &final->last);
    check_arguments(c, &final->first, "F1");
    check_arguments(c, &final->last, "F2");
    for (size_t i = final->due_taken; i < final->due.count; i++) {
        gc_verify_word(c, final->due.items[i].function, "due finaliser", i);
        gc_verify_word(c, final->due.items[i].argument, "due finaliser", i);
    }
}

/* ---- Custom blocks ---- */

static int compare_words(const void *a, const void *b) {
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return (x > y) - (x < y);
}

static void check_customs(const struct gc_checker *c) {
    const struct gc_words *old = &c->heap->custom.old;
    if (old->capacity - old->count < c->heap->custom.young.count / 3) /* X2 */
        gc_verify_fail(c, "X2", "no room for the young custom blocks among %zu old ones",
                       old->count);
    uintptr_t *sorted = malloc(8 * old->count + 8);
    if (sorted == NULL) gc_fatal_no_memory("verifying the heap");
    if (old->count > 0) memcpy(sorted, old->items, 8 * old->count);
    qsort(sorted, old->count, 8, compare_words);
    for (size_t i = 0; i < old->count; i++) {
        value v = (value)sorted[i];
        if (!gc_is_major_block(c->heap, v) || !gc_verify_is_block(c, v) ||
            tag_of(v) != TAG_CUSTOM || custom_ops(v)->finalize == NULL ||
            gc_verify_is_dead(c, v)) /* X1 */
            gc_verify_fail(c, "X1", "%#zx is no living custom block", (size_t)v);
        if (i > 0 && sorted[i] == sorted[i - 1]) /* X1 */
            gc_verify_fail(c, "X1", "custom block %#zx is entered twice", (size_t)v);
    }
    free(sorted);
}

void gc_verify_tables(const struct gc_checker *c) {
    check_roots(c);
    check_ephemerons(c);
    check_finalisers(c);
    check_customs(c);
}
