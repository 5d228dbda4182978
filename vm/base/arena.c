/* arena.c - memory that is freed as a whole: a list of chunks, of which the newest is being filled.
 * A request that does not fit gets a new chunk. */
#include "vm/base/arena.h"

#include "gc/containers.h"
#include "gc/heap.h"

#include <stdlib.h>

struct vm_arena_chunk {
    struct vm_arena_chunk *next;
    size_t bytes;
    char data[];
};

enum { CHUNK_BYTES = IF_SMALL_TABLES(16, 64 * 1024 - 64) };

void *vm_arena_alloc_slow(struct vm_arena *arena, size_t bytes) {
    if (bytes > PTRDIFF_MAX / 2) return NULL;
    bytes = (bytes + 7) & ~(size_t)7;
    size_t room = bytes > CHUNK_BYTES / 2 ? bytes : CHUNK_BYTES;
    if (arena->heap != NULL && !gc_external_try_charge(arena->heap, room)) return NULL;
    struct vm_arena_chunk *chunk = malloc(sizeof *chunk + room);
    if (chunk == NULL) {
        gc_external_uncharge(arena->heap, room);
        return NULL;
    }
    chunk->bytes = room;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->next = chunk->data + bytes;
    arena->end = chunk->data + room;
    return chunk->data;
}

size_t vm_arena_release(struct vm_arena *arena, void *piece) {
    for (struct vm_arena_chunk **at = &arena->chunks; *at != NULL; at = &(*at)->next) {
        struct vm_arena_chunk *chunk = *at;
        if (chunk->data != piece || chunk->bytes <= CHUNK_BYTES) continue;
        size_t bytes = chunk->bytes;
        if (arena->end == chunk->data + bytes) arena->next = arena->end = NULL;
        *at = chunk->next;
        gc_external_uncharge(arena->heap, bytes);
        free(chunk);
        return bytes;
    }
    return 0;
}

void vm_arena_free(struct vm_arena *arena) {
    while (arena->chunks != NULL) {
        struct vm_arena_chunk *chunk = arena->chunks;
        arena->chunks = chunk->next;
        gc_external_uncharge(arena->heap, chunk->bytes);
        free(chunk);
    }
    arena->next = arena->end = NULL;
}
