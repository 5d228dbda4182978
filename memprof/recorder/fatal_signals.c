/* fatal_signals.c - signals that end a process, for who must save something first. */
#include "memprof/recorder/fatal_signals.h"

#include <signal.h>

static const int deadly[] = {SIGHUP,    SIGINT,  SIGTERM, SIGPIPE, SIGALRM,
                             SIGVTALRM, SIGPROF, SIGUSR2, SIGXCPU};
enum { DEADLY_COUNT = sizeof deadly / sizeof deadly[0], SIGNALS = 64 };

static uint64_t bit_of(int number) { return (uint64_t)1 << (number - 1); }

uint64_t mp_handle_signal(int number, void (*handler)(int)) {
    struct sigaction old, new = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&new.sa_mask);
    if (sigaction(number, NULL, &old) != 0 || old.sa_handler != SIG_DFL) return 0;
    return sigaction(number, &new, NULL) == 0 ? bit_of(number) : 0;
}

uint64_t mp_fatal_signals_handle(void (*handler)(int)) {
    uint64_t bits = 0;
    for (int i = 0; i < DEADLY_COUNT; i++) bits |= mp_handle_signal(deadly[i], handler);
    return bits;
}

void mp_stop_handling(uint64_t bits, void (*handler)(int)) {
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
