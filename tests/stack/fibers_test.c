/* fibers_test.c - fibers without a program: hand-made frames are suspended, partly resumed and
 * collected, and must be unchanged afterwards (FB1 to FB5). */
#include "gc/heap_internal.h"
#include "stdlib/state.h"
#include "vm/code/decoded.h"
#include "vm/code/version.h"
#include "vm/machine/machine.h"
#include "vm/stack/callstack.h"
#include "vm/stack/fiber_internal.h"
#include "vm/stack/frame_layout.h"
#include "vm/stack/frames.h"
#include "vm/stack/stack.h"
#include "vm/stack/watermarks.h"
#include "vm/state/alloc.h"
#include "vm/state/vm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_HEIGHT = 12, TRAP_WORDS = 4, MOST_FRAMES = 200, COMPUTATIONS = 40 };

/* What a frame must hold: words with these ids. An even one is an integer, an odd one a block with
 * the id in its first field. With `trap` its innermost four words are a trap frame instead. */
struct frame {
    unsigned height;
    bool trap;
    intptr_t ids[MOST_HEIGHT];
};

/* A computation under a handler, and the frames that it must have, the outermost first. */
struct computation {
    struct frame frames[MOST_FRAMES];
    size_t count;
    intptr_t handler;
    bool exists;
};

struct test {
    struct vm *vm;
    struct domain *d;
    struct vm_resume code[MOST_HEIGHT + 1]; /* return points of functions of each height */
    struct computation *computations;
    value continuations[COMPUTATIONS];
    uint64_t random;
    intptr_t next_id;
};

static size_t random_below(struct test *t, size_t n) {
    t->random = t->random * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(t->random >> 33) % n;
}

/* ---- The stack, outside fibers and inside. ---- */

static void push(struct domain *d, value v) { *--d->stack.sp = v; }

static void push_return(struct test *t, unsigned height) {
    push(t->d, val_of_int(0));
    push(t->d, VAL_UNIT);
    push(t->d, word_of_resume(t->code[height]));
}

/* As in a slow path of the loop (E2), which may collect. */
static void save(struct domain *d) {
    push(d, val_of_int(0));
    push(d, (value)frame_word(1, 0));
    push(d, VAL_UNIT);
}
static void restore(struct domain *d) { d->stack.sp += SAVED_WORDS; }

static int open_machine(void **state) {
    static struct vm_options options = {.gc = {.verify = true, .minor_words = 4096}};
    struct vm_error error;
    struct test *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->computations = calloc(COMPUTATIONS, sizeof *t->computations);
    t->vm = vm_create(&options, &vm_versions[OCAML_5_3], &prim_library, &error);
    assert_true(t->vm != NULL && t->computations != NULL);
    t->d = t->vm->domain;
    t->random = 1;
    struct vm_decoded_area *area = t->vm->decoded_area;
    for (unsigned h = 0; h <= MOST_HEIGHT; h++) {
        area->words[area->used++] = frame_word(1 + h, h);
        t->code[h] = resume_at(area->words + area->used++);
    }
    t->vm->widest_frame_bytes = 8 * (MOST_HEIGHT + 3);
    for (size_t i = 0; i < COMPUTATIONS; i++) {
        t->continuations[i] = VAL_UNIT;
        gc_register_mutable_root(&t->d->gc, &t->continuations[i]);
    }
    push(t->d, val_of_int(0));
    push(t->d, VAL_UNIT);
    push(t->d, word_of_resume(t->vm->leave_code));
    *state = t;
    return 0;
}

static int close_machine(void **state) {
    struct test *t = *state;
    for (size_t i = 0; i < COMPUTATIONS; i++)
        gc_remove_mutable_root(&t->d->gc, &t->continuations[i]);
    vm_destroy(t->vm);
    free(t->computations);
    free(t);
    return 0;
}

static void collect(struct test *t) {
    save(t->d);
    if (random_below(t, 4) == 0) gc_full_major_cycle(&t->d->gc);
    else gc_minor(&t->d->gc);
    restore(t->d);
}

/* ---- Words with ids. ---- */

