/* profile.c - see profile.h. */
#include "memprof/profile.h"

#include "memprof/callstack.h"
#include "vm/callback.h"

#include <stdlib.h>

/* The tracker's callbacks, by their fields. */
enum { ALLOC_MINOR, ALLOC_MAJOR, PROMOTE, DEALLOC_MINOR, DEALLOC_MAJOR };

/* ---- Life of profiles. ---- */

static void free_profile(struct mp_profile *p) {
    struct mp_profile **at = &p->engine->profiles;
    while (*at != p) at = &(*at)->next;
    *at = p->next;
    if (p->engine->current == p) p->engine->current = NULL;
    mp_stream_detach(p->engine->sampler, &p->stream);
    gc_remove_root(&p->engine->d->gc, &p->tracker);
    mp_entries_clear(&p->entries);
    free(p);
}

/* Frees the profiles that nothing can reach any more. Not while one of their callbacks runs. */
static void free_finished(struct mp_engine *engine) {
    struct mp_profile *next;
    for (struct mp_profile *p = engine->profiles; p != NULL; p = next) {
        next = p->next;
        bool silent = p->status == MP_DISCARDED || (p->status == MP_STOPPED && p->entries.live == 0);
        if (silent && p->running == 0 && (p->style == MP_STYLE_4 || p->handle_dead)) free_profile(p);
    }
}

static void forget_everything(struct mp_profile *p) {
    mp_entries_clear(&p->entries);
    p->generation++;
}

/* ---- Callbacks. ---- */

/* Calls field `which` of the tracker. MP1. */
static value call(struct mp_profile *p, int which, value argument) {
    p->running++;
    mp_stream_suspend(p->engine->sampler, &p->stream);
    value result = vm_callback_exn(p->engine->d, field(p->tracker, which), 1, &argument);
    mp_stream_resume(p->engine->sampler, &p->stream);
    p->running--;
    return result;
}

/* The record that allocation callbacks are given. MP4. */
static value allocation_record(struct mp_profile *p, uint32_t number) {
    struct domain *d = p->engine->d;
    struct mp_entry *e = mp_entry_at(&p->entries, number);
    struct mp_stack *stack = e->stack;
    value callstack = VAL_UNIT;
    e->stack = NULL;
    mp_sampler_pause(p->engine->sampler);
    GC_ROOT(&d->gc, &callstack);
    size_t depth = stack == NULL ? 0 : stack->depth;
    callstack = gc_alloc(&d->gc, depth, 0);
    for (size_t i = 0; i < depth; i++) field(callstack, i) = val_of_int((intptr_t)stack->gpcs[i]);
    free(stack);
    value record = gc_alloc_small(&d->gc, 4, 0);
    e = mp_entry_at(&p->entries, number);
    field(record, 0) = val_of_int((intptr_t)e->samples);
    field(record, 1) = val_of_int((intptr_t)e->wosize);
    field(record, 2) = val_of_int(e->source);
    field(record, 3) = callstack;
    GC_UNROOT(&d->gc);
    mp_sampler_unpause(p->engine->sampler);
    return record;
}

/* What a callback's result means for its entry: None and exceptions drop it (MP3), Some v is its new value.
 * Returns VAL_UNIT or the exception. */
static value settle(struct mp_profile *p, uint32_t number, value result, bool last) {
    bool failed = is_exn_result(result);
    if (failed || last || is_int(result)) mp_entry_drop(&p->entries, number);
    else mp_entry_set_user(&p->entries, number, field(result, 0));
    return failed ? result : VAL_UNIT;
}

static value tell_allocation(struct mp_profile *p, uint32_t number) {
    struct mp_entry *e = mp_entry_at(&p->entries, number);
    unsigned generation = p->generation;
    int which = e->flags & ENTRY_BORN_YOUNG ? ALLOC_MINOR : ALLOC_MAJOR;
    e->flags |= ENTRY_KNOWN;
    value result = call(p, which, allocation_record(p, number));
    if (generation != p->generation) return is_exn_result(result) ? result : VAL_UNIT;
    return settle(p, number, result, false);
}

static value tell_later_event(struct mp_profile *p, uint32_t number, enum mp_event event) {
    struct mp_entry *e = mp_entry_at(&p->entries, number);
    unsigned generation = p->generation;
    bool was_old = !(e->flags & ENTRY_BORN_YOUNG) || (e->flags & ENTRY_WAS_PROMOTED);
    int which = event == MP_PROMOTED ? PROMOTE : was_old ? DEALLOC_MAJOR : DEALLOC_MINOR;
    value user = e->user;
    e->user = VAL_UNIT; /* no longer a root while its callback runs */
    value result = call(p, which, user);
    if (generation != p->generation) return is_exn_result(result) ? result : VAL_UNIT;
    return settle(p, number, result, event == MP_DEALLOCATED);
}

/* Runs what is due for one profile. */
static value run_due(struct mp_profile *p) {
    uint32_t number;
    enum mp_event event;
    while (mp_due_pop(&p->entries, &number, &event)) {
        value result = event == MP_ALLOCATED ? tell_allocation(p, number)
                                             : tell_later_event(p, number, event);
        if (is_exn_result(result)) return result;
    }
    return VAL_UNIT;
}

