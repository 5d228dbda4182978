/* ticks.c - which functions use CPU time: a thread waits for a timer on the clock of the
 * process's CPU time and notes a tick every 10 ms; the machine's next poll takes the call stack.
 *
 * A signal of the process would interrupt the program's system calls, and could be one that it
 * handles. The timer's is sent to the thread alone, which blocks all signals and waits for this one
 * (pthread_cancel needs memory when it is first called). The thread touches nothing but the atomic
 * words of struct mp_ticker and those that request a poll. If it can't be created there are no
 * ticks. */
#include "memprof/recorder/recorder_internal.h"
#include "vm/state/domain.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

/* sigwait also takes what is sent to the process, so programs must not use this signal: one beside
 * that of requests (memprof/attach/protocol.h). */
enum { STACK_BYTES = 1 << 18, TICK_SIGNAL = 63 };

/* Ticks of the recorder's own work are left out. */
static void note(struct mp_recorder *r, uint32_t ticks) {
    struct mp_ticker *t = &r->ticker;
    if (r->in_section) return;
    atomic_fetch_add(t->in_pause ? &t->collecting : &t->running, ticks);
    gc_request_action(&r->d->gc);
}

/* A timer that sends TICK_SIGNAL to this thread. */
static bool start_timer(timer_t *timer) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = TICK_SIGNAL};
    const struct itimerspec every = {{0, MP_TICK_NS}, {0, MP_TICK_NS}};
    event._sigev_un._tid = gettid();
    if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, timer) != 0) return false;
    if (timer_settime(*timer, 0, &every, NULL) == 0) return true;
    timer_delete(*timer);
    return false;
}

static void *take_ticks(void *context) {
    struct mp_recorder *r = context;
    uint64_t next = mp_process_ns() + MP_TICK_NS;
    timer_t timer;
    sigset_t one;
    int number;
    sigemptyset(&one);
    sigaddset(&one, TICK_SIGNAL);
    if (!start_timer(&timer)) return NULL;
    while (sigwait(&one, &number) == 0 && !r->ticker.ends) {
        uint64_t now = mp_process_ns();
        if (now < next) continue;
        uint64_t ticks = 1 + (now - next) / MP_TICK_NS;
        next += ticks * MP_TICK_NS;
        note(r, (uint32_t)ticks);
    }
    timer_delete(timer);
    return NULL;
}

void mp_ticker_start(struct mp_recorder *r) {
    sigset_t all, before;
    pthread_attr_t attributes;
    sigfillset(&all);
    if (pthread_attr_init(&attributes) != 0) return;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    r->ticker.ends = false;
    r->ticker.runs = pthread_create(&r->ticker.thread, &attributes, take_ticks, r) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

void mp_ticker_forget(struct mp_recorder *r) { r->ticker = (struct mp_ticker){.runs = false}; }

void mp_ticker_stop(struct mp_recorder *r) {
    if (*r->own_process == 0) mp_ticker_forget(r); /* a child process has no such thread */
    if (!r->ticker.runs) return;
    r->ticker.ends = true;
    pthread_kill(r->ticker.thread, TICK_SIGNAL);
    pthread_join(r->ticker.thread, NULL);
    r->ticker.runs = false;
}

void mp_ticks_write(struct mp_recorder *r) {
    struct mp_ticker *t = &r->ticker;
    struct mp_record_ticks record = {.running = atomic_exchange(&t->running, 0),
                                     .collecting = atomic_exchange(&t->collecting, 0)};
    if (record.running == 0 && record.collecting == 0) return;
    if (!mp_recorder_enter(r)) return;
    if (record.running > 0) record.stack = mp_intern_stack(r).node;
    record.elapsed = mp_recorder_elapsed(r);
    mp_write_ticks(r->writer, &record);
    mp_recorder_leave(r, 1);
}
