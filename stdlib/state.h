/* state.h - the built-in primitives, and their state in a machine (vm->library_state). */
#ifndef BACTRIAN_STDLIB_STATE_H
#define BACTRIAN_STDLIB_STATE_H

#include "vm/base/arena.h"
#include "vm/code/prim.h"
#include "vm/state/vm.h"

struct channel;
struct events;
struct ffi_state;
struct vm_marshal_writer;
struct registered_custom;
struct vm_marshal_reader;

/* For tests: BACTRIAN_FAIL_IO=N:ERRNO makes the N-th system call of channels fail, N+:ERRNO all
 * later ones too. */
struct io_fault {
    uint64_t at; /* 0: none */
    uint64_t count;
    int error;
    bool lasting;
};

/* Memory of input_value and output_value that Out_of_memory for the result leaves: the next use, or
 * the end of the machine, frees it. */
struct marshal_state {
    struct vm_arena scratch;
    void *input;        /* a marshalled value or its unpacked data, from malloc */
    size_t input_bytes; /* counted (gc_external_charge) */
    bool compression;   /* the program has asked for it (caml_zstd_initialize) */
    /* For the foreign serialize or deserialize function that runs (stdlib/customs.c): its writer or
     * reader, or NULL; where the latter jumps to refuse the value, and the reason. */
    struct vm_marshal_writer *writer;
    struct vm_marshal_reader *reader;
    jmp_buf refusal;
    char refused_why[256]; /* empty: nothing was refused */
};

struct prim_state {
    struct channel *channels; /* all open channels, newest first (stdlib/channel.h) */
    struct io_fault io_fault;
    value argv; /* Sys.argv, a registered root from its first use on; 0 before */
    struct marshal_state marshal;
    struct registered_custom *customs; /* foreign kinds that can be read back */
    struct vm *vm;
    size_t runtime_warnings; /* OCAMLRUNPARAM=W */
    bool warned;             /* the first warning, with its explanation, was printed */
    struct ffi_state *ffi;   /* stdlib/ffi/ffi.h */
    struct events *events;   /* stdlib/events.h; NULL: not used yet */
};

/* The table that a machine is created with. */
extern const struct vm_library prim_library;
/* The state of d's machine. GC: never. */
static inline struct prim_state *prim_state(struct domain *d) { return d->vm->library_state; }

#endif
