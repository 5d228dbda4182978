/* prepare.h - from bytecode to decoded code, one function at a time, at its first call. */
#ifndef BACTRIAN_VM_ENGINE_PREPARE_H
#define BACTRIAN_VM_ENGINE_PREPARE_H

#include "vm/state/vm.h"

struct vm_function;
struct vm_ir;

/* Verifies and decodes a function (first call). GC: never. Fails: false, with the reason in
 * vm->refused, if the verifier refuses it; when out of memory, fatally. */
bool vm_function_prepare(struct vm *vm, uint32_t index);
/* Control has reached the next piece of the toplevel code (vm/code/pieces.h), or the first one:
 * makes it. Returns its first decoded word. GC: never. Fails: as above, fatally. */
const uintptr_t *vm_next_piece(struct domain *d);
/* The offset of each row's first decoded word in a decoded function of that form. GC: never.
 * Fails: when out of memory, fatally. */
void vm_row_offsets(struct vm *vm, const struct vm_function *f, const struct vm_ir *ir,
                    uint32_t *offsets);
/* Reserves the area and makes the machine's internal code (leave_code and others), for the loop
 * that the machine's options select. False: the system refuses the memory. GC: never. */
bool vm_decoded_area_create(struct vm *vm);
void vm_decoded_area_destroy(struct vm *vm);

#endif
