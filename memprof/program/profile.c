/* profile.c - see profile.h. */
#include "memprof/program/profile.h"

#include "memprof/counts/counts.h"
#include "memprof/recorder/recorder.h"
#include "memprof/sampling/callstack.h"
#include "memprof/sampling/sampler_internal.h"
#include "memprof/sampling/stress.h"
#include "vm/code/checks.h"
#include "vm/engine/callback.h"
#include "vm/engine/slow.h"
#include "vm/stack/callstack.h"
#include "vm/stack/raise.h"
#include "vm/stack/reexecute.h"
#include "vm/thread/thread.h"

#include <stdlib.h>

/* The tracker's callbacks, by their fields. */
enum { ALLOC_MINOR, ALLOC_MAJOR, PROMOTE, DEALLOC_MINOR, DEALLOC_MAJOR };

/* ---- Life of profiles. ---- */

static void free_profile(struct mp_profile *p) {
    struct mp_profile **at = &p->engine->profiles;
    while (*at != p) at = &(*at)->next;
    *at = p->next;
    mp_stream_detach(p->engine->sampler, &p->stream);
    gc_remove_root(&p->engine->d->gc, &p->tracker);
    mp_tracked_clear(&p->entries);
    gc_external_give(p->entries.heap, sizeof *p);
    free(p);
}

/* Frees the profiles that nothing can reach any more. */
static void free_finished(struct mp_engine *engine) {
    struct mp_profile *next;
    for (struct mp_profile *p = engine->profiles; p != NULL; p = next) {
        next = p->next;
        bool silent = p->status == MP_DISCARDED ||
                      (p->status == MP_STOPPED && p->entries.live == 0);
        if (silent && p->running == 0 && (p->style == MP_STYLE_4 || p->handle_dead))
            free_profile(p);
    }
}

static void forget_everything(struct mp_profile *p) {
    mp_tracked_clear(&p->entries);
    p->generation++;
    gc_modify_root(&p->engine->d->gc, &p->tracker, VAL_UNIT);
}

struct mp_profile *mp_profile_find(struct mp_engine *engine, uint64_t id) {
    struct mp_profile *p = engine->profiles;
    while (p != NULL && p->id != id) p = p->next;
    return p;
}

/* ---- The record that allocation callbacks are given. ---- */

struct record_request {
    size_t samples, wosize;
    enum gc_source source;
    const uint64_t *gpcs; /* of the active calls */
    size_t depth;
    uint64_t
        version; /* of a stack that the machine keeps (vm/stack/callstack.h); 0: of another one */
    bool outermost_first;
};

enum { RECORD_FIELDS = 4 };

static void fill_callstack(value callstack, const struct record_request *request) {
    size_t n = request->depth, i = 0;
    const uint64_t *gpcs = request->gpcs, *end = gpcs + n;
    value *to = &field(callstack, 0);
    if (!request->outermost_first) {
        for (; i < n; i++) to[i] = val_of_int((intptr_t)gpcs[i]);
        return;
    }
    for (; i + 4 <= n; i += 4, end -= 4) {
        to[i] = val_of_int((intptr_t)end[-1]);
        to[i + 1] = val_of_int((intptr_t)end[-2]);
        to[i + 2] = val_of_int((intptr_t)end[-3]);
        to[i + 3] = val_of_int((intptr_t)end[-4]);
    }
    for (; i < n; i++) to[i] = val_of_int((intptr_t) * --end);
}

static void fill_record(value record, const struct record_request *request, value callstack) {
    field(record, 0) = val_of_int((intptr_t)request->samples);
    field(record, 1) = val_of_int((intptr_t)request->wosize);
    field(record, 2) = val_of_int(request->source);
    field(record, 3) = callstack;
}

/* Where the young area has room for stack and record. 0: it hasn't. A stack that is the last one
 * is the same value: it has not moved while there was no minor collection. GC: never. */
static inline value quick_record(struct mp_profile *p, const struct record_request *request,
                                 bool in_hit) {
    struct gc_domain *g = &p->engine->d->gc;
    size_t depth = request->depth;
    value callstack = p->callstack;
    bool again = request->version != 0 && p->callstack_version == request->version &&
                 wosize_of(callstack) == depth;
    size_t words = RECORD_FIELDS + 1 + (again || depth == 0 ? 0 : depth + 1);
    bool fits = depth <= MAX_YOUNG_WOSIZE && 8 * words <= g->young_ptr - g->young_start;
    if (!fits || g->stress) return 0;
    if (!again) {
        callstack = depth == 0 ? gc_atom(g, 0) : gc_bump(g, depth, 0);
        fill_callstack(callstack, request);
        p->callstack = callstack;
        p->callstack_version = request->version;
    }
    value record = gc_bump(g, RECORD_FIELDS, 0);
    fill_record(record, request, callstack);
    /* In a hit the sampler arms itself afterwards. */
    if (in_hit) gc_clock_move(g, -(intptr_t)words);
    else gc_sample_exempt(g, words);
    return record;
}

