/* types.c - see types.h: types as numbers, and what their blocks look like.
 *
 * A number stands for a declaration and the numbers of its arguments, so `session list` and `'a
 * list` are two. Abbreviations are followed. A type that contains itself with ever larger arguments
 * ends at MOST_NESTING. */
#include "memprof/types/types_internal.h"
#include "vm/code/code.h"
#include "vm/code/version.h"
#include "vm/marshal/constants.h"
#include "vm/marshal/symbols.h"
#include "vm/stack/raise.h"
#include "vm/state/vm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TYPES = 20000, MOST_NESTING = 12, MOST_ARGUMENTS = 16, MOST_FIELDS = 10000 };
enum { MOST_CONSTRUCTORS = 246, MOST_CONSTANTS = 256, TAG_FORWARDED = 250 };
#define MOST_WORK 200000000

struct mp_types *mp_types_create(struct vm *vm) {
    struct mp_types *types = calloc(1, sizeof *types);
    if (types == NULL) return NULL;
    types->vm = vm;
    types->has_origins = vm->version->id >= OCAML_5_2;
    types->has_cells = vm->version->id >= OCAML_4_14;
    types->work.left = MOST_WORK;
    types->variables.vm = vm;
    return types;
}

void mp_types_free(struct mp_types *types) {
    if (types == NULL) return;
    mp_units_free(types);
    vm_arena_free(&types->arena);
    free(types->types.items);
    free(types->arguments.items);
    free(types->by_hash.entries);
    free(types->scopes.entries);
    free(types);
}

/* ---- Numbers. ---- */

