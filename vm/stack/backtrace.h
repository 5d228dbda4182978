/* backtrace.h - where an exception came from, as a list of places in the code.
 *
 * A backtrace is a list of global pcs, the raise first, then the return points of the calls that
 * the exception left, innermost first. What is recorded is what OCaml's machine records, which
 * looks at stack words and so also finds the return points of calls whose arguments are still
 * being computed.
 *
 * BT1  count <= VM_BACKTRACE_LIMIT; last_exn is a root. */
#ifndef BACTRIAN_VM_STACK_BACKTRACE_H
#define BACTRIAN_VM_STACK_BACKTRACE_H

#include "gc/value.h"

#include <stdio.h>

enum { VM_BACKTRACE_LIMIT = 1024 };

struct domain;
struct vm;
struct vm_backtrace {
    size_t count;   /* vm_backtrace_count tells whether a stub has emptied it */
    value last_exn; /* the exception that was recorded last, or VAL_UNIT */
    uint64_t gpcs[VM_BACKTRACE_LIMIT];
};

/* An empty backtrace for a new domain, whose heap exists. NULL: no memory. GC: never. */
struct vm_backtrace *vm_backtrace_create(struct domain *d);
/* Frees it, heap and root included: the heap may be gone already. GC: never. */
void vm_backtrace_destroy(struct domain *d);

/* Records a raise of exn: the frames from sp (S2) to the innermost trap frame. A first raise, or
 * one of another exception, begins a new backtrace; a reraise continues it. GC: never. */
void vm_backtrace_record(struct domain *d, value exn, bool reraise);
/* Records the places of all active calls, for a run that ends here (S2). GC: never. */
void vm_backtrace_record_stop(struct domain *d);
/* Turns recording on or off; a change empties the backtrace. GC: never. */
void vm_backtrace_set_active(struct domain *d, bool active);
/* Makes n places (of which the first VM_BACKTRACE_LIMIT count) the backtrace of exn. GC: never. */
void vm_backtrace_restore(struct domain *d, value exn, const uint64_t *gpcs, size_t n);

/* How many places the backtrace has. GC: never. */
size_t vm_backtrace_count(struct domain *d);
/* Shows the backtrace to C stubs, in Caml_state: after a change of threads. GC: never. */
void vm_backtrace_publish(struct domain *d);

/* Hands the places of the active calls, innermost first, to visit until it has got limit of them;
 * returns how many it got. Trap frames are left out. GC: never. */
size_t vm_backtrace_walk(struct domain *d, size_t limit, void (*visit)(void *context, uint64_t gpc),
                         void *context);

/* Whether the instruction at gpc raises (or reraises): such a place is one of "Raised at". */
bool vm_backtrace_is_raise(struct vm *vm, uint64_t gpc);
/* Prints the backtrace as ocamlrun does; stopped: it tells where a limit ended the run
 * (vm/stack/limits.h), not where an exception came from. GC: never. */
void vm_backtrace_print(struct domain *d, bool stopped, FILE *out);

#endif
