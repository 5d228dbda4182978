/* perf_map.h - names for perf(1), which reads them from /tmp/perf-PID.map:
 *
 *     START BYTES NAME        a line for each function, numbers in hexadecimal
 *
 * perf looks there only for anonymous memory, so code_memory_create is asked for that. */
#ifndef BACTRIAN_VM_ENGINE_NATIVE_PERF_MAP_H
#define BACTRIAN_VM_ENGINE_NATIVE_PERF_MAP_H

#include <stddef.h>
#include <stdio.h>

/* Creates the process's file, or empties its own from an earlier process of that number. NULL:
 * after a message to err. */
FILE *native_perf_map_open(FILE *err);
/* Adds a line, which is in the file when the function returns. */
void native_perf_map_add(FILE *map, const void *start, size_t bytes, const char *name);

#endif
