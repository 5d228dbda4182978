/* pc_map.c - see pc_map.h.
 *
 *     groups  | first row, at | first row, at | ...       one for each GROUP rows
 *     steps   | step | step | ...                         from a row to the next one
 *
 * A step is two bytes: the number of decoded words in the upper half of the first, that of bytecode
 * words in its lower half; then the change of the height. Where one of them does not fit, the first
 * byte is 0 and all three follow, 4 bytes each. A lookup finds its group by binary search and walks
 * from there. */
#include "vm/code/pc_map.h"

#include "gc/assert.h"
#include "gc/containers.h"
#include "vm/base/arena.h"
#include "vm/code/ir.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP = 64, LARGEST_STEP = 15, LONG_STEP_BYTES = 1 + sizeof(struct vm_pc_row) };

struct group {
    struct vm_pc_row first;
    uint32_t at; /* the step from it, in bytes from the map's first one */
};

struct vm_pc_map {
    uint32_t rows;
    struct group groups[];
};

static uint32_t group_count(uint32_t rows) { return (rows + GROUP - 1) / GROUP; }

static const uint8_t *steps_of(const struct vm_pc_map *map) {
    return (const uint8_t *)(map->groups + group_count(map->rows));
}

/* Needs: decoded > 0. */
static inline bool is_long(struct vm_pc_row step) {
    return ((step.decoded | step.pc) / (LARGEST_STEP + 1) | (step.height + 128) / 256) != 0;
}

/* Writes a long step at p; returns where the next one begins. */
static __attribute__((noinline)) uint8_t *put_long_step(uint8_t *p, uint32_t decoded, uint32_t pc,
                                                        uint32_t height) {
    struct vm_pc_row step = {decoded, pc, height};
    *p = 0;
    memcpy(p + 1, &step, sizeof step);
    return p + LONG_STEP_BYTES;
}

static inline struct vm_pc_row row_of(const struct vm_ir *ir, const uint32_t *offsets, uint32_t i) {
    return (struct vm_pc_row){offsets[i], ir->rows[i].pc, ir->rows[i].height};
}

/* Writes the steps from row i to row last at p; returns where the next one begins. */
static inline uint8_t *put_steps(const struct vm_ir *ir, const uint32_t *offsets, uint32_t i,
                                 uint32_t last, uint8_t *p) {
    struct vm_pc_row before = row_of(ir, offsets, i);
    while (i < last) {
        struct vm_pc_row row = row_of(ir, offsets, ++i);
        struct vm_pc_row step = {row.decoded - before.decoded, row.pc - before.pc,
                                 row.height - before.height};
        ASSERT(row.decoded > before.decoded && row.pc > before.pc);
        before = row;
        if (__builtin_expect(is_long(step), 0)) {
            p = put_long_step(p, step.decoded, step.pc, step.height);
            continue;
        }
        p[0] = (uint8_t)(step.decoded << 4 | step.pc);
        p[1] = (uint8_t)step.height;
        p += 2;
    }
    return p;
}

/* Writes all steps, and the groups; returns the bytes of the steps. */
static uint32_t put_groups(const struct vm_ir *ir, const uint32_t *offsets, struct group *groups,
                           uint8_t *steps) {
    uint32_t count = (uint32_t)ir->count;
    uint8_t *p = steps;
    for (uint32_t i = 0; i < count; i += GROUP) {
        groups[i / GROUP] = (struct group){row_of(ir, offsets, i), (uint32_t)(p - steps)};
        p = put_steps(ir, offsets, i, i + GROUP < count ? i + GROUP : count - 1, p);
    }
    return (uint32_t)(p - steps);
}

const struct vm_pc_map *vm_pc_map_make(struct vm_arena *arena, const struct vm_ir *ir,
                                       const uint32_t *offsets) {
    ASSERT(ir->count > 0);
    uint32_t groups = group_count((uint32_t)ir->count);
    size_t head = sizeof(struct vm_pc_map) + groups * sizeof(struct group);
    struct vm_pc_map *map = NULL, *widest = malloc(head + ir->count * LONG_STEP_BYTES);
    if (widest != NULL) {
        widest->rows = (uint32_t)ir->count;
        uint32_t bytes = put_groups(ir, offsets, widest->groups,
                                    (uint8_t *)(widest->groups + groups));
        map = vm_arena_alloc(arena, head + bytes);
        if (map != NULL) memcpy(map, widest, head + bytes);
    }
    free(widest);
    return map;
}

/* The step that begins at p, and its length. */
static inline struct vm_pc_row step_at(const uint8_t *p) {
    struct vm_pc_row step = {p[0] >> 4, p[0] & 15, (uint32_t)(int8_t)p[1]};
    if (*p == 0) memcpy(&step, p + 1, sizeof step);
    return step;
}
static inline size_t step_bytes(const uint8_t *p) { return *p == 0 ? LONG_STEP_BYTES : 2; }

struct vm_pc_row vm_pc_map_find(const struct vm_pc_map *map, uint32_t decoded) {
    ASSERT(decoded >= map->groups[0].first.decoded);
    uint32_t groups = group_count(map->rows);
    uint32_t low = sorted_prefix(groups, i, map->groups[i].first.decoded <= decoded) - 1;
    struct vm_pc_row row = map->groups[low].first;
    const uint8_t *p = steps_of(map) + map->groups[low].at;
    uint32_t last = (low + 1) * GROUP < map->rows ? (low + 1) * GROUP : map->rows;
    for (uint32_t i = low * GROUP + 1; i < last; i++) {
        struct vm_pc_row step = step_at(p);
        if (row.decoded + step.decoded > decoded) break;
        row.decoded += step.decoded, row.pc += step.pc, row.height += step.height;
        p += step_bytes(p);
    }
    return row;
}
