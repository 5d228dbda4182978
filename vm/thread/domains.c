/* domains.c - see domains.h. */
#include "vm/thread/domains.h"

#include "gc/assert.h"
#include "gc/weak.h"
#include "vm/base/os.h"
#include "vm/code/kinds.h"
#include "vm/code/prim.h"
#include "vm/code/version.h"
#include "vm/stack/raise.h"
#include "vm/state/alloc.h"
#include "vm/state/vm.h"
#include "vm/thread/mutex.h"
#include "vm/thread/thread_internal.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

/* The domains of a machine. */
struct vm_domains {
    struct vm_domain_record *all; /* in the order of their indexes */
    size_t count;
    intptr_t next_id;
    size_t minor_heap_words; /* of a new domain */
};

size_t vm_max_domains(const struct vm *vm) {
    const struct vm_options *options = &vm->options;
    return options->max_domains == 0 || !vm->version->max_domains_is_set ? vm->version->max_domains
                                                                         : options->max_domains;
}

/* ---- Records. ---- */

static void visit_domains(void *context, struct gc_visitor *visitor) {
    struct vm_domains *domains = context;
    for (struct vm_domain_record *r = domains->all; r != NULL; r = r->next) {
        gc_visit(visitor, &r->dls);
        gc_visit(visitor, &r->state);
        gc_visit(visitor, &r->mutex);
        gc_visit(visitor, &r->condition);
    }
}

/* A record with the smallest free index. NULL: out of memory. GC: never. */
static struct vm_domain_record *new_record(struct vm *vm) {
    struct vm_domains *domains = vm->domains;
    struct vm_domain_record *r = calloc(1, sizeof *r), **slot = &domains->all;
    if (r == NULL) return NULL;
    r->dls = r->state = r->mutex = r->condition = VAL_UNIT;
    r->minor_heap_words = domains->minor_heap_words;
    r->backtrace_active = vm->options.backtrace;
    r->parser_trace = vm->options.parser_trace && !vm->version->parser_trace_stays;
    for (; *slot != NULL && (*slot)->index == r->index; slot = &(*slot)->next) r->index++;
    r->id = domains->next_id++;
    r->next = *slot;
    *slot = r;
    domains->count++;
    return r;
}

static void free_record(struct vm_domains *domains, struct vm_domain_record *r) {
    struct vm_domain_record **slot = &domains->all;
    while (*slot != r) slot = &(*slot)->next;
    *slot = r->next;
    domains->count--;
    free(r);
}

void vm_domains_create(struct domain *d) {
    struct vm_domains *domains = vm_must(calloc(1, sizeof *domains));
    d->vm->domains = domains;
    domains->minor_heap_words = gc_get_params(&d->gc)->minor_words;
    d->record = vm_must(new_record(d->vm));
    gc_add_scanner(d->gc.heap, "domains", visit_domains, domains);
}

void vm_domains_destroy(struct vm *vm) {
    struct vm_domains *domains = vm->domains;
    if (domains == NULL) return;
    while (domains->all != NULL) free_record(domains, domains->all);
    free(domains);
}

/* ---- Spawning. ---- */

static bool is_sync(const struct domain *d, value sync) {
    if (d->vm->version->spawn_takes_mutex) return vm_kind_accepts(d, 'm', sync);
    return is_block(sync) && tag_of(sync) == 0 && wosize_of(sync) == 3 &&
           vm_kind_accepts(d, 'm', field(sync, 1)) && vm_kind_accepts(d, 'h', field(sync, 2));
}

/* The mutex and the condition are kept: the program may change the fields of its record. */
static void keep_sync(struct vm_domain_record *r, value sync, bool is_mutex) {
    if (is_mutex) {
        r->mutex = sync;
        return;
    }
    r->state = sync;
    r->mutex = field(sync, 1);
    r->condition = field(sync, 2);
}

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * (int64_t)1000000000 + now.tv_nsec;
}

