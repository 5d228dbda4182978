/* units_signals.c - ticks of the CPU clock, and signals that end the process (memprof/units.h).
 *
 * A tick is counted in its handler, which finds the units in the timer's own value; what it means
 * for the stack waits for the machine's next poll, since the handler can't walk it.
 *
 * Handlers of deadly signals have nothing but the number, so the units that they serve are a
 * file-scope word (`ending`, named in vm/README.md). */
#include "memprof/deadly.h"
#include "memprof/units_internal.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { TICK_NS = 10000000 };

static struct mp_units *_Atomic ending;

/* ---- The end. ---- */

/* MU3 */
static struct mp_units *listening(void) {
    struct mp_units *u = atomic_load(&ending);
    return u == NULL || u->pid != getpid() ? NULL : u;
}

static int write_last(struct mp_units *u) {
    return mp_units_write(u, u->current, u->path, u->sources_path);
}

void mp_units_die(struct mp_units *u) {
    int number = u->killed_by;
    u->killed_by = 0;
    write_last(u);
    mp_die_of(number);
}

static void on_deadly_signal(int number) {
    struct mp_units *u = listening();
    if (u == NULL) {
        mp_die_of(number);
        return;
    }
    u->killed_by = number;
    if (!u->busy) mp_units_die(u);
}

/* exit() of C code, which no outcome of vm_run tells of. */
static void on_exit_of_process(void) {
    struct mp_units *u = listening();
    if (u != NULL) write_last(u);
}

void mp_units_listen(struct mp_units *u) {
    struct mp_units *nobody = NULL;
    if (!atomic_compare_exchange_strong(&ending, &nobody, u)) return;
    mp_deadly_handle(on_deadly_signal);
    atexit(on_exit_of_process);
}

void mp_units_deafen(struct mp_units *u) {
    if (u->timer_runs) {
        timer_delete(u->timer);
        u->timer_runs = false;
        signal(SIGPROF, SIG_IGN); /* a tick may be pending */
        signal(SIGPROF, SIG_DFL);
    }
    if (atomic_load(&ending) != u) return;
    mp_stop_handling(UINT64_MAX, on_deadly_signal);
    atomic_store(&ending, NULL);
}

/* ---- Ticks. ---- */

static void keep_for_stack(struct mp_units *u, uint32_t place, uint32_t ticks, bool gc) {
    unsigned n = u->pending_count;
    if (n == PENDING_TICKS) u->pending[n - 1].ticks += ticks; /* no poll for so long: still there */
    else {
        u->pending[n] = (struct mp_units_tick){place, ticks, gc};
        u->pending_count = n + 1;
    }
    gc_request_action(&u->d->gc);
}

static void on_tick(int number, siginfo_t *info, void *context) {
    if (info->si_code != SI_TIMER) { /* somebody sent it */
        on_deadly_signal(number);
        return;
    }
    int saved = errno;
    struct mp_units *u = info->si_value.sival_ptr;
    struct mp_unit *unit = u->current;
    uint32_t ticks = 1 + (info->si_overrun > 0 ? (uint32_t)info->si_overrun : 0);
    uint32_t place = *(volatile uint32_t *)&u->d->place;
    bool gc = u->collecting > 0;
    if (gc) unit->total_gc += ticks;
    else {
        uint32_t source = mp_source_of_place(place);
        unit->own[source < u->source_count ? source : SOURCE_UNKNOWN] += ticks;
        unit->total += ticks;
    }
    if (u->stacks) keep_for_stack(u, place, ticks, gc);
    errno = saved;
}

void mp_units_hold_ticks(sigset_t *before) {
    sigset_t ticks;
    sigemptyset(&ticks);
    sigaddset(&ticks, SIGPROF);
    pthread_sigmask(SIG_BLOCK, &ticks, before);
}

void mp_units_release_ticks(const sigset_t *before) { pthread_sigmask(SIG_SETMASK, before, NULL); }

bool mp_units_start_ticks(struct mp_units *u) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF};
    struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART};
    const struct itimerspec every = {{0, TICK_NS}, {0, TICK_NS}};
    event.sigev_value.sival_ptr = u;
    sigemptyset(&action.sa_mask);
    if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &u->timer) != 0) return false;
    u->timer_runs = true;
    return sigaction(SIGPROF, &action, NULL) == 0 && timer_settime(u->timer, 0, &every, NULL) == 0;
}
