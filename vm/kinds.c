/* kinds.c - which values each argument kind admits. */
#include "vm/kinds.h"

#include "vm/thread.h"

#include <string.h>

static bool is_custom(value v) { return is_block(v) && tag_of(v) == TAG_CUSTOM; }
static bool is_custom_of(value v, const struct gc_custom_ops *ops) {
    return is_custom(v) && custom_ops(v) == ops;
}
/* Equal texts of one program are mostly one text: the linker merges them. */
static bool has_identifier(value v, const char *identifier) {
    if (!is_custom(v)) return false;
    const char *own = custom_ops(v)->identifier;
    return own == identifier || strcmp(own, identifier) == 0;
}

/* A list of integers, such as flags: each cell is looked at, so that who reads it need not. One
 * that is longer than any that makes sense may have no end. */
enum { MAX_FLAGS = 1 << 16 };
static bool is_list_of_ints(value v) {
    for (int n = 0; is_block(v); v = field(v, 1), n++)
        if (n == MAX_FLAGS || !has_field(v, 1) || is_block(field(v, 0))) return false;
    return true;
}

bool vm_kind_accepts(const struct domain *d, char kind, value v) {
    switch (kind) {
    case 'v': return true;
    case 'i': return is_int(v);
    case 's': return is_string(v);
    case 'f': return is_double(v);
    case 'o': return is_block(v);
    case 'j': return is_custom_of(v, &vm_int32_ops);
    case 'l': return is_custom_of(v, &vm_int64_ops);
    case 'n': return is_custom_of(v, &vm_nativeint_ops);
    case 'k': return is_closure(v);
    case 'A': return is_block(v) && (tag_of(v) == TAG_DOUBLE_ARRAY || wosize_of(v) == 0);
    case 'a':
        return is_block(v) && tag_of(v) != TAG_INFIX &&
               (tag_of(v) < TAG_NO_SCAN || tag_of(v) == TAG_DOUBLE_ARRAY);
    case 'c': return has_identifier(v, "_chan");
    case 'B': return has_identifier(v, "_bigarr02") || has_identifier(v, "_bigarray");
    case 'e': return is_block(v) && tag_of(v) == TAG_ABSTRACT;
    case 't': return vm_is_thread(v);
    case 'L': return is_list_of_ints(v);
    case 'm': return has_identifier(v, "_mutex");
    case 'h': return has_identifier(v, "_condition");
    default: return false;
    }
}

bool vm_kinds_are_any(const char *kinds) { return kinds[strspn(kinds, "v")] == '\0'; }
