/* fiber_gc.c - what the collector sees of fibers.
 *
 * Minor collections visit the dirty ones (FB4). A fiber that was suspended since the last one is
 * visited when its continuation, a young block, has survived; if that dies, the fiber is freed.
 *
 * Marking starts with the fibers that run. When it reaches a continuation, the fiber enters the
 * list of those to be scanned, which are incrementally scanned roots (R3), the outermost words
 * first; then the next one of the chain. When marking ends, suspended fibers that it has not
 * reached are freed: so a cycle through a fiber and its continuation dies. */
#include "gc/hooks.h"
#include "gc/small_tables.h"
#include "vm/base/os.h"
#include "vm/stack/fiber_internal.h"

/* Rounds of visiting the fibers of young continuations that survive; a chain of them may need one
 * round each. The rest is kept alive until the next major collection. */
enum { MOST_ROUNDS = IF_SMALL_TABLES(1, 16) };
/* Words that are scanned in the time that marking takes for one block. */
enum { WORDS_PER_ROOT = 8 };

static value *top_of(const struct vm_fiber *f) { return f->end - f->used; }

/* ---- Minor collections. ---- */

/* Visits what may be young. */
static void visit_young(struct vm_fiber *f, struct gc_visitor *visitor) {
    visitor->slots(visitor, f->handlers, f->handlers + FIBER_HANDLERS);
    if (f->used > f->clean) visitor->slots(visitor, top_of(f), f->end - f->clean);
    f->clean = f->used;
}

/* Takes fibers off the list of dirty ones and visits them, except those whose young continuations
 * have not been reached, or all. True: there was one. */
static bool visit_dirty(struct vm_fibers *t, struct gc_visitor *visitor, bool all) {
    uint32_t index = t->dirty, waiting = NO_FIBER;
    bool any = false;
    t->dirty = NO_FIBER;
    while (index != NO_FIBER) {
        struct vm_fiber *f = &t->table[index];
        uint32_t next = f->next_dirty;
        bool leading = t->status[index].state == FIBER_LEADING && f->young_cont != 0;
        if (leading && !all && gc_promoted_copy(visitor->g, f->young_cont) == 0) {
            f->next_dirty = waiting;
            waiting = index;
        } else {
            t->status[index].dirty = false;
            if (t->status[index].state != FIBER_FREE) {
                visit_young(f, visitor);
                any = true;
            }
            if (leading) {
                gc_charge(visitor->g, 8 * (size_t)f->capacity, 0);
                f->young_cont = 0;
            }
        }
        index = next;
    }
    t->dirty = waiting;
    return any;
}

static bool minor_mark(void *context, struct gc_visitor *visitor) {
    struct vm_fibers *t = context;
    bool all = t->rounds++ == MOST_ROUNDS;
    return t->dirty != NO_FIBER && visit_dirty(t, visitor, all);
}

/* Those that still wait are dead. */
static void minor_done(void *context) {
    struct vm_fibers *t = context;
    t->rounds = 0;
    while (t->dirty != NO_FIBER) {
        uint32_t index = t->dirty;
        t->dirty = t->table[index].next_dirty;
        t->status[index].dirty = false;
        if (t->status[index].state == FIBER_LEADING) vm_fiber_free_chain(t, index);
    }
}

/* ---- Marking. ---- */

static bool is_unreached(const struct vm_fibers *t, uint32_t index) {
    return t->status[index].colour != t->colour && t->status[index].colour != FIBER_COLOUR_SCANNED;
}

void vm_fiber_darken(struct vm_fibers *t, uint32_t index) {
    struct vm_fiber_status *s = &t->status[index];
    ASSERT(t->vm->domain->gc.marking);
    if (!is_unreached(t, index)) return;
    ASSERT(!s->in_marked);
    s->colour = FIBER_COLOUR_SCANNED;
    s->in_marked = true;
    t->table[index].scanned = 0;
    t->table[index].next_marked = t->marked;
    t->marked = index;
    gc_incremental_roots_added(&t->vm->domain->gc);
}

void vm_fiber_preserve(struct vm_fibers *t, const struct vm_fiber *f, const value *from,
                       const value *to) {
    if (t->status[vm_fiber_index(t, f)].colour != t->colour)
        gc_preserve_slots(&t->vm->domain->gc, from, to);
}

static void mark(void *context, value cont) {
    struct vm_fibers *t = context;
    const struct vm_fiber *f = vm_fiber_of_cont(t->vm, cont);
    if (f != NULL) vm_fiber_darken(t, vm_fiber_index(t, f));
}