/* May collect and raise Out_of_memory. */
static value slow_record(struct domain *d, void *context) {
    const struct record_request *request = context;
    size_t depth = request->depth;
    value callstack = depth <= MAX_YOUNG_WOSIZE ? gc_alloc(&d->gc, depth, 0)
                                                : gc_alloc_major(&d->gc, depth, 0);
    fill_callstack(callstack, request);
    GC_ROOT(&d->gc, &callstack);
    value record = gc_alloc_small(&d->gc, RECORD_FIELDS, 0);
    fill_record(record, request, callstack);
    return record;
}

/* Where the young area has no room; kept apart, so that the usual way is short. */
static __attribute__((noinline)) value record_slowly(struct mp_profile *p,
                                                     const struct record_request *request) {
    struct record_request copy = *request;
    /* Raising runs what is due: not what belongs to this lane. */
    mp_sampler_pause(p->engine->sampler);
    mp_lane_suspend(p->engine->sampler, p->stream.lane);
    value record = vm_protect_exn(p->engine->d, slow_record, &copy);
    mp_lane_resume(p->engine->sampler, p->stream.lane);
    mp_sampler_unpause(p->engine->sampler);
    return record;
}

/* The record, or an exception as exn_result. MP4. */
static inline value allocation_record(struct mp_profile *p, const struct record_request *request,
                                      bool in_hit) {
    value record = quick_record(p, request, in_hit);
    return record != 0 ? record : record_slowly(p, request);
}

/* ---- Callbacks. ---- */

static bool lane_is_free(const struct mp_profile *p) { return p->stream.lane->suspended == 0; }

/* Has the machine come back if something is due that could run. */
static void ask_for_callbacks(struct mp_engine *engine) {
    engine->held_back = false;
    for (struct mp_profile *p = engine->profiles; p != NULL; p = p->next) {
        if (!mp_anything_due(&p->entries, engine->thread)) continue;
        if (lane_is_free(p)) gc_request_action(&engine->d->gc);
        else engine->held_back = true;
    }
}

/* Whether a callback gave Some: any other value, of a program that forges them, is None. */
static inline bool is_some(value result) { return !is_exn_result(result) && has_field(result, 0); }

/* What a callback's result means for its entry: None and exceptions drop it (MP3), Some v is its
 * new value. Nothing if the entries were forgotten meanwhile. */
static inline void settle(struct mp_profile *p, unsigned generation, uint32_t number, value result,
                          bool last) {
    if (generation != p->generation) return;
    bool over = last || !is_some(result);
    if (!over && !(mp_entry_at(&p->entries, number)->flags & ENTRY_DROPPED))
        mp_entry_set_user(&p->entries, number, field(result, 0));
    mp_entry_end(&p->entries, number, over);
}

/* What the record of a promised block says. */
static inline void describe_promise(struct mp_profile *p, const struct mp_hit *hit,
                                    struct record_request *request) {
    struct domain *d = p->engine->d;
    request->samples = hit->samples;
    request->wosize = hit->wosize;
    request->source = hit->source;
    request->outermost_first = p->callstack_size > VM_SHORT_STACK;
    request->version = 0;
    if (request->outermost_first)
        request->depth = vm_call_stack(d, p->callstack_size, &request->gpcs);
    else request->depth = vm_short_call_stack(d, p->callstack_size, &request->gpcs);
    const struct vm_call_stack *kept = d->stack.call_stack;
    if (kept != NULL)
        request->version = request->outermost_first ? kept->version : kept->short_version;
}

/* A promised block's callback, where the instruction can't start again. MP1. */
static value call_promised(struct mp_profile *p, value record) {
    struct mp_engine *engine = p->engine;
    p->running++;
    mp_suspend(engine->sampler, p->stream.lane);
    value result = vm_callback1_exn(engine->d, field(p->tracker, ALLOC_MINOR), record);
    mp_resume(engine->sampler, p->stream.lane);
    p->running--;
    return result;
}

