/* resume.h - where the loop continues: a return address or a handler on the stack, or the
 * instruction whose registers are saved. Only the engine reads the code there; elsewhere it is an
 * opaque word that can be compared and that vm/code/decoded.h can look up. */
#ifndef BACTRIAN_VM_STATE_RESUME_H
#define BACTRIAN_VM_STATE_RESUME_H

#include "gc/value.h"

struct vm_resume {
    uintptr_t address;
};

/* From a word of the stack, which may be any word, and back. */
static inline struct vm_resume resume_of_word(value word) {
    return (struct vm_resume){(uintptr_t)word};
}
static inline value word_of_resume(struct vm_resume at) { return (value)at.address; }
/* From an address in decoded code. */
static inline struct vm_resume resume_at(const uintptr_t *words) {
    return (struct vm_resume){(uintptr_t)words};
}
static inline bool same_resume(struct vm_resume a, struct vm_resume b) {
    return a.address == b.address;
}

#endif
