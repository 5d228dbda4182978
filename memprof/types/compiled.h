/* compiled.h - what the compiler has marshalled about types: signatures in .cmi files, environments
 * in debug events. It is the same data in both, and for the fields that are read here the same from
 * OCaml 4.13 to 5.4.
 *
 * TY1  Nothing of it is trusted: files may be damaged, or made to do harm. Each shape is tested, a
 *      list or chain is followed while there is work left (mp_work), recursion to a bound. */
#ifndef BACTRIAN_MEMPROF_TYPES_COMPILED_H
#define BACTRIAN_MEMPROF_TYPES_COMPILED_H

#include "gc/value.h"

#include <stdbool.h>
#include <stdint.h>

/* Tags of identifiers, of paths, and of descriptions of types. */
enum { IDENT_LOCAL, IDENT_SCOPED, IDENT_GLOBAL, IDENT_PREDEFINED };
enum { PATH_IDENT, PATH_DOT, PATH_APPLY };
enum { TYPE_VARIABLE, TYPE_TUPLE = 2, TYPE_CONSTRUCTED = 3, TYPE_LINK = 6, TYPE_ROW = 8 };
enum { TYPE_POLYMORPHIC = 10 };
/* Tags of types of modules. */
enum { MODULE_IDENT, MODULE_SIGNATURE, MODULE_FUNCTOR, MODULE_ALIAS };

/* How many steps may still be made. */
struct mp_work {
    uint64_t left;
};
static inline bool mp_step(struct mp_work *work) { return work->left > 0 && work->left-- > 0; }

/* Whether v is a block of that tag with at least that many fields. */
static inline bool mp_is_block(value v, unsigned tag, size_t fields) {
    return is_block(v) && tag_of(v) == tag && wosize_of(v) >= fields;
}
/* The text of a string; NULL: it is not one. */
const char *mp_text_at(value v);
/* Whether two lists have the same length. */
bool mp_same_length(value a, value b, struct mp_work *work);
/* The name and the stamp of an identifier; NULL: it is not one. */
const char *mp_ident_name(value ident);
value mp_ident_stamp(value ident);
bool mp_same_ident(value a, value b);

/* An item of a signature, or an entry of an environment. */
struct mp_item {
    enum mp_item_kind {
        MP_ITEM_VALUE,
        MP_ITEM_TYPE,
        MP_ITEM_EXTENSION, /* an exception, or another constructor of an extensible type */
        MP_ITEM_MODULE,
        MP_ITEM_MODULE_TYPE,
        MP_ITEM_CLASS, /* of a signature */
        MP_ITEM_OTHER
    } kind;
    value ident;
    value what; /* its description */
};
/* Of an item of a signature; false: it is not one. */
bool mp_signature_item(value v, struct mp_item *item);
/* Of an entry of an environment, which is a block whose first field is the one before it. */
bool mp_environment_entry(value v, struct mp_item *item);

/* The type of a value, from its description; an integer: none. */
value mp_type_of_value(value description);
/* Whether a value's description is that of an object's instance variable, as its methods see it. */
bool mp_is_instance_variable(value description);
/* The type of an instance variable of that name, from the declaration of a class; an integer: the
 * class has none, or hides it. */
value mp_type_in_class(value declaration, const char *name, struct mp_work *work);
/* The type of a module, or that a name of one stands for; an integer: none. */
value mp_type_of_module(value description);
value mp_type_of_module_type(value description);

/* The identifier of a functor's parameter; an integer: it has none. */
value mp_functor_parameter(value type);
/* The identifier of a functor's parameter whose body the environment after this entry is in; an
 * integer: the entry is another one. */
value mp_entry_parameter(value entry);

/* The type that a type is linked to, if it is. */
value mp_linked(value type, struct mp_work *work);
/* The description of a type without links; an integer: it has none. */
value mp_description(value type);

/* The labels of a polymorphic variant from its description, a list of no checked shape, and the
 * type that has the others. False: it is not one. */
bool mp_row_of(value description, value *labels, value *more);
/* A label of a row, and the type of its argument; an integer: it has none, or it is not known.
 * has_cells: as from OCaml 4.14 on. */
bool mp_row_label(value v, bool has_cells, struct mp_work *work, const char **name,
                  value *argument);

/* A declaration of a type. Lists are of no checked shape. */
struct mp_declaration {
    enum { MP_ABSTRACT, MP_RECORD, MP_VARIANT, MP_EXTENSIBLE } kind;
    value parameters, parts; /* labels or constructors */
    value manifest;          /* a type; an integer: none */
    bool unboxed;
};
/* False: it is not one. has_origins: abstract types say where they are from, as from 5.2 on. */
bool mp_declaration_of(value v, bool has_origins, struct mp_declaration *out);

/* A label of a record: its name and type. */
bool mp_label_of(value v, const char **name, value *type);
/* A constructor: its name; its arguments, a list of types, or of labels; the type that it makes, or
 * an integer. */
struct mp_constructor {
    const char *name;
    value arguments, result;
    bool inlined; /* the arguments are labels */
};
bool mp_constructor_of(value v, struct mp_constructor *out);
/* The constructor that an item has, without its name, and the path of the type that it extends. */
bool mp_extension_of(value v, value *path, struct mp_constructor *out);

#endif
