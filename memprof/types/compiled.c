/* compiled.c - see compiled.h. The enumerations are positions of fields, and of constructors, in
 * the compiler's types. */
#include "memprof/types/compiled.h"

#include <string.h>

const char *mp_text_at(value v) {
    return is_block(v) && tag_of(v) == TAG_STRING ? string_bytes(v) : NULL;
}

bool mp_same_length(value a, value b, struct mp_work *work) {
    for (; mp_is_block(a, 0, 2) && mp_is_block(b, 0, 2) && mp_step(work); a = field(a, 1))
        b = field(b, 1);
    return !is_block(a) && !is_block(b);
}

/* ---- Identifiers. ---- */

enum { IDENT_NAME, IDENT_STAMP };

const char *mp_ident_name(value ident) {
    if (!is_block(ident) || tag_of(ident) > IDENT_PREDEFINED || wosize_of(ident) < 1) return NULL;
    return mp_text_at(field(ident, IDENT_NAME));
}

value mp_ident_stamp(value ident) {
    return tag_of(ident) == IDENT_GLOBAL || wosize_of(ident) < 2 ? 0 : field(ident, IDENT_STAMP);
}

bool mp_same_ident(value a, value b) {
    if (a == b) return true;
    const char *x = mp_ident_name(a), *y = mp_ident_name(b);
    return x != NULL && y != NULL && mp_ident_stamp(a) == mp_ident_stamp(b) && strcmp(x, y) == 0;
}

/* ---- Items. ---- */

enum { ITEM_IDENT, ITEM_WHAT, ITEM_MODULE_WHAT };
enum { ENTRY_BEFORE, ENTRY_IDENT, ENTRY_WHAT, ENTRY_MODULE_WHAT };
enum {
    SIGNATURE_VALUE,
    SIGNATURE_TYPE,
    SIGNATURE_EXTENSION,
    SIGNATURE_MODULE,
    SIGNATURE_MODULE_TYPE,
    SIGNATURE_CLASS
};
enum { ENTRY_VALUE, ENTRY_TYPE, ENTRY_EXTENSION, ENTRY_MODULE, ENTRY_MODULE_TYPE };
enum { ENTRY_PARAMETER = 8 };

bool mp_signature_item(value v, struct mp_item *item) {
    static const enum mp_item_kind kinds[] = {[SIGNATURE_VALUE] = MP_ITEM_VALUE,
                                              [SIGNATURE_TYPE] = MP_ITEM_TYPE,
                                              [SIGNATURE_EXTENSION] = MP_ITEM_EXTENSION,
                                              [SIGNATURE_MODULE] = MP_ITEM_MODULE,
                                              [SIGNATURE_MODULE_TYPE] = MP_ITEM_MODULE_TYPE,
                                              [SIGNATURE_CLASS] = MP_ITEM_CLASS};
    if (!is_block(v) || tag_of(v) >= TAG_NO_SCAN || wosize_of(v) < 2) return false;
    const unsigned tag = tag_of(v);
    item->kind = tag < sizeof kinds / sizeof *kinds ? kinds[tag] : MP_ITEM_OTHER;
    item->ident = field(v, ITEM_IDENT);
    const bool module = item->kind == MP_ITEM_MODULE;
    if (module && wosize_of(v) <= ITEM_MODULE_WHAT) return false;
    item->what = field(v, module ? ITEM_MODULE_WHAT : ITEM_WHAT);
    return mp_ident_name(item->ident) != NULL;
}

bool mp_environment_entry(value v, struct mp_item *item) {
    *item = (struct mp_item){MP_ITEM_OTHER, val_of_int(0), val_of_int(0)};
    if (!is_block(v) || tag_of(v) >= TAG_NO_SCAN || wosize_of(v) <= ENTRY_BEFORE) return false;
    const uintptr_t size = wosize_of(v);
    switch (tag_of(v)) {
    case ENTRY_VALUE: item->kind = MP_ITEM_VALUE; break;
    case ENTRY_TYPE: item->kind = MP_ITEM_TYPE; break;
    case ENTRY_EXTENSION: item->kind = MP_ITEM_EXTENSION; break;
    case ENTRY_MODULE: item->kind = MP_ITEM_MODULE; break;
    case ENTRY_MODULE_TYPE: item->kind = MP_ITEM_MODULE_TYPE; break;
    default: return true;
    }
    const uintptr_t what = item->kind == MP_ITEM_MODULE ? ENTRY_MODULE_WHAT : ENTRY_WHAT;
    if (size > ENTRY_IDENT) item->ident = field(v, ENTRY_IDENT);
    if (size > what) item->what = field(v, what);
    if (mp_ident_name(item->ident) == NULL) item->kind = MP_ITEM_OTHER;
    return true;
}

