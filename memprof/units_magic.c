/* units_magic.c - what ties an mlmon.out to its program, for mlprof too (memprof/units.h). */
#include "memprof/units.h"

uint32_t mp_units_magic(const uint8_t digest[16]) {
    return (uint32_t)digest[0] << 24 | (uint32_t)digest[1] << 16 | (uint32_t)digest[2] << 8 |
           digest[3];
}
