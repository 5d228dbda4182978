/* types.c - see types.h. Types are numbers of the snapshot; any number may be wrong in a damaged
 * one, and is then unknown. */
#include "memprof/report/heap/types.h"

#include "gc/assert.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SAME = 8, MOST_ROUNDS = 8, TAG_CLOSURE = 247, TAG_OBJECT };

/* ---- Descriptions. ---- */

static char *text_of(const char *text) {
    return text[0] == 0 ? NULL : report_format("%.*s", HEAP_NAME_BYTES, text);
}

void heap_add_type(struct heap_graph *g, const struct mp_record_type *record, const char *name) {
    const struct heap_type type = {record->source, text_of(name), (uint32_t)g->shapes.count, 0};
    report_append(&g->types, type);
}

void heap_add_shape(struct heap_graph *g, const struct mp_record_shape *record,
                    const char *constructor) {
    const struct heap_shape shape = {
        .kind = record->kind,
        .tag = record->tag,
        .type = (uint32_t)g->types.count,
        .constructor = text_of(constructor),
        .label = record->kind == MP_SHAPE_LABEL ? (uint32_t)record->constructor : 0,
        .first = (uint32_t)g->members.count,
    };
    ASSERT(g->types.count > 0);
    report_append(&g->shapes, shape);
    g->types.at[g->types.count - 1].count++;
}

void heap_add_member(struct heap_graph *g, const struct mp_record_member *record,
                     const char *name) {
    ASSERT(g->shapes.count > 0);
    struct heap_shape *shape = &g->shapes.at[g->shapes.count - 1];
    const struct heap_name member = {.kind = MP_NAME_KINDS,
                                     .of = (uint32_t)g->shapes.count - 1,
                                     .type = (uint32_t)record->type,
                                     .text = text_of(name)};
    report_append(&g->members, member);
    shape->count++;
}

/* The name of a constructor itself: `Error` of `Cache.Error`. */
static const char *short_name(const struct heap_shape *shape) {
    const char *name = shape->constructor, *dot = NULL;
    if (name != NULL && shape->kind == MP_SHAPE_CONSTRUCTOR) dot = strrchr(name, '.');
    return dot == NULL ? name : dot + 1;
}

/* `Cons.data`, `Some`, `Node.0`. */
static void name_members(struct heap_graph *g) {
    report_each(shape, &g->shapes) {
        const char *constructor = short_name(shape);
        for (uint32_t i = 0; constructor != NULL && i < shape->count; i++) {
            struct heap_name *member = &g->members.at[shape->first + i];
            char *text = member->text != NULL ? report_format("%s.%s", constructor, member->text)
                         : shape->count == 1  ? report_copy(constructor)
                                              : report_format("%s.%u", constructor, i);
            report_replace(&member->text, text);
        }
    }
}

void heap_types_free(struct heap_graph *g) {
    report_each(type, &g->types) { free(type->name); }
    report_each(shape, &g->shapes) { free(shape->constructor); }
    report_each(member, &g->members) { free(member->text); }
    report_free(g->types.at, g->shapes.at, g->members.at, g->node_shapes);
}

/* ---- Blocks. ---- */

/* The block of a constructor has a name and a number, a polymorphic variant a label and a value. */
enum { CONSTRUCTOR_WORDS = 3, LABELLED_WORDS = 3 };

static unsigned tag_of_node(const struct heap_graph *g, uint32_t node) {
    return g->kind_list.at[heap_kind_of(g, node)].tag;
}

static bool fits(const struct heap_graph *g, const struct heap_shape *shape, uint32_t node) {
    const uint64_t words = heap_words(g, node);
    if (tag_of_node(g, node) != shape->tag) return false;
    switch (shape->kind) {
    case MP_SHAPE_FIELDS: return shape->count > 0 && words == (uint64_t)shape->count + 1;
    case MP_SHAPE_ARRAY: return shape->count > 0;
    case MP_SHAPE_CONSTRUCTOR: return words == CONSTRUCTOR_WORDS;
    case MP_SHAPE_LABEL:
        return words == LABELLED_WORDS && shape->count == 1 && shape->label != 0 &&
               heap_label_of(g, node) == shape->label;
    default: return false;
    }
}

/* The number of the shape of the constructor that made a block, plus 1; 0: none, or its block has
 * no type yet. */
static uint32_t made_by(const struct heap_graph *g, uint32_t node) {
    const uint32_t first = g->first[node];
    if (tag_of_node(g, node) != 0 || first == g->first[node + 1] || g->fields[first] != 0) return 0;
    const uint32_t number = g->node_shapes[g->edges[first]];
    if (number == 0) return 0;
    const struct heap_shape *shape = &g->shapes.at[number - 1];
    bool made = shape->kind == MP_SHAPE_CONSTRUCTOR &&
                tag_of_node(g, g->edges[first]) == TAG_OBJECT && shape->count > 0 &&
                heap_words(g, node) == (uint64_t)shape->count + 2;
    return made ? number : 0;
}

