/* fiber_gc.c - visits and frees fibers for the collector.
 *
 * Minor collections visit the dirty ones (FB4) after all other roots. A fiber that was suspended
 * since the last one is visited when its continuation, a young block, has survived; if that dies,
 * the fiber is freed.
 *
 * Marking starts with the fibers that run. When it reaches a continuation, the fiber enters the
 * list of those to be scanned, which are incrementally scanned roots (R3), the outermost words
 * first; then the next one of the chain. When marking ends, suspended fibers that it has not
 * reached are freed: so a cycle of a fiber and its continuation is collected. */
#include "gc/containers.h"
#include "gc/hooks.h"
#include "vm/base/os.h"
#include "vm/stack/fiber_internal.h"

/* Passes over the fibers of young continuations that survive; a chain of them may need one pass
 * each. The rest is kept alive until the next major collection. */
enum { MOST_ROUNDS = IF_SMALL_TABLES(1, 16) };
/* How far ahead of what is visited dirty fibers and their words are prefetched. */
enum { ROW_AHEAD = 8, WORDS_AHEAD = 4 };
/* Words that are scanned in the time that marking takes for one block. */
enum { WORDS_PER_ROOT = 8 };

static value *top_of(const struct vm_fiber *f) { return f->end - f->used; }

/* Of a LEADING fiber: its continuation if that is young, else 0 (FB3). */
static value young_cont(const struct vm_fiber *f) { return *top_of(f) - 1; }

/* ---- Minor collections. ---- */

/* Visits what may be young. */
static void visit_young(struct vm_fiber *f, struct vm_fiber_status *s, struct gc_visitor *visitor) {
    if (!s->handlers_clean) visitor->slots(visitor, f->handlers, f->handlers + FIBER_HANDLERS);
    s->handlers_clean = true;
    if (f->used > f->clean) visitor->slots(visitor, top_of(f), f->end - f->clean);
    f->clean = f->used;
}

/* Fiber index is LEADING and its young continuation survives: it may die with the next major cycle,
 * which has to collect the fiber's buffer. */
static void survives(struct vm_fibers *t, uint32_t index, struct gc_visitor *visitor) {
    const struct vm_fiber *f = &t->table[index];
    *top_of(f) = val_of_int(0);
    if (!t->status[index].charged) gc_charge(visitor->g, 8 * (size_t)f->capacity, 0);
    t->status[index].charged = true;
}

/* Prefetches what visiting the rows of the list will read. */
static inline void prefetch_dirty(const struct vm_fibers *t, uint32_t i) {
    if (i + ROW_AHEAD >= t->dirty_count) return;
    __builtin_prefetch(&t->table[t->dirty[i + ROW_AHEAD]]);
    const struct vm_fiber *f = &t->table[t->dirty[i + WORDS_AHEAD]];
    __builtin_prefetch(top_of(f));
}

/* Takes fibers off the list of dirty ones and visits them, except those whose young continuations
 * have not been reached, or all. True: there was one. */
static bool visit_dirty(struct vm_fibers *t, struct gc_visitor *visitor, bool all) {
    uint32_t waiting = 0;
    bool any = false;
    for (uint32_t i = 0; i < t->dirty_count; i++) {
        prefetch_dirty(t, i);
        uint32_t index = t->dirty[i];
        struct vm_fiber *f = &t->table[index];
        struct vm_fiber_status *s = &t->status[index];
        if (s->state == FIBER_LEADING && young_cont(f) != 0) {
            if (!all && gc_promoted_copy(visitor->g, young_cont(f)) == 0) {
                t->dirty[waiting++] = index;
                continue;
            }
            survives(t, index, visitor);
        }
        s->dirty = false;
        if (s->state == FIBER_FREE) continue;
        visit_young(f, s, visitor);
        any = true;
    }
    t->dirty_count = waiting;
    return any;
}

static bool minor_mark(void *context, struct gc_visitor *visitor) {
    struct vm_fibers *t = context;
    bool all = t->rounds++ == MOST_ROUNDS;
    return t->dirty_count != 0 && visit_dirty(t, visitor, all);
}

