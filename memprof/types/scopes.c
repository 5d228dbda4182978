/* scopes.c - what paths lead to: types, modules, types of modules. */
#include "memprof/types/types_internal.h"

#include <string.h>

enum { MOST_APPLICATIONS = 12 };

static bool same_scope(const struct mp_scope *a, const struct mp_scope *b) {
    return a->outer == b->outer && a->unit == b->unit && a->items == b->items &&
           a->from_debug == b->from_debug && a->parameter == b->parameter &&
           a->argument == b->argument && a->argument_scope == b->argument_scope &&
           a->result == b->result && a->body == b->body &&
           (a->name == b->name ||
            (a->name != NULL && b->name != NULL && strcmp(a->name, b->name) == 0));
}

/* Fails: NULL. */
static const struct mp_scope *add_scope(struct mp_types *types, const struct mp_scope *scope) {
    const uintptr_t hash = ((uintptr_t)scope->outer * 31 + (uintptr_t)scope->items) * 31 +
                           (uintptr_t)scope->argument * 7 + (uintptr_t)scope->argument_scope +
                           (uintptr_t)scope->result * 3;
    uintptr_t *first = word_map_add(&types->scopes, hash | 1, 64, NULL);
    if (first == NULL) return NULL;
    for (const struct mp_scope *s = (const struct mp_scope *)*first; s != NULL; s = s->same)
        if (same_scope(s, scope)) return s;
    struct mp_scope *copy = vm_arena_alloc(&types->arena, sizeof *copy);
    if (copy == NULL) return NULL;
    *copy = *scope;
    copy->depth = scope->outer == NULL ? 0 : scope->outer->depth;
    if (scope->argument_scope != NULL) {
        if (scope->argument_scope->depth > copy->depth) copy->depth = scope->argument_scope->depth;
        copy->depth++;
    }
    copy->same = (const struct mp_scope *)*first;
    *first = (uintptr_t)copy;
    return copy;
}

const struct mp_scope *mp_instance(const struct mp_scope *scope) {
    while (scope != NULL && scope->argument_scope == NULL && scope->result == NULL)
        scope = scope->outer;
    return scope;
}

/* The innermost scope that has an argument; NULL: there is none. */
static const struct mp_scope *application_of(const struct mp_scope *scope) {
    while (scope != NULL && scope->argument_scope == NULL) scope = scope->outer;
    return scope;
}

/* A scope in which a parameter stands for an argument. Without memory, or if too many are nested,
 * that around it. */
static const struct mp_scope *applied(struct mp_types *types, const struct mp_scope *outer,
                                      const char *functor, value parameter, value argument,
                                      const struct mp_scope *argument_scope) {
    const struct mp_scope scope = {.outer = outer,
                                   .unit = outer->unit,
                                   .items = val_of_int(0),
                                   .name = functor,
                                   .from_debug = outer->from_debug,
                                   .parameter = parameter,
                                   .argument = argument,
                                   .argument_scope = argument_scope};
    const unsigned most = MOST_APPLICATIONS;
    if (!is_block(parameter) || outer->depth >= most || argument_scope->depth >= most) return outer;
    const struct mp_scope *added = add_scope(types, &scope);
    return added == NULL ? outer : added;
}

const struct mp_scope *mp_scope_of_unit(struct mp_types *types, struct mp_unit *unit, value items) {
    const struct mp_scope scope = {.unit = unit, .items = items, .from_debug = is_int(items)};
    return add_scope(types, &scope);
}

enum { NOT_THERE = 1 /* an integer, as a value */ };

static const struct mp_found nothing = {{MP_ITEM_OTHER, NOT_THERE, NOT_THERE}, NULL, false};

/* ---- Items. ---- */

/* The item of a signature with that identifier, or if it is an integer, of that name. */
static bool item_in(struct mp_types *types, value items, enum mp_item_kind kind, value ident,
                    const char *name, struct mp_item *item) {
    for (value list = items; mp_is_block(list, 0, 2) && mp_step(&types->work);
         list = field(list, 1)) {
        if (!mp_signature_item(field(list, 0), item) || item->kind != kind) continue;
        if (is_block(ident) ? mp_same_ident(item->ident, ident)
                            : strcmp(mp_ident_name(item->ident), name) == 0)
            return true;
    }
    return false;
}

static struct mp_found member(struct mp_types *types, const struct mp_scope *inside,
                              enum mp_item_kind kind, const char *name);

/* The name of the type of a functor's parameter that a type stands for, `t` of `H.t`; NULL: it
 * stands for another one. */
