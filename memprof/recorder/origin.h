/* origin.h - the record START of a file: which program it is of. */
#ifndef BACTRIAN_MEMPROF_RECORDER_ORIGIN_H
#define BACTRIAN_MEMPROF_RECORDER_ORIGIN_H

#include "memprof/format/writer.h"

struct vm;

/* Writes *record, with what is the same for all files of a process: pid, time, arguments, host,
 * version of OCaml. False: out of memory (errno). GC: never. */
bool mp_write_origin(struct mp_writer *w, const struct vm *vm, struct mp_record_start *record);

#endif
