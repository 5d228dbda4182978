/* fatal_signals.h - signals that end a process, for who must save something first. */
#ifndef BACTRIAN_MEMPROF_RECORDER_FATAL_SIGNALS_H
#define BACTRIAN_MEMPROF_RECORDER_FATAL_SIGNALS_H

#include <stdint.h>

/* Gives those that end a process, but are no faults, a handler (with SA_RESTART) where their
 * disposition is the default one. Returns a bit for each that was given one. */
uint64_t mp_fatal_signals_handle(void (*handler)(int));
/* The same for one signal; returns its bit, or 0. */
uint64_t mp_handle_signal(int number, void (*handler)(int));
/* Gives the default disposition back to those of the bits that still have the handler. */
void mp_stop_handling(uint64_t bits, void (*handler)(int));
/* Ends the process by the signal, from its handler or outside of one. Async-signal-safe. */
void mp_die_of(int number);

#endif