/* ---- Descriptions. ---- */

static value first_field(value v) {
    return is_block(v) && tag_of(v) == 0 && wosize_of(v) > 0 ? field(v, 0) : val_of_int(0);
}

value mp_type_of_value(value description) { return first_field(description); }

value mp_type_of_module(value description) { return first_field(description); }

value mp_type_of_module_type(value description) { return first_field(first_field(description)); }

value mp_functor_parameter(value type) {
    if (!mp_is_block(type, MODULE_FUNCTOR, 2)) return val_of_int(0);
    return first_field(first_field(field(type, 0)));
}

value mp_entry_parameter(value entry) {
    if (!mp_is_block(entry, ENTRY_PARAMETER, 2) || mp_ident_name(field(entry, ENTRY_IDENT)) == NULL)
        return val_of_int(0);
    return field(entry, ENTRY_IDENT);
}

value mp_description(value type) { return first_field(type); }

value mp_linked(value type, struct mp_work *work) {
    value described = first_field(type);
    while ((mp_is_block(described, TYPE_LINK, 1) || mp_is_block(described, TYPE_POLYMORPHIC, 1)) &&
           mp_step(work)) {
        type = field(described, 0);
        described = first_field(type);
    }
    return type;
}

/* ---- Classes. ---- */

enum { VALUE_KIND = 1, KIND_INSTANCE_VARIABLE = 1, KIND_INSTANCE_FIELDS = 2 };
enum { CLASS_TYPE = 1, CLASS_CONSTRUCTED = 0, CLASS_SIGNATURE, CLASS_ARROW, INNER_CLASS = 2 };
enum { CLASS_ROW = 1, CLASS_FIELDS = 4, VARIABLE_TYPE = 2, VARIABLE_FIELDS };
enum { MAP_LEFT, MAP_KEY, MAP_DATA, MAP_RIGHT, MAP_FIELDS = 5 };

bool mp_is_instance_variable(value description) {
    return mp_is_block(description, 0, VALUE_KIND + 1) &&
           mp_is_block(field(description, VALUE_KIND), KIND_INSTANCE_VARIABLE,
                       KIND_INSTANCE_FIELDS);
}

value mp_type_in_class(value declaration, const char *name, struct mp_work *work) {
    const value none = val_of_int(0);
    value type = mp_is_block(declaration, 0, CLASS_TYPE + 1) ? field(declaration, CLASS_TYPE)
                                                             : none;
    while ((mp_is_block(type, CLASS_ARROW, INNER_CLASS + 1) ||
            mp_is_block(type, CLASS_CONSTRUCTED, INNER_CLASS + 1)) &&
           mp_step(work))
        type = field(type, INNER_CLASS);
    if (!mp_is_block(type, CLASS_SIGNATURE, 1)) return none;
    const value signature = field(type, 0);
    if (!mp_is_block(signature, 0, CLASS_FIELDS)) return none;
    value node = field(signature, CLASS_ROW);
    /* OCaml 4.13 has the variables there, later ones a type. */
    if (is_block(node) && wosize_of(node) != MAP_FIELDS) node = field(signature, CLASS_ROW + 1);
    while (mp_is_block(node, 0, MAP_FIELDS) && mp_step(work)) {
        const char *key = mp_text_at(field(node, MAP_KEY));
        const value data = field(node, MAP_DATA);
        if (key == NULL || !mp_is_block(data, 0, VARIABLE_FIELDS)) return none;
        const int order = strcmp(name, key);
        if (order == 0) return field(data, VARIABLE_TYPE);
        node = field(node, order < 0 ? MAP_LEFT : MAP_RIGHT);
    }
    return none;
}

/* ---- Rows. ---- */

enum { ROW_LABELS, ROW_MORE, ROW_FIELDS = 5, LABEL_NAME = 0, LABEL_STATE };
enum { STATE_PRESENT, STATE_EITHER, EITHER_ARGUMENTS = 1, EITHER_REST = 3, EITHER_FIELDS };

bool mp_row_of(value description, value *labels, value *more) {
    if (!mp_is_block(description, TYPE_ROW, 1)) return false;
    const value row = field(description, 0);
    if (!mp_is_block(row, 0, ROW_FIELDS)) return false;
    *labels = field(row, ROW_LABELS);
    *more = field(row, ROW_MORE);
    return true;
}

/* Rows that were joined lead from one state of a label to another; the type of its argument is in
 * any of them. */
