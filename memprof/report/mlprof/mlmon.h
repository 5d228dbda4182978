/* mlmon.h - reads mlmon.out, MLton's file of counts, and its sources file.
 *
 *   mlmon.out                              mlmon.out.sources
 *   MLton prof                             magic
 *   alloc | count | time                   N
 *   current | stack                        N x  name [TAB file: line]
 *   magic                                  S
 *   events  events of the collector        S x  number of its name, number of its list of calls
 *   S                                      L
 *   S x  own [on stack, of these GC]       L x  numbers of the sources called
 *   N
 *   N x  the same for names
 *
 * A source is a function's code. Several sources may have one name. */
#ifndef BACTRIAN_MEMPROF_REPORT_MLPROF_MLMON_H
#define BACTRIAN_MEMPROF_REPORT_MLPROF_MLMON_H

#include "memprof/report/model/base.h"

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
    REPORT_VECTOR(struct mlmon_call) calls;
};

/* Reads path and path.sources. Returns 0, or -1 and *error; *out is freed by mlmon_free in both
 * cases. Fails: also as report_alloc, like all below. */
int mlmon_read(const char *path, struct mlmon *out, struct report_error *error);
/* Adds the counts and calls of another file of the same program. path: of `more`, for messages.
 * Returns 0, or -1 and *error with sum unchanged. */
int mlmon_merge(struct mlmon *sum, const struct mlmon *more, const char *path,
                struct report_error *error);
/* Frees what the profile holds. */
void mlmon_free(struct mlmon *profile);

#endif
