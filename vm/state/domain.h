/* domain.h - a running mutator: its share of the heap, its stack, its pending exception.
 *
 *    low                            sp                          high
 *     |  guard |      free          | innermost frame ... main |
 *     +--------+--------------------+--------------------------+      grows down
 *
 * S1  stack.low <= sp <= stack.high; the words [sp, high) are all initialised.
 * S2  Outside the loop (in primitives, slow paths, callbacks) stack.sp is current; sp[0] is the
 *     environment, sp[1] the instruction that left the loop (E2).
 * S3  stack.trap is the innermost trap frame's offset from stack.high, in words (0: none); the
 * links of trap frames are offsets too.
 *
 * A machine has one mutator, whose threads take turns (vm/thread/thread.h). The context belongs to
 * a thread: it is in the mutator while the thread runs and saved in the thread while it does not,
 * so that the loop and all primitives find it at the same address. OCaml 5's domains
 * (vm/thread/domains.h) take turns like threads do: the mutator points to the record of the one
 * that runs. */
#ifndef BACTRIAN_VM_STATE_DOMAIN_H
#define BACTRIAN_VM_STATE_DOMAIN_H

#include "gc/heap.h"
#include "gc/stats.h"
#include "vm/state/abi.h"
#include "vm/state/resume.h"

#include <setjmp.h>

struct vm;
struct vm_activation;
struct vm_backtrace;
struct vm_lock;
struct vm_thread;

/* Return addresses that are replaced in order to detect that control returns to older frames
 * (vm/stack/watermarks.h). */
enum { WATERMARK_MINOR, WATERMARK_CALL_STACK, WATERMARK_UNSCANNED, WATERMARK_COUNT };
struct vm_watermark {
    value *slot;                /* S4; stack.high: not set */
    struct vm_resume return_to; /* the return address that the slot held */
};

/* A VM stack. */
struct vm_stack {
    value *sp;            /* S2 */
    value *low, *high;    /* the words that may be used */
    uintptr_t trap;       /* S3 */
    uintptr_t boundary;   /* depth of the innermost boundary, 0: none (FB1, vm/stack/fiber.h) */
    uintptr_t fiber_base; /* FB1 */
    struct vm_watermark watermarks[WATERMARK_COUNT];
    value *lowest_watermark;  /* S4 */
    value *unscanned_end;     /* S6 */
    size_t size_words;        /* of OCaml's stack: more may not be used without growing it */
    ptrdiff_t base_words;     /* at its base, that OCaml's stack has not */
    uintptr_t limit_boundary; /* S8 */
    size_t counted_words;     /* of the heap's limit; no more may be used (S7); 0: not limited so */
    size_t counted_bytes;     /* gc_external_charge, for this stack and its C stack */
    bool c_stack_counted;
    struct vm_call_stack *call_stack; /* the last one that was taken (vm/stack/callstack.h) */
};

/* The fields of a thread's context, listed once: struct domain has them, too. */
#define VM_CONTEXT_FIELDS                                                                    \
    struct vm_stack stack;                                                                   \
    struct vm_activation *activation; /* innermost entry into the loop */                    \
    value accu;                       /* A while a slow path runs; a root */                 \
    value exn;                        /* the exception on its way to a handler; a root */    \
    struct vm_lock *held;             /* locks that a raise releases (vm/thread/thread.h) */ \
    uint32_t function_id;             /* of the running function, if tracked; 0: none */     \
    struct vm_backtrace *backtrace;
struct vm_context {
    VM_CONTEXT_FIELDS
};

/* Threads that wait for something (vm/thread/thread.h). Zero: none waits. Must not move while one
 * does. */
struct vm_waiters {
    struct vm_thread *first, *last;
};

/* The state of a domain of OCaml 5, of which programs of 4.x have one (vm/thread/domains.h). */
struct vm_domain_record {
    struct vm_domain_record *next;
    intptr_t id;                   /* Domain.self: 0 is the first one's; never used again */
    size_t index;                  /* Domain.self_index: may be used again */
    value dls;                     /* Domain.DLS; a root */
    intptr_t next_object_id;       /* a multiple of VM_OBJECT_IDS: the domain has none left */
    size_t minor_heap_words;       /* as Gc.get has it */
    uint64_t profile;              /* the profiler's; a new domain's is that of its parent */
    bool backtrace_active;         /* exceptions record their backtraces */
    bool finalising;               /* finalisers are running; they do not nest */
    bool parser_trace;             /* Parsing.set_trace */
    value state, mutex, condition; /* roots: what Domain.join waits with, or VAL_UNIT */
    struct gc_allocated by_others; /* before it last ran: what the other domains allocated */
    struct gc_allocated when_left; /* what all had allocated when it last ran */
    size_t threads;                /* that have not ended; 0: the machine has none */
    struct vm_waiters ending;      /* the body waits for the end of the other threads */
};
enum { VM_OBJECT_IDS = 1024 }; /* that a domain takes at a time */

struct domain {
    struct gc_domain gc; /* first: allocation, poll words, local roots */
    struct vm *vm;
    union {
        struct vm_context context;
        struct {
            VM_CONTEXT_FIELDS
        };
    };
    struct vm_thread *thread;        /* whose context this is; NULL: the machine has no threads */
    struct vm_domain_record *record; /* of the domain that runs */
    size_t stack_limit_words;        /* of every thread */
    size_t fiber_bytes;              /* that the frames of a fiber may have then */
    struct gc_check_budget checked_stack;
    size_t checked_frames; /* that the last check of the stack read */
    bool backtrace_active; /* the record's */
    /* Allocates a small block for the loop when the slow path is taken only for a sample: returns
     * the block, or 0 after beginning a call before the instruction (vm/stack/reexecute.h).
     * vm_slow_alloc: no profiler. GC: may run. */
    value (*sample)(struct domain *d, size_t wosize, unsigned tag);
    void *sampler;           /* the state of that function */
    value promised_block;    /* already reported to a profiler: the next block, if of that size */
    struct vm_abi_state abi; /* what C stubs see; its local_roots are a second chain of roots */
    const struct vm_abi_layout *abi_layout;
};

/* abi_local_roots(d) is the address of that field of d->abi, and so on. */
#define ABI_FIELD(type, name)                                   \
    static inline type *abi_##name(struct domain *d) {          \
        return (type *)((char *)&d->abi + d->abi_layout->name); \
    }
VM_ABI_FIELDS(ABI_FIELD)
#undef ABI_FIELD

#endif
