/* state.c - variables that C stubs access, and the roots that stubs hold.
 *
 * Stubs find their machine through Caml_state, which points into its domain. All variables of this
 * file belong to the C ABI; they are why machines with stubs exclude each other (vm/embed).
 *
 * CA2  Caml_state->local_roots and backtrace_last_exn, and the slots that caml_scan_roots_hook
 *      visits, are roots. */
#include "gc/heap.h"
#include "gc/stats.h"
#include "gc/weak.h"
#include "vm/capi/abi.h"
#include "vm/capi/capi_internal.h"
#include "vm/engine/debugger.h"
#include "vm/stack/backtrace.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"
#include "vm/thread/pending.h"

#include <pthread.h>
#include <signal.h>

struct vm_abi_state *Caml_state;
/* The same in a thread that holds the runtime lock, else NULL. Compiled stubs of 5.x test it. */
_Thread_local struct vm_abi_state *caml_state;

/* Stores a field if the version's state has it. */
#define PUBLISH(d, name, n) \
    if ((d)->abi_layout->name != 0) *abi_##name(d) = (n)

static void thread_entered(struct domain *d) {
    caml_state = &d->abi;
    PUBLISH(d, id, (int)d->record->index);
    PUBLISH(d, unique_id, (int)d->record->id);
}

static void enter_blocking(void) {
    vm_enter_blocking(self());
    caml_state = NULL;
}
static void leave_blocking(void) {
    vm_leave_blocking(self());
    thread_entered(self());
}

header *caml_atom_table;
value caml_global_data;                /* the table of globals */
value caml_ephe_none;                  /* an empty slot of an ephemeron */
const char *caml_exe_name;             /* the program, as it was named */
volatile int caml_something_to_do = 1; /* always: so callers check */
uintptr_t caml_allocated_words;        /* never read here */
int caml_debugger_in_use, caml_debugger_fork_mode;
uintptr_t caml_verb_gc;                 /* OCAMLRUNPARAM's v, as of the last collection */
uintptr_t caml_minor_collections_count; /* of 5.x, as of the last one */
uintptr_t caml_major_slice_epoch;       /* the same as of the last part of marking or sweeping */
uintptr_t caml_custom_major_ratio;      /* OCAMLRUNPARAM's M, as of the last collection */
uintptr_t caml_minor_heaps_start, caml_minor_heaps_end; /* of 5.x: bounds of young blocks */
/* Called with a function for each root, at every collection. In 5.x it has more parameters: type
 * scan_of_5 below. */
void (*caml_scan_roots_hook)(void (*action)(value v, value *slot));
/* Called around minor collections, and around each part of marking and sweeping. */
void (*caml_minor_gc_begin_hook)(void), (*caml_minor_gc_end_hook)(void);
void (*caml_major_slice_begin_hook)(void), (*caml_major_slice_end_hook)(void);
void (*caml_fatal_error_hook)(const char *format, va_list arguments); /* prints instead */
void (*caml_channel_mutex_lock)(struct channel *c) = capi_lock_channel;
void (*caml_channel_mutex_unlock)(struct channel *c) = capi_unlock_channel;
void (*caml_channel_mutex_unlock_exn)(void);        /* NULL: a raise unlocks */
void (*caml_channel_mutex_free)(struct channel *c); /* never called */
void (*caml_enter_blocking_section_hook)(void) = enter_blocking;
void (*caml_leave_blocking_section_hook)(void) = leave_blocking;
/* Called in a child process, after Unix.fork of 5.x. The threads of the parent are noticed as
 * missing (vm/thread). */
static void forked(void) {}
void (*caml_atfork_hook)(void) = forked;
int (*caml_sigmask_hook)(int how, const sigset_t *set, sigset_t *old) = pthread_sigmask;

/* Unix.fork calls it in the process that is not debugged from now on. */
void caml_debugger_cleanup_fork(void) {
    struct vm_debugger *debugger = self()->vm->options.debugger;
    if (debugger != NULL) debugger->leave(debugger, self());
}

static void debugger_changed(struct domain *d) {
    caml_debugger_in_use = vm_is_debugged(d);
    caml_debugger_fork_mode = vm_is_debugged(d) && d->vm->options.debugger->follows_parent;
}

/* ---- Roots. ---- */

static void visit(value v, value *slot) {
    struct capi *capi = self()->vm->abi_state;
    ASSERT(capi->visitor != NULL);
    gc_visit(capi->visitor, slot);
}

/* As 5.x has them: with a word for the action, and the domain that is scanned. */
static void visit_of_5(void *context, value v, volatile value *slot) { visit(v, (value *)slot); }
typedef void scan_of_5(void (*action)(void *context, value v, volatile value *slot), int flags,
                       void *context, struct vm_abi_state *state);

static void scan(void *context, struct gc_visitor *visitor) {
    struct domain *d = context;
    struct capi *capi = d->vm->abi_state;
    ASSERT(capi != NULL && d->vm->domain == d);
    for (struct gc_local_roots *frame = *abi_local_roots(d); frame != NULL; frame = frame->next)
        for (intptr_t t = 0; t < frame->ntables; t++)
            visitor->slots(visitor, frame->tables[t], frame->tables[t] + frame->nitems);
    gc_visit(visitor, abi_backtrace_last_exn(d));
    if (caml_scan_roots_hook == NULL) return;
    capi->visitor = visitor;
    if (d->abi_layout->takes_domain_state)
        ((scan_of_5 *)(void (*)(void))caml_scan_roots_hook)(visit_of_5, 0, d, &d->abi);
    else caml_scan_roots_hook(visit);
    capi->visitor = NULL;
}

