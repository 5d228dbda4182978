/* vm.h - struct vm: the state of a machine. Several may exist in one process; vm/machine/machine.h
 * creates, runs and destroys them. */
#ifndef BACTRIAN_VM_STATE_VM_H
#define BACTRIAN_VM_STATE_VM_H

#include "gc/containers.h"
#include "gc/heap.h"
#include "vm/base/status.h"
#include "vm/state/domain.h"
#include "vm/state/options.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

struct vm_code;
struct vm_debuginfo;
struct vm_decoded_area;
struct vm_dll;
struct vm_dll_symbol;
struct vm_domains;
struct vm_fiber;
struct vm_fibers;
struct vm_function;
struct vm_image;
struct vm_library;
struct vm_linked_prim;
struct vm_lock;
struct vm_named_value;
struct vm_native;
struct vm_patches;
struct vm_prim;
struct vm_signals;
struct vm_symbols;
struct vm_threads;
struct vm_version;

enum vm_stop { STOP_NONE, STOP_FUEL, STOP_TIME, STOP_OUTPUT, STOP_CODE /* vm.refused */ };

/* Shared with forked child processes. */
struct vm_shared_limits {
    _Atomic uint64_t output_left; /* bytes that no write has reserved */
    _Atomic uint64_t fuel_left;   /* instructions that no process has reserved */
    _Atomic bool reported;        /* a process has said that the limit was reached */
};

struct vm_limits {
    uint64_t *fuel_left;      /* instructions: with --fuel, what the process has reserved */
    uint64_t unlimited_fuel;  /* what fuel_left points to without --fuel */
    uint64_t uncharged_bytes; /* of work, too few for an instruction's fuel */
    struct vm_shared_limits *shared;
    FILE *err;                     /* for the machine's own messages, which count as output */
    _Atomic int requested;         /* enum vm_stop, by vm_request_stop */
    _Atomic(enum vm_stop) stopped; /* why the run ended; read by other threads */
};

#define VM_NO_FUNCTION_ID UINT32_MAX

struct vm_function_ids {
    uint32_t count;        /* ids are 0 .. count - 1; 0 is outside all functions */
    uint32_t *last_caller; /* PL2, by id; the function `entered` sets it to skip the next reports */
    /* Control enters function id from caller; d is stopped before the first instruction of the
     * body. GC: never. NULL: no client. */
    void (*entered)(void *context, struct domain *d, uint32_t caller, uint32_t id);
    void *context;
};

/* Functions of higher rooms that lower rooms call (set by vm/machine/machine.c). */
struct vm_upcalls {
    /* vm_process_pending_exn (vm/thread/pending.h). */
    value (*process_pending_exn)(struct domain *d);
    /* vm_unlock_down_to (vm/thread/thread.h). */
    void (*unlock_down_to)(struct domain *d, struct vm_lock *outer);
    /* vm_exit (vm/machine/machine.h): does not return. */
    void (*exit)(struct domain *d, int status) __attribute__((noreturn));
};

/* The machine's interface to a profiler (its primitives are vm_options.profiler_rows). Each
 * function except close may be NULL, and reexecute_ended while domain.sample re-executes
 * nothing. */
struct vm_profiler {
    void *state;
    void (*poll)(void *state); /* the machine polls. GC: may run */
    /* Runs its pending callbacks; as vm_process_pending_exn. */
    value (*run_callbacks_exn)(void *state, struct domain *d);
    /* The call before a re-executed instruction (vm/stack/reexecute.h) has ended, with a result or
     * an exception as exn_result, which is raised afterwards. sp is at the trap frame: calls
     * vm_reexecute_end first. May request the instruction's block by gc_prepare_small.
     * GC: may run. */
    void (*reexecute_ended)(void *state, struct domain *d, value result);
    void (*silence)(void *state); /* after an uncaught exception: runs no more callbacks */
    void (*close)(void *state);   /* after the end of the heap */
    /* A thread switch to the thread of that number. word: what this function returned when that
     * thread stopped running (0: never). Returns a word for the thread that stops. GC: never. */
    uintptr_t (*switch_thread)(void *state, intptr_t number, uintptr_t word);
    void (*thread_ended)(void *state, intptr_t number); /* GC: never */
    bool (*owns_descriptor)(void *state, int fd);       /* whether it writes there. GC: never */
    /* The program calls exit; its stack still exists. GC: may run. */
    void (*leaving)(void *state, int status);
    /* A fiber is about to be suspended: from then on continuation cont holds its words. inner NULL:
     * the call stack is that of cont. Otherwise cont is that fiber's, whose effect the innermost
     * frame passes on: cont's call stack has inner's frames in its place. Returns whether
     * fiber_left is to be called. GC: never. */
    bool (*fiber_suspended)(void *state, struct domain *d, const struct vm_fiber *fiber, value cont,
                            size_t words, const struct vm_fiber *inner);
    /* That fiber's continuation was used, or the fiber was freed. GC: never. */
    void (*fiber_left)(void *state, const struct vm_fiber *fiber);
};

/* Functions of who takes heap snapshots; state NULL: nobody. */
struct vm_snapshots {
    void *state;
    void (*poll)(void *state);    /* the machine polls. GC: may run */
    void (*leaving)(void *state); /* as of vm_profiler. GC: may run */
};

