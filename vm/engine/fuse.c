/* fuse.c - see fuse.h. An element of a form is an instruction or its long form. */
#include "vm/engine/fuse.h"

#include "gc/assert.h"
#include "vm/code/opcodes.h"

/* One line of a table that is a switch. */
#define WHEN(key, result) \
    case key: return result;

static unsigned long_form(unsigned op) {
    static const uint8_t of_special[ENGINE_COUNT] = {
#define SPECIAL(name, instruction, operand) [ENGINE_##name] = OP_##instruction,
#include "vm/code/engine.def"
    };
    ASSERT(op < ENGINE_COUNT);
    if (op < OPCODE_COUNT) return vm_opcodes[op].long_op;
    return of_special[op] != 0 ? of_special[op] : op;
}

/* Instructions as the elements of fused forms. */
enum {
#define OP(name, operands, delta, flags, meaning) STEP_##name = OP_##name,
#include "vm/code/opcodes.def"
#define SPECIAL(name, instruction, operand)      STEP_##name = ENGINE_##name,
#define INLINED(name, primitive, arity, meaning) STEP_##name = ENGINE_##name,
#include "vm/code/engine.def"
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init" /* several forms begin alike */
bool vm_begins_form(unsigned op) {
    static const uint8_t begins[ENGINE_COUNT] = {
#define FUSED2(a, b) [STEP_##a] = 1,
#define CALL2        FUSED2
#define FUSED3(a, b, c)
#define FUSED4(a, b, c, d)
#define CALL3(a, b, c)
#define CALL4(a, b, c, d)
#include "vm/code/engine.def"
    };
    return begins[op] || begins[long_form(op)];
}

/* Whether a form may continue `before` by `next`: by a hash of the two. */
static bool may_continue(unsigned before, unsigned next) {
#define HASH(before, next) (((before)*67 + (next)) % 4096)
    static const uint8_t may[4096] = {
#define FUSED2(a, b)       [HASH(STEP_##a, STEP_##b)] = 1,
#define FUSED3(a, b, c)    [HASH(ENGINE_##a##__##b, STEP_##c)] = 1,
#define FUSED4(a, b, c, d) [HASH(ENGINE_##a##__##b##__##c, STEP_##d)] = 1,
#define CALL2              FUSED2
#define CALL3              FUSED3
#define CALL4              FUSED4
#include "vm/code/engine.def"
    };
    return may[HASH(before, next)];
}
#pragma GCC diagnostic pop

/* The form that continues `before` by `next`, or 0. */
static unsigned fused_op(unsigned before, unsigned next) {
    if (!may_continue(before, next)) return 0;
    switch (before << 16 | next) {
#define FUSED2(a, b)    WHEN(STEP_##a << 16 | STEP_##b, ENGINE_##a##__##b)
#define FUSED3(a, b, c) WHEN(ENGINE_##a##__##b << 16 | STEP_##c, ENGINE_##a##__##b##__##c)
#define FUSED4(a, b, c, d) \
    WHEN(ENGINE_##a##__##b##__##c << 16 | STEP_##d, ENGINE_##a##__##b##__##c##__##d)
#define CALL2 FUSED2
#define CALL3 FUSED3
#define CALL4 FUSED4
#include "vm/code/engine.def"
    default: return 0;
    }
}

/* The longest form that continues `before` by the n next instructions, or 0. */
static unsigned longest(unsigned before, const uint16_t *next, unsigned n, unsigned *length) {
    *length = 0;
    if (n == 0) return 0;
    unsigned best = 0, more, long_op = long_form(*next);
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
    unsigned more, other_more = 0, other = 0, long_op = long_form(ops[0]);
    unsigned form = longest(ops[0], ops + 1, n - 1, &more);
    if (long_op != ops[0]) other = longest(long_op, ops + 1, n - 1, &other_more);
    if (other_more > more) form = other, more = other_more;
    ASSERT(form == 0 || (form >= OPCODE_COUNT && form < ENGINE_COUNT));
    ASSERT(more < n); /* only instructions that are there */
    *length = 1 + more;
    return form != 0 ? form : ops[0];
}