static value make(struct test *t, intptr_t id) {
    if (id % 2 == 0) return val_of_int(id);
    save(t->d);
    value v = new_small(t->d, 1, 0);
    restore(t->d);
    field(v, 0) = val_of_int(id);
    return v;
}

static void require(value v, intptr_t id) {
    if (id % 2 != 0) {
        assert_true(is_block(v));
        v = field(v, 0);
    }
    assert_int_equal(v, val_of_int(id));
}

/* ---- Running a computation. ---- */

static void call(struct test *t, struct computation *c) {
    struct domain *d = t->d;
    struct frame *f = &c->frames[c->count++];
    f->height = (unsigned)random_below(t, MOST_HEIGHT + 1);
    f->trap = f->height >= TRAP_WORDS && random_below(t, 3) == 0;
    unsigned words = f->trap ? f->height - TRAP_WORDS : f->height;
    /* Each word is pushed when the return frame below it could wait for it: a collection may come
     * in between, so the frame's words begin as integers. */
    for (unsigned i = 0; i < words; i++) push(d, VAL_UNIT);
    if (f->trap) {
        push(d, val_of_int(0));
        push(d, VAL_UNIT);
        push(d, val_of_int((intptr_t)d->stack.trap));
        push(d, word_of_resume(t->code[0]));
        d->stack.trap = (uintptr_t)(d->stack.high - d->stack.sp);
    }
    push_return(t, f->height);
    value *end = d->stack.sp + 3 + f->height;
    for (unsigned i = 0; i < words; i++) {
        f->ids[i] = t->next_id++;
        value v = make(t, f->ids[i]);
        end[-1 - (ptrdiff_t)i] = v;
    }
}

/* Checks the innermost frame and returns from it. */
static void leave(struct test *t, struct computation *c) {
    struct domain *d = t->d;
    const struct frame *f = &c->frames[--c->count];
    value *end = d->stack.sp + 3 + f->height;
    assert_int_equal(d->stack.sp[0], word_of_resume(t->code[f->height]));
    unsigned words = f->trap ? f->height - TRAP_WORDS : f->height;
    for (unsigned i = 0; i < words; i++) require(end[-1 - (ptrdiff_t)i], f->ids[i]);
    if (f->trap) {
        assert_int_equal(d->stack.trap, d->stack.high - d->stack.sp - 3);
        d->stack.trap = (uintptr_t)int_of_val(d->stack.sp[3 + 1]);
    }
    d->stack.sp = end;
}

static void enter(struct test *t, value handle) {
    struct domain *d = t->d;
    push_return(t, 0);
    assert_true(vm_fiber_resume(d, handle, d->stack.sp, val_of_int(0)));
}

/* Returns to where the computation was entered, instead of calling the handler with that many
 * arguments. */
static void left(struct test *t, int arguments) { t->d->stack.sp += 1 + arguments + 3; }
/* PERFORM of the innermost fiber. */
static void perform(struct domain *d, value cont) {
    const uintptr_t words[] = {0, make_header(2, TAG_CONT, 0), 0};
    field(cont, 1) = VAL_UNIT;
    vm_fiber_perform(d, VAL_UNIT, cont, words);
}

static void suspend(struct test *t, struct computation *c) {
    struct domain *d = t->d;
    size_t i = (size_t)(c - t->computations);
    if (!vm_fiber_fits(d, d->stack.sp + 3)) {
        save(d);
        vm_fiber_reserve(d);
        restore(d);
    }
    save(d);
    value cont = new_small(d, 2, TAG_CONT);
    restore(d);
    perform(d, cont);
    t->continuations[i] = cont;
    left(t, 3);
}

