/* pending.h - pending actions: signal handlers, a profiler's callbacks, finalisers, GC work, a
 * yield.
 *
 * gc_request_action makes the next poll (function call, loop iteration, allocation) run them; the
 * fast path tests nothing else. */
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

#endif
