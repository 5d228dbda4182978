/* vm.h - a machine: image, code, globals, primitives, options. Several may exist in one process.
 *
 * Life: vm_create, vm_load, vm_run, vm_destroy. Nothing here prints, exits or installs a signal
 * handler by itself; vm_run tells how the program ended and the caller acts on it. */
#ifndef BACTRIAN_VM_STATE_VM_H
#define BACTRIAN_VM_STATE_VM_H

#include "gc/heap.h"
#include "vm/code/code.h"
#include "vm/code/prim.h"
#include "vm/image/image.h"
#include "vm/machine/limits.h"
#include "vm/stack/function_id.h"
#include "vm/stack/raise.h"
#include "vm/state/domain.h"

#include <stdio.h>

struct vm_named_value;
struct vm_debuginfo;
struct vm_symbols;
struct vm_signals;
struct vm_dll;
struct vm_dll_symbol;

/* Where libraries of C stubs may lie (vm/image/dll.h); the texts are the caller's. */
struct vm_dll_path {
    const char *const *dirs; /* -I, searched first */
    size_t dir_count;
    const char *list;             /* CAML_LD_LIBRARY_PATH, or NULL */
    const char *standard_library; /* the folder of ld.conf, or NULL */
};
struct vm_threads;

/* What stands for a descriptor of the process, 0 to 2, where the program opens a channel on it. As
 * read(2) and write(2): the bytes transferred, or -1 with errno. Called without the machine
 * (vm/thread/blocking.h). Both NULL: the descriptor itself. */
struct vm_stream {
    ptrdiff_t (*read)(void *context, void *to, size_t n);
    ptrdiff_t (*write)(void *context, const void *from, size_t n);
    void *context;
};
enum { VM_STREAMS = 3 };

struct vm_options {
    struct gc_params gc;
    size_t max_stack_words;              /* l=; 0: the version's default */
    bool max_stack_given;                /* then 0 is no default either */
    uint64_t fuel;                       /* instructions; 0: no limit (vm/machine/limits.h) */
    uint64_t max_output_bytes;           /* through channels; 0: no limit */
    const struct vm_policy *policy;      /* NULL: everything is granted; lives as long as the vm */
    bool unchecked;                      /* leave out the tests of checked mode */
    bool backtrace;                      /* b */
    int backtrace_level;                 /* b's number; from 2 on DBUG is read at the start */
    bool parser_trace;                   /* p */
    size_t runtime_warnings;             /* W */
    size_t trace_level;                  /* t: shown to the program, nothing else */
    bool cleanup_at_exit;                /* c */
    bool count_instructions;             /* count executed instructions and primitives */
    bool track_functions;                /* keep domain.place true (vm/stack/function_id.h) */
    bool count_forms;                    /* with it: fused forms and the like by themselves */
    const char *executable_name;         /* Sys.executable_name */
    const struct vm_prim *profiler_rows; /* further built-in primitives; looked up first */
    size_t profiler_row_count;
    char **argv;              /* Sys.argv, NULL-terminated; argv[0] is the program */
    const struct vm_abi *abi; /* NULL: this machine opens no libraries of C stubs */
    struct vm_dll_path dlls;
    /* Another thread than vm_run's ended the program, which may be waiting for the system: ends the
     * process. NULL: vm_run returns as soon as it can. */
    void (*end_process)(struct vm *vm, int status);
    void *end_context; /* for end_process */
    struct vm_stream streams[VM_STREAMS];
    FILE *err;      /* for the machine's own messages; NULL: standard error */
    void *embedder; /* of who made the machine, for primitives of its own */
};

/* A primitive under the number that bytecode calls it by. */
struct vm_linked_prim {
    void *function;
    const char *refused_by;    /* the flag that keeps it from being called (function is NULL) */
    const char *kinds;         /* NULL: a stub of unknown kinds */
    uint8_t kind_bits[5];      /* of the first five arguments (vm/code/kinds.h) */
    uint8_t arity;             /* 0: unknown */
    uint16_t inlined;          /* the loop's own instruction for it (vm/code/engine.def), or 0 */
    bool stub;                 /* called by the C ABI, without the domain */
    const struct vm_prim *row; /* NULL for stubs */
    const char *name;
};

/* What a profiler hands to the machine (its primitives are vm_options.profiler_rows). */
struct vm_profiler {
    void *state;
    /* Runs its due callbacks; as vm_process_pending_exn. */
    value (*run_callbacks_exn)(void *state, struct domain *d);
    /* The call of a detour is over (vm/engine/reexecute.h), with a result or an exception as
     * exn_result, which goes on afterwards. d->sp is at the trap frame: begins with
     * vm_reexecute_end. May ask for the instruction's block by gc_prepare_small. GC: may run. */
    void (*reexecute_ended)(void *state, struct domain *d, value result);
    void (*silence)(void *state); /* an exception ended the program: no callback runs any more */
    void (*close)(void *state);   /* the heap is gone by then */
    /* Another thread than before goes on, of that number; word is what it gave back when that
     * thread was left (0: never). Returns the word of the thread that is left. GC: never. */
    uintptr_t (*switch_thread)(void *state, intptr_t number, uintptr_t word);
    void (*thread_ended)(void *state, intptr_t number); /* GC: never */
    bool (*owns_descriptor)(void *state, int fd);       /* it writes there. GC: never */
    /* The program calls exit: its stack is still there. GC: may run. NULL: nobody wants to know. */
    void (*leaving)(void *state, int status);
};

