/* fuzz_types.c - libFuzzer target: any bytes as a module's interface and its debug events, from
 * which the types of its values are found out.
 *
 * Bytes 0 and 1: the length of the first value, the interface as in a .cmi file; the second one is
 * a list of events. Both without their headers, whose counts are in bytes 2 to 5 and 6 to 9. All
 * types that are described refer to described ones and have texts that can be read (TY2). */
#include "memprof/types/types_internal.h"
#include "tests/fuzz/marshal_header.h"
#include "tests/fuzz/target.h"
#include "vm/code/version.h"
#include "vm/state/vm.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 10 };

static uint32_t number_at(const uint8_t *bytes) { return bytes[0] + 256u * bytes[1]; }

/* The value whose data these are; an integer: there is none. counts: of the header. */
static value read_value(struct vm_arena *arena, const uint8_t *counts, const uint8_t *data,
                        size_t n) {
    struct vm_error error;
    size_t used;
    value v;
    uint8_t *marshalled = malloc(VM_MARSHAL_SMALL_HEADER + n);
    if (marshalled == NULL) return val_of_int(0);
    put_marshal_header(marshalled, n, number_at(counts), number_at(counts + 2));
    memcpy(marshalled + VM_MARSHAL_SMALL_HEADER, data, n);
    bool read = vm_marshal_read_arena(marshalled, VM_MARSHAL_SMALL_HEADER + n, arena, &v, &used,
                                      &error) == VM_OK;
    free(marshalled);
    return read ? v : val_of_int(0);
}

/* ---- What is described. ---- */

struct description {
    uint32_t types, last_member;
    bool in_shape;
};

static void require(bool holds) {
    if (!holds) abort();
}

static void on_type(void *context, const char *name, enum mp_type_source source) {
    struct description *d = context;
    d->types++;
    d->in_shape = false;
    require(strlen(name) < SIZE_MAX && source < MP_TYPE_SOURCES);
}

static void on_shape(void *context, enum mp_shape_kind kind, unsigned tag,
                     const char *constructor) {
    struct description *d = context;
    d->in_shape = true;
    require(d->types > 0 && kind < MP_SHAPE_KINDS && tag < 256);
    require(constructor == NULL || strlen(constructor) < SIZE_MAX);
}

static void on_member(void *context, const char *name, uint32_t type) {
    struct description *d = context;
    if (type > d->last_member) d->last_member = type;
    require(d->in_shape && (name == NULL || strlen(name) < SIZE_MAX));
}

/* ---- The unit. ---- */

/* What `what` describes in a scope is to be described. */
static void add_type(struct mp_types *types, enum mp_type_form form, value what,
                     const struct mp_scope *scope) {
    const struct mp_type type = {.form = form, .what = what, .scope = scope, .name = "t"};
    if (scope != NULL) vector_push(&types->types, type, 16, NULL);
}

struct classes {
    struct mp_types *types;
    const struct mp_scope *scope;
};

/* The types of a variable `x` in all classes. */
static void on_item(void *context, const char *name, uint32_t at, value v) {
    const struct classes *c = context;
    struct mp_item item;
    (void)at;
    if (c->scope == NULL || !mp_signature_item(v, &item) || item.kind != MP_ITEM_CLASS) return;
    const struct mp_class class = {name, val_of_int(0), item.what, c->scope};
    require(mp_types_in_class(c->types, &class, "x") <= c->types->types.count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct vm vm = {.global_data = VAL_UNIT, .options = {.executable_name = "/none/none"}};
    if (size < HEAD || size > UINT16_MAX) return 0;
    vm.version = &vm_versions[size % OCAML_COUNT];
    size_t first = number_at(data) < size - HEAD ? number_at(data) : size - HEAD;
    struct mp_types *types = mp_types_create(&vm);
    struct mp_unit *unit = types == NULL ? NULL : mp_unit_named(types, "M");
    if (unit == NULL) return 0;
    unit->interface_tried = unit->debug_tried = true;
    value v = read_value(&unit->interface.arena, data + 2, data + HEAD, first);
    unit->interface.signature = mp_is_block(v, 0, 2) ? field(v, 1) : v;
    unit->interface_scope = mp_scope_of_unit(types, unit, unit->interface.signature);
    v = read_value(&unit->arena, data + 6, data + HEAD + first, size - HEAD - first);
    mp_unit_read_events(types, unit, v);
    add_type(types, MP_TYPE_STRUCTURE, unit->interface.signature, unit->interface_scope);
    struct classes classes = {types, unit->interface_scope};
    vm_interface_fields(unit->interface.signature, on_item, &classes);
    for (size_t i = 0; i < unit->entries.count; i++) {
        const struct mp_item *item = &unit->entries.items[i].item;
        if (item->kind == MP_ITEM_TYPE)
            add_type(types, MP_TYPE_NAMED, item->what, unit->debug_scope);
        else if (item->kind == MP_ITEM_EXTENSION)
            add_type(types, MP_TYPE_EXTENSION, item->what, unit->debug_scope);
        else if (item->kind == MP_ITEM_VALUE) mp_is_instance_variable(item->what);
        else if (item->kind == MP_ITEM_MODULE)
            mp_inside_of(types, unit->debug_scope, item->what, mp_ident_name(item->ident));
    }
    struct description d = {0};
    const struct mp_type_output output = {&d, on_type, on_shape, on_member};
    mp_types_describe(types, &output);
    require(d.types == types->types.count && d.last_member <= d.types);
    mp_types_free(types);
    return 0;
}
