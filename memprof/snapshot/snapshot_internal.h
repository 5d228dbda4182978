/* snapshot_internal.h - a snapshot that is being written. */
#ifndef BACTRIAN_MEMPROF_SNAPSHOT_SNAPSHOT_INTERNAL_H
#define BACTRIAN_MEMPROF_SNAPSHOT_SNAPSHOT_INTERNAL_H

#include "memprof/format/writer.h"
#include "memprof/recorder/names.h"
#include "memprof/snapshot/snapshot.h"
#include "memprof/types/types.h"
#include "vm/marshal/variables.h"

struct domain;

/* Objects, by their methods. */
struct mp_objects {
    struct word_map by_methods; /* index + 1 in classes */
    struct VECTOR(struct mp_object_class {
        value methods;
        value table;           /* 0: not known */
        uint64_t number;       /* of the methods' block */
        uint64_t fields;       /* of the largest object */
        struct mp_class known; /* its name: NULL, not known */
    }) classes;
    struct VECTOR(struct mp_object_variable {
        enum mp_name_kind kind;
        uint32_t class; /* an index */
        uint32_t field;
        uint32_t name; /* a string's number; 0: none */
        uint32_t type; /* a type's; 0: not known */
    }) variables;
    struct word_map by_field; /* index + 1 in variables, by class << 32 | field */
};
/* Frees what it owns. */
void mp_objects_free(struct mp_objects *objects);

/* What a snapshot names, and the sources of the names. At first only d, names and variables.vm are
 * set. */
struct mp_named {
    struct domain *d;
    struct mp_names *names;
    struct vm_variables variables;
    struct mp_types *types; /* NULL: out of memory */
    struct word_map frames; /* height of the frame, by gpc + 1 */
    struct word_map labels; /* the number of the string of a label with an argument, by its hash */
    struct word_map functions; /* size of the largest closure, by the function's number + 1 */
    struct mp_objects objects;
};

/* Whether the other threads of the process wait in system calls, so that none holds a lock of
 * malloc, which a child process could never acquire. GC: never. */
bool mp_other_threads_wait(void);

/* In such a child: a thread that had woken up meanwhile may have held a lock of the C library, for
 * which this one, whose only thread the caller is, would wait for ever. So it ends when it has
 * used no CPU time for some seconds. */
struct mp_stall_watch {
    const struct mp_snapshot_options *options; /* whose report gets EDEADLK */
    const char *path;
    struct mp_output *output; /* what was written is removed (HS2) */
    uint64_t used_ns;
    unsigned idle; /* ticks */
};
/* Watches until the process ends. GC: never. */
void mp_stall_watch_start(struct mp_stall_watch *watch);

/* Write records NAME and TYPED: for the variables of all `frames`; for OCaml's own exceptions; for
 * what closures of all `functions` captured; for the fields of modules. Fail: when out of memory,
 * names are missing. GC: never. */
void mp_snapshot_name_frames(struct mp_named *named);
void mp_snapshot_name_exceptions(struct mp_named *named);
void mp_snapshot_name_closures(struct mp_named *named);
void mp_snapshot_name_modules(struct mp_named *named);
/* Adds an object, or another block of its tag, to those that get names; writes these names: of
 * classes, and of instance variables with their types. GC: never. */
void mp_snapshot_add_object(struct mp_named *named, value v);
void mp_snapshot_name_objects(struct mp_named *named);
/* Writes what blocks of all types look like that were named so far. GC: never. */
void mp_snapshot_types(struct mp_named *named);
/* Writes the blocks that a recording has sampled, with where they were allocated. GC: never. */
void mp_snapshot_samples(struct mp_named *named);
/* Writes which blocks may be polymorphic variants, by the labels that types have. GC: never. */
void mp_snapshot_labels(struct mp_named *named);
/* Frees what it owns. */
void mp_named_free(struct mp_named *named);

/* Writes all roots that lead to blocks, with the names of variables before them. GC: never. */
void mp_snapshot_roots(struct mp_named *named);

/* The blocks, as they are written to records BLOCKS. */
struct mp_shapes {
    struct domain *d;
    struct mp_names *names;
    struct mp_named *named;
    struct mp_record_heap *total;
    uint64_t end;        /* the number of the word after the last block */
    uint64_t block;      /* the number of the block that is being written */
    uint64_t next_field; /* of it: the one after the last edge's */
    uint64_t fields;     /* of it: with the values of its fiber */
    size_t used;
    uint8_t bytes[1 << 16];
};

/* Writes all reachable blocks and counts them in *total. GC: never. */
void mp_snapshot_blocks(struct mp_shapes *shapes);
/* Writes short contents of these blocks, after all of them. False: out of memory. GC: never. */
bool mp_snapshot_contents(struct domain *d, struct mp_writer *w);

#endif
