/* run_record.h - what a run shows: its output, how it ended, the backtrace, the final heap. */
#ifndef BACTRIAN_TESTS_FUZZ_RUN_RECORD_H
#define BACTRIAN_TESTS_FUZZ_RUN_RECORD_H

#include "gc/containers.h"
#include "tests/fuzz/run_image.h"
#include "vm/state/options.h"

#include <stdio.h>

struct output_bytes VECTOR(char);
struct run_record {
    struct output_bytes output; /* of both channels and of the machine, in their order */
    FILE *err;
    enum run_end end;
    int status;  /* of RUN_EXITED and RUN_UNCAUGHT */
    int stopped; /* enum vm_stop */
    uint64_t backtrace, heap;
};

/* An empty record, which gets what a machine with these options writes. */
void run_record_begin(struct run_record *record, struct vm_options *options);
/* After the run: a sum of the backtrace's positions. */
void run_record_backtrace(struct run_record *record, struct vm *vm);
/* A sum of what the globals reach: shapes, sharing, numbers and strings, but neither addresses nor
 * the identity of floats, which depends on where they were boxed. */
void run_record_heap(struct run_record *record, struct vm *vm);
void run_record_end(struct run_record *record);

/* What differs, or NULL. */
const char *run_record_difference(const struct run_record *a, const struct run_record *b);

#endif
