/* counts.c - counts events for functions, in the current set of counts (memprof/counts/counts.h).
 *
 *   time    on_tick, in signals.c
 *   alloc   the sampler, with every word a hit
 *   count   on_entered, called at every function entry (else: when a function's caller differs from
 *           its last one, PL2)
 *
 * With --profile-stack each event first updates the shadow stack: the intervals of functions that
 * left the stack are closed, those of new ones opened. An event belongs to the intervals that are
 * open when the event clock advances, so changes of the stack between events need not be seen. */
#include "memprof/counts/counts_internal.h"
#include "memprof/sampling/sampler_inline.h"
#include "vm/code/code.h"
#include "vm/code/function_id.h"
#include "vm/image/policy.h"
#include "vm/stack/callstack.h"
#include "vm/stack/raise.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The stack (MU2). ---- */

static void open_interval(const struct mp_counts *c, struct mp_counts_open *open) {
    if (open->occurrences++ == 0) open->since = c->clock;
}

static void close_interval(const struct mp_counts *c, struct mp_counts_open *open,
                           struct mp_counts_share *share) {
    ASSERT(open->occurrences > 0); /* MU2 */
    if (--open->occurrences == 0) mp_counts_add_interval(c, open, share);
}

/* Only frames at or above the set's base are counted. */
static void push_function(struct mp_counts *c, uint32_t function) {
    uint32_t source = mp_source_of_function(function);
    if (c->shadow.count >= c->current->base) {
        open_interval(c, &c->open_sources[source]);
        open_interval(c, &c->open_names[c->name_of[source]]);
    }
    ASSERT(source < c->source_count);
    vector_append(&c->shadow, function);
}

static void pop_to(struct mp_counts *c, size_t count) {
    while (c->shadow.count > count) {
        uint32_t source = mp_source_of_function(c->shadow.items[--c->shadow.count]);
        uint32_t name = c->name_of[source];
        if (c->shadow.count < c->current->base) continue;
        close_interval(c, &c->open_sources[source], &c->current->sources[source]);
        close_interval(c, &c->open_names[name], &c->current->names[name]);
    }
}

/* The machine's call stack, without an innermost frame whose function has not begun. */
static size_t read_stack(struct mp_counts *c, const uint64_t **gpcs) {
    bool at_entry = false;
    size_t depth = vm_call_stack(c->d, SIZE_MAX, gpcs);
    if (depth > 0) vm_function_id_at(c->d->vm, (*gpcs)[depth - 1], &at_entry);
    return depth - at_entry;
}

/* With the lock held: updates the shadow stack. innermost: the function of the innermost frame, or
 * VM_NO_FUNCTION_ID. When out of memory the shadow stack is truncated. */
static void sync_stack(struct mp_counts *c, uint32_t innermost) {
    const uint64_t *gpcs;
    bool at_entry;
    size_t depth = innermost == VM_NO_FUNCTION_ID ? read_stack(c, &gpcs)
                                                  : vm_call_stack(c->d, SIZE_MAX, &gpcs);
    size_t same = c->shadow.count;
    if (depth > 0 && c->d->stack.call_stack->unchanged < same)
        same = c->d->stack.call_stack->unchanged;
    if (c->d->stack.call_stack != NULL) c->d->stack.call_stack->unchanged = SIZE_MAX;
    if (same > depth) same = depth;
    bool known = innermost != VM_NO_FUNCTION_ID && depth > 0;
    if (known && same == depth) same--;
    bool enough = vector_widen((void **)&c->shadow.items, &c->shadow.capacity, depth, 64,
                               sizeof *c->shadow.items, NULL);
    if (!enough) depth = same;
    pop_to(c, depth);
    for (size_t i = same; i < depth; i++) {
        uint32_t function = known && i == depth - 1
                                ? innermost
                                : vm_function_id_at(c->d->vm, gpcs[i], &at_entry);
        if (i < c->shadow.count && c->shadow.items[i] == function) continue;
        pop_to(c, i);
        push_function(c, function);
    }
}

/* ---- Events (MU1). ---- */

static void count_events(struct mp_counts *c, uint32_t function, uint64_t events) {
    mp_counts_lock(c);
    if (c->stacks) sync_stack(c, function);
    c->current->own[mp_known_source(c, function)] += events;
    c->current->total += events;
    c->clock.events += events;
    mp_counts_unlock(c);
}

static void add_tick(struct mp_counts_share *share, const struct mp_counts_tick *tick) {
    *(tick->gc ? &share->gc_events : &share->events) += tick->ticks;
}

