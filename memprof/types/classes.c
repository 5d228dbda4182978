/* classes.c - classes of modules, and instance variables (types.h). */
#include "gc/walk.h"
#include "memprof/types/types_internal.h"
#include "vm/marshal/symbols.h"
#include "vm/state/vm.h"

enum { MOST_MODULES_DEEP = 12 };

/* The block of a module, and what describes it. */
struct structure {
    struct mp_types *types;
    const struct gc_domain *heap;
    const struct mp_scope *scope; /* of its signature; NULL: not known */
    value block;
    unsigned depth; /* in how many modules it is */
    mp_class_visitor *f;
    void *context;
};

static void ignore_field(void *context, const char *name, uint32_t field, value item) {
    (void)context, (void)name, (void)field, (void)item;
}

static void visit_field(void *context, const char *name, uint32_t at, value v);

/* A block of another size than the signature's is of another module. */
static void visit_structure(struct structure *s) {
    uint64_t number;
    if (s->scope == NULL || !is_block(s->scope->items) || s->depth > MOST_MODULES_DEEP ||
        !gc_block_number(s->heap, s->block, &number) || tag_of(s->block) != 0 ||
        vm_interface_fields(s->scope->items, ignore_field, NULL) != wosize_of(s->block))
        return;
    vm_interface_fields(s->scope->items, visit_field, s);
}

static void visit_field(void *context, const char *name, uint32_t at, value v) {
    const struct structure *s = context;
    struct mp_item item;
    if (!mp_step(&s->types->work) || !mp_signature_item(v, &item)) return;
    if (item.kind == MP_ITEM_CLASS) {
        const struct mp_class class = {mp_full_name(s->types, s->scope, name), field(s->block, at),
                                       item.what, s->scope};
        if (class.name != NULL) s->f(s->context, &class);
    } else if (item.kind == MP_ITEM_MODULE) {
        struct structure inside = *s;
        inside.scope = mp_inside_of(s->types, s->scope, item.what, name);
        inside.block = field(s->block, at);
        inside.depth++;
        visit_structure(&inside);
    }
}

void mp_types_classes(struct mp_types *types, const struct gc_domain *heap, uint32_t global,
                      mp_class_visitor *f, void *context) {
    const char *name = vm_global_name(types->vm, global);
    struct mp_unit *unit = name == NULL ? NULL : mp_unit_named(types, name);
    if (unit == NULL) return;
    struct structure s = {
        types, heap,   mp_interface_of(types, unit), field(types->vm->global_data, global), 0,
        f,     context};
    visit_structure(&s);
}

uint32_t mp_types_in_class(struct mp_types *types, const struct mp_class *class, const char *name) {
    const value type = mp_type_in_class(class->declaration, name, &types->work);
    return mp_number_of_type(types, class->scope, type);
}

bool mp_types_is_instance_variable(struct mp_types *types, uint64_t gpc, value ident) {
    struct mp_unit *unit = mp_unit_at(types, gpc);
    if (unit == NULL || mp_debug_of(types, unit) == NULL) return false;
    const struct mp_item *entry = mp_unit_entry(unit, ident);
    return entry != NULL && entry->kind == MP_ITEM_VALUE && mp_is_instance_variable(entry->what);
}
