/* magic.c - what ties an mlmon.out to its program, for mlprof too (memprof/counts/counts.h). */
#include "memprof/counts/counts.h"

uint32_t mp_counts_magic(const uint8_t digest[16]) {
    return (uint32_t)digest[0] << 24 | (uint32_t)digest[1] << 16 | (uint32_t)digest[2] << 8 |
           digest[3];
}
