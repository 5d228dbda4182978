/* fuzz_profile.c - libFuzzer target: any bytes as a profile.
 *
 * An even first byte: the rest is a file. An odd one: the rest is the records of a chunk whose
 * checksums are right, behind a first chunk that says what is recorded. */
#include "memprof/format/reader.h"
#include "memprof/format/record.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_u32(uint8_t *at, uint32_t n) {
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(n >> 8 * i);
}

static size_t put_chunk(uint8_t *to, uint32_t sequence, const uint8_t *records, size_t n) {
    memcpy(to, MP_CHUNK_MAGIC, 3);
    to[MP_CHUNK_ENCODING] = MP_ENCODING_PLAIN;
    put_u32(to + MP_CHUNK_SEQUENCE, sequence);
    put_u32(to + MP_CHUNK_STORED, (uint32_t)n);
    put_u32(to + MP_CHUNK_BYTES, (uint32_t)n);
    put_u32(to + MP_CHUNK_STORED_CRC, (uint32_t)crc32(0, records, (uInt)n));
    put_u32(to + MP_CHUNK_HEADER_CRC, (uint32_t)crc32(0, to, MP_CHUNK_HEADER_CRC));
    memcpy(to + MP_CHUNK_HEADER_BYTES, records, n);
    return MP_CHUNK_HEADER_BYTES + n;
}

/* A file around the records. */
static uint8_t *wrap(const uint8_t *records, size_t n, size_t *length) {
    /* START: 64 bits, rate 1, then numbers and texts that are 0 or empty. */
    static const uint8_t start[] = {
        MP_TAG_START, 64, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    uint8_t *file = malloc(MP_FILE_HEADER_BYTES + 2 * MP_CHUNK_HEADER_BYTES + sizeof start + n);
    if (file == NULL) return NULL;
    memset(file, 0, MP_FILE_HEADER_BYTES);
    memcpy(file, MP_FILE_MAGIC, 8);
    file[8] = MP_FORMAT_MAJOR;
    put_u32(file + 12, (uint32_t)crc32(0, file, 12));
    uint8_t *to = file + MP_FILE_HEADER_BYTES;
    to += put_chunk(to, 0, start, sizeof start);
    to += put_chunk(to, 1, records, n);
    *length = (size_t)(to - file);
    return file;
}

static void read_all(struct mp_reader *r) {
    struct mp_event event;
    while (mp_reader_next(r, &event)) {
        if (event.kind != MP_EVENT_SAMPLE) continue;
        for (uint32_t node = event.sample.stack; node != 0; node = mp_reader_stack(r, node)->caller)
            if (mp_reader_location(r, mp_reader_stack(r, node)->location)->file == NULL) abort();
    }
    mp_reader_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct mp_read_error error;
    if (size == 0) return 0;
    if (data[0] % 2 == 0) {
        struct mp_reader *r = mp_reader_of_bytes(data + 1, size - 1, &error);
        if (r != NULL) read_all(r);
        return 0;
    }
    size_t length;
    uint8_t *file = wrap(data + 1, size - 1, &length);
    if (file == NULL) return 0;
    struct mp_reader *r = mp_reader_of_bytes(file, length, &error);
    if (r == NULL) abort(); /* START is right */
    read_all(r);
    free(file);
    return 0;
}
