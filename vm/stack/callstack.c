/* callstack.c - see callstack.h. */
#include "vm/stack/callstack.h"

#include "gc/small_tables.h"
#include "vm/code/code.h"
#include "vm/stack/frame_layout.h"
#include "vm/stack/frames.h"
#include "vm/stack/selfcheck.h"
#include "vm/stack/watermarks.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"

#include <stdlib.h>
#include <string.h>

enum {
    MARK_DEPTH = IF_SMALL_TABLES(1, 16), /* frames between the innermost one and a new mark */
    COMPARED = IF_SMALL_TABLES(2, 64),   /* a stack with more fresh frames counts as another one */
};

/* Frames that were noted so far at the end of the arrays stay there. */
static bool widen(struct vm_frames *f, size_t count, size_t noted) {
    size_t wider = f->capacity == 0 ? IF_SMALL_TABLES(1, 256) : f->capacity;
    while (wider < count) wider *= 2;
    uint64_t *gpcs = realloc(f->gpcs, wider * sizeof *gpcs);
    if (gpcs != NULL) f->gpcs = gpcs;
    uint32_t *slots = realloc(f->slots, wider * sizeof *slots);
    if (slots != NULL) f->slots = slots;
    struct vm_return *returns = realloc(f->returns, wider * sizeof *returns);
    if (returns != NULL) f->returns = returns;
    if (gpcs == NULL || slots == NULL || returns == NULL) return false;
    size_t from = f->capacity - noted, to = wider - noted;
    memmove(gpcs + to, gpcs + from, noted * sizeof *gpcs);
    memmove(slots + to, slots + from, noted * sizeof *slots);
    memmove(returns + to, returns + from, noted * sizeof *returns);
    f->capacity = wider;
    return true;
}

static void free_stack(struct vm_call_stack *s) {
    struct vm_frames *both[] = {&s->kept, &s->fresh};
    for (int i = 0; i < 2; i++) {
        free(both[i]->gpcs);
        free(both[i]->slots);
        free(both[i]->returns);
    }
    free(s);
}

static struct vm_call_stack *create(struct domain *d) {
    struct vm_call_stack *s = calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    if (!widen(&s->fresh, VM_SHORT_STACK, 0) || !widen(&s->kept, VM_SHORT_STACK, 0)) {
        free_stack(s);
        return NULL;
    }
    /* Versions of different threads' stacks differ. */
    s->version = s->brief_version = (uint64_t)++d->vm->call_stacks << 40;
    return d->stack.call_stack = s;
}

/* Slots are kept as the low half of their address in words, which tells them apart in a stack. */
static uint32_t word_address(const value *slot) { return (uint32_t)((uintptr_t)slot / 8); }
static value *slot_at(const struct domain *d, uint32_t address) {
    return d->stack.high - (uint32_t)(word_address(d->stack.high) - address);
}

/* ---- Walking. ---- */

/* A walk: where it begins, and what came of it. */
struct walker {
    value *behind; /* the return frame of the innermost frame */
    uint64_t gpc;
    size_t count; /* frames that were noted */
    bool at_mark; /* the last of them was the one before the mark */
    bool no_memory;
};

static bool take_frame(struct walker *w, const struct vm_frame *frame) {
    w->behind = frame->base + frame->height;
    w->gpc = frame->gpc;
    return true;
}

/* To the innermost frame. */
static inline bool start(struct domain *d, struct vm_call_stack *s, struct walker *w) {
    struct vm_frame frame;
    w->count = 0;
    w->at_mark = w->no_memory = false;
    if (d->stack.sp >= d->stack.high) return false;
    value word = d->stack.sp[1];
    const struct vm_stopped_code *place = vm_stopped_code_of(s, word);
    if (place->word != word) return vm_frames_first(d, &frame) && take_frame(w, &frame);
    w->behind = d->stack.sp + SAVED_WORDS + place->height + int_of_val(d->stack.sp[2]);
    w->gpc = place->gpc;
    return true;
}

/* Past a mark, a callback, or the outermost frame. */
static bool step_slowly(struct domain *d, value **behind, uint64_t *gpc) {
    /* Behind the last frame of a stack there is only its return frame. */
    if (*behind + 3 + SAVED_WORDS > d->stack.high) return false;
    struct vm_frame frame = {.base = *behind, .height = 0};
    if (!vm_frames_next(d, &frame)) return false;
    *behind = frame.base + frame.height;
    *gpc = frame.gpc;
    return true;
}

/* Notes frames, behind those that were, until there are `limit` or no more, or the one before the
 * mark was noted. */
