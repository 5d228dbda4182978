/* graph.h - a heap snapshot in memory: a graph of roots and blocks.
 *
 *     node 0           all roots
 *     1 .. roots       a root each: slots that have the same name are one
 *     roots + 1 ..     the blocks, by their addresses
 *
 * Successors of node n are edges[first[n]] .. edges[first[n + 1] - 1].
 *
 * HG1  Every edge leads to a node; every node of a whole snapshot is reachable from node 0. */
#ifndef BACTRIAN_MEMPROF_REPORT_HEAP_GRAPH_H
#define BACTRIAN_MEMPROF_REPORT_HEAP_GRAPH_H

#include "memprof/format/reader.h"
#include "memprof/report/heap/contents.h"
#include "memprof/report/model/base.h"

/* What a root is: of the file, with its texts. */
struct heap_root {
    enum mp_root_kind kind;
    char *name;               /* of the module, the library, the part of the machine, or a variable
                                 of the stack; owned */
    struct mp_location place; /* of a slot of the stack; its texts are owned */
    uint64_t slot;            /* of a named variable: 0 */
    uint64_t slots;           /* how many were merged */
    uint32_t type;            /* of all of them; 0: not known, or several */
    bool is_exception;        /* a global that is one of OCaml's own exceptions */
};

/* What a block is: a tag, a size if blocks of that tag differ by it, and a name or a type. */
struct heap_kind {
    uint8_t tag;
    uint32_t words; /* the largest size of its class; 0: any */
    char *name;     /* of a closure's function, or a custom block's operations; NULL: none; owned */
    char *type;     /* `Cache.session`, `Cons of Cache.node`; NULL: not known; owned */
    bool is_module; /* the block of a module */
    bool is_object; /* of a class: its type */
    uint32_t place; /* of a closure: the location of its function, by which kinds differ */
};

/* The name of a field. */
struct heap_name {
    enum mp_name_kind kind; /* MP_NAME_KINDS: of its block's type */
    uint32_t of, slot;      /* as in NAME, a block's node; of a type's: its shape, 0 */
    char *text;             /* owned; NULL: a field without a name, of a type */
    uint32_t type;          /* of what is in the field; 0: not known */
};

/* A type, with its shapes; a shape, with its fields. */
struct heap_type {
    enum mp_type_source source;
    char *name; /* NULL: none; owned */
    uint32_t first, count;
};
struct heap_shape {
    enum mp_shape_kind kind;
    unsigned tag;
    uint32_t type;         /* from 1 */
    char *constructor;     /* NULL: none; owned */
    uint32_t label;        /* the number of its string; 0: none */
    uint32_t first, count; /* in members */
};

/* The block of a module. */
struct heap_module {
    uint32_t node, global;
};

/* A block that may be a polymorphic variant of this label, a string's number. */
struct heap_label {
    uint32_t node, text;
};

/* A block that a recording had sampled. */
struct heap_sample {
    uint32_t node, place;
    uint64_t id; /* the number of the sample in the recording */
};

struct heap_graph {
    size_t nodes, roots;
    uint32_t *first, *edges;
    uint32_t *fields; /* of each edge, or HEAP_NO_FIELD */
    uint32_t *words;  /* of each block, with its header; by node - roots - 1 */
    uint32_t *kinds;  /* of each block, likewise */
    REPORT_VECTOR(struct heap_root) root_list; /* node n is at n - 1 */
    REPORT_VECTOR(struct heap_kind) kind_list;
    REPORT_VECTOR(struct heap_name) names;     /* sorted */
    REPORT_VECTOR(struct heap_type) types;     /* number n is at n - 1 */
    REPORT_VECTOR(struct heap_shape) shapes;   /* by type */
    REPORT_VECTOR(struct heap_name) members;   /* by shape */
    uint32_t *node_shapes;                     /* of each node, + 1; 0: not known. NULL: of none */
    REPORT_VECTOR(struct heap_module) modules; /* by node */
    REPORT_VECTOR(struct heap_label) labels;   /* by node */
    REPORT_VECTOR(struct heap_sample) samples; /* by node */
    REPORT_VECTOR(char *)
    places;                        /* `f (a.ml:1)` by the numbers of samples' places;
                                                  owned; NULL: not used */
    struct heap_contents contents; /* by node - roots - 1 */
    struct mp_record_heap total;   /* as the snapshot counted */
    char *program, *ocaml, *host;
    uint64_t pid;
};

enum { HEAP_NO_FIELD = UINT32_MAX };
/* What is kept of a name: texts of a hostile file may be long, and be named again and again. */
enum { HEAP_NAME_BYTES = 100 };

/* Loads a snapshot. Fails: NULL and *error, for all that is not a whole and consistent one; also as
 * report_alloc. */
struct heap_graph *heap_graph_load(const char *path, struct report_error *error);
/* The same of the bytes of a file. */
struct heap_graph *heap_graph_read(const char *path, const uint8_t *bytes, size_t length,
                                   struct report_error *error);
void heap_graph_free(struct heap_graph *graph); /* NULL is fine */

/* Whether fields of a block may have names. */
bool heap_has_names(const struct heap_graph *g, uint32_t node);
/* The name of a field of a block; NULL: not known. */
const struct heap_name *heap_field_name(const struct heap_graph *g, uint32_t node, uint32_t field);
/* The same of a module's block and a closure; of an object; not by a block's type. */
const struct heap_name *heap_own_name(const struct heap_graph *g, uint32_t node, uint32_t field);
const struct heap_name *heap_instance_variable(const struct heap_graph *g, uint32_t node,
                                               uint32_t field);
/* The class of an object; NULL: not known, or it is another block. */
const struct heap_name *heap_class(const struct heap_graph *g, uint32_t node);
/* Whether the name of a field is that of its block's type. */
static inline bool heap_is_of_type(const struct heap_name *name) {
    return name->kind == MP_NAME_KINDS;
}
/* The field of a node that leads to another one, if it has a name; else HEAP_NO_FIELD. */
uint32_t heap_named_field(const struct heap_graph *g, uint32_t from, uint32_t to);
/* Whether a node is the block of a module. */
bool heap_is_module(const struct heap_graph *g, uint32_t node);
/* The sample of a block; NULL: it was not sampled. */
const struct heap_sample *heap_sample_of(const struct heap_graph *g, uint32_t node);
/* The label of a block, if it may be a polymorphic variant; 0: it is not one. */
uint32_t heap_label_of(const struct heap_graph *g, uint32_t node);
/* The words of a node; 0 of a root. */
static inline uint64_t heap_words(const struct heap_graph *g, uint32_t node) {
    return node > g->roots ? g->words[node - g->roots - 1] : 0;
}
/* The kind of a block. */
static inline uint32_t heap_kind_of(const struct heap_graph *g, uint32_t node) {
    return g->kinds[node - g->roots - 1];
}

#endif