/* Runs the computation, which is suspended or does not exist, for some calls and returns. */
static void run(struct test *t, struct computation *c) {
    struct domain *d = t->d;
    size_t i = (size_t)(c - t->computations);
    if (!c->exists) {
        *c = (struct computation){.exists = true, .handler = 2 * t->next_id++ + 1};
        value handler = make(t, c->handler);
        save(d);
        value handle = vm_fiber_new(d, handler, VAL_UNIT, VAL_UNIT);
        restore(d);
        enter(t, handle);
    } else {
        enter(t, vm_fiber_take(d, t->continuations[i]));
        t->continuations[i] = VAL_UNIT;
    }
    size_t aim = random_below(t, 3) == 0 ? 0 : random_below(t, MOST_FRAMES);
    while (c->count > aim) {
        if (d->stack.sp == vm_boundary(d)) assert_int_equal(vm_fiber_returned(d, VAL_UNIT), 0);
        leave(t, c);
        if (random_below(t, 200) == 0) break;
    }
    if (c->count == 0 && aim == 0) {
        assert_ptr_equal(d->stack.sp, vm_boundary(d));
        require(vm_fiber_returned(d, VAL_UNIT), c->handler);
        c->exists = false;
        left(t, 1);
        return;
    }
    /* Frames in the buffer directly follow those on the stack. */
    while (c->count < MOST_FRAMES && (c->count == 0 || random_below(t, 5) != 0)) call(t, c);
    if (d->stack.sp == vm_boundary(d)) assert_int_equal(vm_fiber_returned(d, VAL_UNIT), 0);
    suspend(t, c);
}

/* ---- Call stacks. ---- */

/* Calls functions in the innermost fiber. */
static void call_some(struct test *t, unsigned calls) {
    while (calls-- > 0) {
        const unsigned height = (unsigned)random_below(t, MOST_HEIGHT + 1);
        for (unsigned i = 0; i < height; i++) push(t->d, VAL_UNIT);
        push_return(t, height);
    }
}

/* Takes the call stack, and now and then compares it with a walk. */
static void take_call_stack(struct test *t) {
    const uint64_t *gpcs;
    struct vm_frame frame;
    save(t->d);
    size_t n = vm_call_stack(t->d, SIZE_MAX, &gpcs);
    assert_true(n > 0);
    bool more = random_below(t, 100) == 0 && vm_frames_first(t->d, &frame);
    for (bool compares = more; compares; more = vm_frames_next(t->d, &frame)) {
        if (!more) {
            assert_int_equal(n, 0);
            break;
        }
        assert_int_equal(gpcs[--n], frame.gpc);
    }
    restore(t->d);
}

/* Returns from the innermost frame, or from the innermost fiber. */
static void return_once(struct test *t) {
    struct domain *d = t->d;
    if (d->stack.sp != vm_boundary(d)) {
        struct vm_resume to = resume_of_word(d->stack.sp[0]);
        if (same_resume(to, t->vm->watermark_code)) to = vm_watermark_returned(d, d->stack.sp);
        d->stack.sp += 3 + height_of_frame_word(frame_word_of(to));
    } else if (vm_fiber_returned(d, VAL_UNIT) != 0) {
        assert_int_equal(d->stack.sp[0], val_of_int(0));
        d->stack.sp += 2;
    }
}

/* Enters fibers, some of them in tail calls. */
static void nest(struct test *t, unsigned fibers, unsigned most_calls) {
    for (unsigned i = 0; i < fibers; i++) {
        const value *top = t->d->stack.sp - 1024;
        save(t->d);
        assert_true(vm_stack_reserve(t->d, top, top));
        restore(t->d);
        const value handle = vm_fiber_new(t->d, VAL_UNIT, VAL_UNIT, VAL_UNIT);
        if (vm_in_fiber(t->d) && most_calls % 2 == 1)
            assert_true(vm_fiber_resume(t->d, handle, t->d->stack.sp, val_of_int(0)));
        else enter(t, handle);
        call_some(t, (unsigned)random_below(t, most_calls + 1));
        take_call_stack(t);
    }
}

