/* units.c - units of compilation: their .cmi files, and the environments in their debug events.
 *
 * An environment is a chain of entries, the newest first. The chains of a unit's events share what
 * they have in common, so they are a tree:
 *
 *     open Stdlib <- type t <- module M <- value f     f's events see M
 *                       ^
 *                       +----- type u                  events in M's body see what it defines
 *
 * All entries are listed once, by identifier, as stamps are unique in a unit. An entry is in the
 * body of a module if the chain below it has another way to go on, with that module. */
#include "memprof/types/types_internal.h"
#include "vm/code/code.h"
#include "vm/marshal/debuginfo.h"
#include "vm/marshal/symbols.h"
#include "vm/state/vm.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_UNITS = 2000, MOST_FOLDERS = 64, FIRST_ENTRIES = IF_SMALL_TABLES(1, 256) };
enum { MOST_DEBUG_BYTES = 64 << 20 };
enum { EVENT_TYPES = 6, EVENT_FIELDS = 11 };

/* ---- Which units there are. ---- */

static void find_code(struct mp_types *types, struct mp_unit *unit) {
    struct vm *vm = types->vm;
    const value globals = vm->global_data;
    unit->gpc = VM_NO_GPC;
    for (uint32_t i = 0; is_block(globals) && i < wosize_of(globals); i++) {
        const char *name = vm_global_name(vm, i);
        if (name == NULL || strcmp(name, unit->name) != 0) continue;
        unit->gpc = vm_global_code(vm, i);
        const value block = field(globals, i);
        if (is_block(block) && tag_of(block) == 0) unit->fields = wosize_of(block);
        return;
    }
}

struct mp_unit *mp_unit_named(struct mp_types *types, const char *name) {
    for (size_t i = 0; i < types->units.count; i++)
        if (strcmp(types->units.items[i]->name, name) == 0) return types->units.items[i];
    if (types->units.count == MOST_UNITS || name[0] == 0 || strchr(name, '/') != NULL) return NULL;
    struct mp_unit *unit = calloc(1, sizeof *unit);
    if (unit != NULL) unit->name = strdup(name);
    if (unit == NULL || unit->name == NULL || !vector_push(&types->units, unit, 64, NULL)) {
        if (unit != NULL) free(unit->name);
        free(unit);
        return NULL;
    }
    find_code(types, unit);
    return unit;
}

struct mp_unit *mp_unit_at(struct mp_types *types, uint64_t gpc) {
    char function[300];
    const char *module = vm_symbol_at(types->vm, gpc, function, sizeof function);
    return module == NULL ? NULL : mp_unit_named(types, module);
}

void mp_units_free(struct mp_types *types) {
    for (size_t i = 0; i < types->units.count; i++) {
        struct mp_unit *unit = types->units.items[i];
        vm_interface_free(&unit->interface);
        vm_arena_free(&unit->arena);
        free(unit->entries.items);
        free(unit->by_stamp.entries);
        free(unit->modules.entries);
        free(unit->name);
        free(unit);
    }
    free(types->units.items);
    for (size_t i = 0; i < types->folders.count; i++) free(types->folders.items[i]);
    free(types->folders.items);
    vm_variables_free(&types->variables);
}

/* ---- Interfaces. ---- */

static void ignore_field(void *context, const char *name, uint32_t field, value item) {
    (void)context, (void)name, (void)field, (void)item;
}

/* An interface with another number of fields is not that of this program. */
static bool try_folder(struct mp_unit *unit, const char *folder) {
    struct vm_interface *interface = &unit->interface;
    if (!vm_interface_read(interface, folder, unit->name)) return false;
    if (unit->fields == 0 ||
        vm_interface_fields(interface->signature, ignore_field, NULL) == unit->fields)
        return true;
    vm_interface_free(interface);
    return false;
}

/* Of a unit that is not linked the folder is not known: it may be any that another one has. */
static void add_folder(struct mp_types *types, const char *folder) {
    for (size_t i = 0; i < types->folders.count; i++)
        if (strcmp(types->folders.items[i], folder) == 0) return;
    char *copy = types->folders.count < MOST_FOLDERS ? strdup(folder) : NULL;
    if (copy != NULL && !vector_push(&types->folders, copy, 8, NULL)) free(copy);
}

/* The folder of the program's file. */
static void add_program_folder(struct mp_types *types) {
    char folder[PATH_MAX];
    const char *name = types->vm->options.executable_name;
    const char *slash = name == NULL ? NULL : strrchr(name, '/');
    const int length = slash == NULL ? 0 : (int)(slash - name);
    if (length >= PATH_MAX) return;
    snprintf(folder, sizeof folder, "%.*s", length, length == 0 ? "" : name);
    add_folder(types, length == 0 ? "." : folder);
}

struct search {
    struct mp_types *types;
    struct mp_unit *unit;
    bool found;
};