static value tell_promise(struct mp_profile *p, const struct mp_hit *hit, uint64_t *ticket) {
    unsigned generation = p->generation;
    struct record_request request;
    describe_promise(p, hit, &request);
    value result = allocation_record(p, &request, true);
    if (!is_exn_result(result)) result = call_promised(p, result);
    *ticket = 0;
    if (is_exn_result(result)) return result;
    if (!is_some(result) || generation != p->generation) return VAL_UNIT;
    *ticket = mp_entry_promised(&p->entries, hit->wosize, hit->samples, field(result, 0), 0);
    return VAL_UNIT;
}

/* ---- Batches: the callbacks that waited, in one run of the machine's loop. ---- */

struct batch {
    struct mp_profile *p;
    bool births_alone;
    uint32_t number;     /* whose callback runs; 0: none does */
    unsigned generation; /* the profile's when it began */
    bool last;           /* nothing can follow it */
};

/* Begins the callback of a block's birth. VAL_TRUE, or an exception as exn_result. */
static value begin_birth(struct batch *b, value *closure, value *argument) {
    struct mp_profile *p = b->p;
    struct mp_entry *e = mp_entry_at(&p->entries, b->number);
    int which = e->flags & ENTRY_BORN_YOUNG ? ALLOC_MINOR : ALLOC_MAJOR;
    struct mp_stack *stack = e->stack;
    struct record_request request = {
        .samples = e->samples, .wosize = e->wosize, .source = e->source};
    if (stack != NULL) {
        request.depth = stack->depth;
        request.gpcs = stack->gpcs;
    }
    e->stack = NULL;
    b->last = false;
    *argument = allocation_record(p, &request, false);
    mp_callstack_free(p->entries.heap, stack);
    if (is_exn_result(*argument)) return *argument; /* what was due then may have stopped p */
    *closure = field(p->tracker, which);
    return VAL_TRUE;
}

/* The same for its promotion or death. */
static value begin_later(struct batch *b, value *closure, value *argument) {
    struct mp_profile *p = b->p;
    struct mp_entry *e = mp_entry_at(&p->entries, b->number);
    bool promoted = e->flags & ENTRY_DUE_PROMOTED;
    bool was_old = !(e->flags & ENTRY_BORN_YOUNG) || (e->flags & ENTRY_WAS_PROMOTED);
    int which = promoted ? PROMOTE : was_old ? DEALLOC_MAJOR : DEALLOC_MINOR;
    e->flags &= (uint16_t) ~(promoted ? ENTRY_DUE_PROMOTED : ENTRY_DUE_DIED);
    b->last = !promoted;
    *argument = mp_entry_take_user(&p->entries, &p->engine->d->gc, b->number);
    *closure = field(p->tracker, which);
    return VAL_TRUE;
}

/* For vm_callbacks_exn: settles the callback that returned, begins the next one that is due
 * (MP5). */
static value next_call(void *context, struct domain *d, value result, value *closure,
                       value *argument) {
    struct batch *b = context;
    struct mp_profile *p = b->p;
    struct mp_tracked_blocks *t = &p->entries;
    uint32_t birth = 0, later = 0;
    if (b->number != 0) settle(p, b->generation, b->number, result, b->last);
    b->number = 0;
    if (p->style == MP_STYLE_5 && !b->births_alone) later = mp_take_later(t);
    if (later == 0 && mp_any_birth(t)) birth = mp_take_birth(t, p->engine->thread);
    if (birth == 0 && later == 0 && !b->births_alone) later = mp_take_later(t);
    b->number = birth != 0 ? birth : later;
    b->generation = p->generation;
    if (b->number == 0) return VAL_FALSE;
    return birth != 0 ? begin_birth(b, closure, argument) : begin_later(b, closure, argument);
}

/* Runs what is due of a profile whose lane is free. VAL_UNIT, or an exception as exn_result, the
 * rest staying due. MP1. */
static value run_batch(struct mp_profile *p, bool births_alone) {
    struct mp_engine *engine = p->engine;
    struct batch b = {.p = p, .births_alone = births_alone};
    const struct vm_calls calls = {next_call, &b};
    p->running++;
    mp_suspend(engine->sampler, p->stream.lane);
    value result = vm_callbacks_exn(engine->d, &calls);
    mp_lane_resume(engine->sampler, p->stream.lane);
    p->running--;
    if (b.number != 0) settle(p, b.generation, b.number, result, b.last);
    return result;
}

