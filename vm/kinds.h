/* kinds.h - argument kinds of primitives (vm/prim.h) as the loop tests them. */
#ifndef BACTRIAN_VM_KINDS_H
#define BACTRIAN_VM_KINDS_H

#include "vm/checks.h"
#include "vm/vm.h"

/* Whether v may be an argument of that kind. */
bool vm_kind_accepts(const struct domain *d, char kind, value v);
/* Whether a string of kinds needs no test at all. */
bool vm_kinds_are_any(const char *kinds);

/* Whether a primitive may be called with accu and what follows on the stack; stubs are not
 * tested. */
static inline bool vm_arguments_ok(const struct domain *d, const struct vm_linked_prim *prim,
                                   value accu, const value *sp) {
    const char *kinds = prim->tested_kinds;
    if (kinds == NULL) return true;
    for (value v = accu;; v = *sp++) {
        char kind = *kinds++;
        if (kind == 'i') {
            if (is_block(v)) return false;
        } else if (kind != 'v' && !vm_kind_accepts(d, kind, v)) {
            return false;
        }
        if (*kinds == '\0') return true;
    }
}

#endif
