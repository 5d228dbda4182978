/* fatal_signals.h - handlers of the signals that end a process, for a file to be closed first. */
#ifndef BACTRIAN_MEMPROF_RECORDER_FATAL_SIGNALS_H
#define BACTRIAN_MEMPROF_RECORDER_FATAL_SIGNALS_H

#include <stdint.h>

/* Installs a handler (with SA_RESTART) for each signal that ends a process, except faults, where
 * the disposition is the default. Returns a bit for each that was installed. */
uint64_t mp_handle_fatal_signals(void (*handler)(int));
/* The same for one signal; its bit, or 0. */
uint64_t mp_handle_signal(int number, void (*handler)(int));
/* Restores the default disposition of those of the bits that still have the handler. */
void mp_restore_signals(uint64_t bits, void (*handler)(int));
/* Ends the process by the signal, within its handler or not. Async-signal-safe. */
void mp_die_of(int number);

#endif
