/* perf_map.h - names for perf(1), which reads them from /tmp/perf-PID.map:
 *
 *     START BYTES NAME        a line for each function, numbers in hexadecimal
 *
 * perf uses the file only for anonymous memory, which is therefore requested from
 * code_memory_create. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_PERF_MAP_H
#define BACTRIAN_VM_ENGINE_NATIVE_PERF_MAP_H

#include <stddef.h>
#include <stdio.h>

/* Creates the process's file, or truncates the one that an earlier process with that pid left.
 * NULL: after a message to err. */
FILE *native_perf_map_open(FILE *err);
/* Adds a line and flushes it. */
void native_perf_map_add(FILE *map, const void *start, size_t bytes, const char *name);

#endif
