/* options.h - the options of a machine, set before it is created. */
#ifndef BACTRIAN_VM_STATE_OPTIONS_H
#define BACTRIAN_VM_STATE_OPTIONS_H

#include "gc/heap.h"

#include <stdio.h>

struct vm;
struct vm_abi;
struct vm_debugger;
struct vm_native_observer;
struct vm_policy;
struct vm_prim;
struct vm_tracer;

/* Where to search for libraries of C stubs (vm/image/dll.h); the texts are the caller's. */
struct vm_dll_path {
    const char *const *dirs; /* -I, searched first */
    size_t dir_count;
    const char *list;             /* CAML_LD_LIBRARY_PATH, or NULL */
    const char *standard_library; /* the folder of ld.conf, or NULL */
};

/* Replaces a descriptor of the process, 0 to 2, under the program's channel. As read(2) and
 * write(2): the bytes transferred, or -1 with errno. Called without the runtime lock
 * (vm/thread/pending.h). Both NULL: the descriptor itself. */
struct vm_stream {
    ptrdiff_t (*read)(void *context, void *to, size_t n);
    ptrdiff_t (*write)(void *context, const void *from, size_t n);
    void *context;
};
enum { VM_STREAMS = 3 };

/* Which functions are compiled to machine code (vm/engine/native). */
enum vm_jit {
    VM_JIT_HOT, /* hot ones: the default */
    VM_JIT_OFF,
    VM_JIT_ALL, /* each when it is first called */
};

struct vm_options {
    struct gc_params gc;
    size_t max_stack_words;         /* l=; 0: the version's default */
    bool max_stack_given;           /* max_stack_words was given, even as 0 */
    bool max_stack_holds;           /* Gc.set cannot raise the limit */
    bool custom_minor_given;        /* gc.custom_minor_max_bytes was given, even as 0 */
    uint64_t fuel;                  /* instructions; 0: no limit (vm/stack/limits.h) */
    uint64_t max_output_bytes;      /* channels and messages; 0: no limit */
    const struct vm_policy *policy; /* NULL: everything is granted; lives as long as the vm */
    /* Machine code takes the exit at every n-th guard; 0: only if a guard fails. */
    uint64_t jit_stress;
    enum vm_jit jit;
    bool perf_map;                        /* name machine code for perf(1) */
    struct vm_native_observer *on_native; /* or NULL (vm/engine/native/observer.h) */
    bool unchecked;                       /* omit the checks of checked mode */
    bool backtrace;                       /* b */
    int backtrace_level;                  /* b's number; from 2 on DBUG is read at the start */
    bool parser_trace;                    /* p */
    size_t events_log_words;              /* e: log2, of a ring (stdlib/events.h); 0: 16 */
    size_t verify_heap;                   /* V: only shown to the program */
    size_t runtime_warnings;              /* W */
    size_t trace_level;                   /* t: only shown to the program */
    bool cleanup_at_exit;                 /* c */
    size_t max_domains;                   /* d; 0: the default of the version */
    bool count_instructions;              /* count executed instructions and primitives */
    const struct vm_tracer *tracer;       /* with it: follows the run (vm/engine/tracer.h) */
    bool trace_stores;                    /* the tracer follows only what may store */
    struct vm_debugger *debugger;         /* NULL: none (vm/state/debugger.h) */
    bool track_functions;                 /* keep domain.function_id (vm/code/function_id.h) */
    bool verify_all;                     /* verify all code before it runs, not at its first call */
    bool count_forms;                    /* with it: the loop's own instructions, fused forms too */
    const char *executable_name;         /* Sys.executable_name */
    const struct vm_prim *profiler_rows; /* further built-in primitives; looked up first */
    size_t profiler_row_count;
    char **argv;              /* Sys.argv, NULL-terminated; argv[0] is the program */
    const struct vm_abi *abi; /* NULL: this machine opens no libraries of C stubs */
    struct vm_dll_path dlls;
    /* The process ends with the machine. This ends it when a thread other than vm_run's ends the
     * program: vm_run's may be waiting for the system. NULL: vm_run returns as soon as it can. */
    void (*end_process)(struct vm *vm, int status);
    void *end_context; /* for end_process */
    struct vm_stream streams[VM_STREAMS];
    FILE *err;      /* for the machine's own messages; NULL: standard error */
    void *embedder; /* of the embedder, for its own primitives */
};

#endif
