/* debugger.h - the functions of a debugger (vm/debug) that a machine calls; it is set before the
 * machine is created (vm_options.debugger).
 *
 * DG1  While a debugged machine is stopped, no OCaml code runs and nothing is collected: the
 * debugger may keep values until the machine continues. */
#ifndef BACTRIAN_VM_STATE_DEBUGGER_H
#define BACTRIAN_VM_STATE_DEBUGGER_H

#include "gc/value.h"

#include <stdbool.h>
#include <stdint.h>

struct domain;

enum vm_debug_reason {
    DEBUG_BEGIN,         /* the program is loaded; nothing of it has run */
    DEBUG_EVENT,         /* an EVENT, the last one to pass; the loop's registers are saved (E2) */
    DEBUG_BREAK,         /* a BREAK; the same */
    DEBUG_TRAP,          /* the exception is about to reach a handler at or beyond the barrier */
    DEBUG_EXITED,        /* the program ends; at_exit functions have run */
    DEBUG_UNCAUGHT,      /* the exception ended the program; at_exit functions have not run */
    DEBUG_EVENTS_ADDED,  /* the value: debug events, as the compiler passes them with new code */
    DEBUG_CODE_LOADED,   /* the value: the number of a fragment, tagged */
    DEBUG_CODE_UNLOADED, /* the same */
};

struct vm_debugger {
    /* GC: never, except where a C library fails to write its custom block. */
    void (*stop)(struct vm_debugger *debugger, struct domain *d, enum vm_debug_reason reason,
                 value about);
    /* The calling process, a child or parent after fork, is not the one that is debugged. */
    void (*leave)(struct vm_debugger *debugger, struct domain *d);
    /* Whether the debugger is at the other end of fd. GC: never. */
    bool (*owns_descriptor)(const struct vm_debugger *debugger, int fd);
    uint32_t events_left; /* EVENTs to pass before a stop; counts down, also beyond 0 */
    intptr_t barrier;     /* handlers at that depth of the stack, in words, or less cause a stop */
    bool in_use;          /* false: after leave */
    bool follows_parent;  /* after fork the parent stays the debugged process, else the child */
};

#endif
