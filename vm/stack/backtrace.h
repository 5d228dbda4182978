/* backtrace.h - the backtrace of an exception.
 *
 * A backtrace is a list of global pcs: the raise first, then the return points of the calls that
 * the exception left, innermost first. It has the entries that ocamlrun records: as ocamlrun scans
 * the words of the stack, it also finds the return points of calls whose arguments are still being
 * computed.
 *
 * BT1  count <= VM_BACKTRACE_LIMIT; last_exn is a root. */
#ifndef BACTRIAN_VM_STACK_BACKTRACE_H
#define BACTRIAN_VM_STACK_BACKTRACE_H

#include "gc/value.h"

#include <stdio.h>

enum { VM_BACKTRACE_LIMIT = 1024 };

struct domain;
struct vm;
struct vm_fiber;
struct vm_backtrace {
    size_t count;   /* read it by vm_backtrace_count: a stub may have emptied it */
    value last_exn; /* the exception that was recorded last, or VAL_UNIT */
    bool division;  /* vm_backtrace_note_division was called since the last record */
    uint64_t gpcs[VM_BACKTRACE_LIMIT];
};

/* An empty backtrace. Needs: the heap exists. NULL: out of memory. GC: never. */
struct vm_backtrace *vm_backtrace_create(struct domain *d);
/* Frees it and its root. The heap may have been destroyed already. GC: never. */
void vm_backtrace_destroy(struct domain *d);

/* Records a raise of exn: the frames from sp (S2) to the innermost trap frame. A first raise, or
 * one of another exception, begins a new backtrace; a reraise continues it. GC: never. */
void vm_backtrace_record(struct domain *d, value exn, bool reraise);
/* An instruction that divides is about to raise Division_by_zero. GC: never. */
void vm_backtrace_note_division(struct domain *d);
/* Records all active calls, for a run that is stopped here (S2). GC: never. */
void vm_backtrace_record_stop(struct domain *d);
/* Turns recording on or off; a change empties the backtrace. GC: never. */
void vm_backtrace_set_active(struct domain *d, bool active);
/* The same, without changing the backtrace. GC: never. */
void vm_backtrace_switch(struct domain *d, bool active);
/* Makes gpcs[0 .. n-1], cut at VM_BACKTRACE_LIMIT, the backtrace of exn. GC: never. */
void vm_backtrace_restore(struct domain *d, value exn, const uint64_t *gpcs, size_t n);

/* The number of entries. GC: never. */
size_t vm_backtrace_count(struct domain *d);
/* Updates its copy in Caml_state for C stubs, after a thread switch. GC: never. */
void vm_backtrace_publish(struct domain *d);

/* Calls visit for the active calls, innermost first, at most limit times; returns how often. In 5.x
 * also for handlers, as OCaml does (version.def, call_stacks_have_handlers). GC: never. */
size_t vm_backtrace_walk(struct domain *d, size_t limit, void (*visit)(void *context, uint64_t gpc),
                         void *context);

/* The same for the frames of suspended fiber f and those outside it in its chain. GC: never. */
size_t vm_backtrace_walk_suspended(struct domain *d, const struct vm_fiber *f, size_t limit,
                                   void (*visit)(void *context, uint64_t gpc), void *context);

/* A call stack as vm_backtrace_walk visits it. */
struct vm_visible_stack {
    const uint64_t *gpcs; /* valid until the next call of vm_visible_call_stack */
    size_t count;
    bool outermost_first;
    uint64_t version; /* stacks of one version and limit are equal; 0: nothing is known */
};
/* At most the innermost limit entries. Cheap to take repeatedly if the frames hold no handlers or
 * return points. When out of memory it is truncated or empty. GC: never. */
void vm_visible_call_stack(struct domain *d, size_t limit, struct vm_visible_stack *seen);
/* With --gc-verify: checks CS2, of a deep stack as often as its depth allows. GC: never. */
void vm_selfcheck_visible_stack(struct domain *d, size_t limit,
                                const struct vm_visible_stack *seen);

/* Whether the instruction at gpc is RAISE or RERAISE, shown as "Raised at". */
bool vm_backtrace_is_raise(struct vm *vm, uint64_t gpc);
/* Prints the backtrace as ocamlrun does. stopped: it is that of a run that a limit stopped
 * (vm/stack/limits.h). GC: never. */
void vm_backtrace_print(struct domain *d, bool stopped, FILE *out);

#endif
