/* containers.h - the growable array, search, and the hash table, for every layer above.
 *
 *     struct numbers VECTOR(uint32_t);          { uint32_t *items; size_t count, capacity; }
 *     if (!vector_push(&numbers, n, 64, NULL)) return out_of_memory();
 *     free(numbers.items);
 *
 *     uintptr_t *number = word_map_add(&map, key, 64, NULL);      0 when the key is new
 *
 * All zeros is an empty container. The owner of a vector reads and writes items and count itself.
 * `first` is the capacity that the container begins with; it grows twofold. Memory comes from the
 * C library where `memory` is NULL, and otherwise from a struct vector_memory, which may count it
 * and refuse it. A refusal leaves the container as it was; what it means is up to the caller. */
#ifndef BACTRIAN_GC_CONTAINERS_H
#define BACTRIAN_GC_CONTAINERS_H

#include "gc/assert.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Initial capacities, and sizes of pieces of work, in two variants, which affect speed only. In a
 * build with -Dsmall_tables=true they are minimal, so that every program exercises the code that
 * otherwise runs with large data only: tables begin with one row, the minor heap has 512 words,
 * work is done in the smallest pieces. */
#ifdef BACTRIAN_SMALL_TABLES
enum { GC_SMALL_TABLES = 1 };
#else
enum { GC_SMALL_TABLES = 0 };
#endif
#define IF_SMALL_TABLES(small, usual) (GC_SMALL_TABLES ? (small) : (usual))

struct vector_memory {
    /* As realloc; items has old_bytes (NULL: 0). bytes 0 frees it. NULL: refused. */
    void *(*resize)(const struct vector_memory *memory, void *items, size_t old_bytes,
                    size_t bytes);
    size_t large_bytes; /* vectors larger than this grow by an eighth; SIZE_MAX: none */
};

/* The body of a struct. */
#define VECTOR(type)            \
    {                           \
        type *items;            \
        size_t count, capacity; \
    }

/* Makes *items an array of at least `wanted` items. False when out of memory. */
bool vector_widen(void **items, size_t *capacity, size_t wanted, size_t first, size_t item_bytes,
                  const struct vector_memory *memory);

/* Makes room for n more items. False when out of memory. */
#define vector_reserve(v, n, first, memory)                                      \
    ((v)->capacity - (v)->count >= (n) ||                                        \
     vector_widen((void **)&(v)->items, &(v)->capacity, (v)->count + (n), first, \
                  sizeof *(v)->items, memory))
/* Appends x, with room for it there already. */
#define vector_append(v, x) (ASSERT((v)->count < (v)->capacity), (v)->items[(v)->count++] = (x))
/* Appends x. False when out of memory. */
#define vector_push(v, x, first, memory) \
    (vector_reserve(v, 1, first, memory) && (vector_append(v, x), true))

/* How many of the indices i below n satisfy `holds`, which must be true for a prefix of them and
 * false for the rest: a binary search. */
#define sorted_prefix(n, i, holds)                \
    ({                                            \
        size_t low_ = 0, high_ = (n);             \
        while (low_ < high_) {                    \
            size_t i = low_ + (high_ - low_) / 2; \
            if (holds) low_ = i + 1;              \
            else high_ = i;                       \
        }                                         \
        low_;                                     \
    })

/* A hash table from nonzero words to words: open addressing, at most half full. */
struct word_entry {
    uintptr_t key; /* 0: free */
    uintptr_t word;
};
struct word_map {
    struct word_entry *entries;
    size_t count, capacity; /* capacity: 0 or a power of two */
};

/* The index of key, or of the free entry where it belongs. Needs: capacity > 0. */
static inline size_t word_map_index(const struct word_map *map, uintptr_t key) {
    size_t mask = map->capacity - 1;
    size_t i = (uint64_t)key * 0x9e3779b97f4a7c15u >> 32 & mask;
    ASSERT(key != 0 && map->capacity > map->count);
    while (map->entries[i].key != key && map->entries[i].key != 0) i = (i + 1) & mask;
    return i;
}
/* The word of key; NULL if the key is absent. */
static inline uintptr_t *word_map_find(const struct word_map *map, uintptr_t key) {
    if (map->capacity == 0) return NULL;
    struct word_entry *entry = &map->entries[word_map_index(map, key)];
    return entry->key == key ? &entry->word : NULL;
}
/* The word of key, which is entered with 0 if it is absent. first: a power of two above 1. NULL
 * when out of memory. Valid until the next change of the map. */
uintptr_t *word_map_add(struct word_map *map, uintptr_t key, size_t first,
                        const struct vector_memory *memory);
/* Removes key if it is there. */
void word_map_remove(struct word_map *map, uintptr_t key);

#endif
