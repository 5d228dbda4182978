/* tracer.h - follows a run instruction by instruction, for `bactrian trace`.
 *
 * With vm_options.tracer (and count_instructions) the counting loop has no fuel: each instruction
 * takes the path of exhausted fuel, vm_slow_count, which calls the tracer and lets it continue. So
 * a tracer adds no cost to counting without one. A machine with a tracer cannot have fuel.
 *
 * With vm_options.trace_stores only instructions that may store a young block in a major one call
 * it (vm_may_store). */
#ifndef BACTRIAN_VM_ENGINE_TRACER_H
#define BACTRIAN_VM_ENGINE_TRACER_H

#include "vm/state/resume.h"

struct domain;

/* The functions are called with the runtime lock held. They must not allocate in the heap, raise or
 * run OCaml code. */
struct vm_tracer {
    /* Instruction op of the loop (vm/code/opcodes.h), at that pc, is about to be executed; sp and
     * extra_args (tagged) are the loop's registers. */
    void (*instruction)(void *context, struct domain *d, unsigned op, struct vm_resume at,
                        const value *sp, value extra_args);
    /* Control is about to leave for the handler at d->trap, or (0) for the C code that entered the
     * loop. */
    void (*unwind)(void *context, struct domain *d, value exn);
    void *context;
};

#endif
