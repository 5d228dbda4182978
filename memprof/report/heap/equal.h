/* equal.h - strings with the same content, of a snapshot that has contents. What a field's type
 * says is `bytes` does not count, since the program may change it. */
#ifndef BACTRIAN_MEMPROF_REPORT_HEAP_EQUAL_H
#define BACTRIAN_MEMPROF_REPORT_HEAP_EQUAL_H

#include "memprof/report/heap/held.h"

/* A string of which there are others. */
struct heap_copy {
    uint32_t node, holder;
    bool typed; /* a field's type says that it is a string; else it may be bytes */
};

/* Strings of the same length, first bytes and hash. */
struct heap_equal {
    uint32_t node;         /* one of them */
    uint64_t first;        /* in struct heap_equals, by holder */
    uint64_t copies;       /* all of them, at least two */
    uint64_t words;        /* of each, with its header */
    uint32_t holder, held; /* what holds most of them, and how many */
};

struct heap_equals {
    REPORT_VECTOR(struct heap_equal) list; /* those whose further copies are largest first */
    REPORT_VECTOR(struct heap_copy) copies;
    uint64_t words; /* of all further copies */
};

/* Fails: as report_alloc. */
struct heap_equals heap_equals_find(const struct heap_graph *graph, const struct heap_held *held);
void heap_equals_free(struct heap_equals *equals);
/* The words of all copies but one. */
static inline uint64_t heap_equal_words(const struct heap_equal *e) {
    return (e->copies - 1) * e->words;
}

#endif
