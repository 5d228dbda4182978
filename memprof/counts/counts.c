/* counts.c - counts events for functions, in the unit that is current (memprof/counts/counts.h).
 *
 *   time    on_tick, in units_signals.c
 *   alloc   the sampler, taking every word
 *   count   on_entered
 *
 * With stacks each event first brings the shadow of the stack up to date: functions that left it
 * close their intervals, those that are new open theirs. Events lie in exactly the intervals that
 * are open when the clock of events moves on, so what happened to the stack in between needs no
 * attention. */
#include "memprof/counts/counts_internal.h"
#include "memprof/program/profile.h"
#include "vm/code/code.h"
#include "vm/code/function_id.h"
#include "vm/stack/callstack.h"
#include "vm/state/vm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The stack (MU2). ---- */

static void open_interval(const struct mp_counts *u, struct mp_counts_open *open) {
    if (open->occurrences++ == 0) open->since = u->clock;
}

static void close_interval(const struct mp_counts *u, struct mp_counts_open *open,
                           struct mp_counts_share *share) {
    if (--open->occurrences > 0) return;
    share->events += u->clock.events - open->since.events;
    share->gc_events += u->clock.gc_events - open->since.gc_events;
}

/* Frames from the unit's base on count. */
static void push_place(struct mp_counts *u, uint32_t place) {
    uint32_t source = mp_source_of_place(place);
    if (u->shadow_count >= u->current->base) {
        open_interval(u, &u->open_sources[source]);
        open_interval(u, &u->open_names[u->name_of[source]]);
    }
    u->shadow[u->shadow_count++] = place;
}

static void pop_to(struct mp_counts *u, size_t count) {
    while (u->shadow_count > count) {
        uint32_t source = mp_source_of_place(u->shadow[--u->shadow_count]);
        uint32_t name = u->name_of[source];
        if (u->shadow_count < u->current->base) continue;
        close_interval(u, &u->open_sources[source], &u->current->sources[source]);
        close_interval(u, &u->open_names[name], &u->current->names[name]);
    }
}

static bool reserve_shadow(struct mp_counts *u, size_t count) {
    if (count <= u->shadow_capacity) return true;
    size_t wider = 2 * count + 64;
    uint32_t *shadow = realloc(u->shadow, wider * sizeof *shadow);
    if (shadow == NULL) return false;
    u->shadow = shadow;
    u->shadow_capacity = (uint32_t)wider;
    return true;
}

/* The machine's call stack; a frame whose function has not begun is none yet. */
static size_t read_stack(struct mp_counts *u, const uint64_t **gpcs) {
    bool unbegun = false;
    size_t depth = vm_call_stack(u->d, SIZE_MAX, gpcs);
    if (depth > 0) vm_function_id_at(u->d->vm, (*gpcs)[depth - 1], &unbegun);
    return depth - unbegun;
}

/* In a turn: brings the shadow up to date. innermost: the place of the innermost frame, if it is
 * known; without memory the shadow ends early. */
static void sync_stack(struct mp_counts *u, uint32_t innermost) {
    const uint64_t *gpcs;
    bool unbegun;
    size_t depth = innermost == VM_NO_FUNCTION_ID ? read_stack(u, &gpcs)
                                                  : vm_call_stack(u->d, SIZE_MAX, &gpcs);
    size_t same = u->shadow_count;
    if (depth > 0 && u->d->stack.call_stack->unchanged < same)
        same = u->d->stack.call_stack->unchanged;
    if (u->d->stack.call_stack != NULL) u->d->stack.call_stack->unchanged = SIZE_MAX;
    if (same > depth) same = depth;
    bool known = innermost != VM_NO_FUNCTION_ID && depth > 0;
    if (known && same == depth) same--;
    if (!reserve_shadow(u, depth)) depth = same;
    pop_to(u, depth);
    for (size_t i = same; i < depth; i++) {
        uint32_t place = known && i == depth - 1 ? innermost
                                                 : vm_function_id_at(u->d->vm, gpcs[i], &unbegun);
        if (i < u->shadow_count && u->shadow[i] == place) continue;
        pop_to(u, i);
        push_place(u, place);
    }
}

