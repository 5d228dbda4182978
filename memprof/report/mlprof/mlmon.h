/* mlmon.h - reads mlmon.out, MLton's file of counts, and the sources file beside it.
 *
 *   mlmon.out                              mlmon.out.sources
 *   MLton prof                             magic
 *   alloc | count | time                   N
 *   current | stack                        N x  name [TAB file: line]
 *   magic                                  S
 *   events  events of the collector        S x  number of its name, number of its list of calls
 *   S                                      L
 *   S x  own [on stack, of these GC]       L x  numbers of sources that were called
 *   N
 *   N x  the same for names
 *
 * A source is a piece of code, a name what it is called; several sources may have one name. */
#ifndef BACTRIAN_MEMPROF_REPORT_MLPROF_MLMON_H
#define BACTRIAN_MEMPROF_REPORT_MLPROF_MLMON_H

#include "memprof/report/model/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mlmon_kind { MLMON_ALLOC, MLMON_COUNT, MLMON_TIME, MLMON_KINDS };

struct mlmon_counts {
    uint64_t own, stack, stack_gc;
};

struct mlmon_name {
    char *text, *position; /* position: "file: line", or NULL; in the same block as text */
};

struct mlmon_call {
    uint32_t caller, callee; /* sources */
};

struct mlmon {
    enum mlmon_kind kind;
    bool stacks;
    uint32_t magic;
    uint64_t total, total_gc;
    struct mlmon_counts *sources, *names;
    uint32_t source_count, name_count;
    struct mlmon_name *texts; /* by name */
    uint32_t *name_of;        /* by source */
    struct mlmon_call *calls;
    size_t call_count;
};

/* Reads path, and path.sources. Returns 0, or -1 and *error. mlmon_free afterwards, in both cases.
 * Fails: also as report_alloc, as all below. */
int mlmon_read(const char *path, struct mlmon *out, struct report_error *error);
/* Adds the counts and calls of another file of the same program to sum. path: of more, for the
 * message. Returns 0, or -1 and *error; sum is what it was then. */
int mlmon_merge(struct mlmon *sum, const struct mlmon *more, const char *path,
                struct report_error *error);
void mlmon_free(struct mlmon *profile);

#endif
