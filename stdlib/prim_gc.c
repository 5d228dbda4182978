/* prim_gc.c - module Gc: control of the collector, its statistics, registration of finalisers.
 *
 * The fields of OCaml's records are in the order of gc.ml's types. Settings that don't apply to
 * this collector (heap increment, allocation policy, smoothing window) are stored for Gc.get
 * only, and only in the versions that have them. */
#include "gc/stats.h"
#include "gc/weak.h"
#include "stdlib/prim.h"
#include "vm/code/checks.h"
#include "vm/code/version.h"
#include "vm/engine/callback.h"
#include "vm/stack/fiber.h"
#include "vm/stack/frame_layout.h"
#include "vm/stack/stack.h"
#include "vm/thread/pending.h"

#include <stddef.h>
#include <stdio.h>

/* ---- Statistics ---- */

enum { STAT_FIELDS = 17, COUNTER_FIELDS = 3 };

/* A new tuple: the three counters as floats, then unit. Blocks are allocated in OCaml's order,
 * which a profiler sees. */
static value counters_tuple(struct domain *d, struct gc_allocated n, size_t fields) {
    const double counters[COUNTER_FIELDS] = {(double)n.minor_words, (double)n.promoted_words,
                                             (double)n.major_words};
    ASSERT(fields >= COUNTER_FIELDS);
    value tuple = new_block(d, fields, 0);
    GC_ROOT(&d->gc, &tuple);
    for (size_t i = 0; i < COUNTER_FIELDS; i++) {
        value counter = copy_double(d, counters[i]);
        gc_store(&d->gc, tuple, i, counter);
    }
    return tuple;
}

static value stat_record(struct domain *d, const struct gc_stats *stats,
                         const struct gc_walk_stats *walk) {
    const size_t chunks = d->vm->version->gc_has_chunks ? SIZE_MAX : 0;
    bool at_minor = d->vm->version->gc_stat_ends_at_minor;
    struct gc_allocated n = at_minor ? gc_allocated_at_minor(&d->gc) : gc_allocated(&d->gc);
    const size_t counts[STAT_FIELDS - COUNTER_FIELDS] = {
        stats->minor_collections,
        stats->major_collections,
        stats->heap_words,
        stats->heap_chunks & chunks,
        walk->live_words,
        walk->live_blocks,
        walk->free_words,
        walk->free_blocks & chunks,
        walk->largest_free_words & chunks,
        walk->fragments,
        stats->compactions,
        stats->top_heap_words,
        (size_t)(d->stack.high - d->stack.sp) & chunks,
        stats->forced_major_collections,
    };
    value record = counters_tuple(d, n, STAT_FIELDS);
    for (size_t i = 0; i < STAT_FIELDS - COUNTER_FIELDS; i++)
        field(record, COUNTER_FIELDS + i) = val_of_int((intptr_t)counts[i]);
    return record;
}

/* Charges the work of a walk over the major heap. */
static void charge_pass(struct domain *d) {
    vm_charge_work(d, 8 * gc_stats_read(&d->gc).heap_words);
}

/* Runs n cycles, and the finalisers after each. */
static void cycles(struct domain *d, int n, bool compacts) {
    for (int i = 0; i < n; i++) {
        charge_pass(d);
        gc_next_major_cycle(&d->gc);
        vm_process_pending(d);
    }
    gc_count_requested_cycles(&d->gc, compacts);
    gc_end_requested_cycles(&d->gc, compacts);
}

/* The last of the cycles that a primitive of 4.x runs. */
static void last_cycle(struct domain *d, bool compacts) {
    charge_pass(d);
    gc_count_requested_cycles(&d->gc, compacts); /* stubs are notified at the cycle's end */
    gc_next_major_cycle(&d->gc);
    gc_end_requested_cycles(&d->gc, compacts);
}

value prim_gc_stat(struct domain *d, value unit) {
    if (d->vm->version->gc_always_marks) cycles(d, 3, false);
    charge_pass(d);
    struct gc_walk_stats walk;
    gc_stats_walk(&d->gc, &walk);
    struct gc_stats stats = gc_stats_read(&d->gc);
    return stat_record(d, &stats, &walk);
}

/* The fields that need a walk of the heap are 0, except in the versions that count while they
 * mark. */
