/* domains.h - the domains of OCaml 5. They take turns like threads: a domain is a record, to which
 * its threads point, and the thread that runs its body.
 *
 *   spawn: record, thread --> body --> result stored, condition broadcast, mutex locked
 *                                          |
 *                  all threads of the domain have ended --> mutex released, record freed
 *
 * Domain.join waits for the result with the mutex locked, so it returns when all is over. Programs
 * of 4.x have the first domain only. */
#ifndef BACTRIAN_VM_THREAD_DOMAINS_H
#define BACTRIAN_VM_THREAD_DOMAINS_H

#include "vm/state/domain.h"

struct vm;

/* The record of the machine's first domain, and the end of all records, when no thread runs.
 * GC: never. */
void vm_domains_create(struct domain *d);
void vm_domains_destroy(struct vm *vm);

/* Runs closure (on unit) in a new domain, whose id is returned. sync is what the version's Domain
 * waits with: the mutable record {state; mutex; condition}, whose state becomes Finished (Ok v) or
 * Finished (Error exn), or a mutex, which the closure locks before it returns. Fails: raises
 * Failure, Invalid_argument, Out_of_memory. GC: may run. */
intptr_t vm_domain_spawn(struct domain *d, value closure, value sync);
/* Whether the program has ever spawned a domain. GC: never. */
bool vm_domain_was_spawned(const struct vm *vm);
/* How many domains there may be at a time. GC: never. */
size_t vm_max_domains(const struct vm *vm);
/* The number of processors that the process may use, within the maximum of domains. GC: never. */
size_t vm_domain_recommended_count(const struct vm *vm);

/* ---- For the machine's threads. ---- */

/* Tells the library of primitives that the running domain begins or ends. GC: never. */
void vm_domain_changed(struct domain *d, bool begins);
/* The body of the running thread's domain returned: all that follows but the end of the thread.
 * GC: may run. */
void vm_domain_end(struct domain *d, value result);
/* A thread of that domain has ended. Needs: d may have no context. GC: never. */
void vm_domain_thread_ended(struct domain *d, struct vm_domain_record *record);

#endif
