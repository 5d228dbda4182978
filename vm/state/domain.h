/* domain.h - a running mutator: its share of the heap, its stack, its pending exception.
 *
 *   stack_low                      sp                        stack_high
 *     |  guard |      free          | innermost frame ... main |
 *     +--------+--------------------+--------------------------+      grows down
 *
 * S1  stack_low <= sp <= stack_high; the words [sp, stack_high) are all initialised.
 * S2  Outside the interpreter's loop (in primitives, slow paths, callbacks) sp is current; sp[0]
 *     is the environment, sp[1] the instruction that left the loop (E2).
 * S3  trap is the innermost trap frame's offset from stack_high, in words (0: none); links are
 *     offsets too.
 *
 * A machine has one domain, whose threads take turns (vm/thread/thread.h). What is a thread's own
 * is the context: it is in the domain while the thread runs, and put aside with the thread while it
 * does not, so that the loop and all primitives know one place for it. */
#ifndef BACTRIAN_VM_STATE_DOMAIN_H
#define BACTRIAN_VM_STATE_DOMAIN_H

#include "gc/heap.h"
#include "vm/state/abi.h"

#include <setjmp.h>

struct vm;
struct vm_activation;
struct vm_backtrace;
struct vm_lock;
struct vm_thread;

/* Return addresses that are replaced to notice when control reaches older frames
 * (vm/stack/watermarks.h). */
enum { WATERMARK_MINOR, WATERMARK_CALL_STACK, WATERMARK_UNSCANNED, WATERMARK_COUNT };
struct vm_watermark {
    value *slot;         /* S4; stack.high: not set */
    uintptr_t return_to; /* the return address that the slot held */
};

/* A VM stack. */
struct vm_stack {
    value *sp;         /* S2 */
    value *low, *high; /* the words that may be used */
    uintptr_t trap;    /* S3 */
    struct vm_watermark watermarks[WATERMARK_COUNT];
    value *lowest_watermark; /* S4 */
    value *unscanned_end;    /* S6 */
    size_t counted_words;    /* of the heap's limit; no more may be used (S7); 0: not limited so */
    size_t counted_bytes;    /* gc_external_take, for this stack and its C stack */
    bool c_stack_counted;
    struct vm_call_stack *call_stack; /* the last one that was taken (vm/stack/callstack.h) */
};

/* What belongs to a thread. Its fields, named once: struct domain has them as its own. */
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

struct domain {
    struct gc_domain gc; /* first: allocation, poll words, local roots */
    struct vm *vm;
    union {
        struct vm_context context;
        struct {
            VM_CONTEXT_FIELDS
        };
    };
    struct vm_thread *thread; /* whose context this is; NULL: the machine has no threads */
    size_t stack_limit_words; /* of every thread */
    struct gc_check_account checked_stack;
    bool backtrace_active;
    bool finalising; /* finalisers are running: they don't nest */
    /* What serves a small block of the loop where a sample alone is due: gives the block, or begins
     * a detour (vm/stack/reexecute.h) and gives 0. vm_slow_alloc: nobody samples. GC: may run. */
    value (*sample)(struct domain *d, size_t wosize, unsigned tag);
    void *sampler;        /* its own */
    value promised_block; /* where the next block is to be if it is that size; vm/engine/slow.c */
    struct vm_abi_state abi; /* what C stubs see; abi.local_roots is a second chain of roots */
};

#endif