/* Requests of other processes. A signal handler sets poll, which the machine then calls at each of
 * its polls; NULL: no request has come. GC: may run. */
struct vm_requests {
    void (*_Atomic poll)(struct vm *vm);
    void *state;
};

struct vm {
    struct domain *domain; /* the first one */
    const struct vm_upcalls *upcalls;
    const struct vm_version *version;
    struct vm_options options;
    struct vm_image *image;
    struct vm_code **codes;
    uint32_t code_count;
    uint64_t next_gpc;
    struct vm_function *functions; /* reserved table, function_count in use; C1 */
    uint32_t function_count;
    uint32_t function_capacity;
    const uintptr_t *prepare_code; /* the entry of functions that are not prepared */
    /* The machine's internal code (vm/engine/prepare.c). */
    struct vm_resume leave_code, next_call_code, watermark_code, traced_code;
    struct vm_resume reexecute_code, reexecute_handler; /* vm/stack/reexecute.h */
    struct vm_resume fiber_code;                        /* vm/stack/fiber.h */
    uintptr_t widest_frame_bytes;                       /* of the functions that were prepared */
    struct vm_fibers *fibers;                           /* NULL until there is one */
    struct vm_decoded_area *decoded_area;
    struct vm_native *native;   /* vm/engine/native; NULL: no machine code */
    struct vm_patches *patches; /* of a debugged machine (vm/engine/patches.h) */
    value global_data;          /* the table of globals: a root, in the major heap */
    struct vm_linked_prim *prims;
    uint32_t prim_count, prim_capacity;
    const struct vm_library *library;
    void *library_state;
    struct vm_profiler profiler; /* state NULL: none */
    struct vm_snapshots snapshots;
    struct vm_requests requests;
    struct vm_named_value *named_values;
    struct vm_symbols *symbols; /* names of modules, NULL until needed (vm/marshal/symbols.h) */
    struct vm_debuginfo *debug; /* of the program, NULL until read */
    int debug_status;           /* Printexc's debug_info_status: 0 not read, 1 read, < 0 failure */
    struct vm_dll *dlls;        /* open libraries of C stubs, in order (vm/image/dll.h) */
    struct vm_dll_symbol *dll_symbols;
    bool abi_attached;
    void *abi_state;            /* of options.abi */
    struct vm_domains *domains; /* vm/thread/domains.h */
    struct vm_threads *threads; /* vm/thread/thread.h; NULL: the program has no threads */
    uint32_t call_stacks;       /* created so far (vm/stack/callstack.h) */
    /* Bits by gpc: a frame that waits there holds no code address (vm/stack/backtrace.c). */
    struct vm_plain_frames VECTOR(uint64_t) plain_frames;
    struct vm_signals *signals; /* OCaml handlers, NULL until one is set (vm/thread/signal.c) */
    intptr_t next_object_id;    /* that no domain has taken */
    uint64_t *op_counts, *prim_counts;   /* count_instructions */
    struct vm_function_ids function_ids; /* track_functions */
    jmp_buf *exit_point;                 /* where vm_exit jumps */
    int exit_status;
    struct vm_limits limits;
    struct vm_error refused; /* why a function that was called can't run */
};

/* Whether the counting loop runs the program: for counts, for fuel, for a debugger. */
static inline bool vm_counts_instructions(const struct vm *vm) {
    return vm->options.count_instructions || vm->options.fuel != 0 || vm->options.debugger != NULL;
}
/* Takes the fuel of n instructions. Needs: options.fuel. Fails: false, takes what is left.
 * GC: never. */
bool vm_take_fuel(struct vm *vm, uint64_t n);
/* The fuel that this process can still take; UINT64_MAX: no limit. GC: never. */
uint64_t vm_fuel_left(const struct vm *vm);
void vm_charge_fuel(struct vm *vm, size_t bytes);
/* Takes the fuel of one instruction for each 64 bytes that a primitive works on. When nothing is
 * left the run stops at the next instruction. GC: never. */
static inline void vm_charge_work(struct domain *d, size_t bytes) {
    if (__builtin_expect(d->vm->options.fuel != 0, 0)) vm_charge_fuel(d->vm, bytes);
}
/* Where the machine's own messages go. GC: never. */
static inline FILE *vm_err(const struct vm *vm) { return vm->limits.err; }
/* Makes table, a block of the major heap, the table of globals. GC: never. */
static inline void vm_set_global_data(struct vm *vm, value table) {
    vm->global_data = table;
    if (vm->abi_attached) vm->options.abi->globals_changed(vm->domain);
}
/* Notifies stubs of an event. GC: never. */
static inline void vm_abi_notice(struct domain *d, enum vm_abi_moment moment) {
    if (d->vm->abi_attached) d->vm->options.abi->notice(d, moment);
}
/* The next object id (caml_fresh_oo_id). GC: never. */
static inline intptr_t vm_fresh_object_id(struct domain *d) {
    intptr_t *next = &d->record->next_object_id;
    if (*next % VM_OBJECT_IDS == 0) {
        *next = d->vm->next_object_id;
        d->vm->next_object_id += VM_OBJECT_IDS;
    }
    return (*next)++;
}

#endif
