/* function_set.h - sets of functions, in the language of mlprof's -keep.
 *
 *     all                  every function
 *     "RE"                 those whose text matches a POSIX extended regular expression; a word
 *                          without blanks, quotes and parentheses needs no quotes
 *     (and S ...) (or S ...) (not S)
 *     (pred S) (succ S)    direct callers of S; functions that S calls directly
 *     (to S) (from S)      functions that reach S by calls; that S reaches: S included
 *     (thresh X)           those that have at least X percent themselves
 *     (thresh-stack X)     those in the call stacks of at least X percent
 *     (thresh-gc X)        those in whose stacks the collector takes at least X percent */
#ifndef BACTRIAN_MEMPROF_REPORT_QUERY_FUNCTION_SET_H
#define BACTRIAN_MEMPROF_REPORT_QUERY_FUNCTION_SET_H

#include "memprof/report/model/base.h"

#include <stddef.h>
#include <stdint.h>

struct report_call {
    uint32_t caller, callee;
};

/* The calls between functions; shares are 0 to 1. */
struct report_call_graph {
    size_t count;
    const char *const *names;
    const struct report_call *calls;
    size_t call_count;
    const double *shares, *stack_shares, *gc_shares; /* gc_shares: NULL if unknown */
};

/* The set that an expression denotes, a byte for each function; freed with free(). Fails: NULL and
 * *error, whose subject is `option`. */
uint8_t *report_function_set(const char *expression, const struct report_call_graph *graph,
                             const char *option, struct report_error *error);

#endif