/* Visits words of f, the outermost first, as many as budget allows; adds their roots to done. True:
 * it has visited all. */
static bool scan_words(struct vm_fiber *f, struct gc_visitor *visitor, size_t budget,
                       size_t *done) {
    if (f->scanned > f->used) f->scanned = f->used;
    size_t left = f->used - f->scanned, n = left;
    if (n / WORDS_PER_ROOT >= budget) n = budget * WORDS_PER_ROOT;
    if (n > 0) visitor->slots(visitor, f->end - f->scanned - n, f->end - f->scanned);
    f->scanned += (uint32_t)n;
    *done += n / WORDS_PER_ROOT + 1;
    return n == left;
}

static size_t scan_some(void *context, struct gc_visitor *visitor, size_t budget) {
    struct vm_fibers *t = context;
    size_t done = 0;
    while (t->marked != NO_FIBER && done < budget) {
        struct vm_fiber *f = &t->table[t->marked];
        struct vm_fiber_status *s = &t->status[t->marked];
        bool live = s->colour == FIBER_COLOUR_SCANNED; /* it has not ended meanwhile */
        if (live && !scan_words(f, visitor, budget - done, &done)) return budget;
        t->marked = f->next_marked;
        s->in_marked = false;
        if (!live) continue;
        visitor->slots(visitor, f->handlers, f->handlers + FIBER_HANDLERS);
        s->colour = t->colour;
        if (f->outer != NO_FIBER) vm_fiber_darken(t, f->outer);
    }
    return done < budget ? done : budget;
}

static void mark_start(void *context) {
    struct vm_fibers *t = context;
    ASSERT(t->marked == NO_FIBER);
    t->colour ^= 1;
    for (uint32_t i = 1; i < t->count; i++)
        if (t->status[i].state == FIBER_RUNNING || t->status[i].state == FIBER_TAKEN)
            vm_fiber_darken(t, i);
}

static void mark_done(void *context) {
    struct vm_fibers *t = context;
    ASSERT(t->marked == NO_FIBER);
    for (uint32_t i = 1; i < t->count; i++)
        if (t->status[i].state == FIBER_LEADING && is_unreached(t, i)) vm_fiber_free_chain(t, i);
}

/* Of the verifier. */
static void visit_all(struct vm_fibers *t, struct gc_visitor *visitor) {
    for (uint32_t i = 1; i < t->count; i++) {
        struct vm_fiber *f = &t->table[i];
        if (t->status[i].state == FIBER_FREE) continue;
        visitor->slots(visitor, f->handlers, f->handlers + FIBER_HANDLERS);
        if (f->used > 0) visitor->slots(visitor, top_of(f), f->end);
    }
}

static void require_no_young(struct gc_visitor *visitor, value *from, value *to) {
    for (; from < to; from++)
        vm_require(is_int(*from) || !gc_is_young(visitor->g, *from),
                   "FB4: a young block of a fiber that is not dirty");
}

/* Checks FB4, as often as the words of all fibers allow. */
static void check_fibers(struct vm_fibers *t) {
    struct gc_visitor check = {.g = &t->vm->domain->gc, .slots = require_no_young};
    if (!gc_check_due(check.g, &t->checked, t->buffer_words + t->count)) return;
    for (uint32_t i = 1; i < t->count; i++) {
        struct vm_fiber *f = &t->table[i];
        if (t->status[i].state == FIBER_FREE) continue;
        if (f->clean > 0) check.slots(&check, f->end - f->clean, f->end);
        if (t->status[i].dirty) continue;
        check.slots(&check, f->handlers, f->handlers + FIBER_HANDLERS);
        vm_require(f->clean == f->used && f->young_cont == 0,
                   "FB4: a fiber was suspended since the last collection and is not dirty");
    }
}

static void visit_fibers(void *context, struct gc_visitor *visitor) {
    struct vm_fibers *t = context;
    if (gc_get_params(visitor->g)->verify) check_fibers(t);
    if (visitor->young_only) visit_dirty(t, visitor, false);
    else if (visitor->may_defer) visitor->deferred += t->buffer_words / WORDS_PER_ROOT;
    else visit_all(t, visitor);
}

void vm_fibers_register(struct vm_fibers *t) {
    struct gc_heap *heap = t->vm->domain->gc.heap;
    t->continuations = (struct gc_continuations){
        .context = t,
        .minor_mark = minor_mark,
        .minor_done = minor_done,
        .mark_start = mark_start,
        .mark = mark,
        .mark_done = mark_done,
    };
    gc_add_incremental_scanner(heap, visit_fibers, scan_some, t);
    gc_set_continuations(heap, &t->continuations);
}
