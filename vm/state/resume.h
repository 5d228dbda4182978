/* resume.h - where the loop goes on: a return address or a handler on the stack, the instruction
 * whose registers are saved. Only the engine knows what is there; for all others it is one word,
 * equal to another or not, that vm/code/decoded.h can look up. */
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
