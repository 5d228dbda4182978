/* ffi.h - the representation of module Ffi's OCaml values in C, and the conversions.
 *
 * The types of ffi.ml that C reads, by field (their order there and here is the same):
 *
 *     typ        an integer: void.  Blocks by tag (enum ffi_typ_tag):
 *                  Scalar      | scalar's number |
 *                  Pointer     | typ pointed at |
 *                  Struct      | aggregate |
 *                  Array       | typ of an element | length |
 *                  Funptr      | prepared |
 *                  Closure     | prepared |
 *     aggregate  | size | alignment | class of bytes 0-7 | class of bytes 8-15 | ...
 *     prepared   | signature | typs of the arguments, as an array | typ of the result | ...
 *     call       | prepared | address | library, or unit | name | blocking | ...
 *     ptr        | address | memory | typ |      also structures (typ: their own) and function
 *                                                pointers (typ: prepared)
 *     carray     | ptr | length |
 *
 * An address is an OCaml integer: addresses of x86-64 fit, since their upper 17 bits are equal.
 * memory is a custom block with the bounds of the memory, or unit if they are unknown.
 *
 * FF1  A block of memory (struct ffi_memory) is freed once: by Ffi.free, by its finalize function,
 *     or with the last bigarray that shares it (its proxy counts them).
 * FF2  A signature lives as long as an OCaml block or a callback refers to it. Freed callbacks
 *     count: C code may still call them.
 * FF3  No exception passes a frame of foreign C code: the exception of a callback waits in the
 *     innermost foreign call of its thread (struct ffi_frame). */
#ifndef BACTRIAN_STDLIB_FFI_FFI_H
#define BACTRIAN_STDLIB_FFI_FFI_H

#include "gc/containers.h"
#include "gc/value.h"
#include "stdlib/prim.h"

#include <ffi.h>
#include <pthread.h>

struct bigarray_proxy;
struct domain;
struct vm;

enum ffi_scalar {
#define SCALAR(id, name, c_type, libffi, take, give) FFI_##id,
#include "stdlib/ffi/scalars.def"
#undef SCALAR
    FFI_SCALARS,
    /* Further conversions. */
    FFI_POINTER = FFI_SCALARS, /* pointers to data and to functions */
    FFI_STRUCT,
    FFI_CLOSURE, /* an argument: an OCaml function, as a callback during the call */
    FFI_NOTHING  /* void */
};

enum ffi_typ_tag {
    FFI_TYP_SCALAR,
    FFI_TYP_POINTER,
    FFI_TYP_STRUCT,
    FFI_TYP_ARRAY,
    FFI_TYP_FUNPTR,
    FFI_TYP_CLOSURE
};

enum { FFI_PTR_ADDRESS, FFI_PTR_MEMORY, FFI_PTR_TYP, FFI_PTR_FIELDS };
enum { FFI_PREPARED_SIGNATURE, FFI_PREPARED_ARGUMENTS, FFI_PREPARED_RESULT };

enum { FFI_MAX_ARGUMENTS = 64 };

/* A value for or from C, integers extended to 8 bytes: on a little-endian machine a narrower type
 * reads the right bytes. */
union ffi_word {
    int64_t i;
    uint64_t u;
    float f;
    double d;
    long double ld;
    float cf[2];
    double cd[2];
    void *p;
};

/* How an argument or a result is converted, and its libffi type. */
struct ffi_slot {
    uint8_t code; /* enum ffi_scalar */
    size_t bytes;
    ffi_type aggregate; /* FFI_STRUCT: its type, made of at most two eightbytes */
    ffi_type *elements[3];
};

struct ffi_signature {
    size_t users; /* FF2 */
    ffi_cif cif;
    size_t count;    /* of the C function's arguments */
    bool takes_unit; /* the OCaml function has one argument, (), that C does not see */
    ffi_type *types[FFI_MAX_ARGUMENTS];
    struct ffi_slot result;
    struct ffi_slot arguments[];
};

/* The data of the custom block of C memory. */
struct ffi_memory {
    char *base;
    size_t bytes;
    struct bigarray_proxy *proxy; /* NULL: no bigarray shares it (FF1) */
    uint8_t kind;                 /* enum ffi_memory_kind */
};
enum ffi_memory_kind {
    FFI_MEMORY_OURS,     /* from calloc */
    FFI_MEMORY_ADOPTED,  /* a function of the program frees it */
    FFI_MEMORY_BORROWED, /* a bigarray's */
    FFI_MEMORY_FREED,
};

enum ffi_callback_state { FFI_CALLBACK_LIVE, FFI_CALLBACK_FREED };
struct ffi_callback {
    struct ffi_callback *next;      /* in the list of its state */
    struct ffi_callback *temporary; /* the next one made for the same call */
    struct ffi_state *owner;
    ffi_closure *closure;
    void *code; /* what C calls */
    struct ffi_signature *signature;
    value function, prepared; /* roots while live (callback.c) */
    size_t index;             /* in the owner's table of live ones */
    enum ffi_callback_state state;
};

