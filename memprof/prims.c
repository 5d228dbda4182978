/* prims.c - the table of the profiler's primitives, made from prims.def. */
#include "memprof/counts/counts.h"
#include "memprof/memprof.h"
#include "memprof/program/profile.h"
#include "memprof/recorder/recorder.h"
#include "memprof/snapshot/snapshot.h"

const bool mp_is_present = true;
const struct vm_prim mp_prim_rows[] = {
#define PRIM(name, function, kinds, result, capability, flags) \
    {#name, function, kinds, result, CAP_##capability, flags},
#define ABSENT(name, kinds, result, capability, flags) \
    {#name, NULL, kinds, result, CAP_##capability, flags},
#include "memprof/prims.def"
#undef PRIM
#undef ABSENT
};
const size_t mp_prim_row_count = sizeof mp_prim_rows / sizeof mp_prim_rows[0];
