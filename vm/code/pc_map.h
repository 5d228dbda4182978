/* pc_map.h - from the words of a decoded function back to pcs and heights, two bytes an
 * instruction. */
#ifndef BACTRIAN_VM_CODE_PC_MAP_H
#define BACTRIAN_VM_CODE_PC_MAP_H

#include <stdint.h>

struct vm_arena;
struct vm_ir;
struct vm_pc_map;

/* One instruction: the offset of its first decoded word, its pc in the fragment, the height of the
 * frame before it. */
struct vm_pc_row {
    uint32_t decoded, pc, height;
};

/* The map of a function's form, with the offset of each row's first decoded word; these ascend. It
 * lies in the arena. NULL: out of memory. GC: never. */
const struct vm_pc_map *vm_pc_map_make(struct vm_arena *arena, const struct vm_ir *ir,
                                       const uint32_t *offsets);
/* The row of the instruction that the word at that offset belongs to. Needs: the offset is not
 * below the first row's. GC: never. */
struct vm_pc_row vm_pc_map_find(const struct vm_pc_map *map, uint32_t decoded);

#endif