static inline __attribute__((always_inline)) void walk(struct domain *d, struct vm_frames *f,
                                                       struct walker *to, size_t limit,
                                                       const value *mark) {
    value *behind = to->behind;
    uint64_t gpc = to->gpc;
    size_t n = to->count;
    bool more = true;
    while (more && n < limit) {
        if (n == f->capacity && !widen(f, n + 1, n)) {
            to->no_memory = true;
            break;
        }
        size_t room = limit < f->capacity ? limit : f->capacity;
        uint64_t *gpcs = f->gpcs + f->capacity - n;
        uint32_t *slots = f->slots + f->capacity - n;
        struct vm_return *returns = f->returns + f->capacity - n;
        while (n < room) {
            n++;
            *--gpcs = gpc;
            *--slots = word_address(behind);
            *--returns = (struct vm_return){behind[0], behind[2]};
            if (behind == mark) {
                returns->address = 0;
                to->at_mark = true;
                more = false;
                break;
            }
            if (step_to_caller(&behind, &gpc)) continue;
            returns->address = 0;
            /* Copies: what has its address taken can't stay in a register. */
            value *slow_behind = behind;
            uint64_t slow_gpc;
            if (!(more = step_slowly(d, &slow_behind, &slow_gpc))) break;
            behind = slow_behind;
            gpc = slow_gpc;
        }
    }
    to->count = n;
}

/* ---- Short stacks. ---- */

/* Notes the words that made the short stack in fresh. One that crosses a mark or a callback is not
 * kept: there is more to look at. */
static void keep_brief(struct domain *d, struct vm_call_stack *s, size_t limit, size_t count) {
    struct vm_short_stack *b = &s->brief;
    const uint64_t *gpcs = s->fresh.gpcs + s->fresh.capacity;
    const uint32_t *slots = s->fresh.slots + s->fresh.capacity;
    b->limit = 0;
    s->brief_version++;
    if (count == 0) return;
    for (size_t i = 0; i < count; i++) b->gpcs[i] = *--gpcs;
    b->count = count;
    b->word = d->stack.sp[1];
    b->extra_args = d->stack.sp[2];
    b->whole_from = count < limit ? d->stack.sp : NULL;
    for (size_t i = 0; i + 1 < count; i++) {
        const value *behind = slot_at(d, *--slots);
        if (gpc_of_frame_word(((const uintptr_t *)behind[0])[-1]) == VM_NO_GPC) return;
        b->links[i] = (struct vm_link){(size_t)(behind - d->stack.sp), behind[0], behind[2]};
    }
    b->limit = limit;
}

static __attribute__((noinline)) size_t short_stack(struct domain *d, size_t limit,
                                                    const uint64_t **gpcs) {
    struct vm_call_stack *s = d->stack.call_stack;
    struct walker w;
    if (s == NULL && (s = create(d)) == NULL) return 0;
    if (start(d, s, &w) && limit > 0) walk(d, &s->fresh, &w, limit, NULL);
    keep_brief(d, s, limit, w.count);
    *gpcs = s->brief.gpcs;
    return w.count;
}

size_t vm_short_call_stack(struct domain *d, size_t limit, const uint64_t **gpcs) {
    const struct vm_call_stack *s = d->stack.call_stack;
    if (s == NULL || limit != s->brief.limit || !vm_is_short_stack_again(d, s))
        return short_stack(d, limit, gpcs);
    *gpcs = s->brief.gpcs;
    return s->brief.count;
}

/* ---- The kept stack. ---- */

/* Whether the walk's frames, from the innermost one to the mark, are those that are kept. If not,
 * the ones that are have been noted. */
static inline bool is_kept(struct domain *d, struct vm_call_stack *s, struct walker *w,
                           const value *mark) {
    const uint64_t *gpcs = s->kept.gpcs;
    const uint32_t *slots = s->kept.slots;
    struct vm_return *returns = s->kept.returns;
    value *behind = w->behind, *left = NULL; /* the return frame that was stepped over plainly */
    uint64_t gpc = w->gpc;
    size_t i = s->kept.count;
    bool more = true, kept = false;
    while (more && i > 0 && gpcs[i - 1] == gpc && slots[i - 1] == word_address(behind)) {
        if (left != NULL) returns[i] = (struct vm_return){left[0], left[2]};
        i--;
        while (i > 0 && behind[0] == returns[i].address && behind[2] == returns[i].extra_args)
            behind = slot_at(d, slots[--i]);
        gpc = gpcs[i];
        kept = behind == mark && i == s->marked;
        if (behind == mark) break;
        left = behind;
        if (step_to_caller(&behind, &gpc)) continue;
        left = NULL;
        value *slow_behind = behind;
        uint64_t slow_gpc = gpc;
        more = step_slowly(d, &slow_behind, &slow_gpc);
        kept = !more && i == 0;
        behind = slow_behind;
        gpc = slow_gpc;
    }
    size_t n = s->kept.count - i;
    if (kept) w->count = n;
    if (kept || !more || behind == mark) return kept;
    if (n > s->fresh.capacity && !widen(&s->fresh, n, 0)) return false;
    size_t at = s->fresh.capacity - n;
    if (n > 0) { /* else there may be no arrays */
        memcpy(s->fresh.gpcs + at, gpcs + i, n * sizeof *gpcs);
        memcpy(s->fresh.slots + at, slots + i, n * sizeof *slots);
        memcpy(s->fresh.returns + at, returns + i, n * sizeof *returns);
        s->fresh.returns[at].address = 0; /* what is behind it is not what was */
    }
    *w = (struct walker){.behind = behind, .gpc = gpc, .count = n};
    return false;
}