value prim_gc_quick_stat(struct domain *d, value unit) {
    struct gc_walk_stats known = {0};
    struct gc_stats stats = gc_stats_read(&d->gc);
    if (d->vm->version->gc_always_marks && stats.live_words <= stats.heap_words) {
        known.live_words = stats.live_words;
        known.free_words = stats.heap_words - stats.live_words;
    }
    return stat_record(d, &stats, &known);
}

/* What the domain that runs has allocated. */
static struct gc_allocated allocated_here(const struct domain *d) {
    struct gc_allocated n = gc_allocated(&d->gc);
    const struct gc_allocated *others = &d->record->by_others;
    n.minor_words -= others->minor_words;
    n.promoted_words -= others->promoted_words;
    n.major_words -= others->major_words;
    return n;
}

value prim_gc_counters(struct domain *d, value unit) {
    return counters_tuple(d, allocated_here(d), COUNTER_FIELDS);
}

value prim_gc_minor_words(struct domain *d, value unit) {
    return copy_double(d, (double)allocated_here(d).minor_words);
}

value prim_get_minor_free(struct domain *d, value unit) {
    size_t bytes = d->gc.young_ptr - d->gc.young_start;
    return val_of_int((intptr_t)(bytes / d->vm->version->minor_free_unit));
}

/* The pacing has no buckets and no credit: 0, as if the collector had no debt. */
value prim_get_major_bucket(struct domain *d, value n) {
    if (int_of_val(n) < 0) vm_invalid_argument(d, "Gc.get_bucket");
    return val_of_int(0);
}

value prim_get_major_credit(struct domain *d, value unit) { return val_of_int(0); }
value prim_gc_huge_fallback_count(struct domain *d, value unit) { return val_of_int(0); }

/* There is no event log to pause. */
value prim_eventlog_pause(struct domain *d, value unit) { return VAL_UNIT; }
value prim_eventlog_resume(struct domain *d, value unit) { return VAL_UNIT; }

/* ---- Control ---- */

enum control_field {
    CONTROL_MINOR_WORDS,
    CONTROL_INCREMENT,
    CONTROL_SPACE_OVERHEAD,
    CONTROL_VERBOSE,
    CONTROL_MAX_OVERHEAD,
    CONTROL_STACK_LIMIT,
    CONTROL_POLICY,
    CONTROL_WINDOW,
    CONTROL_CUSTOM_MAJOR,
    CONTROL_CUSTOM_MINOR,
    CONTROL_CUSTOM_MINOR_BYTES,
    CONTROL_FIELDS
};