bool mp_row_label(value v, bool has_cells, struct mp_work *work, const char **name,
                  value *argument) {
    if (!mp_is_block(v, 0, 2)) return false;
    *name = mp_text_at(field(v, LABEL_NAME));
    *argument = val_of_int(0);
    value state = field(v, LABEL_STATE);
    while (mp_is_block(state, STATE_EITHER, EITHER_FIELDS) && mp_step(work)) {
        const value types = field(state, EITHER_ARGUMENTS);
        if (mp_is_block(types, 0, 2) && is_int(field(types, 1))) *argument = field(types, 0);
        state = first_field(field(state, EITHER_REST));
        if (!has_cells) state = first_field(state);
    }
    if (is_int(*argument) && mp_is_block(state, STATE_PRESENT, 1))
        *argument = first_field(field(state, 0));
    return *name != NULL;
}

/* ---- Declarations. ---- */

enum { DECLARED_PARAMETERS, DECLARED_KIND = 2, DECLARED_MANIFEST = 4, DECLARED_FIELDS = 5 };
enum { KIND_PARTS, KIND_REPRESENTATION, KIND_FIELDS, UNBOXED_RECORD = 0, UNBOXED_VARIANT = 1 };
enum { PART_IDENT, LABEL_MUTABLE, LABEL_TYPE, PART_FIELDS };
enum { CONSTRUCTOR_ARGUMENTS = 1, CONSTRUCTOR_RESULT, ARGUMENTS_TUPLE = 0, ARGUMENTS_RECORD };
enum { EXTENSION_PATH, EXTENSION_ARGUMENTS = 2, EXTENSION_FIELDS = 4 };
enum { KIND_OPEN = 1, KIND_OPEN_WITH_ORIGINS = 0 };

bool mp_label_of(value v, const char **name, value *type) {
    if (!mp_is_block(v, 0, PART_FIELDS) || !is_int(field(v, LABEL_MUTABLE))) return false;
    *name = mp_ident_name(field(v, PART_IDENT));
    *type = field(v, LABEL_TYPE);
    if (is_int(*type) && wosize_of(v) > PART_FIELDS) *type = field(v, LABEL_TYPE + 1); /* 5.4 */
    return *name != NULL;
}

static bool read_arguments(value arguments, struct mp_constructor *out) {
    if (!is_block(arguments) || tag_of(arguments) > ARGUMENTS_RECORD || wosize_of(arguments) < 1)
        return false;
    out->inlined = tag_of(arguments) == ARGUMENTS_RECORD;
    out->arguments = field(arguments, 0);
    return true;
}

bool mp_constructor_of(value v, struct mp_constructor *out) {
    if (!mp_is_block(v, 0, PART_FIELDS) || !read_arguments(field(v, CONSTRUCTOR_ARGUMENTS), out))
        return false;
    out->name = mp_ident_name(field(v, PART_IDENT));
    out->result = first_field(field(v, CONSTRUCTOR_RESULT));
    return out->name != NULL;
}

bool mp_extension_of(value v, value *path, struct mp_constructor *out) {
    *out = (struct mp_constructor){.result = val_of_int(0)};
    if (!mp_is_block(v, 0, EXTENSION_FIELDS)) return false;
    *path = field(v, EXTENSION_PATH);
    return read_arguments(field(v, EXTENSION_ARGUMENTS), out);
}

/* Versions differ in the tags of kinds, so what the parts are says it. */
static void read_kind(value kind, bool has_origins, struct mp_declaration *out) {
    const char *name;
    value type;
    if (kind == val_of_int(has_origins ? KIND_OPEN_WITH_ORIGINS : KIND_OPEN))
        out->kind = MP_EXTENSIBLE;
    if (!is_block(kind) || tag_of(kind) >= TAG_NO_SCAN || wosize_of(kind) != KIND_FIELDS) return;
    const value parts = field(kind, KIND_PARTS), shape = field(kind, KIND_REPRESENTATION);
    struct mp_constructor constructor;
    const value first = first_field(parts);
    if (mp_label_of(first, &name, &type)) {
        out->kind = MP_RECORD;
        out->unboxed = mp_is_block(shape, UNBOXED_RECORD, 1);
    } else if (mp_constructor_of(first, &constructor)) {
        out->kind = MP_VARIANT;
        out->unboxed = shape == val_of_int(UNBOXED_VARIANT);
    }
    if (out->kind != MP_ABSTRACT) out->parts = parts;
}

bool mp_declaration_of(value v, bool has_origins, struct mp_declaration *out) {
    *out = (struct mp_declaration){MP_ABSTRACT, val_of_int(0), val_of_int(0), val_of_int(0), false};
    if (!mp_is_block(v, 0, DECLARED_FIELDS)) return false;
    out->parameters = field(v, DECLARED_PARAMETERS);
    out->manifest = first_field(field(v, DECLARED_MANIFEST));
    read_kind(field(v, DECLARED_KIND), has_origins, out);
    return true;
}
