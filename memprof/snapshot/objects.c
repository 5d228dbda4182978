/* objects.c - the names of objects: of their classes, and of their instance variables.
 *
 *     object: | methods | number | variable | ...    table: | size | methods | ... | variables |
 *                  |                                                    |              |
 *                  +----> | count | mask | closure | ... | <------------+              +--> a map
 *
 * Objects of one class have the same methods. The table belongs to module CamlinternalOO, which
 * makes objects from it; it is reachable as long as the class can make some, as the class' function
 * has captured it. Its map leads from names to fields of objects. It lacks variables that the class
 * hides, and the parameters of the class that methods use; but methods have captured the numbers of
 * the fields that they use, and debugging information says which variable each is. */
#include "gc/walk.h"
#include "memprof/snapshot/snapshot_internal.h"
#include "vm/code/code.h"
#include "vm/state/domain.h"
#include "vm/state/vm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS_HEAD = 2, OBJECT_METHODS = 0, OBJECT_VARIABLES = 2 };
enum { TABLE_SIZE, TABLE_METHODS, TABLE_VARIABLES = 6, TABLE_FIELDS = 8 };
enum { MAP_LEFT, MAP_KEY, MAP_DATA, MAP_RIGHT, MAP_FIELDS = 5, MAP_DEPTH = 40 };
enum { MOST_NAME = 200, MOST_STEPS = 1000, MOST_DEPTH = 4, FIRST = IF_SMALL_TABLES(1, 16) };

/* ---- Objects. ---- */

/* Objects and constructors of exceptions have one tag; those have a string first. */
static bool are_methods(const struct domain *d, value v, uint64_t *number) {
    return gc_block_number(&d->gc, v, number) && tag_of(v) == 0 && wosize_of(v) >= METHODS_HEAD &&
           is_int(field(v, 0)) && is_int(field(v, 1));
}

void mp_snapshot_add_object(struct mp_named *named, value v) {
    const value methods = wosize_of(v) < OBJECT_VARIABLES ? 0 : field(v, OBJECT_METHODS);
    struct mp_objects *o = &named->objects;
    struct mp_object_class class = {.methods = methods};
    if (!is_block(methods)) return;
    const uintptr_t *known = word_map_find(&o->by_methods, (uintptr_t)methods);
    if (known != NULL) {
        struct mp_object_class *same = &o->classes.items[*known - 1];
        if (same->fields < wosize_of(v)) same->fields = wosize_of(v);
        return;
    }
    if (!are_methods(named->d, methods, &class.number)) return;
    class.fields = wosize_of(v);
    uintptr_t *index = word_map_add(&o->by_methods, (uintptr_t)methods, 64, NULL);
    if (index == NULL) return;
    if (vector_push(&o->classes, class, FIRST, NULL)) *index = o->classes.count;
    else word_map_remove(&o->by_methods, (uintptr_t)methods);
}

void mp_objects_free(struct mp_objects *o) {
    free(o->by_methods.entries);
    free(o->classes.items);
    free(o->variables.items);
    free(o->by_field.entries);
}

/* ---- Tables of classes. ---- */

/* The class whose table a block is; NULL: it is not one, or no object has its methods. */
static struct mp_object_class *class_of_table(struct mp_named *named, value v) {
    struct mp_objects *o = &named->objects;
    if (tag_of(v) != 0 || wosize_of(v) != TABLE_FIELDS || !is_int(field(v, TABLE_SIZE)) ||
        !is_block(field(v, TABLE_METHODS)))
        return NULL;
    const uintptr_t *index = word_map_find(&o->by_methods, (uintptr_t)field(v, TABLE_METHODS));
    return index == NULL ? NULL : &o->classes.items[*index - 1];
}

static void find_table(void *context, value v) {
    struct mp_object_class *class = class_of_table(context, v);
    if (class != NULL) class->table = v;
}

/* Whether a text is the name of a variable: of any other string nothing is written. */
static bool is_name(const char *text) {
    const char *end = text;
    for (; *end != 0 && end - text <= MOST_NAME; end++) {
        const unsigned char c = (unsigned char)*end;
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
        if (!letter && (end == text || ((c < '0' || c > '9') && c != '\''))) return false;
    }
    return end > text && *end == 0;
}

