/* profile.c - see profile.h.
 *
 * With threads, as in OCaml, an allocation callback runs in the thread that allocated and others in
 * whichever thread reaches a safe point; a thread that runs a callback samples nothing while others
 * do. So the common lane's suspensions are those of the running thread. The lanes of start_another
 * belong to the machine: while one of their callbacks runs no thread is sampled in them. */
#include "memprof/program/profile.h"

#include "memprof/sampling/sampler_inline.h"
#include "vm/code/checks.h"
#include "vm/engine/callback.h"
#include "vm/engine/slow.h"
#include "vm/stack/backtrace.h"
#include "vm/stack/callstack.h"
#include "vm/stack/raise.h"
#include "vm/stack/reexecute.h"
#include "vm/state/vm.h"
#include "vm/thread/thread.h"

#include <stdlib.h>

/* The tracker's callbacks, by their fields. */
enum { ALLOC_MINOR, ALLOC_MAJOR, PROMOTE, DEALLOC_MINOR, DEALLOC_MAJOR };

/* ---- Life of profiles. ---- */

static void free_profile(struct mp_profile *p) {
    struct mp_profile **at = &p->program->profiles;
    ASSERT(p->running == 0);
    while (*at != p) at = &(*at)->next;
    *at = p->next;
    mp_stream_detach(p->program->sampler, &p->stream);
    gc_remove_root(&p->program->d->gc, &p->tracker);
    gc_remove_root(&p->program->d->gc, &p->handle);
    mp_tracked_clear(&p->blocks);
    gc_external_uncharge(p->blocks.heap, sizeof *p);
    free(p);
}

/* Frees the profiles that will do nothing more. */
static void free_silent(struct mp_program *program) {
    struct mp_profile *next;
    for (struct mp_profile *p = program->profiles; p != NULL; p = next) {
        next = p->next;
        bool silent = p->status == MP_DISCARDED || (p->status == MP_STOPPED && p->blocks.live == 0);
        if (silent && p->running == 0) free_profile(p);
    }
}

static void forget_everything(struct mp_profile *p) {
    mp_tracked_clear(&p->blocks);
    p->epoch++;
    gc_modify_root(&p->program->d->gc, &p->tracker, VAL_UNIT);
}

struct mp_profile *mp_profile_of_handle(struct mp_program *program, value handle) {
    struct mp_profile *p = program->profiles;
    while (p != NULL && p->handle != handle) p = p->next;
    return p;
}

void mp_profile_set_handle(struct mp_profile *p, value handle) {
    gc_modify_root(&p->program->d->gc, &p->handle, handle);
}

static void set_status(struct mp_profile *p, enum mp_status status) {
    p->status = status;
    if (p->handle == VAL_UNIT) return;
    gc_store(&p->program->d->gc, p->handle, MP_HANDLE_STATUS, val_of_int(status));
}

static bool in_common_lane(const struct mp_profile *p) {
    return p->stream.lane == &p->program->lane;
}

struct mp_profile *mp_profile_current(struct mp_program *program) {
    struct mp_profile *p = program->profiles;
    while (p != NULL && p->id != program->domain->profile) p = p->next;
    return p != NULL && p->status == MP_SAMPLING ? p : NULL;
}

/* After a switch of domains: the new domain's profile samples, other profiles of the common lane
 * don't. */
static void domain_changed(struct mp_program *program) {
    program->domain = program->d->record;
    for (struct mp_profile *p = program->profiles; p != NULL; p = p->next) {
        if (!in_common_lane(p) || p->id == program->domain->profile)
            mp_stream_return(program->sampler, &p->stream);
        else mp_stream_leave(program->sampler, &p->stream);
    }
}

/* ---- The record that allocation callbacks receive. ---- */

struct record_request {
    size_t samples, wosize;
    enum gc_source source;
    struct vm_visible_stack stack;
};

enum { RECORD_FIELDS = 4 };

