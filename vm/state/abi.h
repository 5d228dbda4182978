/* abi.h - the part of a domain that compiled C stubs read and write: OCaml's caml_domain_state,
 * whose layout depends on the version.
 *
 * Stubs reach it through the variables Caml_state and caml_state (vm/capi). It is not a copy:
 * local_roots is scanned with the domain's own chain and restored where a raise is caught, and a
 * compare function reports "unordered" in compare_unordered. young_limit is always above young_ptr,
 * so that the inline allocation of a stub calls caml_alloc_small_dispatch. Fields that no known
 * stub uses are zero. */
#ifndef BACTRIAN_VM_STATE_ABI_H
#define BACTRIAN_VM_STATE_ABI_H

#include "gc/roots.h"

/* The fields whose offset depends on the version. The statistics (gc/stats.def) are as of the last
 * collection: vm/capi/state.c. */
#define VM_ABI_FIELDS(X)                                                                    \
    X(uintptr_t, young_start) /* bounds of young blocks; the minor heap may be smaller */   \
    X(uintptr_t, young_end)                                                                 \
    X(intptr_t, backtrace_pos) /* entries; a stub may set it to 0 (vm/stack/backtrace.h) */ \
    X(intptr_t, backtrace_active)                                                           \
    X(value, backtrace_last_exn) /* a root */                                               \
    X(intptr_t, compare_unordered)                                                          \
    X(struct gc_local_roots *, local_roots)                                                 \
    X(int, id) /* the domain's index */                                                     \
    X(int, unique_id)                                                                       \
    X(uintptr_t, minor_heap_wsz)                                                            \
    X(uint64_t, stat_minor_words)                                                           \
    X(uint64_t, stat_promoted_words)                                                        \
    X(uint64_t, stat_major_words)                                                           \
    X(intptr_t, stat_forced_major_collections)                                              \
    X(intptr_t, stat_minor_collections)                                                     \
    X(intptr_t, stat_major_collections)                                                     \
    X(intptr_t, stat_heap_wsz)                                                              \
    X(intptr_t, stat_top_heap_wsz)                                                          \
    X(intptr_t, stat_compactions)                                                           \
    X(intptr_t, stat_heap_chunks)

/* Offsets in bytes. 0: the version does not have the field, or it is not filled in. */
struct vm_abi_layout {
#define OFFSET(type, name) uint16_t name;
    VM_ABI_FIELDS(OFFSET)
#undef OFFSET
    bool counts_in_doubles;  /* stat_minor_words, _promoted_words and _major_words */
    bool takes_domain_state; /* functions that differ between 4.x and 5.x: as in 5.x */
};
/* Of 4.13 and 4.14, of 5.0 and so on; those of 5.1 are 5.2's too. */
extern const struct vm_abi_layout vm_abi_4, vm_abi_5_0, vm_abi_5_1, vm_abi_5_3, vm_abi_5_4;

struct vm_abi_state {
    uintptr_t young_limit, young_ptr; /* of all versions */
    uint64_t others[126];             /* to the end of the largest state, 5.4's */
};
_Static_assert(sizeof(struct vm_abi_state) == 1024, "caml_domain_state: its size");

struct domain;

/* Events for which stubs may have a hook. */
enum vm_abi_moment { ABI_FINALISERS_BEGIN, ABI_FINALISERS_END, ABI_DOMAIN_ENDS };

/* The C interface of a machine: vm/capi implements it, the command line hands it in
 * (vm_options.abi). */
struct vm_abi {
    /* Called before d's machine opens its first library. NULL, or why it is refused. GC: never. */
    const char *(*attach)(struct domain *d);
    /* The calling thread has acquired the runtime lock of an attached machine. GC: never. */
    void (*thread_entered)(struct domain *d);
    /* The machine has another table of globals. GC: never. */
    void (*globals_changed)(struct domain *d);
    /* That event has occurred, in the running domain of an attached machine. GC: never. */
    void (*notice)(struct domain *d, enum vm_abi_moment moment);
    /* The machine ends; its heap no longer exists. GC: never. */
    void (*detach)(struct domain *d);
    /* caml_debugger_in_use and caml_debugger_fork_mode have changed. NULL: there is no debugger.
     * GC: never. */
    void (*debugger_changed)(struct domain *d);
};

#endif
