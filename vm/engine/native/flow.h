/* flow.h - the analysis of a function before its code is emitted. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_FLOW_H
#define BACTRIAN_VM_ENGINE_NATIVE_FLOW_H

#include "vm/code/opcodes.h"

#include <stdbool.h>
#include <stdint.h>

struct native_row;
struct vm_ir;

/* Whether an instruction of its kind has labels, of rows of its function. */
static inline bool native_jumps(const struct vm_opcode_info *info) {
    return info->label != 0 && info->label != 'x';
}
/* Sets entries and a_is_live of the rows. first: the row at the entry. GC: never. */
void native_flow(const struct vm_ir *ir, struct native_row *rows, uint32_t first);

#endif
