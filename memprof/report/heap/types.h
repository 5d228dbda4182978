/* types.h - the types of blocks, found along the edges from what has a type in the snapshot: fields
 * of modules, captured variables, variables of the stack, in this order. The first type that fits a
 * block is its type.
 *
 * HG2  A block has a shape of its type: the same tag and number of fields. What a constructor of an
 *      extensible type made has the constructor's, and leads to its block; a polymorphic variant
 *      has the label. */
#ifndef BACTRIAN_MEMPROF_REPORT_HEAP_TYPES_H
#define BACTRIAN_MEMPROF_REPORT_HEAP_TYPES_H

#include "memprof/report/heap/graph.h"

/* Add what the snapshot describes: a type, a shape of the last one, a field of the last shape. The
 * text is "" if there is none. Fail: as report_alloc. */
void heap_add_type(struct heap_graph *g, const struct mp_record_type *record, const char *name);
void heap_add_shape(struct heap_graph *g, const struct mp_record_shape *record,
                    const char *constructor);
void heap_add_member(struct heap_graph *g, const struct mp_record_member *record, const char *name);
/* Finds the shapes of blocks, and divides kinds by types that have names, when all of the graph is
 * there. Fails: as report_alloc. */
void heap_find_types(struct heap_graph *g);
/* The field of a block's shape; NULL: the block has no shape, or that has no such field. */
const struct heap_name *heap_member(const struct heap_graph *g, uint32_t node, uint32_t field);
/* The first field of a block that is part of its value: others say which exception, or which
 * polymorphic variant it is. */
uint32_t heap_first_field(const struct heap_graph *g, uint32_t node);
/* Whether the fields of a block's shape may have names. */
bool heap_has_members(const struct heap_graph *g, uint32_t node);
/* Whether a block's type says that it is an array. */
bool heap_is_array(const struct heap_graph *g, uint32_t node);
/* The type of the elements of an array, from the array's type; 0: it is not one, or not known. */
uint32_t heap_element_type(const struct heap_graph *g, uint32_t node);
/* What an integer is that is found in place of a block of a type, if it stands for no value: the
 * type's only constant constructor (`None`, `Empty`); "empty" if the type has none, as those of
 * records. NULL: integers may be data, or it is not known. */
const char *heap_empty_text(const struct heap_graph *g, uint32_t type);
/* The name of a type; NULL: it has none. */
const char *heap_type_name(const struct heap_graph *g, uint32_t type);
/* What a block leads to by the only field that is of the block's own type, such as the next cell of
 * a list; 0: there is none. */
uint32_t heap_next_cell(const struct heap_graph *g, uint32_t node);
/* The name of the type of what is in a field, if that is one of OCaml's own, such as `bytes`; NULL:
 * it is not, or not known. */
const char *heap_built_in(const struct heap_graph *g, uint32_t node, uint32_t field);
/* The constant constructor that an integer in a field is; NULL: none, or not known. */
const char *heap_constant(const struct heap_graph *g, uint32_t node, uint32_t field,
                          int64_t number);
void heap_types_free(struct heap_graph *g);

#endif
