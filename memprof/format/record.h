/* record.h - the records of record.def as structs, for writer and reader. */
#ifndef BACTRIAN_MEMPROF_FORMAT_RECORD_H
#define BACTRIAN_MEMPROF_FORMAT_RECORD_H

#include "memprof/format/format.h"

#include <string.h>

/* Numbers of a LIST: the writer's items, or (as read) their bytes. */
struct mp_list {
    const uint64_t *items;
    const uint8_t *bytes;
    size_t count;
};

/* A C string; NULL is the empty one. */
static inline struct mp_text mp_text_of(const char *text) {
    return (struct mp_text){text, text == NULL ? 0 : strlen(text)};
}

#define BYTE(name) uint8_t name;
#define UINT(name) uint64_t name;
#define SINT(name) int64_t name;
#define REAL(name) double name;
#define TEXT(name) struct mp_text name;
#define LIST(name) struct mp_list name;
#define RECORD(id, tag, name, fields, meaning) \
    struct mp_record_##name {                  \
        fields                                 \
    };
#include "memprof/format/record.def"

enum {
    MP_SAMPLE_SOURCE_BITS = 3, /* of kind: enum mp_source */
    MP_SAMPLE_YOUNG = 4,
};

#define MP_FILE_MAGIC \
    "\x89"            \
    "BPROF\r\n"
#define MP_CHUNK_MAGIC "BPC"

/* How a chunk's records are stored: its header's fourth byte. */
enum mp_encoding { MP_ENCODING_NONE = 0, MP_ENCODING_ZSTD = 1 };

/* Offsets in a chunk's header; numbers are little-endian. */
enum {
    MP_CHUNK_ENCODING = 3,
    MP_CHUNK_SEQUENCE = 4,    /* u32: from 0 */
    MP_CHUNK_STORED = 8,      /* u32: bytes after the header */
    MP_CHUNK_BYTES = 12,      /* u32: of records, unpacked */
    MP_CHUNK_STORED_CRC = 16, /* u32: zlib's crc32 of the bytes after the header */
    MP_CHUNK_HEADER_CRC = 20, /* u32: of the 20 bytes before */
};

#endif
