/* arena.h - memory that is freed all at once. */
#ifndef BACTRIAN_VM_ARENA_H
#define BACTRIAN_VM_ARENA_H

#include <stddef.h>

struct vm_arena_chunk;
struct vm_arena {
    struct vm_arena_chunk *chunks; /* newest first; start with {0} */
};

/* bytes of memory aligned to a word, freed with the arena; NULL if there is none. GC: never. */
void *vm_arena_alloc(struct vm_arena *arena, size_t bytes);
/* Frees a piece of the arena if it was so large that it has a chunk of its own, and returns its
 * bytes; else, and if it is none of the arena's, does nothing and returns 0. GC: never. */
size_t vm_arena_release(struct vm_arena *arena, void *piece);
/* Frees everything in it; the arena may be used again. GC: never. Fails: never. */
void vm_arena_free(struct vm_arena *arena);

#endif
