/* fatal_signals.c - see fatal_signals.h. */
#include "memprof/recorder/fatal_signals.h"

#include "gc/assert.h"

#include <signal.h>

static const int fatal[] = {SIGHUP,    SIGINT,  SIGTERM, SIGPIPE, SIGALRM,
                            SIGVTALRM, SIGPROF, SIGUSR2, SIGXCPU};
enum { FATAL_COUNT = sizeof fatal / sizeof fatal[0], SIGNALS = 64 };

static uint64_t bit_of(int number) {
    ASSERT(number > 0 && number <= SIGNALS);
    return (uint64_t)1 << (number - 1);
}

uint64_t mp_handle_signal(int number, void (*handler)(int)) {
    struct sigaction old, new = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&new.sa_mask);
    if (sigaction(number, NULL, &old) != 0 || old.sa_handler != SIG_DFL) return 0;
    return sigaction(number, &new, NULL) == 0 ? bit_of(number) : 0;
}

uint64_t mp_handle_fatal_signals(void (*handler)(int)) {
    uint64_t bits = 0;
    for (int i = 0; i < FATAL_COUNT; i++) bits |= mp_handle_signal(fatal[i], handler);
    return bits;
}

void mp_restore_signals(uint64_t bits, void (*handler)(int)) {
    struct sigaction old;
    for (int number = 1; number <= SIGNALS; number++)
        if ((bits & bit_of(number)) != 0 && sigaction(number, NULL, &old) == 0 &&
            old.sa_handler == handler)
            signal(number, SIG_DFL);
}

void mp_die_of(int number) {
    sigset_t set;
    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    raise(number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