static void try_own_folder(void *context, const char *folder, value ident, uint32_t place) {
    struct search *s = context;
    (void)ident, (void)place;
    s->found = s->found || try_folder(s->unit, folder);
    add_folder(s->types, folder);
}

static bool find_interface(struct mp_types *types, struct mp_unit *unit) {
    struct search s = {types, unit, false};
    const char *library = types->vm->options.dlls.standard_library;
    if (types->folders.count == 0) add_program_folder(types);
    if (unit->gpc != VM_NO_GPC)
        vm_variables_folders(&types->variables, unit->gpc, try_own_folder, &s);
    if (s.found || (library != NULL && try_folder(unit, library))) return true;
    for (size_t i = 0; i < types->folders.count; i++)
        if (try_folder(unit, types->folders.items[i])) return true;
    return false;
}

const struct mp_scope *mp_interface_of(struct mp_types *types, struct mp_unit *unit) {
    if (unit->interface_tried) return unit->interface_scope;
    unit->interface_tried = true;
    if (find_interface(types, unit))
        unit->interface_scope = mp_scope_of_unit(types, unit, unit->interface.signature);
    return unit->interface_scope;
}

/* ---- Debug events. ---- */

/* Not 0: stamps are integers. */
static uintptr_t key_of(value ident) { return (uintptr_t)mp_ident_stamp(ident) << 1 | 1; }

const struct mp_item *mp_unit_entry(const struct mp_unit *unit, value ident) {
    const uintptr_t *index = word_map_find(&unit->by_stamp, key_of(ident));
    if (index == NULL || *index == 0) return NULL;
    const struct mp_item *item = &unit->entries.items[*index - 1].item;
    return mp_same_ident(item->ident, ident) ? item : NULL;
}

static bool add_entry(struct mp_unit *unit, const struct mp_item *item, value chain) {
    if (item->kind == MP_ITEM_MODULE && is_block(field(chain, 0))) {
        uintptr_t *modules = word_map_add(&unit->modules, (uintptr_t)field(chain, 0), 64, NULL);
        if (modules == NULL) return false;
        ++*modules;
    }
    uintptr_t *index = word_map_add(&unit->by_stamp, key_of(item->ident), 64, NULL);
    if (index == NULL) return false;
    const struct mp_entry entry = {*item, chain};
    if (*index != 0) return true;
    if (!vector_push(&unit->entries, entry, FIRST_ENTRIES, NULL)) return false;
    *index = unit->entries.count;
    return true;
}

/* Lists the entries of a chain up to one that was seen. */
static bool add_chain(struct mp_types *types, struct mp_unit *unit, struct word_map *seen,
                      value chain) {
    struct mp_item item;
    for (; mp_environment_entry(chain, &item) && mp_step(&types->work); chain = field(chain, 0)) {
        uintptr_t *known = word_map_add(seen, (uintptr_t)chain, FIRST_ENTRIES * 2, NULL);
        if (known == NULL) return false;
        if (*known != 0) return true;
        *known = 1;
        if (item.kind != MP_ITEM_OTHER && !add_entry(unit, &item, chain)) return false;
    }
    return true;
}

void mp_unit_read_events(struct mp_types *types, struct mp_unit *unit, value events) {
    struct word_map seen = {0};
    bool listed = true;
    for (value list = events; listed && mp_is_block(list, 0, 2) && mp_step(&types->work);
         list = field(list, 1)) {
        const value event = field(list, 0);
        if (mp_is_block(event, 0, EVENT_FIELDS))
            listed = add_chain(types, unit, &seen, field(event, EVENT_TYPES));
    }
    free(seen.entries);
    if (listed) unit->debug_scope = mp_scope_of_unit(types, unit, val_of_int(0));
}

const struct mp_scope *mp_debug_of(struct mp_types *types, struct mp_unit *unit) {
    struct vm_debug_events events;
    if (unit->debug_tried) return unit->debug_scope;
    unit->debug_tried = true;
    if (unit->gpc == VM_NO_GPC || types->debug_bytes > MOST_DEBUG_BYTES ||
        !vm_debuginfo_read_events(types->vm, unit->gpc, &unit->arena, &events))
        return NULL;
    types->debug_bytes += events.bytes;
    mp_unit_read_events(types, unit, events.list);
    return unit->debug_scope;
}

/* Whether a declaration says what the type is. */
static bool says(const struct mp_types *types, const struct mp_item *item) {
    struct mp_declaration declared;
    return mp_declaration_of(item->what, types->has_origins, &declared) &&
           (declared.kind != MP_ABSTRACT || is_block(declared.manifest));
}

static bool is_type(const struct mp_types *types, const struct mp_item *item, const char *name) {
    return item->kind == MP_ITEM_TYPE && tag_of(item->ident) <= IDENT_SCOPED &&
           strcmp(mp_ident_name(item->ident), name) == 0 && says(types, item);
}

