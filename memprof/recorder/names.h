/* names.h - the strings and locations that a file defines, each once and numbered from 1
 * (memprof/format). */
#ifndef BACTRIAN_MEMPROF_RECORDER_NAMES_H
#define BACTRIAN_MEMPROF_RECORDER_NAMES_H

#include "gc/containers.h"
#include "memprof/format/writer.h"

struct vm;

/* Starts with vm and writer alone set. */
struct mp_names {
    struct vm *vm;
    struct mp_writer *writer;
    struct word_map locations; /* by gpc + 1 */
    struct word_map strings;   /* by the text's hash */
    uint32_t location_count, string_count;
    bool debug_read; /* debugging information was looked for */
};

/* The number of a string, new each time. GC: never, like all below. */
uint32_t mp_names_text(struct mp_names *n, const char *text, size_t length);
/* The number of a string, defined once; 0 of "". */
uint32_t mp_names_string(struct mp_names *n, const char *text);
/* The number of the location of a gpc, if it is defined; else 0. */
static inline uint32_t mp_names_known(const struct mp_names *n, uint64_t gpc) {
    const uintptr_t *number = word_map_find(&n->locations, gpc + 1);
    return number == NULL ? 0 : (uint32_t)*number;
}
/* The same; defines it in the file if it is new. */
uint32_t mp_names_location(struct mp_names *n, uint64_t gpc);
/* The same, of an instruction that the compiler makes no event for, at that gpc: with the location
 * of the last event in its function up to there. */
uint32_t mp_names_before(struct mp_names *n, uint64_t gpc);
/* The number of the first location in the function of that index; of a RESTART, which partial
 * applications have, that of the function with a note. */
uint32_t mp_names_function(struct mp_names *n, uint32_t index);
/* The name of the function of that index in debugging information, until the next call of such
 * functions; NULL: it has none. */
const char *mp_names_definition(struct mp_names *n, uint32_t index);
/* Forgets all definitions and frees the tables. */
void mp_names_clear(struct mp_names *n);

#endif
