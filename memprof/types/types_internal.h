/* types_internal.h - units of compilation, and scopes in which their names have a meaning. */
#ifndef BACTRIAN_MEMPROF_TYPES_TYPES_INTERNAL_H
#define BACTRIAN_MEMPROF_TYPES_TYPES_INTERNAL_H

#include "gc/containers.h"
#include "memprof/types/compiled.h"
#include "memprof/types/types.h"
#include "vm/marshal/interface.h"
#include "vm/marshal/variables.h"

enum { MP_MOST_DEPTH = 40 };

/* Where identifiers are looked up: in a signature, in the environments of a unit's debug events, or
 * further out. One that has an argument is that of an applied functor: it has no items, but says
 * what the parameter stands for. The environments of a functor's body may have the result of
 * another functor, which includes what that body makes. There is one scope of each kind
 * (mp_types.scopes), so that a type that leads to itself is found again. */
struct mp_scope {
    const struct mp_scope *outer;
    struct mp_unit *unit;
    value items;      /* of a signature; an integer: the environments */
    const char *name; /* of its module below the unit, or of the functor; NULL: none */
    bool from_debug;
    value parameter, argument;             /* an identifier, and a path in: */
    const struct mp_scope *argument_scope; /* NULL: it has no argument */
    const struct mp_scope *result;         /* NULL: it has none */
    value body;                            /* with it: the chain from the parameter on */
    unsigned depth;              /* how many applications are around it, or in arguments */
    const struct mp_scope *same; /* the next of its hash */
};

/* A unit of compilation. */
struct mp_unit {
    char *name;
    uint64_t gpc;    /* in its code, or VM_NO_GPC: it is not linked, or not known */
    uint64_t fields; /* of its block; 0: not known */
    bool interface_tried, debug_tried;
    struct vm_interface interface;
    const struct mp_scope *interface_scope; /* NULL: there is no .cmi file */
    struct vm_arena arena;                  /* of its debug events */
    const struct mp_scope *debug_scope;     /* NULL: there are none */
    struct VECTOR(struct mp_entry {
        struct mp_item item;
        value chain;          /* which begins with it */
    }) entries;               /* of its environments, each identifier once */
    struct word_map by_stamp; /* index + 1 in entries */
    struct word_map modules;  /* how many modules are entered directly after a chain */
};

struct mp_types {
    struct vm *vm;
    bool has_origins, has_cells; /* as in mp_declaration_of, mp_row_label */
    struct mp_work work;
    struct vm_arena arena;  /* of scopes, and texts */
    struct word_map scopes; /* the first scope of a hash */
    struct vm_variables variables;
    struct VECTOR(struct mp_unit *) units;
    struct VECTOR(char *) folders; /* in which .cmi files lie */
    size_t debug_bytes;            /* read so far */
    struct VECTOR(struct mp_type) types;
    struct VECTOR(uint32_t) arguments;
    struct word_map by_hash; /* the first type of a hash */
};

/* ---- units.c ---- */

/* The unit of that name, or whose code a gpc is in; NULL: none, or out of memory. */
struct mp_unit *mp_unit_named(struct mp_types *types, const char *name);
struct mp_unit *mp_unit_at(struct mp_types *types, uint64_t gpc);
/* The scope of a unit's interface, of its debug events; NULL: it has none. */
const struct mp_scope *mp_interface_of(struct mp_types *types, struct mp_unit *unit);
const struct mp_scope *mp_debug_of(struct mp_types *types, struct mp_unit *unit);
/* Reads a list of debug events of a unit, of no checked shape: sets its entries and debug_scope. */
void mp_unit_read_events(struct mp_types *types, struct mp_unit *unit, value events);
/* The entry with that identifier, of a unit whose debug events are read; NULL: none. */
const struct mp_item *mp_unit_entry(const struct mp_unit *unit, value ident);
/* The type of that name that a unit defines at its top level. NULL: none, or that is not sure. */
const struct mp_item *mp_unit_type(struct mp_types *types, const struct mp_unit *unit,
                                   const char *name);