/* ---- What the collector does. ---- */

/* A number of words, which is a double in 4.x. */
static uint64_t word_count(const struct domain *d, uint64_t n) {
    double x = (double)n;
    if (d->abi_layout->counts_in_doubles) memcpy(&n, &x, sizeof n);
    return n;
}

void capi_publish_counters(struct domain *d) {
    struct gc_stats now = gc_stats_read(&d->gc);
    PUBLISH(d, stat_minor_words, word_count(d, now.minor_words));
    PUBLISH(d, stat_promoted_words, word_count(d, now.promoted_words));
    PUBLISH(d, stat_major_words, word_count(d, now.major_words));
    PUBLISH(d, stat_minor_collections, (intptr_t)now.minor_collections);
    PUBLISH(d, stat_major_collections, (intptr_t)now.major_collections);
    PUBLISH(d, stat_heap_wsz, (intptr_t)now.heap_words);
    PUBLISH(d, stat_top_heap_wsz, (intptr_t)now.top_heap_words);
    PUBLISH(d, stat_compactions, (intptr_t)now.compactions);
    PUBLISH(d, stat_forced_major_collections, (intptr_t)now.forced_major_collections);
    PUBLISH(d, stat_heap_chunks, (intptr_t)now.heap_chunks);
    PUBLISH(d, minor_heap_wsz, gc_get_params(&d->gc)->minor_words);
    caml_verb_gc = gc_get_params(&d->gc)->verbose;
    caml_custom_major_ratio = gc_get_params(&d->gc)->custom_major_ratio;
    caml_minor_collections_count = (uintptr_t)now.minor_collections;
}

static void observe(void *context, struct gc_domain *g, enum gc_activity what, bool begins) {
    struct domain *d = context;
    void (*hook)(void) = NULL;
    bool major = what == GC_ACT_MARK || what == GC_ACT_SWEEP;
    if (major) caml_major_slice_epoch = caml_minor_collections_count;
    if (what == GC_ACT_MINOR) hook = begins ? caml_minor_gc_begin_hook : caml_minor_gc_end_hook;
    else if (major) hook = begins ? caml_major_slice_begin_hook : caml_major_slice_end_hook;
    if (!begins && (what == GC_ACT_MINOR || what == GC_ACT_PAUSE)) capi_publish_counters(d);
    if (hook != NULL) hook();
}

/* Called around finalisers, as many as are ready (not at the end if one raises); and where a domain
 * ends. */
void (*caml_finalise_begin_hook)(void), (*caml_finalise_end_hook)(void);
void (*caml_domain_terminated_hook)(void);

static void notice(struct domain *d, enum vm_abi_moment moment) {
    void (*hooks[])(void) = {
        [ABI_FINALISERS_BEGIN] = caml_finalise_begin_hook,
        [ABI_FINALISERS_END] = caml_finalise_end_hook,
        [ABI_DOMAIN_ENDS] = caml_domain_terminated_hook,
    };
    if (hooks[moment] != NULL) hooks[moment]();
}

/* ---- A machine's life. ---- */

static void globals_changed(struct domain *d) {
    if (Caml_state == &d->abi) caml_global_data = d->vm->global_data;
}

struct vm_abi_state *capi_show(struct vm_abi_state *state) {
    struct vm_abi_state *before = Caml_state;
    ASSERT(state == NULL || state->young_limit == UINTPTR_MAX); /* attached */
    Caml_state = caml_state = state;
    caml_atom_table = NULL;
    if (state == NULL) return before;
    struct domain *d = self();
    ((struct capi *)d->vm->abi_state)->thread = pthread_self();
    caml_atom_table = (header *)d->gc.atoms;
    globals_changed(d);
    caml_ephe_none = gc_ephe_none(&d->gc);
    caml_exe_name = d->vm->options.executable_name;
    caml_minor_heaps_start = *abi_young_start(d);
    caml_minor_heaps_end = *abi_young_end(d);
    capi_publish_counters(d);
    return before;
}

static const char *attach(struct domain *d) {
    if (Caml_state != NULL) return "another machine of this process is using C libraries";
    ASSERT(d->vm->abi_state == NULL && *abi_local_roots(d) == NULL);
    struct capi *capi = calloc(1, sizeof *capi);
    if (capi == NULL) return "out of memory";
    d->vm->abi_state = capi;
    d->abi.young_limit = UINTPTR_MAX;
    gc_minor_heap_range(&d->gc, abi_young_start(d), abi_young_end(d));
    vm_backtrace_publish(d);
    capi->observer = (struct gc_observer){.context = d, .activity = observe};
    gc_add_observer(&d->gc, &capi->observer);
    debugger_changed(d);
    gc_add_scanner(d->gc.heap, "C stubs", scan, d);
    capi_show(&d->abi);
    return NULL;
}

static void detach(struct domain *d) {
    ASSERT(d->vm->abi_state != NULL && *abi_local_roots(d) == NULL);
    capi_free_final_ops(d->vm->abi_state);
    free(d->vm->abi_state);
    if (Caml_state == &d->abi) capi_show(NULL);
}

const struct vm_abi capi_abi = {.attach = attach,
                                .thread_entered = thread_entered,
                                .globals_changed = globals_changed,
                                .notice = notice,
                                .detach = detach,
                                .debugger_changed = debugger_changed};
