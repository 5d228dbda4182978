/* abi.h - the part of a domain that compiled C stubs read and write: OCaml 4.13's Caml_state, field
 * for field.
 *
 * Stubs reach it through the variable Caml_state (vm/capi). It is not a copy: local_roots is
 * scanned with the domain's own chain and restored where a raise is caught, and a compare function
 * reports "unordered" in compare_unordered. young_limit is always above young_ptr, so that the
 * inline allocation of a stub calls caml_alloc_small_dispatch. Fields that no known stub uses are
 * zero. */
#ifndef BACTRIAN_VM_STATE_ABI_H
#define BACTRIAN_VM_STATE_ABI_H

#include "gc/roots.h"

struct vm_abi_state {
    uintptr_t young_limit, young_ptr;
    uint64_t unused_exception, unused_young_base;
    uintptr_t young_start, young_end; /* bounds of young blocks; the minor heap may be smaller */
    uint64_t unused_young[4];
    uintptr_t minor_heap_wsz;
    uint64_t unused_minor[6];
    uint64_t unused_stack[7];
    uint64_t unused_registers[5];
    intptr_t backtrace_active; /* these three: vm/stack/backtrace.h */
    intptr_t backtrace_pos;    /* entries; a stub may set it to 0 */
    void *unused_backtrace_buffer;
    value backtrace_last_exn; /* a root */
    intptr_t compare_unordered;
    intptr_t unused_requests[2];
    struct gc_local_roots *local_roots;
    /* The collector's counters (gc/stats.def), as of the last collection: vm/capi/state.c. */
    double stat_minor_words, stat_promoted_words, stat_major_words;
    intptr_t stat_minor_collections, stat_major_collections;
    intptr_t stat_heap_wsz, stat_top_heap_wsz;
    intptr_t stat_compactions, stat_forced_major_collections, stat_heap_chunks;
    uint64_t unused_eventlog[5];
    uint64_t unused_checking_pointer_pc;
};

#define ABI_AT(name, offset) \
    _Static_assert(offsetof(struct vm_abi_state, name) == offset, "Caml_state: " #name)
ABI_AT(young_limit, 0);
ABI_AT(young_ptr, 8);
ABI_AT(young_start, 32);
ABI_AT(young_end, 40);
ABI_AT(minor_heap_wsz, 80);
ABI_AT(unused_stack, 136);
ABI_AT(unused_registers, 192);
ABI_AT(backtrace_active, 232);
ABI_AT(backtrace_pos, 240);
ABI_AT(backtrace_last_exn, 256);
ABI_AT(compare_unordered, 264);
ABI_AT(local_roots, 288);
ABI_AT(stat_minor_words, 296);
ABI_AT(stat_minor_collections, 320);
ABI_AT(stat_heap_chunks, 368);
ABI_AT(unused_eventlog, 376);
ABI_AT(unused_checking_pointer_pc, 416);
_Static_assert(sizeof(struct vm_abi_state) == 424, "Caml_state: its size");
#undef ABI_AT

struct domain;

/* The C interface of a machine: vm/capi implements it, the command line hands it in
 * (vm_options.abi). */
struct vm_abi {
    /* Called before d's machine opens its first library. NULL, or why it is refused. GC: never. */
    const char *(*attach)(struct domain *d);
    /* The machine has another table of globals. GC: never. */
    void (*globals_changed)(struct domain *d);
    /* The machine ends; its heap no longer exists. GC: never. */
    void (*detach)(struct domain *d);
    /* What libraries see of the debugger has changed. NULL: machines have none. GC: never. */
    void (*debugger_changed)(struct domain *d);
};

#endif
