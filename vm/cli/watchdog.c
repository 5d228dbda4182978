/* watchdog.c - --timeout: a thread that stops the machine at a deadline. It blocks all signals,
 * which are the program's. */
#include "gc/assert.h"
#include "vm/cli/cli.h"
#include "vm/stack/limits.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct cli_watchdog {
    struct vm *vm;
    const char *shown;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t over;
    bool is_over; /* under the lock */
    struct timespec deadline;
};

static struct timespec from_now(double seconds) {
    struct timespec t;
    time_t whole = (time_t)seconds;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += whole;
    t.tv_nsec += (long)((seconds - (double)whole) * 1e9);
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    return t;
}

/* Waits until the program has ended (true) or the time has come. Needs: the lock. */
static bool over_by(struct cli_watchdog *dog, const struct timespec *time) {
    while (!dog->is_over)
        if (pthread_cond_timedwait(&dog->over, &dog->lock, time) == ETIMEDOUT) break;
    return dog->is_over;
}

static void *watch(void *context) {
    enum { TRIES = 100 };
    const double pause = 0.01, ending = 60;
    struct cli_watchdog *dog = context;
    pthread_mutex_lock(&dog->lock);
    bool over = over_by(dog, &dog->deadline);
    /* The machine may lose a request that arrives while it handles another: repeat it. Each time it
     * gets the pause to react, even if the whole process was suspended at the deadline. */
    for (int i = 0; !over && i < TRIES; i++) {
        vm_request_stop(dog->vm, STOP_TIME);
        struct timespec next = from_now(pause);
        over = over_by(dog, &next);
    }
    /* It has stopped: it still has to close recordings, flush and report. */
    if (!over && dog->vm->limits.stopped != STOP_NONE) {
        struct timespec last = from_now(ending);
        over = over_by(dog, &last);
    }
    pthread_mutex_unlock(&dog->lock);
    if (!over)
        _exit(cli_fail(VM_STATUS_STOPPED, dog->shown,
                       "stopped by --timeout inside a primitive; unflushed output is lost"));
    return NULL;
}

static bool create_thread(struct cli_watchdog *dog) {
    sigset_t all, before;
    pthread_condattr_t clock;
    sigfillset(&all);
    pthread_mutex_init(&dog->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&dog->over, &clock);
    pthread_condattr_destroy(&clock);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&dog->thread, NULL, watch, dog);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error == 0;
}

struct cli_watchdog *cli_watchdog_start(struct vm *vm, const char *shown, double seconds,
                                        bool *failed) {
    *failed = false;
    if (seconds == 0) return NULL;
    ASSERT(seconds > 0);
    struct cli_watchdog *dog = calloc(1, sizeof *dog);
    if (dog != NULL) {
        dog->vm = vm;
        dog->shown = shown;
        dog->deadline = from_now(seconds);
        if (create_thread(dog)) return dog;
    }
    free(dog);
    *failed = true;
    cli_fail(STATUS_REFUSED, shown, "the thread for --timeout could not be created");
    return NULL;
}

void cli_watchdog_stop(struct cli_watchdog *dog) {
    if (dog == NULL) return;
    pthread_mutex_lock(&dog->lock);
    dog->is_over = true;
    pthread_cond_signal(&dog->over);
    pthread_mutex_unlock(&dog->lock);
    pthread_join(dog->thread, NULL);
    pthread_cond_destroy(&dog->over);
    pthread_mutex_destroy(&dog->lock);
    free(dog);
}
