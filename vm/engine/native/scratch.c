/* scratch.c - see scratch.h.
 *
 * Most functions are compiled in one chunk, a mapping of its own, whose first pages are cleared and
 * used again, and whose others are returned: in malloc's heap they would remain as holes between
 * blocks that stay. */
#include "vm/engine/native/scratch.h"

#include "gc/containers.h"
#include "vm/base/os.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAPPED_BYTES = IF_SMALL_TABLES(4096, 4096 * 1024),
    KEPT_BYTES = IF_SMALL_TABLES(4096, 32 * 1024), /* of them */
    CHUNK_BYTES = 16384 - 64,
};

struct native_chunk {
    struct native_chunk *older;
    size_t used, size; /* bytes of `memory` */
    _Alignas(max_align_t) unsigned char memory[];
};

static void add_mapped(struct native_memory *m) {
    size_t bytes = MAPPED_BYTES;
    struct native_chunk *chunk = vm_reserve(&bytes, KEPT_BYTES);
    if (chunk == NULL) return;
    chunk->size = bytes - sizeof *chunk;
    m->mapped = m->newest = chunk;
}

static void add_chunk(struct native_memory *m, size_t bytes) {
    size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    struct native_chunk *chunk = vm_must(calloc(1, sizeof *chunk + size));
    chunk->older = m->newest;
    chunk->size = size;
    m->newest = chunk;
}

static size_t left(const struct native_chunk *chunk) {
    return chunk == NULL ? 0 : chunk->size - chunk->used;
}

void *native_memory_get(struct native_memory *m, size_t bytes) {
    bytes = (bytes + 15) & ~(size_t)15;
    if (m->newest == NULL) add_mapped(m);
    if (left(m->newest) < bytes) add_chunk(m, bytes);
    struct native_chunk *chunk = m->newest;
    chunk->used += bytes;
    return chunk->memory + chunk->used - bytes;
}

void native_memory_reset(struct native_memory *m) {
    for (struct native_chunk *chunk = m->newest, *older; chunk != m->mapped; chunk = older) {
        older = chunk->older;
        free(chunk);
    }
    struct native_chunk *kept = m->newest = m->mapped;
    if (kept == NULL) return;
    size_t first = KEPT_BYTES - sizeof *kept;
    if (kept->used > first) vm_renew_pages(kept->memory + first, kept->size - first);
    memset(kept->memory, 0, kept->used < first ? kept->used : first);
    kept->used = 0;
}

void native_memory_free(struct native_memory *m) {
    native_memory_reset(m);
    if (m->mapped != NULL) vm_release(m->mapped, m->mapped->size + sizeof *m->mapped);
    *m = (struct native_memory){.newest = NULL};
}
