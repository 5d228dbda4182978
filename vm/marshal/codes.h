/* codes.h - the codes of codes.def and their numbers, for all readers and writers of the format.
 * Private to vm/marshal. */
#ifndef BACTRIAN_VM_MARSHAL_CODES_H
#define BACTRIAN_VM_MARSHAL_CODES_H

#include "gc/assert.h"

#include <stdint.h>
#include <string.h>

enum {
#define CODE(name, code, kind, bytes, meaning) CODE_##name = code,
#include "vm/marshal/codes.def"
#undef CODE
    SMALL_STRING = 0x20,
    SMALL_INT = 0x40,
    SMALL_BLOCK = 0x80,
    FIRST_FIELD = 0x90 /* small blocks from here on have fields */
};

enum item_kind {
    ITEM_NONE,
    ITEM_INT,
    ITEM_SHARED,
    ITEM_BLOCK,
    ITEM_STRING,
    ITEM_DOUBLE_BIG,
    ITEM_DOUBLE_LITTLE,
    ITEM_DOUBLES_BIG,
    ITEM_DOUBLES_LITTLE,
    ITEM_INFIX,
    ITEM_CUSTOM,
    ITEM_CODE
};

struct item_code {
    uint8_t kind, bytes; /* enum item_kind; the width of the number */
};
/* By code; those that no item begins with are ITEM_NONE. */
extern const struct item_code vm_marshal_codes[SMALL_STRING];

/* A big-endian number of 1, 2, 4 or 8 bytes. */
static inline uint64_t marshal_load(const uint8_t *p, unsigned bytes) {
    uint64_t x;
    uint32_t y;
    uint16_t z;
    ASSERT(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8);
    switch (bytes) {
    case 8: memcpy(&x, p, 8); return __builtin_bswap64(x);
    case 4: memcpy(&y, p, 4); return __builtin_bswap32(y);
    case 2: memcpy(&z, p, 2); return __builtin_bswap16(z);
    default: return *p;
    }
}

/* The same with its sign. */
static inline int64_t marshal_sign_extend(uint64_t x, unsigned bytes) {
    return (int64_t)(x << (64 - 8 * bytes)) >> (64 - 8 * bytes);
}

/* Stores the lowest bytes of x, at least one, big-endian. */
static inline void marshal_store(uint8_t *p, uint64_t x, unsigned bytes) {
    ASSERT(bytes >= 1 && bytes <= 8);
    uint64_t swapped = __builtin_bswap64(x) >> (64 - 8 * bytes);
    memcpy(p, &swapped, bytes);
}

/* The bytes that the writers give an integer after its code, CODE_INT8 + ctz(bytes). 0: the code
 * SMALL_INT + n holds it. */
static inline unsigned marshal_int_bytes(int64_t n) {
    if (n >= 0 && n < SMALL_BLOCK - SMALL_INT) return 0;
    if (n == (int8_t)n) return 1;
    if (n == (int16_t)n) return 2;
    return n >= -((int64_t)1 << 30) && n < (int64_t)1 << 30 ? 4 : 8;
}

/* The same for the number that refers to an object, after CODE_SHARED8 + ctz(bytes). */
static inline unsigned marshal_reference_bytes(uint64_t number) {
    ASSERT(number <= UINT32_MAX);
    return number < 1u << 8 ? 1 : number < 1u << 16 ? 2 : 4;
}

#endif
