/* fuzz_profile.c - libFuzzer target: any bytes as a profile.
 *
 * An even first byte: the rest is a file. An odd one: the rest is the records of a chunk whose
 * checksums are right, after a first chunk that describes the recording. */
#include "memprof/format/reader.h"
#include "tests/fuzz/profile_file.h"
#include "tests/fuzz/target.h"

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
    uint8_t *file = profile_of_records(data + 1, size - 1, &length);
    if (file == NULL) return 0;
    struct mp_reader *r = mp_reader_of_bytes(file, length, &error);
    if (r == NULL) abort(); /* START is right */
    read_all(r);
    free(file);
    return 0;
}