/* Suspends all fibers as one chain; returns its continuation. */
static value suspend_all(struct test *t) {
    struct domain *d = t->d;
    push_return(t, 0);
    for (value cont = 0;;) {
        value *outside = cont == 0 ? d->stack.sp : d->stack.sp + 1;
        if (!vm_fiber_fits(d, cont == 0 ? outside + 3 : outside)) {
            d->stack.sp = outside;
            if (cont != 0) t->continuations[0] = cont;
            save(d);
            vm_fiber_reserve(d);
            restore(d);
            if (cont != 0) cont = t->continuations[0], push(d, val_of_int(0));
        }
        if (cont == 0) {
            save(d);
            cont = new_small(d, 2, TAG_CONT);
            restore(d);
            perform(d, cont);
        } else {
            value extra_args = val_of_int(0);
            assert_int_not_equal(vm_fiber_reperform(d, VAL_UNIT, cont, outside, extra_args), 0);
        }
        d->stack.sp += 3; /* the arguments */
        d->stack.sp[0] = val_of_int(0);
        if (!vm_in_fiber(d)) return cont;
    }
}

/* ---- The tests. ---- */

/* The frames visited are proportional to those that were entered and left. */
static void cs3_nested_fibers_are_not_walked_again(void **state) {
    struct test *t = *state;
    struct domain *d = t->d;
    enum { NESTED = 1000 };
    value *sp = d->stack.sp;
    for (unsigned round = 0; round < 12; round++) {
        static const unsigned most_calls[] = {0, 20, 40, 1, 3, 41};
        const unsigned calls = most_calls[round % 6];
        unsigned events = 0;
        nest(t, NESTED, calls);
        const uint64_t nested = d->stack.call_stack->visited;
        for (unsigned i = 0; i < NESTED; i++, events++) {
            return_once(t);
            take_call_stack(t);
        }
        nest(t, NESTED / 2, calls);
        if (round >= 6) {
            value cont = suspend_all(t);
            left(t, 0);
            take_call_stack(t);
            enter(t, vm_fiber_take(d, cont));
        }
        for (; vm_in_fiber(d); events++) {
            take_call_stack(t);
            return_once(t);
        }
        return_once(t);
        assert_ptr_equal(d->stack.sp, sp);
        const uint64_t visited = d->stack.call_stack->visited - nested;
        assert_true(visited < 8u * (events + NESTED * (1 + calls)));
    }
}

/* A fiber with frames in its buffer only, and inside it one without frames. */
static void cs3_frames_in_a_buffer_are_outside_a_fiber_without_frames(void **state) {
    struct test *t = *state;
    struct domain *d = t->d;
    value *sp = d->stack.sp;
    enter(t, vm_fiber_new(d, VAL_UNIT, VAL_UNIT, VAL_UNIT));
    call_some(t, MOST_FRAMES);
    value cont = suspend_all(t);
    left(t, 0);
    enter(t, vm_fiber_take(d, cont));
    while (d->stack.sp != vm_boundary(d)) return_once(t);
    assert_int_not_equal(vm_fiber_of_boundary(vm_boundary(d))->used, 0);
    const value handle = vm_fiber_new(d, VAL_UNIT, VAL_UNIT, VAL_UNIT);
    assert_true(vm_fiber_resume(d, handle, d->stack.sp, val_of_int(0)));
    for (int i = 0; i < 3; i++) {
        call_some(t, 1);
        take_call_stack(t);
        return_once(t);
    }
    while (vm_in_fiber(d)) return_once(t);
    return_once(t);
    assert_ptr_equal(d->stack.sp, sp);
}

static void fb3_frames_come_back_as_they_were(void **state) {
    struct test *t = *state;
    for (unsigned step = 0; step < 4000; step++) {
        value *sp = t->d->stack.sp;
        run(t, &t->computations[random_below(t, COMPUTATIONS)]);
        assert_ptr_equal(t->d->stack.sp, sp);
        assert_int_equal(t->d->stack.boundary, 0);
        if (random_below(t, 10) == 0) collect(t);
    }
}

static uint32_t count_in(const struct test *t, enum vm_fiber_state state) {
    uint32_t n = 0;
    for (uint32_t i = 1; i < t->vm->fibers->count; i++)
        n += t->vm->fibers->status[i].state == state;
    return n;
}