value mp_run_callbacks_exn(void *state, struct domain *d) {
    struct mp_engine *engine = state;
    value result = VAL_UNIT;
    if (engine->units != NULL) mp_counts_poll(engine->units);
    struct mp_profile *p = engine->silenced ? NULL : engine->profiles;
    while (p != NULL) {
        bool due = mp_anything_due(&p->entries, engine->thread);
        if (due && lane_is_free(p)) result = run_batch(p, false);
        if (is_exn_result(result)) return result;
        p = p->next;
    }
    free_finished(engine);
    ask_for_callbacks(engine);
    return VAL_UNIT;
}

/* ---- The sampler's client. ---- */

static value on_promised(void *context, struct domain *d, const struct mp_hit *hit,
                         uint64_t *ticket) {
    struct mp_profile *p = context;
    value result = tell_promise(p, hit, ticket);
    if (p->engine->held_back) ask_for_callbacks(p->engine);
    return result;
}

/* ---- Detours: promised blocks within the machine's loop (vm/stack/reexecute.h). ---- */

/* A sample's callback begins: the first half of on_promised. samples are those of the next block,
 * of wosize words, and end the time of the lane behind it; the last `own` words that were bumped
 * are the record's. What the end must know goes into one integer: small blocks have at most 257
 * words. */
static inline value begin_detour(struct domain *d, struct mp_profile *p, value record, size_t own,
                                 size_t wosize, size_t samples, uint64_t end) {
    struct mp_lane *lane = p->stream.lane;
    intptr_t note = (intptr_t)((uint64_t)p->generation << 20 | wosize << 10 | samples);
    gc_clock_move(&d->gc, -(intptr_t)own); /* MP4 */
    gc_set_sample(&d->gc, p->stream.next + lane->lag);
    mp_hold_block(d, wosize);
    lane->suspended = 1;
    lane->since = end + lane->lag;
    p->running++;
    vm_reexecute_begin(d, field(p->tracker, ALLOC_MINOR), record, (value)p | 1, val_of_int(note));
    return 0;
}

/* As domain.sample says. */
static __attribute__((noinline)) value begin_slowly(struct domain *d, size_t wosize, unsigned tag) {
    struct mp_sampler *s = d->sampler;
    struct mp_stream *only = s->only;
    uint64_t next = only->next, random = only->random, end;
    const struct mp_profile *p = only->context;
    if (!is_closure(field(p->tracker, ALLOC_MINOR)) || !mp_only_hits(s, wosize, &end))
        return vm_slow_alloc(d, wosize, tag);
    const struct mp_hit hit = {
        .wosize = wosize, .source = GC_NORMAL, .samples = mp_count_hits(s, only, &only->next, end)};
    struct record_request request;
    describe_promise(only->context, &hit, &request);
    value record = quick_record(only->context, &request, true);
    if (record != 0) return begin_detour(d, only->context, record, 0, wosize, hit.samples, end);
    only->next = next;
    only->random = random;
    return vm_slow_alloc(d, wosize, tag);
}

/* The same for a single hit, the call stack being the last sample's: mostly it is. Written so that
 * the way through calls nothing. */
static value begin_quickly(struct domain *d, size_t wosize, unsigned tag) {
    struct gc_domain *g = &d->gc;
    struct mp_sampler *s = d->sampler;
    struct mp_stream *only = s->only;
    struct mp_profile *p = only->context;
    uint64_t end;
    const struct vm_call_stack *stack = d->stack.call_stack; /* of the thread that runs */
    if (stack == NULL || p->callstack_version != stack->short_version ||
        !vm_is_short_stack_again(d, stack) ||
        g->young_ptr - g->young_start < 8 * (RECORD_FIELDS + 1) || !mp_only_hits(s, wosize, &end) ||
        !mp_hit_once(s, only, end))
        return begin_slowly(d, wosize, tag);
    value record = gc_bump(g, RECORD_FIELDS, 0);
    field(record, 0) = val_of_int(1);
    field(record, 1) = val_of_int((intptr_t)wosize);
    field(record, 2) = val_of_int(GC_NORMAL);
    field(record, 3) = p->callstack;
    return begin_detour(d, p, record, RECORD_FIELDS + 1, wosize, 1, end);
}

static inline size_t wosize_of_note(uint64_t note) { return note >> 10 & 0x3ff; }