static const char *of_parameter(struct mp_types *types, value type, value parameter) {
    const value described = mp_description(mp_linked(type, &types->work));
    if (!mp_is_block(described, TYPE_CONSTRUCTED, 2)) return NULL;
    const value path = field(described, 0);
    if (!mp_is_block(path, PATH_DOT, 2) || !mp_is_block(field(path, 0), PATH_IDENT, 1) ||
        !is_block(parameter) || !mp_same_ident(field(field(path, 0), 0), parameter))
        return NULL;
    return mp_text_at(field(path, 1));
}

/* What the result of an applied functor says of a type in the body of another one, if it is the
 * same type of their parameters in both: the applied one includes the other one's result. */
static struct mp_found said_by_result(struct mp_types *types, const struct mp_scope *scope,
                                      enum mp_item_kind kind, const struct mp_item *entry) {
    struct mp_declaration inner, declared;
    if (scope->result == NULL || kind != MP_ITEM_TYPE || entry == NULL || entry->kind != kind ||
        mp_unit_body(types, scope->unit, entry) != scope->body)
        return nothing;
    const struct mp_found found = member(types, scope->result, kind, mp_ident_name(entry->ident));
    if (found.scope == NULL || !mp_declaration_of(entry->what, types->has_origins, &inner) ||
        !mp_declaration_of(found.item.what, types->has_origins, &declared))
        return nothing;
    const char *name = of_parameter(types, inner.manifest, mp_entry_parameter(scope->body));
    const char *said = of_parameter(types, declared.manifest,
                                    application_of(scope->result)->parameter);
    return name != NULL && said != NULL && strcmp(name, said) == 0 ? found : nothing;
}

/* The item with an identifier in a scope or further out. */
static struct mp_found find(struct mp_types *types, const struct mp_scope *scope,
                            enum mp_item_kind kind, value ident) {
    struct mp_item item;
    const struct mp_scope *application = NULL;
    if (mp_ident_name(ident) == NULL) return nothing;
    for (; scope != NULL && mp_step(&types->work); scope = scope->outer) {
        if (scope->argument_scope != NULL) {
            if (application == NULL) application = scope;
        } else if (is_block(scope->items)) {
            if (item_in(types, scope->items, kind, ident, NULL, &item))
                return (struct mp_found){item, scope, scope->outer == NULL};
        } else {
            const struct mp_item *entry = mp_unit_entry(scope->unit, ident);
            const struct mp_found said = said_by_result(types, scope, kind, entry);
            if (said.scope != NULL) return said;
            /* What a functor's body has entered may refer to its parameter. */
            if (entry != NULL && entry->kind == kind)
                return (struct mp_found){*entry, application != NULL ? application : scope, true};
        }
    }
    return nothing;
}

/* The item of that name in a module whose inside is the scope. */
static struct mp_found member(struct mp_types *types, const struct mp_scope *inside,
                              enum mp_item_kind kind, const char *name) {
    struct mp_item item;
    if (inside == NULL || name == NULL) return nothing;
    if (is_block(inside->items) && item_in(types, inside->items, kind, val_of_int(0), name, &item))
        return (struct mp_found){item, inside, inside->outer == NULL};
    if (is_block(inside->items) || kind != MP_ITEM_TYPE) return nothing;
    const struct mp_item *entry = mp_unit_type(types, inside->unit, name);
    return entry == NULL ? nothing : (struct mp_found){*entry, inside, true};
}

/* ---- Modules. ---- */

/* A module: a unit, or a signature or a functor in its scope. */
struct opened {
    value type;
    const struct mp_scope *scope;
    const struct mp_scope *inside; /* of a unit */
    const char *name;              /* NULL: not known */
};

static struct opened module_at(struct mp_types *types, const struct mp_scope *scope, value path,
                               unsigned depth);

static const struct mp_scope *inside_of(struct mp_types *types, const struct opened *module) {
    if (module->inside != NULL || module->scope == NULL) return module->inside;
    if (!mp_is_block(module->type, MODULE_SIGNATURE, 1)) return NULL;
    const struct mp_scope scope = {.outer = module->scope,
                                   .unit = module->scope->unit,
                                   .items = field(module->type, 0),
                                   .name = module->name,
                                   .from_debug = module->scope->from_debug};
    return add_scope(types, &scope);
}