static void fibers_die_with_their_continuations(void **state) {
    struct test *t = *state;
    struct computation *c = t->computations;
    for (unsigned round = 0; round < 100; round++)
        for (unsigned old = 0; old < 2; old++) {
            while (!c->exists || t->continuations[0] == VAL_UNIT) run(t, c);
            save(t->d);
            if (old) gc_minor(&t->d->gc);
            assert_int_equal(count_in(t, FIBER_LEADING), 1);
            t->continuations[0] = VAL_UNIT;
            if (old) gc_full_major_cycle(&t->d->gc);
            else gc_minor(&t->d->gc);
            restore(t->d);
            assert_int_equal(count_in(t, FIBER_LEADING), 0);
            c->exists = false;
        }
    assert_true(t->vm->fibers->count <= 3);
}

static void handles_are_valid_once(void **state) {
    struct test *t = *state;
    struct domain *d = t->d;
    struct computation *c = t->computations;
    while (!c->exists || t->continuations[0] == VAL_UNIT) run(t, c);
    value cont = t->continuations[0], before = field(cont, 0);
    assert_non_null(vm_fiber_of_cont(t->vm, cont));
    value handle = vm_fiber_take(d, cont);
    assert_int_not_equal(handle, val_of_int(0));
    assert_int_equal(vm_fiber_take(d, cont), val_of_int(0));
    field(cont, 0) = before;
    assert_int_equal(vm_fiber_take(d, cont), val_of_int(0));
    for (unsigned i = 0; i < 64; i++)
        assert_null(vm_fiber_taken(t->vm, (value)((uint64_t)handle ^ (uint64_t)1 << i)));
    vm_fiber_drop(d, vm_fiber_taken(t->vm, handle));
    assert_null(vm_fiber_taken(t->vm, handle));
    /* The number of a generation is used again after half a billion others. */
    struct vm_fiber f = {.generation = 1};
    f.generation = 1u << 29;
    vm_fiber_next_generation(&f);
    assert_int_equal(f.generation, 1);
    assert_true(vm_fiber_handle(&f, 5) > 0);
}

static void free_fibers_keep_little_memory(void **state) {
    struct test *t = *state;
    enum { LARGE = 3000, FIBERS = 2000 };
    value handles[FIBERS];
    size_t before = t->d->gc.heap->external_bytes;
    for (unsigned size = 4; size <= LARGE; size += LARGE - 4) {
        for (size_t i = 0; i < FIBERS; i++) {
            enter(t, vm_fiber_new(t->d, VAL_UNIT, VAL_UNIT, VAL_UNIT));
            for (unsigned n = 0; n < size / (MOST_HEIGHT + 3); n++) {
                for (unsigned k = 0; k < MOST_HEIGHT; k++) push(t->d, VAL_UNIT);
                push_return(t, MOST_HEIGHT);
            }
            push_return(t, 0);
            t->computations[0].exists = true;
            suspend(t, t->computations);
            handles[i] = vm_fiber_take(t->d, t->continuations[0]);
        }
        for (size_t i = 0; i < FIBERS; i++) vm_fiber_drop(t->d, vm_fiber_taken(t->vm, handles[i]));
        assert_int_equal(t->vm->fibers->kept_words, t->vm->fibers->buffer_words);
        assert_true(t->vm->fibers->kept_words <= 1 << 16);
    }
    t->computations[0].exists = false;
    t->continuations[0] = VAL_UNIT;
    assert_int_equal(t->vm->fibers->count - 1, FIBERS);
    assert_true(t->d->gc.heap->external_bytes > before);
    vm_fibers_destroy(t->vm);
    /* The remaining memory is that of the table. */
    assert_true(t->d->gc.heap->external_bytes - before < 100 * FIBERS);
}

int main(void) {
#define FIBER_TEST(f) cmocka_unit_test_setup_teardown(f, open_machine, close_machine)
    const struct CMUnitTest tests[] = {
        FIBER_TEST(fb3_frames_come_back_as_they_were),
        FIBER_TEST(fibers_die_with_their_continuations),
        FIBER_TEST(handles_are_valid_once),
        FIBER_TEST(free_fibers_keep_little_memory),
        FIBER_TEST(cs3_nested_fibers_are_not_walked_again),
        FIBER_TEST(cs3_frames_in_a_buffer_are_outside_a_fiber_without_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