/* Counts a tick, at a poll: its function may have left the stack since. */
static void count_tick(struct mp_counts *c, const struct mp_counts_tick *tick) {
    uint32_t source = mp_known_source(c, tick->function), name = c->name_of[source];
    struct mp_count_set *set = c->current;
    ASSERT(tick->ticks > 0 && name < c->name_count);
    add_tick(&c->clock, tick);
    if (c->open_sources[source].occurrences == 0) add_tick(&set->sources[source], tick);
    if (c->open_names[name].occurrences == 0) add_tick(&set->names[name], tick);
}

void mp_counts_credit_ticks(struct mp_counts *c) {
    for (unsigned i = 0; i < c->pending_count; i++) count_tick(c, &c->pending[i]);
    c->pending_count = 0;
}

/* Counts pending ticks for the functions on the stack. */
static void poll_ticks(struct mp_counts *c) {
    if (c->pending_count == 0) return;
    mp_counts_lock(c);
    sync_stack(c, VM_NO_FUNCTION_ID);
    mp_counts_credit_ticks(c);
    mp_counts_unlock(c);
}

static void on_poll(void *state) {
    struct mp_counts *c = ((struct mp_sampler *)state)->counts;
    if (c != NULL) poll_ticks(c);
}

/* Called at every function entry if calls are counted, otherwise when a function's caller differs
 * from its last one (PL2). */
static void on_entered(void *context, struct domain *d, uint32_t caller, uint32_t function) {
    struct mp_counts *c = context;
    struct vm_function_ids *ids = &d->vm->function_ids;
    /* When out of memory new functions count as unknown. */
    if (mp_source_of_function(function) >= c->source_count) mp_counts_describe(c);
    if (c->kind != MP_COUNTS_COUNT) ids->last_caller[function] = caller;
    mp_counts_record_call(c, caller, function);
    if (c->kind == MP_COUNTS_COUNT) count_events(c, function, 1);
}

static void on_hit(void *context, struct domain *d, const struct mp_hit *hit) {
    if (hit->source != GC_CUSTOM)
        count_events(context, d->function_id, (hit->wosize + 1) * sizeof(value));
}

static void on_activity(void *context, struct gc_domain *g, enum gc_activity what, bool begins,
                        size_t words) {
    struct mp_counts *c = context;
    c->collecting += begins ? 1 : -1u;
    if (begins || what != GC_ACT_MINOR || c->kind != MP_COUNTS_ALLOC) return;
    mp_counts_lock(c);
    c->current->total_gc += words * sizeof(value);
    c->clock.gc_events += words * sizeof(value);
    mp_counts_unlock(c);
}

static const struct mp_client counts_client = {
    .hit = on_hit, .fast_sample = mp_sample_existing, .activity = on_activity};

/* ---- Sets of counts. ---- */

/* NULL: it was freed. */
static struct mp_count_set *find_set(const struct mp_counts *c, uint64_t id) {
    struct mp_count_set *set = c->sets;
    while (set != NULL && set->id != id) set = set->next;
    return set;
}

static void free_set(struct mp_counts *c, struct mp_count_set *set) {
    struct mp_count_set **at = &c->sets;
    while (*at != set) at = &(*at)->next;
    *at = set->next;
    mp_count_set_release(set);
}

static void make_current(struct mp_counts *c, struct mp_count_set *set, uint32_t base) {
    mp_counts_lock(c);
    mp_counts_credit_ticks(c);
    pop_to(c, 0);
    c->current = set;
    set->base = base;
    mp_counts_unlock(c);
}

/* ---- Life. ---- */

struct mp_counts *mp_counts_of(struct vm *vm) {
    const struct mp_sampler *sampler = vm->profiler.state;
    return sampler == NULL ? NULL : sampler->counts;
}

static void free_counts(struct mp_counts *c) {
    while (c->sets != NULL) free_set(c, c->sets);
    mp_counts_free_sources(c);
    free(c->saved.items);
    free(c->shadow.items);
    free(c->path);
    free(c);
}

static bool name_file(struct mp_counts *c) {
    char *folder = getcwd(NULL, 0);
    bool named = folder != NULL && asprintf(&c->path, "%s/" MP_COUNTS_FILE, folder) >= 0;
    free(folder);
    return named;
}

static bool prepare(struct mp_counts *c) {
    errno = ENOMEM;
    if (!name_file(c) || !mp_counts_describe(c)) return false;
    c->current = mp_count_set_create(c);
    if (c->current == NULL) return false;
    errno = mp_counts_write(c, c->current, c->path);
    return errno == 0 && (c->kind != MP_COUNTS_TIME || mp_counts_start_ticks(c));
}