/* The number of the shape that a block of a type has, plus 1; 0: none. *extensible is set if the
 * type is. */
static uint32_t shape_of(const struct heap_graph *g, uint32_t type, uint32_t node,
                         bool *extensible) {
    for (unsigned step = 0; step < MOST_SAME && type != 0 && type <= g->types.count; step++) {
        const struct heap_type *t = &g->types.at[type - 1];
        type = 0;
        for (uint32_t i = t->first; i < t->first + t->count; i++) {
            const struct heap_shape *shape = &g->shapes.at[i];
            if (fits(g, shape, node)) return i + 1; /* HG2 */
            if (shape->kind == MP_SHAPE_MADE) {
                *extensible = true;
                return made_by(g, node);
            }
            if (shape->kind == MP_SHAPE_SAME && shape->count > 0)
                type = g->members.at[shape->first].type;
        }
    }
    return 0;
}

/* NULL: not known. */
static const struct heap_shape *known_shape(const struct heap_graph *g, uint32_t node) {
    if (g->node_shapes == NULL || node <= g->roots || g->node_shapes[node] == 0) return NULL;
    return &g->shapes.at[g->node_shapes[node] - 1];
}

uint32_t heap_first_field(const struct heap_graph *g, uint32_t node) {
    const struct heap_shape *shape = known_shape(g, node);
    if (shape == NULL || tag_of_node(g, node) != 0) return 0;
    return shape->kind == MP_SHAPE_CONSTRUCTOR || shape->kind == MP_SHAPE_LABEL;
}

/* Blocks that have just got a type; those of an extensible type whose constructor has none yet. */
struct finder {
    struct heap_graph *graph;
    struct report_numbers queue, waiting;
};

static void set_type(struct finder *f, uint32_t node, uint32_t type) {
    struct heap_graph *g = f->graph;
    bool extensible = false;
    if (node <= g->roots || g->node_shapes[node] != 0 || type == 0) return;
    g->node_shapes[node] = shape_of(g, type, node, &extensible);
    if (g->node_shapes[node] != 0) report_append(&f->queue, node);
    else if (extensible && tag_of_node(g, node) == 0) report_append(&f->waiting, node);
}

/* The member that a field of a block is; NULL: none. */
static const struct heap_name *member_at(const struct heap_graph *g, uint32_t node,
                                         const struct heap_shape *shape, uint32_t field) {
    const uint32_t first = heap_first_field(g, node);
    if (shape->kind == MP_SHAPE_ARRAY) field = 0;
    if (shape->kind == MP_SHAPE_CONSTRUCTOR && tag_of_node(g, node) == TAG_OBJECT) return NULL;
    if (field < first || field - first >= shape->count) return NULL;
    return &g->members.at[shape->first + field - first];
}

/* Sets the types of what leads on from all blocks of the queue. */
static void follow(struct finder *f) {
    const struct heap_graph *g = f->graph;
    while (f->queue.count > 0) {
        const uint32_t node = f->queue.at[--f->queue.count];
        const struct heap_shape *shape = &g->shapes.at[g->node_shapes[node] - 1];
        for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++) {
            const struct heap_name *member = member_at(g, node, shape, g->fields[e]);
            if (member != NULL) set_type(f, g->edges[e], member->type);
        }
    }
}

/* Sets the types of what fields with names of their own lead to. */
static void set_named(struct finder *f, uint32_t node) {
    const struct heap_graph *g = f->graph;
    for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++) {
        const struct heap_name *name = heap_own_name(g, node, g->fields[e])
                                           ?: heap_instance_variable(g, node, g->fields[e]);
        if (name != NULL) set_type(f, g->edges[e], name->type);
    }
}

/* Sets the shapes of blocks whose constructors have got types meanwhile. */
static void set_waiting(struct finder *f) {
    struct heap_graph *g = f->graph;
    size_t before = SIZE_MAX;
    for (unsigned round = 0; round < MOST_ROUNDS && f->waiting.count < before; round++) {
        const size_t count = before = f->waiting.count;
        size_t kept = 0;
        for (size_t i = 0; i < count; i++) {
            const uint32_t node = f->waiting.at[i];
            if (g->node_shapes[node] != 0) continue;
            g->node_shapes[node] = made_by(g, node);
            if (g->node_shapes[node] != 0) report_append(&f->queue, node);
            else f->waiting.at[kept++] = node;
        }
        f->waiting.count = kept;
        follow(f);
    }
}