/* ---- Events (MU1). ---- */

static uint32_t known_source(const struct mp_counts *u, uint32_t place) {
    uint32_t source = mp_source_of_place(place);
    return source < u->source_count ? source : SOURCE_UNKNOWN;
}

static void count_events(struct mp_counts *u, uint32_t place, uint64_t events) {
    u->current->own[known_source(u, place)] += events;
    u->current->total += events;
    u->clock.events += events;
}

/* A tick's function has left the stack by the next poll, sometimes. */
static void count_tick(struct mp_counts *u, const struct mp_counts_tick *tick) {
    uint32_t source = known_source(u, tick->place), name = u->name_of[source];
    if (tick->gc) u->clock.gc_events += tick->ticks;
    else u->clock.events += tick->ticks;
    if (u->open_sources[source].occurrences == 0) {
        struct mp_counts_share *share = &u->current->sources[source];
        *(tick->gc ? &share->gc_events : &share->events) += tick->ticks;
    }
    if (u->open_names[name].occurrences == 0) {
        struct mp_counts_share *share = &u->current->names[name];
        *(tick->gc ? &share->gc_events : &share->events) += tick->ticks;
    }
}

void mp_counts_settle(struct mp_counts *u) {
    for (unsigned i = 0; i < u->pending_count; i++) count_tick(u, &u->pending[i]);
    u->pending_count = 0;
}

void mp_counts_poll(struct mp_counts *u) {
    if (u->pending_count == 0) return;
    mp_counts_begin(u);
    sync_stack(u, VM_NO_FUNCTION_ID);
    mp_counts_settle(u);
    mp_counts_end(u);
}

/* Called for every entry if these are counted, else for each new call. */
static void on_entered(void *context, struct domain *d, uint32_t caller, uint32_t place) {
    struct mp_counts *u = context;
    struct vm_function_ids *places = &d->vm->function_ids;
    /* Without memory for new code its functions are unknown ones. */
    if (mp_source_of_place(place) >= u->source_count) mp_counts_describe(u);
    if (u->kind != MP_COUNTS_COUNT) places->last_caller[place] = caller;
    mp_counts_note_call(u, caller, place);
    if (u->kind != MP_COUNTS_COUNT) return;
    mp_counts_begin(u);
    if (u->stacks) sync_stack(u, place);
    count_events(u, place, 1);
    mp_counts_end(u);
}

static void count_block(struct mp_counts *u, uint64_t words) {
    mp_counts_begin(u);
    if (u->stacks) sync_stack(u, u->d->function_id);
    count_events(u, u->d->function_id, words * sizeof(value));
    mp_counts_end(u);
}

static void on_hit(void *context, struct domain *d, const struct mp_hit *hit) {
    if (hit->source != GC_CUSTOM) count_block(context, hit->wosize + 1);
}

static void on_activity(void *context, struct gc_domain *g, enum gc_activity what, bool begins,
                        size_t words) {
    struct mp_counts *u = context;
    u->collecting += begins ? 1 : -1u;
    if (begins || what != GC_ACT_MINOR || u->kind != MP_COUNTS_ALLOC) return;
    mp_counts_begin(u);
    u->current->total_gc += words * sizeof(value);
    u->clock.gc_events += words * sizeof(value);
    mp_counts_end(u);
}

static void on_collection(void *context, struct gc_domain *g) {}

static const struct mp_client units_client = {
    .hit = on_hit, .quickly = mp_hit_quickly, .minor_done = on_collection, .activity = on_activity};

/* ---- Which unit is current. ---- */

struct mp_unit *mp_unit_find(const struct mp_counts *u, uint64_t id) {
    struct mp_unit *unit = u->units;
    while (unit != NULL && unit->id != id) unit = unit->next;
    return unit;
}

void mp_unit_free(struct mp_counts *u, struct mp_unit *unit) {
    struct mp_unit **at = &u->units;
    while (*at != unit) at = &(*at)->next;
    *at = unit->next;
    mp_unit_release(unit);
}

static void make_current(struct mp_counts *u, struct mp_unit *unit, uint32_t base) {
    mp_counts_begin(u);
    mp_counts_settle(u);
    pop_to(u, 0);
    u->current = unit;
    unit->base = base;
    mp_counts_end(u);
}