/* Whether an entry is in the body of a module, or below another type of that name. */
static bool is_inner(struct mp_types *types, const struct mp_unit *unit,
                     const struct mp_entry *entry, const char *name) {
    struct mp_item item;
    bool above_is_module = false;
    for (value chain = field(entry->chain, 0);
         mp_environment_entry(chain, &item) && mp_step(&types->work); chain = field(chain, 0)) {
        const uintptr_t *modules = word_map_find(&unit->modules, (uintptr_t)chain);
        if (modules != NULL && *modules > above_is_module) return true;
        if (is_type(types, &item, name)) return true;
        above_is_module = item.kind == MP_ITEM_MODULE;
    }
    return false;
}

const struct mp_item *mp_unit_type(struct mp_types *types, const struct mp_unit *unit,
                                   const char *name) {
    const struct mp_item *found = NULL;
    for (size_t i = 0; i < unit->entries.count; i++) {
        const struct mp_entry *entry = &unit->entries.items[i];
        if (!is_type(types, &entry->item, name) || is_inner(types, unit, entry, name)) continue;
        if (found != NULL) return NULL;
        found = &entry->item;
    }
    return found;
}

/* The entry of an item of the unit. */
static const struct mp_entry *entry_of(const struct mp_unit *unit, const struct mp_item *item) {
    const uintptr_t *index = word_map_find(&unit->by_stamp, key_of(item->ident));
    return index == NULL || *index == 0 ? NULL : &unit->entries.items[*index - 1];
}

value mp_unit_body(struct mp_types *types, const struct mp_unit *unit, const struct mp_item *item) {
    struct mp_item other;
    const struct mp_entry *entry = entry_of(unit, item);
    value chain = entry == NULL ? val_of_int(0) : field(entry->chain, 0);
    for (; mp_environment_entry(chain, &other) && mp_step(&types->work); chain = field(chain, 0))
        if (is_block(mp_entry_parameter(chain))) return chain;
    return val_of_int(0);
}

/* Functors have entries only in environments after them. So a functor that is entered where the
 * parameters are must be that one; if none is, no module may have the name. */
unsigned mp_unit_parameters(struct mp_types *types, const struct mp_unit *unit, value body,
                            const char *functor, value parameters[MP_MOST_PARAMETERS]) {
    struct mp_item module = {.kind = MP_ITEM_OTHER};
    unsigned count = 0;
    value chain = body, parameter;
    for (; is_block(parameter = mp_entry_parameter(chain)); count++) {
        const value entered = field(chain, 0);
        if (count == MP_MOST_PARAMETERS || !mp_environment_entry(entered, &module) ||
            module.kind != MP_ITEM_MODULE || !mp_same_ident(module.ident, parameter))
            return 0;
        parameters[count] = parameter;
        chain = field(entered, 0);
    }
    bool named = false, here = false, other = false;
    for (size_t i = 0; count > 0 && functor != NULL && i < unit->entries.count; i++) {
        const struct mp_entry *e = &unit->entries.items[i];
        if (!mp_step(&types->work)) return 0;
        if (e->item.kind != MP_ITEM_MODULE || e->item.ident == module.ident) continue;
        bool same = strcmp(mp_ident_name(e->item.ident), functor) == 0;
        named = named || same;
        if (field(e->chain, 0) != chain) continue;
        here = here || same;
        other = other || !same;
    }
    return functor != NULL && !other && (here || !named) ? count : 0;
}

/* The same of a type with parameters. */
static bool is_type_of(struct mp_types *types, const struct mp_item *item, const char *name,
                       value parameters) {
    struct mp_declaration declared;
    return is_type(types, item, name) &&
           mp_declaration_of(item->what, types->has_origins, &declared) &&
           mp_same_length(declared.parameters, parameters, &types->work);
}

const struct mp_item *mp_unit_inner_type(struct mp_types *types, const struct mp_unit *unit,
                                         const char *name, value parameters, bool one_at_top) {
    const struct mp_item *found = NULL, *top = NULL;
    if (one_at_top) top = mp_unit_type(types, unit, name);
    if (one_at_top && top == NULL) return NULL;
    for (size_t i = 0; i < unit->entries.count; i++) {
        const struct mp_item *item = &unit->entries.items[i].item;
        if (item == top || !is_type_of(types, item, name, parameters)) continue;
        if (found != NULL) return NULL;
        found = item;
    }
    return found;
}

const struct mp_item *mp_unit_functor_type(struct mp_types *types, const struct mp_unit *unit,
                                           const char *name, value parameters, const char *functor,
                                           unsigned count) {
    value of_functor[MP_MOST_PARAMETERS];
    const struct mp_item *found = NULL;
    for (size_t i = 0; i < unit->entries.count; i++) {
        const struct mp_item *item = &unit->entries.items[i].item;
        if (!is_type_of(types, item, name, parameters) ||
            mp_unit_parameters(types, unit, mp_unit_body(types, unit, item), functor, of_functor) !=
                count)
            continue;
        if (found != NULL) return NULL;
        found = item;
    }
    return found;
}
