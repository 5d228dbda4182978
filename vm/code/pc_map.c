/* pc_map.c - see pc_map.h.
 *
 *     marks   | decoded, pc, at | decoded, pc, at | ...        one for each GROUP rows
 *     steps   | step | step | ...                              from a row to the next one
 *
 * A step is a byte: the words of decoded code in its upper half, those of bytecode in its lower
 * half. Where one of them does not fit, the byte is 0 and both follow, 4 bytes each. A search finds
 * its mark by halving and walks from there. */
#include "vm/code/pc_map.h"

#include "vm/base/arena.h"

#include <stdbool.h>
#include <string.h>

enum { GROUP = 64, LARGEST_STEP = 15, LONG_STEP_BYTES = 9 };

struct mark {
    uint32_t decoded, pc; /* of the group's first row */
    uint32_t at;          /* the step from it, in bytes from the first one */
};

struct vm_pc_map {
    uint32_t rows;
    struct mark marks[];
};

static uint32_t mark_count(uint32_t rows) { return (rows + GROUP - 1) / GROUP; }

static const uint8_t *steps_of(const struct vm_pc_map *map) {
    return (const uint8_t *)(map->marks + mark_count(map->rows));
}

static bool is_long(struct vm_pc_row step) {
    return step.decoded > LARGEST_STEP || step.pc > LARGEST_STEP || step.decoded == 0;
}

static struct vm_pc_row step_to(const struct vm_pc_row *row) {
    return (struct vm_pc_row){row[0].decoded - row[-1].decoded, row[0].pc - row[-1].pc};
}

const struct vm_pc_map *vm_pc_map_make(struct vm_arena *arena, const struct vm_pc_row *rows,
                                       uint32_t count) {
    uint32_t marks = mark_count(count);
    size_t bytes = sizeof(struct vm_pc_map) + marks * sizeof(struct mark) + count - 1;
    for (uint32_t i = 1; i < count; i++) bytes += is_long(step_to(&rows[i])) ? sizeof *rows : 0;
    struct vm_pc_map *map = vm_arena_alloc(arena, bytes);
    if (map == NULL) return NULL;
    map->rows = count;
    uint8_t *first = (uint8_t *)(map->marks + marks), *p = first;
    map->marks[0] = (struct mark){rows[0].decoded, rows[0].pc, 0};
    for (uint32_t i = 1; i < count; i++) {
        struct vm_pc_row step = step_to(&rows[i]);
        *p++ = is_long(step) ? 0 : (uint8_t)(step.decoded << 4 | step.pc);
        if (is_long(step)) p = (uint8_t *)memcpy(p, &step, sizeof step) + sizeof step;
        if (i % GROUP == 0)
            map->marks[i / GROUP] = (struct mark){rows[i].decoded, rows[i].pc,
                                                  (uint32_t)(p - first)};
    }
    return map;
}

uint32_t vm_pc_map_find(const struct vm_pc_map *map, uint32_t decoded) {
    uint32_t low = 0, high = mark_count(map->rows);
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (map->marks[middle].decoded <= decoded) low = middle;
        else high = middle;
    }
    struct vm_pc_row row = {map->marks[low].decoded, map->marks[low].pc};
    const uint8_t *p = steps_of(map) + map->marks[low].at;
    uint32_t last = (low + 1) * GROUP < map->rows ? (low + 1) * GROUP : map->rows;
    for (uint32_t i = low * GROUP + 1; i < last; i++) {
        struct vm_pc_row step = {*p >> 4, *p & 15};
        if (*p == 0) memcpy(&step, p + 1, sizeof step);
        if (row.decoded + step.decoded > decoded) break;
        row.decoded += step.decoded;
        row.pc += step.pc;
        p += *p == 0 ? LONG_STEP_BYTES : 1;
    }
    return row.pc;
}
