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

/* Places of the stack that control can't pass unnoticed (vm/stack/stack.h). */
enum { WATERMARK_MINOR, WATERMARK_CALL_STACK, WATERMARK_UNSCANNED, WATERMARK_COUNT };
struct vm_watermark {
    value *slot;         /* S4; stack_high: not placed */
    uintptr_t return_to; /* the return address that the slot held */
};

/* The fields of a context, named once: struct domain has them as its own. */
#define VM_CONTEXT_FIELDS                                                                        \
    value *sp;                        /* S2 */                                                   \
    value *stack_low, *stack_high;    /* the words that may be used */                           \
    uintptr_t trap;                   /* S3 */                                                   \
    struct vm_activation *activation; /* innermost entry into the interpreter */                 \
    value accu;                       /* A while a slow path runs; a root */                     \
    value exn;                        /* the exception on its way to a handler; a root */        \
    struct vm_lock *held;             /* locks that a raise releases (vm/thread/thread.h) */     \
    uint32_t                                                                                     \
        place; /* the function that runs, if that is wanted (vm/stack/function_id.h); 0: none */ \
    struct vm_backtrace *backtrace;                                                              \
    struct vm_watermark marks[WATERMARK_COUNT];                                                  \
    value *lowest_watermark; /* S4 */                                                            \
    value *unscanned_end;    /* S6 */                                                            \
    size_t stack_words;      /* counted of the stack, no more may be used (S7); 0: no matter */  \
    size_t counted_bytes;    /* gc_external_take, for the stacks of this context */              \
    bool c_stack_counted;                                                                        \
    struct vm_call_stack *call_stack; /* vm/stack/callstack.h */
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
     * a detour (vm/engine/reexecute.h) and gives 0. vm_slow_alloc: nobody samples. GC: may run. */
    value (*sample)(struct domain *d, size_t wosize, unsigned tag);
    void *sampler;        /* its own */
    value promised_block; /* where the next block is to be if it is that size; vm/engine/slow.c */
    struct vm_abi_state abi; /* what C stubs see; abi.local_roots is a second chain of roots */
};

/* The stack's limit in words: the highest that a program may use before Stack_overflow, as it was
 * set; in force is what is not below OCaml's first stack of 4096 words, nor above the address space
 * that was reserved. GC: never. */
size_t vm_stack_limit(const struct domain *d);
void vm_set_stack_limit(struct domain *d, size_t words);

/* Allocation for primitives, by their usual names. GC: may run. */
static inline value new_block(struct domain *d, size_t wosize, unsigned tag) {
    return gc_alloc(&d->gc, wosize, tag);
}
static inline value new_small(struct domain *d, size_t wosize, unsigned tag) {
    return gc_alloc_small(&d->gc, wosize, tag);
}
static inline value new_string(struct domain *d, size_t length) {
    return gc_alloc_string(&d->gc, length);
}
static inline value copy_string(struct domain *d, const char *text) {
    return gc_copy_string(&d->gc, text, strlen(text));
}
static inline value copy_bytes(struct domain *d, const char *text, size_t n) {
    return gc_copy_string(&d->gc, text, n);
}
static inline value copy_double(struct domain *d, double x) { return gc_copy_double(&d->gc, x); }
value new_pair(struct domain *d, value a, value b); /* tag 0; roots its arguments */
value new_some(struct domain *d, value v);
/* Boxed integers: the operations are those of vm/machine/boxed.c (identifiers _i, _j, _n). */
extern const struct gc_custom_ops vm_int32_ops, vm_int64_ops, vm_nativeint_ops;
value copy_int32(struct domain *d, int32_t n);
value copy_int64(struct domain *d, int64_t n);
value copy_nativeint(struct domain *d, intptr_t n);
static inline int32_t int32_of_val(value v) { return *(int32_t *)custom_data(v); }
static inline int64_t int64_of_val(value v) { return *(int64_t *)custom_data(v); }
static inline intptr_t nativeint_of_val(value v) { return *(intptr_t *)custom_data(v); }

#endif