int mp_counts_enter(struct mp_counts *u, struct mp_unit *unit) {
    const uint64_t *gpcs;
    if (u->aside_count == u->aside_capacity) {
        uint32_t wider = 2 * u->aside_capacity + 16;
        struct mp_counts_aside *aside = realloc(u->aside, wider * sizeof *aside);
        if (aside == NULL) return -1;
        u->aside = aside;
        u->aside_capacity = wider;
    }
    mp_counts_poll(u);
    u->aside[u->aside_count] = (struct mp_counts_aside){u->current->id, u->current->base};
    make_current(u, unit, u->stacks ? (uint32_t)vm_call_stack(u->d, SIZE_MAX, &gpcs) : 0);
    return (int)u->aside_count++;
}

bool mp_counts_leave(struct mp_counts *u, uint32_t aside_count) {
    if (aside_count >= u->aside_count) return false;
    const struct mp_counts_aside *aside = &u->aside[aside_count];
    struct mp_unit *unit = mp_unit_find(u, aside->id);
    u->aside_count = aside_count;
    if (unit == NULL) return false;
    mp_counts_poll(u);
    make_current(u, unit, aside->base);
    return true;
}

/* ---- Life. ---- */

struct mp_counts *mp_counts_of(struct vm *vm) {
    const struct mp_engine *engine = vm->profiler.state;
    return engine == NULL ? NULL : engine->units;
}

static void free_units(struct mp_counts *u) {
    while (u->units != NULL) mp_unit_free(u, u->units);
    mp_counts_free_names(u);
    free(u->aside);
    free(u->shadow);
    free(u->path);
    free(u->sources_path);
    free(u);
}

/* The program may change its folder. */
static bool name_files(struct mp_counts *u) {
    char *folder = getcwd(NULL, 0);
    bool named = folder != NULL && asprintf(&u->path, "%s/" MP_COUNTS_FILE, folder) >= 0 &&
                 asprintf(&u->sources_path, "%s" MP_COUNTS_SOURCES, u->path) >= 0;
    free(folder);
    return named;
}

static bool prepare(struct mp_counts *u) {
    errno = ENOMEM;
    if (!name_files(u) || !mp_counts_describe(u)) return false;
    u->current = mp_unit_create(u);
    if (u->current == NULL) return false;
    errno = mp_counts_write(u, u->current, u->path, u->sources_path);
    return errno == 0 && (u->kind != MP_COUNTS_TIME || mp_counts_start_ticks(u));
}

struct mp_counts *mp_counts_start(struct vm *vm, enum mp_counts_kind kind, bool stacks) {
    struct mp_engine *engine = mp_engine_of(vm->domain);
    struct mp_counts *u = calloc(1, sizeof *u);
    if (u == NULL) return NULL;
    u->d = vm->domain;
    u->sampler = engine->sampler;
    u->kind = kind;
    u->stacks = stacks;
    u->pid = getpid();
    u->magic = mp_counts_magic(vm_code_digest(vm->codes[0]));
    if (!prepare(u)) {
        int problem = errno;
        mp_counts_deafen(u);
        free_units(u);
        errno = problem;
        return NULL;
    }
    engine->units = u;
    vm->function_ids.entered = on_entered;
    vm->function_ids.context = u;
    mp_stream_attach(u->sampler, &u->stream, &u->lane, &units_client, u, 0);
    if (kind == MP_COUNTS_ALLOC) mp_stream_start(u->sampler, &u->stream, 1);
    mp_counts_listen(u);
    return u;
}

int mp_counts_finish(struct mp_counts *u) {
    struct vm *vm = u->d->vm;
    struct mp_engine *engine = vm->profiler.state;
    int problem = 0;
    mp_counts_poll(u);
    mp_counts_deafen(u);
    mp_stream_detach(u->sampler, &u->stream);
    engine->units = NULL;
    vm->function_ids.entered = NULL;
    if (u->pid == getpid()) problem = mp_counts_write(u, u->current, u->path, u->sources_path);
    free_units(u);
    return problem;
}
