/* marshal_header.h - headers of marshalled data, with what a fuzzer would rarely guess. */
#ifndef BACTRIAN_TESTS_FUZZ_MARSHAL_HEADER_H
#define BACTRIAN_TESTS_FUZZ_MARSHAL_HEADER_H

#include "vm/marshal/reader.h"

/* Writes VM_MARSHAL_SMALL_HEADER bytes for data_bytes of data with these numbers of objects and
 * words of the heap. */
static inline void put_marshal_header(uint8_t *to, size_t data_bytes, uint32_t objects,
                                      uint32_t words) {
    const uint32_t parts[5] = {VM_MARSHAL_MAGIC_SMALL, (uint32_t)data_bytes, objects, 0, words};
    for (int i = 0; i < VM_MARSHAL_SMALL_HEADER; i++)
        to[i] = (uint8_t)(parts[i / 4] >> (24 - 8 * (i % 4)));
}

/* The header of compressed values, whose numbers have five bytes here. */
enum { COMPRESSED_HEADER = VM_MARSHAL_HEADER_START + 5 * 5 };
static inline void put_compressed_header(uint8_t *to, uint32_t stored_bytes, uint32_t data_bytes,
                                         uint32_t objects, uint32_t words) {
    const uint32_t parts[5] = {stored_bytes, data_bytes, objects, 0, words};
    for (int i = 0; i < 4; i++) to[i] = (uint8_t)(VM_MARSHAL_MAGIC_COMPRESSED >> (24 - 8 * i));
    to[4] = COMPRESSED_HEADER;
    for (int i = 0; i < 25; i++)
        to[5 + i] = (uint8_t)((parts[i / 5] >> (28 - 7 * (i % 5)) & 0x7F) | (i % 5 < 4 ? 0x80 : 0));
}

#endif
