/* padding.c - see padding.h. */
#include "vm/engine/native/padding.h"

#include <stddef.h>
#include <string.h>

#ifdef __x86_64__
#include <cpuid.h>

/* The models of family 6 from Skylake to Comet Lake, and the last stepping of each that needs
 * padding. */
static const struct {
    uint8_t model, last_stepping;
} padded[] = {
    {0x4e, 15}, {0x5e, 15}, {0x55, 7}, {0x8e, 12}, {0x9e, 13}, {0xa6, 15}, {0xae, 15},
};

bool cpu_needs_padding(void) {
    unsigned highest, signature, b, c, d;
    if (!__get_cpuid(0, &highest, &b, &c, &d) || b != signature_INTEL_ebx) return false;
    if (!__get_cpuid(1, &signature, &b, &c, &d) || (signature >> 8 & 15) != 6) return false;
    unsigned model = (signature >> 4 & 15) | (signature >> 12 & 0xf0);
    for (size_t i = 0; i < sizeof padded / sizeof *padded; i++)
        if (model == padded[i].model) return (signature & 15) <= padded[i].last_stepping;
    return false;
}
#else
bool cpu_needs_padding(void) { return false; }
#endif

enum { LONGEST_NOP = 9 };
static const uint8_t nops[LONGEST_NOP][LONGEST_NOP] = {
    {0x90},
    {0x66, 0x90},
    {0x0f, 0x1f, 0x00},
    {0x0f, 0x1f, 0x40, 0x00},
    {0x0f, 0x1f, 0x44, 0x00, 0x00},
    {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
    {0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
    {0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
    {0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
};

void put_nops(uint8_t *at, unsigned bytes) {
    while (bytes > 0) {
        unsigned length = bytes < LONGEST_ENCODING ? bytes : LONGEST_ENCODING;
        unsigned prefixes = length > LONGEST_NOP ? length - LONGEST_NOP : 0;
        memset(at, PADDING_PREFIX, prefixes);
        memcpy(at + prefixes, nops[length - prefixes - 1], length - prefixes);
        at += length;
        bytes -= length;
    }
}