struct mp_counts *mp_counts_start(struct vm *vm, enum mp_counts_kind kind, bool stacks) {
    struct mp_sampler *sampler = mp_sampler_of(vm->domain);
    struct mp_counts *c = sampler == NULL ? NULL : calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    ASSERT(kind != MP_COUNTS_OFF && sampler->counts == NULL);
    c->d = vm->domain;
    c->sampler = sampler;
    c->kind = kind;
    c->stacks = stacks;
    c->pid = getpid();
    c->magic = mp_counts_magic(vm_code_digest(vm->codes[0]));
    if (!prepare(c)) {
        int problem = errno;
        mp_counts_restore_signals(c);
        free_counts(c);
        errno = problem;
        return NULL;
    }
    sampler->counts = c;
    vm->profiler.poll = on_poll;
    vm->function_ids.entered = on_entered;
    vm->function_ids.context = c;
    mp_stream_attach(c->sampler, &c->stream, &c->lane, &counts_client, c, 0);
    if (kind == MP_COUNTS_ALLOC) mp_stream_start(c->sampler, &c->stream, 1);
    mp_counts_handle_signals(c);
    return c;
}

int mp_counts_finish(struct mp_counts *c) {
    struct vm *vm = c->d->vm;
    int problem = 0;
    poll_ticks(c);
    mp_counts_restore_signals(c);
    mp_stream_detach(c->sampler, &c->stream);
    c->sampler->counts = NULL;
    vm->function_ids.entered = NULL;
    if (c->pid == getpid()) problem = mp_counts_write(c, c->current, c->path);
    free_counts(c);
    return problem;
}

/* ---- Bactrian.Profile's primitives. A set is a number; messages are MLton's. ---- */

static struct mp_count_set *set_of(struct domain *d, value number, const char *what) {
    struct mp_count_set *set = find_set(mp_counts_of(d->vm), (uint64_t)int_of_val(number));
    if (set == NULL) vm_failwith(d, "%s of freed profile data", what);
    return set;
}

value mp_prim_counts_is_on(struct domain *d, value unit) {
    return val_of_bool(mp_counts_of(d->vm) != NULL);
}

value mp_prim_counts_malloc(struct domain *d, value unit) {
    struct mp_counts *c = mp_counts_of(d->vm);
    if (c == NULL) return val_of_int(0);
    struct mp_count_set *made = mp_count_set_create(c);
    if (made == NULL) vm_raise_out_of_memory(d);
    return val_of_int((intptr_t)made->id);
}

value mp_prim_counts_free(struct domain *d, value number) {
    struct mp_counts *c = mp_counts_of(d->vm);
    if (c == NULL) return VAL_UNIT;
    struct mp_count_set *set = set_of(d, number, "free");
    if (set == c->current) vm_failwith(d, "free of current profile data");
    free_set(c, set);
    return VAL_UNIT;
}

value mp_prim_counts_write(struct domain *d, value number, value path) {
    struct mp_counts *c = mp_counts_of(d->vm);
    if (c == NULL) return VAL_UNIT;
    struct mp_count_set *set = set_of(d, number, "write");
    if (!is_c_string(path)) vm_raise_sys_error(d, ENOENT, path);
    const char *flag = vm_policy_restriction(d->vm, CAP_FS_WRITE);
    if (flag != NULL) vm_raise_refused(d, string_bytes(path), flag);
    poll_ticks(c);
    mp_counts_lock_for_reading(c);
    int problem = mp_counts_write(c, set, string_bytes(path));
    mp_counts_unlock_after_reading(c);
    if (problem != 0) vm_raise_sys_error(d, problem, path);
    return VAL_UNIT;
}

value mp_prim_counts_enter(struct domain *d, value number) {
    struct mp_counts *c = mp_counts_of(d->vm);
    const uint64_t *gpcs;
    if (c == NULL) return val_of_int(0);
    struct mp_count_set *set = set_of(d, number, "setCurrent");
    if (!vector_reserve(&c->saved, 1, 16, NULL)) vm_raise_out_of_memory(d);
    poll_ticks(c);
    struct mp_saved_set saved = {c->current->id, c->current->base};
    vector_append(&c->saved, saved);
    make_current(c, set, c->stacks ? (uint32_t)vm_call_stack(d, SIZE_MAX, &gpcs) : 0);
    return val_of_int((intptr_t)c->saved.count - 1);
}

value mp_prim_counts_leave(struct domain *d, value depth) {
    struct mp_counts *c = mp_counts_of(d->vm);
    if (c == NULL) return VAL_UNIT;
    uint64_t i = (uint64_t)int_of_val(depth);
    struct mp_count_set *set = i < c->saved.count ? find_set(c, c->saved.items[i].id) : NULL;
    if (i < c->saved.count) c->saved.count = i;
    if (set == NULL) vm_failwith(d, "setCurrent of freed profile data");
    poll_ticks(c);
    make_current(c, set, c->saved.items[i].base);
    return VAL_UNIT;
}