/* ---- Kinds. ---- */

/* `Cons of Cache.node`, `` `Full``; NULL: the type has no name. */
static char *shape_text(const struct heap_graph *g, const struct heap_shape *shape) {
    const char *name = g->types.at[shape->type - 1].name;
    if (name == NULL)
        return shape->kind == MP_SHAPE_LABEL && shape->constructor != NULL
                   ? report_copy(shape->constructor)
                   : NULL;
    return shape->constructor == NULL ? report_copy(name)
                                      : report_format("%s of %s", shape->constructor, name);
}

/* A kind with the type of a shape, or with a class, in place of one without. */
struct typed_kind {
    uint32_t kind, typed;
    uint32_t type; /* the number of a shape; of a class, that of its name after all of these */
};

struct typed_kinds {
    REPORT_VECTOR(struct typed_kind) list;
    struct report_hash table;
};

static bool same_typed(const void *owner, uint32_t number, const void *key) {
    const struct typed_kind *a = &((const struct typed_kinds *)owner)->list.at[number], *b = key;
    return a->kind == b->kind && a->type == b->type;
}

/* The kind of that type; several types may have one name, whose blocks are of one kind. */
static uint32_t add_kind(struct heap_graph *g, uint32_t kind, uint32_t type, size_t untyped) {
    bool is_object = type >= g->shapes.count;
    char *text = is_object ? text_of(g->names.at[type - g->shapes.count].text)
                           : shape_text(g, &g->shapes.at[type]);
    if (text == NULL) return kind;
    struct heap_kind typed = g->kind_list.at[kind];
    typed.is_object = is_object;
    for (size_t i = untyped; i < g->kind_list.count; i++) {
        const struct heap_kind *other = &g->kind_list.at[i];
        if (other->tag != typed.tag || other->words != typed.words ||
            other->is_object != is_object || strcmp(other->type, text) != 0)
            continue;
        free(text);
        return (uint32_t)i;
    }
    typed.type = text;
    report_append(&g->kind_list, typed);
    return (uint32_t)g->kind_list.count - 1;
}

static uint32_t typed_kind(struct heap_graph *g, struct typed_kinds *known, uint32_t kind,
                           uint32_t type, size_t untyped) {
    struct typed_kind key = {.kind = kind, .type = type};
    const uint64_t hash = report_hash_number((uint64_t)kind << 32 | type);
    uint32_t number = report_hash_find(&known->table, hash, same_typed, known, &key);
    if (number == REPORT_NO_NUMBER) {
        key.typed = add_kind(g, kind, type, untyped);
        number = (uint32_t)known->list.count;
        report_append(&known->list, key);
        report_hash_add(&known->table, hash, number);
    }
    return known->list.at[number].typed;
}

static void divide_kinds(struct heap_graph *g) {
    struct typed_kinds known = {0};
    const size_t untyped = g->kind_list.count;
    for (size_t n = g->roots + 1; n < g->nodes; n++) {
        uint32_t *kind = &g->kinds[n - g->roots - 1];
        const struct heap_kind *now = &g->kind_list.at[*kind];
        const struct heap_name *class = heap_class(g, (uint32_t)n);
        const uint32_t shape = g->node_shapes == NULL ? 0 : g->node_shapes[n];
        if (now->name != NULL || now->is_module || (shape == 0 && class == NULL)) continue;
        const uint32_t type = shape != 0 ? shape - 1
                                         : (uint32_t)(g->shapes.count + (class - g->names.at));
        *kind = typed_kind(g, &known, *kind, type, untyped);
    }
    report_free(known.list.at, known.table.slots);
}

void heap_find_types(struct heap_graph *g) {
    struct finder f = {.graph = g};
    if (g->shapes.count == 0) {
        divide_kinds(g);
        return;
    }
    name_members(g);
    g->node_shapes = report_alloc(g->nodes * sizeof *g->node_shapes);
    report_each(module, &g->modules) { set_named(&f, module->node); }
    follow(&f);
    for (unsigned tag = TAG_CLOSURE; tag <= TAG_OBJECT; tag++) {
        for (size_t n = g->roots + 1; n < g->nodes; n++)
            if (tag_of_node(g, (uint32_t)n) == tag) set_named(&f, (uint32_t)n);
        follow(&f);
    }
    for (uint32_t n = 1; n <= g->roots; n++)
        for (uint32_t e = g->first[n]; e < g->first[n + 1]; e++)
            set_type(&f, g->edges[e], g->root_list.at[n - 1].type);
    follow(&f);
    set_waiting(&f);
    divide_kinds(g);
    report_free(f.queue.at, f.waiting.at);
}