/* Whether there may be another domain. In OCaml the others have run beside this one, and may have
 * ended. At the limit they therefore get their turns now, until one has ended, or all have waited
 * in ROUNDS_OF_WAITING rounds of turns, or after ROOM_NS. GC: may run. */
static bool find_room(struct domain *d) {
    enum { ROUNDS_OF_WAITING = 64, ROOM_NS = 1000000000 };
    const struct vm_domains *domains = d->vm->domains;
    size_t limit = vm_max_domains(d->vm);
    if (domains->count < limit) return true;
    int64_t start = now_ns();
    int waited = 0;
    while (d->vm->threads != NULL && domains->count >= limit && waited < ROUNDS_OF_WAITING &&
           now_ns() - start < ROOM_NS)
        waited = vm_thread_round(d) ? 0 : waited + 1;
    return domains->count < limit;
}

intptr_t vm_domain_spawn(struct domain *d, value closure, value sync) {
    GC_ROOT(&d->gc, &closure, &sync);
    if (!is_sync(d, sync)) vm_invalid_argument(d, "Domain.spawn");
    if (!find_room(d)) vm_failwith(d, "failed to allocate domain");
    vm_threads_start(d);
    struct vm_thread *t = vm_thread_add(d, closure, true);
    struct vm_domain_record *r = t == NULL ? NULL : new_record(d->vm);
    if (r == NULL) {
        if (t != NULL) vm_thread_forget(d, t);
        vm_failwith(d, "failed to allocate domain");
    }
    r->profile = d->record->profile;
    keep_sync(r, sync, d->vm->version->spawn_takes_mutex);
    intptr_t id = r->id;
    vm_thread_make_body(t, r);
    if (vm_thread_launch(t) != 0) {
        vm_thread_forget(d, t);
        vm_failwith(d, "failed to create domain thread");
    }
    return id;
}

bool vm_domain_was_spawned(const struct vm *vm) { return vm->domains->next_id > 1; }

size_t vm_domain_recommended_count(const struct vm *vm) {
    cpu_set_t processors;
    size_t n = 1;
    if (sched_getaffinity(0, sizeof processors, &processors) == 0)
        n = (size_t)CPU_COUNT(&processors);
    return n < vm_max_domains(vm) ? n : vm_max_domains(vm);
}

/* ---- The end. ---- */

/* Stores Finished (Ok result), or Finished (Error exn), and leaves the mutex locked. */
static void publish(struct domain *d, value result) {
    struct vm_domain_record *r = d->record;
    bool failed = is_exn_result(result);
    value outcome = failed ? exn_of_result(result) : result;
    GC_ROOT(&d->gc, &outcome);
    value tagged = new_small(d, 1, failed);
    field(tagged, 0) = outcome;
    GC_ROOT(&d->gc, &tagged);
    value finished = new_small(d, 1, 0);
    field(finished, 0) = tagged;
    GC_ROOT(&d->gc, &finished);
    vm_mutex_acquire(d, r->mutex);
    gc_store(&d->gc, r->state, 0, finished);
    vm_condition_broadcast(d, r->condition);
}

void vm_domain_changed(struct domain *d, bool begins) {
    const struct vm_library *library = d->vm->library;
    if (library->domain_changed != NULL) library->domain_changed(d, begins);
}

void vm_domain_end(struct domain *d, value result) {
    struct vm_domain_record *r = d->record;
    if (r->state != VAL_UNIT) publish(d, result);
    while (r->threads > 1) vm_wait(d, &r->ending);
    vm_abi_notice(d, ABI_DOMAIN_ENDS);
    vm_domain_changed(d, false);
    gc_minor(&d->gc);
    vm_mutex_release(d, r->mutex);
}

void vm_domain_thread_ended(struct domain *d, struct vm_domain_record *record) {
    ASSERT(record->threads > 0);
    record->threads--;
    if (record->threads == 1) vm_wake_all(d, &record->ending);
    if (record->threads > 0 || record->id == 0) return;
    gc_orphan_finalisers(&d->gc, record->id);
    free_record(d->vm->domains, record);
}