/* A callback gave Some for the block that its instruction now makes. */
static void track_promised(struct mp_profile *p, uint64_t note, value result) {
    struct domain *d = p->engine->d;
    size_t wosize = wosize_of_note(note);
    if ((unsigned)(note >> 20) != p->generation) return;
    bool at_once = gc_only_bump_due(&d->gc, wosize);
    value block = at_once ? (value)(d->gc.young_ptr - 8 * wosize) : 0;
    uint32_t number = mp_entry_promised(&p->entries, wosize, note & 0x3ff, field(result, 0), block);
    if (at_once) d->promised_block = block;
    else if (number != 0) mp_bear(p->engine->sampler, &p->stream, number, wosize);
}

static __attribute__((noinline)) void end_detour(struct mp_profile *p, uint64_t note,
                                                 value result) {
    struct mp_engine *engine = p->engine;
    mp_resume(engine->sampler, p->stream.lane);
    if (!is_exn_result(result)) mp_release_block(engine->d, wosize_of_note(note));
    mp_arm(engine->sampler);
    if (is_some(result)) track_promised(p, note, result);
    if (engine->held_back) ask_for_callbacks(engine);
}

/* The second half, for vm_profiler.reexecute_ended. Mostly the callback has allocated nothing: then
 * the trigger is where it should be. */
static void reexecute_ended(void *state, struct domain *d, value result) {
    const struct mp_engine *engine = state;
    value profile, packed;
    vm_reexecute_end(d, &profile, &packed);
    struct mp_profile *p = (struct mp_profile *)(profile - 1);
    struct mp_lane *lane = p->stream.lane;
    uint64_t note = (uint64_t)int_of_val(packed);
    p->running--;
    if (lane->suspended != 1 || engine->held_back || is_exn_result(result) ||
        d->gc.sample_at != p->stream.next + lane->lag || gc_clock(&d->gc) != lane->since) {
        end_detour(p, note, result);
        return;
    }
    lane->suspended = 0;
    mp_release_block(d, wosize_of_note(note));
    if (is_some(result)) track_promised(p, note, result);
}

static void on_hit(void *context, struct domain *d, const struct mp_hit *hit) {
    struct mp_profile *p = context;
    struct mp_tracked_blocks *t = &p->entries;
    uint32_t number = mp_entry_new(t, hit->wosize, hit->samples, hit->source, hit->young);
    if (number == 0) return;
    mp_entry_at(t, number)->thread = p->engine->thread;
    mp_entry_at(t, number)->stack = mp_callstack(d, p->callstack_size);
    if (mp_entry_set_block(t, number, hit->block, hit->young) && mp_note_birth(t, number))
        gc_request_action(&d->gc);
}

static void on_born(void *context, uint64_t ticket, value block) {
    struct mp_profile *p = context;
    struct mp_tracked_blocks *t = &p->entries;
    uint32_t number = (uint32_t)ticket;
    if (number == 0 || number > t->slot_count) return;
    if (block != 0) {
        mp_entry_born(t, number, block);
        return;
    }
    /* What was told of and never came to be is gone as if it had died at once. */
    if (mp_note_later(t, number, ENTRY_DUE_DIED)) gc_request_action(&p->engine->d->gc);
    mp_entry_release(t, number);
}

static void on_minor_done(void *context, struct gc_domain *g) {
    struct mp_profile *p = context;
    p->callstack_version = 0;
    if (mp_tracked_minor_done(&p->entries, g)) gc_request_action(g);
}

static size_t on_mark_done(void *context, struct gc_domain *g) {
    struct mp_profile *p = context;
    return mp_tracked_mark_done(&p->entries);
}

static size_t on_look(void *context, struct gc_domain *g, size_t budget) {
    struct mp_profile *p = context;
    bool due = false;
    size_t done = mp_tracked_look(&p->entries, g, budget, &due);
    if (due) gc_request_action(g);
    return done;
}

static const struct mp_client profile_client = {.hit = on_hit,
                                                .promised = on_promised,
                                                .quickly = begin_quickly,
                                                .born = on_born,
                                                .minor_done = on_minor_done,
                                                .mark_done = on_mark_done,
                                                .look = on_look};

/* ---- The engine. ---- */

static void scan(void *context, struct gc_visitor *visitor) {
    struct mp_engine *engine = context;
    for (struct mp_profile *p = engine->profiles; p != NULL; p = p->next)
        mp_tracked_scan(&p->entries, visitor);
}

