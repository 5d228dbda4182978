/* units_magic.c - what ties an mlmon.out to its program, for mlprof too (memprof/units.h). */
#include "memprof/units.h"

#include "vm/md5.h"

#include <stddef.h>

uint32_t mp_units_magic(const uint32_t *code, uint32_t code_words) {
    uint8_t digest[16];
    vm_md5(code, (size_t)code_words * 4, digest);
    return (uint32_t)digest[0] << 24 | (uint32_t)digest[1] << 16 | (uint32_t)digest[2] << 8 |
           digest[3];
}
