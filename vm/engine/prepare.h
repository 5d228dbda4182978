/* prepare.h - from bytecode to what the loop runs, a function at a time, on its first call. */
#ifndef BACTRIAN_VM_ENGINE_PREPARE_H
#define BACTRIAN_VM_ENGINE_PREPARE_H

#include "vm/state/vm.h"

/* Verifies and decodes a function (first call). Fails: false, with the reason in vm->refused, where
 * it breaks a rule of the verifier; on exhausted memory, fatally. */
bool vm_function_prepare(struct vm *vm, uint32_t index);
/* Reserves the area and makes the machine's own code (leave_code and the like). Labels come from
 * the loop that the machine's options ask for. False: the system refuses the memory. */
bool vm_decoded_area_create(struct vm *vm);
void vm_decoded_area_destroy(struct vm *vm);

#endif
