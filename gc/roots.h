/* roots.h - how C code and the machine register roots.
 *
 * Three kinds: local roots of C functions (a chain of stack-allocated frames), registered slots,
 * and scanners (functions that enumerate slots: VM stacks, tables).
 *
 * R1  A C function that holds a value in a variable across a call marked "GC: may run" roots that
 *     variable.
 * R2  The function that catches a raise restores the chain of local roots (vm/stack/raise.c), so a
 *     function that is left by a raise needs no clean-up.
 * R3  While marking, a value that is read from an incrementally scanned root, to be used or stored
 *     elsewhere, is passed to gc_preserve: the snapshot (M1) may not contain it yet. This is not
 *     needed for a value that is dropped. */
#ifndef BACTRIAN_GC_ROOTS_H
#define BACTRIAN_GC_ROOTS_H

#include "gc/assert.h"
#include "gc/value.h"

struct gc_heap;
struct gc_domain;

/* A frame of local roots: tables[i][0 .. nitems-1], i < ntables, are roots. The layout is the C
 * ABI's. */
struct gc_local_roots {
    struct gc_local_roots *next;
    intptr_t ntables;
    intptr_t nitems;
    value *tables[5];
};

/* The frame of a GC_ROOT, and the chain that it is in. */
struct gc_root_scope {
    struct gc_local_roots frame;
    struct gc_local_roots **chain;
};
static inline void gc_leave_root_scope(const struct gc_root_scope *scope) {
    ASSERT(*scope->chain == &scope->frame); /* R2 */
    *scope->chain = scope->frame.next;
}
/* Roots up to five variables until the end of the block: GC_ROOT(g, &list, &pair);
 * A variable is updated when its block moves. */
#define GC_ROOT(g, ...)          GC_ROOT_ON(__LINE__, g, __VA_ARGS__)
#define GC_ROOT_ON(line, g, ...) GC_ROOT_AS(line, g, __VA_ARGS__)
#define GC_ROOT_AS(line, g, ...)                                                             \
    __attribute__((cleanup(gc_leave_root_scope))) struct gc_root_scope root_scope_##line = { \
        {(g)->local_roots,                                                                   \
         (intptr_t)(sizeof((value *[]){__VA_ARGS__}) / sizeof(value *)),                     \
         1,                                                                                  \
         {__VA_ARGS__}},                                                                     \
        &(g)->local_roots};                                                                  \
    (g)->local_roots = &root_scope_##line.frame

/* What a scanner passes its slots to. They may hold any words; those that are not heap blocks are
 * skipped. */
struct gc_visitor {
    struct gc_domain *g;                                               /* the collector's own */
    void (*slots)(struct gc_visitor *visitor, value *from, value *to); /* from <= slot < to */
    bool young_only; /* minor collection: slots that hold no young blocks may be omitted */
    bool may_defer;  /* start of marking: incrementally scanned roots may be omitted */
    bool roots_only; /* what continuations lead to is omitted */
    size_t deferred; /* scanners add the number of roots they omitted, for pacing */
};
static inline void gc_visit(struct gc_visitor *visitor, value *slot) {
    visitor->slots(visitor, slot, slot + 1);
}
static inline void gc_visit_frames(struct gc_visitor *visitor, const struct gc_local_roots *frame) {
    for (; frame != NULL; frame = frame->next)
        for (intptr_t t = 0; t < frame->ntables; t++)
            visitor->slots(visitor, frame->tables[t], frame->tables[t] + frame->nitems);
}

typedef void gc_scanner(void *context, struct gc_visitor *visitor);
/* Visits about `budget` of the roots that the scanner omitted when marking started. Returns how
 * many it visited, less than budget when none is left. */
typedef size_t gc_incremental_scanner(void *context, struct gc_visitor *visitor, size_t budget);

enum { GC_SCANNERS = 16 }; /* of a heap, at most */
/* Adds / removes a scanner, called at each minor collection and at the start of each marking. name:
 * a literal, which says what it scans. GC: never. */
void gc_add_scanner(struct gc_heap *heap, const char *name, gc_scanner *scan, void *context);
void gc_remove_scanner(struct gc_heap *heap, gc_scanner *scan, void *context);
/* Adds a scanner with roots that marking scans incrementally. Its owner keeps R3.
 * GC: never. */
void gc_add_incremental_scanner(struct gc_heap *heap, const char *name, gc_scanner *scan,
                                gc_incremental_scanner *scan_some, void *context);
/* R3: v was read from an incrementally scanned root. GC: never. */
void gc_preserve(struct gc_domain *g, value v);
/* R3: these incrementally scanned roots may change from now on. GC: never. */
void gc_preserve_slots(struct gc_domain *g, const value *from, const value *to);

/* A scanner has incrementally scanned roots again, after it had none left. Needs: marking.
 * GC: never. */
void gc_incremental_roots_added(struct gc_domain *g);

/* Continuations: blocks of TAG_CONT, which lead to values outside the heap. The values of a live
 * continuation are roots. A machine without continuations has no such table. */
struct gc_continuations {
    void *context;
    /* Minor collection: visits the values of young continuations that were evacuated since the last
     * call (gc_promoted_copy). False: there were none. */
    bool (*minor_mark)(void *context, struct gc_visitor *visitor);
    /* Then: the other young continuations are dead. */
    void (*minor_done)(void *context);
    /* Marking starts; it has reached nothing yet. */
    void (*mark_start)(void *context);
    /* Marking reached continuation v: its values become incrementally scanned roots. */
    void (*mark)(void *context, value v);
    /* End of marking: continuations that it did not reach are dead. */
    void (*mark_done)(void *context);
};
/* Installs the table; it must outlive the heap. GC: never. */
void gc_set_continuations(struct gc_heap *heap, const struct gc_continuations *continuations);

/* Registers / removes *slot as a root that its owner may assign at any time, so that every
 * collection reads it. GC: never. Fails (registering): out_of_memory upcall. */
void gc_register_mutable_root(struct gc_domain *g, value *slot);
void gc_remove_mutable_root(struct gc_domain *g, value *slot);

/* Registers / removes *slot as a generational root. Between the two calls *slot changes only
 * through gc_modify_root. GC: never. Fails (registering): out_of_memory upcall. */
void gc_register_root(struct gc_domain *g, value *slot);
void gc_remove_root(struct gc_domain *g, value *slot);
void gc_modify_root(struct gc_domain *g, value *slot, value v);

#endif