/* Of a class: the variable in a field of its objects. NULL: out of memory, or it is no field. */
static struct mp_object_variable *variable_at(struct mp_named *named, uint32_t class, intptr_t at) {
    struct mp_objects *o = &named->objects;
    const struct mp_object_variable variable = {.class = class, .field = (uint32_t)at};
    if (at < OBJECT_VARIABLES || (uint64_t)at >= o->classes.items[class].fields) return NULL;
    uintptr_t *index = word_map_add(&o->by_field, (uintptr_t) class << 32 | (uintptr_t)at, 64,
                                    NULL);
    if (index == NULL) return NULL;
    if (*index == 0) {
        if (!vector_push(&o->variables, variable, FIRST, NULL)) return NULL;
        *index = o->variables.count;
    }
    return &o->variables.items[*index - 1];
}

/* What a program has made may be no map: its parts may be shared, or lead to themselves. So no more
 * than `left` of them are read. */
static void read_variables(struct mp_named *named, uint32_t index, value map, unsigned depth,
                           uint64_t *left) {
    const struct mp_object_class *class = &named->objects.classes.items[index];
    if (depth > MAP_DEPTH || !is_block(map) || tag_of(map) != 0 || wosize_of(map) != MAP_FIELDS ||
        *left == 0)
        return;
    --*left;
    const value key = field(map, MAP_KEY), at = field(map, MAP_DATA);
    if (!is_block(key) || tag_of(key) != TAG_STRING || !is_int(at)) return;
    const char *name = string_bytes(key);
    struct mp_object_variable *variable = is_name(name) ? variable_at(named, index, int_of_val(at))
                                                        : NULL;
    if (variable != NULL) {
        variable->kind = MP_NAME_IN_TABLE;
        variable->name = mp_names_string(named->names, name);
        if (class->known.name != NULL)
            variable->type = mp_types_in_class(named->types, &class->known, name);
    }
    read_variables(named, index, field(map, MAP_LEFT), depth + 1, left);
    read_variables(named, index, field(map, MAP_RIGHT), depth + 1, left);
}

/* Reads the table of a class, if it was found: at most a variable for each field of the objects. */
static void read_table(struct mp_named *named, uint32_t index) {
    const struct mp_object_class *class = &named->objects.classes.items[index];
    uint64_t left = class->fields;
    if (class->table != 0)
        read_variables(named, index, field(class->table, TABLE_VARIABLES), 0, &left);
}

/* ---- Classes of modules. ---- */

/* The class whose table closures have captured, from one of them on. */
struct search {
    struct mp_named *named;
    struct mp_object_class *found;
    bool several;
    unsigned steps;
};

static void search_closure(struct search *s, value v, unsigned depth) {
    uint64_t number;
    if (!is_block(v) || !gc_block_number(&s->named->d->gc, v, &number)) return;
    struct mp_object_class *class = class_of_table(s->named, v);
    if (class != NULL) {
        s->several = s->several || (s->found != NULL && s->found != class);
        s->found = class;
    }
    if (tag_of(v) != TAG_CLOSURE || depth == MOST_DEPTH) return;
    for (uint64_t i = 0; i < wosize_of(v) && s->steps > 0; i++, s->steps--)
        search_closure(s, field(v, i), depth + 1);
}

/* The first field of a class' block makes objects of it. */
static void visit_class(void *context, const struct mp_class *known) {
    struct search s = {context, NULL, false, MOST_STEPS};
    uint64_t number;
    if (!gc_block_number(&s.named->d->gc, known->value, &number) || tag_of(known->value) != 0 ||
        wosize_of(known->value) == 0)
        return;
    search_closure(&s, field(known->value, 0), 0);
    if (s.found != NULL && !s.several && s.found->known.name == NULL) s.found->known = *known;
}

/* ---- Methods. ---- */

struct method {
    uint64_t gpc;
    uint32_t function, class;
    value closure;
};
struct methods VECTOR(struct method);

static int by_gpc(const void *a, const void *b) {
    const struct method *x = a, *y = b;
    return (x->gpc > y->gpc) - (x->gpc < y->gpc);
}

static bool is_method(const struct vm *vm, value v, struct method *out) {
    const bool closure = is_block(v) && tag_of(v) == TAG_CLOSURE && is_int(field(v, 0));
    const uintptr_t index = closure ? (uintptr_t)int_of_val(field(v, 0)) : 0;
    if (!closure || index >= vm->function_count) return false;
    const struct vm_function *f = &vm->functions[index];
    out->gpc = vm->codes[f->fragment]->base + f->pc;
    out->function = (uint32_t)index;
    out->closure = v;
    return true;
}

static void list_methods(const struct mp_named *named, uint32_t class, struct methods *out) {
    const value methods = named->objects.classes.items[class].methods;
    struct method method = {.class = class};
    uint64_t number;
    for (uint64_t i = METHODS_HEAD; i < wosize_of(methods); i++)
        if (gc_block_number(&named->d->gc, field(methods, i), &number) &&
            is_method(named->d->vm, field(methods, i), &method) &&
            !vector_push(out, method, FIRST, NULL))
            return;
}

