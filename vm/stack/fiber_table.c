/* fiber_table.c - the table of fibers (vm/stack/fiber.h): their handles, creation, end and buffers.
 */
#include "gc/containers.h"
#include "gc/heap.h"
#include "vm/base/os.h"
#include "vm/stack/fiber_internal.h"
#include "vm/stack/frame_layout.h"
#include "vm/stack/raise.h"
#include "vm/stack/stack.h"

#include <stdlib.h>
#include <string.h>

enum {
    SENTINEL_WORDS = 2, /* the return frame at the end, whose third word is never read */
    FIRST_BUFFER_WORDS = IF_SMALL_TABLES(1, 5),
};
#define MOST_FIBERS       ((size_t)1 << 28)
#define MOST_BUFFER_WORDS ((size_t)UINT32_MAX / 2)

/* ---- The table. ---- */

static size_t row_bytes(size_t rows) {
    const struct vm_fibers *t;
    return rows * (sizeof *t->table + sizeof *t->marked + sizeof *t->dirty + sizeof *t->status);
}

static struct vm_fibers *create_table(struct vm *vm) {
    struct vm_fibers *t = calloc(1, sizeof *t);
    size_t bytes = row_bytes(MOST_FIBERS);
    if (t == NULL) return NULL;
    t->table = vm_reserve(&bytes, row_bytes(1024));
    if (t->table == NULL) {
        free(t);
        return NULL;
    }
    t->vm = vm;
    t->capacity = (uint32_t)(bytes / row_bytes(1));
    t->marked = (struct vm_marked_fiber *)(t->table + t->capacity);
    t->dirty = (uint32_t *)(t->marked + t->capacity);
    t->status = (struct vm_fiber_status *)(t->dirty + t->capacity);
    t->count = 1;
    vm_fibers_register(t);
    return vm->fibers = t;
}

static void free_buffer(struct vm_fibers *t, struct vm_fiber *f) {
    if (f->end == NULL) return;
    gc_external_uncharge(t->vm->domain->gc.heap, 8 * ((size_t)f->capacity + SENTINEL_WORDS));
    t->buffer_words -= f->capacity;
    free(f->end - f->capacity);
    f->end = NULL;
    f->capacity = 0;
}

void vm_fibers_destroy(struct vm *vm) {
    struct vm_fibers *t = vm->fibers;
    if (t == NULL) return;
    for (uint32_t i = 1; i < t->count; i++) free_buffer(t, &t->table[i]);
    vm_release(t->table, row_bytes(t->capacity));
    free(t);
    vm->fibers = NULL;
}

struct vm_fiber *vm_fiber_at(const struct vm *vm, uint32_t index) {
    ASSERT(vm->fibers != NULL && index != NO_FIBER && index < vm->fibers->count);
    return &vm->fibers->table[index];
}

enum vm_fiber_state vm_fiber_state(const struct vm *vm, uint32_t index) {
    return vm->fibers->status[index].state;
}

/* ---- Handles. ---- */

static void report_left(struct vm_fibers *t, uint32_t index) {
    const struct vm_profiler *profiler = &t->vm->profiler;
    t->status[index].reported = false;
    if (profiler->fiber_left != NULL) profiler->fiber_left(profiler->state, &t->table[index]);
}

/* The chain of a continuation leaves it. */
static __attribute__((noinline)) void report_chain_left(struct vm_fibers *t, uint32_t index) {
    for (; index != NO_FIBER; index = t->table[index].outer)
        if (t->status[index].reported) report_left(t, index);
}

struct vm_fiber *vm_fiber_taken(const struct vm *vm, value handle) {
    return vm_fiber_find(vm->fibers, handle, FIBER_TAKEN);
}

struct vm_fiber *vm_fiber_of_cont(const struct vm *vm, value cont) {
    return vm_fiber_leading(vm->fibers, cont);
}

static inline value take(const struct vm_fibers *t, struct vm_fiber *f, uint32_t index,
                         value cont) {
    __builtin_prefetch(f->end - f->used); /* RESUME will read it */
    field(cont, 0) = val_of_int(0);       /* in place of another integer */
    vm_fiber_next_generation(f);
    value handle = vm_fiber_handle(f, index);
    t->status[index].state = FIBER_TAKEN;
    return handle;
}

/* The same if the profiler or marking must be notified. */
static __attribute__((noinline)) value take_watched(struct vm_fibers *t, struct vm_fiber *f,
                                                    value cont) {
    uint32_t index = vm_fiber_index(t, f);
    if (t->status[index].reported) report_chain_left(t, index);
    if (t->vm->domain->gc.marking) vm_fiber_darken(t, index);
    return take(t, f, index, cont);
}

value vm_fiber_take(struct domain *d, value cont) {
    struct vm_fibers *t = d->vm->fibers;
    struct vm_fiber *f = vm_fiber_leading(t, cont);
    if (f == NULL) return val_of_int(0);
    uint32_t index = vm_fiber_index_of(field(cont, 0));
    if (t->status[index].reported || d->gc.marking) return take_watched(t, f, cont);
    return take(t, f, index, cont);
}

void vm_fiber_keep(struct domain *d, value v) {
    struct vm_fiber *f = vm_fiber_of_cont(d->vm, v);
    /* Minor collections no longer free it with v alone (FB3). */
    if (f != NULL) f->end[-(ptrdiff_t)f->used] = val_of_int(0);
}

void vm_fiber_set_handlers(struct domain *d, value handle, const value *handlers) {
    struct vm_fibers *t = d->vm->fibers;
    const struct vm_fiber *f = vm_fiber_taken(d->vm, handle);
    ASSERT(f != NULL);
    uint32_t index = f->outermost;
    struct vm_fiber *outermost = &t->table[index];
    vm_fiber_preserve(t, outermost, outermost->handlers, outermost->handlers + FIBER_HANDLERS);
    memcpy(outermost->handlers, handlers, sizeof outermost->handlers);
    t->status[index].handlers_clean = false;
    vm_fiber_make_dirty(t, index, t->status[index].state);
}

