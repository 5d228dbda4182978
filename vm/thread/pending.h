/* pending.h - what waits for a safe point: signals, a profiler's callbacks, finalisers, due GC
 * work.
 *
 * Whoever makes something due calls gc_request_action; the machine then comes here from its next
 * poll (function call, loop iteration, allocation). D8: nothing else is tested on the fast path. */
#ifndef BACTRIAN_VM_THREAD_PENDING_H
#define BACTRIAN_VM_THREAD_PENDING_H

#include "gc/value.h"

struct domain;

/* Runs everything that is due. Returns VAL_UNIT, or an exception as exn_result (the rest stays
 * due). GC: may run, and any OCaml code. */
value vm_process_pending_exn(struct domain *d);
/* The same, raising. */
void vm_process_pending(struct domain *d);
/* The same, if anything is asked for at all, keeping v, which it returns: at the end of primitives
 * that OCaml has poll, so that a profiler's callbacks for the new block v run at once. */
value vm_poll_keeping(struct domain *d, value v);
/* Runs due finalisers until none is left (Gc.full_major between its cycles). As above. */
value vm_run_finalisers_exn(struct domain *d);
/* Lets other finalisers run although one has not returned yet (Gc.finalise_release). GC: never. */
void vm_release_finalisers(struct domain *d);

#endif
