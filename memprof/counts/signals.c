/* signals.c - ticks of the CPU clock, and signals that end the process (memprof/counts/counts.h).
 *
 * A tick is counted in its handler, which finds the units in the timer's own value; what it means
 * for the stack waits for the machine's next poll, since the handler can't walk it. A handler
 * that comes in the machine's turn (MU4), or in another handler's, leaves its work to that turn's
 * end.
 *
 * Handlers of deadly signals have nothing but the number, so the units that they serve are a
 * file-scope word (`ending`, named in vm/README.md). */
#include "memprof/counts/counts_internal.h"
#include "memprof/recorder/fatal_signals.h"
#include "vm/state/domain.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { TICK_NS = 10000000 };

static struct mp_counts *_Atomic ending;

/* ---- Ticks. ---- */

static void keep_for_stack(struct mp_counts *u, uint32_t place, uint32_t ticks, bool gc) {
    unsigned n = u->pending_count;
    if (n == PENDING_TICKS) u->pending[n - 1].ticks += ticks; /* no poll for so long: still there */
    else {
        u->pending[n] = (struct mp_counts_tick){place, ticks, gc};
        u->pending_count = n + 1;
    }
    gc_request_action(&u->d->gc);
}

/* Ticks are late if it was not their turn when they came. */
static void count_late_ticks(struct mp_counts *u) {
    uint32_t ticks = atomic_exchange(&u->late_ticks, 0);
    if (ticks == 0) return;
    struct mp_unit *unit = u->current;
    uint32_t place = *(volatile uint32_t *)&u->d->function_id;
    bool gc = u->collecting > 0;
    if (gc) unit->total_gc += ticks;
    else {
        uint32_t source = mp_source_of_place(place);
        unit->own[source < u->source_count ? source : SOURCE_UNKNOWN] += ticks;
        unit->total += ticks;
    }
    if (u->stacks) keep_for_stack(u, place, ticks, gc);
}

/* ---- The end. ---- */

static int write_last(struct mp_counts *u) {
    return mp_counts_write(u, u->current, u->path, u->sources_path);
}

static void die(struct mp_counts *u, int number) {
    mp_counts_settle(u);
    write_last(u);
    mp_die_of(number);
}

/* ---- Taking turns (MU4). ---- */

/* Bits of mp_counts.turn; above them is the signal that the process dies of. */
enum { TAKEN = 1, CHANGING = 2, SIGNAL_SHIFT = 2 };

static bool try_turn(struct mp_counts *u, unsigned bits) {
    unsigned nobody = 0;
    return atomic_compare_exchange_strong(&u->turn, &nobody, bits);
}

/* For ever, if the process is dying. */
static void wait_for_turn(struct mp_counts *u, unsigned bits) {
    while (!try_turn(u, bits)) {
        if (u->pid == getpid()) sched_yield();
        else atomic_store(&u->turn, 0); /* it is a thread's of the parent */
    }
}

/* Returns the signal to die of, or 0. */
static unsigned end_turn(struct mp_counts *u) {
    return atomic_fetch_and(&u->turn, ~(unsigned)(TAKEN | CHANGING)) >> SIGNAL_SHIFT;
}

void mp_counts_begin(struct mp_counts *u) { wait_for_turn(u, TAKEN | CHANGING); }

void mp_counts_end(struct mp_counts *u) {
    count_late_ticks(u);
    unsigned number = end_turn(u);
    if (number != 0) die(u, (int)number);
}

void mp_counts_begin_reading(struct mp_counts *u) { wait_for_turn(u, TAKEN); }

void mp_counts_end_reading(struct mp_counts *u) {
    if (end_turn(u) != 0) wait_for_turn(u, TAKEN); /* another thread writes the file and dies */
}

/* ---- Deadly signals. ---- */

/* MU3 */
static struct mp_counts *listening(void) {
    struct mp_counts *u = atomic_load(&ending);
    return u == NULL || u->pid != getpid() ? NULL : u;
}

/* Leaves the end to the one whose turn it is; after the first signal there is nothing to do. */
static void on_deadly_signal(int number) {
    struct mp_counts *u = listening();
    if (u == NULL) {
        mp_die_of(number);
        return;
    }
    unsigned turn = atomic_load(&u->turn);
    do
        if (turn >> SIGNAL_SHIFT != 0) return;
    while (!atomic_compare_exchange_weak(&u->turn, &turn, turn | (unsigned)number << SIGNAL_SHIFT));
    if ((turn & CHANGING) == 0) die(u, number);
}

/* exit() of C code, which no outcome of vm_run tells of. It may come from a handler of that code's
 * own, in the middle of a change. */
static void on_exit_of_process(void) {
    struct mp_counts *u = listening();
    if (u == NULL) return;
    bool alone = try_turn(u, TAKEN);
    write_last(u);
    if (alone) mp_counts_end_reading(u);
}

void mp_counts_listen(struct mp_counts *u) {
    struct mp_counts *nobody = NULL;
    if (!atomic_compare_exchange_strong(&ending, &nobody, u)) return;
    mp_fatal_signals_handle(on_deadly_signal);
    atexit(on_exit_of_process);
}

void mp_counts_deafen(struct mp_counts *u) {
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

/* ---- The timer. ---- */

static void on_tick(int number, siginfo_t *info, void *context) {
    if (info->si_code != SI_TIMER) { /* somebody sent it */
        on_deadly_signal(number);
        return;
    }
    int saved = errno;
    struct mp_counts *u = info->si_value.sival_ptr;
    atomic_fetch_add(&u->late_ticks, 1 + (info->si_overrun > 0 ? (uint32_t)info->si_overrun : 0));
    if (try_turn(u, TAKEN | CHANGING)) mp_counts_end(u);
    errno = saved;
}

bool mp_counts_start_ticks(struct mp_counts *u) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF};
    struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART};
    const struct itimerspec every = {{0, TICK_NS}, {0, TICK_NS}};
    event.sigev_value.sival_ptr = u;
    sigemptyset(&action.sa_mask);
    if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &u->timer) != 0) return false;
    u->timer_runs = true;
    return sigaction(SIGPROF, &action, NULL) == 0 && timer_settime(u->timer, 0, &every, NULL) == 0;
}
