/* multi_byte.h - integers of 16, 32 and 64 bits, at any alignment, in strings and bytes. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_MULTI_BYTE_H
#define BACTRIAN_VM_ENGINE_NATIVE_MULTI_BYTE_H

#include <stdbool.h>
#include <stdint.h>

struct native_compiler;
struct vm_linked_prim;

struct native_multi_byte {
    bool sets;
    uint8_t bytes;
    uint16_t fact; /* of the integer: FACT_INT, FACT_INT32, FACT_INT64 */
};

/* Whether the primitive reads or writes such an integer. */
bool native_find_multi_byte(const struct vm_linked_prim *prim, struct native_multi_byte *found);
/* A := what it reads there, or unit. */
void native_multi_byte(struct native_compiler *c, const struct native_multi_byte *which);

#endif
