/* label.h - what a label of a polymorphic variant, or a method, is at run time. */
#ifndef BACTRIAN_VM_BASE_LABEL_H
#define BACTRIAN_VM_BASE_LABEL_H

#include "gc/value.h"

/* The hash of a label: 31 bits with sign, as an integer of OCaml. */
static inline value vm_label_hash(const char *label) {
    uint32_t h = 0;
    for (; *label != 0; label++) h = 223 * h + (unsigned char)*label;
    return val_of_int((int32_t)(h << 1) >> 1);
}

#endif
