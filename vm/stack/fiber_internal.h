/* fiber_internal.h - the table of fibers. Private to fiber.c (switches), fiber_table.c (creation
 * and end) and fiber_gc.c (the collector's visits). */
#ifndef BACTRIAN_VM_STACK_FIBER_INTERNAL_H
#define BACTRIAN_VM_STACK_FIBER_INTERNAL_H

#include "gc/roots.h"
#include "vm/stack/fiber.h"

/* The colour of a fiber. The first two change roles when marking starts; a FREE fiber always has
 * the colour that marking need not reach. */
enum { FIBER_COLOUR_0, FIBER_COLOUR_1, FIBER_COLOUR_SCANNED /* FB5 */ };

/* Separate from struct vm_fiber, since collections read all of them. */
struct vm_fiber_status {
    uint8_t state; /* enum vm_fiber_state; a byte of its own, as each switch stores it */
    uint8_t colour : 2;
    uint8_t dirty : 1;          /* it is in the list of dirty fibers */
    uint8_t in_marked : 1;      /* it is in the list of those to be scanned */
    uint8_t handlers_clean : 1; /* FB4 */
    uint8_t charged : 1;        /* its buffer has been charged to the major cycle */
    uint8_t reported : 1; /* it, or one outside it in its chain: vm_profiler.fiber_left follows */
};
/* A fiber that marking has reached. */
struct vm_marked_fiber {
    uint32_t index;
    uint32_t scanned; /* the outermost words that have been visited */
};

struct vm_fibers {
    struct vm *vm;
    struct vm_fiber *table; /* reserved, like the next three: fibers do not move */
    struct vm_fiber_status *status;
    struct vm_marked_fiber *marked; /* FB5; the last one is scanned first */
    uint32_t *dirty;                /* FB4: indices */
    uint32_t marked_count, dirty_count;
    uint32_t count, capacity; /* rows in use, row 0, which is FREE, among them */
    uint32_t free;            /* the first of the free rows */
    uint8_t colour;           /* of fibers that marking has reached, or need not reach */
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

/* The handle of fiber f, which has that index. GC: never. */
static inline value vm_fiber_handle(const struct vm_fiber *f, uint32_t index) {
    return val_of_int((intptr_t)f->generation << 32 | index);
}
/* The index in a handle. GC: never. */
static inline uint32_t vm_fiber_index_of(value handle) { return (uint32_t)((uint64_t)handle >> 1); }
/* The handles of f are no longer valid. GC: never. */
static inline void vm_fiber_next_generation(struct vm_fiber *f) {
    enum { LAST = 1 << 29 };
    f->generation = (f->generation & (LAST - 1)) + 1;
}
/* The fiber of handle v, any value, in that state, which is not FREE; NULL: it is not one.
 * GC: never. */
static inline struct vm_fiber *vm_fiber_find(const struct vm_fibers *t, value v,
                                             enum vm_fiber_state state) {
    uint32_t index = vm_fiber_index_of(v);
    if (t == NULL || index >= t->count) return NULL;
    struct vm_fiber *f = &t->table[index];
    return vm_fiber_handle(f, index) == v && t->status[index].state == state ? f : NULL;
}
/* The fiber that leads the chain of continuation cont, which may be any value. NULL: there is none.
 * GC: never. */
static inline struct vm_fiber *vm_fiber_leading(const struct vm_fibers *t, value cont) {
    if (is_int(cont) || tag_of(cont) != TAG_CONT) return NULL;
    return vm_fiber_find(t, field(cont, 0), FIBER_LEADING);
}

/* The collector's view of a new machine's fibers. GC: never. */
void vm_fibers_register(struct vm_fibers *t);
/* The fiber is now in that state, and has, or may have, young values. GC: never. */
static inline void vm_fiber_make_dirty(struct vm_fibers *t, uint32_t index,
                                       enum vm_fiber_state state) {
    struct vm_fiber_status *s = &t->status[index];
    s->state = state;
    if (s->dirty) return;
    t->dirty[t->dirty_count++] = index;
    s->dirty = true;
}
/* While marking: the values of fiber index are to be marked. GC: never. */
void vm_fiber_darken(struct vm_fibers *t, uint32_t index);
/* While marking: words that are about to leave f (FB5), or a handler to be called. GC: never. */
void vm_fiber_preserve(struct vm_fibers *t, const struct vm_fiber *f, const value *from,
                       const value *to);
/* Frees f alone. GC: never. */
void vm_fiber_free(struct vm_fibers *t, struct vm_fiber *f);
/* Whether free fiber f may keep its buffer, and no profiler is to be notified. GC: never. */
static inline bool vm_fiber_is_kept(const struct vm_fibers *t, const struct vm_fiber *f) {
    /* Buffers that free fibers keep for reuse: of each, and all together. */
    enum {
        KEPT_BUFFER_WORDS = IF_SMALL_TABLES(8, 1024),
        MOST_WORDS = IF_SMALL_TABLES(64, 1 << 16)
    };
    return f->capacity <= KEPT_BUFFER_WORDS && t->kept_words + f->capacity <= MOST_WORDS &&
           !t->status[vm_fiber_index(t, f)].reported;
}
/* vm_fiber_free where vm_fiber_is_kept, while not marking. GC: never. */
static inline void vm_fiber_free_common(struct vm_fibers *t, struct vm_fiber *f) {
    uint32_t index = vm_fiber_index(t, f);
    ASSERT(t->status[index].state != FIBER_FREE && t->status[index].colour == t->colour);
    t->kept_words += f->capacity;
    f->used = 0;
    t->status[index].state = FIBER_FREE;
    f->outer = t->free;
    t->free = index;
}
/* Frees f and the fibers outside it in its chain. GC: never. */
void vm_fiber_free_chain(struct vm_fibers *t, uint32_t index);

#endif
