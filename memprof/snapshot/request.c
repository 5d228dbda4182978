/* request.c - when snapshots are taken: at the end of the program, at a size of the heap, on a
 * signal. The collector's hooks and signal handlers only ask for one: it is taken at the next poll.
 *
 * A process has one handler of a signal, so the machine that it asks is a file-scope word
 * (`signal_snapshots`, named in vm/README.md). */
#include "gc/heap.h"
#include "gc/hooks.h"
#include "gc/stats.h"
#include "memprof/recorder/fatal_signals.h"
#include "memprof/snapshot/snapshot.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

struct snapshots {
    struct vm *vm;
    const struct mp_snapshot_options *options;
    struct gc_observer observer;
    _Atomic bool wanted;
    bool was_large; /* at_heap_words was reached */
    bool exited;    /* at_exit was served */
    pid_t process;  /* a child process takes none */
    unsigned taken;
    int child;        /* that writes the last one; 0: none */
    uint64_t handled; /* the signal's bit */
};

static struct snapshots *_Atomic signal_snapshots;

/* Waits for the child that writes the last one. */
static void settle(struct snapshots *s) {
    if (s->child != 0 && mp_snapshot_wait(s->child)) s->taken++;
    s->child = 0;
}

/* The program goes on while the file is written, unless it has ended. */
static void take(struct snapshots *s, bool ended) {
    char path[4096];
    struct mp_record_heap total;
    uint64_t file_bytes = 0;
    if (getpid() != s->process) return;
    settle(s);
    enum mp_replace replace = s->taken == 0 ? s->options->replace : MP_REPLACE_NONE;
    if (!ended && !s->options->in_pause)
        s->child = mp_snapshot_fork(s->vm->domain, s->options, replace);
    if (s->child != 0) return;
    int problem = mp_snapshot_write(s->vm->domain, s->options, replace, path, &total, &file_bytes);
    if (problem == 0) s->taken++;
    s->options->report(s->options, path, problem == 0 ? &total : NULL, file_bytes, problem);
}

static void poll(void *state) {
    struct snapshots *s = state;
    if (atomic_exchange(&s->wanted, false)) take(s, false);
}

static void leaving(void *state) {
    struct snapshots *s = state;
    if (!s->options->at_exit || s->exited) return;
    s->exited = true;
    take(s, true);
}

/* A pause has ended. */
static void observe(void *context, struct gc_domain *g, enum gc_activity what, bool begins) {
    struct snapshots *s = context;
    if (what != GC_ACT_PAUSE || begins || s->was_large || s->options->at_heap_words == 0) return;
    const struct gc_stats now = gc_stats_read(g);
    if (now.live_words < s->options->at_heap_words) return;
    s->was_large = true;
    s->wanted = true;
    gc_request_action(g);
}

static void on_signal(int number) {
    struct snapshots *s = atomic_load(&signal_snapshots);
    if (s == NULL) return;
    s->wanted = true;
    gc_request_action(&s->vm->domain->gc);
}

bool mp_snapshots_start(struct vm *vm, const struct mp_snapshot_options *options) {
    struct snapshots *s = calloc(1, sizeof *s);
    if (s == NULL) return false;
    *s = (struct snapshots){.vm = vm, .options = options, .process = getpid()};
    if (options->on_signal != 0) {
        s->handled = mp_handle_signal(options->on_signal, on_signal);
        if (s->handled == 0) {
            free(s);
            errno = EBUSY;
            return false;
        }
        atomic_store(&signal_snapshots, s);
    }
    s->observer = (struct gc_observer){.context = s, .activity = observe};
    gc_add_observer(&vm->domain->gc, &s->observer);
    vm->snapshots = (struct vm_snapshots){.state = s, .poll = poll, .leaving = leaving};
    return true;
}

unsigned mp_snapshots_finish(struct vm *vm) {
    struct snapshots *s = vm->snapshots.state;
    if (s == NULL) return 0;
    poll(s);
    leaving(s);
    if (getpid() == s->process) settle(s);
    mp_restore_signals(s->handled, on_signal);
    atomic_store(&signal_snapshots, NULL);
    gc_remove_observer(&vm->domain->gc, &s->observer);
    vm->snapshots = (struct vm_snapshots){.state = NULL};
    unsigned taken = s->taken;
    free(s);
    return taken;
}
