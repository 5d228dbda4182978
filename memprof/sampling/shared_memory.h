/* shared_memory.h - memory outside the heap that several blocks share, such as the elements of a
 * bigarray and of its parts. The collector's hooks outlived and released say which.
 *
 *   outlived(v, key)    heirs: v -> key,  ids: key -> 0       before v is found dead
 *   v is found dead     ids: key -> 1 + the id of v's sample
 *   released(key)       ids: key is removed, and its sample dies */
#ifndef BACTRIAN_MEMPROF_SAMPLING_SHARED_MEMORY_H
#define BACTRIAN_MEMPROF_SAMPLING_SHARED_MEMORY_H

#include "gc/containers.h"
#include "gc/value.h"

#include <stdlib.h>

enum { MP_HEIRS_YOUNG, MP_HEIRS_OLD, MP_HEIRS };

struct mp_shared_memory {
    struct word_map heirs[MP_HEIRS]; /* of the blocks of each heap, until they are examined */
    struct word_map ids;
};

/* Empties a map. */
static inline void mp_shared_clear(struct word_map *map) {
    free(map->entries);
    *map = (struct word_map){.count = 0};
}

/* Forgets everything. */
static inline void mp_shared_forget(struct mp_shared_memory *m) {
    for (int i = 0; i < MP_HEIRS; i++) mp_shared_clear(&m->heirs[i]);
    mp_shared_clear(&m->ids);
}

/* When out of memory the sample dies with its block. */
static inline void mp_shared_outlived(struct mp_shared_memory *m, int heirs, value v,
                                      const void *key) {
    uintptr_t *heir = word_map_add(&m->heirs[heirs], (uintptr_t)v, IF_SMALL_TABLES(2, 64), NULL);
    if (heir != NULL) *heir = (uintptr_t)key;
    word_map_add(&m->ids, (uintptr_t)key, IF_SMALL_TABLES(2, 64), NULL);
}

/* v, whose memory has sample id, is dead. Returns whether the memory outlives it. */
static inline bool mp_shared_inherits(struct mp_shared_memory *m, int heirs, value v, uint64_t id) {
    const uintptr_t *key = word_map_find(&m->heirs[heirs], (uintptr_t)v);
    uintptr_t *word = key == NULL ? NULL : word_map_find(&m->ids, *key);
    if (word == NULL || *word != 0) return false;
    *word = id + 1;
    return true;
}

/* Returns whether that memory has a sample, which is now dead. */
static inline bool mp_shared_released(struct mp_shared_memory *m, const void *key, uint64_t *id) {
    const uintptr_t *word = word_map_find(&m->ids, (uintptr_t)key);
    if (word == NULL) return false;
    uintptr_t found = *word;
    word_map_remove(&m->ids, (uintptr_t)key);
    if (found == 0) return false;
    *id = found - 1;
    return true;
}

#endif
