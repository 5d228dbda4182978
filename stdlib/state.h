/* state.h - what the primitives keep for each machine (vm->library_state). */
#ifndef BACTRIAN_STDLIB_STATE_H
#define BACTRIAN_STDLIB_STATE_H

#include "vm/base/arena.h"
#include "vm/state/vm.h"

struct channel;
struct ffi_state;
struct vm_marshal_writer;
struct registered_custom;
struct vm_marshal_reader;

/* BACTRIAN_FAIL_IO=N:ERRNO makes the N-th system call of channels fail, N+:ERRNO all later ones
 * too: so that tests can show how programs and machine stand it. */
struct io_fault {
    uint64_t at; /* 0: none */
    uint64_t count;
    int error;
    bool lasting;
};

/* Memory of input_value and output_value that an exception may leave behind (no memory for the
 * result): the next use, or the end of the machine, frees it. */
struct marshal_state {
    struct vm_arena scratch;
    void *input;        /* the bytes of a message, from malloc */
    size_t input_bytes; /* counted (gc_external_take) */
    /* The message that a foreign serialize or deserialize function works on, or NULL; where the
     * latter leaves to when it refuses the message, and why it does (stdlib/customs.c). */
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
    struct registered_custom *customs; /* kinds of other libraries that messages may hold */
    struct vm *vm;
    bool parser_trace;       /* Parsing.set_trace, OCAMLRUNPARAM=p */
    size_t runtime_warnings; /* OCAMLRUNPARAM=W */
    bool warned;             /* the first warning was printed, with its note on how to stop them */
    struct ffi_state *ffi;   /* callbacks that C code knows (stdlib/ffi/ffi.h) */
};

/* The state of d's machine. GC: never. */
static inline struct prim_state *prim_state(struct domain *d) { return d->vm->library_state; }
/* A new machine's state. NULL: no memory. GC: never. */
void *prim_state_open(struct vm *vm);
/* Frees it, channels included. Needs: the heap is gone, since finalisers of channels use the state.
 * GC: never. */
void prim_state_close(struct vm *vm, void *state);

#endif
