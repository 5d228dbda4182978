/* kinds.c - which values each argument kind admits. */
#include "vm/code/kinds.h"

#include "vm/code/checks.h"
#include "vm/state/alloc.h"

#include <string.h>

static bool is_custom(value v) { return is_block(v) && tag_of(v) == TAG_CUSTOM; }
/* Compares addresses first: the linker merges most equal strings. */
static inline bool has_identifier(value v, const char *identifier) {
    if (!is_custom(v)) return false;
    const char *own = custom_ops(v)->identifier;
    return own == identifier || strcmp(own, identifier) == 0;
}

/* A Thread.t (vm/thread/thread_internal.h): its last field, which no program can make, decides. */
static bool is_thread(value v) {
    return is_block(v) && tag_of(v) == 0 && wosize_of(v) == 3 &&
           has_identifier(field(v, 2), "_threadstatus");
}

/* A list of integers, such as flags. Every cell is checked here, so readers need not. A list longer
 * than any plausible one may be cyclic. */
enum { MAX_FLAGS = 1 << 16 };
static bool is_list_of_ints(value v) {
    for (int n = 0; is_block(v); v = field(v, 1), n++)
        if (n == MAX_FLAGS || !has_field(v, 1) || is_block(field(v, 0))) return false;
    return true;
}

enum { BLOCK = KIND_o, FIELDS = KIND_o | KIND_a };
const uint8_t vm_kinds_of_tag[256] = {
    [0 ... TAG_CLOSURE - 1] = FIELDS,
    [TAG_CLOSURE] = FIELDS | KIND_k,
    [TAG_OBJECT] = FIELDS,
    [TAG_INFIX] = BLOCK | KIND_k,
    [TAG_FORWARD] = FIELDS,
    [TAG_ABSTRACT] = BLOCK | KIND_e,
    [TAG_STRING] = BLOCK | KIND_s,
    [TAG_DOUBLE] = BLOCK | KIND_f,
    [TAG_DOUBLE_ARRAY] = FIELDS | KIND_A,
    [TAG_CUSTOM] = BLOCK,
};

uint8_t vm_kind_bit(char kind) {
    switch (kind) {
    case 'v': return KIND_ANY;
    case 'i': return KIND_i;
    case 's':
    case 'w': return KIND_s;
    case 'f': return KIND_f;
    case 'o': return KIND_o;
    case 'k': return KIND_k;
    case 'a': return KIND_a;
    case 'A': return KIND_A;
    case 'e': return KIND_e;
    default: return 0;
    }
}

/* The kinds for which the tag is not enough. */
static bool accepts_closely(const struct domain *d, char kind, value v) {
    switch (kind) {
    case 'c': return has_identifier(v, "_chan");
    case 'j': return is_custom_of(v, &vm_int32_ops);
    case 'l': return is_custom_of(v, &vm_int64_ops);
    case 'n': return is_custom_of(v, &vm_nativeint_ops);
    case 'A': return is_block(v) && wosize_of(v) == 0;
    case 'B': return has_identifier(v, "_bigarr02") || has_identifier(v, "_bigarray");
    case 't': return is_thread(v);
    case 'L': return is_list_of_ints(v);
    case 'm': return has_identifier(v, "_mutex");
    case 'h': return has_identifier(v, "_condition");
    default: return false;
    }
}

bool vm_kind_accepts(const struct domain *d, char kind, value v) {
    return vm_bit_accepts(vm_kind_bit(kind), v) || accepts_closely(d, kind, v);
}

bool vm_kinds_are_any(const char *kinds) { return kinds[strspn(kinds, "v")] == '\0'; }
