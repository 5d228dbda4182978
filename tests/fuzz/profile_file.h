/* profile_file.h - profiles for the fuzzers: any records in an otherwise valid file. */
#ifndef BACTRIAN_TESTS_FUZZ_PROFILE_FILE_H
#define BACTRIAN_TESTS_FUZZ_PROFILE_FILE_H

#include "tests/prof/chunk.h"

#include <stdlib.h>

/* A file of two chunks with right checksums: START with these flags, then the records. Freed with
 * free(); NULL: out of memory. */
static uint8_t *file_of_records(uint8_t flags, const uint8_t *records, size_t n, size_t *length) {
    /* START: 64 bits, rate 1, then numbers and texts that are 0 or empty. */
    const uint8_t start[] = {MP_TAG_START, 64, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0,
                             flags,        0,  0, 0, 0, 0};
    uint8_t *file = malloc(MP_FILE_HEADER_BYTES + 2 * MP_CHUNK_HEADER_BYTES + sizeof start + n);
    if (file == NULL) return NULL;
    memset(file, 0, MP_FILE_HEADER_BYTES);
    memcpy(file, MP_FILE_MAGIC, 8);
    file[8] = MP_FORMAT_MAJOR;
    put_u32(file + 12, (uint32_t)crc32(0, file, 12));
    uint8_t *to = file + MP_FILE_HEADER_BYTES;
    to += put_plain_chunk(to, 0, start, sizeof start);
    to += put_plain_chunk(to, 1, records, n);
    *length = (size_t)(to - file);
    return file;
}

static inline uint8_t *profile_of_records(const uint8_t *records, size_t n, size_t *length) {
    return file_of_records(0, records, n, length);
}
static inline uint8_t *snapshot_of_records(const uint8_t *records, size_t n, size_t *length) {
    return file_of_records(MP_SNAPSHOT | MP_VALUES, records, n, length);
}

#endif
