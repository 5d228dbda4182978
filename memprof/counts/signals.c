/* signals.c - ticks of the CPU clock, and signals that end the process (memprof/counts/counts.h).
 *
 * A tick is counted by its handler, which finds the counts in the timer's value. Its share of the
 * stack waits for the machine's next poll, since a handler can't walk the stack. A handler that
 * finds the lock taken (MU4), by the machine or another handler, leaves its work to the unlocking
 * thread.
 *
 * Handlers of fatal signals receive only the signal's number, so the counts that they write are
 * found by a file-scope word (`signal_counts`, named in vm/README.md). */
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

static struct mp_counts *_Atomic signal_counts;

/* ---- Ticks. ---- */

/* If there was no poll for PENDING_TICKS entries, the last one takes further ticks. */
static void keep_for_stack(struct mp_counts *c, uint32_t function, uint32_t ticks, bool gc) {
    unsigned n = c->pending_count;
    if (n == PENDING_TICKS) c->pending[n - 1].ticks += ticks;
    else {
        c->pending[n] = (struct mp_counts_tick){function, ticks, gc};
        c->pending_count = n + 1;
    }
    gc_request_action(&c->d->gc);
}

/* Counts ticks, among them those that came while the lock was taken. */
static void count_late_ticks(struct mp_counts *c) {
    uint32_t ticks = atomic_exchange(&c->late_ticks, 0);
    if (ticks == 0) return;
    struct mp_count_set *set = c->current;
    uint32_t function = *(volatile uint32_t *)&c->d->function_id;
    bool gc = c->collecting > 0;
    if (gc) set->total_gc += ticks;
    else {
        set->own[mp_known_source(c, function)] += ticks;
        set->total += ticks;
    }
    if (c->stacks) keep_for_stack(c, function, ticks, gc);
}

/* ---- The end. ---- */

static void die(struct mp_counts *c, int number) {
    mp_counts_credit_ticks(c);
    mp_counts_write(c, c->current, c->path);
    mp_die_of(number);
}

/* ---- The lock (MU4). ---- */

/* Bits of mp_counts.lock; above them is the signal that ends the process. */
enum { TAKEN = 1, CHANGING = 2, SIGNAL_SHIFT = 2 };

static bool try_lock(struct mp_counts *c, unsigned bits) {
    unsigned unlocked = 0;
    return atomic_compare_exchange_strong(&c->lock, &unlocked, bits);
}

/* Does not return if the process is ending. */
static void wait_for_lock(struct mp_counts *c, unsigned bits) {
    while (!try_lock(c, bits)) {
        if (c->pid == getpid()) sched_yield();
        else atomic_store(&c->lock, 0); /* a thread of the parent has it */
    }
}

/* Returns the signal that is to end the process, or 0. */
static unsigned unlock(struct mp_counts *c) {
    ASSERT((c->lock & TAKEN) != 0);
    return atomic_fetch_and(&c->lock, ~(unsigned)(TAKEN | CHANGING)) >> SIGNAL_SHIFT;
}

void mp_counts_lock(struct mp_counts *c) { wait_for_lock(c, TAKEN | CHANGING); }

void mp_counts_unlock(struct mp_counts *c) {
    ASSERT((c->lock & CHANGING) != 0);
    count_late_ticks(c);
    unsigned number = unlock(c);
    if (number != 0) die(c, (int)number);
}

void mp_counts_lock_for_reading(struct mp_counts *c) { wait_for_lock(c, TAKEN); }

void mp_counts_unlock_after_reading(struct mp_counts *c) {
    if (unlock(c) != 0)
        wait_for_lock(c, TAKEN); /* another thread writes the file and ends the process */
}

/* ---- Fatal signals. ---- */

/* The counts that handlers serve; NULL in a child process (MU3). */
static struct mp_counts *counts_of_process(void) {
    struct mp_counts *c = atomic_load(&signal_counts);
    return c == NULL || c->pid != getpid() ? NULL : c;
}

/* If the lock is taken for a change, the unlocking ends the process. Later signals do nothing. */
static void on_fatal_signal(int number) {
    struct mp_counts *c = counts_of_process();
    if (c == NULL) {
        mp_die_of(number);
        return;
    }
    unsigned lock = atomic_load(&c->lock);
    do
        if (lock >> SIGNAL_SHIFT != 0) return;
    while (!atomic_compare_exchange_weak(&c->lock, &lock, lock | (unsigned)number << SIGNAL_SHIFT));
    if ((lock & CHANGING) == 0) die(c, number);
}

/* exit() in C code, after which vm_run does not return. It may come from a signal handler of that
 * code, in the middle of a change. */
static void on_exit_of_process(void) {
    struct mp_counts *c = counts_of_process();
    if (c == NULL) return;
    bool alone = try_lock(c, TAKEN);
    mp_counts_write(c, c->current, c->path);
    if (alone) mp_counts_unlock_after_reading(c);
}

void mp_counts_handle_signals(struct mp_counts *c) {
    struct mp_counts *nobody = NULL;
    if (!atomic_compare_exchange_strong(&signal_counts, &nobody, c)) return;
    mp_handle_fatal_signals(on_fatal_signal);
    atexit(on_exit_of_process);
}

void mp_counts_restore_signals(struct mp_counts *c) {
    if (c->timer_runs) {
        timer_delete(c->timer);
        c->timer_runs = false;
        signal(SIGPROF, SIG_IGN); /* drops a pending tick */
        signal(SIGPROF, SIG_DFL);
    }
    if (atomic_load(&signal_counts) != c) return;
    mp_restore_signals(UINT64_MAX, on_fatal_signal);
    atomic_store(&signal_counts, NULL);
}

/* ---- The timer. ---- */

static void on_tick(int number, siginfo_t *info, void *context) {
    if (info->si_code != SI_TIMER) { /* not of the timer */
        on_fatal_signal(number);
        return;
    }
    int saved = errno;
    struct mp_counts *c = info->si_value.sival_ptr;
    atomic_fetch_add(&c->late_ticks, 1 + (info->si_overrun > 0 ? (uint32_t)info->si_overrun : 0));
    if (try_lock(c, TAKEN | CHANGING)) mp_counts_unlock(c);
    errno = saved;
}

bool mp_counts_start_ticks(struct mp_counts *c) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF};
    struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART};
    const struct itimerspec every = {{0, TICK_NS}, {0, TICK_NS}};
    event.sigev_value.sival_ptr = c;
    sigemptyset(&action.sa_mask);
    if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &c->timer) != 0) return false;
    c->timer_runs = true;
    return sigaction(SIGPROF, &action, NULL) == 0 && timer_settime(c->timer, 0, &every, NULL) == 0;
}