struct captured {
    struct mp_named *named;
    const struct method *method;
};

/* An instance variable that a method has captured, or another variable. */
static void visit_captured(void *context, const char *name, value ident, uint32_t place) {
    const struct captured *c = context;
    struct mp_named *named = c->named;
    const struct method *m = c->method;
    if (place >= wosize_of(m->closure) || !is_block(ident) || !is_int(field(m->closure, place)) ||
        !is_name(name) || !mp_types_is_instance_variable(named->types, m->gpc, ident))
        return;
    struct mp_object_variable *v = variable_at(named, m->class,
                                               int_of_val(field(m->closure, place)));
    const uint32_t text = mp_names_string(named->names, name);
    if (v != NULL && v->name == 0) {
        v->kind = MP_NAME_IN_METHOD;
        v->name = text;
    }
    if (v != NULL && v->name == text && v->type == 0)
        v->type = mp_types_of_variable(named->types, m->gpc, ident);
}

static void read_methods(struct mp_named *named) {
    struct methods methods = {.count = 0};
    for (uint32_t i = 0; i < named->objects.classes.count; i++) list_methods(named, i, &methods);
    if (methods.count > 1) qsort(methods.items, methods.count, sizeof *methods.items, by_gpc);
    for (size_t i = 0; i < methods.count; i++) {
        const struct method *m = &methods.items[i];
        struct captured captured = {named, m};
        vm_variables_of_closure(&named->variables, m->function, wosize_of(m->closure),
                                visit_captured, &captured);
    }
    free(methods.items);
}

/* ---- Names of classes. ---- */

/* Adds the class of a method, `Bank.account` of `Bank.account#deposit`, unless it is there. */
static void add_class(char *text, size_t size, const char *method) {
    const char *end = strrchr(method, '#');
    const size_t length = strlen(text), added = end == NULL ? 0 : (size_t)(end - method);
    if (added == 0 || length + added + 3 > size) return;
    for (const char *at = text; (at = strstr(at, ", ")) != NULL;) {
        at += 2;
        if (strncmp(at, method, added) == 0 && (at[added] == 0 || at[added] == ',')) return;
    }
    snprintf(text + length, size - length, ", %.*s", (int)added, method);
}

/* `methods of Bank.account, Bank.savings`: those of an object whose class is not known. */
static uint32_t class_name(const struct mp_named *named, uint32_t class) {
    enum { MOST_TEXT = 200 };
    char text[MOST_TEXT] = "", whole[MOST_TEXT + 16];
    struct methods methods = {.count = 0};
    list_methods(named, class, &methods);
    for (size_t i = 0; i < methods.count; i++) {
        const char *name = mp_names_definition(named->names, methods.items[i].function);
        if (name != NULL) add_class(text, sizeof text, name);
    }
    free(methods.items);
    if (text[0] == 0) return 0;
    snprintf(whole, sizeof whole, "methods of %s", text + 2);
    return mp_names_string(named->names, whole);
}

static void write_name(struct mp_names *names, enum mp_name_kind kind, uint64_t of, uint32_t slot,
                       uint32_t text) {
    const struct mp_record_name record = {(uint8_t)kind, of, slot, text};
    if (text != 0) mp_write_name(names->writer, &record);
}

void mp_snapshot_name_objects(struct mp_named *named) {
    struct mp_objects *o = &named->objects;
    const value globals = named->d->vm->global_data;
    if (o->classes.count == 0 || named->types == NULL) return;
    gc_walk_blocks(&named->d->gc, find_table, named);
    for (uint32_t i = 0; is_block(globals) && i < wosize_of(globals); i++)
        mp_types_classes(named->types, &named->d->gc, i, visit_class, named);
    for (uint32_t i = 0; i < o->classes.count; i++) read_table(named, i);
    read_methods(named);
    for (uint32_t i = 0; i < o->classes.count; i++) {
        const struct mp_object_class *class = &o->classes.items[i];
        const uint32_t text = class->known.name != NULL
                                  ? mp_names_string(named->names, class->known.name)
                                  : class_name(named, i);
        write_name(named->names, MP_NAME_CLASS, class->number, 0, text);
    }
    for (size_t i = 0; i < o->variables.count; i++) {
        const struct mp_object_variable *v = &o->variables.items[i];
        const struct mp_record_typed typed = {v->type};
        write_name(named->names, v->kind, o->classes.items[v->class].number, v->field, v->name);
        if (v->name != 0 && v->type != 0) mp_write_typed(named->names->writer, &typed);
    }
}
