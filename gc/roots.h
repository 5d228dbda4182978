/* roots.h - how C code and the machine tell the collector what is alive.
 *
 * Three kinds of roots: local roots of C functions (a chain of stack-allocated frames), registered
 * slots (global roots, plain or generational), and scanners (functions that enumerate slots: VM
 * stacks, tables).
 *
 * R1  A C function that holds a value in a variable across a call marked "GC: may run" roots that
 *     variable.
 * R2  The function that catches a raise restores the chain of local roots (vm/stack/raise.c), so a
 *     function that is left by a raise needs no clean-up.
 * R3  A value that is read from an incrementally scanned root, to be used or kept elsewhere, goes
 *     through gc_keep: the snapshot (M1) may not have it yet. One that is dropped need not. */
#ifndef BACTRIAN_GC_ROOTS_H
#define BACTRIAN_GC_ROOTS_H

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

/* A frame of GC_ROOT and the chain it is in. */
struct gc_root_scope {
    struct gc_local_roots frame;
    struct gc_local_roots **chain;
};
static inline void gc_leave_root_scope(const struct gc_root_scope *scope) {
    *scope->chain = scope->frame.next;
}
/* Roots up to five variables, from here to the end of the block:
 *     GC_ROOT(g, &list, &pair);
 * Each variable is updated in place when its block moves. */
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

/* What a scanner calls for the slots it knows. Slots may hold integers, blocks, or (on VM stacks)
 * words outside the heap's range, which are skipped. */
struct gc_visitor {
    void (*slots)(struct gc_visitor *visitor, value *from, value *to); /* from <= slot < to */
    bool young_only; /* minor collection: slots that can't hold young blocks may be left out */
    bool may_wait;   /* start of marking: late roots may be left out */
    size_t left_out; /* so many were, for the pace; scanners add to it */
};
static inline void gc_visit(struct gc_visitor *visitor, value *slot) {
    visitor->slots(visitor, slot, slot + 1);
}

typedef void gc_scanner(void *context, struct gc_visitor *visitor);
/* Visits some `budget` of the late roots that there were when marking started. Returns how many
 * were looked at, less than budget when none is left. */
typedef size_t gc_incremental_scanner(void *context, struct gc_visitor *visitor, size_t budget);

enum { GC_SCANNERS = 16 }; /* as many as a heap may have */
/* Adds / removes a scanner, called at each minor collection and at the start of each marking.
 * GC: never. Needs: less than GC_SCANNERS are there. */
void gc_add_scanner(struct gc_heap *heap, gc_scanner *scan, void *context);
void gc_remove_scanner(struct gc_heap *heap, gc_scanner *scan, void *context);
/* Adds a scanner that has late roots: so many that marking reads them bit by bit. R3 is its duty.
 * GC: never. Needs: as gc_add_scanner. */
void gc_add_incremental_scanner(struct gc_heap *heap, gc_scanner *scan,
                                gc_incremental_scanner *late, void *context);
/* R3: v was read from a late root. GC: never. */
void gc_keep(struct gc_domain *g, value v);
/* R3: these late roots may change from now on. GC: never. */
void gc_keep_slots(struct gc_domain *g, const value *from, const value *to);

/* Registers / removes *slot as a root that its owner may assign at any time, so that every
 * collection looks at it. GC: never. Fails (registering): out_of_memory upcall. */
void gc_register_plain_root(struct gc_domain *g, value *slot);
void gc_remove_plain_root(struct gc_domain *g, value *slot);

/* Registers / removes *slot as a generational root. Between the two calls *slot changes only
 * through gc_modify_root. GC: never. Fails (registering): out_of_memory upcall. */
void gc_register_root(struct gc_domain *g, value *slot);
void gc_remove_root(struct gc_domain *g, value *slot);
void gc_modify_root(struct gc_domain *g, value *slot, value v);

#endif
