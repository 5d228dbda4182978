/* arena.c - memory that is freed all at once: a list of chunks, the newest being filled. A request
 * too big for what is left of it gets a new chunk. */
#include "vm/arena.h"

#include "gc/tiny.h"

#include <stdint.h>
#include <stdlib.h>

struct vm_arena_chunk {
    struct vm_arena_chunk *next;
    size_t used, bytes;
    char data[];
};

enum { CHUNK_BYTES = IF_TINY(16, 64 * 1024 - 64) };

void *vm_arena_alloc(struct vm_arena *arena, size_t bytes) {
    if (bytes > PTRDIFF_MAX / 2) return NULL;
    bytes = (bytes + 7) & ~(size_t)7;
    struct vm_arena_chunk *chunk = arena->chunks;
    if (chunk == NULL || chunk->bytes - chunk->used < bytes) {
        size_t room = bytes > CHUNK_BYTES / 2 ? bytes : CHUNK_BYTES;
        struct vm_arena_chunk *fresh = malloc(sizeof *fresh + room);
        if (fresh == NULL) return NULL;
        fresh->bytes = room;
        fresh->used = 0;
        fresh->next = chunk;
        arena->chunks = chunk = fresh;
    }
    void *p = chunk->data + chunk->used;
    chunk->used += bytes;
    return p;
}

size_t vm_arena_release(struct vm_arena *arena, void *piece) {
    for (struct vm_arena_chunk **at = &arena->chunks; *at != NULL; at = &(*at)->next) {
        struct vm_arena_chunk *chunk = *at;
        if (chunk->data != piece || chunk->bytes <= CHUNK_BYTES) continue;
        size_t bytes = chunk->bytes;
        *at = chunk->next;
        free(chunk);
        return bytes;
    }
    return 0;
}

void vm_arena_free(struct vm_arena *arena) {
    while (arena->chunks != NULL) {
        struct vm_arena_chunk *chunk = arena->chunks;
        arena->chunks = chunk->next;
        free(chunk);
    }
}
