/* containers.c - see containers.h. */
#include "gc/containers.h"

#include <stdlib.h>
#include <string.h>

bool vector_widen(void **items, size_t *capacity, size_t wanted, size_t first, size_t item_bytes,
                  const struct vector_memory *memory) {
    size_t had = *capacity, wider = had, old_bytes = had * item_bytes;
    if (wanted <= had) return true;
    if (had == 0) wider = first;
    else wider += memory && old_bytes > memory->large_bytes ? had / 8 : had;
    while (wider < wanted) wider *= 2;
    void *moved = memory ? memory->resize(memory, *items, old_bytes, wider * item_bytes)
                         : realloc(*items, wider * item_bytes);
    if (!moved) return false;
    *items = moved;
    *capacity = wider;
    return true;
}

/* ---- Hash tables. ---- */

static bool widen_map(struct word_map *map, size_t first, const struct vector_memory *memory) {
    struct word_map wider = {.count = map->count, .capacity = 2 * map->capacity};
    if (map->capacity == 0) wider.capacity = first;
    ASSERT(wider.capacity > 1 && (wider.capacity & (wider.capacity - 1)) == 0);
    size_t bytes = wider.capacity * sizeof *wider.entries;
    wider.entries = memory ? memory->resize(memory, NULL, 0, bytes) : malloc(bytes);
    if (!wider.entries) return false;
    memset(wider.entries, 0, bytes);
    for (size_t i = 0; i < map->capacity; i++) {
        const struct word_entry *entry = &map->entries[i];
        if (entry->key) wider.entries[word_map_index(&wider, entry->key)] = *entry;
    }
    if (!memory) free(map->entries);
    else if (map->entries)
        memory->resize(memory, map->entries, map->capacity * sizeof *map->entries, 0);
    *map = wider;
    return true;
}

uintptr_t *word_map_add(struct word_map *map, uintptr_t key, size_t first,
                        const struct vector_memory *memory) {
    uintptr_t *word = word_map_find(map, key);
    if (word) return word;
    if (2 * (map->count + 1) > map->capacity && !widen_map(map, first, memory)) return NULL;
    struct word_entry *entry = &map->entries[word_map_index(map, key)];
    *entry = (struct word_entry){key, 0};
    map->count++;
    return &entry->word;
}

void word_map_remove(struct word_map *map, uintptr_t key) {
    if (!word_map_find(map, key)) return;
    size_t mask = map->capacity - 1, hole = word_map_index(map, key);
    map->entries[hole].key = 0;
    map->count--;
    /* Entries after the hole may have been put there because it was taken. */
    for (size_t i = (hole + 1) & mask; map->entries[i].key; i = (i + 1) & mask) {
        struct word_entry entry = map->entries[i];
        map->entries[i].key = 0;
        map->entries[word_map_index(map, entry.key)] = entry;
    }
}
