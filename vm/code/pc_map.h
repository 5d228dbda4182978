/* pc_map.h - from places in a function's decoded code back to pcs, a byte an instruction. Private
 * to vm/. */
#ifndef BACTRIAN_VM_CODE_PC_MAP_H
#define BACTRIAN_VM_CODE_PC_MAP_H

#include <stdint.h>

struct vm_arena;
struct vm_pc_map;

/* One place where the decoder put an instruction. */
struct vm_pc_row {
    uint32_t decoded, pc; /* word offset in decoded code; pc in the fragment */
};

/* The map of these rows, which ascend in both columns; count > 0. It lives in the arena. NULL: no
 * memory. GC: never. */
const struct vm_pc_map *vm_pc_map_make(struct vm_arena *arena, const struct vm_pc_row *rows,
                                       uint32_t count);
/* The pc of the instruction that the word at that offset belongs to. Needs: the offset is not below
 * the first row's. GC: never. */
uint32_t vm_pc_map_find(const struct vm_pc_map *map, uint32_t decoded);

#endif
