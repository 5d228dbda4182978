/* watchdog.c - --timeout: a thread that stops the machine at a deadline. It blocks all signals,
 * which are the program's. */
#include "gc/assert.h"
#include "vm/cli/cli.h"
#include "vm/stack/limits.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct cli_watchdog {
    struct vm *vm;
    const char *shown;
    double seconds;
    pthread_t thread;
    sem_t ended; /* posted when the program has ended */
};

/* Waits until the program has ended (true) or the time is over. */
static bool ends_within(struct cli_watchdog *dog, double seconds) {
    uint64_t deadline_ns = cli_now_ns() + (uint64_t)(seconds * 1e9);
    struct timespec deadline = {(time_t)(deadline_ns / 1000000000),
                                (long)(deadline_ns % 1000000000)};
    int result;
    do result = sem_clockwait(&dog->ended, CLOCK_MONOTONIC, &deadline);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

static void *watch(void *context) {
    enum { TRIES = 100 };
    const double pause = 0.01, ending = 60;
    struct cli_watchdog *dog = context;
    bool ended = ends_within(dog, dog->seconds);
    /* The machine may lose a request that arrives while it handles another: repeat it. Each time it
     * gets the pause to react, even if the whole process was suspended at the deadline. */
    for (int i = 0; !ended && i < TRIES; i++) {
        vm_request_stop(dog->vm, STOP_TIME);
        ended = ends_within(dog, pause);
    }
    /* It has stopped: it still has to close recordings, flush and report. */
    if (!ended && dog->vm->limits.stopped != STOP_NONE) ended = ends_within(dog, ending);
    if (!ended)
        _exit(cli_fail(VM_STATUS_STOPPED, dog->shown,
                       "stopped by --timeout inside a primitive; unflushed output is lost"));
    return NULL;
}

static bool create_thread(struct cli_watchdog *dog) {
    sigset_t all, before;
    sigfillset(&all);
    sem_init(&dog->ended, 0, 0);
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
        *dog = (struct cli_watchdog){.vm = vm, .shown = shown, .seconds = seconds};
        if (create_thread(dog)) return dog;
    }
    free(dog);
    *failed = true;
    cli_fail(STATUS_REFUSED, shown, "the thread for --timeout could not be created");
    return NULL;
}

void cli_watchdog_stop(struct cli_watchdog *dog) {
    if (dog == NULL) return;
    sem_post(&dog->ended);
    pthread_join(dog->thread, NULL);
    sem_destroy(&dog->ended);
    free(dog);
}
