/* attach.h - requests of other processes to this one: to record it, to stop, to take a snapshot. */
#ifndef BACTRIAN_MEMPROF_ATTACH_ATTACH_H
#define BACTRIAN_MEMPROF_ATTACH_ATTACH_H

struct vm;

/* From now on requests for a loaded machine are served at its polls. Installs a signal handler if
 * the signal's disposition is the default, and does nothing else. A process has one such machine.
 * GC: never. */
void mp_attach_listen(struct vm *vm);
/* The program has ended, and its recording too: nothing more is served. GC: never. */
void mp_attach_end(struct vm *vm);

#endif