static struct mp_found module_type_at(struct mp_types *types, const struct mp_scope *scope,
                                      value path, unsigned depth) {
    if (mp_is_block(path, PATH_IDENT, 1))
        return find(types, scope, MP_ITEM_MODULE_TYPE, field(path, 0));
    if (!mp_is_block(path, PATH_DOT, 2)) return nothing;
    const struct opened module = module_at(types, scope, field(path, 0), depth + 1);
    return member(types, inside_of(types, &module), MP_ITEM_MODULE_TYPE,
                  mp_text_at(field(path, 1)));
}

/* A module of a type, which may be an alias or a name. */
static struct opened module_of_type(struct mp_types *types, const struct mp_scope *scope,
                                    value type, unsigned depth) {
    const struct opened none = {val_of_int(0), NULL, NULL, NULL};
    if (depth > MP_MOST_DEPTH || scope == NULL || !mp_step(&types->work)) return none;
    if (mp_is_block(type, MODULE_ALIAS, 1))
        return module_at(types, scope, field(type, 0), depth + 1);
    if (mp_is_block(type, MODULE_IDENT, 1)) {
        const struct mp_found named = module_type_at(types, scope, field(type, 0), depth + 1);
        return module_of_type(types, named.scope, mp_type_of_module_type(named.item.what),
                              depth + 1);
    }
    return (struct opened){type, scope, NULL, NULL};
}

static struct opened unit_at(struct mp_types *types, const char *name) {
    struct opened opened = {val_of_int(0), NULL, NULL, NULL};
    struct mp_unit *unit = name == NULL ? NULL : mp_unit_named(types, name);
    if (unit != NULL) opened.inside = mp_interface_of(types, unit);
    if (unit != NULL && opened.inside == NULL) opened.inside = mp_debug_of(types, unit);
    return opened;
}

static struct opened module_found(struct mp_types *types, const struct mp_found *found,
                                  unsigned depth) {
    struct opened module = module_of_type(types, found->scope, mp_type_of_module(found->item.what),
                                          depth + 1);
    if (found->scope != NULL) module.name = mp_ident_name(found->item.ident);
    return module;
}

/* The module that a functor's parameter stands for. */
static struct opened argument_at(struct mp_types *types, const struct mp_scope *scope, value ident,
                                 unsigned depth) {
    for (; scope != NULL && mp_step(&types->work); scope = scope->outer)
        if (scope->argument_scope != NULL && mp_same_ident(scope->parameter, ident))
            return module_at(types, scope->argument_scope, scope->argument, depth + 1);
    return (struct opened){val_of_int(0), NULL, NULL, NULL};
}

/* A functor's result, for an argument in a scope. */
static struct opened apply(struct mp_types *types, const struct mp_scope *scope,
                           const struct opened *functor, value argument, unsigned depth) {
    const struct mp_scope *inside = applied(types, functor->scope, functor->name,
                                            mp_functor_parameter(functor->type), argument, scope);
    return module_of_type(types, inside, field(functor->type, 1), depth + 1);
}

static struct opened module_at(struct mp_types *types, const struct mp_scope *scope, value path,
                               unsigned depth) {
    const struct opened none = {val_of_int(0), NULL, NULL, NULL};
    if (depth > MP_MOST_DEPTH || !mp_step(&types->work)) return none;
    if (mp_is_block(path, PATH_IDENT, 1)) {
        const value ident = field(path, 0);
        const char *name = mp_ident_name(ident);
        if (name == NULL) return none;
        if (tag_of(ident) == IDENT_GLOBAL) return unit_at(types, name);
        const struct opened argument = argument_at(types, scope, ident, depth);
        if (argument.scope != NULL || argument.inside != NULL) return argument;
        const struct mp_found found = find(types, scope, MP_ITEM_MODULE, ident);
        return module_found(types, &found, depth);
    }
    if (mp_is_block(path, PATH_DOT, 2)) {
        const struct opened outer = module_at(types, scope, field(path, 0), depth + 1);
        const struct mp_found found = member(types, inside_of(types, &outer), MP_ITEM_MODULE,
                                             mp_text_at(field(path, 1)));
        return module_found(types, &found, depth);
    }
    if (!mp_is_block(path, PATH_APPLY, 2)) return none;
    const struct opened functor = module_at(types, scope, field(path, 0), depth + 1);
    if (scope == NULL || functor.scope == NULL || !mp_is_block(functor.type, MODULE_FUNCTOR, 2))
        return none;
    return apply(types, scope, &functor, field(path, 1), depth);
}

const struct mp_scope *mp_inside_of(struct mp_types *types, const struct mp_scope *scope,
                                    value description, const char *name) {
    struct opened module = module_of_type(types, scope, mp_type_of_module(description), 0);
    module.name = name;
    return inside_of(types, &module);
}

