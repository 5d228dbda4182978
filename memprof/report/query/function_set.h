/* function_set.h - sets of functions, in the language of mlprof's -keep.
 *
 *     all                  every function
 *     "RE"                 those whose text matches a POSIX extended regular expression; a word
 *                          without blanks, quotes and parentheses needs no quotes
 *     (and S ...) (or S ...) (not S)
 *     (pred S) (succ S)    who calls one of S; whom one of S calls
 *     (to S) (from S)      who reaches S by calls; what S reaches: S included
 *     (thresh X)           those that have at least X percent themselves
 *     (thresh-stack X)     those that stand in the call stacks of at least X percent
 *     (thresh-gc X)        those in whose stacks the collector takes at least X percent */
#ifndef BACTRIAN_MEMPROF_REPORT_QUERY_FUNCTION_SET_H
#define BACTRIAN_MEMPROF_REPORT_QUERY_FUNCTION_SET_H

#include "memprof/report/model/error.h"

#include <stddef.h>
#include <stdint.h>

struct report_call {
    uint32_t caller, callee;
};

/* Who calls whom; shares are 0 to 1. */
struct report_call_graph {
    size_t count;
    const char *const *names;
    const struct report_call *calls;
    size_t call_count;
    const double *shares, *stack_shares, *gc_shares; /* gc_shares NULL: not known */
};

/* The set that an expression denotes, a byte for each function, freed with free(). Fails: NULL and
 * *error, whose subject is the option's name. */
uint8_t *report_keep_set(const char *expression, const struct report_call_graph *graph,
                         const char *option, struct report_error *error);

#endif