static void fill_callstack(value callstack, const struct record_request *request) {
    size_t n = request->stack.count, i = 0;
    const uint64_t *gpcs = request->stack.gpcs, *end = gpcs + n;
    value *to = &field(callstack, 0);
    if (!request->stack.outermost_first) {
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

/* The record, if it fits into the minor heap with its call stack; else 0. A call stack equal to the
 * last one is reused: no minor collection has moved it. GC: never. */
static inline value fast_record(struct mp_profile *p, const struct record_request *request,
                                bool in_hit) {
    struct gc_domain *g = &p->program->d->gc;
    size_t depth = request->stack.count;
    uint64_t version = request->stack.version;
    value callstack = p->callstack;
    bool again = version != 0 && p->callstack_version == version && wosize_of(callstack) == depth;
    size_t words = RECORD_FIELDS + 1 + (again || depth == 0 ? 0 : depth + 1);
    bool fits = depth <= MAX_YOUNG_WOSIZE && 8 * words <= g->young_ptr - g->young_start;
    if (!fits || g->stress) return 0;
    if (!again) {
        callstack = depth == 0 ? gc_atom(g, 0) : gc_bump(g, depth, 0);
        fill_callstack(callstack, request);
        p->callstack = callstack;
        p->callstack_version = version;
    }
    value record = gc_bump(g, RECORD_FIELDS, 0);
    fill_record(record, request, callstack);
    /* After a hit the sampler sets its trigger anyway. */
    if (in_hit) gc_clock_move(g, -(intptr_t)words);
    else gc_sample_exempt(g, words);
    return record;
}

/* May collect and raise Out_of_memory. */
static value slow_record(struct domain *d, void *context) {
    const struct record_request *request = context;
    size_t depth = request->stack.count;
    value callstack = depth <= MAX_YOUNG_WOSIZE ? gc_alloc(&d->gc, depth, 0)
                                                : gc_alloc_major(&d->gc, depth, 0);
    fill_callstack(callstack, request);
    GC_ROOT(&d->gc, &callstack);
    value record = gc_alloc_small(&d->gc, RECORD_FIELDS, 0);
    fill_record(record, request, callstack);
    return record;
}

/* The record, when the minor heap has no room for it; or an exception as exn_result. MP4. Not
 * inlined, to keep the fast path short. */
static __attribute__((noinline)) value collect_and_record(struct mp_profile *p,
                                                          const struct record_request *request) {
    struct record_request copy = *request;
    /* slow_record may raise, which runs pending callbacks: those of this lane must not run now. */
    mp_sampler_pause(p->program->sampler);
    mp_lane_suspend(p->program->sampler, p->stream.lane);
    value record = vm_protect_exn(p->program->d, slow_record, &copy);
    mp_lane_resume(p->program->sampler, p->stream.lane);
    mp_sampler_unpause(p->program->sampler);
    return record;
}

/* ---- Callbacks. ---- */

static struct mp_program *program_of(void *state) { return ((struct mp_sampler *)state)->program; }

static bool lane_is_free(const struct mp_profile *p) { return p->stream.lane->suspended == 0; }

/* Requests a safe point if a callback is pending that could run. */
static void request_callbacks(struct mp_program *program) {
    program->callbacks_postponed = false;
    for (struct mp_profile *p = program->profiles; p != NULL; p = p->next) {
        if (!mp_tracked_callback_pending(&p->blocks, program->thread)) continue;
        if (lane_is_free(p)) gc_request_action(&program->d->gc);
        else program->callbacks_postponed = true;
    }
}

/* Whether a callback returned Some; any other value, of a program that forges them, is None. */
static inline bool is_some(value result) { return !is_exn_result(result) && has_field(result, 0); }

/* Applies a callback's result to its block: None and exceptions drop it (MP3), Some v is its new
 * user value. Does nothing if the blocks were forgotten meanwhile. */
static inline void apply_result(struct mp_profile *p, unsigned epoch, uint32_t number, value result,
                                bool last) {
    if (epoch != p->epoch) return;
    bool drop = last || !is_some(result);
    if (!drop && !(mp_tracked_at(&p->blocks, number)->flags & TRACKED_DROPPED))
        mp_tracked_set_user(&p->blocks, number, field(result, 0));
    mp_tracked_end_callback(&p->blocks, number, drop);
}

/* The request for a promised block. */
static inline void describe_promise(struct mp_profile *p, const struct mp_hit *hit,
                                    struct record_request *request) {
    request->samples = hit->samples;
    request->wosize = hit->wosize;
    request->source = hit->source;
    vm_visible_call_stack(p->program->d, p->callstack_size, &request->stack);
}

/* Called before a callback of p, or a batch of them. MP1. */
static void enter_callback(struct mp_profile *p) {
    p->running++;
    p->thread = p->program->thread;
    mp_lane_suspend(p->program->sampler, p->stream.lane);
}
static void leave_callback(struct mp_profile *p) {
    mp_lane_resume(p->program->sampler, p->stream.lane);
    p->running--;
}

/* ---- Batches: pending callbacks, in one run of the machine's loop. ---- */

struct batch {
    struct mp_profile *p;
    bool allocs_only;
    uint32_t number; /* the block whose callback runs; 0: none does */
    unsigned epoch;  /* the profile's when it began */
    bool last;       /* no callback can follow it */
};

/* Begins an allocation callback. VAL_TRUE, or an exception as exn_result. */
static value begin_alloc(struct batch *b, value *closure, value *argument) {
    struct mp_profile *p = b->p;
    struct mp_tracked_block *block = mp_tracked_at(&p->blocks, b->number);
    int which = block->flags & TRACKED_BORN_YOUNG ? ALLOC_MINOR : ALLOC_MAJOR;
    struct mp_callstack *stack = block->stack;
    struct record_request request = {
        .samples = block->samples, .wosize = block->wosize, .source = block->source};
    if (stack != NULL) {
        request.stack.count = stack->depth;
        request.stack.gpcs = stack->gpcs;
    }
    block->stack = NULL;
    b->last = false;
    *argument = fast_record(p, &request, false) ?: collect_and_record(p, &request);
    mp_callstack_free(p->blocks.heap, stack);
    if (is_exn_result(*argument)) return *argument; /* another callback may have stopped p */
    *closure = field(p->tracker, which);
    return VAL_TRUE;
}

/* Begins a promotion or deallocation callback. */
static value begin_fate(struct batch *b, value *closure, value *argument) {
    struct mp_profile *p = b->p;
    struct mp_tracked_block *block = mp_tracked_at(&p->blocks, b->number);
    bool promoted = block->flags & TRACKED_PROMOTION_PENDING;
    bool was_old = !(block->flags & TRACKED_BORN_YOUNG) || (block->flags & TRACKED_WAS_PROMOTED);
    ASSERT(promoted || block->flags & TRACKED_DEATH_PENDING); /* MP2 */
    int which = promoted ? PROMOTE : was_old ? DEALLOC_MAJOR : DEALLOC_MINOR;
    block->flags &= (uint16_t) ~(promoted ? TRACKED_PROMOTION_PENDING : TRACKED_DEATH_PENDING);
    b->last = !promoted;
    *argument = mp_tracked_take_user(&p->blocks, &p->program->d->gc, b->number);
    *closure = field(p->tracker, which);
    return VAL_TRUE;
}

/* For vm_callbacks_exn: applies the result of the callback that returned and begins the next one
 * (MP5). */
static value next_call(void *context, struct domain *d, value result, value *closure,
                       value *argument) {
    struct batch *b = context;
    struct mp_profile *p = b->p;
    struct mp_tracked_blocks *t = &p->blocks;
    uint32_t alloc = 0, fate = 0;
    ASSERT(p->running > 0 && p->stream.lane->suspended > 0); /* MP1 */
    if (b->number != 0) apply_result(p, b->epoch, b->number, result, b->last);
    b->number = 0;
    if (p->style == MP_STYLE_5 && !b->allocs_only) fate = mp_tracked_take_fate(t);
    if (fate == 0 && mp_tracked_has_allocs(t)) alloc = mp_tracked_take_alloc(t, p->program->thread);
    if (alloc == 0 && fate == 0 && !b->allocs_only) fate = mp_tracked_take_fate(t);
    b->number = alloc != 0 ? alloc : fate;
    b->epoch = p->epoch;
    if (b->number == 0) return VAL_FALSE;
    return alloc != 0 ? begin_alloc(b, closure, argument) : begin_fate(b, closure, argument);
}

/* Runs the pending callbacks of a profile whose lane is not suspended. VAL_UNIT, or an exception as
 * exn_result; the remaining callbacks then stay pending. MP1. */
static value run_batch(struct mp_profile *p, bool allocs_only) {
    struct mp_program *program = p->program;
    struct batch b = {.p = p, .allocs_only = allocs_only};
    const struct vm_calls calls = {next_call, &b};
    ASSERT(lane_is_free(p));
    enter_callback(p);
    value result = vm_callbacks_exn(program->d, &calls);
    leave_callback(p);
    mp_set_trigger(program->sampler);
    if (b.number != 0) apply_result(p, b.epoch, b.number, result, b.last);
    return result;
}

/* Runs the pending callbacks of all profiles. VAL_UNIT, or the first exception as exn_result; the
 * remaining callbacks then stay pending. */
static value run_callbacks_exn(void *state, struct domain *d) {
    struct mp_program *program = program_of(state);
    value result = VAL_UNIT;
    struct mp_profile *p = program->silenced ? NULL : program->profiles;
    while (p != NULL) {
        bool pending = mp_tracked_callback_pending(&p->blocks, program->thread);
        if (pending && lane_is_free(p)) result = run_batch(p, false);
        if (is_exn_result(result)) return result;
        p = p->next;
    }
    free_silent(program);
    request_callbacks(program);
    return VAL_UNIT;
}

/* ---- The sampler's client. ---- */

/* Runs the callback of a promised block whose instruction can't be re-executed. */
static value on_promised(void *context, struct domain *d, const struct mp_hit *hit,
                         uint64_t *ticket) {
    struct mp_profile *p = context;
    unsigned epoch = p->epoch;
    struct record_request request;
    describe_promise(p, hit, &request);
    value result = fast_record(p, &request, true) ?: collect_and_record(p, &request);
    if (!is_exn_result(result)) {
        enter_callback(p);
        result = vm_callback1_exn(d, field(p->tracker, ALLOC_MINOR), result);
        leave_callback(p);
    }
    *ticket = 0;
    if (is_some(result) && epoch == p->epoch)
        *ticket = mp_tracked_promised(&p->blocks, hit->wosize, hit->samples, field(result, 0), 0);
    if (!is_exn_result(result)) result = VAL_UNIT;
    if (p->program->callbacks_postponed) request_callbacks(p->program);
    return result;
}

/* ---- Promised blocks whose instruction is re-executed (vm/stack/reexecute.h). ---- */

/* Begins a sample's callback: the first half of on_promised.
 *   record           the callback's argument
 *   own              words bumped for the record
 *   wosize, samples  of the next block: its size, and how many of its words are hits; at most 257
 *   end              the lane's clock after the block
 * What reexecute_ended needs is packed into one integer: epoch, wosize and samples. */
static inline value begin_reexecution(struct domain *d, struct mp_profile *p, value record,
                                      size_t own, size_t wosize, size_t samples, uint64_t end) {
    struct mp_lane *lane = p->stream.lane;
    ASSERT(lane->suspended == 0 && wosize < 1 << 10 && samples < 1 << 10);
    intptr_t packed = (intptr_t)((uint64_t)p->epoch << 20 | wosize << 10 | samples);
    gc_clock_move(&d->gc, -(intptr_t)own); /* MP4 */
    gc_set_sample(&d->gc, p->stream.next + lane->lag);
    mp_hold_block(d, wosize);
    lane->suspended = 1;
    lane->since = end + lane->lag;
    p->running++;
    p->thread = p->program->thread;
    vm_reexecute_begin(d, field(p->tracker, ALLOC_MINOR), record, (value)p | 1, val_of_int(packed));
    return 0;
}

/* domain.sample when the only client is a profile: all cases. */
static __attribute__((noinline)) value slow_sample(struct domain *d, size_t wosize, unsigned tag) {
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
    value record = fast_record(only->context, &request, true);
    if (record != 0)
        return begin_reexecution(d, only->context, record, 0, wosize, hit.samples, end);
    only->next = next;
    only->random = random;
    return vm_slow_alloc(d, wosize, tag);
}

/* The same for the common case: a single hit, with the call stack of the last sample. It makes no
 * calls. */
static value fast_sample(struct domain *d, size_t wosize, unsigned tag) {
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
        return slow_sample(d, wosize, tag);
    value record = gc_bump(g, RECORD_FIELDS, 0);
    field(record, 0) = val_of_int(1);
    field(record, 1) = val_of_int((intptr_t)wosize);
    field(record, 2) = val_of_int(GC_NORMAL);
    field(record, 3) = p->callstack;
    return begin_reexecution(d, p, record, RECORD_FIELDS + 1, wosize, 1, end);
}

static inline size_t wosize_of_packed(uint64_t packed) { return packed >> 10 & 0x3ff; }

/* A callback returned Some for the block that its instruction now allocates. */
static void track_promised(struct mp_profile *p, uint64_t packed, value result) {
    struct domain *d = p->program->d;
    size_t wosize = wosize_of_packed(packed);
    if ((unsigned)(packed >> 20) != p->epoch) return;
    bool at_once = gc_only_bump_due(&d->gc, wosize);
    value block = at_once ? (value)(d->gc.young_ptr - 8 * wosize) : 0;
    uint32_t number = mp_tracked_promised(&p->blocks, wosize, packed & 0x3ff, field(result, 0),
                                          block);
    if (at_once) d->promised_block = block;
    else if (number != 0) mp_deliver_promised(p->program->sampler, &p->stream, number, wosize);
}

static __attribute__((noinline)) void end_reexecution(struct mp_profile *p, uint64_t packed,
                                                      value result) {
    struct mp_program *program = p->program;
    mp_lane_resume(program->sampler, p->stream.lane);
    if (!is_exn_result(result)) mp_release_block(program->d, wosize_of_packed(packed));
    mp_set_trigger(program->sampler);
    if (is_some(result)) track_promised(p, packed, result);
    if (program->callbacks_postponed) request_callbacks(program);
}

/* The second half of on_promised, as vm_profiler.reexecute_ended. Usually the callback allocated
 * nothing, and the trigger is still right. */
static void reexecute_ended(void *state, struct domain *d, value result) {
    value profile, integer;
    vm_reexecute_end(d, &profile, &integer);
    struct mp_profile *p = (struct mp_profile *)(profile - 1);
    struct mp_lane *lane = p->stream.lane;
    uint64_t packed = (uint64_t)int_of_val(integer);
    ASSERT(p->running > 0 && lane->suspended > 0);
    p->running--;
    if (lane->suspended != 1 || p->program->callbacks_postponed || is_exn_result(result) ||
        d->gc.sample_at != p->stream.next + lane->lag || gc_clock(&d->gc) != lane->since) {
        end_reexecution(p, packed, result);
        return;
    }
    lane->suspended = 0;
    mp_release_block(d, wosize_of_packed(packed));
    if (is_some(result)) track_promised(p, packed, result);
}

static void on_hit(void *context, struct domain *d, const struct mp_hit *hit) {
    struct mp_profile *p = context;
    struct mp_tracked_blocks *t = &p->blocks;
    uint32_t number = mp_tracked_new(t, hit->wosize, hit->samples, hit->source, hit->young);
    if (number == 0) return;
    mp_tracked_at(t, number)->thread = p->program->thread;
    mp_tracked_at(t, number)->stack = mp_callstack_take(d, p->callstack_size);
    if (mp_tracked_set_block(t, number, hit->block, hit->young) &&
        mp_tracked_queue_alloc(t, number))
        gc_request_action(&d->gc);
}

static void on_born(void *context, uint64_t ticket, value block) {
    struct mp_profile *p = context;
    struct mp_tracked_blocks *t = &p->blocks;
    uint32_t number = (uint32_t)ticket;
    if (number == 0 || number > t->count) return; /* forgotten meanwhile */
    if (block != 0) {
        mp_tracked_born(t, number, block);
        return;
    }
    /* A block that was reported and will never exist counts as dead at once. */
    if (mp_tracked_unborn(t, number)) gc_request_action(&p->program->d->gc);
}

static void on_minor_done(void *context, struct gc_domain *g) {
    struct mp_profile *p = context;
    p->callstack_version = 0;
    if (mp_tracked_minor_done(&p->blocks, g)) gc_request_action(g);
}

static size_t on_mark_done(void *context, struct gc_domain *g) {
    struct mp_profile *p = context;
    return mp_tracked_mark_done(&p->blocks);
}

static size_t on_inspect(void *context, struct gc_domain *g, size_t budget) {
    struct mp_profile *p = context;
    bool pending = false;
    size_t done = mp_tracked_inspect(&p->blocks, g, budget, &pending);
    if (pending) gc_request_action(g);
    return done;
}

/* The OCaml handles of profiles have been finalised with the heap. */
static void on_close(void *context) {
    struct mp_profile *p = context;
    p->blocks.heap = NULL;
    mp_tracked_clear(&p->blocks);
    free(p);
}

static const struct mp_client profile_client = {
    .hit = on_hit,
    .promised = on_promised,
    .fast_sample = fast_sample,
    .born = on_born,
    .minor_done = on_minor_done,
    .mark_done = on_mark_done,
    .inspect = on_inspect,
    .close = on_close,
};

/* ---- The machine. ---- */

static void visit_users(void *context, struct gc_visitor *visitor) {
    struct mp_program *program = context;
    for (struct mp_profile *p = program->profiles; p != NULL; p = p->next)
        mp_tracked_visit(&p->blocks, visitor);
}

static size_t visit_some_users(void *context, struct gc_visitor *visitor, size_t budget) {
    struct mp_program *program = context;
    size_t done = 0;
    for (struct mp_profile *p = program->profiles; p != NULL && done < budget; p = p->next)
        done += mp_tracked_visit_some(&p->blocks, visitor, budget - done);
    return done;
}

static void stop_all_profiles(void *state) {
    struct mp_program *program = program_of(state);
    if (program->silenced) return;
    mp_lane_suspend(program->sampler, &program->lane);
    for (struct mp_profile *p = program->profiles; p != NULL; p = p->next)
        mp_lane_suspend(program->sampler, &p->own_lane);
    program->silenced = true;
}

/* word: the number of times that the resumed thread has suspended the common lane. Returns that of
 * the thread that ran before. */
static uintptr_t switch_thread(void *state, intptr_t number, uintptr_t word) {
    struct mp_program *program = program_of(state);
    program->thread = (uint32_t)number;
    if (program->silenced) return 0;
    unsigned left = program->lane.suspended, entered = (unsigned)word;
    while (program->lane.suspended < entered) mp_lane_suspend(program->sampler, &program->lane);
    while (program->lane.suspended > entered) mp_lane_resume(program->sampler, &program->lane);
    if (program->d->record != program->domain) domain_changed(program);
    mp_set_trigger(program->sampler);
    return left;
}

/* A thread that ends in a callback (Thread.exit) leaves a lane of start_another suspended. */
static void thread_ended(void *state, intptr_t number) {
    struct mp_program *program = program_of(state);
    for (struct mp_profile *p = program->profiles; p != NULL; p = p->next) {
        mp_tracked_drop_allocs(&p->blocks, (uint32_t)number);
        if (program->silenced || p->own_lane.suspended == 0 || p->thread != (uint32_t)number)
            continue;
        ASSERT(p->running > 0 && p->own_lane.suspended == 1);
        p->running--;
        mp_lane_resume(program->sampler, &p->own_lane);
    }
}

struct mp_program *mp_program_of(struct domain *d) {
    struct mp_sampler *sampler = mp_sampler_of(d);
    if (sampler != NULL && sampler->program != NULL) return sampler->program;
    struct mp_program *program = sampler == NULL ? NULL : calloc(1, sizeof *program);
    if (program == NULL) vm_raise_out_of_memory(d);
    program->d = d;
    program->sampler = sampler;
    program->domain = d->record;
    program->thread = (uint32_t)vm_thread_number(d);
    sampler->program = program;
    gc_add_incremental_scanner(d->gc.heap, "values of Gc.Memprof", visit_users, visit_some_users,
                               program);
    struct vm_profiler *profiler = &d->vm->profiler;
    profiler->run_callbacks_exn = run_callbacks_exn;
    profiler->reexecute_ended = reexecute_ended;
    profiler->silence = stop_all_profiles;
    profiler->switch_thread = switch_thread;
    profiler->thread_ended = thread_ended;
    return program;
}

/* ---- Start, stop, discard. ---- */

enum { FIRST_SEED = 42 };

struct mp_profile *mp_profile_start(struct mp_program *program, enum mp_style style, bool own_lane,
                                    double rate, uint64_t callstack_size, value tracker) {
    free_silent(program);
    struct gc_heap *heap = program->d->gc.heap;
    const struct vector_memory *memory = GC_MEMORY(heap, GC_ACCOUNT_OWED, 1);
    struct mp_profile *p = memory->resize(memory, NULL, 0, sizeof *p);
    if (p == NULL) vm_raise_out_of_memory(program->d);
    *p = (struct mp_profile){
        .blocks.heap = heap,
        .program = program,
        .style = style,
        .id = ++program->last_id,
        .callstack_size = callstack_size,
        .tracker = tracker,
        .handle = VAL_UNIT,
        .next = program->profiles,
    };
    program->profiles = p;
    gc_register_root(&program->d->gc, &p->tracker);
    gc_register_root(&program->d->gc, &p->handle);
    mp_stream_attach(program->sampler, &p->stream, own_lane ? &p->own_lane : &program->lane,
                     &profile_client, p, FIRST_SEED + p->id);
    p->stream.rounds_up = style == MP_STYLE_5;
    if (!own_lane) program->d->record->profile = p->id;
    mp_stream_start(program->sampler, &p->stream, rate);
    return p;
}

value mp_profile_stop(struct mp_profile *p) {
    ASSERT(p->status == MP_SAMPLING);
    struct mp_program *program = p->program;
    if (p->style == MP_STYLE_5 && lane_is_free(p)) {
        value result = run_batch(p, true);
        request_callbacks(program);
        if (is_exn_result(result)) return result;
        if (p->status != MP_SAMPLING) return VAL_FALSE;
    }
    mp_stream_stop(program->sampler, &p->stream);
    set_status(p, MP_STOPPED);
    if (p->style == MP_STYLE_4) forget_everything(p);
    else mp_tracked_drop_unreported(&p->blocks);
    free_silent(program);
    return VAL_TRUE;
}

void mp_profile_discard(struct mp_profile *p) {
    ASSERT(p->style == MP_STYLE_5 && p->status == MP_STOPPED);
    set_status(p, MP_DISCARDED);
    forget_everything(p);
}