static size_t scan_late(void *context, struct gc_visitor *visitor, size_t budget) {
    struct mp_engine *engine = context;
    size_t done = 0;
    for (struct mp_profile *p = engine->profiles; p != NULL && done < budget; p = p->next)
        done += mp_tracked_scan_some(&p->entries, visitor, budget - done);
    return done;
}

/* The heap is gone already: custom blocks that stand for profiles were finalized with it. */
static void close_engine(void *state) {
    struct mp_engine *engine = state;
    while (engine->profiles != NULL) {
        struct mp_profile *p = engine->profiles;
        engine->profiles = p->next;
        p->entries.heap = NULL;
        mp_tracked_clear(&p->entries);
        free(p);
    }
    mp_stress_release(engine->stress);
    free(engine->sampler);
    free(engine);
}

static void silence(void *state) {
    struct mp_engine *engine = state;
    if (!engine->silenced) mp_lane_suspend(engine->sampler, &engine->lane);
    for (struct mp_profile *p = engine->profiles; p != NULL && !engine->silenced; p = p->next)
        mp_lane_suspend(engine->sampler, &p->own_lane);
    engine->silenced = true;
}

static bool owns_descriptor(void *state, int fd) {
    const struct mp_engine *engine = state;
    return engine->recorder != NULL && mp_recorder_writes_to(engine->recorder, fd);
}

struct mp_engine *mp_engine_of(struct domain *d) {
    if (d->vm->profiler.state != NULL) return d->vm->profiler.state;
    struct mp_engine *engine = calloc(1, sizeof *engine);
    if (engine == NULL) vm_raise_out_of_memory(d);
    struct mp_sampler *sampler = mp_sampler_create(d);
    if (sampler == NULL) {
        free(engine);
        vm_raise_out_of_memory(d);
    }
    *engine = (struct mp_engine){.d = d, .sampler = sampler};
    engine->thread = (uint32_t)vm_thread_number(d);
    gc_add_incremental_scanner(d->gc.heap, scan, scan_late, engine);
    d->vm->profiler = (struct vm_profiler){
        .state = engine,
        .run_callbacks_exn = mp_run_callbacks_exn,
        .reexecute_ended = reexecute_ended,
        .silence = silence,
        .close = close_engine,
        .switch_thread = mp_switch_thread,
        .thread_ended = mp_thread_ended,
        .owns_descriptor = owns_descriptor,
    };
    return engine;
}

/* ---- Start, stop, discard. ---- */

enum { FIRST_SEED = 42 };

struct mp_profile *mp_profile_start(struct mp_engine *engine, enum mp_style style, bool own_lane,
                                    double rate, uint64_t callstack_size, value tracker) {
    free_finished(engine);
    struct gc_heap *heap = engine->d->gc.heap;
    bool room = gc_external_owe(heap, sizeof(struct mp_profile));
    struct mp_profile *p = room ? calloc(1, sizeof *p) : NULL;
    if (room && p == NULL) gc_external_give(heap, sizeof *p);
    if (p == NULL) vm_raise_out_of_memory(engine->d);
    p->entries.heap = heap;
    p->engine = engine;
    p->style = style;
    p->id = ++engine->last_id;
    p->callstack_size = callstack_size;
    p->tracker = tracker;
    p->next = engine->profiles;
    engine->profiles = p;
    gc_register_root(&engine->d->gc, &p->tracker);
    mp_stream_attach(engine->sampler, &p->stream, own_lane ? &p->own_lane : &engine->lane,
                     &profile_client, p, FIRST_SEED + p->id);
    p->stream.rounds_up = style == MP_STYLE_5;
    mp_stream_start(engine->sampler, &p->stream, rate);
    return p;
}

value mp_profile_stop(struct mp_profile *p) {
    struct mp_engine *engine = p->engine;
    if (p->style == MP_STYLE_5 && lane_is_free(p)) {
        value result = run_batch(p, true);
        ask_for_callbacks(engine);
        if (is_exn_result(result)) return result;
        if (p->status != MP_SAMPLING) return VAL_FALSE;
    }
    mp_stream_stop(engine->sampler, &p->stream);
    p->status = MP_STOPPED;
    if (engine->current == p) engine->current = NULL;
    if (p->style == MP_STYLE_4) forget_everything(p);
    else mp_tracked_drop_unknown(&p->entries);
    free_finished(engine);
    return VAL_TRUE;
}

void mp_profile_discard(struct mp_profile *p) {
    p->status = MP_DISCARDED;
    forget_everything(p);
}

void mp_profile_handle_died(struct mp_profile *p) { p->handle_dead = true; }