/* Puts the fresh frames in place, inside of `shared` old ones. */
static void put(struct vm_call_stack *s, size_t shared, size_t fresh) {
    size_t count = shared + fresh;
    const uint64_t *gpcs = s->fresh.gpcs + s->fresh.capacity - fresh;
    const uint32_t *slots = s->fresh.slots + s->fresh.capacity - fresh;
    bool same = count == s->kept.count && fresh <= COMPARED &&
                memcmp(s->kept.gpcs + shared, gpcs, fresh * sizeof *gpcs) == 0;
    s->version += !same;
    if (shared < s->unchanged) s->unchanged = shared;
    s->kept.count = count;
    memcpy(s->kept.gpcs + shared, gpcs, fresh * sizeof *gpcs);
    memcpy(s->kept.slots + shared, slots, fresh * sizeof *slots);
    memcpy(s->kept.returns + shared, s->fresh.returns + s->fresh.capacity - fresh,
           fresh * sizeof *s->kept.returns);
}

/* Of the last limit frames. */
static size_t give(const struct vm_call_stack *s, size_t limit, const uint64_t **gpcs) {
    size_t n = s->kept.count < limit ? s->kept.count : limit;
    *gpcs = s->kept.gpcs + (s->kept.count - n);
    return n;
}

/* Places the mark at the return frame of kept frame i. */
static void place_mark(struct domain *d, struct vm_call_stack *s, size_t i) {
    vm_watermark_set_at(d, WATERMARK_CALL_STACK, slot_at(d, s->kept.slots[i]));
    s->marked = i;
}

static size_t whole_stack(struct domain *d, struct vm_call_stack *s, size_t limit,
                          const uint64_t **gpcs) {
    struct walker w;
    const value *mark = d->stack.watermarks[WATERMARK_CALL_STACK].slot;
    if (mark == d->stack.high) mark = NULL;
    bool any = start(d, s, &w), kept = any && is_kept(d, s, &w, mark);
    if (any && !kept) walk(d, &s->fresh, &w, SIZE_MAX, mark);
    size_t shared = w.at_mark ? s->marked : 0;
    if (w.no_memory ||
        (s->kept.capacity < shared + w.count && !widen(&s->kept, shared + w.count, 0))) {
        vm_watermark_remove(d, WATERMARK_CALL_STACK);
        return 0;
    }
    if (!kept) put(s, shared, w.count);
    if (w.count > MARK_DEPTH) {
        vm_watermark_remove(d, WATERMARK_CALL_STACK);
        if (s->kept.count > 2 * MARK_DEPTH) place_mark(d, s, s->kept.count - 1 - MARK_DEPTH);
    }
    return give(s, limit, gpcs);
}

size_t vm_call_stack(struct domain *d, size_t limit, const uint64_t **gpcs) {
    struct vm_call_stack *s = d->stack.call_stack;
    if (s == NULL && (s = create(d)) == NULL) return 0;
    if (limit > VM_SHORT_STACK) {
        size_t whole = whole_stack(d, s, limit, gpcs);
        if (gc_get_params(&d->gc)->verify) vm_selfcheck_call_stack(d, *gpcs, whole, limit);
        return whole;
    }
    size_t n = vm_short_call_stack(d, limit, gpcs);
    const uint64_t *brief = *gpcs;
    for (size_t i = 0; i < n; i++) s->fresh.gpcs[n - 1 - i] = brief[i];
    *gpcs = s->fresh.gpcs;
    return n;
}

void vm_call_stack_passed_watermark(struct domain *d, size_t frames) {
    struct vm_call_stack *s = d->stack.call_stack;
    if (s->marked > frames) place_mark(d, s, s->marked - frames);
}

void vm_call_stack_free(struct domain *d) {
    if (d->stack.call_stack != NULL) free_stack(d->stack.call_stack);
}
