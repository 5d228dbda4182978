/* arena.h - memory that is freed as a whole. */
#ifndef BACTRIAN_VM_BASE_ARENA_H
#define BACTRIAN_VM_BASE_ARENA_H

#include <stddef.h>

struct gc_heap;
struct vm_arena_chunk;
/* Starts as {0}. */
struct vm_arena {
    struct vm_arena_chunk *chunks; /* newest first */
    char *next, *end;              /* the free part of the newest one */
    struct gc_heap *heap;          /* whose limit counts it (gc_external_try_charge); NULL: none */
};

/* vm_arena_alloc when the newest chunk has no room. GC: never. */
void *vm_arena_alloc_slow(struct vm_arena *arena, size_t bytes);

/* bytes of memory, aligned to a word, freed with the arena. Fails: NULL. GC: never. */
static inline void *vm_arena_alloc(struct vm_arena *arena, size_t bytes) {
    size_t left = (size_t)(arena->end - arena->next), whole = (bytes + 7) & ~(size_t)7;
    if (__builtin_expect(bytes > left || whole >= left, 0))
        return vm_arena_alloc_slow(arena, bytes);
    void *p = arena->next;
    arena->next += whole;
    return p;
}
/* Frees a piece that has a chunk of its own because of its size, and returns its bytes; otherwise
 * does nothing and returns 0. GC: never. */
size_t vm_arena_release(struct vm_arena *arena, void *piece);
/* Frees everything in it; the arena may be used again. GC: never. Fails: never. */
void vm_arena_free(struct vm_arena *arena);

#endif