const struct heap_name *heap_member(const struct heap_graph *g, uint32_t node, uint32_t field) {
    const struct heap_shape *shape = known_shape(g, node);
    return shape != NULL && shape->kind != MP_SHAPE_ARRAY ? member_at(g, node, shape, field) : NULL;
}

bool heap_has_members(const struct heap_graph *g, uint32_t node) {
    const struct heap_shape *shape = known_shape(g, node);
    return shape != NULL && shape->kind != MP_SHAPE_ARRAY;
}

bool heap_is_array(const struct heap_graph *g, uint32_t node) {
    const struct heap_shape *shape = known_shape(g, node);
    return shape != NULL && shape->kind == MP_SHAPE_ARRAY;
}

uint32_t heap_element_type(const struct heap_graph *g, uint32_t node) {
    const struct heap_shape *shape = known_shape(g, node);
    bool known = shape != NULL && shape->kind == MP_SHAPE_ARRAY && shape->count > 0;
    return known ? g->members.at[shape->first].type : 0;
}

const char *heap_type_name(const struct heap_graph *g, uint32_t type) {
    return type == 0 || type > g->types.count ? NULL : g->types.at[type - 1].name;
}

const char *heap_empty_text(const struct heap_graph *g, uint32_t type) {
    const char *constant = NULL;
    unsigned constants = 0, blocks = 0;
    bool named = false;
    if (type == 0 || type > g->types.count) return NULL;
    const struct heap_type *t = &g->types.at[type - 1];
    for (uint32_t i = t->first; i < t->first + t->count; i++) {
        const struct heap_shape *shape = &g->shapes.at[i];
        if (shape->kind == MP_SHAPE_SAME || shape->kind == MP_SHAPE_LABEL) return NULL;
        if (shape->kind == MP_SHAPE_ARRAY) return "[||]"; /* the empty array is no block */
        if (shape->kind == MP_SHAPE_CONSTANT) constant = shape->constructor;
        else named |= shape->constructor != NULL;
        constants += shape->kind == MP_SHAPE_CONSTANT;
        blocks += shape->kind != MP_SHAPE_CONSTANT;
    }
    if (constants > 0) return constants == 1 && blocks > 0 ? constant : NULL;
    if (blocks > 0) return named ? NULL : "empty"; /* named: format 11 has no constants */
    bool is_text = t->source == MP_TYPE_BUILT_IN && t->name != NULL &&
                   (strcmp(t->name, "string") == 0 || strcmp(t->name, "bytes") == 0);
    return is_text ? "empty" : NULL;
}

uint32_t heap_next_cell(const struct heap_graph *g, uint32_t node) {
    const struct heap_shape *shape = known_shape(g, node);
    uint32_t next = HEAP_NO_FIELD;
    for (uint32_t i = 0; shape != NULL && i < shape->count; i++) {
        if (g->members.at[shape->first + i].type != shape->type) continue;
        if (next != HEAP_NO_FIELD) return 0;
        next = i;
    }
    if (next == HEAP_NO_FIELD || shape->kind != MP_SHAPE_FIELDS) return 0;
    for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++)
        if (g->fields[e] == next) return g->edges[e];
    return 0;
}

/* The number of the type of what is in a field; 0: not known. */
static uint32_t type_in(const struct heap_graph *g, uint32_t node, uint32_t field) {
    if (node <= g->roots) return node == 0 ? 0 : g->root_list.at[node - 1].type;
    const struct heap_name *name = heap_own_name(g, node, field);
    const struct heap_shape *shape = known_shape(g, node);
    if (name == NULL && shape != NULL) name = member_at(g, node, shape, field);
    return name == NULL ? 0 : name->type;
}

const char *heap_constant(const struct heap_graph *g, uint32_t node, uint32_t field,
                          int64_t number) {
    const uint32_t type = type_in(g, node, field);
    if (type == 0 || type > g->types.count) return NULL;
    const struct heap_type *t = &g->types.at[type - 1];
    for (uint32_t i = t->first; i < t->first + t->count; i++) {
        const struct heap_shape *shape = &g->shapes.at[i];
        if (shape->kind == MP_SHAPE_CONSTANT && shape->tag == number) return shape->constructor;
    }
    return NULL;
}

const char *heap_built_in(const struct heap_graph *g, uint32_t node, uint32_t field) {
    const uint32_t type = type_in(g, node, field);
    if (type == 0 || type > g->types.count) return NULL;
    const struct heap_type *t = &g->types.at[type - 1];
    return t->source == MP_TYPE_BUILT_IN ? t->name : NULL;
}