/* The only one besides that one, if there is one at the top, with as many parameters: that of a
 * functor's body, for example. NULL: none, or several. */
const struct mp_item *mp_unit_inner_type(struct mp_types *types, const struct mp_unit *unit,
                                         const char *name, value parameters, bool one_at_top);
/* The chain from the last parameter on of the functor in whose body an item that was found in the
 * unit is; an integer: it is in no functor. */
value mp_unit_body(struct mp_types *types, const struct mp_unit *unit, const struct mp_item *item);
enum { MP_MOST_PARAMETERS = 8 };
/* The parameters of the functor of that name whose body this is, the last one first. Returns how
 * many; 0: it may be another functor's. */
unsigned mp_unit_parameters(struct mp_types *types, const struct mp_unit *unit, value body,
                            const char *functor, value parameters[MP_MOST_PARAMETERS]);
/* The only one with as many parameters in the body of the functor of that name, which has `count`
 * parameters. NULL: none, or several. */
const struct mp_item *mp_unit_functor_type(struct mp_types *types, const struct mp_unit *unit,
                                           const char *name, value parameters, const char *functor,
                                           unsigned count);
void mp_units_free(struct mp_types *types);

/* ---- scopes.c ---- */

/* What a path leads to. */
struct mp_found {
    struct mp_item item;
    const struct mp_scope *scope; /* in which it is defined; NULL: nothing was found */
    bool at_top;                  /* of its unit */
};

/* The type that a path names in a scope; what is abstract in an interface as the implementation has
 * it, if that is known. */
struct mp_found mp_find_type(struct mp_types *types, const struct mp_scope *scope, value path);
/* The scope of the signature of a module of that description and name; NULL: it has none. */
const struct mp_scope *mp_inside_of(struct mp_types *types, const struct mp_scope *scope,
                                    value description, const char *name);
/* The innermost scope from there on that has an argument, or a functor's result: types of others
 * are not the same. NULL: there is none. */
const struct mp_scope *mp_instance(const struct mp_scope *scope);
/* A scope of a unit; NULL: out of memory. */
const struct mp_scope *mp_scope_of_unit(struct mp_types *types, struct mp_unit *unit, value items);

/* ---- types.c ---- */

enum mp_type_form {
    MP_TYPE_NAMED, /* what: its declaration, an integer if that is not known */
    MP_TYPE_TUPLE,
    MP_TYPE_ARRAY,
    MP_TYPE_LIST,
    MP_TYPE_OPTION,
    MP_TYPE_LAZY,
    MP_TYPE_STRUCTURE,  /* what: its signature */
    MP_TYPE_EXTENSIBLE, /* exn; others are named */
    MP_TYPE_EXTENSION,  /* a constructor of such a type. what: its description; an integer: one of
                           OCaml's own exceptions */
    MP_TYPE_ROW,        /* a polymorphic variant. what: its description */
};
struct mp_type {
    enum mp_type_form form;
    value what;
    const struct mp_scope *scope; /* of the declaration */
    const char *name;             /* of a named one, or that a constructor extends */
    const char *constructor;      /* NULL: it is not one */
    value parameters;             /* of a row: what its arguments stand for */
    uint32_t first, count;        /* its arguments */
    uint32_t depth;               /* of its arguments, plus 1 */
    uint32_t same;                /* the next of its hash + 1; 0: none */
};

/* The number of a type of the compiler's in a scope; 0: not known. */
uint32_t mp_number_of_type(struct mp_types *types, const struct mp_scope *scope, value type);
/* What a scope defines under a name: `Cache.entry`, of a library's `Library__Cache` too; `ref`, of
 * Stdlib, which every unit opens. Owned by types. NULL: out of memory. */
const char *mp_full_name(struct mp_types *types, const struct mp_scope *scope, const char *name);

#endif
