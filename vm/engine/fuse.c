/* fuse.c - see fuse.h. An element of a form is an instruction or its long form. */
#include "vm/engine/fuse.h"

#include "gc/assert.h"

/* Instructions as the elements of fused forms, their long forms, and their roots: APPTERM2_4 is a
 * variant of APPTERM2, which is one of APPTERM. */
enum {
#define OP(name, operands, delta, flags, meaning) \
    STEP_##name = OP_##name, LONG_##name = OP_##name, ROOT_##name = OP_##name,
#define SHORT(name, long_name, first, operands, delta, flags, meaning) \
    STEP_##name = OP_##name, LONG_##name = OP_##long_name, ROOT_##name = OP_##long_name,
#include "vm/code/opcodes.def"
#define SPECIAL(name, instruction, operand) \
    STEP_##name = ENGINE_##name, LONG_##name = OP_##instruction, ROOT_##name = ROOT_##instruction,
#define INLINED(name, primitive, arity, meaning) \
    STEP_##name = ENGINE_##name, LONG_##name = ENGINE_##name, ROOT_##name = ENGINE_##name,
#include "vm/code/engine.def"
};

static const uint16_t long_forms[ENGINE_COUNT] = {
#define OP(name, operands, delta, flags, meaning) [OP_##name] = LONG_##name,
#include "vm/code/opcodes.def"
#define INTERNAL(name, meaning)                  [ENGINE_##name] = ENGINE_##name,
#define SPECIAL(name, instruction, operand)      [ENGINE_##name] = LONG_##name,
#define INLINED(name, primitive, arity, meaning) [ENGINE_##name] = ENGINE_##name,
#include "vm/code/engine.def"
};

const uint16_t vm_roots[ENGINE_COUNT] = {
#define OP(name, operands, delta, flags, meaning) [OP_##name] = ROOT_##name,
#include "vm/code/opcodes.def"
#define INTERNAL(name, meaning)                  [ENGINE_##name] = ENGINE_##name,
#define SPECIAL(name, instruction, operand)      [ENGINE_##name] = ROOT_##name,
#define INLINED(name, primitive, arity, meaning) [ENGINE_##name] = ENGINE_##name,
#include "vm/code/engine.def"
};

/* A form as the form without its last element, and that. Those that continue the same form follow
 * one another in engine.def. */
struct form {
    uint16_t before, last;
};

#define NO_FORM(name)       [ENGINE_##name] = {UINT16_MAX, 0},
#define IS(form, a, b)      [ENGINE_##form] = {a, b},
#define IN_TABLE(form, key) [key] = ENGINE_##form,
static const struct form forms[ENGINE_COUNT] = {
#define INTERNAL(name, meaning)                  NO_FORM(name)
#define SPECIAL(name, instruction, operand)      NO_FORM(name)
#define INLINED(name, primitive, arity, meaning) NO_FORM(name)

#define FUSED2(a, b)       IS(a##__##b, STEP_##a, STEP_##b)
#define FUSED3(a, b, c)    IS(a##__##b##__##c, ENGINE_##a##__##b, STEP_##c)
#define FUSED4(a, b, c, d) IS(a##__##b##__##c##__##d, ENGINE_##a##__##b##__##c, STEP_##d)
#define CALL2              FUSED2
#define CALL3              FUSED3
#define CALL4              FUSED4
#include "vm/code/engine.def"
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init" /* several forms begin alike: the last one stays */
const uint8_t vm_forms_begin[FUSE_HASHES] = {
#define FUSED2(a, b) [FUSE_HASH(ROOT_##a, ROOT_##b)] = 1,
#define FUSED3(a, b, c)
#define FUSED4(a, b, c, d)
#define CALL2 FUSED2
#define CALL3 FUSED3
#define CALL4 FUSED4
#include "vm/code/engine.def"
};

/* A form by the hash of its two parts. */
static const uint16_t by_parts[FUSE_HASHES] = {
#define FUSED2(a, b)    IN_TABLE(a##__##b, FUSE_HASH(STEP_##a, STEP_##b))
#define FUSED3(a, b, c) IN_TABLE(a##__##b##__##c, FUSE_HASH(ENGINE_##a##__##b, STEP_##c))
#define FUSED4(a, b, c, d) \
    IN_TABLE(a##__##b##__##c##__##d, FUSE_HASH(ENGINE_##a##__##b##__##c, STEP_##d))
#define CALL2 FUSED2
#define CALL3 FUSED3
#define CALL4 FUSED4
#include "vm/code/engine.def"
};

/* The last of the forms that continue an instruction or a form; 0: none does. */
static const uint16_t last_forms[ENGINE_COUNT] = {
#define FUSED2(a, b)       IN_TABLE(a##__##b, STEP_##a)
#define FUSED3(a, b, c)    IN_TABLE(a##__##b##__##c, ENGINE_##a##__##b)
#define FUSED4(a, b, c, d) IN_TABLE(a##__##b##__##c##__##d, ENGINE_##a##__##b##__##c)
#define CALL2              FUSED2
#define CALL3              FUSED3
#define CALL4              FUSED4
#include "vm/code/engine.def"
};
#pragma GCC diagnostic pop

/* The form that continues `before` by `next`, or 0. */
static inline unsigned fused_op(unsigned before, unsigned next) {
    unsigned form = by_parts[FUSE_HASH(before, next)];
    if (form == 0 || (forms[form].before == before && forms[form].last == next)) return form;
    form = last_forms[before]; /* another form has the same hash */
    while (forms[form].before == before && forms[form].last != next) form--;
    return form != 0 && forms[form].before == before ? form : 0;
}

/* The longest form that continues `before` by the n next instructions, or 0. */
static unsigned longest(unsigned before, const uint16_t *next, unsigned n, unsigned *length) {
    *length = 0;
    if (n == 0 || last_forms[before] == 0) return 0;
    unsigned best = 0, more, long_op = long_forms[*next];
    for (unsigned element = *next;; element = long_op) {
        unsigned form = fused_op(before, element);
        if (form != 0) {
            unsigned longer = longest(form, next + 1, n - 1, &more);
            if (best == 0 || more + 1 > *length) {
                best = longer != 0 ? longer : form;
                *length = more + 1;
            }
        }
        if (element == long_op) return best;
    }
}

unsigned vm_fuse(const uint16_t *ops, unsigned n, unsigned *length) {
    ASSERT(n > 0 && n <= LONGEST_FORM);
    unsigned more, other_more = 0, other = 0, long_op = long_forms[ops[0]];
    unsigned form = longest(ops[0], ops + 1, n - 1, &more);
    if (long_op != ops[0]) other = longest(long_op, ops + 1, n - 1, &other_more);
    if (other_more > more) form = other, more = other_more;
    ASSERT(form == 0 || (form >= OPCODE_COUNT && form < ENGINE_COUNT));
    ASSERT(more < n); /* only instructions that are there */
    *length = 1 + more;
    return form != 0 ? form : ops[0];
}