/* A foreign call in progress. The innermost one of each thread is thread-local. */
struct ffi_frame {
    struct ffi_frame *outer;
    struct domain *d;
    value *pending; /* a rooted slot: the exception that a callback raised */
    bool raised;
    bool blocking; /* the C function runs without the runtime lock */
    int depth;
};

/* The module's state of a machine (struct prim_state). */
struct ffi_state {
    struct vm *vm;
    struct ffi_frame *frame_at_start;
    pthread_t thread;                                        /* that made the last callback */
    struct ffi_callbacks VECTOR(struct ffi_callback *) live; /* those that may be called; roots */
    struct ffi_callback *first_freed, *last_freed;           /* oldest first */
    size_t freed_count;
    bool scanned; /* the scanner is installed */
};

/* Makes and frees a machine's state. NULL: out of memory. GC: never. */
struct ffi_state *ffi_state_open(struct vm *vm);
void ffi_state_close(struct ffi_state *state);

/* The primitives of prims.def. */
#define FFI_PRIM(name, kinds, result, capability, flags) PRIM_FUNCTION(kinds) prim_ffi_##name;
#include "stdlib/ffi/prims.def"

/* The reasons why a value cannot be converted. */
#define FFI_PROBLEMS(P)                                                                     \
    P(NONE, "")                                                                             \
    P(KIND, "a value of another type")                                                      \
    P(RANGE, "the number does not fit in the C type")                                       \
    P(FREED, "the memory was freed")                                                        \
    P(BOUNDS, "outside the memory that belongs to the pointer")                             \
    P(NULL, "a null pointer")                                                               \
    P(FREED_CALLBACK, "the function pointer was freed")                                     \
    P(NO_MEMORY, "no memory for a callback")                                                \
    P(NO_STORE, "the C type can only be an argument: C memory can't refer to OCaml's heap") \
    P(FUNCTION, "a function pointer is not memory")
enum ffi_problem {
#define P(id, text) FFI_BAD_##id,
    FFI_PROBLEMS(P)
#undef P
};
/* A clause that says what is wrong. */
const char *ffi_problem_text(enum ffi_problem problem);

/* ---- convert.c ---- */

/* Converts v to *to for a slot, except strings, bytes and closures. For FFI_STRUCT, to->p is the
 * address of its bytes. GC: never. */
enum ffi_problem ffi_take(const struct ffi_slot *slot, value v, union ffi_word *to);
/* The OCaml value of the C value at p. typ: its type; memory: that of a structure or array at p.
 * Roots its arguments. GC: may run. Fails: raises Failure if an integer is too large,
 * Invalid_argument for a null pointer where the type allows none. */
value ffi_give(struct domain *d, unsigned code, value typ, const void *p, value memory);
/* The code of a typ, and the bytes that a value of it takes in C memory (0: void, closures). Needs:
 * a value of ffi.ml's type typ. GC: never. */
unsigned ffi_code_of(value typ);
size_t ffi_size_of(value typ);
/* A ptr of OCaml. Roots its arguments. GC: may run. */
value ffi_new_ptr(struct domain *d, const void *address, value memory, value typ);

/* ---- signature.c ---- */

/* The signature in an OCaml value prepared, or NULL. GC: never. */
struct ffi_signature *ffi_signature_of(value prepared);
/* Removes a user; the last one frees it. NULL: does nothing. GC: never. */
void ffi_signature_release(struct ffi_signature *signature);

/* ---- memory.c ---- */

/* A new block of zeroed bytes. GC: may run. Fails: raises Out_of_memory. */
value ffi_memory_new(struct domain *d, size_t bytes);
/* The data of a block of memory; NULL: v is none. GC: never. */
struct ffi_memory *ffi_memory_of(value v);
/* Whether [address, address + bytes) is in memory, as far as its bounds are known. GC: never. */
enum ffi_problem ffi_check_access(value memory, value address, size_t bytes);

/* ---- callback.c ---- */

/* A live callback of function f, with the signature in prepared. NULL: out of memory. GC: never. */
struct ffi_callback *ffi_callback_new(struct domain *d, value prepared, value f);
/* Later calls of it raise an error. Needs: live. GC: never. */
void ffi_callback_free(struct ffi_callback *callback);
/* FFI_BAD_NONE: v is the block of a live callback; FFI_BAD_KIND: of no callback. GC: never. */
enum ffi_problem ffi_callback_problem(value v);

/* ---- library.c ---- */

/* Whether the library of a call, if it has one, is open. GC: never. */
bool ffi_library_is_open(value library);

/* ---- call.c ---- */

/* The innermost foreign call of this thread, or NULL. GC: never. */
struct ffi_frame *ffi_innermost_frame(void);
/* Makes another frame the innermost one. GC: never. */
void ffi_set_innermost_frame(struct ffi_frame *frame);

#endif
