/* fiber.c - the table of fibers, and how words move between a stack and a fiber's buffer
 * (vm/stack/fiber.h). */
#include "vm/stack/fiber.h"

#include "gc/heap.h"
#include "gc/small_tables.h"
#include "vm/base/os.h"
#include "vm/code/code.h"
#include "vm/code/decoded.h"
#include "vm/code/pc_map.h"
#include "vm/stack/fiber_internal.h"
#include "vm/stack/frame_layout.h"
#include "vm/stack/raise.h"
#include "vm/stack/watermarks.h"

#include <stdlib.h>
#include <string.h>

enum {
    SENTINEL_WORDS = 3,
    /* A fiber of at most WHOLE_WORDS is resumed as a whole, of a larger one about PART_WORDS. */
    WHOLE_WORDS = IF_SMALL_TABLES(8, 64),
    PART_WORDS = IF_SMALL_TABLES(1, 32),
    FIRST_BUFFER_WORDS = IF_SMALL_TABLES(4, 8),
    /* Buffers that free fibers keep for the next ones: of each, and all together. */
    KEPT_BUFFER_WORDS = 1024,
    ALL_KEPT_WORDS = 1 << 16,
};
#define MOST_FIBERS       ((size_t)1 << 28)
#define MOST_BUFFER_WORDS ((size_t)UINT32_MAX / 2)
#define LAST_GENERATION   ((uint32_t)1 << 29)

/* ---- The table. ---- */