value mp_run_callbacks_exn(void *state, struct domain *d) {
    struct mp_engine *engine = state;
    value result = VAL_UNIT;
    struct mp_profile *p = engine->profiles;
    while (p != NULL && !is_exn_result(result)) {
        p->running++; /* keeps it in the list */
        if (p->running == 1) result = run_due(p);
        p->running--;
        p = p->next;
    }
    free_finished(engine);
    return result;
}

/* ---- The sampler's client. ---- */

static value on_hit(void *context, struct domain *d, const struct mp_hit *hit, uint32_t *ticket) {
    struct mp_profile *p = context;
    struct mp_entries *t = &p->entries;
    uint32_t number = mp_entry_new(t, hit->wosize, hit->samples, hit->source, hit->young);
    *ticket = number;
    if (number == 0) return VAL_UNIT;
    mp_entry_at(t, number)->stack = mp_callstack(d, p->callstack_size);
    if (!hit->promised) {
        if (mp_entry_set_block(t, number, hit->block, hit->young) &&
            mp_due_push(t, number, MP_ALLOCATED))
            gc_request_action(&d->gc);
        return VAL_UNIT;
    }
    unsigned generation = p->generation;
    mp_entry_at(t, number)->holds++; /* the promise's */
    value result = tell_allocation(p, number);
    if (generation != p->generation) *ticket = 0;
    else if (is_exn_result(result)) mp_entry_release(t, number);
    return result;
}

static void on_born(void *context, uint32_t ticket, value block) {
    struct mp_profile *p = context;
    if (ticket == 0) return;
    if (block == 0) mp_entry_drop(&p->entries, ticket);
    else if (!(mp_entry_at(&p->entries, ticket)->flags & ENTRY_DROPPED))
        mp_entry_set_block(&p->entries, ticket, block, true);
    mp_entry_release(&p->entries, ticket);
}

static void on_minor_done(void *context, struct gc_domain *g) {
    struct mp_profile *p = context;
    if (mp_entries_minor_done(&p->entries, g)) gc_request_action(g);
}

static void on_mark_done(void *context, struct gc_domain *g) {
    struct mp_profile *p = context;
    if (mp_entries_mark_done(&p->entries, g)) gc_request_action(g);
}

static const struct mp_client profile_client = {on_hit, on_born, on_minor_done, on_mark_done};

/* ---- Start, stop, discard. ---- */

static void scan(void *context, struct gc_visitor *visitor) {
    struct mp_engine *engine = context;
    for (struct mp_profile *p = engine->profiles; p != NULL; p = p->next)
        mp_entries_scan(&p->entries, visitor);
}

/* The heap is gone already: custom blocks that stand for profiles were finalized with it. */
static void close_engine(void *state) {
    struct mp_engine *engine = state;
    while (engine->profiles != NULL) {
        struct mp_profile *p = engine->profiles;
        engine->profiles = p->next;
        mp_entries_clear(&p->entries);
        free(p);
    }
    free(engine->sampler);
    free(engine);
}

struct mp_engine *mp_engine_of(struct domain *d) {
    if (d->vm->profiler.state != NULL) return d->vm->profiler.state;
    struct mp_engine *engine = calloc(1, sizeof *engine);
    struct mp_sampler *sampler = mp_sampler_create(d);
    if (engine == NULL || sampler == NULL) {
        free(engine);
        free(sampler);
        vm_raise_out_of_memory(d);
    }
    *engine = (struct mp_engine){.d = d, .sampler = sampler, .next_seed = 42};
    gc_add_scanner(d->gc.heap, scan, engine);
    d->vm->profiler = (struct vm_profiler){engine, mp_run_callbacks_exn, close_engine};
    return engine;
}

struct mp_profile *mp_profile_start(struct mp_engine *engine, enum mp_style style, double rate,
                                    uint64_t callstack_size, value tracker) {
    struct mp_profile *p = calloc(1, sizeof *p), **end = &engine->profiles;
    if (p == NULL) vm_raise_out_of_memory(engine->d);
    free_finished(engine);
    p->engine = engine;
    p->style = style;
    p->callstack_size = callstack_size;
    p->tracker = tracker;
    gc_register_root(&engine->d->gc, &p->tracker);
    while (*end != NULL) end = &(*end)->next;
    *end = p;
    mp_stream_attach(engine->sampler, &p->stream, &profile_client, p, engine->next_seed++);
    p->stream.rounds_up = style == MP_STYLE_5;
    mp_stream_start(engine->sampler, &p->stream, rate);
    return p;
}

static value run_due_allocations(struct mp_profile *p) {
    uint32_t number;
    value result = VAL_UNIT;
    p->running++;
    while (!is_exn_result(result) && mp_due_pop_allocation(&p->entries, &number))
        result = tell_allocation(p, number);
    p->running--;
    return result;
}

value mp_profile_stop(struct mp_profile *p) {
    struct mp_engine *engine = p->engine;
    if (p->style == MP_STYLE_5 && p->running == 0) {
        value result = run_due_allocations(p);
        if (is_exn_result(result)) return result;
    }
    mp_stream_stop(engine->sampler, &p->stream);
    p->status = MP_STOPPED;
    if (engine->current == p) engine->current = NULL;
    if (p->style == MP_STYLE_4) forget_everything(p);
    else mp_entries_drop_unknown(&p->entries);
    free_finished(engine);
    return VAL_UNIT;
}

void mp_profile_discard(struct mp_profile *p) {
    p->status = MP_DISCARDED;
    forget_everything(p);
}

void mp_profile_handle_died(struct mp_profile *p) { p->handle_dead = true; }