static bool same_text(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_type(const struct mp_types *types, const struct mp_type *a,
                      const struct mp_type *b, const uint32_t *arguments) {
    return a->form == b->form && a->what == b->what && a->count == b->count &&
           mp_instance(a->scope) == mp_instance(b->scope) &&
           (is_block(a->what) ||
            (same_text(a->name, b->name) && same_text(a->constructor, b->constructor))) &&
           (a->count == 0 || memcmp(&types->arguments.items[a->first], arguments,
                                    a->count * sizeof *arguments) == 0);
}

static uintptr_t hash_of(const struct mp_type *type, const uint32_t *arguments) {
    uintptr_t hash = (uintptr_t)type->what * 31 + type->form;
    hash = hash * 31 + (uintptr_t)mp_instance(type->scope);
    for (uint32_t i = 0; i < type->count; i++) hash = hash * 1000003 + arguments[i];
    for (const char *c = is_int(type->what) && type->name != NULL ? type->name : ""; *c != 0; c++)
        hash = hash * 31 + (unsigned char)*c;
    return hash | 1;
}

/* The number of a type with these arguments; 0: too many, or out of memory. */
static uint32_t number_of(struct mp_types *types, struct mp_type type, const uint32_t *arguments) {
    const uintptr_t hash = hash_of(&type, arguments);
    const uintptr_t *known = word_map_find(&types->by_hash, hash);
    const uint32_t first = known == NULL ? 0 : (uint32_t)*known;
    for (uint32_t i = first; i != 0; i = types->types.items[i - 1].same)
        if (same_type(types, &types->types.items[i - 1], &type, arguments)) return i;
    type.depth = 1;
    for (uint32_t i = 0; i < type.count; i++) {
        if (arguments[i] != 0 && types->types.items[arguments[i] - 1].depth >= type.depth)
            type.depth = types->types.items[arguments[i] - 1].depth + 1;
    }
    if (type.depth > MOST_NESTING || types->types.count == MOST_TYPES) return 0;
    type.first = (uint32_t)types->arguments.count;
    type.same = first;
    for (uint32_t i = 0; i < type.count; i++)
        if (!vector_push(&types->arguments, arguments[i], 64, NULL)) return 0;
    uintptr_t *word = word_map_add(&types->by_hash, hash, 64, NULL);
    if (word == NULL || !vector_push(&types->types, type, 64, NULL)) return 0;
    return (uint32_t)(*word = types->types.count);
}

/* ---- Types of the compiler as numbers. ---- */

/* The parameters of a declaration, and the numbers that they stand for. */
struct binding {
    value parameters; /* a list */
    const uint32_t *numbers;
    uint32_t count;
};
static const struct binding unbound = {1, NULL, 0};

static uint32_t convert(struct mp_types *types, const struct mp_scope *scope,
                        const struct binding *binding, value type, unsigned depth);

static uint32_t bound(struct mp_types *types, const struct binding *binding, value variable) {
    value list = binding->parameters;
    for (uint32_t i = 0; i < binding->count && mp_is_block(list, 0, 2); i++, list = field(list, 1))
        if (mp_linked(field(list, 0), &types->work) == variable) return binding->numbers[i];
    return 0;
}

/* The numbers of a list of types; MOST_ARGUMENTS + 1: too many. */
static uint32_t convert_list(struct mp_types *types, const struct mp_scope *scope,
                             const struct binding *binding, value list, unsigned depth,
                             uint32_t *numbers) {
    uint32_t count = 0;
    for (; mp_is_block(list, 0, 2); list = field(list, 1)) {
        value type = field(list, 0);
        if (count == MOST_ARGUMENTS) return MOST_ARGUMENTS + 1;
        /* From OCaml 5.4 on tuples have labels: pairs, where types have four fields. */
        if (is_block(type) && wosize_of(type) == 2) type = field(type, 1);
        numbers[count++] = convert(types, scope, binding, type, depth + 1);
    }
    return count;
}

static uint32_t predefined(struct mp_types *types, const char *name, const uint32_t *arguments,
                           uint32_t count) {
    static const struct {
        const char *name;
        enum mp_type_form form;
    } known[] = {{"array", MP_TYPE_ARRAY},
                 {"iarray", MP_TYPE_ARRAY},
                 {"list", MP_TYPE_LIST},
                 {"option", MP_TYPE_OPTION},
                 {"lazy_t", MP_TYPE_LAZY}};
    struct mp_type type = {
        .form = MP_TYPE_NAMED, .what = val_of_int(0), .name = name, .count = count};
    for (size_t i = 0; count == 1 && i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0) type.form = known[i].form;
    if (strcmp(name, "exn") == 0) type.form = MP_TYPE_EXTENSIBLE;
    return number_of(types, type, arguments);
}

const char *mp_full_name(struct mp_types *types, const struct mp_scope *scope, const char *name) {
    char text[400], before[400];
    const char *unit = scope->unit->name;
    for (const char *at = unit; (at = strstr(at, "__")) != NULL && at[2] != 0;) unit = at += 2;
    snprintf(text, sizeof text, "%s", name);
    for (; scope != NULL && mp_step(&types->work); scope = scope->outer) {
        if (scope->name == NULL || scope->argument_scope != NULL) continue;
        snprintf(before, sizeof before, "%.180s.%.180s", scope->name, text);
        snprintf(text, sizeof text, "%s", before);
    }
    if (strcmp(unit, "Stdlib") == 0) snprintf(before, sizeof before, "%s", text);
    else snprintf(before, sizeof before, "%.190s.%.190s", unit, text);
    char *copy = vm_arena_alloc(&types->arena, strlen(before) + 1);
    return copy == NULL ? NULL : strcpy(copy, before);
}

/* A polymorphic variant has the name of its first abbreviation. */
static void name_row(struct mp_types *types, uint32_t number, const struct mp_found *found) {
    if (number == 0) return;
    const struct mp_type *type = &types->types.items[number - 1];
    if (type->form != MP_TYPE_ROW || type->name != NULL) return;
    const char *name = mp_full_name(types, found->scope, mp_ident_name(found->item.ident));
    types->types.items[number - 1].name = name;
}

static uint32_t constructed(struct mp_types *types, const struct mp_scope *scope, value path,
                            const uint32_t *arguments, uint32_t count, unsigned depth) {
    struct mp_declaration declared;
    if (mp_is_block(path, PATH_IDENT, 1)) {
        const char *name = mp_ident_name(field(path, 0));
        if (name == NULL) return 0;
        if (tag_of(field(path, 0)) == IDENT_PREDEFINED)
            return predefined(types, name, arguments, count);
    }
    const struct mp_found found = mp_find_type(types, scope, path);
    if (found.scope == NULL || !mp_declaration_of(found.item.what, types->has_origins, &declared))
        return 0;
    if (declared.kind == MP_ABSTRACT && is_block(declared.manifest)) {
        const struct binding inner = {declared.parameters, arguments, count};
        const uint32_t number = convert(types, found.scope, &inner, declared.manifest, depth + 1);
        name_row(types, number, &found);
        return number;
    }
    struct mp_type type = {
        .form = MP_TYPE_NAMED, .what = found.item.what, .scope = found.scope, .count = count};
    const uint32_t number = number_of(types, type, arguments);
    if (number != 0 && types->types.items[number - 1].name == NULL) {
        const char *name = mp_full_name(types, found.scope, mp_ident_name(found.item.ident));
        types->types.items[number - 1].name = name;
    }
    return number;
}

/* The number of a type in a scope; 0: not known. */
static uint32_t convert(struct mp_types *types, const struct mp_scope *scope,
                        const struct binding *binding, value type, unsigned depth) {
    uint32_t numbers[MOST_ARGUMENTS], count;
    if (depth > MP_MOST_DEPTH || !mp_step(&types->work)) return 0;
    type = mp_linked(type, &types->work);
    const value described = mp_description(type);
    if (!is_block(described)) return 0;
    if (mp_is_block(described, TYPE_VARIABLE, 1)) return bound(types, binding, type);
    if (mp_is_block(described, TYPE_ROW, 1)) {
        const struct mp_type row = {.form = MP_TYPE_ROW,
                                    .what = described,
                                    .scope = scope,
                                    .parameters = binding->parameters,
                                    .count = binding->count};
        return number_of(types, row, binding->numbers);
    }
    bool tuple = mp_is_block(described, TYPE_TUPLE, 1);
    if (!tuple && !mp_is_block(described, TYPE_CONSTRUCTED, 2)) return 0;
    count = convert_list(types, scope, binding, field(described, tuple ? 0 : 1), depth, numbers);
    if (count > MOST_ARGUMENTS) return 0;
    if (!tuple) return constructed(types, scope, field(described, 0), numbers, count, depth);
    const struct mp_type of = {.form = MP_TYPE_TUPLE, .what = val_of_int(0), .count = count};
    return number_of(types, of, numbers);
}

uint32_t mp_number_of_type(struct mp_types *types, const struct mp_scope *scope, value type) {
    return convert(types, scope, &unbound, type, 0);
}

/* The name of the type that a constructor extends; NULL: not known. */
static const char *extended_name(struct mp_types *types, const struct mp_scope *scope, value path) {
    if (mp_is_block(path, PATH_IDENT, 1) && mp_ident_name(field(path, 0)) != NULL &&
        tag_of(field(path, 0)) == IDENT_PREDEFINED)
        return mp_ident_name(field(path, 0));
    const struct mp_found found = mp_find_type(types, scope, path);
    return found.scope == NULL ? NULL
                               : mp_full_name(types, found.scope, mp_ident_name(found.item.ident));
}

static uint32_t type_of_extension(struct mp_types *types, const struct mp_scope *scope,
                                  const struct mp_item *item) {
    struct mp_constructor constructor;
    value path;
    if (!mp_extension_of(item->what, &path, &constructor)) return 0;
    const struct mp_type type = {.form = MP_TYPE_EXTENSION, .what = item->what, .scope = scope};
    const uint32_t number = number_of(types, type, NULL);
    if (number == 0 || types->types.items[number - 1].constructor != NULL) return number;
    const char *name = extended_name(types, scope, path);
    const char *full = mp_full_name(types, scope, mp_ident_name(item->ident));
    types->types.items[number - 1].name = name;
    types->types.items[number - 1].constructor = full;
    return number;
}

/* ---- What has a type. ---- */

/* The type of a value, a module or a constructor's block. */
static uint32_t type_of_item(struct mp_types *types, const struct mp_scope *scope,
                             const struct mp_item *item) {
    if (item->kind == MP_ITEM_VALUE)
        return mp_number_of_type(types, scope, mp_type_of_value(item->what));
    if (item->kind == MP_ITEM_EXTENSION) return type_of_extension(types, scope, item);
    if (item->kind != MP_ITEM_MODULE) return 0;
    const struct mp_scope *inside = mp_inside_of(types, scope, item->what,
                                                 mp_ident_name(item->ident));
    if (inside == NULL || !is_block(inside->items)) return 0;
    const struct mp_type structure = {
        .form = MP_TYPE_STRUCTURE, .what = inside->items, .scope = inside};
    return number_of(types, structure, NULL);
}

/* The same of an item of a signature. */
static uint32_t type_of_field(struct mp_types *types, const struct mp_scope *scope, value v) {
    struct mp_item item;
    return mp_signature_item(v, &item) ? type_of_item(types, scope, &item) : 0;
}

struct fields {
    struct mp_types *types;
    const struct mp_scope *scope;
    mp_field_visitor *f;
    void *context;
};

static void visit_field(void *context, const char *name, uint32_t at, value item) {
    const struct fields *fields = context;
    fields->f(fields->context, name, at, type_of_field(fields->types, fields->scope, item));
}

void mp_types_of_global(struct mp_types *types, uint32_t global, uint64_t size, mp_field_visitor *f,
                        void *context) {
    const char *name = vm_global_name(types->vm, global);
    struct mp_unit *unit = name == NULL ? NULL : mp_unit_named(types, name);
    if (unit == NULL || unit->gpc == VM_NO_GPC || unit->fields != size) return;
    const struct mp_scope *scope = mp_interface_of(types, unit);
    struct fields fields = {types, scope, f, context};
    if (scope != NULL) vm_interface_fields(scope->items, visit_field, &fields);
}

uint32_t mp_types_of_variable(struct mp_types *types, uint64_t gpc, value ident) {
    struct mp_unit *unit = mp_unit_at(types, gpc);
    const struct mp_scope *scope = unit == NULL ? NULL : mp_debug_of(types, unit);
    const struct mp_item *entry = scope == NULL ? NULL : mp_unit_entry(unit, ident);
    return entry == NULL ? 0 : type_of_item(types, scope, entry);
}

uint32_t mp_types_of_exception(struct mp_types *types, uint32_t global) {
    const struct mp_type type = {.form = MP_TYPE_EXTENSION,
                                 .what = val_of_int(0),
                                 .name = "exn",
                                 .constructor = vm_predefined_exceptions[global]};
    return number_of(types, type, NULL);
}

/* ---- Descriptions. ---- */

struct describer {
    struct mp_types *types;
    const struct mp_type_output *out;
    const struct mp_scope *scope;
    struct binding binding;
};

static void put_member(const struct describer *d, const char *name, value type) {
    d->out->member(d->out->context, name, convert(d->types, d->scope, &d->binding, type, 0));
}

static void put_labels(const struct describer *d, value labels) {
    const char *name;
    value type;
    for (uint32_t i = 0; i < MOST_FIELDS && mp_is_block(labels, 0, 2);
         i++, labels = field(labels, 1)) {
        if (!mp_label_of(field(labels, 0), &name, &type)) return;
        put_member(d, name, type);
    }
}

static void put_arguments(const struct describer *d, value arguments) {
    for (uint32_t i = 0; i < MOST_FIELDS && mp_is_block(arguments, 0, 2); i++) {
        put_member(d, NULL, field(arguments, 0));
        arguments = field(arguments, 1);
    }
}

static void put_constant(const struct describer *d, unsigned number, const char *name) {
    if (number < MOST_CONSTANTS) d->out->shape(d->out->context, MP_SHAPE_CONSTANT, number, name);
}

/* A constructor that says which type it makes has variables of its own there. */
static value parameters_of(const struct describer *d, const struct mp_constructor *constructor) {
    const value result = mp_linked(constructor->result, &d->types->work);
    const value described = mp_description(result);
    return mp_is_block(described, TYPE_CONSTRUCTED, 2) ? field(described, 1)
                                                       : d->binding.parameters;
}

static void put_constructors(struct describer *d, const struct mp_declaration *declared) {
    struct mp_constructor constructor;
    unsigned tag = 0, number = 0;
    const value parameters = d->binding.parameters;
    for (value list = declared->parts; mp_is_block(list, 0, 2) && mp_step(&d->types->work);
         list = field(list, 1)) {
        if (tag == MOST_CONSTRUCTORS || !mp_constructor_of(field(list, 0), &constructor)) return;
        if (is_int(constructor.arguments)) {
            put_constant(d, number++, constructor.name);
            continue;
        }
        d->out->shape(d->out->context, declared->unboxed ? MP_SHAPE_SAME : MP_SHAPE_FIELDS,
                      declared->unboxed ? 0 : tag, constructor.name);
        d->binding.parameters = parameters_of(d, &constructor);
        if (constructor.inlined) put_labels(d, constructor.arguments);
        else put_arguments(d, constructor.arguments);
        d->binding.parameters = parameters;
        tag++;
    }
}

static void describe_named(struct describer *d, const struct mp_type *type) {
    struct mp_declaration declared;
    if (!is_block(type->what) || !mp_declaration_of(type->what, d->types->has_origins, &declared))
        return;
    d->scope = type->scope;
    d->binding.parameters = declared.parameters;
    if (declared.kind == MP_VARIANT) put_constructors(d, &declared);
    if (declared.kind == MP_EXTENSIBLE) d->out->shape(d->out->context, MP_SHAPE_MADE, 0, NULL);
    if (declared.kind != MP_RECORD) return;
    d->out->shape(d->out->context, declared.unboxed ? MP_SHAPE_SAME : MP_SHAPE_FIELDS, 0, NULL);
    put_labels(d, declared.parts);
}

/* Those of OCaml's own exceptions that have an argument have one. */
static bool has_argument(const char *exception) {
    static const enum vm_exception with[] = {EXN_SYS_ERROR,        EXN_FAILURE,
                                             EXN_INVALID_ARGUMENT, EXN_MATCH_FAILURE,
                                             EXN_ASSERT_FAILURE,   EXN_UNDEFINED_RECURSIVE_MODULE};
    for (size_t i = 0; i < sizeof with / sizeof *with; i++)
        if (exception == vm_predefined_exceptions[with[i]]) return true;
    return false;
}

static void describe_extension(struct describer *d, const struct mp_type *type) {
    struct mp_constructor constructor;
    value path;
    d->out->shape(d->out->context, MP_SHAPE_CONSTRUCTOR, TAG_OBJECT,
                  type->constructor == NULL ? "" : type->constructor);
    if (is_int(type->what) && has_argument(type->constructor))
        d->out->member(d->out->context, NULL, 0);
    if (is_int(type->what) || !mp_extension_of(type->what, &path, &constructor)) return;
    d->binding = unbound;
    if (constructor.inlined) put_labels(d, constructor.arguments);
    else put_arguments(d, constructor.arguments);
}

static void put_row(struct describer *d, const struct mp_type *type) {
    enum { LABEL_MAX = 200 };
    char text[LABEL_MAX + 2];
    const char *name;
    struct mp_work *work = &d->types->work;
    value labels, more, argument, described = type->what;
    d->binding.parameters = type->parameters;
    while (mp_row_of(described, &labels, &more) && mp_step(work)) {
        for (; mp_is_block(labels, 0, 2) && mp_step(work); labels = field(labels, 1)) {
            if (!mp_row_label(field(labels, 0), d->types->has_cells, work, &name, &argument))
                return;
            if (is_int(argument) || strlen(name) > LABEL_MAX) continue;
            snprintf(text, sizeof text, "`%s", name);
            d->out->shape(d->out->context, MP_SHAPE_LABEL, 0, text);
            put_member(d, NULL, argument);
        }
        described = mp_description(mp_linked(more, work));
    }
}

static void put_structure_field(void *context, const char *name, uint32_t at, value item) {
    const struct describer *d = context;
    (void)at;
    d->out->member(d->out->context, name, type_of_field(d->types, d->scope, item));
}

static void describe_structure(struct describer *d, const struct mp_type *type) {
    d->scope = type->scope;
    d->out->shape(d->out->context, MP_SHAPE_FIELDS, 0, NULL);
    vm_interface_fields(type->what, put_structure_field, d);
}

static void put_plain(const struct describer *d, enum mp_shape_kind kind, unsigned tag,
                      const char *constructor, const char *name, uint32_t member) {
    d->out->shape(d->out->context, kind, tag, constructor);
    d->out->member(d->out->context, name, member);
}

static void describe(struct describer *d, const struct mp_type *type, uint32_t number) {
    const uint32_t argument = type->count > 0 ? d->binding.numbers[0] : 0;
    switch (type->form) {
    case MP_TYPE_NAMED: describe_named(d, type); break;
    case MP_TYPE_STRUCTURE: describe_structure(d, type); break;
    case MP_TYPE_EXTENSIBLE: d->out->shape(d->out->context, MP_SHAPE_MADE, 0, NULL); break;
    case MP_TYPE_EXTENSION: describe_extension(d, type); break;
    case MP_TYPE_ROW: put_row(d, type); break;
    case MP_TYPE_ARRAY: put_plain(d, MP_SHAPE_ARRAY, 0, NULL, NULL, argument); break;
    case MP_TYPE_OPTION:
        put_constant(d, 0, "None");
        put_plain(d, MP_SHAPE_FIELDS, 0, "Some", NULL, argument);
        break;
    case MP_TYPE_LIST:
        put_constant(d, 0, "[]");
        put_plain(d, MP_SHAPE_FIELDS, 0, NULL, "hd", argument);
        d->out->member(d->out->context, "tl", number);
        break;
    case MP_TYPE_LAZY:
        put_plain(d, MP_SHAPE_FIELDS, TAG_FORWARDED, NULL, NULL, argument);
        put_plain(d, MP_SHAPE_SAME, 0, NULL, NULL, argument);
        break;
    case MP_TYPE_TUPLE:
        d->out->shape(d->out->context, MP_SHAPE_FIELDS, 0, NULL);
        for (uint32_t i = 0; i < type->count; i++)
            d->out->member(d->out->context, NULL, d->binding.numbers[i]);
        break;
    }
}

static enum mp_type_source source_of(const struct mp_type *type) {
    if (type->scope == NULL) return MP_TYPE_BUILT_IN;
    return type->scope->from_debug ? MP_TYPE_DEBUG : MP_TYPE_INTERFACE;
}

void mp_types_describe(struct mp_types *types, const struct mp_type_output *output) {
    for (uint32_t i = 0; i < types->types.count; i++) {
        const struct mp_type type = types->types.items[i];
        uint32_t numbers[MOST_ARGUMENTS];
        for (uint32_t a = 0; a < type.count; a++)
            numbers[a] = types->arguments.items[type.first + a];
        struct describer d = {types, output, type.scope, {val_of_int(0), numbers, type.count}};
        output->type(output->context, type.name == NULL ? "" : type.name, source_of(&type));
        describe(&d, &type, i + 1);
    }
}
