/* kinds.h - argument kinds of primitives (vm/code/prim.h) as the loop tests them. */
#ifndef BACTRIAN_VM_CODE_KINDS_H
#define BACTRIAN_VM_CODE_KINDS_H

#include "gc/assert.h"
#include "vm/code/prim.h"

/* Most kinds depend only on the low bit and the block's tag: a bit for each of these. */
enum {
    KIND_i = 1,
    KIND_s = 2,
    KIND_f = 4,
    KIND_o = 8,
    KIND_k = 16,
    KIND_a = 32,
    KIND_A = 64,
    KIND_e = 128,
    KIND_ANY = 255,
};
/* The kinds that accept every block of a tag. */
extern const uint8_t vm_kinds_of_tag[256];

/* The bit of a kind; KIND_ANY: it accepts all values; 0: no tag is enough for it. */
uint8_t vm_kind_bit(char kind);
/* Whether a string of kinds needs no check at all. */
bool vm_kinds_are_any(const char *kinds);

/* Whether the kind of that bit accepts v. */
static inline bool vm_bit_accepts(unsigned bit, value v) {
    return bit == KIND_ANY || (bit & (is_int(v) ? KIND_i : vm_kinds_of_tag[tag_of(v)]));
}
static inline bool vm_argument_ok(const struct domain *d, const struct vm_linked_prim *prim,
                                  unsigned i, value v) {
    ASSERT(i < 5 && i < prim->arity);
    return vm_bit_accepts(prim->kind_bits[i], v) || vm_kind_accepts(d, prim->kinds[i], v);
}
/* Whether a primitive of the tables may be called with its n arguments, accu and what follows on
 * the stack. Needs: a constant n >= 1. */
static inline __attribute__((always_inline)) bool vm_arguments_ok(const struct domain *d,
                                                                  const struct vm_linked_prim *prim,
                                                                  unsigned n, value accu,
                                                                  const value *sp) {
    bool ok = vm_argument_ok(d, prim, 0, accu);
    for (unsigned i = 1; i < n; i++) ok = ok && vm_argument_ok(d, prim, i, sp[i - 1]);
    return ok;
}

#endif