/* ---- Types. ---- */

/* Whether a unit's interface has a type of that name. */
static bool at_top(struct mp_types *types, struct mp_unit *unit, const char *name) {
    const struct mp_scope *scope = mp_interface_of(types, unit);
    return scope != NULL && member(types, scope, MP_ITEM_TYPE, name).scope != NULL;
}

/* How a functor is applied. */
struct applications {
    const char *functor;
    unsigned count;                                    /* 0: it is not, or too often */
    const struct mp_scope *scopes[MP_MOST_PARAMETERS]; /* with the arguments, the last one first */
};

static struct applications applications_around(const struct mp_scope *scope) {
    struct applications found = {.count = 0};
    while ((scope = application_of(scope)) != NULL) {
        if (found.count == MP_MOST_PARAMETERS) return (struct applications){.count = 0};
        found.scopes[found.count++] = scope;
        found.functor = scope->name;
        scope = scope->outer;
    }
    return found;
}

/* The environments of a functor's body, with arguments for parameters. If the body is that of a
 * functor that the applied one includes, with the applied one's result. */
static const struct mp_scope *body_of(struct mp_types *types, const struct mp_scope *scope,
                                      const struct mp_item *item, const struct mp_scope *result,
                                      const struct applications *applied_to) {
    value parameters[MP_MOST_PARAMETERS];
    const value body = mp_unit_body(types, scope->unit, item);
    unsigned count = mp_unit_parameters(types, scope->unit, body, applied_to->functor, parameters);
    if (count == applied_to->count) {
        while (count-- > 0) {
            const struct mp_scope *one = applied_to->scopes[count];
            scope = applied(types, scope, one->name, parameters[count], one->argument,
                            one->argument_scope);
        }
        return scope;
    }
    const struct mp_scope with_result = {.unit = scope->unit,
                                         .items = scope->items,
                                         .from_debug = true,
                                         .result = result,
                                         .body = body};
    const struct mp_scope *added = NULL;
    if (applied_to->count == 1 && is_block(body)) added = add_scope(types, &with_result);
    return added == NULL ? scope : added;
}

/* The type of that name in the environments of a unit, if an interface leaves it abstract. */
static const struct mp_item *implemented(struct mp_types *types, const struct mp_found *found,
                                         value parameters, const struct applications *applied_to) {
    struct mp_unit *unit = found->scope->unit;
    const char *name = mp_ident_name(found->item.ident);
    const struct mp_item *item = NULL;
    if (found->at_top) return mp_unit_type(types, unit, name);
    if (applied_to->count > 0)
        item = mp_unit_functor_type(types, unit, name, parameters, applied_to->functor,
                                    applied_to->count);
    if (item != NULL) return item;
    return mp_unit_inner_type(types, unit, name, parameters, at_top(types, unit, name));
}

/* What an interface leaves abstract, from the debug events of the unit, if it has as many
 * parameters there. */
static struct mp_found implementation(struct mp_types *types, struct mp_found found) {
    struct mp_declaration declared, inner;
    if (found.scope == NULL || found.scope->from_debug ||
        !mp_declaration_of(found.item.what, types->has_origins, &declared) ||
        declared.kind != MP_ABSTRACT || is_block(declared.manifest))
        return found;
    const struct mp_scope *scope = mp_debug_of(types, found.scope->unit);
    if (scope == NULL) return found;
    const struct applications applied_to = applications_around(found.scope);
    const struct mp_item *item = implemented(types, &found, declared.parameters, &applied_to);
    bool same = item != NULL && mp_declaration_of(item->what, types->has_origins, &inner) &&
                mp_same_length(inner.parameters, declared.parameters, &types->work);
    if (!same) return found;
    if (applied_to.count > 0) scope = body_of(types, scope, item, found.scope, &applied_to);
    return (struct mp_found){*item, scope, found.at_top};
}

struct mp_found mp_find_type(struct mp_types *types, const struct mp_scope *scope, value path) {
    if (mp_is_block(path, PATH_IDENT, 1))
        return implementation(types, find(types, scope, MP_ITEM_TYPE, field(path, 0)));
    if (!mp_is_block(path, PATH_DOT, 2)) return nothing;
    const struct opened module = module_at(types, scope, field(path, 0), 0);
    return implementation(
        types, member(types, inside_of(types, &module), MP_ITEM_TYPE, mp_text_at(field(path, 1))));
}
