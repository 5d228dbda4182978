/* pending.h - pending actions: signal handlers, a profiler's callbacks, finalisers, GC work, a
 * yield.
 *
 * gc_request_action makes the next poll (function call, loop iteration, allocation) run them; the
 * fast path tests nothing else.
 *
 * Then: C code that waits for the system, or computes long, without the runtime lock.
 *
 * BL1  Between vm_enter_blocking and vm_leave_blocking the calling thread touches neither the heap
 *      nor the machine's state: another thread of the program may run, and collect. */
#ifndef BACTRIAN_VM_THREAD_PENDING_H
#define BACTRIAN_VM_THREAD_PENDING_H

#include "gc/value.h"

struct domain;

/* Runs all pending actions. Returns VAL_UNIT, or the exception of one as exn_result (the others
 * stay pending). GC: may run, and any OCaml code. */
value vm_process_pending_exn(struct domain *d);
/* The same, raising. */
void vm_process_pending(struct domain *d);
/* The same if an action was requested; returns v, a root meanwhile. For the end of primitives that
 * poll in ocamlrun, so that a profiler's callbacks for the new block v run at once. */
value vm_poll_keeping(struct domain *d, value v);
/* Runs finalisers until none is left (Gc.full_major, between its cycles). As above. */
value vm_run_finalisers_exn(struct domain *d);
/* Allows other finalisers to run before the running one returns (Gc.finalise_release).
 * GC: never. */
void vm_release_finalisers(struct domain *d);

/* Releases the runtime lock; errno is kept. The caller handles signals that arrived before. Does
 * nothing in a machine without threads. Needs: the caller holds the lock. GC: never in this
 * thread. */
void vm_enter_blocking(struct domain *d);
/* Acquires the runtime lock again; errno is kept. Handlers of signals that arrived meanwhile run at
 * the next safe point. Needs: the calling thread is one of the machine's (vm/thread/thread.h).
 * Fails: does not return if another thread ended the program. GC: never in this thread. */
void vm_leave_blocking(struct domain *d);

#endif
