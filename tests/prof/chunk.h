/* chunk.h - chunks of a profile whose checksums are right, whatever records they hold. */
#ifndef BACTRIAN_TESTS_PROF_CHUNK_H
#define BACTRIAN_TESTS_PROF_CHUNK_H

#include "memprof/format/record.h"

#include <stdint.h>
#include <string.h>
#include <zlib.h>

static inline void put_u32(uint8_t *at, uint32_t n) {
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(n >> 8 * i);
}

static inline uint32_t u32_at(const uint8_t *at) {
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* The n bytes of records that follow the chunk's header are what it stores, unpacked. */
static inline void seal_plain_chunk(uint8_t *chunk, size_t n) {
    const uint8_t *records = chunk + MP_CHUNK_HEADER_BYTES;
    chunk[MP_CHUNK_ENCODING] = MP_ENCODING_NONE;
    put_u32(chunk + MP_CHUNK_STORED, (uint32_t)n);
    put_u32(chunk + MP_CHUNK_BYTES, (uint32_t)n);
    put_u32(chunk + MP_CHUNK_STORED_CRC, (uint32_t)crc32(0, records, (uInt)n));
    put_u32(chunk + MP_CHUNK_HEADER_CRC, (uint32_t)crc32(0, chunk, MP_CHUNK_HEADER_CRC));
}

/* A whole chunk; returns its length. */
static inline size_t put_plain_chunk(uint8_t *to, uint32_t sequence, const uint8_t *records,
                                     size_t n) {
    memcpy(to, MP_CHUNK_MAGIC, 3);
    put_u32(to + MP_CHUNK_SEQUENCE, sequence);
    if (n > 0) memcpy(to + MP_CHUNK_HEADER_BYTES, records, n);
    seal_plain_chunk(to, n);
    return MP_CHUNK_HEADER_BYTES + n;
}

#endif
