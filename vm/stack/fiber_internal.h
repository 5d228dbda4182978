/* fiber_internal.h - the table of fibers. Private to fiber.c (switches) and fiber_gc.c (what the
 * collector sees of them). */
#ifndef BACTRIAN_VM_STACK_FIBER_INTERNAL_H
#define BACTRIAN_VM_STACK_FIBER_INTERNAL_H

#include "gc/roots.h"
#include "vm/stack/fiber.h"

/* What marking knows of a fiber. The two colours change roles when marking starts. */
enum { FIBER_COLOUR_0, FIBER_COLOUR_1, FIBER_COLOUR_SCANNED /* FB5 */ };

/* Apart from struct vm_fiber, since collections look at every one. */
struct vm_fiber_status {
    uint8_t state : 3; /* enum vm_fiber_state */
    uint8_t colour : 2;
    uint8_t dirty : 1;     /* it is in the list of dirty fibers */
    uint8_t in_marked : 1; /* it is in the list of those to be scanned */
};

struct vm_fibers {
    struct vm *vm;
    struct vm_fiber *table; /* reserved: fibers do not move */
    struct vm_fiber_status *status;
    uint32_t count, capacity; /* rows in use, row 0 not among them */
    uint32_t free;            /* the first of the free rows */
    uint32_t dirty, marked;   /* FB4, FB5: the first of each list */
    uint8_t colour;           /* what marking has reached, or need not */
    unsigned rounds;          /* of this minor collection */
    size_t buffer_words;      /* of all buffers */
    size_t kept_words;        /* of those of free fibers */
    struct gc_continuations continuations;
    struct gc_check_budget checked;
};

/* Its row in the table. GC: never. */
static inline uint32_t vm_fiber_index(const struct vm_fibers *t, const struct vm_fiber *f) {
    return (uint32_t)(f - t->table);
}

/* The collector's view of a new machine's fibers. GC: never. */
void vm_fibers_register(struct vm_fibers *t);
/* f has, or may have, young values from now on. GC: never. */
static inline void vm_fiber_make_dirty(struct vm_fibers *t, uint32_t index) {
    if (t->status[index].dirty) return;
    t->status[index].dirty = true;
    t->table[index].next_dirty = t->dirty;
    t->dirty = index;
}
/* While marking: the values of fiber index are to be marked. GC: never. */
void vm_fiber_darken(struct vm_fibers *t, uint32_t index);
/* While marking: words that are about to leave f (FB5), or a handler to be called. GC: never. */
void vm_fiber_preserve(struct vm_fibers *t, const struct vm_fiber *f, const value *from,
                       const value *to);
/* Frees f and what is behind it in its chain. GC: never. */
void vm_fiber_free_chain(struct vm_fibers *t, uint32_t index);

#endif
