/* prim.h - the properties of a primitive: a row of stdlib/prims.def, or a symbol of a stub library.
 *
 * A built-in primitive has the signature `value prim_NAME(struct domain *d, value a, ...)`; it may
 * raise (vm/stack/raise.h), so it holds no C resource across a call that may raise, and it roots
 * the values that it keeps across calls marked "GC: may run" (gc/roots.h). */
#ifndef BACTRIAN_VM_CODE_PRIM_H
#define BACTRIAN_VM_CODE_PRIM_H

#include "gc/value.h"
#include "vm/code/version.h"

struct domain;
struct vm;

/* What a primitive allows a program to do to the outside world; `bactrian --audit` groups by it. */
#define VM_CAPABILITIES(CAP)                                                       \
    CAP(PURE, "pure", "computes")                                                  \
    CAP(STDIO, "stdio", "reads arguments, uses open channels, exits")              \
    CAP(FS_READ, "fs-read", "reads files and directories")                         \
    CAP(FS_WRITE, "fs-write", "creates, writes and removes files and directories") \
    CAP(ENV, "env", "reads the environment")                                       \
    CAP(TIME, "time", "reads clocks and entropy")                                  \
    CAP(NET, "net", "uses the network")                                            \
    CAP(PROC, "proc", "runs other programs")                                       \
    CAP(SIGNALS, "signals", "handles signals")                                     \
    CAP(CODE, "code", "loads and inspects bytecode")                               \
    CAP(DYNLINK, "dynlink", "runs any C code")                                     \
    CAP(MARSHAL, "marshal", "reads marshalled data")                               \
    CAP(CLOSURES, "marshal-closures", "reads functions out of marshalled data")    \
    CAP(UNSAFE, "unsafe", "changes the representation of values")                  \
    CAP(GC, "gc", "controls the collector")                                        \
    CAP(STUB, "stub", "calls C libraries")

enum vm_capability {
#define CAP(name, text, meaning) CAP_##name,
    VM_CAPABILITIES(CAP)
#undef CAP
        CAP_COUNT
};

/* The most that a call of a primitive may do to its caller; each effect includes those above it.
 * vm/stack/prim_watch.h checks it. */
enum vm_effect {
    PRIM_LEAF,      /* computes and returns */
    PRIM_RAISES,    /* or raises an exception */
    PRIM_ALLOCATES, /* or allocates, and so collects or raises Out_of_memory, before it returns */
    PRIM_CALLS,     /* or runs OCaml code, also of other threads, before it returns */
};
enum {
    PRIM_EFFECT = 3,  /* the bits of enum vm_effect */
    PRIM_BY_NAME = 4, /* consults the policy itself, with the file or variable that it is given */
    /* The versions of OCaml that have the primitive: all but those before SINCE and after UNTIL. */
    PRIM_VERSION = 15,
    PRIM_SINCE_SHIFT = 4,
    PRIM_UNTIL_SHIFT = 8,
#define SINCE(version) version << PRIM_SINCE_SHIFT
#define UNTIL(version) (version + 1) << PRIM_UNTIL_SHIFT
    SINCE_4_14 = SINCE(OCAML_4_14),
    SINCE_5_0 = SINCE(OCAML_5_0),
    SINCE_5_1_0 = SINCE(OCAML_5_1_0),
    SINCE_5_1_1 = SINCE(OCAML_5_1_1),
    SINCE_5_2 = SINCE(OCAML_5_2),
    SINCE_5_3 = SINCE(OCAML_5_3),
    SINCE_5_4 = SINCE(OCAML_5_4),
    UNTIL_4_14 = UNTIL(OCAML_4_14),
    UNTIL_5_0 = UNTIL(OCAML_5_0),
    UNTIL_5_1_1 = UNTIL(OCAML_5_1_1),
    UNTIL_5_2 = UNTIL(OCAML_5_2),
    UNTIL_5_3 = UNTIL(OCAML_5_3),
#undef SINCE
#undef UNTIL
};

/* kinds: one letter per argument. A block that can be read as an f, j, l, n or s is converted
 * (vm_raw_convert), so a primitive that writes to its argument has a w there:
 *   v any value         i integer            s string or bytes       f boxed float     o any block
 *   j int32             l int64              n nativeint             k closure         c channel
 *   A float array       B bigarray           t thread                m mutex           h condition
 *   L list of integers  e ephemeron or weak array                w string or bytes to write to
 *   a array (block below TAG_NO_SCAN, float array, or atom)
 * result: the same letters, u for unit, x for "never returns". */
struct vm_prim {
    const char *name;  /* as in PRIM sections: "caml_array_get" */
    void *function;    /* NULL: calling it raises an error that names it */
    const char *kinds; /* of the arguments; its length is the arity, above 5 for an embedder only */
    char result;
    uint8_t capability; /* enum vm_capability */
    uint16_t flags;     /* an effect, PRIM_BY_NAME, SINCE_..., UNTIL_... */
};

/* Whether that version of OCaml has the primitive. */
static inline bool vm_prim_is_of(const struct vm_prim *row, enum vm_version_id version) {
    unsigned since = row->flags >> PRIM_SINCE_SHIFT & PRIM_VERSION;
    unsigned end = row->flags >> PRIM_UNTIL_SHIFT & PRIM_VERSION;
    return version >= since && (end == 0 || version < end);
}

/* A call that is watched (vm/stack/prim_watch.h). */
struct vm_prim_watch {
    const struct vm_prim *row; /* NULL: none, or a stub's */
    uintptr_t young_ptr;
    size_t collections;
    bool called; /* OCaml code ran, or could have */
};

/* Whether v may be an argument of that kind (checked mode checks every argument). */
bool vm_kind_accepts(const struct domain *d, char kind, value v);

/* A linked primitive; its index is the number in bytecode. */
struct vm_linked_prim {
    void *function;
    const char *refused_by;    /* the flag that keeps it from being called (function is NULL) */
    const char *kinds;         /* NULL: a stub of unknown kinds */
    uint8_t kind_bits[5];      /* of the first five arguments (vm/code/kinds.h) */
    uint8_t arity;             /* 0: unknown, of a stub */
    uint16_t inlined;          /* the loop's own instruction for it (vm/code/engine.def), or 0 */
    bool stub;                 /* called by the C ABI, without the domain */
    const struct vm_prim *row; /* NULL for stubs */
    const char *name;
};

/* What a function of a C library needs besides CAP_STUB (stdlib/stubs.def). */
struct vm_stub {
    const char *name;
    uint8_t capabilities[2];
};

/* A set of primitives, and their state in each machine. */
struct vm_library {
    const struct vm_prim *rows;
    size_t count;
    const struct vm_stub *stubs;
    size_t stub_count;
    void *(*open)(struct vm *vm); /* the library's state of a new machine (vm->library_state) */
    void (*close)(struct vm *vm, void *state);
    /* A domain other than the first begins or ends: the running one. NULL: nothing to do.
     * GC: never. */
    void (*domain_changed)(struct domain *d, bool begins);
};

#endif