/* ---- Creation and end. ---- */

/* Makes row `index`, which is free, a new fiber; its handle. */
static inline value begin(struct vm_fibers *t, uint32_t index, value on_value, value on_exception,
                          value on_effect) {
    struct vm_fiber *f = &t->table[index];
    ASSERT(t->status[index].state == FIBER_FREE);
    f->handlers[FIBER_ON_VALUE] = on_value;
    f->handlers[FIBER_ON_EXCEPTION] = on_exception;
    f->handlers[FIBER_ON_EFFECT] = on_effect;
    f->used = f->trap = f->rest = f->clean = 0;
    f->outer = NO_FIBER;
    f->outermost = index;
    vm_fiber_next_generation(f);
    ASSERT(t->status[index].colour == t->colour);
    t->status[index].handlers_clean = false;
    vm_fiber_make_dirty(t, index, FIBER_TAKEN);
    return vm_fiber_handle(f, index);
}

/* The same in a row that was never used. */
static __attribute__((noinline)) value begin_another(struct domain *d, value on_value,
                                                     value on_exception, value on_effect) {
    GC_ROOT(&d->gc, &on_value, &on_exception, &on_effect);
    struct vm_fibers *t = d->vm->fibers;
    if (t == NULL) t = create_table(d->vm);
    if (t == NULL || t->count == t->capacity || !gc_external_charge(&d->gc, row_bytes(1)))
        vm_raise_out_of_memory(d);
    t->status[t->count].colour = t->colour;
    return begin(t, t->count++, on_value, on_exception, on_effect);
}

value vm_fiber_new(struct domain *d, value on_value, value on_exception, value on_effect) {
    struct vm_fibers *t = d->vm->fibers;
    if (t == NULL || t->free == NO_FIBER)
        return begin_another(d, on_value, on_exception, on_effect);
    uint32_t index = t->free;
    t->free = t->table[index].outer;
    t->kept_words -= t->table[index].capacity;
    return begin(t, index, on_value, on_exception, on_effect);
}

void vm_fiber_free(struct vm_fibers *t, struct vm_fiber *f) {
    struct vm_fiber_status *s = &t->status[vm_fiber_index(t, f)];
    if (s->reported) report_left(t, vm_fiber_index(t, f));
    if (!vm_fiber_is_kept(t, f)) free_buffer(t, f);
    s->colour = t->colour;
    vm_fiber_free_common(t, f);
}

void vm_fiber_free_chain(struct vm_fibers *t, uint32_t index) {
    while (index != NO_FIBER) {
        struct vm_fiber *f = &t->table[index];
        index = f->outer;
        vm_fiber_free(t, f);
    }
}

void vm_fiber_drop(struct domain *d, struct vm_fiber *f) {
    vm_fiber_free_chain(d->vm->fibers, vm_fiber_index(d->vm->fibers, f));
}

void vm_fibers_abandon(struct domain *d, uintptr_t boundary) {
    while (d->stack.boundary > boundary) {
        const value *b = vm_boundary(d);
        d->stack.boundary = (uintptr_t)int_of_val(b[BOUNDARY_OUTER]);
        vm_fiber_drop(d, vm_fiber_of_boundary(b));
    }
    if (d->stack.limit_boundary <= d->stack.boundary) return;
    d->stack.limit_boundary = d->stack.boundary;
    vm_stack_apply_limit(d);
}

/* ---- Buffers. ---- */

/* Makes room for `words` in f's buffer. */
static void widen(struct domain *d, struct vm_fiber *f, size_t words) {
    size_t capacity = words < FIRST_BUFFER_WORDS ? FIRST_BUFFER_WORDS : words;
    if (f->end != NULL && capacity < f->capacity + f->capacity / 2)
        capacity = f->capacity + f->capacity / 2;
    if (!GC_SMALL_TABLES)
        capacity |= 1; /* with the sentinel and malloc's word: 16 bytes' multiple */
    if (capacity > MOST_BUFFER_WORDS || !gc_external_charge(&d->gc, 8 * (capacity - f->capacity)))
        vm_raise_out_of_memory(d);
    value *start = malloc(8 * (capacity + SENTINEL_WORDS));
    if (start == NULL || (f->end == NULL && !gc_external_charge(&d->gc, 8 * SENTINEL_WORDS))) {
        free(start);
        gc_external_uncharge(d->gc.heap, 8 * (capacity - f->capacity));
        vm_raise_out_of_memory(d);
    }
    value *end = start + capacity;
    if (f->end != NULL) {
        memcpy(end - f->used, f->end - f->used, 8 * (size_t)f->used);
        free(f->end - f->capacity);
    }
    end[BOUNDARY_CODE] = word_of_resume(d->vm->fiber_code);
    end[BOUNDARY_FIBER] = (value)f | 1;
    struct vm_fibers *t = d->vm->fibers;
    t->buffer_words += capacity - f->capacity;
    t->status[vm_fiber_index(t, f)].charged = false;
    f->end = end;
    f->capacity = (uint32_t)capacity;
}

void vm_fiber_reserve(struct domain *d) {
    const value *b = vm_boundary(d);
    struct vm_fiber *f = vm_fiber_of_boundary(b);
    /* The registers that are saved at sp (E2) take as much as a return frame. */
    size_t wanted = f->used + (size_t)(b - d->stack.sp) - SAVED_WORDS + FIBER_TOP_WORDS;
    if (wanted > f->capacity) widen(d, f, wanted);
}