/* The fields that are parameters of the collector, in the order in which changes are reported. */
static const struct setting {
    enum control_field field;
    bool of_chunks;          /* absent, shown as 0, where the heap has no chunks */
    size_t parameter;        /* the offset of a size_t in struct gc_params */
    const char *name, *unit; /* name NULL: not reported */
} settings[] = {
#define SETTING(field, of_chunks, parameter, name, unit) \
    { CONTROL_##field, of_chunks, offsetof(struct gc_params, parameter), name, unit }
    SETTING(SPACE_OVERHEAD, false, space_overhead, "space overhead", "%"),
    SETTING(VERBOSE, false, verbose, NULL, ""),
    SETTING(MAX_OVERHEAD, true, max_overhead, "max overhead", "%"),
    SETTING(INCREMENT, true, heap_increment, "heap increment size", "%"),
    SETTING(WINDOW, true, window_size, "smoothing window size", ""),
    SETTING(CUSTOM_MAJOR, false, custom_major_ratio, "custom major ratio", "%"),
    SETTING(CUSTOM_MINOR, false, custom_minor_ratio, "custom minor ratio", "%"),
    SETTING(CUSTOM_MINOR_BYTES, false, custom_minor_max_bytes, "custom minor size limit", "%"),
    SETTING(POLICY, true, allocation_policy, "allocation policy", ""),
    SETTING(MINOR_WORDS, false, minor_words, "minor heap size", "k words"),
#undef SETTING
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

/* Where a setting is stored: in p, or in the domain's record. */
static size_t *setting_in(struct domain *d, struct gc_params *p, const struct setting *s) {
    if (s->field == CONTROL_MINOR_WORDS) return &d->record->minor_heap_words;
    return (size_t *)((char *)p + s->parameter);
}

static bool is_present(const struct domain *d, const struct setting *s) {
    return !s->of_chunks || d->vm->version->gc_has_chunks;
}

value prim_gc_get(struct domain *d, value unit) {
    struct gc_params p = *gc_get_params(&d->gc);
    value record = new_small(d, CONTROL_FIELDS, 0);
    for (const struct setting *s = settings; s < settings + SETTINGS; s++) {
        bool present = is_present(d, s);
        field(record, s->field) = val_of_int(present ? (intptr_t)*setting_in(d, &p, s) : 0);
    }
    field(record, CONTROL_STACK_LIMIT) = val_of_int((intptr_t)vm_stack_limit(d));
    return record;
}

/* The page, in words, to which the size of the minor heap is rounded up. */
#define MINOR_WORDS_PAGE 512

static intptr_t clamp(intptr_t n, intptr_t least, intptr_t most) {
    return n < least ? least : n > most ? most : n;
}

#define BEST_FIT 2 /* the default policy, and the last */

/* OCaml 4 compacts the heap when it changes the policy; finalisers wait until the end. */
static void compact_for_policy(struct domain *d) {
    charge_pass(d);
    gc_finish_major_cycle(&d->gc);
    last_cycle(d, true);
}

/* The valid setting for a wanted one: the nearest. Policy -1 is the present one; other unknown
 * policies are the default. */
static intptr_t valid_setting(const struct gc_params *p, enum control_field field, intptr_t wanted,
                              intptr_t present) {
    switch (field) {
    case CONTROL_SPACE_OVERHEAD:
    case CONTROL_CUSTOM_MAJOR:
    case CONTROL_CUSTOM_MINOR: return wanted == 0 ? 1 : wanted;
    case CONTROL_WINDOW: return clamp(wanted, 1, 50);
    case CONTROL_POLICY:
        if (wanted == -1) return present;
        return wanted == clamp(wanted, 0, BEST_FIT) ? wanted : BEST_FIT;
    case CONTROL_MINOR_WORDS:
        wanted = clamp(wanted, (intptr_t)p->min_minor_words, (intptr_t)p->max_minor_words);
        return (wanted + MINOR_WORDS_PAGE - 1) / MINOR_WORDS_PAGE * MINOR_WORDS_PAGE;
    default: return wanted;
    }
}

static void change(struct domain *d, struct gc_params *p, const struct setting *s,
                   intptr_t wanted) {
    size_t *slot = setting_in(d, p, s);
    ASSERT(s->parameter <= sizeof *p - sizeof(size_t) && is_present(d, s));
    size_t n = (size_t)valid_setting(p, s->field, wanted, (intptr_t)*slot);
    size_t named = s->field == CONTROL_POLICY ? (size_t)wanted : n; /* valid or not */
    if (*slot == named) return;
    *slot = n;
    if (s->field == CONTROL_POLICY) compact_for_policy(d);
    if (s->field == CONTROL_MINOR_WORDS) {
        p->minor_words = n;
        p->adaptive_minor = false;
    }
    if (s->name == NULL || (p->verbose & 0x20) == 0) return;
    /* An increment of more than 1000 is a number of words. */
    bool in_words = s->field == CONTROL_MINOR_WORDS || (s->field == CONTROL_INCREMENT && n > 1000);
    fprintf(vm_err(d->vm), "New %s: %zu%s\n", s->name, in_words ? named / 1024 : named,
            in_words ? "k words" : s->unit);
    fflush(vm_err(d->vm));
}

/* A negative limit means none: as a size_t it exceeds any stack. */
static void set_stack_limit(struct domain *d, size_t words) {
    const struct vm_stack *stack = &d->stack;
    if (words == vm_stack_limit(d)) return;
    ASSERT(stack->low <= stack->sp && stack->sp <= stack->high); /* S1 */
    /* The stack's current depth and a reserve, so that Gc.set can return. */
    size_t depth = (size_t)(stack->high - stack_of_ocaml(stack) - stack->base_words);
    if (stack->boundary != 0) depth = vm_fiber_words(d, stack_of_ocaml(stack));
    size_t least = depth + d->vm->version->stack_reserve_words;
    if (words < least) words = least;
    const struct vm_options *options = &d->vm->options;
    if (options->max_stack_holds && words > options->max_stack_words)
        words = options->max_stack_words;
    vm_set_stack_limit(d, words);
}

value prim_gc_set(struct domain *d, value control) {
    intptr_t wanted[CONTROL_FIELDS];
    if (!has_field(control, CONTROL_FIELDS - 1)) vm_invalid_argument(d, "Gc.set");
    for (size_t i = 0; i < CONTROL_FIELDS; i++) {
        if (is_block(field(control, i))) vm_invalid_argument(d, "Gc.set");
        wanted[i] = int_of_val(field(control, i));
    }
    struct gc_params p = *gc_get_params(&d->gc);
    if (!d->vm->version->gc_sets_overhead_first) p.verbose = (size_t)wanted[CONTROL_VERBOSE];
    for (const struct setting *s = settings; s < settings + SETTINGS; s++)
        if (is_present(d, s)) change(d, &p, s, wanted[s->field]);
    set_stack_limit(d, (size_t)wanted[CONTROL_STACK_LIMIT]);
    gc_set_params(&d->gc, &p);
    if (d->vm->version->gc_set_polls) vm_process_pending(d);
    return VAL_UNIT;
}

/* ---- Collections ---- */

/* The end of a primitive that ran the collector. */
static value finish(struct domain *d) {
    vm_process_pending(d);
    return VAL_UNIT;
}

/* A slice follows the first collection; in 5.x it has a minor collection of its own. */
value prim_gc_minor(struct domain *d, value unit) {
    bool apart = d->vm->version->gc_always_marks;
    if (apart) gc_minor(&d->gc);
    if (!gc_start_first_major_cycle(&d->gc) && !apart) gc_minor(&d->gc);
    return finish(d);
}

value prim_gc_major(struct domain *d, value unit) {
    if (d->vm->version->gc_always_marks) gc_minor(&d->gc);
    charge_pass(d);
    gc_next_major_cycle(&d->gc);
    return finish(d);
}

value prim_gc_major_slice(struct domain *d, value words) {
    if (!d->vm->version->gc_always_marks || !gc_start_first_major_cycle(&d->gc))
        gc_major_slice(&d->gc, int_of_val(words));
    vm_process_pending(d);
    return val_of_int(0);
}

/* Gc.full_major and Gc.compact of 4.x. The first cycle, which may have begun before the call, finds
 * what was garbage at its start. The second has begun when the finalisers run: their values survive
 * it, and those that they register are no garbage in it. */
static value two_cycles(struct domain *d, bool compacts) {
    charge_pass(d);
    gc_next_major_cycle(&d->gc);
    vm_process_pending(d);
    last_cycle(d, compacts);
    return finish(d);
}

value prim_gc_full_major(struct domain *d, value unit) {
    if (!d->vm->version->gc_always_marks) return two_cycles(d, false);
    cycles(d, 3, false);
    return VAL_UNIT;
}

value prim_gc_compaction(struct domain *d, value unit) {
    if (!d->vm->version->gc_always_marks) return two_cycles(d, true);
    bool compacts = d->vm->version->gc_compacts;
    cycles(d, compacts ? 3 : 1, compacts);
    return VAL_UNIT;
}

/* ---- Finalisers ---- */

/* Gc.finalise refuses what the compiler or the collector may replace by a copy or by its content:
 * boxed floats and lazy values. */
static void check_finalisable(struct domain *d, value v) {
    const struct vm_version *version = d->vm->version;
    bool good = gc_is_heap_block(&d->gc, v);
    if (good) {
        unsigned tag = tag_of(v);
        bool is_lazy = tag == TAG_LAZY || tag == TAG_FORWARD ||
                       (tag == TAG_FORCING && tag > version->last_constructor_tag);
        good = tag == TAG_INFIX ||
               ((wosize_of(v) != 0 || version->finalises_atoms) && !is_lazy && tag != TAG_DOUBLE);
    }
    if (!good) vm_invalid_argument(d, "Gc.finalise");
}

value prim_final_register(struct domain *d, value f, value v) {
    check_finalisable(d, v);
    gc_finalise(&d->gc, f, v);
    return VAL_UNIT;
}

value prim_final_register_called_without_value(struct domain *d, value f, value v) {
    check_finalisable(d, v);
    gc_finalise_last(&d->gc, f, v);
    return VAL_UNIT;
}

/* Allows other finalisers to run before the calling one returns. */
value prim_final_release(struct domain *d, value unit) {
    vm_release_finalisers(d);
    return VAL_UNIT;
}

/* ---- Gc.ramp_up and ramp_down, by which a program declares that it will keep what it allocates.
 * The major collector's pace detects that itself (gc/pace.c): no work is suspended. ---- */

value prim_ml_gc_ramp_up(struct domain *d, value f) {
    value result = vm_callback(d, f, VAL_UNIT);
    return new_pair(d, result, val_of_int(0));
}
value prim_ml_gc_ramp_down(struct domain *d, value work) { return VAL_UNIT; }