struct vm {
    struct domain *domain; /* the first one */
    const struct vm_version *version;
    struct vm_options options;
    struct vm_image *image;
    struct vm_code **codes;
    uint32_t code_count;
    uint64_t next_gpc;
    struct vm_function *functions; /* reserved table, function_count in use; C1 */
    uint32_t function_count;
    uint32_t function_capacity;
    const uintptr_t *prepare_code, *leave_code, *next_call_code; /* vm/engine/decode.c */
    const uintptr_t *watermark_code, *traced_code;
    const uintptr_t *reexecute_code; /* of two words: vm/engine/reexecute.h */
    struct vm_decoded_area *decoded_area;
    value global_data; /* the table of globals: a root, in the major heap */
    struct vm_linked_prim *prims;
    uint32_t prim_count, prim_capacity;
    const struct vm_library *library;
    void *library_state;
    struct vm_profiler profiler; /* state NULL: none */
    struct vm_named_value *named_values;
    struct vm_symbols *symbols; /* names of modules, NULL until asked for (vm/marshal/symbols.h) */
    struct vm_debuginfo *debug; /* of the program, NULL until read */
    int debug_status;           /* Printexc's debug_info_status: 0 not read, 1 read, < 0 failure */
    struct vm_dll *dlls; /* the libraries of C stubs that are open, in order (vm/image/dll.h) */
    struct vm_dll_symbol *dll_symbols;
    bool abi_attached;
    void *abi_state;            /* of options.abi */
    struct vm_threads *threads; /* vm/thread/thread.h; NULL: the program has no threads */
    uint32_t call_stacks;       /* that were kept so far (vm/stack/callstack.h) */
    struct vm_signals *signals; /* OCaml handlers, NULL until one is set (vm/thread/signal.c) */
    intptr_t next_object_id;
    uint64_t *op_counts, *prim_counts; /* count_instructions */
    struct vm_function_ids places;     /* track_functions */
    jmp_buf *exit_point;               /* where vm_exit goes */
    int exit_status;
    struct vm_limits limits;
};

enum vm_outcome { VM_RETURNED, VM_EXITED, VM_UNCAUGHT, VM_STOPPED /* vm->limits.stopped */ };
struct vm_result {
    enum vm_outcome outcome;
    int exit_status; /* VM_EXITED */
    value exn;       /* VM_UNCAUGHT; rooted in vm->domain->exn */
};

/* A new machine for that version. NULL: *error says why. */
struct vm *vm_create(const struct vm_options *options, const struct vm_version *version,
                     const struct vm_library *library, struct vm_error *error);
/* Links, verifies and loads an opened image, which the machine then owns. */
enum vm_status vm_load(struct vm *vm, struct vm_image *image, struct vm_error *error);
struct vm_result vm_run(struct vm *vm);
/* Runs f(d, context), C code that may raise and run OCaml code, whether the program runs (then it
 * is called by a primitive) or not: f's result, a value or exn_result, goes to *out. Whatever ends
 * the program ends f alone. VM_UNCAUGHT: f raised, or returned an exn_result. GC: may run. */
struct vm_result vm_perform(struct vm *vm, value (*f)(struct domain *d, void *context),
                            void *context, value *out);
/* False: threads are left that may be in the midst of a system call, so the memory stays. */
bool vm_destroy(struct vm *vm);

/* Ends the program from within a primitive (caml_sys_exit): vm_run returns VM_EXITED. */
_Noreturn void vm_exit(struct domain *d, int status);
/* Whether the loop that counts runs the program: for the counts, or for fuel. */
static inline bool vm_counts_instructions(const struct vm *vm) {
    return vm->options.count_instructions || vm->options.fuel != 0;
}
/* Where the machine's own messages go. GC: never. */
static inline FILE *vm_err(const struct vm *vm) {
    return vm->options.err == NULL ? stderr : vm->options.err;
}
/* The next object id (caml_fresh_oo_id). */
static inline intptr_t vm_fresh_object_id(struct vm *vm) { return vm->next_object_id++; }
/* The built-in row of that name, or NULL. */
const struct vm_prim *vm_find_builtin(const struct vm *vm, const char *name);
/* What is known of a C library's function of that name, or NULL. */
const struct vm_stub *vm_find_stub(const struct vm *vm, const char *name);

#endif
