/* scratch.h - the compiler's memory while it compiles a function. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_SCRATCH_H
#define BACTRIAN_VM_ENGINE_NATIVE_SCRATCH_H

#include <stddef.h>

struct native_chunk;

struct native_memory {
    struct native_chunk *newest; /* the chunk that is being filled; older ones follow */
    struct native_chunk *mapped; /* the oldest one, which stays for the next function; or NULL */
};

/* Zeroed memory until native_memory_reset. GC: never.  Fails: when out of memory, fatally. */
void *native_memory_get(struct native_memory *m, size_t bytes);
/* Frees what was got. GC: never. */
void native_memory_reset(struct native_memory *m);
/* The same, and what was kept. GC: never. */
void native_memory_free(struct native_memory *m);

#endif