/* Those that still wait are dead. */
static void minor_done(void *context) {
    struct vm_fibers *t = context;
    t->rounds = 0;
    while (t->dirty_count != 0) {
        uint32_t index = t->dirty[--t->dirty_count];
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
    t->marked[t->marked_count++] = (struct vm_marked_fiber){.index = index, .scanned = 0};
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
static bool scan_words(const struct vm_fiber *f, struct vm_marked_fiber *m,
                       struct gc_visitor *visitor, size_t budget, size_t *done) {
    if (m->scanned > f->used) m->scanned = f->used;
    size_t left = f->used - m->scanned, n = left;
    if (n / WORDS_PER_ROOT >= budget) n = budget * WORDS_PER_ROOT;
    if (n > 0) visitor->slots(visitor, f->end - m->scanned - n, f->end - m->scanned);
    m->scanned += (uint32_t)n;
    *done += n / WORDS_PER_ROOT + 1;
    return n == left;
}

static size_t scan_some(void *context, struct gc_visitor *visitor, size_t budget) {
    struct vm_fibers *t = context;
    size_t done = 0;
    while (t->marked_count != 0 && done < budget) {
        struct vm_marked_fiber m = t->marked[--t->marked_count]; /* visiting may add others */
        struct vm_fiber *f = &t->table[m.index];
        struct vm_fiber_status *s = &t->status[m.index];
        bool live = s->colour == FIBER_COLOUR_SCANNED; /* it has not ended meanwhile */
        if (live && !scan_words(f, &m, visitor, budget - done, &done)) {
            t->marked[t->marked_count++] = m;
            return budget;
        }
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
    ASSERT(t->marked_count == 0);
    t->colour ^= 1;
    for (uint32_t i = 1; i < t->count; i++) {
        enum vm_fiber_state state = t->status[i].state;
        if (state == FIBER_FREE) t->status[i].colour = t->colour;
        if (state == FIBER_RUNNING || state == FIBER_TAKEN) vm_fiber_darken(t, i);
    }
}

static void mark_done(void *context) {
    struct vm_fibers *t = context;
    ASSERT(t->marked_count == 0);
    for (uint32_t i = 1; i < t->count; i++)
        if (t->status[i].state == FIBER_LEADING && is_unreached(t, i)) vm_fiber_free_chain(t, i);
}

static void visit_fiber(struct vm_fiber *f, struct gc_visitor *visitor) {
    visitor->slots(visitor, f->handlers, f->handlers + FIBER_HANDLERS);
    if (f->used > 0) visitor->slots(visitor, top_of(f), f->end);
}

/* Of the verifier. */
static void visit_all(struct vm_fibers *t, struct gc_visitor *visitor) {
    for (uint32_t i = 1; i < t->count; i++)
        if (t->status[i].state != FIBER_FREE) visit_fiber(&t->table[i], visitor);
}

void vm_fiber_visit_chain(const struct vm *vm, struct vm_fiber *f, struct gc_visitor *visitor) {
    visit_fiber(f, visitor);
    for (uint32_t outer = f->outer; outer != NO_FIBER; outer = vm_fiber_at(vm, outer)->outer)
        visit_fiber(vm_fiber_at(vm, outer), visitor);
}

/* As mark_start. */
static void visit_running(struct vm_fibers *t, struct gc_visitor *visitor) {
    for (uint32_t i = 1; i < t->count; i++) {
        enum vm_fiber_state state = t->status[i].state;
        if (state == FIBER_RUNNING || state == FIBER_TAKEN)
            vm_fiber_visit_chain(t->vm, &t->table[i], visitor);
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
        if (t->status[i].handlers_clean)
            check.slots(&check, f->handlers, f->handlers + FIBER_HANDLERS);
        if (t->status[i].dirty) continue;
        vm_require(f->clean == f->used && t->status[i].handlers_clean &&
                       (t->status[i].state != FIBER_LEADING || young_cont(f) == 0),
                   "FB4: a fiber was suspended since the last collection and is not dirty");
    }
}

static void visit_fibers(void *context, struct gc_visitor *visitor) {
    struct vm_fibers *t = context;
    if (gc_get_params(visitor->g)->verify) check_fibers(t);
    if (visitor->young_only) return; /* minor_mark comes */
    if (visitor->may_defer) visitor->deferred += t->buffer_words / WORDS_PER_ROOT;
    else if (visitor->roots_only) visit_running(t, visitor);
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
    gc_add_incremental_scanner(heap, "fibers", visit_fibers, scan_some, t);
    gc_set_continuations(heap, &t->continuations);
}
