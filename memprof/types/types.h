/* types.h - the types of values in the heap: what fields of records and constructors are called.
 *
 * Types come from the .cmi files of the program's modules, and from the environments in debug
 * events, which also have what an interface hides. A type gets a number when something is first
 * found to be of it; what its blocks look like is described afterwards.
 *
 * TY2  A type whose parts cannot be found out is number 0, or is described without blocks. A reader
 *      compares a description with the block first: a program may lie about its types. */
#ifndef BACTRIAN_MEMPROF_TYPES_TYPES_H
#define BACTRIAN_MEMPROF_TYPES_TYPES_H

#include "gc/value.h"
#include "memprof/format/format.h"

struct gc_domain;
struct mp_scope;
struct mp_types;
struct vm;

/* NULL: out of memory. Later, when memory is missing types are. GC: never, like all below. */
struct mp_types *mp_types_create(struct vm *vm);
void mp_types_free(struct mp_types *types); /* NULL is fine */

/* A field of a module: its name, until the types are freed; its type, or 0. */
typedef void mp_field_visitor(void *context, const char *name, uint32_t field, uint32_t type);
/* Calls f with the fields of the module in a global, whose block has as many fields, if its .cmi
 * file is found. */
void mp_types_of_global(struct mp_types *types, uint32_t global, uint64_t fields,
                        mp_field_visitor *f, void *context);

/* The type of a variable, by the identifier that a debug event of the unit of a gpc has for it; 0:
 * not known. */
uint32_t mp_types_of_variable(struct mp_types *types, uint64_t gpc, value ident);

/* The type of an exception of OCaml's own, by its global. */
uint32_t mp_types_of_exception(struct mp_types *types, uint32_t global);

/* Whether such a variable is an instance variable of the object whose method the code is of. */
bool mp_types_is_instance_variable(struct mp_types *types, uint64_t gpc, value ident);

/* A class that a module defines, or a module in it: its name, until the types are freed; its value
 * in the module's block. */
struct mp_class {
    const char *name;
    value value;
    value declaration;
    const struct mp_scope *scope; /* of the declaration */
};
typedef void mp_class_visitor(void *context, const struct mp_class *class);
/* Calls f with the classes of the module in a global, if its .cmi file is found. */
void mp_types_classes(struct mp_types *types, const struct gc_domain *heap, uint32_t global,
                      mp_class_visitor *f, void *context);
/* The type of an instance variable of a class, by its name; 0: not known. */
uint32_t mp_types_in_class(struct mp_types *types, const struct mp_class *class, const char *name);

/* Receives the description of a type: blocks, each followed by its fields. */
struct mp_type_output {
    void *context;
    /* A type, as in TYPE. */
    void (*type)(void *context, const char *name, enum mp_type_source source);
    /* Blocks of it, as in SHAPE. Constructor: NULL, none. */
    void (*shape)(void *context, enum mp_shape_kind kind, unsigned tag, const char *constructor);
    /* A field of the last shape. Name: NULL, none. */
    void (*member)(void *context, const char *name, uint32_t type);
};
/* Describes all types that have numbers, in their order, and those that get one meanwhile. */
void mp_types_describe(struct mp_types *types, const struct mp_type_output *output);

#endif