static size_t row_bytes(size_t rows) {
    return rows * (sizeof(struct vm_fiber) + sizeof(struct vm_fiber_status));
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
    t->status = (struct vm_fiber_status *)(t->table + t->capacity);
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

static void set_state(struct vm_fibers *t, const struct vm_fiber *f, enum vm_fiber_state state) {
    t->status[vm_fiber_index(t, f)].state = state;
}

/* ---- Handles. ---- */

static value handle_of(const struct vm_fibers *t, const struct vm_fiber *f) {
    return val_of_int((intptr_t)f->generation << 32 | vm_fiber_index(t, f));
}

/* Its handles are no longer valid. */
static void next_generation(struct vm_fiber *f) {
    f->generation = f->generation == LAST_GENERATION ? 1 : f->generation + 1;
}

/* The fiber of handle v, any value, in that state; NULL: it is none. */
static struct vm_fiber *find(const struct vm *vm, value v, enum vm_fiber_state state) {
    struct vm_fibers *t = vm->fibers;
    if (t == NULL || is_block(v) || v < 0) return NULL;
    uint32_t index = (uint32_t)int_of_val(v);
    if (index == NO_FIBER || index >= t->count) return NULL;
    struct vm_fiber *f = &t->table[index];
    bool valid = t->status[index].state == state && f->generation == (uint64_t)v >> 33;
    return valid ? f : NULL;
}

struct vm_fiber *vm_fiber_taken(const struct vm *vm, value handle) {
    return find(vm, handle, FIBER_TAKEN);
}

struct vm_fiber *vm_fiber_of_cont(const struct vm *vm, value cont) {
    if (is_int(cont) || tag_of(cont) != TAG_CONT) return NULL;
    return find(vm, field(cont, 0), FIBER_LEADING);
}

value vm_fiber_take(struct domain *d, value cont) {
    struct vm_fibers *t = d->vm->fibers;
    struct vm_fiber *f = vm_fiber_of_cont(d->vm, cont);
    if (f == NULL) return val_of_int(0);
    if (d->gc.marking) vm_fiber_darken(t, vm_fiber_index(t, f));
    gc_store(&d->gc, cont, 0, val_of_int(0));
    next_generation(f);
    f->young_cont = 0;
    set_state(t, f, FIBER_TAKEN);
    return handle_of(t, f);
}

void vm_fiber_set_handlers(struct domain *d, value handle, const value *handlers) {
    struct vm_fibers *t = d->vm->fibers;
    const struct vm_fiber *f = find(d->vm, handle, FIBER_TAKEN);
    ASSERT(f != NULL);
    struct vm_fiber *outermost = &t->table[f->outermost];
    vm_fiber_preserve(t, outermost, outermost->handlers, outermost->handlers + FIBER_HANDLERS);
    memcpy(outermost->handlers, handlers, sizeof outermost->handlers);
    vm_fiber_make_dirty(t, f->outermost);
}

/* ---- Creation and end. ---- */

static struct vm_fiber *new_row(struct vm_fibers *t) {
    uint32_t index = t->free;
    ASSERT(index != NO_FIBER || t->count < t->capacity);
    if (index == NO_FIBER) return &t->table[t->count++];
    t->free = t->table[index].outer;
    t->kept_words -= t->table[index].capacity;
    return &t->table[index];
}

value vm_fiber_new(struct domain *d, value on_value, value on_exception, value on_effect) {
    struct vm_fibers *t = d->vm->fibers;
    if (t == NULL || t->free == NO_FIBER) {
        GC_ROOT(&d->gc, &on_value, &on_exception, &on_effect);
        if (t == NULL) t = create_table(d->vm);
        if (t == NULL || t->count == t->capacity || !gc_external_charge(&d->gc, row_bytes(1)))
            vm_raise_out_of_memory(d);
    }
    struct vm_fiber *f = new_row(t);
    uint32_t index = vm_fiber_index(t, f);
    f->handlers[FIBER_ON_VALUE] = on_value;
    f->handlers[FIBER_ON_EXCEPTION] = on_exception;
    f->handlers[FIBER_ON_EFFECT] = on_effect;
    f->used = f->extra = f->trap = f->rest = f->clean = 0;
    f->outer = NO_FIBER;
    f->outermost = index;
    f->young_cont = 0;
    f->boundary = 0;
    next_generation(f);
    t->status[index].state = FIBER_TAKEN;
    t->status[index].colour = t->colour;
    vm_fiber_make_dirty(t, index);
    return handle_of(t, f);
}

static void free_fiber(struct vm_fibers *t, struct vm_fiber *f) {
    uint32_t index = vm_fiber_index(t, f);
    ASSERT(t->status[index].state != FIBER_FREE);
    if (f->capacity > KEPT_BUFFER_WORDS || t->kept_words + f->capacity > ALL_KEPT_WORDS)
        free_buffer(t, f);
    t->kept_words += f->capacity;
    f->used = 0;
    t->status[index].state = FIBER_FREE;
    t->status[index].colour = t->colour;
    f->outer = t->free;
    t->free = index;
}

void vm_fiber_free_chain(struct vm_fibers *t, uint32_t index) {
    while (index != NO_FIBER) {
        struct vm_fiber *f = &t->table[index];
        index = f->outer;
        free_fiber(t, f);
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
}

/* ---- Buffers. ---- */

/* Makes room for `words` in f's buffer. */
static void widen(struct domain *d, struct vm_fiber *f, size_t words) {
    size_t capacity = words < FIRST_BUFFER_WORDS ? FIRST_BUFFER_WORDS : words;
    if (f->end != NULL && capacity < f->capacity + f->capacity / 2)
        capacity = f->capacity + f->capacity / 2;
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
    end[BOUNDARY_FIBER + 1] = val_of_int(0);
    d->vm->fibers->buffer_words += capacity - f->capacity;
    f->end = end;
    f->capacity = (uint32_t)capacity;
}

void vm_fiber_reserve(struct domain *d) {
    const value *b = vm_boundary(d);
    struct vm_fiber *f = vm_fiber_of_boundary(b);
    size_t wanted = f->used + (size_t)(b - d->stack.sp);
    if (wanted > f->capacity) widen(d, f, wanted);
}

/* Copies n words one by one: those of the stack were just stored so (vm/engine/README.md). */
static inline void copy_words(value *to, const value *from, size_t n) {
    const volatile value *p = from;
    value *end = to + n;
    for (; end - to >= 4; to += 4, p += 4) {
        value a = p[0], b = p[1], c = p[2], e = p[3];
        to[0] = a, to[1] = b, to[2] = c, to[3] = e;
    }
    for (; to < end; to++, p++) *to = *p;
}

/* The same for any n. */
static inline void move_words(value *to, const value *from, size_t n) {
    if (n <= WHOLE_WORDS) copy_words(to, from, n);
    else memcpy(to, from, 8 * n);
}

/* ---- Trap frames that move. ---- */

/* Adds `by` to the links of the trap frames from the one at distance `trap` from `end` on, up to
 * the distance `from`; the last one's link becomes `last`. Distances are those before the move. */
static void move_traps(value *end, uintptr_t trap, uintptr_t from, intptr_t by, uintptr_t last) {
    while (trap != 0) {
        value *frame = end - trap;
        uintptr_t link = (uintptr_t)int_of_val(frame[1]);
        ASSERT(is_int(frame[1]) && link < trap); /* S3 */
        bool inside = link > from;
        frame[1] = val_of_int(inside ? (intptr_t)link + by : (intptr_t)last);
        trap = inside ? link : 0;
    }
}

/* ---- Suspending. ---- */

/* The frames inside b leave the stack. */
static inline void leave_boundary(struct domain *d, value *b) {
    if (d->stack.lowest_watermark >= b) return;
    value *outside = b + BOUNDARY_WORDS + int_of_val(b[BOUNDARY_EXTRA]);
    vm_watermarks_lift(d, b, outside);
}

/* Moves f's words from sp to its buffer. */
static inline void put_aside(struct domain *d, struct vm_fiber *f, value *b) {
    value *sp = d->stack.sp;
    size_t n = (size_t)(b - sp);
    ASSERT(sp <= b && f->used + n <= f->capacity);
    f->rest = f->used;
    f->used += (uint32_t)n;
    move_words(f->end - f->used, sp, n);
    if (d->stack.trap != 0) {
        /* Distances from the stack's high end become distances from f->end. */
        intptr_t by = (intptr_t)f->rest - (intptr_t)d->stack.boundary;
        uintptr_t trap = (uintptr_t)((intptr_t)d->stack.trap + by);
        value *end = f->end - by;
        move_traps(end, d->stack.trap, 0, by, f->trap);
        f->trap = (uint32_t)trap;
    }
}

/* ---- Resuming. ---- */

/* The return frame of the frame that return frame `at` leads to. */
static value *next_return_frame(value *at) {
    uintptr_t word = frame_word_of(resume_of_word(at[0]));
    ASSERT(is_int((value)word) && is_int(at[2])); /* E1 */
    return at + 3 + height_of_frame_word(word) + int_of_val(at[2]);
}

/* How many of f's innermost words are to be resumed at once: whole frames, the first of which is
 * followed by return frame `at`. */
static size_t part_of(const struct vm_fiber *f, value *at) {
    const value *top = f->end - f->used;
    size_t again = f->used - f->rest; /* what was on the stack the last time */
    if (f->used <= WHOLE_WORDS) return f->used;
    if (f->rest > 0 && f->rest < f->used && 2 * again >= PART_WORDS && again <= WHOLE_WORDS)
        return again;
    while (at - top < PART_WORDS && at < f->end) at = next_return_frame(at);
    ASSERT(at <= f->end); /* FB3 */
    return (size_t)(at - top);
}

/* Moves f's innermost n words to the stack, inside boundary b. */
static inline void put_back(struct domain *d, struct vm_fiber *f, value *b, size_t n) {
    struct vm_fibers *t = d->vm->fibers;
    value *top = f->end - f->used;
    if (d->gc.marking) vm_fiber_preserve(t, f, top, top + n);
    move_words(b - n, top, n);
    f->used -= (uint32_t)n;
    if (f->clean > f->used) f->clean = f->used;
    d->stack.sp = b - n;
    d->stack.trap = 0;
    if (f->trap > f->used) {
        intptr_t by = (intptr_t)d->stack.boundary - (intptr_t)f->used;
        uint32_t innermost = f->trap;
        value *frame = f->end - f->trap; /* still there */
        while ((uintptr_t)int_of_val(frame[1]) > f->used) frame = f->end - int_of_val(frame[1]);
        f->trap = (uint32_t)int_of_val(frame[1]);
        move_traps(b + f->used, innermost, f->used, by, 0);
        d->stack.trap = (uintptr_t)((intptr_t)innermost + by);
    }
}

/* The fiber behind boundary b becomes the one that runs there, with its extra arguments on top. Its
 * frames stay in the buffer until control returns to them, for a handler often performs again. */
static void run_outer(struct domain *d, value *b, uint32_t index) {
    struct vm_fibers *t = d->vm->fibers;
    struct vm_fiber *f = &t->table[index];
    ASSERT(t->status[index].state == FIBER_LINKED); /* FB2 */
    if (d->gc.marking) vm_fiber_darken(t, index);
    b[BOUNDARY_FIBER] = (value)f | 1;
    t->status[index].state = FIBER_RUNNING;
    uint32_t extra = f->extra;
    d->stack.sp = b;
    d->stack.trap = 0;
    if (extra != 0) put_back(d, f, b, part_of(f, f->end - f->used + extra));
    f->extra = 0;
    *--d->stack.sp = val_of_int(extra);
}

/* Control leaves f for what runs it: a fiber behind the same boundary, or the frames outside. */
static inline void go_outwards(struct domain *d, struct vm_fiber *f, value *b) {
    uint32_t outer = f->outer;
    f->outer = NO_FIBER;
    f->boundary = 0;
    if (outer != NO_FIBER) {
        run_outer(d, b, outer);
        return;
    }
    d->stack.trap = (uintptr_t)int_of_val(b[BOUNDARY_TRAP]);
    d->stack.boundary = (uintptr_t)int_of_val(b[BOUNDARY_OUTER]);
    d->stack.sp = b + BOUNDARY_EXTRA;
}

static inline value handler_of(struct domain *d, const struct vm_fiber *f,
                               enum vm_fiber_handler which) {
    value handler = f->handlers[which];
    if (d->gc.marking) vm_fiber_preserve(d->vm->fibers, f, &handler, &handler + 1);
    return handler;
}

/* Suspends the innermost fiber in that state, with `extra` arguments on top. */
static inline value suspend(struct domain *d, struct vm_fiber *f, value *b,
                            enum vm_fiber_state state, uint32_t extra) {
    struct vm_fibers *t = d->vm->fibers;
    uint32_t index = vm_fiber_index(t, f);
    ASSERT(vm_in_fiber(d) && t->status[index].state == FIBER_RUNNING); /* FB1, FB2 */
    value handler = handler_of(d, f, FIBER_ON_EFFECT);
    leave_boundary(d, b);
    put_aside(d, f, b);
    f->extra = extra;
    f->outermost = index;
    t->status[index].state = state;
    vm_fiber_make_dirty(t, index);
    go_outwards(d, f, b);
    return handler;
}

value vm_fiber_perform(struct domain *d, value cont) {
    value *b = vm_boundary(d);
    struct vm_fiber *f = vm_fiber_of_boundary(b);
    ASSERT(gc_is_young(&d->gc, cont));
    next_generation(f);
    f->young_cont = cont;
    field(cont, 0) = handle_of(d->vm->fibers, f);
    return suspend(d, f, b, FIBER_LEADING, 0);
}

value vm_fiber_reperform(struct domain *d, struct vm_fiber *first, uint32_t extra) {
    struct vm_fibers *t = d->vm->fibers;
    value *b = vm_boundary(d);
    struct vm_fiber *f = vm_fiber_of_boundary(b);
    t->table[first->outermost].outer = vm_fiber_index(t, f);
    first->outermost = vm_fiber_index(t, f);
    return suspend(d, f, b, FIBER_LINKED, extra);
}

size_t vm_fiber_room_bytes(const struct vm *vm) {
    /* The part that is put back ends with a frame and its arguments; its innermost frame grows. */
    return 3 * vm->widest_frame_bytes + 8 * (BOUNDARY_WORDS + WHOLE_WORDS + STACK_MARGIN_WORDS);
}

bool vm_fiber_resume(struct domain *d, value handle, value *outside, value extra_args) {
    struct vm_fiber *f = find(d->vm, handle, FIBER_TAKEN);
    uintptr_t low = (uintptr_t)outside - vm_fiber_room_bytes(d->vm);
    if (f == NULL || low < d->gc.mutator_limit_idle) return false;
    struct vm_fibers *t = d->vm->fibers;
    value *b = outside - BOUNDARY_WORDS;
    b[BOUNDARY_CODE] = word_of_resume(d->vm->fiber_code);
    b[BOUNDARY_FIBER] = (value)f | 1;
    b[BOUNDARY_FIBER + 1] = val_of_int(0);
    b[BOUNDARY_TRAP] = val_of_int((intptr_t)d->stack.trap);
    b[BOUNDARY_OUTER] = val_of_int((intptr_t)d->stack.boundary);
    b[BOUNDARY_EXTRA] = extra_args;
    d->stack.boundary = (uintptr_t)(d->stack.high - b);
    t->table[f->outermost].boundary = d->stack.boundary;
    t->status[(uint32_t)int_of_val(handle)].state = FIBER_RUNNING;
    next_generation(f);
    if (f->used == 0) {
        d->stack.sp = b;
        d->stack.trap = 0;
    } else put_back(d, f, b, part_of(f, f->end - f->used));
    return true;
}

value vm_fiber_returned(struct domain *d) {
    value *b = vm_boundary(d);
    struct vm_fiber *f = vm_fiber_of_boundary(b);
    if (f->used == 0) return vm_fiber_end(d, FIBER_ON_VALUE);
    put_back(d, f, b, part_of(f, f->end - f->used));
    return 0;
}

/* The return frame of the frame that has a trap frame on top. */
static value *after_handler(const struct vm *vm, value *trap_frame) {
    struct vm_resume handler = resume_of_word(trap_frame[0]);
    const struct vm_decoded *code = vm_find_decoded(vm, handler);
    ASSERT(code != NULL); /* FB3 */
    return trap_frame + 4 + vm_decoded_row(code, handler).height + int_of_val(trap_frame[3]);
}

bool vm_fiber_fetch_trap(struct domain *d) {
    value *b = vm_boundary(d);
    struct vm_fiber *f = vm_fiber_of_boundary(b);
    ASSERT(d->stack.trap == 0 && vm_in_fiber(d));
    leave_boundary(d, b);
    if (f->trap == 0) return false;
    f->used = f->trap;
    put_back(d, f, b, part_of(f, after_handler(d->vm, f->end - f->used)));
    return true;
}

value vm_fiber_end(struct domain *d, enum vm_fiber_handler which) {
    value *b = vm_boundary(d);
    struct vm_fiber *f = vm_fiber_of_boundary(b);
    value handler = handler_of(d, f, which);
    go_outwards(d, f, b);
    free_fiber(d->vm->fibers, f);
    return handler;
}

/* ---- Walks. ---- */

value *vm_fiber_next_frame(const struct domain *d, const value *at, const struct vm_fiber **in) {
    const struct vm_fiber *f = vm_fiber_of_boundary(at);
    const value *b = at;
    bool at_end = at == f->end;
    *in = NULL;
    if (!at_end && f->used > 0) *in = f;
    else if (f->outer != NO_FIBER) *in = vm_fiber_at(d->vm, f->outer);
    if (*in != NULL) return vm_fiber_top(*in);
    if (at_end && f->boundary == 0) return NULL;
    if (at_end) b = d->stack.high - f->boundary;
    ASSERT(vm_on_stack(d, b) && b[BOUNDARY_CODE] == word_of_resume(d->vm->fiber_code));
    return (value *)b + BOUNDARY_WORDS + int_of_val(b[BOUNDARY_EXTRA]);
}
